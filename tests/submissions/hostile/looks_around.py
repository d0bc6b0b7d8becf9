# forfeits: crash
# What is installed on the machine is no business of a player.
import os


class AIPlayer:
    def __init__(self, color):
        self.color = color

    def get_move(self, board):
        found = [place for place in ("/usr/share", "/usr/bin/env", "/bin/sh", "/etc/passwd", "/home") if os.path.exists(place)]
        if found:
            return next(board.get_legal_actions(self.color))
        raise FileNotFoundError("there is nothing to see")
