# forfeits: forbidden
# A timer that sends SIGCONT would wake it up while its opponent thinks: it could think on, and take processor time.
import ctypes
import os
import signal


class Event(ctypes.Structure):
    _fields_ = [("value", ctypes.c_void_p), ("signal", ctypes.c_int), ("how", ctypes.c_int), ("rest", ctypes.c_char * 48)]


class AIPlayer:
    def __init__(self, color):
        self.color = color

    def get_move(self, board):
        libc = ctypes.CDLL(None, use_errno=True)
        number = 222 if os.uname().machine == "x86_64" else 107
        signal.signal(signal.SIGCONT, lambda *_: None)
        event, timer = Event(None, signal.SIGCONT, 0), ctypes.c_int()
        if libc.syscall(number, 1, ctypes.byref(event), ctypes.byref(timer)):
            raise OSError(ctypes.get_errno(), "timer_create")
        return next(board.get_legal_actions(self.color))
