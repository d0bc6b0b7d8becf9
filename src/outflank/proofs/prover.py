"""The prover: the exact value of a board's start by its two bounds, from many positions decided on their own.

The first plies are searched here, in plain Python; what is left below a number of empty squares is a question for the
workers (`tasks`), and their answers are kept (`store`). Whoever is expected to be right needs one move in each of its
positions, and all of the other side's replies are asked about at once: that is what there is to do in parallel. An
answer that was not expected only changes what is asked next. Which moves end up in the proof follows from the answers
and not from the order in which they came, so that the certificate is the same wherever it was made.
"""

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass

import numpy as np

from outflank.board.kernels import final_margin
from outflank.board.position import Position
from outflank.board.squares import PASS
from outflank.board.variant import Variant
from outflank.errors import Fault
from outflank.proofs.certificate import Certificate
from outflank.proofs.plain import MOST_EMPTIES
from outflank.proofs.store import GUESS, Key, Store
from outflank.proofs.tasks import Answer, Guess, Question, ranked
from outflank.proofs.tree import Array, Level, Written, canonical_of, first_of_each, order_of, rows_of, start_of, walk
from outflank.work.stop import Stop
from outflank.work.workers import Finished, Workers

SPLIT, PLIES_HERE = 24, 8
"""A question has so many empty squares, or it is so many plies from the start where that is more: questions share no
table, so that many small ones take longer than a few large ones."""
LEAVES = 14
"""Empty squares at which the moves of a certificate end: what the checker's plain solver does in a few milliseconds."""


@dataclass(frozen=True)
class Plan:
    """What is proved, and how it is parted."""

    variant: Variant
    split: int
    """Empty squares at which a position is a question for the workers."""
    leaves: int
    """Empty squares at which the proof ends and the checker solves."""

    @classmethod
    def of(cls, variant: Variant, split: int | None = None, leaves: int | None = None) -> "Plan":
        empties = Position.start(variant).empties
        leaves = min(LEAVES, max(empties - 6, 4)) if leaves is None else leaves
        split = max(min(SPLIT, empties), empties - PLIES_HERE) if split is None else split
        if not 1 <= leaves < split <= empties:
            raise Fault("proof.split", leaves=leaves, split=split, empties=empties)
        if leaves > MOST_EMPTIES:
            raise Fault("proof.leaves", most=MOST_EMPTIES, leaves=leaves)
        return cls(variant, split, leaves)

    @property
    def settings(self) -> dict[str, object]:
        return {"form": 1, "variant": self.variant.name, "split": self.split, "leaves": self.leaves}


@dataclass
class State:
    """How far a proof is."""

    lower: int
    upper: int
    """The value lies between these."""
    asked: int = 0
    """What is being proved: the first player gets at least this."""
    waiting: int = 0
    """Questions that are still open, if every answer is the expected one."""
    answered: int = 0
    """Questions answered in this run."""
    nodes: int = 0
    seconds: float = 0.0
    """Of work in this run, by all workers."""


Progress = Callable[[State], None]


