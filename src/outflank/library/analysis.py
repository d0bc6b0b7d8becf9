"""The engine's view of a position or of a whole game: `outflank.analyze`, and `outflank.solve` for exact results.

A position: the value of every move. A game: what each move cost, which were blunders, and where the game turned.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypedDict, Unpack, overload

from outflank.board.game import Game
from outflank.board.position import Position
from outflank.board.squares import PASS, Color
from outflank.formats.detect import detect
from outflank.library.judging import MARKS, JudgedMove, Mark, least_sure, review, turning_point, values_of_moves
from outflank.search.driver import Stop
from outflank.search.engine.engine import DEFAULT_MEGABYTES, STRONG, Engine, Hint
from outflank.search.engine.levels import level_numbered
from outflank.search.engine.solver import DEFAULT_MEGABYTES as SOLVER_MEGABYTES
from outflank.search.engine.solver import Question, Solver
from outflank.search.limits import UNLIMITED, Limit, Report

DEFAULT_SECONDS = 1.0
"""For each position, where nothing limits the search."""


@dataclass(frozen=True)
class PositionAnalysis:
    """The value of every move of a position, best first, in discs for the side to move.

    A side that must pass has one "move", the pass; a finished game has none.
    """

    position: Position
    hints: tuple[Hint, ...]

    def _repr_html_(self) -> str:
        from outflank.library.notebook import position_html

        return position_html(self)

    @property
    def best(self) -> Hint | None:
        return self.hints[0] if self.hints else None

    @property
    def score(self) -> float | None:
        """The position's value: of its best move, or its result where the game is over."""
        if self.best is not None:
            return self.best.score
        outcome = self.position.outcome()
        margin = None if outcome is None else outcome.margin(self.position.turn)
        return None if margin is None else float(margin)

    @property
    def depth(self) -> int:
        """Plies that every move was looked at."""
        return min((hint.depth for hint in self.hints), default=0)

    @property
    def selectivity(self) -> int | None:
        """How sure each cut was where the values are least sure, in per cent; 100 where nothing was left out."""
        return least_sure(self.hints)

    @property
    def is_exact(self) -> bool:
        """Whether every value is proven."""
        return all(hint.exact for hint in self.hints)


@dataclass(frozen=True)
class SideTotals:
    """What one side's moves cost together."""

    moves: int
    loss: float
    marks: dict[Mark, int]

    @property
    def mean_loss(self) -> float:
        return self.loss / self.moves if self.moves else 0.0


@dataclass(frozen=True)
class GameAnalysis:
    """A game's moves with what they were worth, in the order of play; forced passes are left out."""

    game: Game
    moves: tuple[JudgedMove, ...]

    def _repr_html_(self) -> str:
        from outflank.library.notebook import game_html

        return game_html(self)

    @property
    def turning_point(self) -> JudgedMove | None:
        """The move that decided the game, by its result or, where it is not over, by who stands better at its end."""
        outcome = self.game.outcome()
        last = self.moves[-1].black if self.moves else 0.0
        ahead = None if last == 0 else Color.BLACK if last > 0 else Color.WHITE
        number = turning_point(self.moves, ahead if outcome is None else outcome.winner)
        return None if number is None else self.moves[number]

    def totals(self, color: Color) -> SideTotals:
        """What a side's moves cost."""
        own = [each for each in self.moves if each.mover == color]
        marks = {mark: sum(each.mark == mark for each in own) for _, mark in MARKS}
        return SideTotals(len(own), sum(each.loss for each in own), marks)


