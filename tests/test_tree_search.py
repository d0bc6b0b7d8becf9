"""Minimax, alpha-beta and iterative deepening: all of them find the same, and it is what the plain reference finds."""

import math
from collections.abc import Callable
from functools import cache
from itertools import islice, product
from typing import Any

import naive_search
import numpy as np
import pytest
from naive_heuristics import PLAIN
from searching import KINDS, ordinary, random_games, special

from outflank.board.position import Position
from outflank.board.squares import PASS
from outflank.board.variant import Objective, Variant
from outflank.features import mobility
from outflank.heuristics.heuristic import Heuristic, heuristic
from outflank.heuristics.named import NAMED
from outflank.search.driver import Interruption, interruptible, seconds_for, watched
from outflank.search.limits import Clock, Limit, Report
from outflank.search.teaching.trees import EXAMPLES, Lesson, random_tree, search, tree
from outflank.search.trees.search import ORDERINGS, Algorithm, Ordering, TreeSearch

OBJECTIVES: tuple[Objective, ...] = ("most", "fewest")
SIZES = [(4, 4), (5, 7), (6, 6), (8, 8)]
DEPTHS = range(1, 6)

MIX, WORD = 0x9E3779B97F4A7C15, 0xFFFFFFFFFFFFFFFF
THREE_VALUES = (-1.0, 0.0, 1.0)
INFINITIES = (-math.inf, 0.0, math.inf, 1.0)
ZEROS = (-0.0, 0.0)


def scattered(own: int, opp: int) -> int:
    """A number that looks random but belongs to the position."""
    mixed = ((own * MIX) & WORD) ^ ((opp * 0xBF58476D1CE4E5B9) & WORD)
    return ((mixed * MIX) & WORD) >> 60


@heuristic
def constant(own, opp, board):  # type: ignore[no-untyped-def]
    return 7


@heuristic
def few_values(own, opp, board):  # type: ignore[no-untyped-def]
    return THREE_VALUES[scattered(own, opp) % 3]


@heuristic
def infinities(own, opp, board):  # type: ignore[no-untyped-def]
    return INFINITIES[scattered(own, opp) % 4]


@heuristic
def always_lost(own, opp, board):  # type: ignore[no-untyped-def]
    return -math.inf


@heuristic
def always_won(own, opp, board):  # type: ignore[no-untyped-def]
    return math.inf


@heuristic
def zeros(own, opp, board):  # type: ignore[no-untyped-def]
    return ZEROS[scattered(own, opp) % 2]


@heuristic
def only_with_moves(own, opp, board):  # type: ignore[no-untyped-def]
    return 100 / mobility(own, opp, board)  # has no value where the side to move must pass, or the game is over


ODD_ONES = {
    one.name: one for one in (constant, few_values, infinities, always_lost, always_won, zeros, only_with_moves)
}


def variant_of(size: tuple[int, int], objective: Objective) -> Variant:
    return Variant(*size, objective)


@cache
def searcher(name: str, algorithm: Algorithm = "alphabeta", ordering: Ordering = "estimate") -> TreeSearch:
    return TreeSearch(NAMED.get(name) or ODD_ONES[name], algorithm, ordering)


def found(name: str, position: Position, depth: int, algorithm: Algorithm, ordering: Ordering = "square") -> Report:
    return searcher(name, algorithm, ordering).run(position, Limit(depth=depth))


def positions_of(variant: Variant, number: int, seed: int) -> list[Position]:
    return [*ordinary(variant, number, seed), *(position for _, position in special(variant, 1, seed))]


# Alpha-beta and minimax


def assert_alphabeta_equals_minimax(name: str, position: Position, depths: range, orderings: list[Ordering]) -> None:
    for depth in depths:
        truth = found(name, position, depth, "minimax")
        for ordering in orderings:
            pruned = found(name, position, depth, "alphabeta", ordering)
            facts = name, position.text, position.variant.name, depth, ordering
            assert (pruned.score, pruned.move) == (truth.score, truth.move), facts
            assert pruned.nodes <= truth.nodes, facts


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("name", NAMED)
def test_alphabeta_equals_minimax(name: str, objective: Objective) -> None:
    """The same value and the same move: on 13 heuristics × 2 objectives × 4 sizes × 8 positions, in every ordering."""
    for size in SIZES:
        seed = list(NAMED).index(name)  # other positions for each heuristic
        for position in positions_of(variant_of(size, objective), 1, seed):
            depths = range(1, 5) if position.empties > 40 else DEPTHS
            assert_alphabeta_equals_minimax(name, position, depths, list(ORDERINGS))


