# forfeits: crash
import os

class AIPlayer:
    def __init__(self, color):
        self.color = color

    def get_move(self, board):
        for folder in ("/home", "/root", "/etc", "/var", "/proc", "/sys"):
            for place, folders, files in os.walk(folder):
                if files and "python" not in place:
                    raise SystemError("it could see " + place)
        return next(open(os.path.expanduser("~/.profile")))
