"""The methods of learning by name, and what a method is: the interface that `run` drives.

A method is a chain of steps, each a function of the task and of the state before it, so that a run which was killed
and goes on from its last checkpoint ends where an uninterrupted one does. To add a method, add an entry; its module is
imported only when it is wanted.
"""

import difflib
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from outflank.agents.options import Option, Value
from outflank.board.variant import Variant
from outflank.errors import Fault
from outflank.learning.trials import PairScores
from outflank.learning.watch import Watch
from outflank.work.workers import Workers

Data = dict[str, Any]
"""What JSON can hold."""
Part = TypeVar("Part")


@dataclass(frozen=True)
class Task:
    """What is to be learnt, and how: two runs of equal tasks and equal budgets of games give equal results."""

    method: str
    target: str
    variant: Variant
    seed: int
    options: Mapping[str, Value | None]
    """Each of the method's own options."""

    def to_dict(self) -> Data:
        return {
            "method": self.method,
            "target": self.target,
            "variant": self.variant.name,
            "seed": self.seed,
            **self.options,
        }

    def dice(self, *numbers: int) -> np.random.Generator:
        """All that is random at one place of the work: say which step and what for."""
        return np.random.default_rng([self.seed, *numbers])


@dataclass(frozen=True)
class State:
    """How far a run is: what a checkpoint holds."""

    data: Data
    """The method's own. What is large belongs into files in the run's folder, named by their step."""
    step: int = 0
    games: int = 0
    """Games played for learning so far; those that only measure strength are not counted."""
    note: str = ""
    """The last step in a few words, for the progress line."""

    def after(self, games: int, note: str = "", **data: Any) -> "State":
        """The next state: one step and so many games later."""
        return replace(
            self, data={**self.data, **data}, step=self.step + 1, games=self.games + games, note=note or self.note
        )


class Learner(ABC):
    """One run of a method. It keeps nothing in itself that a state does not hold."""

    watch = Watch()

    def __init__(self, task: Task, folder: Path, workers: Workers) -> None:
        """Raises a ValueError of one line where the target, the variant or an option is not for this method."""
        self.task, self.folder, self.workers = task, folder, workers

    def settings(self) -> Data:
        """What makes this run: one with others needs another folder."""
        return self.task.to_dict()

    def number(self, option: str) -> int:
        """The value of an option that is a whole number."""
        return int(self.task.options[option] or 0)

    def real(self, option: str) -> float:
        """The same of one that is a number."""
        return float(self.task.options[option] or 0)

    def watched(self, what: str, parts: Iterable[Part], each: int, of: int) -> Iterator[Part]:
        """The parts of something as they come, `each` of so many things, with progress."""
        for number, part in enumerate(parts, 1):
            self.watch.progress(what, min(number * each, of), of)
            yield part

    @abstractmethod
    def begin(self) -> Data:
        """The data of the first state."""

    @abstractmethod
    def step(self, state: State, room: int | None) -> State:
        """The next state: a few seconds of work, with `room` games left of the budget (None where that is in time).

        It may play fewer games than it would otherwise, and must not play more than a step's worth beyond.
        """

    @abstractmethod
    def trial(self, state: State, first: int, pairs: int) -> PairScores:
        """What the state has learnt against the start of the run, in pairs of games numbered from `first`."""

    @abstractmethod
    def write(self, state: State, path: Path, about: Data) -> str:
        """Writes the result, whole or not at all; `about` says how it was made, and is to be kept in the file.

        Returns the spec of a player that uses it; nothing where there is none.
        """

    def ended(self, state: State) -> str:
        """Why there is nothing left to learn; nothing while there is."""
        return ""

    def spec_of_start(self) -> str:
        """The spec of the player that the run began with, for a match in the arena; nothing where it has none."""
        return ""