@pytest.mark.slow
@pytest.mark.parametrize("size", [(4, 4), (4, 8), (5, 5), (5, 7), (6, 6), (7, 8), (8, 8)])
@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("name", NAMED)
def test_alphabeta_equals_minimax_on_many_positions(name: str, objective: Objective, size: tuple[int, int]) -> None:
    for position in positions_of(variant_of(size, objective), 60, 100):
        assert_alphabeta_equals_minimax(name, position, DEPTHS, list(ORDERINGS))


@pytest.mark.parametrize("name", ODD_ONES)
def test_alphabeta_equals_minimax_where_values_are_equal_or_infinite_or_missing(name: str) -> None:
    """A heuristic is asked for the order of moves also where it has no value: that is no failure."""
    for size, objective in product(SIZES, OBJECTIVES):
        for position in positions_of(variant_of(size, objective), 6, 50):
            assert_alphabeta_equals_minimax(name, position, range(1, 5), list(ORDERINGS))


def test_the_positions_of_these_tests_are_of_every_kind() -> None:
    for size in SIZES:
        kinds = {kind for kind, _ in special(variant_of(size, "most"), 1, 50)}
        assert kinds == set(KINDS)


@pytest.mark.parametrize("ordering", ORDERINGS)
@pytest.mark.parametrize("name", ["combined", "phased", "few_values", "infinities", "always_lost"])
def test_iterative_deepening_equals_the_depth_itself(name: str, ordering: Ordering) -> None:
    deepening = TreeSearch(NAMED.get(name) or ODD_ONES[name], "alphabeta", ordering, deepening=True)
    for size, objective in product(SIZES, OBJECTIVES):
        for position in positions_of(variant_of(size, objective), 3, 7):
            for depth in DEPTHS:
                directly = found(name, position, depth, "alphabeta", ordering)
                in_turn = deepening.run(position, Limit(depth=depth))
                assert (in_turn.score, in_turn.move) == (directly.score, directly.move), (position.text, depth)


def test_deepening_visits_every_depth_until_the_result_is_proven() -> None:
    position = special(Variant.named("6x6"), 1)[1][1]
    deepening = TreeSearch(NAMED["combined"], "minimax", deepening=True)
    separately = [searcher("combined", "minimax", "square").run(position, Limit(depth=depth)) for depth in (1, 2)]
    assert not separately[0].exact
    assert deepening.run(position, Limit(depth=2)).nodes == sum(report.nodes for report in separately)


# The plain reference


def plainly(name: str, objective: Objective) -> Callable[[int, int, int], float]:
    return lambda own, opp, board: PLAIN[name](own, opp, board, objective == "fewest")


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("name", ["discs", "static", "combined", "phased", "evaluation-3", "corner-shy"])
def test_searches_equal_the_plain_reference(name: str, objective: Objective) -> None:
    for size, depth in (((4, 4), 3), ((4, 5), 2), ((5, 7), 1), ((8, 8), 1)):
        variant = variant_of(size, objective)
        for position in (*ordinary(variant, 1, 11), *(here for _, here in special(variant, 1, 11)[:5])):
            truth, square = naive_search.best(
                position.own, position.opp, variant.board, depth, plainly(name, objective), objective == "fewest"
            )
            for report in (
                found(name, position, depth, "minimax"),
                found(name, position, depth, "alphabeta", "square"),
                found(name, position, depth, "alphabeta", "estimate"),
            ):
                assert report.rank == pytest.approx(truth, rel=1e-9, abs=1e-6), (position.text, depth)
                if name in ("discs", "static"):  # whole numbers: without rounding the ties are the same
                    assert report.move == square, (position.text, depth)


