"""A request to stop that Python sets and compiled code reads."""

import ctypes

CacheLine = ctypes.c_uint64 * 8
"""Memory of the C kind: a short search spends as much on making its stop as an array of NumPy's costs."""


class Stop:
    """A request to stop, that compiled code can read at `address`."""

    __slots__ = ("_line", "address")

    def __init__(self) -> None:
        self._line = CacheLine()  # of its own: nobody else's writes disturb it
        self.address = ctypes.addressof(self._line)

    def set(self) -> None:
        self._line[0] = 1

    @property
    def is_set(self) -> bool:
        return bool(self._line[0])
