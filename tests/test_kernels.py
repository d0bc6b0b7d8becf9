"""The compiled kernels agree with the plain rules, on every board."""

import os
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from fractions import Fraction
from functools import cache
from itertools import islice
from multiprocessing import get_context
from random import Random

import gridboard
import naive
import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from strategies import (
    SIZES,
    STARTS,
    late_positions,
    lines,
    positions,
    random_line,
    setup_positions,
    square_variants,
    variants,
    words,
)

from outflank.board import kernels
from outflank.board.game import Game
from outflank.board.position import Position
from outflank.board.squares import PASS, squares_of
from outflank.board.variant import Variant

WORD = (1 << 64) - 1
CHECKED_HERE = {"nth_square", "mix", "hash64", "random_word", "random_below", "random_playout"}
CHECKED_HERE |= {"random_playouts", "replay_games"}


def masks(position: Position) -> tuple[int, int, int]:
    """What most kernels take: own discs, the other side's, the board."""
    return position.own, position.opp, position.variant.board


def test_every_kernel_is_checked_against_a_reference() -> None:
    public = {name for name, value in vars(kernels).items() if hasattr(value, "py_func") and name[0] != "_"}
    assert public - CHECKED_HERE <= set(vars(naive))
    assert public >= CHECKED_HERE


# The rules


@given(words)
@example(0)
@example(WORD)
def test_count(mask: int) -> None:
    assert kernels.count(mask) == naive.count(mask)


@given(positions())
@settings(max_examples=300)
def test_legal_moves(position: Position) -> None:
    assert kernels.legal_moves(*masks(position)) == naive.legal_moves(*masks(position))


@given(positions())
def test_legal_moves_are_those_of_both_finders_of_seed_000(position: Position) -> None:
    assert kernels.legal_moves(*masks(position)) == naive.legal_moves_from_discs(*masks(position))
    assert kernels.legal_moves(*masks(position)) == naive.legal_moves_from_empties(*masks(position))


@given(positions())
@settings(max_examples=200)
def test_flips_of_every_empty_square(position: Position) -> None:
    own, opp, board = masks(position)
    for square in squares_of(position.empty):
        assert kernels.flips(own, opp, square) == naive.flips(own, opp, square, board)


