"""The engine: its search against plain minimax, hints, levels, limits, and what a search that is cut off leaves."""

import itertools
import random
import threading
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import ANY

import naive
import numpy as np
import pytest
from searching import WeightedEngine, evaluated

from outflank.agents.spec import agent
from outflank.board.game import Game
from outflank.board.position import Position
from outflank.board.squares import Color
from outflank.board.variant import Variant
from outflank.patterns.shapes import table_shape
from outflank.patterns.weights import SUMS, Evaluation, Evaluations, Weights, evaluation_for
from outflank.search.driver import Interruption, Stop, followed, interruptible, seconds_for, watched
from outflank.search.engine.deepening import SURE, Iteration
from outflank.search.engine.desk import SplitPoint
from outflank.search.engine.engine import Engine, Hint, seconds_of_move
from outflank.search.engine.levels import HIGHEST, LEVELS, Level, level_numbered
from outflank.search.engine.probcut import CONFIDENCE, LOOSE, margins, shallower
from outflank.search.engine.searcher import Found, Searcher
from outflank.search.engine.solver import Solver
from outflank.search.limits import Clock, Limit, Report

VARIANTS = ["othello", "reversed", "6x6", "reversed-6x6", "5x7", "4x4"]


def midgame(variant: Variant, dice: random.Random, empties: int) -> Position:
    """A position after random moves, with a choice to make."""
    while True:
        game = Game(variant)
        while not game.is_over and game.position.empties > empties:
            game.push(dice.choice(game.position.legal_moves))
        if not game.is_over and game.position.legal_moves:
            return game.position


