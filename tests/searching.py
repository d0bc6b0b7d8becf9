"""Positions for the tests of the searches: ordinary ones, and all the kinds in which a search can go wrong."""

from collections.abc import Callable, Iterator
from functools import cache
from random import Random

from outflank.board.position import Position
from outflank.board.squares import PASS
from outflank.board.variant import Variant
from outflank.patterns.weights import Evaluation, Weights
from outflank.search.engine.deepening import evaluate_at_root
from outflank.search.engine.engine import Engine
from outflank.search.engine.searcher import Searcher


class WeightedEngine(Engine):
    """The engine with weights that are not shipped."""

    def __init__(self, weights: Weights) -> None:
        super().__init__(hash_mb=1)
        self._evaluation = Evaluation.of(weights)

    def _lay_out(self, variant: Variant) -> None:
        self._searcher.prepare(variant, self._evaluation)


def evaluated(searcher: Searcher, position: Position) -> int:
    """What a searcher's evaluation says of a position without any search, in its units."""
    searcher._desks[0].white_at_root = int(position.turn)
    return evaluate_at_root(searcher.address, position.own, position.opp)


def random_games(variant: Variant, seed: int) -> Iterator[list[Position]]:
    """Games of random moves, without end; each the positions in which the side to move has a move."""
    dice = Random(f"{variant.rows}x{variant.columns} {seed}")
    while True:
        game, position = [], Position.start(variant)
        while not position.is_over:
            moves = position.legal_moves
            if moves:
                game.append(position)
            position = position.play(dice.choice(moves) if moves else PASS)
        yield game


@cache
def ordinary(variant: Variant, number: int, seed: int = 0) -> list[Position]:
    """One position from each of so many random games, at any ply."""
    dice = Random(f"{variant.rows}x{variant.columns} {seed} plies")
    games = random_games(variant, seed)
    return [dice.choice(next(games)) for _ in range(number)]


def somewhere(position: Position, plies: int, wanted: Callable[[Position], bool]) -> bool:
    """Whether so many plies on, passes not counted, there is a position of some kind."""
    if wanted(position):
        return True
    if position.is_over:
        return False
    if position.must_pass:
        return somewhere(position.play(PASS), plies, wanted)
    return plies > 0 and any(somewhere(position.play(move), plies - 1, wanted) for move in position.legal_moves)


KINDS: dict[str, Callable[[Position], bool]] = {
    "a pass ahead": lambda here: somewhere(here, 2, lambda p: p.must_pass),
    "an end ahead": lambda here: somewhere(here, 2, lambda p: p.is_over),
    "a wipe-out ahead": lambda here: somewhere(here, 2, lambda p: p.is_over and not (p.black and p.white)),
    "empty squares at the end": lambda here: somewhere(here, 2, lambda p: p.is_over and bool(p.empties)),
    "a draw ahead": lambda here: somewhere(here, 2, lambda p: p.is_over and p.black.bit_count() == p.white.bit_count()),
    "one move only": lambda here: len(here.legal_moves) == 1,
    "the start": lambda here: here == Position.start(here.variant),
}


@cache
def special(variant: Variant, each: int = 2, seed: int = 0, games: int = 500) -> list[tuple[str, Position]]:
    """Some positions of each kind, from the last plies of random games; a start, and so on."""
    missing = dict.fromkeys(KINDS, each) | {"the start": 1}
    found: list[tuple[str, Position]] = []
    for game, _ in zip(random_games(variant, seed), range(games), strict=False):
        for here in (*game[:1], *game[-3:]):
            for kind, wanted in KINDS.items():
                if missing[kind] and wanted(here):
                    missing[kind] -= 1
                    found.append((kind, here))
        if not any(missing.values()):
            break
    return found
