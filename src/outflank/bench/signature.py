"""A signature of the searches, as Stockfish's `bench` has one: does a change alter what any of them finds?

Some hundred searches with one thread and limits that are no times, each written as one line: the question, and the
whole answer but for the seconds. A digest stands for the lines of a group. The one that is recorded beside this module
is compared in `make test`; where it differs, the lines of two versions show which searches became others. It stands
above the rooms because it asks all of them.
"""

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from outflank.agents.spec import agent
from outflank.board.game import Game
from outflank.board.position import Position
from outflank.board.squares import PASS, square_name
from outflank.board.variant import OTHELLO, Variant
from outflank.errors import Fault
from outflank.formats.disk import write_bytes
from outflank.formats.table import NONE
from outflank.learning.alphazero.games import Manner
from outflank.learning.games.labelling import Labelling, Valuing
from outflank.learning.games.scored import ScoredGames
from outflank.learning.games.selfplay import Style
from outflank.learning.rounds import SelfPlay
from outflank.learning.weights.games import OwnGames, random_openings
from outflank.learning.weights.target import Target
from outflank.patterns.guides import shipped_tables
from outflank.patterns.weights import shipped
from outflank.search.driver import Stop
from outflank.search.engine.solver import Question, Solver
from outflank.search.limits import UNLIMITED, Report

RECORDED = Path(__file__).with_name("signature.json")
DIGITS = 16
"""Hexadecimal digits of a digest."""
DECISIONS = 5
"""Moves that a player is asked for in one game."""


@dataclass(frozen=True)
class Line:
    """A search and all that it found, and how many positions it took."""

    text: str
    nodes: int = 0


@dataclass(frozen=True)
class Summary:
    """The lines of a group in short."""

    lines: int
    nodes: int
    digest: str


@dataclass(frozen=True)
class Search:
    """A question: about a position that follows from it, with so many empties or, on a small board, fewer."""

    how: str
    """`move`, `hints` and `game` ask a player; `solve` and `follow` the solver."""
    what: str
    """The player's spec, or what the solver shall find out."""
    variant: str
    empties: int
    seed: int = 0

    def __str__(self) -> str:
        return f"{self.how} {self.what} on {self.variant} at {self.empties}, seed {self.seed}"

    def position(self) -> Position:
        """Reached by random play; the side to move has a move."""
        variant, dice = Variant.named(self.variant), Random(str(self))
        empties = min(self.empties, variant.square_count - 6)
        while True:
            position = Position.start(variant)
            while not position.is_over and (position.empties > empties or position.must_pass):
                position = position.play(dice.choice(position.legal_moves or (PASS,)))
            if position.empties == empties and not position.is_over:
                return position


def _searches(
    how: str, whats: str, variants: str, empties: Sequence[int], seeds: Sequence[int] = (0,)
) -> tuple[Search, ...]:
    """Every combination; words are parted by blanks."""
    every = product(whats.split(), variants.split(), empties, seeds)
    return tuple(Search(how, *one) for one in every)


def _each(pattern: str, words: str) -> str:
    """The pattern with each word in it."""
    return " ".join(pattern.format(word) for word in words.split())


USUAL = "othello reversed 6x6 reversed-6x6"
SMALL = "5x6 reversed-5x7 4x4"
"""With and without weights of their own: where there are none, the engine sorts by mobility and corners."""
ALL = f"{USUAL} {SMALL} reversed-5x6 5x7"
BOTH = "othello reversed"

HEURISTICS = (
    "corner-shy phased evaluation-1 evaluation-2 evaluation-3 discs parity mobility corners stability static features"
    " combined"
)
ORDERINGS = _each("ordering={}", "square weight mobility estimate")

