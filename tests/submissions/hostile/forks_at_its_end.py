# forfeits: forbidden|crash
import atexit
import os
import signal
import weakref


def leave_children():
    for start in (os.fork, os.forkpty):
        try:
            if start() in (0, (0, -1)):
                os.setsid()
                signal.pause()
        except OSError:
            pass


class AIPlayer:
    def __init__(self, color):
        self.color = color
        atexit.register(leave_children)
        weakref.finalize(self, leave_children)

    def get_move(self, board):
        raise SystemExit
