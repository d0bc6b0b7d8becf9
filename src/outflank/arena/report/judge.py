"""What every move of a game was worth, and where the game turned: so that whoever lost it sees why.

A judge is a player of the spec language that is asked about each position of a game; near the end the solver answers
instead, exactly. What it said is kept in the store, and asked only once.
"""

import json
import math
import multiprocessing
import random
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from statistics import median
from typing import Any

from outflank import __version__
from outflank.agents.roster import ROSTER
from outflank.agents.spec import agent, parse
from outflank.arena import turning
from outflank.arena.contest import Opening, Player
from outflank.arena.openings import start_of
from outflank.arena.store import Store, StoredGame
from outflank.arena.turning import NOTICEABLE, Cost
from outflank.board.game import Game
from outflank.board.position import Position
from outflank.board.squares import PASS, Color
from outflank.board.variant import Variant
from outflank.patterns.weights import shipped_digest
from outflank.search.engine.solver import Solver
from outflank.search.limits import Limit

SOLVED_FROM = {"fast": 10, "deep": 16}
"""Empties from which the solver answers."""
TABLE_MEGABYTES = 16.0
REMEMBERED = 200_000
"""Positions that a judge remembers: games between players that never vary begin alike."""
WON = 1e9
SAMPLE = 60
"""Random games by which a heuristic's points are measured."""
GAMES_A_TASK = 16
WORTH_PROCESSES = 200
"""Games from which it pays to start processes for them."""


@dataclass(frozen=True)
class Judge:
    """Who values the moves: a player, and the empties from which the solver takes its place."""

    spec: str
    solved_from: int

    @classmethod
    def named(cls, text: str) -> "Judge | None":
        """`none`, `fast`, `deep`, or the spec of any player. This is the one place that knows who judges."""
        if text == "none":
            return None
        if text in SOLVED_FROM:
            strong = {"fast": "engine:level=10", "deep": "engine:level=16"}
            plain = {"fast": "alphabeta:depth=4", "deep": "alphabeta:depth=8"}
            return cls((strong if "engine" in ROSTER else plain)[text], SOLVED_FROM[text])
        return cls(str(parse(text)), SOLVED_FROM["fast"])

    @property
    def name(self) -> str:
        """What the store knows it by: a judge that has learnt more, or whose file has changed, is asked anew."""
        made_of = [__version__, Player.named(self.spec).fingerprint, *([shipped_digest()] if self.counts_discs else [])]
        return f"{self.spec}, solved from {self.solved_from}, in discs, {' '.join(filter(None, made_of))}"

    @property
    def counts_discs(self) -> bool:
        """Whether its scores are discs already; those of other players are points of some heuristic."""
        return parse(self.spec).name == "engine"


@dataclass(frozen=True)
class Judged:
    """A game's values in discs, from Black's view, one for each position: before each move (passes are no moves here)
    and at the end. `best` has the judge's choice before each move, and from position `exact_from` on the values are
    proven."""

    values: tuple[float | None, ...]
    best: tuple[int, ...]
    exact_from: int

    def to_text(self) -> str:
        return json.dumps([self.values, self.best, self.exact_from], separators=(",", ":"))

    @classmethod
    def from_text(cls, text: str) -> "Judged":
        values, best, exact_from = json.loads(text)
        return cls(tuple(values), tuple(best), exact_from)

    def losses(self, movers: Sequence[Color], moves: Sequence[int]) -> list[float | None]:
        """What each move gave away against the judge's choice; None where that is not known."""
        found: list[float | None] = []
        for (before, after), mover, move, best in zip(pairwise(self.values), movers, moves, self.best, strict=True):
            if before is None or after is None:
                found.append(None)
            elif move == best:
                found.append(0.0)
            else:
                found.append(max(before - after if mover is Color.BLACK else after - before, 0.0))
        return found


def turning_point(
    judged: Judged, movers: Sequence[Color], moves: Sequence[int], winner: Color | None, first: int = 0
) -> int | None:
    """The move (from 0) that decided the game, or None. Moves before `first` are the opening's, and nobody's."""
    costs: list[Cost | None] = []
    for number, loss in enumerate(judged.losses(movers, moves)):
        before, after = judged.values[number], judged.values[number + 1]
        if number < first or loss is None or before is None or after is None:
            costs.append(None)
            continue
        sign = 1 if movers[number] is Color.BLACK else -1
        sure = number >= judged.exact_from or loss >= NOTICEABLE
        costs.append(Cost(movers[number], sign * before, sign * after, loss, sure))
    return turning.turning_point(costs, winner)