SEARCHES = {
    "simple": (
        *_searches("move", "random greedy:openings=1", BOTH, [30], range(3)),
        *_searches("move", "greedy", ALL, [50, 20]),
    ),
    "levels": (
        *_searches("move", _each("engine:level={},hash=1", "1 2 3 4 5 6 7 8 9"), BOTH, [40], [1, 2]),
        *_searches("move", _each("engine:level={},hash=1", "1 3 5 8"), f"6x6 {SMALL}", [14], [1]),
        *_searches("move", _each("engine:level={},hash=1", "10 11 12 13 14 15 16"), BOTH, [40, 18]),
        *_searches("move", _each("engine:level={},hash=1", "10 12"), f"reversed-6x6 {SMALL}", [22, 12]),
        *_searches("move", "engine", BOTH, [21]),
        *_searches("move", "engine:level=18,hash=16", BOTH, [20]),
    ),
    "engine": (
        *_searches("move", "engine:depth=1,hash=1 engine:depth=2,hash=1 engine:depth=5,hash=1", ALL, [40]),
        *_searches("move", "engine:depth=9,hash=1 engine:depth=12,hash=1", USUAL, [40, 25]),
        *_searches("move", "engine:nodes=1,hash=1 engine:nodes=3000,hash=0.01", ALL, [30]),
        *_searches("move", "engine:nodes=150000,hash=0.1", f"{USUAL} 5x7", [45, 20]),
        *_searches("move", "engine:depth=20,hash=1", BOTH, [18, 15, 5]),
        *_searches("move", "engine:depth=5,weights=none,hash=1", ALL, [40, 16]),
        *_searches("move", "engine:depth=6", "othello-parallel reversed-mirrored", [50]),
    ),
    "hints": (
        *_searches("hints", "engine:depth=7,hash=1 engine:nodes=20000,hash=1", ALL, [30]),
        *_searches("hints", "engine:level=12,hash=1", f"{USUAL} 5x6", [14]),
        *_searches("hints", "alphabeta:depth=4 minimax:depth=3 greedy", "othello reversed-6x6", [30]),
        *_searches("hints", "mcts:playouts=500 alphazero:playouts=100", BOTH, [30], [3]),
    ),
    "solver": (
        *_searches("solve", "exact exact,wld exact,raw exact,wld,raw", ALL, [8, 11, 14]),
        *_searches("solve", "exact", f"{BOTH} 5x7", range(1, 8)),
        *_searches("solve", "exact exact,wld", f"{USUAL} 5x6", [16, 18]),
        *_searches("solve", "exact exact,wld", "othello", [20]),
        *_searches("solve", "exact", "othello", [23]),
        *_searches("solve", "all all,wld all,raw", f"{BOTH} 5x6", [10, 13]),
        *_searches("solve", "exact,hash=0.001", f"{BOTH} 6x6", [15], range(3)),
        *_searches("follow", "exact exact,wld", f"{USUAL} 5x7", [15]),
    ),
    "trees": (
        *_searches("move", _each("alphabeta:heuristic={},depth=5", HEURISTICS), BOTH, [36]),
        *_searches("move", _each("minimax:heuristic={},depth=3", HEURISTICS), "6x6 reversed-5x7", [20]),
        *_searches(
            "move", _each("alphabeta:heuristic=mobility,{},depth=6", ORDERINGS), "othello reversed-6x6 5x6", [32, 9]
        ),
        *_searches("move", _each("alphabeta:{},deepening=yes,depth=6", ORDERINGS), "reversed 6x6 5x6", [32, 9]),
        *_searches("move", "minimax:heuristic=discs,deepening=yes,depth=4 minimax:nodes=20000", f"{BOTH} 4x4", [26]),
        *_searches("move", "alphabeta alphabeta:nodes=50000 alphabeta:depth=9", f"{BOTH} 5x7", [40, 12]),
    ),
    "five": (
        *_searches("move", "corner-shy:depth=5 phased:depth=5 self-taught:depth=5 dynamic:depth=5", ALL, [34]),
        *_searches(
            "move",
            "corner-shy:counting=printed,corner=-50,depth=4 corner-shy:ordering=square,moves=3.5,depth=4"
            " phased:phases=no,depth=4 phased:stable=no,liberty=2/3/4,depth=4 phased:ordering=estimate,depth=4"
            " self-taught:evaluation=1,search=minimax,depth=3 self-taught:evaluation=2,search=alphabeta,depth=4"
            " self-taught:values=static,depth=4"
            " dynamic:search=minimax,depth=3 dynamic:heuristic=stability,depth=4 dynamic:p=3.25,m=100,depth=4"
            " mini-go:mode=easy mini-go",
            BOTH,
            [34, 11],
        ),
        *_searches("move", "corner-shy:weights=learnt,depth=5", "reversed", [34, 11]),
        *_searches("move", "dynamic:weights=learnt,depth=5 phased:weights=learnt,depth=5", "othello", [34, 11]),
    ),
    "montecarlo": (
        *_searches("move", "mcts:playouts=1000 montecarlo:playouts=1000 mini-go:playouts=1000", ALL, [40, 8], [1]),
        *_searches(
            "move",
            "mcts:c=1.5,playouts=1500 mcts:tree=no,playouts=1500 mcts:tree=no,spread=ucb,playouts=1500"
            " mcts:draw=loss,playouts=1500 mcts:reward=margin,playouts=1500 mcts:cut=6,playouts=1500"
            " mcts:final=value,playouts=1500 mcts:proven=no,playouts=1500 mcts:memory=1,playouts=15000"
            " mcts:reward=margin,final=value,proven=no,playouts=1500 montecarlo:spread=ucb,reward=margin,playouts=1500"
            " montecarlo:cut=10,draw=loss,playouts=1500 mini-go:cut=0,c=0.7,playouts=1500"
            " mini-go:proven=yes,reward=margin,playouts=1500 mini-go:draw=half,final=value,playouts=1500",
            f"{BOTH} 5x6",
            [40, 9],
            [1, 2],
        ),
    ),
    "alphazero": (
        *_searches("move", "alphazero:playouts=150", ALL, [45, 30, 9], [1]),
        *_searches(
            "move",
            "alphazero:weights=none,playouts=200 alphazero:c=0.5,doubt=0,playouts=200"
            " alphazero:final=value,playouts=200 alphazero:memory=1,playouts=3000",
            USUAL,
            [35, 10],
            [1, 2],
        ),
    ),
    "games": (
        *_searches("game", "engine:depth=7,hash=0.1", f"{BOTH} 5x6", [40, 16]),
        *_searches("game", "engine:level=11,hash=1 engine:level=4,hash=1", f"{BOTH} 5x6", [40, 16]),
        *_searches("game", "mcts:playouts=700 mcts:reuse=no,playouts=700", BOTH, [40, 16]),
        *_searches("game", "mini-go:reuse=yes,playouts=700", BOTH, [40, 16]),
        *_searches("game", "alphazero:playouts=120 alphazero:reuse=no,playouts=120", "reversed 6x6", [30, 12]),
        *_searches("game", "alphabeta:depth=4,openings=2 self-taught:depth=4 random", BOTH, [44]),
    ),
}


