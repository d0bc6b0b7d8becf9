"""Pattern numbers, kept up to date move by move, and the weights fitted to them."""

import json
import random
from dataclasses import replace
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from searching import evaluated

from outflank.board.game import Game
from outflank.board.position import Position
from outflank.board.squares import PASS, square_name, squares_of
from outflank.board.variant import OTHELLO, Variant
from outflank.formats.table import GameTable
from outflank.learning.games.positions import Positions
from outflank.learning.patterns.fit import STEP, Fit, least_squares, weight_indices
from outflank.patterns.lookup import look_up_sum, play_numbers, set_numbers
from outflank.patterns.shapes import SLOTS, PatternSet, pattern_set, require_patterns, table_shape
from outflank.patterns.weights import Evaluation, Weights, evaluation_for, shipped, whole_row
from outflank.search.engine.searcher import Searcher
from outflank.search.engine.solver import Solver


@pytest.fixture(scope="module")
def patterns() -> PatternSet:
    made = pattern_set(8, 8)
    assert made is not None
    return made


def naive_numbers(patterns: PatternSet, black: int, white: int) -> list[int]:
    """Each slot's number, digit by digit."""
    return [
        sum((1 if black >> square & 1 else 2 if white >> square & 1 else 0) * 3**k for k, square in enumerate(place))
        for _, place in patterns.places
    ]


def random_games(count: int, seed: int, variant: Variant = OTHELLO) -> list[Game]:
    dice = random.Random(seed)
    games = []
    for _ in range(count):
        game = Game(variant)
        while not game.is_over:
            game.push(dice.choice(game.position.legal_moves))
        games.append(game)
    return games


BOARDS = [(rows, columns) for rows in range(5, 9) for columns in range(5, 9)]

SHIPPED_FOR = {
    8: """
        a1 b1 c1 a2 b2 c2 a3 b3 c3
        a1 b1 c1 d1 e1 a2 a3 a4 a5 b2
        a1 b1 c1 d1 e1 f1 g1 h1 b2 g2
        a1 c1 d1 e1 f1 h1 c2 d2 e2 f2
        a1 b1 c1 d1 a2 b2 c2 a3 b3 a4
        a2 b2 c2 d2 e2 f2 g2 h2
        a3 b3 c3 d3 e3 f3 g3 h3
        a4 b4 c4 d4 e4 f4 g4 h4
        a1 b2 c3 d4 e5 f6 g7 h8
        a2 b3 c4 d5 e6 f7 g8
        a3 b4 c5 d6 e7 f8
        a4 b5 c6 d7 e8
        a5 b6 c7 d8
    """,
    6: """
        a1 b1 c1 a2 b2 c2 a3 b3 c3
        a1 b1 c1 d1 e1 f1 b2 e2
        a1 b1 c1 d1 e1 a2 b2 c2 d2 e2
        a1 b1 c1 d1 e1 a2 a3 a4 a5 b2
        a1 b1 c1 d1 a2 b2 c2 a3 b3 a4
        a1 c1 d1 f1 b2 c2 d2 e2 c3 d3
        b2 c2 d2 e2 b3 c3 d3 e3
        a2 b2 c2 d2 e2 f2
        a3 b3 c3 d3 e3 f3
        a1 b2 c3 d4 e5 f6
        a2 b3 c4 d5 e6
        a3 b4 c5 d6
    """,
}
"""The shapes that the weights of 8x8 and 6x6 were fitted to: with others their files mean nothing."""


@pytest.mark.parametrize("size", SHIPPED_FOR)
def test_the_rule_makes_the_shapes_that_shipped_weights_were_fitted_to(size: int) -> None:
    made = pattern_set(size, size)
    assert made is not None
    shapes = [" ".join(square_name(square) for square in pattern.places[0]) for pattern in made.patterns]
    assert shapes == [line.strip() for line in SHIPPED_FOR[size].strip().splitlines()]


