# forfeits: crash
class AIPlayer:
    def get_move(self, board)
        return 'D3'
