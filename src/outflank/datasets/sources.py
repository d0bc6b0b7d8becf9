"""Where positions come from: self-play, the library and the solver, in portions that follow from their task alone."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from outflank.board.kernels import NONE
from outflank.board.position import Position
from outflank.board.squares import PASS, Color
from outflank.board.variant import Variant
from outflank.datasets.columns import NO_MOVE, NO_VALUE, SQUARES, Rows
from outflank.datasets.games import rows_of
from outflank.errors import Fault
from outflank.formats.files import load
from outflank.formats.table import GameTable
from outflank.learning.alphazero.games import Manner
from outflank.learning.alphazero.loops import PROVEN
from outflank.learning.games.labelling import Labelling, Valuing
from outflank.learning.games.loops import EXACT, SEARCHED, UNKNOWN
from outflank.learning.games.scored import ScoredGames
from outflank.learning.games.selfplay import Style
from outflank.learning.portions import portions
from outflank.library.games import Library
from outflank.library.keys import settled
from outflank.patterns.guides import Guide, shipped_tables
from outflank.patterns.weights import Weights, shipped
from outflank.search.driver import Stop
from outflank.search.engine.solver import Solver
from outflank.search.montecarlo.guided_kernels import RESULT_RANGE
from outflank.work.held import held

GAMES_A_PORTION, GUIDED_A_PORTION, LIBRARY_A_PORTION, SOLVED_A_PORTION = 200, 50, 1000, 100
SOLVER_MEGABYTES = 32.0

Array = Any


@dataclass(frozen=True)
class EngineGames:
    """Games of the engine against itself. The choice is its move; random moves are nobody's choice."""

    variant: Variant
    style: Style
    weights: Weights | None
    seed: int
    begin: int
    size: int

    def __call__(self, stop: Stop) -> Rows:
        games, _ = self.style.played(self.variant, (self.weights,), self.seed, self.begin, self.size, stop)
        return _scored_rows(games, np.arange(self.begin, self.begin + self.size), [int(SEARCHED), int(EXACT)])


@dataclass(frozen=True)
class GuidedSelfPlay:
    """Games of the guided tree search against itself. The choice are the visits of thorough searches; values are mean
    results, from -1 to 1."""

    variant: Variant
    manner: Manner
    guide: Guide | None
    seed: int
    begin: int
    size: int

    def __call__(self, stop: Stop) -> Rows:
        played = self.manner.rows(self.variant, (self.guide,), self.seed, self.begin, self.size, stop)
        shape = played.moves.shape
        values, kinds = np.full(shape, np.nan, np.float32), np.zeros(shape, np.uint8)
        policy = np.zeros((*shape, SQUARES), np.float32)
        for row in range(self.size):
            length = int((played.moves[row] != int(NONE)).sum())
            kept = int((played.kind[row] != int(NONE)).sum())
            after = slice(length - kept, length)  # the opening has no positions
            kind = played.kind[row, :kept]
            values[row, after] = np.where(kind > 0, played.worth[row, :kept] / RESULT_RANGE, np.nan)
            kinds[row, after] = np.where(kind == int(PROVEN), int(EXACT), kind)
            for ply in range(kept):
                visits = played.counts[row, ply, : played.sizes[row, ply]]
                if len(visits):
                    legal = Position(
                        int(played.own[row, ply]), int(played.opp[row, ply]), Color.BLACK, self.variant
                    ).legal_moves
                    policy[row, length - kept + ply, list(legal)] = visits / max(visits.sum(), 1)
        return rows_of(self.variant, played.moves, np.arange(self.begin, self.begin + self.size), values, kinds, policy)


@dataclass(frozen=True)
class LibraryGames:
    """Games of a library. The choice is the move that was played."""

    valuing: Valuing
    numbers: Array
    scores: Array

    def __call__(self, stop: Stop) -> Rows:
        return _scored_rows(self.valuing(stop), self.numbers, None, self.scores)


def _scored_rows(games: ScoredGames, numbers: Array, chosen: list[int] | None, scores: Array | None = None) -> Rows:
    """The rows of games with values; the moves of some kinds, or all, are somebody's choice."""
    values = np.where(games.kinds == int(UNKNOWN), np.nan, games.values.astype(np.float32))
    rows = rows_of(games.variant, games.moves, numbers, values, games.kinds, scores=scores)
    if chosen is not None:
        rows["policy"][~np.isin(rows["kind"], chosen)] = 0.0
    return rows


