# forfeits: forbidden
# A lock or a watch on a file that another player sees too would tell it something.
import ctypes
import fcntl
import os
import random
import socket


class AIPlayer:
    def __init__(self, color):
        self.color = color

    def get_move(self, board):
        libc = ctypes.CDLL(None, use_errno=True)
        with open(random.__file__) as library:
            for attempt in (
                lambda: fcntl.flock(library, fcntl.LOCK_SH),
                lambda: fcntl.fcntl(library, fcntl.F_GETLK, bytes(32)),
                lambda: socket.socketpair(),
                lambda: os.close(-1 if libc.inotify_init1(0) < 0 else 2),
                lambda: os.posix_fadvise(library.fileno(), 0, 0, os.POSIX_FADV_DONTNEED),
            ):
                try:
                    attempt()
                except OSError:
                    continue
                return next(board.get_legal_actions(self.color))
        raise PermissionError(1, "nobody hears it")