def plain_value(searcher: Searcher, position: Position, depth: int) -> int:
    """Minimax over the position's own rules, the evaluation in whole discs at the leaves."""
    if position.is_over:
        return position.variant.sign * naive.final_margin(position.own, position.opp, position.variant.board)
    if not position.legal_moves:
        return -plain_value(searcher, position.play(64), depth)
    if depth == 0:
        most = position.variant.square_count - 1
        return max(min((evaluated(searcher, position) + 64) // 128, most), -most)
    return max(-plain_value(searcher, position.play(move), depth - 1) for move in position.legal_moves)


def chosen(spec: str, position: Position) -> Report:
    player = agent(spec)
    player.start(position.variant, position.turn, 0)
    return player.choose(Game(position), Limit())


def test_a_player_takes_the_weights_of_a_file(tmp_path: Path) -> None:
    variant, file = Variant.named("5x7"), tmp_path / "w.npz"
    table = np.zeros(table_shape(variant), np.int16)
    table[:, -2:] = 5 * 128  # five discs for whoever is to move
    Weights(variant, table, {}).save(file)
    spec = f"engine:weights={file},depth=1,hash=1"
    for name in ("5x7", "7x5"):
        assert chosen(spec, midgame(Variant.named(name), random.Random(name), 20)).score == -5
    with pytest.raises(ValueError, match=r"engine: .* was learnt for 5x7, not for reversed-5x7"):
        chosen(spec, Position.start(Variant.named("reversed-5x7")))


@pytest.mark.parametrize("name", ["othello", "reversed-6x6"])
def test_a_player_without_weights_counts_moves_and_corners(name: str) -> None:
    here = midgame(Variant.named(name), random.Random(name), 20)

    def worth(after: Position) -> int:
        """For the side to move; the other side's moves are those after a pass."""
        corners = [(side & after.variant.corners).bit_count() for side in (after.own, after.opp)]
        moves = [
            len(one.legal_moves) for one in (after, Position(after.black, after.white, after.turn.other, after.variant))
        ]
        return moves[0] - moves[1] + 6 * after.variant.sign * (corners[0] - corners[1])

    best = max(-worth(here.play(move)) for move in here.legal_moves)
    assert chosen("engine:weights=none,depth=1,hash=1", here).score == best
    assert chosen("engine:depth=1,hash=1", here).score != best


@pytest.mark.parametrize("name", VARIANTS)
def test_the_search_equals_plain_minimax(name: str) -> None:
    variant, dice = Variant.named(name), random.Random(name)
    searcher = Searcher(1)
    searcher.prepare(variant, Evaluations(SUMS).fitting(variant))  # a network is asked only near the bound
    most = variant.square_count
    for _ in range(6):
        # Early enough that no disc is stable: stable discs bound the score whatever the evaluation says.
        position = midgame(variant, dice, dice.randint(most * 6 // 10, most - 6))
        for depth in range(1, 4):
            searcher.begin(Stop())
            wanted = plain_value(searcher, position, depth)
            assert searcher.search(position, Iteration(depth)) == Found(wanted, ANY, False)
            searcher.forget()
            alpha = wanted + dice.randint(-3, 2)
            searcher.begin(Stop())
            found = searcher.within(position, alpha, alpha + 1, Iteration(depth))
            assert (found.value > alpha) == (wanted > alpha)


@pytest.mark.parametrize("name", ["othello", "reversed", "6x6"])
def test_selective_searches_end_in_the_proven_score(name: str) -> None:
    variant, dice, engine, solver = Variant.named(name), random.Random(5), Engine(hash_mb=4), Solver(4)
    for _ in range(5):
        position = midgame(variant, dice, 14)
        report = engine.choose(position, Limit())
        assert report.exact
        assert report.score == solver.solve(position).score
        assert report.pv[0] == report.move


@pytest.mark.parametrize("name", ["othello", "reversed", "4x4"])
def test_a_proven_result_shows_in_the_score_and_the_move(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """After the iteration for win, draw or loss, also where those before said something else."""

    def result_only(engine: Engine, position: Position, *_: object) -> Iterator[Iteration]:
        yield Iteration(1)
        yield Iteration(position.empties, wld=True)

    monkeypatch.setattr(Engine, "_schedule", result_only)
    variant, dice, solver = Variant.named(name), random.Random(15), Solver(4)
    seen = set()
    for _ in range(150):
        position = midgame(variant, dice, 7)
        report, exact = Engine(hash_mb=1).choose(position, Limit()), solver.solve(position).score
        assert report.score is not None and exact is not None
        result = (exact > 0) - (exact < 0)
        assert (report.score > 0) - (report.score < 0) == result
        assert report.exact == (result == 0)
        if result >= 0:
            below = solver.solve(position.play(report.move)).score
            assert below is not None and (below < 0) - (below > 0) == result
        seen.add(result)
    assert seen == {-1, 0, 1}


@pytest.mark.parametrize("name", ["othello", "reversed", "6x6"])
def test_what_an_earlier_move_found_out_gives_the_right_move(name: str) -> None:
    """Move after move the table knows the value already; the move played must be one that has it."""
    variant, dice, engine, solver = Variant.named(name), random.Random(7), Engine(hash_mb=4), Solver(4)
    for _ in range(4):
        game = Game(midgame(variant, dice, 13))
        engine.prepare(variant)
        while not game.is_over:
            report = engine.choose(game.position, Limit(), level=Level(6, 13))
            assert report.exact or len(game.position.legal_moves) == 1
            if report.exact:
                assert report.score == solver.solve(game.position).score
            assert solver.solve(game.position).score == -(solver.solve(game.position.play(report.move)).score or 0)
            game.push(report.move)


@pytest.mark.parametrize("name", ["othello", "reversed-6x6"])
def test_hints_rate_every_move(name: str) -> None:
    variant, dice, engine = Variant.named(name), random.Random(2), Engine(hash_mb=4)
    for _ in range(3):
        position = midgame(variant, dice, 11)
        seen: list[list[Hint]] = []
        hints = engine.hints(position, Limit(), progress=seen.append)
        assert sorted(hint.move for hint in hints) == list(position.legal_moves)
        assert seen[-1] == hints and {len(shown) for shown in seen} == {len(hints)}
        exact = Solver(4).solve_all(position).values
        assert {hint.move: hint.score for hint in hints} == exact
        assert all(hint.exact and hint.pv[0] == hint.move for hint in hints)
        assert [hint.score for hint in hints] == sorted(exact.values(), reverse=True)


def test_what_the_table_knows_is_played() -> None:
    """Asked again, the engine answers from its table at once; the move must be the one that has the value."""
    dice, engine, solver = random.Random(12), Engine(hash_mb=4), Solver(4)
    for _ in range(8):
        position = midgame(Variant.named("othello"), dice, 13)
        values = solver.solve_all(position).values
        for _ in range(2):
            report = engine.choose(position, Limit())
            assert values[report.move] == report.score == max(values.values())
    game = Game(Variant.named("othello"))
    player = Engine(hash_mb=4)
    player.prepare(game.variant)
    while not game.is_over and game.position.empties > 12:
        game.push(dice.choice(game.position.legal_moves))
    proven = None
    while not game.is_over:  # both sides play from one table: the proven score holds to the end
        report = player.choose(game.position, Limit())
        score = (report.score or 0) * (1 if game.position.turn is Color.BLACK else -1)
        assert proven in (None, score)
        proven = score
        game.push(report.move)


def test_one_thread_plays_the_same_twice() -> None:
    dice = random.Random(8)
    positions = [midgame(Variant.named("othello"), dice, 40) for _ in range(4)]
    for limit in (Limit(depth=8), Limit(nodes=50_000)):
        reports = []
        for _ in range(2):
            engine = Engine(hash_mb=4)
            reports.append([engine.choose(position, limit) for position in positions])
        for one, other in zip(*reports, strict=True):
            assert (one.move, one.score, one.depth, one.nodes, one.pv) == (
                other.move,
                other.score,
                other.depth,
                other.nodes,
                other.pv,
            )


def test_a_limit_of_nodes_is_kept() -> None:
    position = midgame(Variant.named("othello"), random.Random(1), 40)
    for nodes in (1, 100, 10_000, 1_000_000):
        assert Engine(hash_mb=4).choose(position, Limit(nodes=nodes)).nodes < nodes + 3000


@pytest.mark.parametrize(
    "moves",
    [
        "e6d6c6f6g6e3f5d7c7e7e8c5f4d8c8f7f8g3c4g5h5h4h3b5a6b6",
        "d3c5f6f3d6e6f5c4c6c7b6g6f7a5h6e3b5d7c3f4d8g5a6c8e8e7",
    ],
)
def test_a_far_search_to_the_end_can_be_ended_soon(moves: str) -> None:
    """To sort moves is a search too, which nobody can interrupt: seven plies of it took seconds."""
    position = Game.from_transcript(moves).position
    searcher = Searcher(1)
    searcher.prepare(position.variant, evaluation_for(position.variant))
    searcher.begin(Stop(), nodes=1000)
    assert searcher.search(position, Iteration(position.empties, LOOSE)).aborted
    assert searcher.nodes < 2_000_000


def test_a_position_without_a_move_is_refused() -> None:
    lost = Position(0, (1 << 63) - 1, variant=Variant.named("othello"))
    with pytest.raises(ValueError, match="no move to choose"):
        Engine(hash_mb=1).choose(lost, Limit(depth=1))


def test_a_clock_is_shared_among_the_moves_left(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[float | None] = []

    def noted(seconds: float | None) -> watched:
        given.append(seconds)
        return watched(seconds)

    monkeypatch.setattr("outflank.search.engine.engine.watched", noted)
    position, limit = midgame(Variant.named("othello"), random.Random(1), 50), Limit(clock=Clock(10.0))
    report = Engine(hash_mb=4).choose(position, limit)
    assert report.move in position.legal_moves
    (share,) = given
    assert share is not None and 0.1 < share < 1 and share == seconds_of_move(limit, position.empties)


@pytest.mark.parametrize("seconds", [1.0, 19.0, 300.0])
def test_most_of_a_clock_is_spent_before_the_game_is_solved_and_it_never_runs_out(seconds: float) -> None:
    left, shares = seconds, []
    for empties in range(60, 0, -2):
        limit = Limit(clock=Clock(left))
        share = seconds_of_move(limit, empties)
        assert share is not None and share < left
        assert share >= (seconds_for(limit, empties) or 0)
        shares.append(share)
        left -= share
    assert left > 0
    assert sum(shares[:18]) > 0.75 * seconds  # 26 empties are left
    left = seconds  # with an increment a share of the clock is left after every move
    for empties in range(60, 0, -2):
        share = seconds_of_move(Limit(clock=Clock(left, seconds / 10)), empties)
        assert share is not None and share <= left / 2
        left += seconds / 10 - share
    assert seconds_of_move(Limit(time=3), 40) == 3 and seconds_of_move(Limit(depth=3), 40) is None


def test_a_thousand_interruptions_leave_a_legal_move_and_a_sound_table() -> None:
    """Stopped at any moment, the engine has a legal move; what its table keeps is never a lie."""
    dice, engine = random.Random(3), Engine(hash_mb=2)
    variant = Variant.named("othello")
    positions = [midgame(variant, dice, empties) for empties in (18, 17, 16, 30, 45)]
    proven = {position: Solver(16).solve(position).score for position in positions[:3]}
    for number in range(1000):
        position, stop = positions[number % 5], Interruption()
        timer = threading.Timer(dice.random() * 0.004, stop.set)
        timer.start()
        with interruptible(stop):
            report = engine.choose(position, Limit())
        timer.join()
        assert report.move in position.legal_moves
        if report.exact:
            assert report.score == proven[position]
    for position, score in proven.items():
        assert engine.choose(position, Limit()).score == score


def test_several_threads_find_the_same_score() -> None:
    dice = random.Random(4)
    for _ in range(3):
        position = midgame(Variant.named("othello"), dice, 16)
        assert Engine(threads=3, hash_mb=4).choose(position, Limit()).score == Solver(4).solve(position).score


def test_levels_are_numbered_and_grow() -> None:
    assert list(LEVELS) == list(range(1, HIGHEST + 1)) and HIGHEST == 30
    steps = list(LEVELS.values())
    for lower, higher in itertools.pairwise(steps):
        assert (higher.depth, higher.exact_from, -higher.wobble) > (lower.depth, lower.exact_from, -lower.wobble)
        assert higher.depth >= lower.depth
        assert higher.wobble <= lower.wobble or higher.depth > lower.depth  # who sees farther may be less steady
    with pytest.raises(ValueError, match="levels go from 1 to 30"):
        level_numbered(31)


def test_a_level_looks_as_far_as_it_says() -> None:
    position = midgame(Variant.named("othello"), random.Random(6), 40)
    assert Engine(hash_mb=1).choose(position, Limit(), level=Level(5, 10)).depth == 5
    ending = midgame(Variant.named("othello"), random.Random(6), 10)
    assert Engine(hash_mb=1).choose(ending, Limit(), level=Level(5, 10)).exact


def test_low_levels_waver_by_their_seed_alone() -> None:
    game = Game(Variant.named("othello"))
    moves = []
    for seed in (1, 1, 2, 3, 4, 5, 6, 7):
        player = agent("engine:level=1")
        player.start(game.variant, Color.BLACK, seed)
        game = Game(Variant.named("othello"))
        for _ in range(8):
            game.push(player.choose(game, Limit()).move)
        moves.append(game.transcript)
    assert moves[0] == moves[1]
    assert len(set(moves)) > 4


def test_low_levels_tell_what_they_spent() -> None:
    game = Game(Variant.named("othello"))
    player = agent("engine:level=5")
    player.start(game.variant, Color.BLACK, 1)
    report = player.choose(game, Limit())
    assert report.nodes > len(game.position.legal_moves) and report.seconds > 0


def test_a_solver_is_nearly_sure_before_it_is_certain() -> None:
    """With 23 empties to the end at 73 %, at 99 % and for certain; with 17 the first is enough."""
    for empties, wanted in ((17, [73, 100]), (23, [73, 99, 100])):
        heard: list[Report] = []
        Solver(8).solve(midgame(Variant(), random.Random("b"), empties), progress=heard.append)
        assert [report.selectivity for report in heard if report.depth == empties] == wanted


def test_margins_widen_as_less_is_pruned() -> None:
    variant = Variant.named("othello")
    tables = margins(evaluation_for(variant))
    assert tables is not None and set(tables) == set(CONFIDENCE) and SURE not in tables
    for empties in range(10, 60, 7):
        for depth in range(1, empties + 1, 5):
            cuts = [int(tables[selectivity][empties, depth]["cut"]) for selectivity in sorted(tables)]
            assert cuts == sorted(cuts) and cuts[0] >= 1
    assert margins(None) is None
    assert [shallower(depth) for depth in range(1, 13)] == [0, 0, 1, 2, 3, 2, 3, 4, 5, 4, 5, 6]


@pytest.mark.parametrize("depth", [1, 2])
def test_one_ply_and_two_are_foretold_by_the_evaluation_alone(depth: int) -> None:
    variant = Variant.named("othello")
    searcher = Searcher(1)
    searcher.prepare(variant, evaluation_for(variant))
    alone_near = 0
    for seed in range(20):
        position = midgame(variant, random.Random(seed), 30)
        searcher.begin(Stop())
        here = searcher.search(position, Iteration(0)).value
        for bound, above in ((here - 25, True), (here + 25, False)):
            for selectivity, alone in ((LOOSE, True), (SURE, False)):
                searcher.begin(Stop())
                found = searcher.within(position, bound, bound + 1, Iteration(depth, selectivity))
                assert (searcher.nodes == 1) == alone
                if alone:
                    assert (found.value > bound) == above
        searcher.begin(Stop())
        searcher.within(position, here, here + 1, Iteration(depth, LOOSE))
        alone_near += searcher.nodes == 1
    assert alone_near <= 2, "near the bound it must be searched, unless the network, which was not asked, put it there"


def test_a_search_that_has_forgotten_all_is_repeated_node_by_node() -> None:
    variant = Variant.named("othello")
    searcher = Searcher(4)
    searcher.prepare(variant, evaluation_for(variant))
    positions = [midgame(variant, random.Random(seed), 34) for seed in range(12)]
    visited: dict[Position, set[int]] = {}
    for position in (*positions, *reversed(positions)):
        searcher.forget()
        searcher.begin(Stop())
        for depth in (5, 8):
            searcher.search(position, Iteration(depth, LOOSE))
        visited.setdefault(position, set()).add(searcher.nodes)
    assert all(len(counts) == 1 for counts in visited.values())


@pytest.mark.parametrize("name", ["othello", "reversed-6x6"])
@pytest.mark.parametrize("discs", [2, 3])
def test_a_board_set_up_with_fewer_discs_than_a_game_begins_with(name: str, discs: int) -> None:
    """The weights of the first stage serve: there are none before them."""
    variant = Variant.named(name)
    own, opp = variant.start_discs().values()
    few = Position(own if discs == 3 else own & -own, opp & -opp, variant=variant)
    assert (few.own | few.opp).bit_count() == discs
    table = np.zeros(table_shape(variant), np.int16)
    table[0] = 3
    table[1:] = -1000
    engine, evaluation = WeightedEngine(Weights(variant, table, {})), Evaluation.of(Weights(variant, table, {}))
    searcher = Searcher(1)
    searcher.prepare(variant, evaluation)
    assert evaluated(searcher, few) == 3 * (len(evaluation.offsets) + 1)
    for position in (few, Position(few.opp, few.own, variant=variant)):
        if position.legal_moves:
            assert engine.choose(position, Limit(depth=4)).move in position.legal_moves


def test_a_move_that_failed_high_is_kept_when_the_wider_window_is_aborted() -> None:
    variant, kept = Variant.named("othello"), 0
    for seed in range(6):
        position = midgame(variant, random.Random(seed), 34)
        searcher, iteration = Searcher(4), Iteration(9, LOOSE)
        searcher.prepare(variant, evaluation_for(variant))
        searcher.begin(Stop())
        low = searcher.search(position, Iteration(5, LOOSE)).value - 20
        searcher.forget()
        searcher.begin(Stop())
        first = searcher.within(position, low - 3, low + 3, iteration)
        assert first.value >= low + 3 and first.move is not None
        # The same again, ended a few nodes into the second window, before any move is done there.
        limit = searcher.nodes + 5
        searcher.forget()
        searcher.begin(Stop(), nodes=limit)
        found = searcher.search(position, iteration, guess=low)
        assert found.aborted
        assert found.move == first.move
        kept += 1
    assert kept == 6


def test_a_split_point_has_room_for_every_square() -> None:
    assert len(SplitPoint.new().moves) == len(SplitPoint.new().flips) == 64  # type: ignore[arg-type]


def test_split_points_alone_change_no_search(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where nobody helps, a node's owner searches what it would have searched, late moves less deep first as ever."""
    monkeypatch.setattr("outflank.search.engine.searcher.HELPED_FROM", 99)
    variant = Variant.named("othello")
    position, found = midgame(variant, random.Random("alone"), 30), []
    for threads in (1, 2):
        searcher = Searcher(8, threads)
        searcher.prepare(variant, evaluation_for(variant))
        searcher.begin(Stop())
        iterations = [Iteration(depth, LOOSE) for depth in (6, 10, 14, 17)]
        found.append([(searcher.search(position, each), searcher.nodes) for each in iterations])
    assert found[0] == found[1]


def test_an_interrupt_while_helpers_start_leaves_none_of_them_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    variant = Variant.named("othello")
    searcher, position = Searcher(1, threads=4), midgame(variant, random.Random(1), 40)
    searcher.prepare(variant, evaluation_for(variant))
    searcher.begin(Stop())
    started, start = list[threading.Thread](), threading.Thread.start

    def interrupted(thread: threading.Thread) -> None:
        if len(started) == 1:
            raise KeyboardInterrupt
        started.append(thread)
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", interrupted)
    with pytest.raises(KeyboardInterrupt):
        searcher.search(position, Iteration(12, LOOSE))
    assert len(started) == 1 and not started[0].is_alive()


@pytest.mark.parametrize("threads", [1, 2])
def test_a_limit_of_nodes_holds_in_endings_too(threads: int) -> None:
    variant = Variant.named("othello")
    for seed in range(8):
        position = midgame(variant, random.Random(seed), 12)
        searcher = Searcher(1, threads)
        searcher.prepare(variant, evaluation_for(variant))
        searcher.begin(Stop(), nodes=1000)
        searcher.search(position, Iteration(12))
        assert searcher.nodes < 25_000


def test_a_wipe_out_is_an_exact_value() -> None:
    position = Position.from_text("XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXO- X")
    searcher = Searcher(1)
    searcher.prepare(position.variant, None)
    searcher.begin(Stop())
    assert searcher.search(position, Iteration(1)) == Found(64, 63, False)


def test_a_searcher_refuses_a_game_that_it_was_not_prepared_for() -> None:
    searcher, position = Searcher(1), Position.start(Variant.named("6x6"))
    for ask in (searcher.known_move, lambda where: searcher.search(where, Iteration(1))):
        with pytest.raises(RuntimeError, match="not prepared for"):
            ask(position)


# Moves that mirror each other


def mirror_images(variant: Variant, count: int) -> list[Position]:
    """Positions that are their own mirror image and have moves that are none of each other."""
    found: dict[Position, None] = {}
    dice = random.Random(f"mirrors of {variant}")
    while len(found) < count:
        game = Game(variant)
        while not game.is_over:
            position = game.position
            if 1 < len(position.different_moves) < len(position.legal_moves):
                found[position] = None
            game.push(dice.choice(position.legal_moves))
    return list(found)[:count]


@pytest.mark.parametrize("name", ["othello", "reversed", "6x6", "4x4", "5x6-parallel"])
def test_moves_that_mirror_each_other_have_one_value(name: str) -> None:
    variant = Variant.named(name)
    engine = Engine(hash_mb=1)
    for position in mirror_images(variant, 4):
        engine.prepare(variant)
        hints = {hint.move: hint for hint in engine.hints(position, Limit(depth=7))}
        assert set(hints) == set(position.legal_moves)
        for move, (twin, which) in position.twins().items():
            one, other = hints[move], hints[twin]
            assert (one.score, one.depth, one.exact) == (other.score, other.depth, other.exact)
            assert one.pv == tuple(variant.mirrored(square, which) for square in other.pv)
            Game.from_moves(one.pv, position)


@pytest.mark.parametrize("name", ["othello", "reversed-6x6", "4x4", "5x6-parallel"])
def test_mirrored_moves_are_searched_once_and_the_value_is_that_of_all(name: str) -> None:
    variant = Variant.named(name)
    searcher = Searcher(1)
    searcher.prepare(variant, evaluation_for(variant))
    for position in [Position.start(variant), *mirror_images(variant, 3)]:
        searcher.forget()
        searcher.begin(Stop())
        for depth in range(1, 5):
            found = searcher.search(position, Iteration(depth))
            assert found.value == plain_value(searcher, position, depth)
            assert found.move in position.different_moves
            assert -plain_value(searcher, position.play(found.move), depth - 1) == found.value
            assert next(searcher.known_line(position)) == found.move
        once = searcher.nodes
        searcher.forget()
        searcher.begin(Stop())
        most = variant.square_count
        for depth in range(1, 5):
            searcher.within(position, -most, most, Iteration(depth))
        assert once < searcher.nodes


def test_a_mirrored_position_that_is_cut_off_has_a_move_and_goes_on() -> None:
    position = mirror_images(Variant(), 1)[0]
    engine = Engine(hash_mb=1)
    truth = engine.choose(position, Limit(depth=8)).score
    engine.prepare(position.variant)
    for nodes in (1, 10, 100, 500, 2000):
        assert engine.choose(position, Limit(nodes=nodes)).move in position.legal_moves
    engine.prepare(position.variant)
    assert engine.choose(position, Limit(depth=8)).score == truth


# What is proven


@pytest.mark.parametrize("name", ["othello", "reversed", "6x6"])
def test_a_proven_value_never_changes(name: str) -> None:
    """Asked again with less time, or in another way, the engine says the same."""
    dice = random.Random(name)
    for _ in range(4):
        position = midgame(Variant.named(name), dice, 9)
        engine = Engine(hash_mb=0.01)  # a table that forgets at once
        if len(position.legal_moves) == 1:
            continue
        proven = engine.choose(position, Limit(depth=9))
        values = {hint.move: hint.score for hint in engine.hints(position, Limit(depth=9))}
        assert proven.exact
        assert proven.score == max(values.values()) == values[proven.move]
        for limit in (Limit(depth=1), Limit(nodes=1)):
            again = engine.choose(position, limit)
            assert (again.move, again.score, again.exact) == (proven.move, proven.score, True)
            hints = engine.hints(position, limit)
            assert {hint.move: hint.score for hint in hints} == values
            assert all(hint.exact for hint in hints)
        for move, value in values.items():
            below = position.play(move)
            if below.legal_moves:
                answer = engine.choose(below, Limit(depth=1))
                assert (answer.score, answer.exact) == (-value, True)
                assert answer.move in below.legal_moves
        engine.prepare(position.variant)
        assert not engine.choose(position, Limit(depth=1)).exact


def test_a_report_says_how_sure_it_is() -> None:
    """To the end at 73 %, then at 95 %, then for certain: only the last is exact."""
    heard: list[Report] = []
    engine = Engine(hash_mb=4)
    position = midgame(Variant(), random.Random("sure"), 16)
    with followed(heard.append):
        engine.choose(position, Limit(depth=16))
    to_the_end = [(report.selectivity, report.exact) for report in heard if report.depth == 16]
    assert to_the_end == [(73, False), (95, False), (100, True)]
    assert {report.selectivity for report in heard if report.depth == 1} == {100}  # one ply is searched whole
    assert {report.selectivity for report in heard if 1 < report.depth < 16} == {73}
    assert {hint.selectivity for hint in engine.hints(Position.start(), Limit(depth=4))} == {73}
    small = Position.start(Variant.named("4x5"))  # nothing is measured there, so nothing is left out
    assert engine.choose(small, Limit(depth=4)).selectivity == 100


def test_hints_know_what_is_proven_of_the_position_itself() -> None:
    engine, variant = Engine(hash_mb=4), Variant.named("othello")
    engine.prepare(variant)
    position = midgame(variant, random.Random(11), 14)
    proven = engine.choose(position, Limit(depth=20))
    assert proven.exact
    (hint,) = [hint for hint in engine.hints(position, Limit(depth=1)) if hint.move == proven.move]
    assert hint.exact and hint.score == proven.score


def test_selective_searches_stay_near_sure_ones() -> None:
    """ProbCut, two plies foretold and late moves searched less deep, all together."""
    variant = Variant.named("othello")
    searcher = Searcher(4)
    searcher.prepare(variant, evaluation_for(variant))
    off = []
    for seed in range(6):
        position = midgame(variant, random.Random(seed), 36)
        values = []
        for selectivity in (LOOSE, SURE):
            searcher.forget()
            searcher.begin(Stop())
            for depth in (5, 7):
                found = searcher.search(position, Iteration(depth, selectivity))
            values.append(found.value)
        off.append(abs(values[0] - values[1]))
    assert sum(off) / len(off) < 3
