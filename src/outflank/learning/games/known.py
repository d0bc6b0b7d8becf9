"""Positions of known value: what an evaluation, and every search that rests on it, is measured against.

They come from suites (OBF, every move scored), from games with exact scores in them (WTHOR's at 24 empties, our own
self-play) or from self-play of their own, solved here.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any, Literal

import numpy as np

from outflank.board.kernels import legal_moves, play
from outflank.board.position import Position
from outflank.board.squares import Color, squares_of
from outflank.board.variant import Variant
from outflank.errors import Fault
from outflank.formats.files import format_of, load
from outflank.formats.obf import Problem
from outflank.learning.games.files import games_in
from outflank.learning.games.positions import OF_EXACT, Positions
from outflank.learning.games.selfplay import Style
from outflank.patterns.weights import Weights
from outflank.search.driver import Stop
from outflank.search.engine.solver import Solver

Array = Any
Part = Literal["learnt", "held out", "all"]
UNSEEN = 987_654
"""The seed of games that no training plays: its own seeds are far smaller or rounder."""
DEPTH, EXACT_FROM = 4, 12
"""How the games of positions to be solved are played."""
A_PORTION = 200
"""Games played at a time until there are positions enough."""
SOLVING_MEGABYTES = 64.0


@dataclass(frozen=True)
class Known:
    """Positions where a move is to be made, from the side to move's view, with their exact scores."""

    variant: Variant
    own: Array
    opp: Array
    value: Array
    best: Array
    """The squares that keep the score, as a mask; 0 where nobody knows them."""

    def __len__(self) -> int:
        return len(self.own)

    @property
    def empties(self) -> Array:
        return self.variant.square_count - np.bitwise_count(self.own | self.opp).astype(np.int64)

    def chosen(self, which: Array) -> "Known":
        return Known(self.variant, self.own[which], self.opp[which], self.value[which], self.best[which])

    def balanced(self, most: float) -> "Known":
        """Those where neither side is further ahead."""
        return self.chosen(np.abs(self.value) <= most)

    def sampled(self, most: int, seed: int = 1) -> "Known":
        """So many of them at most, the same ones every time."""
        if not most or most >= len(self):
            return self
        return self.chosen(np.sort(np.random.default_rng(seed).choice(len(self), most, replace=False)))

    @classmethod
    def joined(cls, parts: "Sequence[Known]") -> "Known":
        columns = ("own", "opp", "value", "best")
        return cls(parts[0].variant, *(np.concatenate([getattr(part, one) for part in parts]) for one in columns))

    @classmethod
    def of_problems(cls, problems: Iterable[Problem], variant: Variant) -> "Known":
        """Those of a suite whose score is known; the suite's scores are under the variant's objective."""
        rows = []
        for problem in problems:
            value = problem.best
            if value is None or not problem.position.legal:
                continue
            best = sum(1 << move for move, score in problem.scores.items() if score == value)
            rows.append((problem.position.own, problem.position.opp, value, best))
        own, opp, values, bests = ([row[column] for row in rows] for column in range(4))
        words = (np.array(column, np.uint64) for column in (own, opp, bests))
        mine, theirs, masks = words
        return cls(variant, mine, theirs, np.array(values, np.float32), masks)

    @classmethod
    def of_positions(cls, positions: Positions, variant: Variant) -> "Known":
        """Those with an exact label, each once."""
        exact = positions.chosen(positions.importance >= OF_EXACT).distinct()
        return cls(variant, exact.own, exact.opp, exact.margin, np.zeros(len(exact), np.uint64))

    def problems(self) -> list[Problem]:
        """The same as a suite, the side to move as Black."""
        found = []
        for own, opp, value, best in zip(self.own, self.opp, self.value, self.best, strict=True):
            position = Position(int(own), int(opp), Color.BLACK, self.variant)
            scores = {square: float(value) for square in range(64) if int(best) >> square & 1}
            found.append(Problem(position, scores, None if scores else float(value)))
        return found