@dataclass(frozen=True)
class Method:
    """A way to learn."""

    name: str
    summary: str
    make: str
    """`module:class`, a Learner."""
    targets: str
    """What it can learn, in words."""
    options: tuple[Option, ...] = ()
    ending: str = "json"
    """Of the file that it writes."""

    @property
    def flags(self) -> str:
        """Its own options, as they are written."""
        return ", ".join(f"--{option.name}" for option in self.options)

    def learner(self, task: Task, folder: Path, workers: Workers) -> Learner:
        module, _, name = self.make.partition(":")
        made: Learner = getattr(import_module(module), name)(task, folder, workers)
        return made

    def read_options(self, given: Mapping[str, str]) -> dict[str, Value | None]:
        """The value of every option, from the texts of those that were given."""
        known = {option.name: option for option in self.options}
        for name in given:
            if name not in known:
                raise Fault("learning.no-option", method=self.name, option=name, flags=self.flags)
        found: dict[str, Value | None] = {}
        for name, option in known.items():
            try:
                found[name] = option.read(given[name]) if name in given else option.default
            except ValueError as error:
                raise Fault("learning.option", why=error) from None
        return found


def method_named(name: str) -> Method:
    if name not in METHODS:
        near = difflib.get_close_matches(name, METHODS, 1, 0.5)
        advice = Fault("advice.near", names=near[0]) if near else Fault("advice.all", names=", ".join(METHODS))
        raise Fault("learning.no-method", name=name, advice=advice)
    return METHODS[name]


WEIGHTED = "self-taught, corner-shy, phased, dynamic, any weighted heuristic by name, or a weights file"
DEPTH = Option("depth", int, 2, "Plies that the players look ahead.", 1, 12)
COMMON = (
    DEPTH,
    Option("start", ("own", "random", "nothing"), "own", "The weights to begin with: the target's own, any, or none."),
    Option("free", str, "", "What may change: tables, weights or all; self-taught: tables, others: all."),
    Option("phases", str, "", "Disc counts, of 64, where new weights begin (20,40); none for one phase."),
)
"""The options of every method for weights."""
GIVEN_GAMES = Option("games", str, "", "Files or folders of games to learn from, a:b; otherwise self-play in rounds.")

