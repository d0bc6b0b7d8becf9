"""Learning in rounds: play with the best weights so far, fit new ones to the last rounds' games, keep what wins.

What weights are, how their games are played and how they are fitted, a method says itself. A round's games lie in a
folder of their own, its weights in a file beside it.
"""

from abc import abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Protocol

from outflank.board.variant import Variant
from outflank.errors import Fault
from outflank.learning.methods import Data, Learner, State, Task
from outflank.learning.portions import Portion, done, portions
from outflank.learning.trials import Gate, PairScores
from outflank.patterns.shapes import require_patterns
from outflank.work.stop import Stop
from outflank.work.workers import Workers

Array = Any
Weights = Any
"""Of the method's own kind, None for none."""
PLAYING, GATING, MEASURING, CLIMBING = range(4)
"""What games are for: each has random numbers of its own."""


class Style(Protocol):
    """How games are played."""

    def played(
        self, variant: Variant, players: tuple[Weights, ...], seed: int, begin: int, size: int, stop: Stop
    ) -> tuple[Any, Array]:
        """So many games in one call of compiled code, numbered from `begin`, and the scores of who moves first.

        Two players meet in pairs of games that share an opening, the second time with exchanged colours; one plays
        itself.
        """


@dataclass(frozen=True)
class SelfPlay:
    """A portion of games to learn from. It follows from its task alone, so that work can be stopped and taken up again
    anywhere without a difference."""

    variant: Variant
    weights: Weights
    style: Style
    seed: int
    first: int
    size: int

    def __call__(self, stop: Stop) -> Any:
        return self.style.played(self.variant, (self.weights,), self.seed, self.first, self.size, stop)[0]


@dataclass(frozen=True)
class Trial:
    """A portion of a match between new weights and old ones."""

    variant: Variant
    new: Weights
    old: Weights
    style: Style
    seed: int
    first: int
    pairs: int

    def __call__(self, stop: Stop) -> PairScores:
        both = (self.new, self.old)
        _, scores = self.style.played(self.variant, both, self.seed, 2 * self.first, 2 * self.pairs, stop)
        return [(int(one), -int(other)) for one, other in scores.reshape(-1, 2)]


class Rounds(Learner):
    """State: `champion` (the file of the best weights; those at the start where there is none), and `rounds` (how each
    one went)."""

    target: ClassVar[str]
    """What is learnt; nothing else can be."""
    kind: ClassVar[type[Portion]]
    """Of the weights."""
    games: ClassVar[type[Portion]]
    games_a_portion: ClassVar[int]
    pairs_a_portion: ClassVar[int]
    numbered_on: ClassVar[bool]
    """Whether the games of a round are numbered on from those of the round before."""
    start: Weights = None

    def __init__(self, task: Task, folder: Path, workers: Workers) -> None:
        super().__init__(task, folder, workers)
        if task.target != self.target:
            raise Fault("learning.only-target", method=task.method, own=self.target, target=task.target)
        require_patterns(task.variant)

    @abstractmethod
    def style(self, learning: bool) -> Style:
        """Of games to learn from, or of matches."""

    @abstractmethod
    def seed(self, purpose: int, number: int = 0) -> int:
        """Of a round's games for a purpose."""

    @abstractmethod
    def fitted(self, state: State, champion: Weights) -> Weights:
        """New weights from the last rounds' games; they say how the fit went."""

    @abstractmethod
    def went(self, number: int, games: int, after: int, new: Weights, gate: Gate) -> tuple[str, Data]:
        """The fit in a few words, and what is kept of the round, which has so many games and ends after so many."""

    def begin(self) -> Data:
        return {"champion": "", "rounds": []}

    def champion(self, state: State) -> Weights:
        name = state.data["champion"]
        return self.kind.load(self.folder / name) if name else self.start

    def folder_of(self, number: int) -> Path:
        return self.folder / f"round-{number:02}"

    def games_of(self, rounds: Iterable[int]) -> list[list[Any]]:
        """The games of some rounds, in portions."""
        folders = [self.folder_of(number) for number in rounds]
        return [[self.games.load(file) for file in sorted(folder.glob("games-*.npz"))] for folder in folders]

    def step(self, state: State, room: int | None) -> State:
        number, champion = state.step + 1, self.champion(state)
        size = self.number("round") if room is None else min(self.number("round"), room)
        self.play(champion, number, state.games if self.numbered_on else 0, size)
        file = self.folder_of(number).with_suffix(".npz")
        if not file.exists():  # a match that was stopped finds them there
            self.fitted(state, champion).save(file)
        new, pairs = self.kind.load(file), self.number("gate")
        first = number * pairs if self.numbered_on else 0
        gate = Gate(self.matched(f"round {number}: pairs", new, champion, self.seed(GATING, number), first, pairs))
        said, made = self.went(number, size, state.games + size, new, gate)
        return state.after(
            games=size,
            note=f"round {number}: {size:,} games, {said}; {gate.text}",
            champion=file.name if gate.kept else state.data["champion"],
            rounds=[*state.data["rounds"], made],
        )

    def play(self, champion: Weights, number: int, first: int, size: int) -> None:
        """The games of a round, in files of its folder."""
        how = (self.task.variant, champion, self.style(learning=True), self.seed(PLAYING, number))
        tasks = {
            self.folder_of(number) / f"games-{begin:09}.npz": SelfPlay(*how, begin, count)
            for begin, count in portions(first, size, self.games_a_portion)
        }
        played = done(self.workers, tasks, self.games)
        for _ in self.watched(f"round {number}: games", played, self.games_a_portion, size):
            pass

    def matched(self, what: str, new: Weights, old: Weights, seed: int, first: int, pairs: int) -> Iterable[PairScores]:
        how = (self.task.variant, new, old, self.style(learning=False), seed)
        tasks = [Trial(*how, begin, count) for begin, count in portions(first, pairs, self.pairs_a_portion)]
        return self.watched(what, self.workers.map(tasks), self.pairs_a_portion, pairs)

    def trial(self, state: State, first: int, pairs: int) -> PairScores:
        found = self.matched("trial: pairs", self.champion(state), self.start, self.seed(MEASURING), first, pairs)
        return [pair for portion in found for pair in portion]
