"""What thinks for the page: the one place that knows which players and searches stand behind a difficulty or a hint."""

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import chain, repeat
from math import inf

from outflank.agents.agent import Agent
from outflank.agents.roster import entry_named
from outflank.agents.spec import Spec
from outflank.board.game import Game
from outflank.board.position import Position
from outflank.heuristics.named import NAMED
from outflank.library.book.file import shipped
from outflank.library.judging import least_sure, values_of_moves
from outflank.proofs.reader import Reader, reader_for
from outflank.protocols.session import Seat
from outflank.search.driver import Interruption, ended_after, is_interrupted
from outflank.search.engine.engine import STRONG, Engine, Hint
from outflank.search.engine.levels import LEVELS, level_numbered
from outflank.search.limits import Limit, Report

MOST_SECONDS = 30.0
"""After this a player is stopped and has to play what it has."""
ENGINE, MODES_OF = "engine", "mini-go"
ENGINE_SECONDS = 10.0
"""What a level of the engine may take for a move: people wait for it."""
BESIDE_SECONDS = 0.1
"""What the values of the moves that were not played may take."""
QUICK_LEVEL, QUICK_DEPTH, QUICK_PLAYOUTS = 14, 4, 2000
"""Up to here a player answers within some 20 ms, and goes to the quick lane."""
ANALYSIS_MEGABYTES = 32.0
"""The table of an engine that analyses."""
SLICES = (0.1, 0.2, 0.4, 0.8, 1.6)
"""Seconds after which an analysis lets others go first; the last one again and again. The table remembers between."""
DIFFICULTIES = {"beginner": 1, "casual": 4, "club": 8, "expert": 12, "master": 16, "unbeatable": 24}


def difficulties() -> list[tuple[str, str]]:
    """Words for strength, each with the player behind it."""
    return [(word, f"{ENGINE}:level={level}") for word, level in DIFFICULTIES.items()]


def modes() -> list[tuple[str, str]]:
    """The modes of difficulty that the author of `mini-go` gave it."""
    words = entry_named(MODES_OF).accepts["mode"].kind
    return [(word, f"{MODES_OF}:mode={word}") for word in words] if isinstance(words, tuple) else []


def levels() -> list[tuple[int, str]]:
    """The engine's levels."""
    return [(level, f"{ENGINE}:level={level}") for level in LEVELS]


# Moves


def is_quick(spec: Spec) -> bool:
    """Whether a player is known to answer at once."""
    entry, limit = entry_named(spec.name), spec.limit
    if spec.name in ("random", "greedy"):
        return True
    if spec.name == ENGINE:
        level = spec["level"]
        return isinstance(level, int) and level <= QUICK_LEVEL
    if entry.target or limit.time is not None:
        return False
    if "heuristic" in entry.accepts:
        return limit.depth is not None and limit.depth <= QUICK_DEPTH and spec["heuristic"] in NAMED
    return limit.playouts is not None and limit.playouts <= QUICK_PLAYOUTS


def unit(spec: Spec) -> str:
    """What a player's values are counted in: discs, mean results from -1 to 1, or its heuristic's own points."""
    if spec.name in (ENGINE, "greedy"):
        return "discs"
    entry = entry_named(spec.name)
    if "playouts" not in entry.limits:
        return "points"
    return "discs" if "reward" in entry.accepts and spec["reward"] == "margin" else "wins"


def choose(spec: Spec, seat: Seat, game: Game, limit: Limit, stop: Interruption) -> Report:
    """The move of the player that sits there."""
    if spec.name == ENGINE and limit == Limit():
        limit = Limit(time=ENGINE_SECONDS)
    if is_quick(spec):
        return seat.choose(game, limit)
    with ended_after(MOST_SECONDS, stop):
        return seat.choose(game, limit)


def beside(spec: Spec, seat: Seat, game: Game, report: Report) -> Report:
    """The decision of a search that prunes, which knows no other move's value, with what a short second look finds."""
    if unit(spec) != "points" or report.values or not report.depth:
        return report

    def rated(player: object) -> list[Report]:
        return player.rated(game, report, Limit(time=BESIDE_SECONDS)) if isinstance(player, Agent) else []

    return replace(report, values=compared(report, seat.ask(game, rated), "points"))


def compared(report: Report, rated: Iterable[Report], unit: str) -> dict[int, float]:
    """The values of moves beside a decision, as far as they compare: the margin of an end that was seen does not with
    points, nor do points at two depths, where a heuristic's weights may differ."""
    known = [one for one in rated if one.decided is report.decided and (unit != "points" or one.depth == report.depth)]
    return {one.move: one.score for one in known if one.score is not None}


def warm_up() -> None:
    """Loads the engine's code and weights, so that no visitor waits for them."""
    with _lent() as engine:
        engine.hints(Position.start(), Limit(depth=1))