METHODS: dict[str, Method] = {
    method.name: method
    for method in (
        Method(
            "challenger",
            "As in self-taught: random weights challenge the champion, and replace it if they win both of two games.",
            "outflank.learning.weights.challenger:Challenger",
            WEIGHTED,
            (
                *COMMON,
                Option("tries", int, 200, "Ends after so many challengers in a row have failed.", 1, 1e9),
                Option(
                    "honest", bool, False, "Balanced openings, pairs and an SPRT instead of two games from the start."
                ),
                Option(
                    "draw",
                    ("usual", "anew", "near"),
                    "usual",
                    "Challengers: anew, or near the champion; usual: near with --honest, else anew.",
                ),
                Option("size", float, 0.7, "How far a near challenger is from the champion, in spreads.", 0.001, 100),
                Option("sprt", str, "0,100", "The honest test: normalised Elo of no gain and of a gain."),
                Option("pairs", int, 150, "Pairs after which an honest test gives up.", 16, 1e6),
            ),
        ),
        Method(
            "cma",
            "CMA-ES: generations of candidates play their mean, and the next ones are drawn near the best.",
            "outflank.learning.weights.evolution:Evolution",
            WEIGHTED,
            (
                *COMMON,
                Option(
                    "population", int, 0, "Candidates a generation; 0 chooses by the number of parameters.", 0, 1000
                ),
                Option("pairs", int, 16, "Pairs of games that each candidate plays.", 1, 1e5),
                Option("sigma", float, 0.3, "How far the first candidates lie from the start, in spreads.", 0.001, 100),
            ),
        ),
        Method(
            "spsa",
            "SPSA: changes all weights at random in two opposite directions, and steps towards the winner.",
            "outflank.learning.weights.spsa:Spsa",
            WEIGHTED,
            (
                *COMMON,
                Option("pairs", int, 8, "Pairs of games in each direction tried.", 1, 1e5),
                Option("directions", int, 8, "Directions tried in a step.", 1, 1000),
                Option("a", float, 1.0, "The length of steps.", 1e-6, 1e6),
                Option("c", float, 0.3, "How far weights are changed to try, in spreads.", 1e-6, 1e6),
            ),
        ),
        Method(
            "regression",
            "Fits the weights to positions with results: of self-play, of games in files, or solved.",
            "outflank.learning.weights.regression:Regression",
            WEIGHTED,
            (
                *COMMON,
                GIVEN_GAMES,
                Option("round", int, 2000, "Games of self-play per round.", 20, 1e7),
                Option("strays", float, 0.02, "Share of random moves in self-play.", 0, 1),
                Option("fit", ("logistic", "squares"), "logistic", "logistic: to who won; squares: to the margin."),
                Option("exact", int, 0, "Empties from which positions are solved instead.", 0, 24),
                Option("ridge", float, 1.0, "Holds the weights near the start where the games say little.", 0, 1e9),
                Option(
                    "gate", int, 100, "Pairs that a round's weights must win against those before; 0: none.", 0, 1e6
                ),
            ),
        ),
        Method(
            "td",
            "TD(lambda): every position of self-play learns from the values of those that came after it.",
            "outflank.learning.weights.temporal:TemporalDifference",
            WEIGHTED,
            (
                *COMMON,
                Option(
                    "lambda",
                    float,
                    0.7,
                    "How much of the later positions' values: 0 the next one's, 1 the result.",
                    0,
                    1,
                ),
                Option("rate", float, 0.05, "The length of steps.", 1e-6, 10),
                Option("strays", float, 0.1, "Share of random moves.", 0, 1),
                Option("batch", int, 100, "Games between two changes of the weights.", 2, 1e6),
            ),
        ),
        Method(
            "patterns",
            "The engine's pattern weights, fitted to games of its own or given ones; `outflank train` for short.",
            "outflank.learning.patterns.learner:Patterns",
            "engine: the weights of its patterns, on boards from 5x5 to 8x8",
            (
                Option("start", str, "", "Weights to begin with: a file, shipped, or nothing; with --games shipped."),
                Option("round", int, 20_000, "Games of self-play per round.", 1, 1e9),
                Option("gate", int, 250, "Pairs of games that a round's weights must win against the best.", 1, 1e6),
                Option("depth", int, 4, "Plies of the searches that play or label.", 1, 20),
                Option("exact", int, 12, "Empties from which every score is exact.", 0, 24),
                Option("trace", float, 0.8, "The weight of the next position's label in a searched one's.", 0, 1),
                Option("iterations", int, 15, "Steps of conjugate gradients per stage.", 1, 1000),
                GIVEN_GAMES,
                Option("share", float, 0.25, "The share of the given games' moves to search.", 0, 1),
                Option(
                    "network", int, 0, "Fits a network on top of the start's weights instead: so many passes.", 0, 100
                ),
                Option("calibrate", bool, True, "Takes the bias out of searched values."),
                Option("known", str, "", "Files of exact positions to do so on, a:b; beside own ones."),
                Option("margins", bool, True, "Measures ProbCut's margins too."),
            ),
            ending="npz",
        ),
        Method(
            "alphazero",
            "AlphaZero's way: guided search against itself, value and policy fitted, kept if they win their match.",
            "outflank.learning.alphazero.learner:AlphaZero",
            "patterns: the tables that guide the player alphazero, on boards from 5x5 to 8x8",
            (
                Option("round", int, 2000, "Games of self-play a generation.", 20, 1e7),
                Option("playouts", int, 200, "Simulations of a thorough search, whose visits are learnt.", 8, 60_000),
                Option("quick", int, 40, "Simulations of the other searches, seven in ten.", 2, 60_000),
                Option("window", int, 8, "Generations whose games are learnt from.", 1, 1000),
                Option("gate", int, 100, "Pairs of games that a new guide must win against the best.", 1, 1e6),
                Option("gate-playouts", int, 100, "Simulations of a search in those and in trials.", 2, 60_000),
            ),
            ending="npz",
        ),
    )
}
