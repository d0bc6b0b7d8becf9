"""The size of the game tree: published counts on the usual boards, the plain rules on all others."""

import naive
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import SIZES, STARTS, positions

from outflank.board import kernels
from outflank.board.perft import UNINTERRUPTED, perft
from outflank.board.position import Position
from outflank.board.variant import Start, Variant

# Leaves at depth 1, 2, 3, …: a pass is one ply, a finished game counts once.
OTHELLO = [4, 12, 56, 244, 1396, 8200, 55092, 390216, 3005288, 24571284, 212258800, 1939886636, 18429641748]
SIX_BY_SIX = [4, 12, 56, 244, 1364, 7604, 47740, 308716, 2114912, 14976792]
FOUR_BY_FOUR = [4, 12, 44, 128, 424, 1256, 3624, 9116, 20044, 36540, 50704, 57436]
ALL_GAMES_OF_FOUR_BY_FOUR = 60060

QUICK = [
    *((Variant(), depth, leaves) for depth, leaves in enumerate(OTHELLO[:11], 1)),
    *((Variant(6, 6), depth, leaves) for depth, leaves in enumerate(SIX_BY_SIX, 1)),
    *((Variant(4, 4), depth, leaves) for depth, leaves in enumerate(FOUR_BY_FOUR, 1)),
]


def leaves_by_kernel(position: Position, depth: int) -> int:
    return kernels.perft(position.own, position.opp, position.variant.board, depth)


def leaves_by_the_rules(position: Position, depth: int) -> int:
    return naive.perft(position.own, position.opp, position.variant.board, depth)


@pytest.mark.parametrize(("variant", "depth", "leaves"), QUICK)
def test_published_counts(variant: Variant, depth: int, leaves: int) -> None:
    assert leaves_by_kernel(Position.start(variant), depth) == leaves
    assert perft(Position.start(variant), depth) == leaves


@pytest.mark.slow
@pytest.mark.parametrize("depth", [12, 13])
def test_published_counts_of_thousands_of_millions(depth: int) -> None:
    assert perft(Position.start(), depth) == OTHELLO[depth - 1]


def test_four_by_four_has_60060_games() -> None:
    start = Position.start(Variant(4, 4))
    longest = next(depth for depth in range(12, 40) if leaves_by_kernel(start, depth) == leaves_by_kernel(start, 40))
    assert leaves_by_kernel(start, longest) == ALL_GAMES_OF_FOUR_BY_FOUR
    assert perft(start, longest + 1) == ALL_GAMES_OF_FOUR_BY_FOUR


def test_depth_zero_is_one_leaf() -> None:
    assert leaves_by_kernel(Position.start(), 0) == 1
    assert perft(Position.start(), 0) == 1


@pytest.mark.parametrize("name", ["", "-4x4", "-6x6", "-5x7-parallel", "-mirrored"])
def test_the_objective_does_not_change_the_tree(name: str) -> None:
    most, fewest = (Position.start(Variant.named(game + name)) for game in ("othello", "reversed"))
    assert perft(most, 7) == perft(fewest, 7)


@pytest.mark.parametrize("start", STARTS)
@pytest.mark.parametrize("size", SIZES)
def test_every_board_and_start_by_the_rules(size: tuple[int, int], start: Start) -> None:
    position = Position.start(Variant(*size, start=start))
    for depth in (0, 1, 2, 4):
        assert leaves_by_kernel(position, depth) == leaves_by_the_rules(position, depth)


@pytest.mark.slow
@pytest.mark.parametrize("start", STARTS)
def test_the_whole_four_by_four_tree_by_the_rules(start: Start) -> None:
    position = Position.start(Variant(4, 4, start=start))
    assert leaves_by_kernel(position, 20) == leaves_by_the_rules(position, 20)


@given(positions(), st.integers(0, 3))
@settings(max_examples=80)
def test_any_position_by_the_rules(position: Position, depth: int) -> None:
    assert leaves_by_kernel(position, depth) == leaves_by_the_rules(position, depth)


def test_a_tree_and_its_mirror_image_have_the_same_size() -> None:
    for size in SIZES:
        diagonal, mirrored = (Position.start(Variant(*size, start=start)) for start in ("diagonal", "mirrored"))
        # Where a side is even, a reflection maps one start onto the other.
        if size[0] % 2 == 0 or size[1] % 2 == 0:
            assert perft(diagonal, 6) == perft(mirrored, 6)


def test_splitting_the_tree_at_the_root_changes_nothing() -> None:
    start = Position.start(Variant(6, 6))
    assert perft(start, UNINTERRUPTED + 1) == leaves_by_kernel(start, UNINTERRUPTED + 1)


def test_a_pass_is_one_ply_and_a_finished_game_one_leaf() -> None:
    over = Position.from_text("XXXX XXXX XXXX XXX- X")
    assert [leaves_by_kernel(over, depth) for depth in range(4)] == [1, 1, 1, 1]
    # White passes, Black takes a1 or d4, White passes, Black takes the other.
    white_passes = Position.from_text("-OXX XXXX XXXX XXO- O")
    assert [leaves_by_kernel(white_passes, depth) for depth in range(6)] == [1, 1, 2, 2, 2, 2]
    deep = (UNINTERRUPTED, UNINTERRUPTED + 1, UNINTERRUPTED + 8)
    assert [perft(white_passes, depth) for depth in deep] == [2, 2, 2]
    assert [perft(over, depth) for depth in deep] == [1, 1, 1]
