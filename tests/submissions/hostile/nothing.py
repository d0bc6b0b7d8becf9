# forfeits: crash
print('hello')