@pytest.mark.parametrize("square", range(64))
def test_a_disc_outflanks_in_all_eight_directions_at_once(square: int) -> None:
    rim = sum(1 << place for place in range(64) if place // 8 in (0, 7) or place % 8 in (0, 7))
    own = rim & ~(1 << square)
    opp = WORD & ~own & ~(1 << square)
    star = {
        place for direction in naive.DIRECTIONS for place in naive.ray(divmod(square, 8), direction, naive.to_set(WORD))
    }
    assert kernels.flips(own, opp, square) == opp & naive.to_mask(star)


@given(positions())
def test_play(position: Position) -> None:
    own, opp, board = masks(position)
    for move in [*naive.choices(own, opp, board), naive.PASS]:
        assert kernels.play(own, opp, move) == naive.play(own, opp, move, board)


@given(positions())
def test_final_margin(position: Position) -> None:
    assert kernels.final_margin(*masks(position)) == naive.final_margin(*masks(position))


def test_empties_go_to_the_side_with_more_discs() -> None:
    board = naive.playable_mask(8, 8)
    assert kernels.final_margin(0b111, 0b1000, board) == 2 + 60
    assert kernels.final_margin(0b1000, 0b111, board) == -2 - 60
    assert kernels.final_margin(0b11, 0b1100, board) == 0
    assert kernels.final_margin(0, 0b1, board) == -64


# Features and symmetries


@given(words, variants)
def test_neighbours(mask: int, variant: Variant) -> None:
    mask &= variant.board
    assert kernels.neighbours(mask) & variant.board == naive.neighbours(mask, variant.board)


@given(positions())
@settings(max_examples=200)
def test_frontier(position: Position) -> None:
    assert kernels.frontier(*masks(position)) == naive.frontier(*masks(position))


@given(positions())
@settings(max_examples=300)
def test_stable_discs(position: Position) -> None:
    assert kernels.stable_discs(*masks(position)) == naive.stable_discs(*masks(position))


SMALL = st.sampled_from([Variant(rows, columns, start=start) for rows, columns in SIZES[:12] for start in STARTS])


@given(late_positions(SMALL) | setup_positions(SMALL).filter(lambda position: position.empties <= 5))
@settings(max_examples=200)
def test_a_stable_disc_is_never_turned_whatever_both_sides_play(position: Position) -> None:
    own, opp, board = masks(position)
    for mover, other in ((own, opp), (opp, own)):
        turned = naive.ever_flipped(mover, other, board)
        assert not kernels.stable_discs(mover, other, board) & turned
        assert not kernels.stable_discs(other, mover, board) & turned


def test_brute_force_agrees_that_a_filled_corner_row_is_stable() -> None:
    position = Position.from_text("XXXX XOO- XOO- XXX- X")
    stable = kernels.stable_discs(*masks(position))
    assert stable & ~naive.brute_force_unflippable(*masks(position)) == 0
    assert stable & 0xF == 0xF


@given(words, variants, st.integers(0, 7))
@settings(max_examples=200)
def test_symmetry(mask: int, variant: Variant, which: int) -> None:
    assume(which in variant.symmetries)
    mask &= variant.board
    rows, columns = variant.rows, variant.columns
    assert kernels.symmetry(mask, which, rows, columns) == naive.symmetry(mask, which, rows, columns)


@given(positions())
def test_canonical(position: Position) -> None:
    own, opp, _ = masks(position)
    rows, columns = position.variant.rows, position.variant.columns
    assert kernels.canonical(own, opp, rows, columns) == naive.canonical(own, opp, rows, columns)


@given(positions())
def test_own_symmetries(position: Position) -> None:
    rows, columns = position.variant.rows, position.variant.columns
    own, opp, _ = masks(position)
    assert kernels.own_symmetries(own, opp, rows, columns) == naive.own_symmetries(own, opp, rows, columns)


@given(setup_positions(square_variants))
def test_canonical_decides_by_the_other_side_where_own_discs_are_symmetric(position: Position) -> None:
    size = position.variant.rows
    own = position.variant.corners
    opp = position.opp & ~own
    assert kernels.canonical(own, opp, size, size) == naive.canonical(own, opp, size, size)


# Many positions of random games


def first_disagreement(task: tuple[int, int, str, int, int]) -> str | None:
    """Plays random games by `gridboard` and asks the kernels about each position; says where they differ."""
    rows, columns, kind, seed, how_many = task
    board = gridboard.grid(rows, columns)
    rng = Random(f"{rows}x{columns} {kind} {seed}")
    for own, opp, moves in islice(gridboard.random_positions(rows, columns, kind, rng), how_many):
        empty = board.playable & ~(own | opp)
        asked = {
            "legal_moves": kernels.legal_moves(own, opp, board.playable) == gridboard.mask_of(moves),
            "flips": all(kernels.flips(own, opp, square) == moves.get(square, 0) for square in squares_of(empty)),
            "play": all(
                kernels.play(own, opp, square) == gridboard.play(own, opp, square, turned)
                for square, turned in moves.items()
            ),
            "frontier": kernels.frontier(own, opp, board.playable) == gridboard.frontier(own, opp, board),
            "stable_discs": kernels.stable_discs(own, opp, board.playable) == gridboard.stable_discs(own, opp, board),
        }
        for kernel, agrees in asked.items():
            if not agrees:
                return f"{kernel} differs on {rows}x{columns} at own={own:#x}, opp={opp:#x}"
    return None


def disagreements(positions_in_all: int, seeds: int) -> list[str]:
    """`first_disagreement` on random games spread evenly over the 25 sizes and 3 starts, on two cores."""
    each = -(-positions_in_all // (len(SIZES) * len(STARTS) * seeds))
    tasks = [(*size, start, seed, each) for seed in range(seeds) for size in SIZES for start in STARTS]
    workers = min(2, os.cpu_count() or 1)
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        return [found for found in pool.map(first_disagreement, tasks) if found]


def test_kernels_on_thirty_thousand_positions_of_random_games() -> None:
    assert disagreements(30_000, seeds=1) == []


@pytest.mark.slow
@pytest.mark.timeout(7200)
def test_kernels_on_ten_million_positions_of_random_games() -> None:
    assert disagreements(10_000_000, seeds=20) == []


def test_the_two_references_agree() -> None:
    for rows, columns in SIZES:
        board = gridboard.grid(rows, columns)
        for own, opp, moves in islice(gridboard.random_positions(rows, columns, "diagonal", Random(5)), 60):
            assert gridboard.mask_of(moves) == naive.legal_moves(own, opp, board.playable)
            assert all(naive.flips(own, opp, move, board.playable) == turned for move, turned in moves.items())
            assert gridboard.stable_discs(own, opp, board) == naive.stable_discs(own, opp, board.playable)
            assert gridboard.frontier(own, opp, board) == naive.frontier(own, opp, board.playable)


# Hashing


@cache
def early_positions(how_many: int) -> list[tuple[int, int]]:
    """Distinct positions of the first plies, breadth first: as alike as positions of a search are."""
    board = naive.playable_mask(8, 8)
    found = dict.fromkeys([naive.start(8, 8, "diagonal")])
    waiting = list(found)
    while len(found) < how_many:
        before, waiting = waiting, []
        for own, opp in before:
            for square in squares_of(kernels.legal_moves(own, opp, board)):
                after = kernels.play(own, opp, square)
                if after not in found:
                    found[after] = None
                    waiting.append(after)
    return list(islice(found, how_many))


def test_a_million_positions_have_a_million_hashes() -> None:
    # Half of them with the sides exchanged: own and opp must not be interchangeable.
    found = early_positions(501_000)
    distinct = {*found, *((opp, own) for own, opp in found)}
    assert len(distinct) > 1_000_000
    assert len({kernels.hash64(own, opp) for own, opp in distinct}) == len(distinct)


@given(positions())
def test_the_side_to_move_is_part_of_the_hash(position: Position) -> None:
    assume(position.own != position.opp)
    assert kernels.hash64(position.own, position.opp) != kernels.hash64(position.opp, position.own)


def test_every_bit_of_a_position_flips_every_bit_of_its_hash_half_of_the_time() -> None:
    samples = Random(1).sample(early_positions(501_000), 2000)
    plain = np.array([kernels.hash64(own, opp) for own, opp in samples], np.uint64)
    for bit in range(128):
        own_bit, opp_bit = (1 << bit) & WORD, (1 << bit) >> 64
        changed = np.array([kernels.hash64(own ^ own_bit, opp ^ opp_bit) for own, opp in samples], np.uint64)
        flipped = np.unpackbits((plain ^ changed).view(np.uint8).reshape(-1, 8), axis=1).mean(axis=0)
        # 2,000 fair coins stray by 0.06 once in 10 million times.
        assert np.all(np.abs(flipped - 0.5) < 0.06), f"input bit {bit}"


# Random numbers and playouts


def split_mix(seed: int) -> Iterator[int]:
    """The generator SplitMix64 (Steele, Lea and Flood, 2014)."""
    while True:
        seed = (seed + 0x9E3779B97F4A7C15) & WORD
        word = ((seed ^ seed >> 30) * 0xBF58476D1CE4E5B9) & WORD
        word = ((word ^ word >> 27) * 0x94D049BB133111EB) & WORD
        yield word ^ word >> 31


def test_split_mix_gives_the_published_words() -> None:
    published = [6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431]
    assert list(islice(split_mix(1234567), 4)) == published


@given(words)
def test_mix_is_the_last_step_of_split_mix(seed: int) -> None:
    assert kernels.mix((seed + 0x9E3779B97F4A7C15) & WORD) == next(split_mix(seed))


@given(words, st.integers(0, 63))
def test_nth_square(mask: int, n: int) -> None:
    squares = list(squares_of(mask))
    assume(n < len(squares))
    assert kernels.nth_square(mask, n) == squares[n]


def playout(own: int, opp: int, board: gridboard.Grid, random_words: Iterator[int]) -> int:
    """A random game by the plain rules: one word a move, its high half times the number of moves."""
    first_to_move = True
    while True:
        moves = gridboard.moves(own, opp, board)
        if not moves:
            own, opp, first_to_move = opp, own, not first_to_move
            moves = gridboard.moves(own, opp, board)
            if not moves:
                margin = naive.final_margin(own, opp, board.playable)
                return margin if first_to_move else -margin
        square = sorted(moves)[(next(random_words) >> 32) * len(moves) >> 32]
        own, opp = gridboard.play(own, opp, square, moves[square])
        first_to_move = not first_to_move


@given(positions(), words)
@settings(max_examples=150)
def test_playouts_are_legal_games_drawn_from_split_mix(position: Position, seed: int) -> None:
    own, opp, board = masks(position)
    margins = np.zeros(3, np.int64)
    total = kernels.random_playouts(own, opp, board, margins, seed)
    stream = split_mix(seed)
    grid = gridboard.grid(position.variant.rows, position.variant.columns)
    assert margins.tolist() == [playout(own, opp, grid, stream) for _ in range(3)]
    assert total == margins.sum()


def margin_chances(own: int, opp: int, board: gridboard.Grid) -> dict[int, Fraction]:
    """How probable each final margin is when both sides choose uniformly, by the whole tree."""
    moves = gridboard.moves(own, opp, board)
    if not moves and not gridboard.moves(opp, own, board):
        return {naive.final_margin(own, opp, board.playable): Fraction(1)}
    after = [gridboard.play(own, opp, square, turned) for square, turned in moves.items()] or [(opp, own)]
    chances: dict[int, Fraction] = {}
    for position in after:
        for margin, chance in margin_chances(*position, board).items():
            chances[-margin] = chances.get(-margin, Fraction(0)) + chance / len(after)
    return chances


def test_playouts_choose_uniformly() -> None:
    grid = gridboard.grid(4, 4)
    own, opp, _ = next(islice(gridboard.random_positions(4, 4, "diagonal", Random(3)), 4, None))
    chances = margin_chances(own, opp, grid)
    margins = np.zeros(100_000, np.int64)
    kernels.random_playouts(own, opp, grid.playable, margins, 2024)
    seen = Counter(margins.tolist())
    assert set(seen) <= set(chances)
    chi_square = sum((seen[margin] - 100_000 * chance) ** 2 / (100_000 * chance) for margin, chance in chances.items())
    freedom = len(chances) - 1
    assert freedom > 10
    # Chi-square has mean `freedom` and variance 2 × `freedom`: four deviations are one in ten thousand.
    assert chi_square < freedom + 4 * (2 * freedom) ** 0.5


def test_playouts_repeat_with_their_seed_and_differ_without() -> None:
    start = Position.start()
    runs = [np.zeros(50, np.int64) for _ in range(3)]
    for margins, seed in zip(runs, (7, 7, 8), strict=True):
        kernels.random_playouts(*masks(start), margins, seed)
    assert runs[0].tolist() == runs[1].tolist() != runs[2].tolist()


# Replaying games


def replay(variant: Variant, rows: list[list[int]]) -> list[tuple[int, int, int]]:
    """The kernel's answer for each row: first illegal ply or -1, whether over, Black's margin."""
    return replay_with_movers(variant, rows)[0]


def replay_with_movers(variant: Variant, rows: list[list[int]]) -> tuple[list[tuple[int, int, int]], list[list[int]]]:
    """The same, and who played each legal move: 0 the side that moved first, 1 the other, 255 for none."""
    games = np.full((len(rows), 70), 255, np.uint8)
    for game, row in zip(games, rows, strict=True):
        game[: len(row)] = row
    results, movers = np.full((len(rows), 3), 99, np.int64), np.full_like(games, 255)
    start = Position.start(variant)
    kernels.replay_games(start.own, start.opp, variant.board, games, results, movers)
    return [(illegal, over, margin) for illegal, over, margin in results.tolist()], movers.tolist()


def replay_by_game(variant: Variant, row: list[int]) -> tuple[int, int, int]:
    """The same from a `Game`, one push a move."""
    game = Game(variant)
    illegal = -1
    for ply, move in enumerate(row):
        try:
            game.push(move)
        except ValueError:
            illegal = ply
            break
    end = game.position
    return illegal, int(end.is_over), naive.final_margin(end.black, end.white, variant.board)


def without_passes(line: list[int]) -> list[int]:
    return [move for move in line if move != PASS]


@given(lines())
def test_replay_follows_a_game_and_its_passes(line: tuple[Variant, list[int]]) -> None:
    variant, moves = line
    row = without_passes(moves)
    assert replay(variant, [row]) == [replay_by_game(variant, row)]
    assert replay(variant, [row])[0][0] == -1


@given(lines())
def test_replay_tells_who_played_each_move(line: tuple[Variant, list[int]]) -> None:
    variant, moves = line
    nodes = Game.from_moves(moves, variant).line
    movers = [int(node.mover) for node in nodes if node.move != PASS and node.mover is not None]
    _, [found] = replay_with_movers(variant, [without_passes(moves)])
    assert found == movers + [255] * (70 - len(movers))


@given(lines(), st.integers(0, 254), st.data())
@settings(max_examples=300)
def test_replay_stops_at_the_first_illegal_move(
    line: tuple[Variant, list[int]], wrong: int, data: st.DataObject
) -> None:
    variant, moves = line
    row = without_passes(moves)
    row.insert(data.draw(st.integers(0, len(row))), wrong)
    assert replay(variant, [row]) == [replay_by_game(variant, row)]


def test_replay_names_the_ply_of_a_move_on_an_occupied_square() -> None:
    line = [26, 18, 19, 34]  # c4 c3 d3 c5
    assert replay(Variant(), [[*line, 18, 20]])[0][0] == 4
    assert replay(Variant(), [line, [*line, 99], [*line, 0], [*line, PASS]])[1:] == [
        (4, 0, naive_margin(line)),
        (4, 0, naive_margin(line)),
        (4, 0, naive_margin(line)),
    ]


def naive_margin(line: list[int]) -> int:
    """Black's margin on 8x8 after some moves without passes."""
    own, opp = naive.start(8, 8, "diagonal")
    board = naive.playable_mask(8, 8)
    for move in line:
        own, opp = naive.play(own, opp, move, board)
    margin = naive.final_margin(own, opp, board)
    return margin if len(line) % 2 == 0 else -margin


def test_replay_of_finished_games_with_and_without_a_move_too_many() -> None:
    rng = Random(11)
    for rows, columns in SIZES:
        variant = Variant(rows, columns)
        finished = [without_passes(random_line(variant, rng.randbytes(70))[1]) for _ in range(8)]
        for (illegal, over, _), row in zip(replay(variant, finished), finished, strict=True):
            assert (illegal, over) == (-1, 1)
            for square in variant.squares[::5]:
                assert replay(variant, [[*row, square]])[0][:2] == (len(row), 1)
        assert replay(variant, finished) == [replay_by_game(variant, row) for row in finished]
