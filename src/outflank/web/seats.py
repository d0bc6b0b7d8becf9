"""Where players sit: each at its side of its board, from move to move, whichever thread thinks for it.

So a search finds its tree again, and a player in a process of its own has one process. A seat is made when it is first
asked for a move, and let go when its board goes or takes another player; all together take so much memory, and beyond
it the one not asked for longest goes.
"""

import threading
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial

from outflank.agents.roster import entry_named
from outflank.agents.spec import Spec, agent
from outflank.board.game import Game
from outflank.board.squares import Color
from outflank.protocols.session import Seat
from outflank.web.players import has_written_weights
from outflank.web.thinking import ENGINE, is_quick
from outflank.web.weights import Weights

MOST_MEGABYTES = 2048.0
LEAST_MEGABYTES, PROCESS_MEGABYTES = 4.0, 64.0
"""What a seat counts as at least, and what one counts as whose player is a program of its own."""
QUICK_HASH, SLOW_HASH = 0.25, 32.0
"""Megabytes of the engine's table where a spec does not say: a quick level fills little."""


@dataclass
class _Place:
    """A side of a board: who sits there, and how many threads wait for it or have it now."""

    seat: Seat
    spec: Spec
    seed: int
    megabytes: float
    users: int = 0
    turn: threading.Lock = field(default_factory=threading.Lock)
    """One question at a time: an answer that nobody wants any more may still be under way."""


class Seats:
    """The seats of all boards. Any thread may ask."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._places: OrderedDict[tuple[str, Color], _Place] = OrderedDict()
        self._weights = Weights()

    @contextmanager
    def taken(self, board: str, spec: Spec, seed: int, game: Game) -> Iterator[Seat]:
        """The seat of the side to move, alone; `seed` tells one game on a board from the next."""
        key = board, game.position.turn
        with self._lock:
            place = self._places.pop(key, None)
            if place is not None and (place.spec, place.seed) != (spec, seed):
                self._let_go(place)
                place = None
            place = self._places[key] = place or self._placed(spec, seed, game)
            place.users += 1
            self._make_room()
        try:
            with place.turn:
                yield place.seat
        finally:
            with self._lock:
                place.users -= 1
                if self._places.get(key) is not place:
                    self._let_go(place)

    def _placed(self, spec: Spec, seed: int, game: Game) -> _Place:
        if spec.name == ENGINE and "hash" not in dict(spec.options):
            size = QUICK_HASH if is_quick(spec) else SLOW_HASH
            made = replace(spec, options=(*spec.options, ("hash", size)))
        else:
            made = spec
        make = partial(self._weights.player if has_written_weights(spec) else agent, made)
        # The ply goes into the seed: a player that comes back to a game shall not throw the same dice again.
        dice = (seed + len(game.line)) & 0xFFFFFFFF
        return _Place(Seat(make, spec.name, seed=dice), spec, seed, _megabytes(made))

    def _make_room(self) -> None:
        spare = sum(place.megabytes for place in self._places.values()) - MOST_MEGABYTES
        for key, place in list(self._places.items()):
            if spare <= 0:
                return
            if not place.users:
                spare -= place.megabytes
                self._let_go(self._places.pop(key))

    def leave(self, board: str, *colors: Color) -> None:
        """Nobody sits at these sides of a board any more."""
        with self._lock:
            for color in colors:
                if place := self._places.pop((board, color), None):
                    self._let_go(place)

    @staticmethod
    def _let_go(place: _Place) -> None:
        """A user of it releases it afterwards. A process may take a moment to end: nobody waits for that."""
        if not place.users:
            threading.Thread(target=place.seat.close, name="outflank-farewell", daemon=True).start()

    def close(self) -> None:
        """Ends all of them, once nobody thinks any more."""
        with self._lock:
            places = list(self._places.values())
            self._places.clear()
        for place in places:
            if not place.users:
                place.seat.close()


def _megabytes(spec: Spec) -> float:
    entry = entry_named(spec.name)
    if entry.target:
        return PROCESS_MEGABYTES
    said = (spec[name] for name in ("hash", "memory") if name in entry.accepts)
    return max([LEAST_MEGABYTES, *(float(value) for value in said if value is not None)])
