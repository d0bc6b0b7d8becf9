"""An engine that speaks the NBoard protocol, as a player here.

Every question begins with the whole game, so that nothing depends on what the engine remembers, and with a `ping` whose
`pong` shows that it has read it.
"""

import re
import time
from dataclasses import replace

from outflank.board.game import Game
from outflank.board.variant import OTHELLO, Variant
from outflank.errors import OverdueError
from outflank.formats import ggf
from outflank.protocols.child import CannotPlayError
from outflank.protocols.host import PATIENCE, Host, parsed_move
from outflank.protocols.lines import number
from outflank.search.driver import Stop, seconds_for
from outflank.search.limits import Limit, Report

UNLIMITED_DEPTH, DEFAULT_DEPTH = 60, 12
"""NBoard wants a depth always: under a limit of time, and where there is no limit at all."""
MARGIN = 0.03
"""Seconds before the end of a move's time at which the engine is stopped."""
SHARES = 2.0
"""How many times its even share of a clock a move may take."""
SEARCHED = re.compile(r"(?:search|book)\s+(?P<pv>\S+)\s+(?P<score>[-+.\d]+)\S*\s+\S+\s+(?P<depth>\d+)(?P<how>\S*)")
SQUARES = re.compile(r"[a-h][1-8]|pa", re.IGNORECASE)


class NBoardHost(Host):
    """An NBoard engine. The protocol says no word about which games it knows: others than 8x8 Othello are shown to it
    only where the user says that it does (`variants`)."""

    def __init__(self, command: str, patience: float = PATIENCE, variants: bool = False) -> None:
        super().__init__(command, patience)
        self._variants = variants

    def _introduce(self) -> None:
        self._pings, self._depth = 0, 0
        self._send("nboard 2")
        self._synchronize()

    def _new_game(self, variant: Variant) -> None:
        if variant.rows != variant.columns:
            raise CannotPlayError("host.square-boards", command=self.command, variant=variant)
        if replace(variant, start="diagonal") != OTHELLO and not self._variants:
            raise CannotPlayError("host.other-variant", command=self.command, variant=variant)
        # The engine may get ready now, before any clock runs.
        self._send(f"set game {_game_text(Game(variant), Limit())}")
        self._synchronize()

    def _tell(self, game: Game, limit: Limit) -> None:
        timed = limit.time is not None or limit.clock is not None
        depth = limit.depth or (UNLIMITED_DEPTH if timed else DEFAULT_DEPTH)
        if depth != self._depth:
            self._depth = depth
            self._send(f"set depth {depth}")
        self._send(f"set game {_game_text(game, limit)}")
        self._synchronize()

    def _synchronize(self) -> None:
        self._ping()
        while not self._is_pong(self._line(time.perf_counter() + self.patience)):
            pass

    def _ping(self) -> None:
        self._pings += 1
        self._send(f"ping {self._pings}")

    def _is_pong(self, line: str | None) -> bool:
        return line is not None and line.split() == ["pong", str(self._pings)]

    def _ask(self, game: Game, limit: Limit, deadline: float, stop: Stop) -> Report:
        """Asks, and listens to what the engine says of its search. When the move's time is up, a ping ends it."""
        seconds = _seconds(game, limit)
        until = deadline if seconds is None else min(time.perf_counter() + max(seconds - MARGIN, 0.0), deadline)
        said: dict[str, Report] = {}
        nodes = 0
        self._send("go")
        stopped = False
        while True:
            try:
                line = self._line(deadline if stopped else until, None if stopped else stop)
            except TimeoutError:
                if stopped or until == deadline:
                    raise
                line = None
            if line is None:
                stopped = True
                self._ping()
            elif line.startswith("==="):
                return _answer(line, said, nodes, game)
            elif stopped and self._is_pong(line):
                raise OverdueError("host.no-move")
            elif found := SEARCHED.match(line):
                report = _searched(found, game)
                if report is not None:
                    said[SQUARES.findall(found["pv"])[0].lower()] = report
            elif line.startswith("nodestats "):
                count = line.split()[1:2]
                nodes = int(count[0]) if count and count[0].isdecimal() and len(count[0]) < 19 else nodes


def _seconds(game: Game, limit: Limit) -> float | None:
    """When to stop an engine. Under a clock that is only for those that look at none: far beyond an even share."""
    if limit.clock is None:
        return limit.time
    share = seconds_for(limit, game.position.empties)
    assert share is not None
    return min(SHARES * share, limit.clock.remaining, limit.time or float("inf"))


def _game_text(game: Game, limit: Limit) -> str:
    """The game as GGF with the time that the side to move has left: its clock, or its moves' time for all that it has
    still to make. What moves took is left out, so that nothing has to be subtracted."""
    shown = Game.from_moves(game.moves, game.start)
    shown.tags.update({"Site": "Outflank", "Black": "Black", "White": "White"})
    left = limit.clock.remaining if limit.clock else None
    if limit.time is not None:
        total = limit.time * max((game.position.empties + 1) // 2, 1)
        left = total if left is None else min(left, total)
    if left is not None:
        minutes, seconds = divmod(max(int(left), 1), 60)
        shown.tags["Clock"] = f"{minutes:02}:{seconds:02}"
    return ggf.write([shown]).strip()


def _searched(found: re.Match[str], game: Game) -> Report | None:
    """What a line of its search says; None where it makes no sense."""
    squares, score = SQUARES.findall(found["pv"]), number(found["score"])
    if not squares or score is None:
        return None
    exact = found["how"] == "%" and found["depth"] == "100"
    depth = game.position.empties if found["how"].startswith("%") else int(found["depth"][:3])
    moves = tuple(map(parsed_move, squares))
    selectivity = int(found["depth"][:3]) if found["how"] == "%" else None
    return Report(moves[0], score, depth, pv=moves, exact=exact, selectivity=selectivity)


def _answer(line: str, said: dict[str, Report], nodes: int, game: Game) -> Report:
    """`=== F5/1.25/0.3`, with its parts optional, or with spaces as Edax writes it."""
    text = line[3:].strip()
    parts = text.split("/") if "/" in text else text.split()
    move = parsed_move(parts[0].strip() if parts else "")
    last = said.get(parts[0].strip().lower(), Report(move, pv=(move,)))
    score = number(parts[1]) if len(parts) > 1 else None
    return replace(last, score=last.score if score is None else score, nodes=nodes)
