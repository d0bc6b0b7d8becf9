"""Lists of balanced openings: random ones that a search judges even, distinct under symmetry.

A list is made in portions, wherever there are workers, and what is judged is kept: stopped or killed, it goes on from
there, and the openings are the same. Those of 8x8 come with the package, for both objectives.
"""

import itertools
import random
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from typing import Any

from outflank.arena.openings import key_of, random_game
from outflank.board.game import Game
from outflank.board.position import Position
from outflank.board.squares import Color
from outflank.board.variant import Variant
from outflank.errors import Fault
from outflank.patterns.weights import evaluation_for, shipped_digest
from outflank.search.engine.engine import valued
from outflank.search.engine.levels import Level, level_numbered
from outflank.search.engine.searcher import opened
from outflank.work.kept import Kept
from outflank.work.stop import Stop
from outflank.work.workers import Workers

A_PORTION = 64
"""Openings that one task judges."""
MEGABYTES = 64.0
GLANCE, SLACK = Level(8, 8), 2
"""Most openings are far from even, and a short search sees it: one so much further from it is not searched on."""
DRAWS = 10_000
"""Draws for an opening that is new, before there are held to be no more."""


@dataclass(frozen=True)
class Judging:
    """Openings to judge, one after the other with one table."""

    variant: Variant
    lines: tuple[str, ...]
    level: int
    within: int
    long = True

    def __call__(self, stop: Stop) -> list[int | None]:
        """Their values for Black, in discs; None where a glance was enough."""
        searcher = opened(self.variant, MEGABYTES, stop)
        found: list[int | None] = []
        for line in self.lines:
            position = Game.from_transcript(line, Position.start(self.variant)).position
            value: int | None = valued(searcher, position, GLANCE).value
            if value is not None and abs(value) <= self.within + SLACK:
                value = valued(searcher, position, level_numbered(self.level)).value
            else:
                value = None
            if stop.is_set:
                break
            found.append(value if value is None or position.turn is Color.BLACK else -value)
        return found


@dataclass(frozen=True)
class Plan:
    """Which openings a list has."""

    variant: Variant
    plies: int = 8
    level: int = 20
    within: int = 1
    """Discs that either side may be ahead."""
    seed: int = 1

    def __post_init__(self) -> None:
        level_numbered(self.level)
        if evaluation_for(self.variant) is None:
            raise Fault("openings.no-scale", variant=self.variant)

    @property
    def settings(self) -> dict[str, Any]:
        """All that the judged values follow from."""
        return {
            "form": 1,
            "variant": self.variant.name,
            "plies": self.plies,
            "level": self.level,
            "within": self.within,
            "seed": self.seed,
            "weights": shipped_digest(),
        }

    def portions(self) -> Iterator[tuple[str, ...]]:
        """Random openings in their order, no two alike, mirrored or turned, until there are no more."""
        dice, seen = random.Random(f"balanced {self.variant.name} {self.plies} {self.seed}"), set[tuple[int, int]]()

        def distinct() -> Iterator[str]:
            while True:
                for _ in range(DRAWS):
                    game = random_game(self.variant, self.plies, dice)
                    if (key := key_of(game.position)) not in seen:
                        break
                else:
                    return
                seen.add(key)
                yield game.transcript

        lines = distinct()
        while portion := tuple(itertools.islice(lines, A_PORTION)):
            yield portion

    def judged(
        self, kept: Kept, workers: Workers, count: int, stop: Stop, progress: Callable[[int, int], None]
    ) -> list[tuple[str, int]]:
        """The first so many even openings with their values for Black; fewer where there are no more, or it was
        stopped. `progress` hears how many there are of how many that were judged."""
        known = kept.holding()
        portions: list[tuple[str, ...]] = []
        even: list[tuple[str, int]] = []
        due = 0

        def missing() -> Iterator[tuple[str, Judging]]:
            for number, lines in enumerate(self.portions()):
                portions.append(lines)
                if str(number) in known:
                    gather()
                else:
                    yield str(number), Judging(self.variant, lines, self.level, self.within)
                if len(even) >= count:
                    return

        def gather() -> None:
            nonlocal due
            while str(due) in known and due < len(portions):
                pairs = zip(portions[due], known[str(due)], strict=True)
                even.extend((line, value) for line, value in pairs if value is not None and abs(value) <= self.within)
                due += 1

        with closing(workers.run(missing(), kept.keep, stop)) as batches:
            for finished in batches:
                known |= dict(finished)
                gather()
                progress(min(len(even), count), due * A_PORTION)
                if len(even) >= count:
                    break
        return even[:count]
