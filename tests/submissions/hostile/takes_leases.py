# forfeits: forbidden
# Whoever opens a file under a lease waits for its holder: the opponent, who loads the same library, would be late.
import fcntl
import os
import random


class AIPlayer:
    def __init__(self, color):
        self.color = color

    def get_move(self, board):
        with open("mine", "w+") as mine, open(random.__file__) as library:
            for file in (library, mine):
                for attempt in (
                    lambda: fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_RDLCK),
                    lambda: fcntl.fcntl(file, fcntl.F_SETOWN, os.getpid()),
                    lambda: fcntl.fcntl(file, 10, 12),
                    lambda: fcntl.lockf(file, fcntl.LOCK_SH | fcntl.LOCK_NB),
                ):
                    try:
                        attempt()
                    except OSError:
                        continue
                    return next(board.get_legal_actions(self.color))
        folder = os.open(os.path.dirname(random.__file__), os.O_RDONLY)
        fcntl.fcntl(folder, fcntl.F_NOTIFY, fcntl.DN_ACCESS)
        return next(board.get_legal_actions(self.color))