@pytest.mark.parametrize("name", ODD_ONES)
def test_searches_equal_the_plain_reference_on_ties_and_infinities(name: str) -> None:
    for objective in OBJECTIVES:
        for position in positions_of(variant_of((4, 5), objective), 4, 3):
            truth = naive_search.best(
                position.own, position.opp, position.variant.board, 3, ODD_ONES[name], objective == "fewest"
            )
            for algorithm in ("minimax", "alphabeta"):
                report = found(name, position, 3, algorithm)
                assert (report.rank, report.move) == truth, position.text


def test_minimax_knows_the_value_of_every_move() -> None:
    variant = Variant.named("4x5")
    for position in ordinary(variant, 5, 2):
        values = found("discs", position, 2, "minimax").values
        for move in position.legal_moves:
            after = position.play(move)
            truth = -naive_search.value(after.own, after.opp, variant.board, 1, plainly("discs", "most"), False)
            assert values.pop(move) == truth
        assert not values


# The rules that all searches share


@pytest.mark.parametrize("algorithm", ["minimax", "alphabeta"])
def test_of_equal_moves_the_lowest_square_is_chosen(algorithm: Algorithm) -> None:
    equal = 0
    for size in SIZES:
        for position in ordinary(Variant(*size), 10):
            values = found("constant", position, 3, "minimax").values
            if set(values.values()) == {-7.0}:  # no game ends within three plies
                equal += len(values) > 1
                assert found("constant", position, 3, algorithm).move == position.legal_moves[0]
    assert equal > 20


def test_a_pass_costs_no_depth() -> None:
    """White must pass after Black's only move: at depth 2 Black moves twice."""
    position = next(
        here
        for game in random_games(Variant.named("6x6"), 4)
        for here in game
        if len(here.legal_moves) == 1 and here.play(here.legal_moves[0]).must_pass and here.empties > 3
    )
    for algorithm in ("minimax", "alphabeta"):
        report = found("discs", position, 2, algorithm)
        assert report.pv[1] == PASS
        assert sum(move != PASS for move in report.pv) == 2


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_a_finished_game_is_worth_its_margin_and_more_than_every_estimate(objective: Objective) -> None:
    """Empty squares go to the side with more discs; the sign is the objective's; a draw is 0."""
    endings = 0
    for position in (here for game in islice(random_games(Variant(4, 4, objective), 5), 300) for here in game[-1:]):
        report = found("discs", position, 1, "alphabeta")
        if not report.exact:
            continue
        endings += 1
        scores = []
        for move in position.legal_moves:
            outcome = position.play(move).outcome()
            after = position.play(move)
            while outcome is None:  # the rest is forced
                after = after.play(PASS if after.must_pass else after.legal_moves[0])
                outcome = after.outcome()
            assert outcome.score is not None
            margin = outcome.score if position.turn == 0 else -outcome.score
            scores.append(margin)
        assert report.score == max(scores), position.text
        assert report.decided == (report.score != 0)
        assert abs(report.rank) > 1e9 or report.score == 0
    assert endings > 50


@pytest.mark.parametrize(("objective", "sign"), [("most", 1), ("fewest", -1)])
def test_a_wipe_out_is_worth_the_whole_board(objective: Objective, sign: int) -> None:
    seen = 0
    for size in ((4, 4), (8, 8)):
        variant = variant_of(size, objective)
        for here in (position for kind, position in special(variant, 3) if kind == "a wipe-out ahead"):
            for move, value in found("discs", here, 1, "minimax").values.items():
                after = here.play(move)
                if not after.own:
                    assert value == sign * variant.square_count
                    seen += 1
    assert seen >= 2


# The principal variation, and what a report says of itself


@pytest.mark.parametrize("name", ["combined", "discs", "infinities", "always_lost", "always_won", "zeros"])
@pytest.mark.parametrize(("algorithm", "ordering"), [("minimax", "square"), *(("alphabeta", way) for way in ORDERINGS)])
def test_the_line_is_legal_and_its_end_has_the_score(name: str, algorithm: Algorithm, ordering: Ordering) -> None:
    for size, objective in product([(4, 4), (5, 7), (8, 8)], OBJECTIVES):
        variant = variant_of(size, objective)
        one = NAMED.get(name) or ODD_ONES[name]

        def valued(own: int, opp: int, board: int, one: Heuristic = one, variant: Variant = variant) -> float:
            return one.value(own, opp, variant)

        for position in positions_of(variant, 3, 21):
            for depth in (1, 2, 4):
                report = found(name, position, depth, algorithm, ordering)
                reached, moves, over = naive_search.value_of_line(
                    position.own, position.opp, variant.board, list(report.pv), valued, objective == "fewest"
                )
                assert report.rank == reached, (position.text, depth, report)
                assert report.pv[0] == report.move
                assert over or moves == depth