@pytest.mark.parametrize(("rows", "columns"), BOARDS)
def test_shapes_of_every_board_cover_it_and_fit_the_vector(rows: int, columns: int) -> None:
    made, board = pattern_set(rows, columns), Variant(rows, columns)
    assert made is not None
    assert {square for _, place in made.places for square in place} == set(board.squares)
    assert len(made.places) <= SLOTS
    assert len({frozenset(place) for _, place in made.places}) == len(made.places), "no two of them are the same"
    end = 0
    for pattern in made.patterns:
        assert pattern.offset == end and pattern.size == 3 ** len(pattern.places[0])
        assert 4 <= len(pattern.places[0]) <= 10
        end += pattern.size
        mirrored = {
            frozenset(board.mirrored(square, which) for square in place)
            for place in pattern.places
            for which in board.symmetries
        }
        assert mirrored == {frozenset(place) for place in pattern.places}, "a symmetry takes places to places"
    assert end == made.weights


def test_the_edges_of_an_unequal_board_have_tables_of_their_own() -> None:
    made = require_patterns(Variant.named("5x7"))
    upper, left = ([8 * row + column for row, column in edge] for edge in (_edge(7), [(c, r) for r, c in _edge(5)]))
    found = [next(one for one in made.patterns if set(edge) == set(one.places[0])) for edge in (upper, left)]
    assert found[0] is not found[1] and [len(one.places) for one in found] == [2, 2]


def _edge(length: int) -> list[tuple[int, int]]:
    return [*((0, column) for column in range(length)), (1, 1), (1, length - 2)]


def test_narrow_boards_have_no_patterns() -> None:
    assert pattern_set(4, 8) is None and pattern_set(8, 4) is None
    with pytest.raises(ValueError, match="no patterns for 4x8: only boards with sides of 5 or more can be trained"):
        require_patterns(Variant.named("4x8"))


def test_on_8x8_a_shape_lies_in_four_places_or_two(patterns: PatternSet) -> None:
    assert [len(pattern.places) for pattern in patterns.patterns] == [4, 4, 4, 4, 4, 4, 4, 4, 2, 4, 4, 4, 4]


def test_a_shape_and_its_mirror_image_share_a_weight(patterns: PatternSet) -> None:
    line = next(pattern for pattern in patterns.patterns if pattern.places[0] == tuple(range(8, 16)))
    one_end, other_end = 1, 3**7
    assert line.canonical[other_end] == line.canonical[one_end] == one_end


@pytest.fixture(scope="module")
def played_in_a_kernel() -> Any:
    from outflank.board.compiled import kernel

    def play(target: int, source: int, powers: int, square: int, turned: int, white: int) -> None:
        play_numbers(target, source, powers, square, turned, white)

    return kernel("void(uint64, uint64, uint64, uint64, uint64, uint64)", "test_patterns")(play)


def test_numbers_follow_the_moves(patterns: PatternSet, played_in_a_kernel: Any) -> None:
    powers = patterns.powers()
    before, after = np.zeros(SLOTS, np.uint16), np.zeros(SLOTS, np.uint16)
    for game in random_games(4, 1):
        start = game.start
        set_numbers(before.ctypes.data, powers.ctypes.data, start.black, start.white)
        position = start
        for node in game.line:
            assert before[: len(patterns.places)].tolist() == naive_numbers(patterns, position.black, position.white)
            assert node.move is not None
            if node.move != PASS:
                turned = position.flips(node.move)
                played_in_a_kernel(
                    after.ctypes.data, before.ctypes.data, powers.ctypes.data, node.move, turned, int(position.turn)
                )
                before, after = after, before
            position = node.position


