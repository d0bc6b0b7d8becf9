"""Who values the moves of a report's games, and those values, kept in the store so that each is asked for only once.

A player of the spec language is asked about each position of a game; near the end the solver answers instead.
"""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from statistics import median

from outflank import __version__
from outflank.agents.spec import agent, parse
from outflank.arena.contest import Player
from outflank.arena.openings import start_of
from outflank.arena.store import Store, StoredGame
from outflank.board.game import Game
from outflank.board.position import Position
from outflank.board.squares import Color
from outflank.board.variant import Variant
from outflank.library.judging import GameValues, Judge
from outflank.patterns.weights import shipped_digest
from outflank.search.limits import Limit, Report
from outflank.work.held import held
from outflank.work.places import workers_named
from outflank.work.stop import Stop
from outflank.work.workers import Finished

JUDGES = {"fast": ("engine:level=10", 10), "deep": ("engine:level=16", 16)}
"""Players, and the empties from which the solver answers."""
TABLE_MEGABYTES = 16.0
SAMPLE = 60
"""Random games by which a heuristic's points are measured."""
GAMES_A_TASK = 16
WORTH_PROCESSES = 200
"""Games from which it pays to start processes for them."""


@dataclass(frozen=True)
class JudgeSpec:
    """Who values the moves: a player, and the empties from which the solver takes its place."""

    spec: str
    solved_from: int

    @classmethod
    def named(cls, text: str) -> "JudgeSpec | None":
        """`none`, `fast`, `deep`, or the spec of any player. This is the one place that knows who judges."""
        if text == "none":
            return None
        return cls(*JUDGES[text]) if text in JUDGES else cls(str(parse(text)), JUDGES["fast"][1])

    @property
    def name(self) -> str:
        """What the store knows it by: a judge that has learnt more, or whose file has changed, is asked anew."""
        made_of = [__version__, Player.named(self.spec).fingerprint, *([shipped_digest()] if self.counts_discs else [])]
        return f"{self.spec}, solved from {self.solved_from}, in discs, {' '.join(filter(None, made_of))}"

    @property
    def counts_discs(self) -> bool:
        """Whether its scores are discs already; those of other players are points of some heuristic."""
        return parse(self.spec).name == "engine"


class _PlayerInDiscs:
    """What a player thinks of positions, in discs."""

    def __init__(self, judge: JudgeSpec) -> None:
        self._judge = judge
        self._player = agent(judge.spec)
        self._variant: Variant | None = None
        self._discs_a_point = 1.0

    def __call__(self, position: Position) -> Report:
        if position.variant != self._variant:
            self._variant = position.variant
            self._player.start(self._variant, Color.BLACK, 0)
            self._discs_a_point = 1.0 if self._judge.counts_discs else self._measured(self._variant)
        report = self._player.choose(Game(position), Limit())
        return report if report.score is None else replace(report, score=self._in_discs(report, self._variant))

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
                    found = self._player.choose(game, Limit())
                    if not found.decided:
                        values.append(abs(found.score or 0.0))
                game.push(dice.choice(game.position.legal_moves))
            outcome = game.outcome()
            margins.append(abs(outcome.score) if outcome and outcome.score is not None else 0)
        usual = median(values) if values else 0.0
        return float(median(margins)) / usual if usual else 1.0

    def _in_discs(self, report: Report, variant: Variant) -> float:
        score = report.score or 0.0
        if report.decided:
            return score
        return max(min(score * self._discs_a_point, variant.square_count), -variant.square_count)


def _at_work(judge: JudgeSpec) -> Judge:
    """A judge with its memory, which a worker keeps from one task to the next."""
    return Judge(_PlayerInDiscs(judge), judge.solved_from, TABLE_MEGABYTES)


Answers = list[tuple[int, str]]
"""The numbers of games in the store, each with its values as the store keeps them."""


@dataclass(frozen=True)
class Judging:
    """Some games to judge: a task that any process can do."""

    judge: JudgeSpec
    games: tuple[StoredGame, ...]

    def __call__(self, stop: Stop) -> Answers:
        judge = held(_at_work, self.judge)
        answers = []
        for stored in self.games:
            start = start_of(stored.record.opening, Variant.named(stored.variant))
            answers.append((stored.id, judge.game(Game.from_transcript(stored.record.moves, start)).to_text()))
        return answers


def judged_games(
    store: Store,
    contest: int,
    judge: JudgeSpec,
    games: Sequence[StoredGame],
    jobs: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> dict[int, GameValues]:
    """The values of games, by their number in the store; stored values are not computed again. Stopping it loses at
    most the last moment's work."""
    wanted = {game.id for game in games}
    known = {number: text for number, text in store.judgements(contest, judge.name).items() if number in wanted}
    work = [game for game in games if game.id not in known]
    tasks = [Judging(judge, tuple(work[at : at + GAMES_A_TASK])) for at in range(0, len(work), GAMES_A_TASK)]
    done = 0

    def keep(finished: Finished[int, Answers]) -> None:
        store.judge(judge.name, [answer for _, answers in finished for answer in answers])

    with workers_named(jobs=jobs if len(work) >= WORTH_PROCESSES else 1) as workers:
        for answers in workers.map(tasks, keep):
            known |= dict(answers)
            done += len(answers)
            if progress is not None:
                progress(done, len(work) - done)
    return {number: GameValues.from_text(text) for number, text in known.items()}
