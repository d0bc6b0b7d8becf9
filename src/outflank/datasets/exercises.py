"""Making exercises: positions of games, searched, of which those with one clear best move stay. In portions that
follow from their task alone."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from outflank.board.kernels import NONE
from outflank.board.position import Position
from outflank.board.variant import Variant
from outflank.learning.games.selfplay import Style
from outflank.learning.portions import portions, write_text
from outflank.library.exercises import CLEAR, Exercise, Kind, exercise_of, read, written
from outflank.library.judging import values_of_moves
from outflank.library.keys import settled
from outflank.patterns.weights import shipped
from outflank.search.driver import Stop
from outflank.search.engine.engine import Engine
from outflank.search.engine.solver import Solver
from outflank.search.limits import Limit
from outflank.work.held import held

A_PORTION = 20
DEPTH, SCREEN, GLANCE = 12, 6, 1
"""Plies that every move of a middle game is looked at; those after which it is given up where no move leads; and those
at which the best move must not show yet."""
LOPSIDED = 24.0
"""Discs ahead or behind from which the game is decided whatever is played."""
MEGABYTES = 32.0
MIDDLE, ENDING = (0.34, 0.72), (4, 14)
"""Where positions are taken: the share of squares that is empty, and how many empties an ending has."""
PLAYED_AT, PERFECT_FROM = 4, 12
"""How self-play plays."""

Array = Any


@dataclass(frozen=True)
class Found:
    """The exercises of a portion, in a file."""

    exercises: tuple[Exercise, ...]

    def save(self, path: Path) -> None:
        write_text(path, written(self.exercises))

    @classmethod
    def load(cls, path: Path) -> "Found":
        return cls(tuple(read(path.read_text("utf-8"))))


@dataclass(frozen=True)
class Seeking:
    """Some games, of each of which one position is looked at; without games so many of self-play."""

    variant: Variant
    kind: Kind
    first: int
    size: int
    seed: int
    games: Array | None = None

    def __call__(self, stop: Stop) -> Found:
        games = self._played(stop) if self.games is None else self.games
        found = []
        for number, squares in enumerate(games, self.first):
            position = _taken(self.variant, self.kind, squares, Random(f"{self.seed} {self.kind} {number}"))
            exercise = None if position is None else _examined(self.kind, position, stop)
            if exercise is not None:
                found.append(exercise)
            if stop.is_set:
                break
        return Found(tuple(found))

    def _played(self, stop: Stop) -> Array:
        style = Style.learning(self.variant, PLAYED_AT, PERFECT_FROM)
        games, _ = style.played(self.variant, (shipped(self.variant),), self.seed, self.first, self.size, stop)
        return games.moves


def _taken(variant: Variant, kind: Kind, squares: Sequence[int], chance: Random) -> Position | None:
    """A position of a game where there is something to choose."""
    if kind == "endings":
        empties = chance.randint(*ENDING)
    else:
        empties = round(chance.uniform(*MIDDLE) * variant.square_count)
    position = Position.start(variant)
    for move in squares:
        if position.empties <= empties or move == NONE:
            break
        position = settled(position).play(int(move))
    if position.is_over or position.empties > empties:
        return None
    return settled(position)


def _examined(kind: Kind, position: Position, stop: Stop) -> Exercise | None:
    """A position that makes an exercise: undecided, with one clear best move that is not seen at a glance."""
    engine = held(Engine, 1, MEGABYTES)
    glance = _searched(engine, position, GLANCE)
    if kind == "endings":
        report = held(Solver, MEGABYTES).solve_all(position, stop=stop)
        values = report.values if report.exact else {}
    elif _lead(_searched(engine, position, SCREEN)) < CLEAR / 2:
        return None  # where nothing shows by now, hardly anything does later
    else:
        values = _searched(engine, position, DEPTH)
    exercise = exercise_of(kind, position, values, kind == "endings")
    if exercise is None or abs(values[exercise.best]) >= LOPSIDED:
        return None
    return None if max(glance, key=lambda move: glance[move]) == exercise.best else exercise


def _lead(values: Mapping[int, float]) -> float:
    """By how much the best move is better than the next."""
    ordered = sorted(values.values())
    return ordered[-1] - ordered[-2] if len(ordered) > 1 else 0.0


def _searched(engine: Engine, position: Position, depth: int) -> dict[int, float]:
    engine.prepare(position.variant)  # what it knows from before would make the portion follow from others
    return {hint.move: hint.score for hint in values_of_moves(engine, position, Limit(depth=depth))}


def tasks(
    folder: Path, variant: Variant, kind: Kind, seed: int, count: int, games: Array | None
) -> dict[Path, Seeking]:
    """The portions of so many games of a kind, each with the file that it is kept in."""
    most = count if games is None else min(count, len(games))
    chosen = (
        None if games is None else games[np.sort(np.random.default_rng(seed).choice(len(games), most, replace=False))]
    )
    origin = "self-play" if chosen is None else sha256(chosen.tobytes()).hexdigest()[:8]
    return {
        folder / f"{variant.name}-{kind}-{origin}-{seed}-{first:06}.tsv": Seeking(
            variant, kind, first, size, seed, None if chosen is None else chosen[first : first + size]
        )
        for first, size in portions(0, most, A_PORTION)
    }


def first_of(found: Iterator[Found], most: int, progress: Callable[[int], None]) -> list[Exercise]:
    """So many different ones, in their order; the portions after them are not made."""
    different: dict[str, Exercise] = {}
    for portion in found:
        for one in portion.exercises:
            different.setdefault(one.id, one)
        progress(min(len(different), most))
        if len(different) >= most:
            break
    return list(different.values())[:most]