def _told(group: str, asked: str, report: Report) -> Line:
    """The line of a report; numbers by `repr`, which loses nothing, and values in the order of the squares."""
    values = " ".join(f"{square_name(move)}={_number(report.values[move])}" for move in sorted(report.values))
    parts = (
        f"{group}: {asked}",
        f"move {square_name(report.move)}",
        f"score {_number(report.score)}",
        f"depth {int(report.depth)}",
        f"nodes {int(report.nodes)}",
        f"exact {'yes' if report.exact else 'no'}",
        f"line {_names(report.pv)}",
        f"values {values or '-'}",
    )
    return Line("\t".join(parts), int(report.nodes))


def _number(value: float | None) -> str:
    return "-" if value is None else repr(float(value))


def _names(moves: Iterable[int]) -> str:
    return " ".join(square_name(int(move)) for move in moves) or "-"


def _searched(group: str, searches: Iterable[Search]) -> Iterator[Line]:
    for search in searches:
        position = search.position()
        asked = f"{search}: {position.text}"
        answers = _solved(search, position) if search.how in ("solve", "follow") else _played(search, position)
        for number, report in enumerate(answers):
            yield _told(group, f"{asked} ({number})" if number else asked, report)


def _played(search: Search, position: Position) -> Iterator[Report]:
    """What a player says: its move, every move, or its moves in a game whose others are random."""
    player, game = agent(search.what), Game(position)
    color, dice = position.turn, Random(str(search))
    try:
        player.start(position.variant, color, search.seed)
        if search.how == "hints":
            shown: list[Sequence[Report]] = []
            player.hints(game, UNLIMITED, shown.append)
            yield from shown[-1]
            return
        left = DECISIONS if search.how == "game" else 1
        while left and not game.is_over:
            if game.position.turn is color:
                report = player.choose(game, UNLIMITED)
                yield report
                game.push(report.move)
                left -= 1
            else:
                game.push(dice.choice(game.position.legal_moves))
    finally:
        player.close()


def _solved(search: Search, position: Position) -> Iterator[Report]:
    """What the solver says: of one position, or of those of a line in turn, so that its table knows something."""
    what, *rest = search.what.split(",")
    size = next((float(one.removeprefix("hash=")) for one in rest if one.startswith("hash=")), 1.0)
    solver, question = Solver(size), Question(wld="wld" in rest, raw="raw" in rest)
    for _ in range(DECISIONS if search.how == "follow" else 1):
        report = (solver.solve_all if what == "all" else solver.solve)(position, question)
        yield report
        position = position.play(report.move)
        if position.is_over:
            return