def known_in(paths: Sequence[str], variant: Variant, part: Part) -> Known:
    """The positions of known value in files; of games those that training learns from, or those that it holds out."""
    parts = []
    for path in paths:
        if _is_suite(path):
            found = load(path, "obf", variant)
            parts.append(Known.of_problems(found.problems, variant))
            continue
        for games, _ in games_in([path], variant):
            chosen = games if part == "all" else games.parted()[part == "held out"]
            parts.append(Known.of_positions(Positions.of(chosen, of_result=0), variant))
    known = Known.joined(parts)
    if not len(known):
        raise Fault("known.none", paths=", ".join(paths))
    return known


def played_in(paths: Sequence[str], variant: Variant) -> Positions:
    """All positions of the games in files that training learns from, each once."""
    given = [games for path in paths if not _is_suite(path) for games, _ in games_in([path], variant)]
    parts = [Positions.of(games.parted()[0], of_result=1) for games in given]
    return Positions.joined([Positions.none(), *parts]).distinct()


def between(positions: Positions, variant: Variant, empties: Sequence[int], each: int, seed: int) -> Known:
    """So many of the positions for each number of empties, or all where there are fewer; what they are worth is not
    known."""
    dice, found = np.random.default_rng(seed), [np.empty(0, np.int64)]
    for number in empties:
        there = np.flatnonzero(positions.discs == variant.square_count - number)
        found.append(dice.choice(there, min(each, len(there)), replace=False))
    chosen = positions.chosen(np.concatenate(found))
    return Known(variant, chosen.own, chosen.opp, np.zeros_like(chosen.margin), np.zeros_like(chosen.own))


def _is_suite(path: str) -> bool:
    return Path(path).is_file() and format_of(path) == "obf"


def met(
    variant: Variant, weights: Weights | None, empties: Sequence[int], each: int, stop: Stop, seed: int, astray: int = 0
) -> Known:
    """So many positions for each number of empties, each so many random moves away from self-play with these weights,
    one of a game; what they are worth is not known.

    Positions that an evaluation chose itself would flatter it: it led there because it thought well of them. Random
    moves end that, but favour the side that is to move after them. Games without weights, by mobility and corners, do
    hardly either, but half of Othello's are decided early.
    """
    style, found, first = Style.learning(variant, DEPTH, EXACT_FROM), [], 0
    wanted, dice = dict.fromkeys(empties, each), Random(seed)
    while any(wanted.values()):
        games, _ = style.played(variant, (weights,), seed, first, A_PORTION, stop)
        if stop.is_set:
            raise KeyboardInterrupt
        first += A_PORTION
        positions = Positions.of(games, of_result=1)
        for number in empties:
            there = np.flatnonzero(positions.discs == variant.square_count - number - astray)[: wanted[number]]
            if not len(there) and wanted[number] == each:
                raise Fault("known.never", number=number, variant=variant)
            before = zip(positions.own[there].tolist(), positions.opp[there].tolist(), strict=True)
            away = [one for own, opp in before if (one := _astray(own, opp, variant.board, astray, dice))]
            wanted[number] -= len(away)
            own, opp = (np.array([one[side] for one in away], np.uint64) for side in (0, 1))
            nobody = np.zeros(len(away), np.uint64)
            found.append(Known(variant, own, opp, nobody.astype(np.float32), nobody))
    together = Known.joined(found)
    return together.chosen(np.argsort(together.empties, kind="stable"))


def _astray(own: int, opp: int, board: int, plies: int, dice: Random) -> tuple[int, int] | None:
    """The position after so many random moves, where the side to move has one; None where somebody must pass."""
    for _ in range(plies):
        moves = list(squares_of(legal_moves(own, opp, board)))
        if not moves:
            return None
        own, opp = play(own, opp, dice.choice(moves))
    return (own, opp) if legal_moves(own, opp, board) else None


def solved(positions: Known, stop: Stop, progress: Callable[[int, int], None] = lambda _done, _of: None) -> Known:
    """The same positions with their exact scores."""
    solver, values = Solver(SOLVING_MEGABYTES), np.empty(len(positions), np.float32)
    for index, (own, opp) in enumerate(zip(positions.own.tolist(), positions.opp.tolist(), strict=True)):
        progress(index, len(positions))
        report = solver.solve(Position(own, opp, Color.BLACK, positions.variant), stop=stop)
        if not report.exact:
            raise KeyboardInterrupt
        values[index] = report.score
    return replace(positions, value=values)