def test_a_score_is_never_minus_zero() -> None:
    for position in ordinary(Variant.named("6x6"), 8):
        for depth in (1, 2, 3):
            score = found("zeros", position, depth, "alphabeta").score
            if score == 0:
                assert math.copysign(1, score) == 1


@pytest.mark.parametrize("algorithm", ["minimax", "alphabeta"])
def test_exact_means_that_no_estimate_was_needed(algorithm: Algorithm) -> None:
    for size, objective in product([(4, 4), (5, 7), (6, 6)], OBJECTIVES):
        variant = variant_of(size, objective)
        for position in (here for game in islice(random_games(variant, 9), 4) for here in game[-6:]):
            solved = found("constant", position, position.empties, algorithm)
            assert solved.exact
            truth = naive_search.value(
                position.own, position.opp, variant.board, 99, lambda *_: math.nan, objective == "fewest"
            )
            assert solved.rank == truth
            less = found("constant", position, 1, algorithm)
            assert less.rank == truth or not less.exact
            if algorithm == "minimax":
                assert less.exact == (not {7.0, -7.0} & set(less.values.values()))


def test_a_search_that_needs_an_estimate_is_not_exact() -> None:
    assert not found("discs", Position.start(), 4, "alphabeta").exact
    assert not found("discs", Position.start(), 4, "minimax").exact


def test_a_depth_beyond_the_end_is_the_depth_of_the_end() -> None:
    position = special(Variant.named("6x6"), 1)[1][1]
    report = found("discs", position, 60, "alphabeta")
    assert report.exact
    assert report.depth == position.empties


def test_there_must_be_a_move() -> None:
    passing = Position.from_text("OXXX XOX- XOXX XOOO X")
    with pytest.raises(ValueError, match="must pass, or the game is over"):
        searcher("discs").run(passing, Limit(depth=3))


def test_one_search_serves_one_variant_after_the_other() -> None:
    mixed = TreeSearch(NAMED["combined"])
    for name in ("8x8", "reversed-6x6", "4x4", "reversed", "5x7", "8x8"):
        variant = Variant.named(name)
        for position in ordinary(variant, 2, 31):
            fresh = TreeSearch(NAMED["combined"]).run(position, Limit(depth=3))
            again = mixed.run(position, Limit(depth=3))
            assert (again.score, again.move, again.nodes) == (fresh.score, fresh.move, fresh.nodes)


# Limits


@pytest.mark.parametrize("limit", [1, 2, 3, 17, 100, 1000, 54321])
@pytest.mark.parametrize("algorithm", ["minimax", "alphabeta"])
def test_a_limit_of_nodes_is_never_exceeded(algorithm: Algorithm, limit: int) -> None:
    for size in SIZES:
        for position in positions_of(Variant(*size), 3, 41):
            report = searcher("combined", algorithm).run(position, Limit(nodes=limit))
            assert report.nodes <= limit
            assert report.move in position.legal_moves
            if report.depth:
                again = found("combined", position, report.depth, algorithm, "estimate")
                assert (report.score, report.move) == (again.score, again.move)


def test_a_limit_of_nodes_is_used() -> None:
    report = searcher("combined").run(Position.start(), Limit(nodes=100_000))
    assert report.nodes == 100_000
    assert report.depth >= 5


def test_under_a_limit_of_time_the_last_finished_depth_counts() -> None:
    position = ordinary(Variant(), 1, 3)[0]
    report = searcher("combined").run(position, Limit(time=1.0))
    assert report.depth >= 1
    again = found("combined", position, report.depth, "alphabeta", "estimate")
    assert (report.score, report.move) == (again.score, again.move)


def test_depth_and_time_together_end_at_the_first() -> None:
    report = searcher("discs").run(Position.start(), Limit(depth=2, time=600))
    assert report.depth == 2
    assert report.seconds < 300


