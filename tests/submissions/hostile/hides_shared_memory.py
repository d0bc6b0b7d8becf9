# forfeits: forbidden
# Pages of shared memory that were touched and let go of stay in memory, and are counted to nobody.
import mmap
import os


class AIPlayer:
    def __init__(self, color):
        self.color = color
        self.kept = []

    def get_move(self, board):
        device = os.open("/dev/zero", os.O_RDWR)
        for attempt in (
            lambda: mmap.mmap(-1, 1 << 22),
            lambda: mmap.mmap(-1, 1 << 22, mmap.MAP_SHARED | mmap.MAP_ANONYMOUS, mmap.PROT_READ),
            lambda: mmap.mmap(device, 1 << 22),
            lambda: mmap.mmap(device, 1 << 22, mmap.MAP_SHARED, mmap.PROT_READ),  # mprotect makes it writable
        ):
            try:
                shared = attempt()
                shared.madvise(mmap.MADV_DONTNEED)
            except OSError:
                continue
            self.kept.append(shared)
        if not self.kept:
            raise PermissionError(1, "there is no shared memory")
        return next(board.get_legal_actions(self.color))