@dataclass(frozen=True)
class Asked:
    """A position to solve, and what is known of where it comes from."""

    position: Position
    game: int
    move: int = NO_MOVE


@dataclass(frozen=True)
class Solving:
    """Positions to solve, every move of them. The choice are the best moves, each with the same share."""

    asked: Sequence[Asked]

    def __call__(self, stop: Stop) -> Rows:
        solver = held(Solver, SOLVER_MEGABYTES)
        positions = [one.position for one in self.asked]
        every = np.full((len(self.asked), SQUARES), NO_VALUE, np.int8)
        for index, position in enumerate(positions):
            report = solver.solve_all(position, stop=stop)
            if not report.exact:
                break  # it was stopped: nobody wants the rest
            for move, value in report.values.items():
                every[index, move] = int(value)
        value = every.max(axis=1)
        best = (every == value[:, None]) & (every != NO_VALUE)
        return Rows(
            game=[one.game for one in self.asked],
            ply=[(each.black | each.white).bit_count() - 4 for each in positions],
            turn=[int(each.turn) for each in positions],
            own=[each.own for each in positions],
            opp=[each.opp for each in positions],
            legal=[each.legal for each in positions],
            empties=[each.empties for each in positions],
            move=[one.move for one in self.asked],
            value=value,
            kind=[int(EXACT)] * len(positions),
            result=value,
            policy=best / np.maximum(best.sum(axis=1), 1)[:, None],
            move_values=every,
        )


# Tasks


def engine_games(variant: Variant, games: int, depth: int, exact: int, seed: int) -> Iterator[EngineGames]:
    style, weights = Style.learning(variant, depth, exact), shipped(variant)
    for begin, size in portions(0, games, GAMES_A_PORTION):
        yield EngineGames(variant, style, weights, seed, begin, size)


def guided_games(variant: Variant, games: int, thorough: int, quick: int, seed: int) -> Iterator[GuidedSelfPlay]:
    tables = shipped_tables(variant)
    guide, manner = None if tables is None else tables.guide, Manner.learning(variant, thorough, quick)
    for begin, size in portions(0, games, GUIDED_A_PORTION):
        yield GuidedSelfPlay(variant, manner, guide, seed, begin, size)


def library_games(library: Library, variant: Variant, how: Labelling) -> Iterator[LibraryGames]:
    """The games of a library that began from the variant's own start."""
    found = library.played(variant)
    weights = shipped(variant)
    for begin, size in portions(0, len(found.numbers), LIBRARY_A_PORTION):
        part = slice(begin, begin + size)
        games = ScoredGames.unscored(GameTable(found.squares[part], variant))
        yield LibraryGames(Valuing(games, weights, how, begin), found.numbers[part], found.scores[part])


def positions_to_solve(paths: Iterable[str], variant: Variant | None, empties: int) -> list[Asked]:
    """The positions of files: those of a file of positions, and those of games in which so few squares are empty.

    All are of one variant; where it is over there is nothing to solve, and a forced pass is played.
    """
    asked: list[Asked] = []
    count = 0
    for path in paths:
        found = load(path, variant=variant)
        for problem in found.problems:
            asked.append(Asked(problem.position, count))
            count += 1
        for game in found.games:
            for node in game.line:
                before = game.start if node.parent is None else node.parent.position
                if node.move is not None and node.move != PASS and before.empties <= empties:
                    asked.append(Asked(before, count, node.move))
            count += 1
    wanted = [replace(one, position=settled(one.position)) for one in asked if not one.position.is_over]
    if not wanted:
        raise Fault("data.nothing-to-solve", empties=empties)
    rules = wanted[0].position.variant
    for one in wanted:
        if one.position.variant != rules:
            raise Fault("data.variants", one=rules, other=one.position.variant)
    return wanted


def solving_tasks(asked: Sequence[Asked]) -> Iterator[Solving]:
    for begin, size in portions(0, len(asked), SOLVED_A_PORTION):
        yield Solving(asked[begin : begin + size])