def test_the_value_does_not_depend_on_the_colours_or_the_symmetry(patterns: PatternSet) -> None:
    dice = np.random.default_rng(3)
    table = dice.integers(-500, 500, table_shape(OTHELLO)).astype(np.int16)
    evaluation = Evaluation.of(Weights(OTHELLO, table[:, whole_row(patterns.canonical(), table)], {}))
    numbers = np.zeros(SLOTS, np.uint16)

    def value(black: int, white: int, turn: int) -> int:
        set_numbers(numbers.ctypes.data, evaluation.powers.ctypes.data, black, white)
        stage = ((black | white).bit_count() - 4) // 2
        weights = evaluation.weights[stage, turn].ctypes.data
        return _look_up(numbers, weights, evaluation)

    for game in random_games(2, 2):
        for node in game.line[::7]:
            here = node.position
            expected = value(here.black, here.white, int(here.turn))
            assert value(here.white, here.black, 1 - int(here.turn)) == expected
            for which in here.variant.symmetries:
                image = here.symmetry(which)
                assert value(image.black, image.white, int(image.turn)) == expected


def random_weights(variant: Variant, seed: int) -> Weights:
    """Weights that mean nothing; numbers that mean the same have the same."""
    dice = np.random.default_rng(seed)
    table = dice.integers(-40, 40, table_shape(variant)).astype(np.int16)
    table = table[:, whole_row(require_patterns(variant).canonical(), table)]
    table[:, -2:] = dice.integers(-400, 400, (len(table), 2))
    return Weights(variant, table, {})


