"""Heuristics: the named ones are what their documents say, and anybody's own function becomes one in three lines."""

import math
import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest
from naive_heuristics import PLAIN
from searching import ordinary, special

import outflank
from outflank.board.game import Game
from outflank.board.position import Position
from outflank.board.variant import REVERSED, Objective, Variant
from outflank.features import count, mobility, square_weights
from outflank.heuristics.compiling import compile_evaluation
from outflank.heuristics.diagnosis import CannotCompile
from outflank.heuristics.heuristic import Heuristic, WrittenHeuristic, heuristic, sample_positions
from outflank.heuristics.named import NAMED, find
from outflank.heuristics.weighted import Term, WeightedHeuristic
from outflank.search.limits import Limit
from outflank.search.trees.search import TreeSearch

OTHELLO = Variant()
FULL = OTHELLO.board
EXAMPLES = Path(__file__).parent.parent / "examples"
SIZES = [(8, 8), (6, 6), (5, 7), (4, 4)]


@pytest.fixture(autouse=True)
def silence() -> Any:
    """A heuristic of these tests compiles without a warning, unless its test expects one."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", CannotCompile)
        yield


def value_of(one: Heuristic, position: Position) -> float:
    return one.value(position.own, position.opp, position.variant)


# By name


@pytest.mark.parametrize("objective", ["most", "fewest"])
@pytest.mark.parametrize("name", NAMED)
def test_a_named_heuristic_is_what_its_document_says(name: str, objective: Objective) -> None:
    """Written out by hand in tests/naive_heuristics.py: every weight, sign, phase and table."""
    for size in SIZES:
        variant = Variant(*size, objective)
        for position in (*ordinary(variant, 6, 1), *(here for _, here in special(variant, 1, 1)[:4])):
            plain = PLAIN[name](position.own, position.opp, variant.board, objective == "fewest")
            assert value_of(NAMED[name], position) == pytest.approx(plain, rel=1e-9, abs=1e-6), position.text


@pytest.mark.parametrize("name", NAMED)
def test_the_shares_of_the_terms_add_up_to_the_value(name: str) -> None:
    for variant in (OTHELLO, REVERSED, Variant.named("6x6")):
        for position in ordinary(variant, 5, 2):
            lines = NAMED[name].lines(position.own, position.opp, variant)
            total = sum(line.share or 0.0 for line in lines)
            assert value_of(NAMED[name], position) == pytest.approx(total, rel=1e-9, abs=1e-6)


MOBILITY_TERMS = {"moves", "liberty", "potential liberty", "mobility", "potential mobility", "m: mobility"}


def test_terms_of_mobility_keep_their_sign_and_all_others_change_it() -> None:
    for one in NAMED.values():
        for term in one.terms:
            assert term.turns == (term.name not in MOBILITY_TERMS), (one.name, term.name)


def test_every_heuristic_declares_the_game_it_was_made_for() -> None:
    assert {one.name for one in NAMED.values() if one.objective == "fewest"} == {"corner-shy"}
    assert all(one.objective in ("most", "fewest") and one.summary for one in NAMED.values())


@pytest.mark.parametrize(
    ("name", "near"), [("mobillity", "mobility"), ("cornershy", "corner-shy"), ("phase", "phased")]
)
def test_a_misspelt_name(name: str, near: str) -> None:
    with pytest.raises(ValueError, match=rf"'{name}' is not a heuristic: did you mean .*{near}"):
        find(name)


def test_a_name_that_is_like_none() -> None:
    with pytest.raises(
        ValueError, match=r"choose from corner-shy, phased, .*combined \(or a file, such as ./mine.py:edges"
    ):
        find("xyzzy")


def test_what_is_no_heuristic_is_refused_at_once() -> None:
    def with_default(own: int, opp: int, board: int, weight: int = 3) -> float:
        return weight

    async def later(own: int, opp: int, board: int) -> float:
        return 1.0

    for function, why in ((with_default, "takes .*weight"), (later, "without async")):
        with pytest.raises(TypeError, match=why):
            heuristic(function)  # type: ignore[arg-type]


@pytest.mark.filterwarnings("ignore::outflank.heuristics.diagnosis.CannotCompile")
def test_a_huge_number_and_an_exit_are_one_line() -> None:
    def huge(own: int, opp: int, board: int) -> float:
        return int("9" * 400)

    def leaves(own: int, opp: int, board: int) -> float:
        raise SystemExit(0)

    for function, why in ((huge, "too large for a float"), (leaves, "raised SystemExit")):
        with pytest.raises(ValueError, match=why):
            TreeSearch(heuristic(function)).run(Position.start(), Limit(depth=2))


# Sums of terms


def test_a_sum_is_changed_by_its_terms_names() -> None:
    changed = NAMED["evaluation-1"].with_weights({"mobility": (5.0,)})
    position = Game.from_transcript("f5f6e6f4").position
    more = value_of(changed, position) - value_of(NAMED["evaluation-1"], position)
    assert more == pytest.approx(
        4 * (mobility(position.own, position.opp, FULL) - mobility(position.opp, position.own, FULL))
    )


def test_a_sum_with_wrong_terms() -> None:
    with pytest.raises(ValueError, match="has no term 'moblity': its terms are score, mobility, piece values"):
        NAMED["evaluation-1"].with_weights({"moblity": (5.0,)})
    with pytest.raises(ValueError, match="mobility needs 1 or 2 weights, not 3"):
        WeightedHeuristic("mine", "", "most", (Term("mobility", mobility, (1.0, 2.0, 3.0)),), phases=(30,))


def test_sums_with_other_tables_are_other_heuristics() -> None:
    """Compiled code is kept on disk: two sums of one shape must not be taken for each other."""
    dice = Random(1)
    position = ordinary(OTHELLO, 1, 5)[0]
    for _ in range(4):
        table = [[float(dice.randint(-9, 9)) for _ in range(8)] for _ in range(8)]
        one = WeightedHeuristic("mine", "", "most", (Term("squares", square_weights(table), (1.0,)),))
        plain = sum(
            table[square // 8][square % 8] * ((position.own >> square & 1) - (position.opp >> square & 1))
            for square in range(64)
        )
        assert value_of(one, position) == plain


# A function of three bitboards


@pytest.mark.parametrize("name", ["edges", "quiet", "squares", "give_away"])
def test_the_examples_compile_and_play(name: str) -> None:
    one = find(f"{EXAMPLES}/mine.py:{name}")
    for variant in (OTHELLO, Variant.named("reversed-6x6")):
        position = ordinary(variant, 1, 8)[0]
        assert TreeSearch(one).run(position, Limit(depth=4)).depth == min(4, position.empties)
        assert isinstance(one, WrittenHeuristic) and one.is_compiled(variant)


CORNER_MASK = 0x8100000000000081
WORTH = [100, -20, 10, 5, 5, 10, -20, 100]
GRID = [[1, 2.5, 3, 4, 5, 6, 7, 8]] * 8
MASKS_AND_WORTHS = [(CORNER_MASK, 100), (0x42C300000000C342, -25)]
WHOLE_AND_BROKEN = (1, 2.5, 3)


def twice(number: int) -> int:
    return 2 * number


def twice_and_one(number: int) -> int:
    return twice(number) + 1


def twice_and_twice(number: int) -> int:
    return twice(number) + twice_and_one(number)


def discs_left(mask: int) -> int:
    return 0 if mask == 0 else 1 + discs_left(mask & (mask - 1))


@heuristic
def corner_count(own, opp, board):  # type: ignore[no-untyped-def]
    return count(own & CORNER_MASK)


def with_closure(factor: float) -> Any:
    def weigh(number: int) -> float:
        return factor * number

    def closed(own, opp, board):  # type: ignore[no-untyped-def]
        return weigh(count(own)) - factor

    return closed


def constant(own, opp, board):  # type: ignore[no-untyped-def]
    return count(own & CORNER_MASK) - count(opp & CORNER_MASK)


def helper_of_helpers(own, opp, board):  # type: ignore[no-untyped-def]
    return twice_and_twice(count(own)) - twice(count(opp))


def another_heuristic(own, opp, board):  # type: ignore[no-untyped-def]
    return corner_count(own, opp, board) - corner_count(opp, own, board)


def recursion(own, opp, board):  # type: ignore[no-untyped-def]
    return discs_left(own) - discs_left(opp)


def list_of_values(own, opp, board):  # type: ignore[no-untyped-def]
    return sum([WORTH[square] for square in range(8) if own >> square & 1])


def grid_of_values(own, opp, board):  # type: ignore[no-untyped-def]
    total = 0.0
    for row in range(8):
        for column in range(8):
            if own & (1 << (8 * row + column)):
                total += GRID[row][column]
    return total


def masks_with_worths(own, opp, board):  # type: ignore[no-untyped-def]
    total = 0
    for mask, worth in MASKS_AND_WORTHS:
        total += worth * (count(own & mask) - count(opp & mask))
    return total


def numbers_of_two_kinds(own, opp, board):  # type: ignore[no-untyped-def]
    return WHOLE_AND_BROKEN[count(own) % 3]


def bits(own, opp, board):  # type: ignore[no-untyped-def]
    rest, far = own, 0
    while rest:
        lowest = rest & -rest
        rest ^= lowest
        far += lowest.bit_length() - opp.bit_count()
    return far


def inner_function(own, opp, board):  # type: ignore[no-untyped-def]
    def squared(number: int) -> int:
        return number * twice(number)

    return squared(count(own))


def signs(own, opp, board):  # type: ignore[no-untyped-def]
    return 50 * (own & 1) - 50 * (opp & 1) + 2 * (own >> 63 & 1) - 1


def truth(own, opp, board):  # type: ignore[no-untyped-def]
    return mobility(own, opp, board) > mobility(opp, own, board)


def math_and_empties(own, opp, board):  # type: ignore[no-untyped-def]
    empty = count(~(own | opp) & board)
    return math.sqrt(empty) + max(0, abs(empty - 20), 1.5)


COMPILED: list[Callable[..., Any]] = [
    constant,
    helper_of_helpers,
    another_heuristic,
    recursion,
    list_of_values,
    grid_of_values,
    masks_with_worths,
    numbers_of_two_kinds,
    bits,
    inner_function,
    signs,
    truth,
    math_and_empties,
    with_closure(2.5),
]


@pytest.mark.parametrize("function", COMPILED, ids=lambda function: function.__name__)
def test_ordinary_python_is_compiled_and_means_the_same(function: Callable[..., Any]) -> None:
    """Helpers, recursion, closures, constants, lists, bit tricks: the machine code equals the text everywhere."""
    one = heuristic(function)
    assert one.is_compiled(OTHELLO)
    for position in (*ordinary(OTHELLO, 60, 4), *(here for _, here in special(OTHELLO, 1, 4))):
        assert value_of(one, position) == float(function(position.own, position.opp, FULL))


def test_what_cannot_be_compiled_has_the_same_value_and_move() -> None:
    @heuristic
    def slow(own, opp, board):  # type: ignore[no-untyped-def]
        return bin(own).count("1") + 3 * bin(mobility(own, opp, board)).count("1")

    @heuristic
    def fast(own, opp, board):  # type: ignore[no-untyped-def]
        return own.bit_count() + 3 * mobility(own, opp, board).bit_count()

    with pytest.warns(CannotCompile, match="slow cannot be compiled at .*`bin` is not allowed") as warned:
        assert not slow.is_compiled(OTHELLO)
    assert len(warned) == 1
    for position in ordinary(OTHELLO, 5, 6):
        assert value_of(slow, position) == value_of(fast, position)
        for depth in (1, 3):
            one, other = (TreeSearch(way).run(position, Limit(depth=depth)) for way in (slow, fast))
            assert (one.move, one.score, one.nodes) == (other.move, other.score, other.nodes)


def test_a_heuristic_that_numba_already_compiles() -> None:
    import numba

    one = heuristic(numba.njit(constant))
    assert one.name == "constant"
    assert one.is_compiled(OTHELLO)


def test_the_machine_code_of_an_error_is_nan() -> None:
    def odd(own, opp, board):  # type: ignore[no-untyped-def]
        if own & 1:
            raise ValueError("a1")
        return 5

    compiled = compile_evaluation(odd)
    assert compiled.ctypes(2, 4, FULL) == 5
    assert math.isnan(compiled.ctypes(1, 4, FULL))
    assert compile_evaluation(odd, negated=True).ctypes(2, 4, FULL) == -5


def test_samples_are_of_all_phases_and_have_a_move() -> None:
    for variant in (OTHELLO, Variant.named("4x4")):
        samples = [Position(own, opp, variant=variant) for own, opp in sample_positions(variant)]
        assert all(position.legal for position in samples)
        assert len(samples) > 15
        discs = [variant.square_count - position.empties for position in samples]
        assert min(discs) < variant.square_count / 3
        assert max(discs) > variant.square_count * 2 / 3


# The objective


def test_a_heuristic_for_one_game_is_turned_round_in_the_other() -> None:
    @heuristic(objective="fewest")
    def few(own, opp, board):  # type: ignore[no-untyped-def]
        return count(opp)

    @heuristic
    def either(own, opp, board):  # type: ignore[no-untyped-def]
        return count(opp)

    position = Game.from_transcript("f5d6c3").position
    reversed_game = Position(position.black, position.white, position.turn, REVERSED)
    assert value_of(few, reversed_game) == value_of(either, reversed_game) == value_of(either, position)
    assert value_of(few, position) == -value_of(either, position)
    for here, one in ((position, few), (reversed_game, few), (reversed_game, either)):
        line = TreeSearch(one).run(here, Limit(depth=2)).pv
        end = here.play(line[0]).play(line[1])
        assert TreeSearch(one).run(here, Limit(depth=2)).score == value_of(one, end)


@pytest.mark.parametrize("objective", ["reversed", "least", "", 1])
def test_an_objective_is_most_or_fewest(objective: Any) -> None:
    with pytest.raises(ValueError, match="the objective of a heuristic must be 'most' or 'fewest' discs, or None, not"):
        heuristic(objective=objective)(constant)


# What is no heuristic


def test_a_heuristic_takes_three_bitboards() -> None:
    def two(own, opp):  # type: ignore[no-untyped-def]
        return 1

    with pytest.raises(
        TypeError, match=r"a heuristic is a function of \(own, opp, board\), but two takes \(own, opp\)"
    ):
        heuristic(two)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="@heuristic must stand above a function, not"):
        heuristic(3)  # type: ignore[call-overload]
    with pytest.raises(TypeError, match="@heuristic must stand above a function, not <class"):

        @heuristic  # type: ignore[arg-type]
        class Wrong:
            pass


# The public names


def test_public_names() -> None:
    assert {"heuristic", "agent", "Limit", "Report"} <= set(outflank.__all__)
    assert outflank.heuristic is heuristic
    assert outflank.agent("greedy").choose(Game(), outflank.Limit()).move == 19
    assert all(hasattr(outflank, name) for name in outflank.__all__)


def test_importing_outflank_loads_no_numba() -> None:
    code = "import outflank, sys; outflank.Limit; outflank.__all__; sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