# Values of all moves


@dataclass(frozen=True)
class Hints:
    """The values of a position's moves as far as they are known, best first, in discs."""

    hints: tuple[Hint, ...]
    done: bool = False

    @property
    def depth(self) -> int:
        return min((hint.depth for hint in self.hints), default=0)

    @property
    def selectivity(self) -> int | None:
        return least_sure(self.hints)

    @property
    def sureness(self) -> tuple[float, int]:
        """By this a later answer has to be as good as the one before it: how deep, and how surely, the least known
        move was looked at, and how many are exact."""
        known = [inf if hint.exact else hint.depth + (hint.selectivity or 0) / 1000 for hint in self.hints]
        return min(known, default=-1.0), known.count(inf)


Values = Callable[[Position, float, int | None], tuple[Hint, ...]]
"""Finds the values of a position's moves in so many seconds, at a level or at full strength."""

_free: deque[Engine] = deque()


@contextmanager
def _lent() -> Iterator[Engine]:
    """An engine with its table, for a slice: the next slice of the same work may run in another thread, and meanwhile
    somebody else may use it. There are never more than threads."""
    try:
        engine = _free.pop()  # the one used last: what is in its table is the latest
    except IndexError:
        engine = Engine(1, ANALYSIS_MEGABYTES)
    try:
        yield engine
    finally:
        _free.append(engine)


def hints(
    position: Position, seconds: float, stop: Interruption, level: int | None = None, asked: Values | None = None
) -> Iterator[Hints]:
    """Better and better values of every legal move, until all are exact or the time is up: a slice a step.

    The searches within are ended by `driver.interruptible`, as every search of a lane is: a stop given to them would
    also be set by their own deadline, and with it the next slice's.
    """
    until = time.perf_counter() + seconds
    best = Hints((), not position.legal)
    slices = chain(SLICES, repeat(SLICES[-1]))
    while not best.done:
        left = max(until - time.perf_counter(), 0.01)
        found = Hints((asked or values)(position, min(next(slices), left), level))
        if found.sureness < best.sureness:  # a slice that was cut short ends where the one before it had long been
            found = best
        ended = stop.is_set or time.perf_counter() >= until
        best = Hints(found.hints, ended or (bool(found.hints) and all(hint.exact for hint in found.hints)))
        if best.hints or best.done:
            yield replace(best, hints=with_book(position, best.hints))
    if not position.legal:
        yield best


def values(position: Position, seconds: float, level: int | None = None) -> tuple[Hint, ...]:
    """What the engine finds out about a position's moves in so many seconds, and what is proved of the best of them."""
    strength = STRONG if level is None else level_numbered(level)
    with _lent() as engine:
        found = tuple(values_of_moves(engine, position, Limit(time=seconds), strength))
    return with_proof(position, found)


def judged(position: Position, seconds: float, asked: Values) -> tuple[Hint, ...]:
    """What somebody finds out about a position in which there is a move: never nothing, unless it is stopped.

    On a busy machine the time may pass before anything was looked at: then there is twice as much. Else a review would
    leave the move out, and never be whole.
    """
    while not (found := asked(position, seconds, None)) and not is_interrupted():
        seconds *= 2
    return found


def with_book(position: Position, found: tuple[Hint, ...]) -> tuple[Hint, ...]:
    """The same with what the opening book says of moves, where it has looked further than the search; depths stay."""
    book = shipped(position.variant)
    known = {each.move: each for each in book.moves(position)} if book else {}
    if book is None or not known:
        return found
    depth = level_numbered(book.entry(position).level).depth

    def told(hint: Hint) -> Hint:
        if hint.move not in known or hint.exact or hint.depth > depth:
            return hint
        line = (hint.move, *book.line(position.play(hint.move)))
        return replace(hint, score=float(known[hint.move].worth.value), pv=line, book=True)

    return tuple(sorted(map(told, found), key=lambda hint: -hint.score))


def with_proof(position: Position, found: tuple[Hint, ...]) -> tuple[Hint, ...]:
    """The same with what a certificate knows: the exact value and the line of the best moves, and a bound of others."""
    reader = None if all(hint.exact for hint in found) else reader_for(position.variant)
    if reader is None:
        return found
    known = [_as_proved(reader, position, hint) for hint in found]
    return tuple(sorted(known, key=lambda hint: (-hint.score, not hint.exact)))


def _as_proved(reader: Reader, position: Position, hint: Hint) -> Hint:
    after = position.play(hint.move)
    lower, upper = reader.bounds(after)
    if hint.exact or lower < upper:
        return hint if hint.exact else replace(hint, score=float(min(max(hint.score, -upper), -lower)))
    line = (hint.move, *reader.line(after))
    return Hint(hint.move, float(-lower), True, position.empties, line, 100)
