"""The candidate list of a course `AI`, watched: a callback sees every change as it is made.

A thread that looks now and then would not do: compiled code may keep all other threads from running, and never return.
"""

import contextlib
import sys
from collections.abc import Callable
from typing import Any

NAME = "candidate_list"
CHANGING = (
    *("append", "clear", "extend", "insert", "pop", "remove", "reverse", "sort"),
    *("__setitem__", "__delitem__", "__iadd__", "__imul__"),
)


class WatchedList(list):  # type: ignore[type-arg]
    """A list that tells of its changes, as long as it is the one that the player shows."""

    __slots__ = ()
    shown: "WatchedList | None" = None
    tell: Callable[[], None]


def _telling(change: Any) -> Any:
    def changed(self: WatchedList, *arguments: Any, **named: Any) -> Any:
        try:
            return change(self, *arguments, **named)
        finally:
            if WatchedList.shown is self:
                WatchedList.tell()

    return changed


for _name in CHANGING:
    setattr(WatchedList, _name, _telling(getattr(list, _name)))


class _Attribute:
    """Stands in the player's class. A list that nobody else holds is exchanged for one that tells of itself; another
    stays what it is, since whoever holds it may change it, and is looked at whenever the player touches it."""

    def __init__(self, player: Any, tell: Callable[[], None], before: Any) -> None:
        self._player, self._tell, self._before = player, tell, before

    def __get__(self, one: Any, owner: Any = None) -> Any:
        if one is not None and NAME in one.__dict__:
            if one is self._player and WatchedList.shown is None:
                self._tell()
            return one.__dict__[NAME]
        if self._before is None:
            raise AttributeError(f"{type(one).__name__!r} object has no attribute {NAME!r}")
        return self._before

    def __set__(self, one: Any, value: Any) -> None:
        if one is not self._player:
            one.__dict__[NAME] = value
            return
        watched = type(value) is WatchedList
        if type(value) is list and sys.getrefcount(value) <= ALONE:
            value, watched = WatchedList(value), True
        one.__dict__[NAME] = value
        WatchedList.shown = value if watched else None
        self._tell()

    def __delete__(self, one: Any) -> None:
        if one.__dict__.pop(NAME, self) is self:
            raise AttributeError(NAME)


class _Counting:
    """How often a value is held that is just being set."""

    def __set__(self, one: Any, value: Any) -> None:
        one.counted.append(sys.getrefcount(value))


class _Probe:
    place = _Counting()

    def __init__(self) -> None:
        self.counted: list[int] = []
        held: list[Any] = []
        self.place = []
        self.place = held


_fresh, _held = _Probe().counted
ALONE = _fresh if _fresh < _held else 0
"""The count of a list that only we hold; 0 where this Python does not count what its variables hold."""


def watch(player: Any, tell: Callable[[], None]) -> None:
    """Has `tell` called at every change of a player's list. A class that has something of its own in its place keeps
    that, and so does one that cannot be changed."""

    def quietly() -> None:
        with contextlib.suppress(Exception):  # what is in the list may be anything
            tell()

    before = getattr(type(player), NAME, None)
    if hasattr(before, "__get__") or not hasattr(player, "__dict__"):
        return
    WatchedList.tell = staticmethod(quietly)
    with contextlib.suppress(AttributeError, TypeError):
        setattr(type(player), NAME, _Attribute(player, quietly, before))
        if NAME in player.__dict__:
            setattr(player, NAME, player.__dict__.pop(NAME))