def _learnt(group: str) -> Iterator[Line]:
    """Games in compiled code, as learning plays them, move by move with their values.

    They count no nodes: a change that finds the same with more work is not seen here.
    """
    for variant, depth, exact_from in ((OTHELLO, 5, 16), (Variant.named("reversed-6x6"), 4, 12)):
        for weights, name in ((shipped(variant), "shipped"), (None, "none")):
            style = Style.learning(variant, depth, exact_from)
            yield from _scored(group, f"self-play, weights {name}", SelfPlay(variant, weights, style, 5, 0, 4)(Stop()))
    variant = Variant.named("5x6")
    own = SelfPlay(variant, None, Style.trial(variant, 4, 12), 5, 0, 4)(Stop())
    yield from _scored(group, "self-play, trial", own)
    for variant in (OTHELLO, Variant.named("reversed")):
        target = Target.named("dynamic", variant)
        vector = np.ones(len(target.model))
        openings = random_openings(variant, 7, 0, 3)
        games = OwnGames(target, vector, 3, 100, openings, 7)(Stop())
        yield from _scored(group, "games of a heuristic", games)
        how = Labelling(exact_from=15, depth=5, share=400)
        yield from _scored(group, "games valued", Valuing(games, shipped(variant), how, 7)(Stop()))
    for name in ("6x6", "reversed"):
        yield from _guided(group, Variant.named(name))


def _scored(group: str, what: str, games: ScoredGames) -> Iterator[Line]:
    for row in range(len(games)):
        played = games.moves[row] != NONE
        moves = _names(games.moves[row][played])
        values, kinds = (" ".join(map(str, part[row][played].tolist())) for part in (games.values, games.kinds))
        yield Line(f"{group}: {what} on {games.variant}, game {row}\tmoves {moves}\tvalues {values}\tkinds {kinds}")


def _guided(group: str, variant: Variant) -> Iterator[Line]:
    tables = shipped_tables(variant)
    assert tables is not None
    games = SelfPlay(variant, tables.guide, Manner.learning(variant, 60, 20), 5, 0, 2)(Stop())
    at = 0
    for ply in range(len(games)):
        weighed = games.counts[at : at + int(games.moves[ply])]
        at += len(weighed)
        yield Line(
            f"{group}: guided self-play on {variant}, game {games.game[ply]}"
            f"\tdiscs {games.own[ply]:x} {games.opp[ply]:x}\tresult {games.result[ply]}\tkind {games.kind[ply]}"
            f"\tworth {games.worth[ply]}\tvisits {' '.join(map(str, weighed.tolist())) or '-'}"
        )


Group = Callable[[], Iterator[Line]]
GROUPS: dict[str, Group] = {
    **{name: partial(_searched, name, searches) for name, searches in SEARCHES.items()},
    "learning": partial(_learnt, "learning"),
}


def chosen(names: Sequence[str]) -> dict[str, Group]:
    """Some groups by name, or all where none is named."""
    for name in names:
        if name not in GROUPS:
            raise Fault("signature.group", name=name, groups=", ".join(GROUPS))
    return {name: group for name, group in GROUPS.items() if name in names} or GROUPS


def take(
    groups: Mapping[str, Group] = GROUPS, progress: Callable[[str, int], None] | None = None
) -> dict[str, list[Line]]:
    """Every line of these groups; `progress` hears of each group and how many lines it has so far."""
    taken: dict[str, list[Line]] = {}
    for name, lines in groups.items():
        taken[name] = []
        for line in lines():
            taken[name].append(line)
            if progress:
                progress(name, len(taken[name]))
    return taken


def digest_of(texts: Iterable[str]) -> str:
    return hashlib.sha256("".join(f"{text}\n" for text in texts).encode()).hexdigest()[:DIGITS]


def summary(lines: Sequence[Line]) -> Summary:
    return Summary(len(lines), sum(line.nodes for line in lines), digest_of(line.text for line in lines))


def total(groups: Mapping[str, Summary]) -> Summary:
    """All groups together; its digest is one over theirs."""
    counts = sum(one.lines for one in groups.values()), sum(one.nodes for one in groups.values())
    return Summary(*counts, digest_of(f"{name} {groups[name].digest}" for name in sorted(groups)))


def recorded(path: Path | None = None) -> dict[str, Summary]:
    """What was recorded last."""
    data: dict[str, Any] = json.loads((path or RECORDED).read_text())
    return {name: Summary(**one) for name, one in data["groups"].items()}


def record(groups: Mapping[str, Summary], path: Path | None = None) -> None:
    data = {"total": asdict(total(groups)), "groups": {name: asdict(one) for name, one in groups.items()}}
    write_bytes(str(path or RECORDED), (json.dumps(data, indent=2) + "\n").encode())


def differing(groups: Mapping[str, Summary], known: Mapping[str, Summary]) -> list[str]:
    """The groups that are not as they were recorded, or were not recorded at all."""
    return [name for name, one in groups.items() if known.get(name) != one]