def test_a_clock_is_shared_out_among_the_moves_to_come(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[float | None] = []

    def noted(seconds: float | None) -> watched:
        given.append(seconds)
        return watched(seconds)

    monkeypatch.setattr("outflank.search.trees.search.watched", noted)
    limit = Limit(clock=Clock(60.0))
    report = searcher("combined").run(Position.start(), limit)
    assert report.depth >= 1
    (share,) = given
    assert share is not None and 1 < share < 6 and share == seconds_for(limit, 60)


def test_somebody_else_can_stop_a_search() -> None:
    stop = Interruption()
    stop.set()
    with interruptible(stop):
        report = searcher("combined").run(Position.start(), Limit(depth=40))
    assert report.move == Position.start().legal_moves[0]
    assert report.depth == 0
    assert report.nodes < 1_000_000


# Trees that are written out


def lesson(name: str, algorithm: Algorithm) -> Lesson:
    return search(EXAMPLES[name].root, algorithm)


def test_seed_002_figure_2() -> None:
    """You choose 20 of (1, 20), 50 of (1, 50), 50 of (20, 50); the other side leaves 20; of 20, 10, 5 the first."""
    shown = lesson("three-replies", "minimax")
    values = shown.values
    assert [values[node] for node in ("A11", "A12", "A13")] == [20, 50, 50]
    assert [values[node] for node in ("A1", "A2", "A3")] == [20, 10, 5]
    assert (shown.value, shown.best, shown.pruned) == (20, "A1", [])
    assert len(shown.visited) == 1 + 3 + 9 + 18


def test_seed_002_figure_3() -> None:
    """A1 is 3; A21 is 2, so A2 is at most 2, and there is no need to look at A22 and A23."""
    shown = lesson("no-need-to-look", "alphabeta")
    assert shown.values["A1"] == 3
    assert shown.values["A21"] == 2
    assert shown.pruned == ["A22", "A23"]
    assert (shown.value, shown.best) == (3, "A1")
    entered = {step.node: step for step in shown.steps if step.kind == "enter"}
    assert (entered["A2"].alpha, entered["A2"].beta) == (3, math.inf)
    cut = next(step for step in shown.steps if step.kind == "prune")
    assert (cut.node, cut.alpha, cut.beta) == ("A22", 3, 2)


def test_in_a_lesson_alphabeta_finds_what_minimax_finds() -> None:
    for seed in range(200):
        root = random_tree(depth=1 + seed % 4, branching=1 + seed % 3, seed=seed, largest=5)
        all_of_it, part = search(root, "minimax"), search(root, "alphabeta")
        assert (part.value, part.best) == (all_of_it.value, all_of_it.best)
        assert sorted(part.visited + part.pruned) == sorted(node.id for node in root.walk())
        assert all_of_it.visited == [node.id for node in root.walk()]


def test_a_lesson_as_data() -> None:
    data = search(tree([[3, 5], [2, 9]]), "alphabeta").data()
    assert (data["value"], data["best"], data["pruned"]) == (3, "A1", ["A22"])
    first = data["steps"][0]
    assert first == {"kind": "enter", "node": "A", "maximizes": True, "alpha": None, "beta": None, "value": None}


@pytest.mark.parametrize("wrong", [[], [[1], []], [list(range(10))], "x", [["x"]], [None]])
def test_a_node_has_one_to_nine_children(wrong: Any) -> None:
    with pytest.raises(ValueError, match="children: a leaf is a number"):
        tree(wrong)


def test_a_tree_may_be_an_array() -> None:
    assert search(np.array([[3, 5], [2, 9]]), "minimax").value == 3  # type: ignore[arg-type]


@pytest.mark.parametrize("wrong", ["alpha-beta", "negamax", None])
def test_a_name_that_is_no_search_is_refused(wrong: Any) -> None:
    """It must not pass for minimax."""
    with pytest.raises(ValueError, match="algorithm must be one of minimax, alphabeta, not"):
        search(tree([[3, 5], [2, 9]]), wrong)
    with pytest.raises(ValueError, match="algorithm must be one of minimax, alphabeta, not"):
        TreeSearch(NAMED["combined"], wrong)
    with pytest.raises(ValueError, match="ordering must be one of square, weight, mobility, estimate, not"):
        TreeSearch(NAMED["combined"], ordering=wrong)