def solve(
    position: Position | Game | str,
    *,
    wld: bool = False,
    raw: bool = False,
    all_moves: bool = False,
    threads: int = 1,
    hash_mb: float = SOLVER_MEGABYTES,
    stop: Stop | None = None,
    progress: Callable[[Report], None] | None = None,
) -> Report:
    """The exact result of a position under best play, for the side to move, with a best move and line.

    `wld` asks only who wins (1, 0 or -1), `raw` counts plain disc differences, `all_moves` proves the value of every
    move (`Report.values`). Text is a board or a game in any format. `progress` hears how far it is; `stop` ends it: the
    report is not exact then, and has the best line so far.
    """
    solver, question = Solver(hash_mb, threads), Question(wld, raw)
    asked = position if isinstance(position, Position) else as_game(position).position
    return (solver.solve_all if all_moves else solver.solve)(asked, question, stop, progress)


class Asked(TypedDict, total=False):
    """What `analyze` may be told besides."""

    time: float | None
    depth: int | None
    nodes: int | None
    level: int | None
    threads: int
    hash_mb: float


@overload
def analyze(what: Position, **asked: Unpack[Asked]) -> PositionAnalysis: ...
@overload
def analyze(what: Game, **asked: Unpack[Asked]) -> GameAnalysis: ...
@overload
def analyze(what: str, **asked: Unpack[Asked]) -> PositionAnalysis | GameAnalysis: ...
def analyze(
    what: Position | Game | str,
    *,
    time: float | None = None,
    depth: int | None = None,
    nodes: int | None = None,
    level: int | None = None,
    threads: int = 1,
    hash_mb: float = DEFAULT_MEGABYTES,
) -> PositionAnalysis | GameAnalysis:
    """The values of a position's moves, or of all moves of a game, in discs.

    `time` is in seconds per position, `depth` in plies, `nodes` in positions that a search may visit, `level` is the
    engine's level; the default is one second per position. Text is a board or a game in any format. Near the end of a
    game values are exact, and marked so.
    """
    analyst = Analyst(Engine(threads, hash_mb), Limit(time=time, depth=depth, nodes=nodes), level)
    if isinstance(what, Position):
        return analyst.position(what)
    game = as_game(what)
    return analyst.game(game) if game.line or isinstance(what, Game) else analyst.position(game.start)


class Analyst:
    """An engine as it looks at positions one after the other, under one limit. Its table remembers."""

    def __init__(self, engine: Engine, limit: Limit, level: int | None = None) -> None:
        self._level = STRONG if level is None else level_numbered(level)
        if limit == UNLIMITED and level is None:
            limit = Limit(time=DEFAULT_SECONDS)
        self._limit = limit
        self._engine = engine

    def position(
        self, position: Position, progress: Callable[[PositionAnalysis], None] | None = None
    ) -> PositionAnalysis:
        """The value of every move; `progress` hears what each pass of the search has found."""
        if position.is_over:
            return PositionAnalysis(position, ())
        asked, passes = (position.play(PASS), True) if position.must_pass else (position, False)

        def analysis(hints: Sequence[Hint]) -> PositionAnalysis:
            if passes and hints:
                best = hints[0]
                hints = [replace(best, move=PASS, score=0.0 - best.score, pv=(PASS, *best.pv))]
            return PositionAnalysis(position, tuple(hints))

        hear = None if progress is None else lambda hints: progress(analysis(hints))
        return analysis(values_of_moves(self._engine, asked, self._limit, self._level, hear))

    def game(self, game: Game, progress: Callable[[JudgedMove], None] | None = None) -> GameAnalysis:
        """Every move of a game; `progress` hears of each when it is known, the last move of the game first."""
        found: list[JudgedMove] = []
        for each in review(game.line, self._afresh):
            found.append(each)
            if progress is not None:
                progress(each)
        return GameAnalysis(game, tuple(reversed(found)))

    def _afresh(self, position: Position) -> list[Hint]:
        """The values of a position's moves.

        Under a limit of depth it forgets first: what it knows of later positions reaches deeper for the move played
        than for the others, and an odd depth sees other values than an even one.
        """
        if self._limit.time is None:
            self._engine.prepare(position.variant)
        return values_of_moves(self._engine, position, self._limit, self._level)


def as_game(what: Game | str) -> Game:
    """A game, or what a text holds."""
    return what if isinstance(what, Game) else detect(what).only
