def weight(table, row, column):
    return table[min(row, 7 - row)][min(column, 7 - column)]