class Prover:
    """Proves the value of one board, in one store."""

    def __init__(self, plan: Plan, store: Store) -> None:
        self.plan, self.store = plan, store
        self.start = Position.start(plan.variant)
        self.known = store.holding()
        self.state = State(-plan.variant.square_count, plan.variant.square_count)
        self._ranks: dict[Position, tuple[int, ...]] = {}

    def ranked(self, position: Position) -> tuple[int, ...]:
        """The legal moves, those that look best first; for every test the same."""
        if position not in self._ranks:
            self._ranks[position] = ranked(position)
        return self._ranks[position]

    def run(
        self,
        workers: Workers,
        stop: Stop | None = None,
        most: int | None = None,
        progress: Progress | None = None,
    ) -> Certificate | None:
        """The certificate; None when it was stopped before, or `most` questions were asked: what is known is kept, and
        another run goes on from there."""
        asking = _Asking(self, workers, stop or Stop(), most, progress)
        if not asking.until(lambda: _guessed(self)):
            return None
        guess = int.from_bytes(self.store.moves(GUESS), "little", signed=True)
        sides: dict[bool, bytes] = {True: b"", False: b""}
        for least in self._tests(guess):
            self.state.asked = least
            test = Test(self, least, least <= guess)
            if not asking.until(test.result):
                return None
            if test.holds != test.expected:
                # The proof of whoever is right is searched as his: what is known by now answers nearly all of it.
                test = Test(self, least, test.holds)
                if not asking.until(test.result):
                    return None
            if test.holds:
                self.state.lower = least
            else:
                self.state.upper = least - 1
            sides[test.holds] = test.proof()  # the last of each side is the one about the value
        moves = sides[True], sides[False]
        return Certificate(self.plan.variant, self.state.lower, self.plan.leaves, moves, {"split": self.plan.split})

    def _tests(self, guess: int) -> Iterator[int]:
        """Values to ask about until only one is left: the guess and its neighbour, then ever further away."""
        most = self.plan.variant.square_count
        values = sorted({*range(-most, most + 1, 2), 0})  # empty squares go to the winner
        first, last, step = 0, len(values) - 1, 1
        at = max(index for index, value in enumerate(values) if value <= max(guess, -most))
        while first < last:
            at = min(max(at, first + 1), last)
            yield values[at]
            if self.state.lower >= values[at]:
                first, at = at, at + step
            else:
                first, last, at = first, at - 1, at - step
            step *= 2
        self.state.lower = self.state.upper = values[first]


Task = Question | Guess
Open = dict[Key, tuple[Task, bool]]
"""What has to be asked, each with the answer that is expected."""


def _guessed(prover: Prover) -> tuple[bool, Open]:
    """Whether there is a first guess, and how to get one."""
    return GUESS in prover.known, {GUESS: (Guess(prover.plan.variant), True)}


class Test:
    """Does the first player get at least so much? Asked as if the answer were the one that is expected."""

    def __init__(self, prover: Prover, least: int, expected: bool) -> None:
        self._prover, self._variant, self._plan = prover, prover.plan.variant, prover.plan
        self._least, self.expected = least, expected
        self._decided: dict[tuple[Position, bool], bool] = {}
        self._undecided: set[tuple[Position, bool]] = set()
        self._open: Open = {}

    @property
    def holds(self) -> bool:
        return self._decided[self._same(self._prover.start), True]

    def result(self) -> tuple[bool, Open]:
        """Whether it is decided, and what has to be asked where it is not."""
        self._undecided, self._open = set(), {}
        return self._decide(self._same(self._prover.start), True) is not None, self._open

    def _least_for(self, first: bool) -> int:
        """What the side to move must get so that it is right: the first player, or the second, who holds it below."""
        return self._least if first else 1 - self._least

    def _same(self, position: Position) -> Position:
        """A position for all of its symmetric forms, with Black to move."""
        return Position(*canonical_of(position), variant=self._variant)

    def _key(self, position: Position, first: bool) -> Key:
        return position.own, position.opp, self._least_for(first)

    def _decide(self, position: Position, first: bool) -> bool | None:
        """Whether the side to move is right, which is the first player or not; None where that is open."""
        node = position, first
        if node in self._decided:
            return self._decided[node]
        if node in self._undecided:
            return None
        found = self._look(position, first)
        if found is None:
            self._undecided.add(node)
        else:
            self._decided[node] = found
        return found

    def _look(self, position: Position, first: bool) -> bool | None:
        if position.is_over:
            margin = final_margin(position.own, position.opp, self._variant.board)
            return self._variant.sign * margin >= self._least_for(first)
        if position.empties <= self._plan.split:
            key = self._key(position, first)
            if key not in self._prover.known:
                question = Question(self._variant, *key, self._plan.leaves)
                self._open[key] = (question, first == self.expected)
            return self._prover.known.get(key)
        one_is_open = False
        for _, after in self._moves(position):
            theirs = self._decide(after, not first)
            if theirs is False:
                return True
            if theirs is None:
                one_is_open = True
                if first == self.expected:
                    return None  # this move should do: no other is asked about before it fails
        return None if one_is_open else False

    def _moves(self, position: Position) -> Iterator[tuple[int, Position]]:
        """The moves, or the pass, in the order to try them, and the positions after them."""
        for move in self._prover.ranked(position) or (PASS,):
            yield move, self._same(position.play(move))

    def proof(self) -> bytes:
        """The moves of the side that is right, as `tree.walk` asks for them."""
        gathered = _Gathered()
        self._gather(self._same(self._prover.start), True, gathered, set())
        positions, moves = gathered.table()

        def choose(level: Level) -> Array:
            rows = rows_of(positions, level.ours)
            return moves[rows]

        top = start_of(self._prover.start, self.expected)
        levels = walk(self._variant, top, self._plan.leaves, choose)
        return b"".join(level.moves.tobytes() for level in levels if len(level.moves))

    def _gather(self, position: Position, first: bool, found: "_Gathered", seen: set[tuple[Position, bool]]) -> None:
        """Collects the moves of a proof: those found here, and those of the answers below."""
        if (position, first) in seen or position.is_over:
            return
        seen.add((position, first))
        claims = first == self.expected
        if position.empties <= self._plan.split:
            written = Written(self._prover.store.moves(self._key(position, first)))
            for level in walk(self._variant, start_of(position, claims), self._plan.leaves, written):
                if len(level.moves):
                    found.add(level.ours, level.moves)
            return
        for move, after in self._moves(position):
            if not claims:
                self._gather(after, not first, found, seen)
            elif self._decided.get((after, not first)) is False:
                if move != PASS:
                    found.add(np.array([[position.own, position.opp]], np.uint64), np.array([move], np.uint8))
                self._gather(after, not first, found, seen)
                return


