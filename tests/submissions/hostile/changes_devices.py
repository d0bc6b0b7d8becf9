# forfeits: forbidden
# Its devices are the host's: as root it could close /dev/null to everybody, for good.
import os


class AIPlayer:
    def __init__(self, color):
        self.color = color

    def get_move(self, board):
        for device in ("/dev/full", "/dev/zero"):
            about = os.stat(device)
            for attempt in (
                lambda: os.chmod(device, about.st_mode & 0o777),
                lambda: os.utime(device, ns=(about.st_atime_ns, about.st_mtime_ns)),
                lambda: os.chown(device, -1, -1),
                lambda: os.setxattr(device, "user.outflank", b"was here"),
            ):
                try:
                    attempt()
                except OSError:
                    continue
                return next(board.get_legal_actions(self.color))
        raise PermissionError(1, "nothing can be changed")