@pytest.mark.parametrize("name", ["othello", "reversed-6x6", "5x5", "5x7", "reversed-8x6", "7x7"])
def test_the_search_adds_up_patterns_and_the_parity_of_the_discs(name: str) -> None:
    variant = Variant.named(name)
    laid = require_patterns(variant)
    weights = random_weights(variant, 8)
    table = weights.table
    searcher = Searcher(1)
    searcher.prepare(variant, Evaluation.of(weights))
    for game in random_games(3, 9, variant):
        for node in game.line[:-1]:
            here = node.position
            discs = (here.own | here.opp).bit_count()
            row = table[(discs - 4) // 2].astype(np.int64)
            numbers = naive_numbers(laid, here.own, here.opp)
            of_patterns = sum(row[pattern.offset + n] for (pattern, _), n in zip(laid.places, numbers, strict=True))
            assert evaluated(searcher, here) == of_patterns + row[laid.weights + discs % 2]


def turned_over(position: Position) -> Position:
    """The same on the board whose rows are its columns."""
    here, sides = position.variant, (position.black, position.white)
    black, white = (sum(1 << 8 * (square % 8) + square // 8 for square in squares_of(side)) for side in sides)
    return Position(black, white, position.turn, Variant(here.columns, here.rows, here.objective))


@pytest.mark.parametrize("name", ["5x7", "reversed-6x8", "7x8"])
def test_a_board_turned_over_has_the_same_values_by_the_same_weights(name: str) -> None:
    variant = Variant.named(name)
    weights = random_weights(variant, 11)
    other = replace(weights, variant=Variant(variant.columns, variant.rows, variant.objective))
    for game in random_games(2, 12, variant):
        for node in game.line[:-1:5]:
            one, two = Searcher(1), Searcher(1)
            one.prepare(variant, Evaluation.of(weights))
            two.prepare(other.variant, Evaluation.of(other))
            assert evaluated(one, node.position) == evaluated(two, turned_over(node.position))


@pytest.mark.parametrize("name", ["5x7", "7x7"])
def test_the_last_stage_of_an_odd_board_is_fitted_to_its_full_board(name: str, tmp_path: Path) -> None:
    variant = Variant.named(name)
    squares = variant.square_count
    positions = Positions.of(GameTable.of(random_games(60, 13, variant), "a test"))
    assert positions.discs.max() == squares - 1
    fit = Fit(positions, positions, variant, iterations=3)
    assert [stage.discs for stage in fit.stages()] == list(range(squares - 1, 2, -2))
    made = fit.weights({})
    assert made.table[-1].any()
    made.save(tmp_path / "w.npz")
    assert (Weights.load(tmp_path / "w.npz").table == made.table).all()


def test_fitted_weights_change_from_stage_to_stage_by_whole_steps() -> None:
    """So that their file is small; what they were fitted to is kept to within half a step."""
    positions = Positions.of(GameTable.of(random_games(60, 14), "a test"))
    fit = Fit(positions, positions, OTHELLO, iterations=3)
    list(fit.stages())
    table = fit.weights({}).table.astype(np.int64)
    assert table.any() and not (np.diff(table, axis=0, append=0) % STEP).any()


def test_a_fit_finds_what_the_parity_of_the_discs_is_worth() -> None:
    positions = Positions.of(GameTable.of(random_games(200, 10), "a test"))
    odd = positions.discs % 2 == 1
    sure = np.full(len(odd), 50, np.float32)
    labelled = replace(positions, margin=np.where(odd, -3, 3).astype(np.float32), importance=sure)
    fit = Fit(labelled, labelled, OTHELLO)
    assert max(stage.root_mean_square for stage in fit.stages() if stage.positions > 500) < 0.1
    even, uneven = fit.weights({}).table[20, -2:] / 128
    assert even - uneven > 5


def _look_up(numbers: Any, weights: int, evaluation: Evaluation) -> int:
    from outflank.board.compiled import kernel
    from outflank.board.records import Row, Word, at_address

    global _summed
    if _summed is None:
        words_at = at_address(Row[Word])

        def summed(numbers: int, weights: int, offsets: int, slots: int) -> int:
            return look_up_sum(numbers, weights, words_at(offsets), slots)

        _summed = kernel("int64(uint64, uint64, uint64, uint64)", "test_patterns_sum")(summed)
    offsets = evaluation.offsets
    return int(_summed(numbers.ctypes.data, weights, offsets.ctypes.data, len(offsets)))


_summed: Any = None


def test_positions_carry_the_result_for_the_side_to_move() -> None:
    games = random_games(20, 4)
    positions = Positions.of(GameTable.of(games, "a test"))
    expected = []
    for game in games:
        outcome = game.outcome()
        assert outcome is not None and outcome.score is not None
        for node in game.line:
            assert node.parent is not None
            before = node.parent.position
            if node.move != PASS:
                expected.append((before.own, before.opp, outcome.score * (1 if before.turn == 0 else -1)))
    found = zip(positions.own.tolist(), positions.opp.tolist(), positions.margin.tolist(), strict=True)
    assert list(found) == expected


def test_an_unfinished_game_teaches_nothing() -> None:
    assert len(Positions.of(GameTable.of([Game.from_transcript("f5d6c3")], "a test"))) == 0


def test_an_illegal_game_teaches_nothing_and_harms_nothing() -> None:
    """A file may hold anything: squares off the board, occupied ones, a side that moves twice without a pass."""
    game = random_games(1, 9)[0]
    moves = [move for move in game.moves if move != PASS]
    for ply, square in ((10, 64), (10, 254), (10, 27), (0, 0)):
        rows = np.full((1, 64), 255, np.uint8)
        rows[0, : len(moves)] = moves
        rows[0, ply] = square
        assert len(Positions.of(GameTable(rows))) == 0


def test_least_squares_recovers_known_weights(patterns: PatternSet) -> None:
    positions = Positions.of(GameTable.of(random_games(120, 5), "a test")).between(40, 44)
    indices = weight_indices(patterns, positions.own, positions.opp)
    truth = np.zeros(table_shape(OTHELLO)[1], np.float32)
    dice = np.random.default_rng(1)
    truth[np.unique(indices)] = dice.normal(0, 2, len(np.unique(indices)))
    targets = truth[indices].sum(axis=1).astype(np.float32)
    often = np.full(len(targets), 50, np.float32)
    fitted = least_squares(indices, targets, often, np.zeros_like(truth), 200)
    error = fitted[indices].sum(axis=1) - targets
    assert np.sqrt((error**2).mean()) < 0.25 * targets.std()


def test_a_fit_is_saved_with_its_provenance_and_read_back(tmp_path: Path) -> None:
    positions = Positions.of(GameTable.of(random_games(60, 6), "a test"))
    fit = Fit(positions, positions, OTHELLO, iterations=3)
    stages = list(fit.stages())
    assert [stage.discs for stage in stages] == list(range(64, 2, -2))
    made = fit.weights({"sources": ["test"]})
    made.save(tmp_path / "w.npz")
    again = Weights.load(tmp_path / "w.npz")
    assert again.provenance == {"sources": ["test"]}
    assert (again.table == made.table).all()
    assert again.table.any()


def test_a_damaged_weights_file_is_one_line(tmp_path: Path) -> None:
    file = tmp_path / "w.npz"
    with pytest.raises(ValueError, match="there is no weights file"):
        Weights.load(file)
    file.write_bytes(b"PK\x03\x04 not really")
    with pytest.raises(ValueError, match="has no tables made by `outflank train`"):
        Weights.load(file)
    np.savez(file, weights=np.zeros((1, 1), np.int16), about=np.array(json.dumps({"format": 1, "variant": "othello"})))
    with pytest.raises(ValueError, match="has no tables made by `outflank train`"):
        Weights.load(file)
    np.savez(file, changes=np.zeros((1, 1), np.int16), about=np.array(json.dumps({"format": 3, "variant": "othello"})))
    with pytest.raises(ValueError, match="does not fit the patterns"):
        Weights.load(file)


TRAINED = ["othello", "reversed"] + [
    objective + board
    for board in ("5x6", "5x7", "5x8", "6x6", "6x7", "6x8", "7x7", "7x8")
    for objective in ("", "reversed-")
]
"""As docs/training.md lists them."""


def test_shipped_weights_have_margins_and_were_calibrated_and_are_small() -> None:
    for name in TRAINED:
        found = shipped(Variant.named(name))
        assert found is not None and len(found.provenance["spreads"]) == 5
        assert found.provenance["calibration"]["held_out"]
    folder = resources.files("outflank.patterns") / "data"
    kept = {file.name.removesuffix(".npz") for file in folder.iterdir() if not file.name.startswith("alphazero-")}
    assert kept == set(TRAINED), "5x5 has none: its start is solved within a second"
    assert sum(len(file.read_bytes()) for file in folder.iterdir()) < 30e6


def test_a_board_turned_over_has_the_weights_of_the_other() -> None:
    one, other = shipped(Variant.named("reversed-5x7")), shipped(Variant.named("reversed-7x5-parallel"))
    assert one is not None and other is not None
    assert other.variant == Variant.named("reversed-7x5") and other.digest == one.digest


def test_the_shipped_evaluation_knows_who_is_ahead() -> None:
    """Twelve empties before the end of random games, the sign of its value is nearly always that of best play."""
    evaluation = evaluation_for(OTHELLO)
    assert evaluation is not None
    assert evaluation_for(Variant.named("4x8")) is None
    positions = Positions.of(GameTable.of(random_games(60, 7), "a test")).between(52, 53)
    numbers = np.zeros(SLOTS, np.uint16)
    right, solver = 0, Solver(8)
    for own, opp in zip(positions.own.tolist(), positions.opp.tolist(), strict=True):
        set_numbers(numbers.ctypes.data, evaluation.powers.ctypes.data, own, opp)
        discs = len(list(squares_of(own | opp)))
        value = _look_up(numbers, evaluation.weights[(discs - 4) // 2, 0].ctypes.data, evaluation)
        right += (value > 0) == ((solver.solve(Position(own, opp)).score or 0) > 0)
    assert right / len(positions) > 0.8