class _Gathered:
    """Moves of the claiming side by their positions; of two for one position the one that came first."""

    def __init__(self) -> None:
        self._positions: list[Array] = []
        self._moves: list[Array] = []

    def add(self, positions: Array, moves: Array) -> None:
        self._positions.append(positions)
        self._moves.append(moves)

    def table(self) -> tuple[Array, Array]:
        """Positions in order, and their moves."""
        if not self._positions:
            return np.zeros((0, 2), np.uint64), np.zeros(0, np.uint8)
        positions, moves = np.concatenate(self._positions), np.concatenate(self._moves)
        order = order_of(positions)
        new = first_of_each(positions[order])
        return np.ascontiguousarray(positions[order][new]), moves[order][new]


class _Asking:
    """Gives questions to the workers and keeps their answers, within a run's limits."""

    def __init__(
        self, prover: Prover, workers: Workers, stop: Stop, most: int | None, progress: Progress | None
    ) -> None:
        self._prover, self._workers, self._stop, self._progress = prover, workers, stop, progress
        self._left = most
        self._expected: dict[Key, bool] = {}

    def until(self, decided: Callable[[], tuple[bool, Open]]) -> bool:
        """Asks what is open until it is decided; False when the run ends before."""
        while not (looked := decided())[0]:
            if self._stop.is_set or self._left == 0:
                return False
            self._ask(decided, looked[1])
        return True

    def _ask(self, decided: Callable[[], tuple[bool, Open]], waiting: Open) -> None:
        """Asks all that is open; after an answer that was not expected, what is open then."""
        state = self._prover.state
        surprised = False
        asked: set[Key] = set()

        def tasks() -> Iterator[tuple[Key, Task]]:
            nonlocal surprised, waiting
            while True:
                state.waiting = sum(key not in self._prover.known for key in waiting)
                for key, (task, expected) in waiting.items():
                    self._expected[key] = expected
                    if self._left == 0:
                        return
                    if surprised:
                        break
                    if key not in asked:
                        asked.add(key)
                        if self._left is not None:
                            self._left -= 1
                        yield key, task
                else:
                    return
                surprised, waiting = False, decided()[1]

        with closing(self._workers.run(tasks(), self._keep, self._stop)) as batches:
            for batch in batches:
                for key, answer in batch:
                    surprised = surprised or answer.holds != self._expected[key]
                    state.waiting -= 1
                    state.answered += 1
                    state.nodes += answer.nodes
                    state.seconds += answer.seconds
                if self._progress:
                    self._progress(state)

    def _keep(self, finished: Finished[Key, Answer]) -> None:
        self._prover.store.keep(finished)
        self._prover.known |= {key: answer.holds for key, answer in finished}
