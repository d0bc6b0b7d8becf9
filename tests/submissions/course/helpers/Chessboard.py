COLOR_BLACK = -1
COLOR_WHITE = 1
COLOR_NONE = 0


class Chessboard:
    def __init__(self, chessboard_size, color):
        self.chessboard_size, self.color = chessboard_size, color

    def legal(self, board):
        found = []
        for row in range(self.chessboard_size):
            for column in range(self.chessboard_size):
                if board[row][column] == COLOR_NONE and self.turned(board, row, column):
                    found.append((row, column))
        return found

    def turned(self, board, row, column):
        n, total = self.chessboard_size, 0
        for dr, dc in ((0, 1), (1, 0), (0, -1), (-1, 0), (1, 1), (1, -1), (-1, 1), (-1, -1)):
            r, c, count = row + dr, column + dc, 0
            while 0 <= r < n and 0 <= c < n and board[r][c] == -self.color:
                r, c, count = r + dr, c + dc, count + 1
            if count and 0 <= r < n and 0 <= c < n and board[r][c] == self.color:
                total += count
        return total
