"""What a search leaves in the table is true, whatever ended it: threads and limits of nodes in every combination."""

from functools import cache

import pytest
from searching import random_games

from outflank.board.compiled import kernel
from outflank.board.position import Position
from outflank.board.squares import PASS
from outflank.board.variant import Variant
from outflank.patterns.weights import evaluation_for
from outflank.search.driver import Stop
from outflank.search.engine.deepening import SURE, Iteration
from outflank.search.engine.desk import desk_at
from outflank.search.engine.searcher import Searcher
from outflank.search.engine.solver import Solver
from outflank.search.engine.table import lower_bound, probe, reaches, upper_bound

EMPTIES = 15
KEPT_FROM = 12
"""Empties from which positions are kept in the table that the threads share."""
WATCHED = 200
LIMITS = [*range(100, 4000, 300), *range(4000, 40_000, 6000)]


@kernel("uint64(uint64, uint64, uint64)")
def probe_shared(address: int, own: int, opp: int) -> int:
    return probe(desk_at(address).table, own, opp)


@cache
def position_with_scores(variant: Variant, seed: int) -> tuple[Position, dict[Position, int]]:
    """A position, and the exact scores of positions below it that may be kept in the table."""
    game = next(game for game in random_games(variant, seed) if any(each.empties == EMPTIES for each in game))
    root = next(each for each in game if each.empties == EMPTIES)
    solver, below = Solver(16), [root]
    for position in below:
        if position.empties > KEPT_FROM and not position.is_over and len(below) < WATCHED:
            below += [position.play(move) for move in position.legal_moves or (PASS,)]
    scores = {each: solver.solve(each).score for each in below}
    return root, {each: int(score) for each, score in scores.items() if score is not None}


@pytest.mark.parametrize("threads", [1, 2, 3, 4])
@pytest.mark.parametrize("name", ["5x6", "reversed-6x6", "othello"])
def test_no_false_bound_is_ever_stored(name: str, threads: int) -> None:
    variant, seen, aborted = Variant.named(name), 0, 0
    searcher = Searcher(0.5, threads)
    for seed in range(8):
        root, scores = position_with_scores(variant, seed)
        searcher.prepare(variant, evaluation_for(variant))
        for limit in LIMITS:
            searcher.forget()
            searcher.begin(Stop(), nodes=limit)
            guess = scores[root] + seed % 5 - 2
            aborted += searcher.search(root, Iteration(EMPTIES), guess).aborted
            for position, score in scores.items():
                data = probe_shared(searcher.address, position.own, position.opp)
                if data and reaches(data, position.empties, SURE):
                    seen += 1
                    assert lower_bound(data) <= score <= upper_bound(data), f"{position.text}, limit {limit}"
    assert seen > 100 and aborted > 20


@pytest.mark.parametrize("threads", [2, 4])
def test_a_limit_of_nodes_is_for_all_threads_together(threads: int) -> None:
    variant = Variant.named("othello")
    game = next(random_games(variant, 7))
    position = next(each for each in game if each.empties <= 30)
    searcher = Searcher(4, threads)
    searcher.prepare(variant, evaluation_for(variant))
    searcher.begin(Stop(), nodes=200_000)
    assert searcher.search(position, Iteration(position.empties)).aborted
    # Threads tell their nodes every few hundred; what each has under way then is a short search to the end.
    assert searcher.nodes < 200_000 + threads * 20_000