class Bench:
    """A judge at work, in one process."""

    def __init__(self, judge: Judge) -> None:
        self._judge = judge
        self._player = agent(judge.spec)
        self._solver = Solver(TABLE_MEGABYTES)
        self._known: dict[Position, tuple[float | None, int, bool]] = {}
        self._variant: Variant | None = None

    def judge(self, variant: Variant, opening_start: str, moves: str) -> Judged:
        """The values of a game's positions."""
        self._sit_down(variant)
        game = Game.from_transcript(moves, start_of(Opening(opening_start), variant))
        line = [game.root, *game.line]
        values: list[float | None] = []
        best: list[int] = []
        exact_from = 0
        for before, after in pairwise(line):
            if after.move == PASS:
                continue
            value, move, exact = self._value(before.position)
            if not exact:
                exact_from = len(values) + 1
            values.append(value)
            best.append(move)
        outcome = game.outcome()
        values.append(None if outcome is None or outcome.score is None else float(outcome.score))
        return Judged(tuple(values), tuple(best), exact_from)

    def _sit_down(self, variant: Variant) -> None:
        if variant != self._variant:
            self._player.start(variant, Color.BLACK, 0)
            self._variant = variant
            self._discs_a_point = 1.0 if self._judge.counts_discs else self._measured(variant)

    def _measured(self, variant: Variant) -> float:
        """What a heuristic's point is worth in discs: as much as makes its values of random positions usually as large
        as the margins that their games end with."""
        dice = random.Random(f"discs a point {variant.name}")
        values, margins = [], []
        for _ in range(SAMPLE):
            game = Game(variant)
            asked = dice.randrange(variant.square_count // 4, variant.square_count // 2)
            while not game.is_over:
                if variant.square_count - game.position.empties == asked:
                    values.append(abs(self._player.choose(game, Limit()).score or 0.0))
                game.push(dice.choice(game.position.legal_moves))
            outcome = game.outcome()
            margins.append(abs(outcome.score) if outcome and outcome.score is not None else 0)
        usual = median(value for value in values if value < WON)
        return float(median(margins)) / usual if usual else 1.0

    def _in_discs(self, score: float, variant: Variant) -> float:
        if abs(score) >= WON:  # how our tree searches say that the game is decided, and by how much
            return math.copysign(abs(score) - WON, score)
        return max(min(score * self._discs_a_point, variant.square_count), -variant.square_count)

    def _value(self, position: Position) -> tuple[float | None, int, bool]:
        """The value from Black's view, the best move, and whether the value is proven."""
        if position not in self._known:
            solved = position.empties <= self._judge.solved_from
            report = self._solver.solve(position) if solved else self._player.choose(Game(position), Limit())
            value = report.score
            if value is not None:
                value = value if solved else self._in_discs(value, position.variant)
                value = round(-value if position.turn else value, 1)
            if len(self._known) >= REMEMBERED:
                self._known.clear()
            self._known[position] = value, report.move, solved and report.exact
        return self._known[position]


Work = tuple[int, str, str, str]
"""A game to judge: its number in the store, variant, start and moves."""


def judged_games(
    store: Store,
    contest: int,
    judge: Judge,
    games: Sequence[StoredGame],
    jobs: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> dict[int, Judged]:
    """The values of games, by their number in the store; what it has already is not asked again. Whoever stops it
    loses at most the last moment's work."""
    wanted = {game.id for game in games}
    known = {number: text for number, text in store.judgements(contest, judge.name).items() if number in wanted}
    work = [
        (game.id, game.variant, game.record.opening.start, game.record.moves) for game in games if game.id not in known
    ]
    tasks = [work[at : at + GAMES_A_TASK] for at in range(0, len(work), GAMES_A_TASK)]
    done = 0
    for answers in _judged_by(judge, tasks, jobs if len(work) >= WORTH_PROCESSES else 1):
        store.judge(judge.name, answers)
        known |= dict(answers)
        done += len(answers)
        if progress is not None:
            progress(done, len(work) - done)
    return {number: Judged.from_text(text) for number, text in known.items()}


def _judged_by(judge: Judge, tasks: list[list[Work]], jobs: int) -> Iterator[list[tuple[int, str]]]:
    if jobs <= 1:
        _begin(judge)
        yield from map(_judge_some, tasks)
        return
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(jobs, context, _begin_apart, (judge,))
    try:
        yield from pool.map(_judge_some, tasks)
    finally:
        pool.shutdown(cancel_futures=True)


_bench: Any = None


def _begin(judge: Judge) -> None:
    global _bench
    _bench = Bench(judge)


def _begin_apart(judge: Judge) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # stopping is the parent's task
    _begin(judge)


def _judge_some(work: list[Work]) -> list[tuple[int, str]]:
    return [
        (number, _bench.judge(Variant.named(variant), start, moves).to_text()) for number, variant, start, moves in work
    ]
