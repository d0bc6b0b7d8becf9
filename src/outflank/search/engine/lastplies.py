"""The last plies of a game, solved without a table: at most five empty squares, in an order known beforehand.

All of these answer a null-window question: is the score above `alpha` or not? The value returned is a bound on the
right side of it (fail-soft). Scores are in discs under the objective. `endgame` comes here for what is left.

Most nodes are here, and what a call costs counts: arguments beyond the fourth go through memory (Numba adds two). So a
pass is no call: the sides change and the score turns its sign. Each number of empties has a kernel of its own; those of
one to three are inlined.
"""

import numpy as np

from outflank.board.compiled import int64, kernel, uint64
from outflank.board.kernels import ONE, ZERO, legal_moves
from outflank.board.vectors import count, flips, lowest
from outflank.search.engine.desk import Desk, empties_of

NO_SCORE = -128
"""Below every score: no move was found."""
COLUMN_A = uint64(0x0101010101010101)
COLUMN_TO_ROW = uint64(0x0102040810204080)
TOP_BYTE, BYTE = uint64(56), uint64(0xFF)


def _flips_on_a_line(place: int, own: int) -> int:
    """How many discs turn on a full line of eight when a disc is played at a place; `own` are the own discs' bits."""
    turned = 0
    for step in (1, -1):
        run, at = 0, place + step
        while 0 <= at < 8 and not own >> at & 1:
            run, at = run + 1, at + step
        if 0 <= at < 8:
            turned += run
    return turned


def _diagonals(step: int) -> list[int]:
    masks = []
    for square in range(64):
        row, column = divmod(square, 8)
        cells = [(row + k, column + step * k) for k in range(-7, 8)]
        masks.append(sum(1 << (8 * r + c) for r, c in cells if 0 <= r < 8 and 0 <= c < 8))
    return masks


# Off a small board the bits are zero, which reads as enemy discs without an own one behind: they turn nothing.
LINE_FLIPS = np.array([_flips_on_a_line(place, own) for place in range(8) for own in range(256)], np.uint8)
FALLING, RISING = (np.array(_diagonals(step), np.uint64) for step in (1, -1))


@kernel("int64(uint64, uint64)")
def last_flips(own: int, square: int) -> int:
    """How many discs turn when the last empty square is played: all other squares are own or enemy."""
    column, row = square & uint64(7), square >> uint64(3)
    by_column, by_row = column << uint64(8), row << uint64(8)
    turned = int64(LINE_FLIPS[by_column + ((own >> (row << uint64(3))) & BYTE)])
    turned += int64(LINE_FLIPS[by_row + ((((own >> column) & COLUMN_A) * COLUMN_TO_ROW) >> TOP_BYTE)])
    turned += int64(LINE_FLIPS[by_column + (((own & FALLING[square]) * COLUMN_A) >> TOP_BYTE)])
    turned += int64(LINE_FLIPS[by_column + (((own & RISING[square]) * COLUMN_A) >> TOP_BYTE)])
    return turned


@kernel("int64(uint64, uint64, Desk)")
def final_score(own: int, opp: int, desk: Desk) -> int:
    """The score of a finished game; empties go to the side with more discs unless raw differences are wanted."""
    mine, theirs = int64(count(own)), int64(count(opp))
    margin = mine - theirs
    if desk.raw == ZERO:
        empties = int64(desk.square_count) - mine - theirs
        if margin > 0:
            margin += empties
        elif margin < 0:
            margin -= empties
    return -margin if desk.reversed else margin


@kernel("int64(uint64, uint64, uint64, Desk)", inlined=True)
def solve_1(own: int, opp: int, square: int, desk: Desk) -> int:
    """One empty square: there is nothing to choose."""
    desk.nodes += ONE
    turned = last_flips(own, square)
    if turned:
        margin = 2 * (int64(count(own)) + turned + 1) - int64(desk.square_count)
        return -margin if desk.reversed else margin
    turned = last_flips(opp, square)
    if turned:
        margin = int64(desk.square_count) - 2 * (int64(count(opp)) + turned + 1)
        return -margin if desk.reversed else margin
    return final_score(own, opp, desk)


@kernel("int64(uint64, uint64, uint64, uint64, int64, Desk)", inlined=True)
def solve_2(own: int, opp: int, first: int, second: int, alpha: int, desk: Desk) -> int:
    """Two empty squares, in the order to try them."""
    sign = int64(1)
    while True:
        desk.nodes += ONE
        turned = flips(own, opp, first)
        best = int64(NO_SCORE)
        if turned:
            best = -solve_1(opp & ~turned, own | turned | (ONE << first), second, desk)
            if best > alpha:
                return sign * best
        turned = flips(own, opp, second)
        if turned:
            best = max(best, -solve_1(opp & ~turned, own | turned | (ONE << second), first, desk))
        if best > int64(NO_SCORE):
            return sign * best
        if sign < int64(0):
            return -final_score(own, opp, desk)
        own, opp, alpha, sign = opp, own, -alpha - 1, int64(-1)


@kernel("int64(uint64, uint64, uint64, uint64, uint64, int64, Desk)", inlined=True)
def solve_3(own: int, opp: int, first: int, second: int, third: int, alpha: int, desk: Desk) -> int:
    """Three empty squares, in the order to try them."""
    sign = int64(1)
    while True:
        desk.nodes += ONE
        best = int64(NO_SCORE)
        turned = flips(own, opp, first)
        if turned:
            best = -solve_2(opp & ~turned, own | turned | (ONE << first), second, third, -alpha - 1, desk)
            if best > alpha:
                return sign * best
        turned = flips(own, opp, second)
        if turned:
            value = -solve_2(opp & ~turned, own | turned | (ONE << second), first, third, -alpha - 1, desk)
            best = max(best, value)
            if best > alpha:
                return sign * best
        turned = flips(own, opp, third)
        if turned:
            value = -solve_2(opp & ~turned, own | turned | (ONE << third), first, second, -alpha - 1, desk)
            best = max(best, value)
        if best > int64(NO_SCORE):
            return sign * best
        if sign < int64(0):
            return -final_score(own, opp, desk)
        own, opp, alpha, sign = opp, own, -alpha - 1, int64(-1)


@kernel("uint64(uint64, Desk)")
def favoured_quarters(empty: int, desk: Desk) -> int:
    """The quarters of the board to move in first: who begins in one with an odd number of empties also ends there.

    Where fewest win nobody wants that, and the even ones are better.
    """
    odd = ZERO
    for quarter in range(uint64(4)):
        mask = desk.quarters[quarter]
        if count(empty & mask) & ONE:
            odd |= mask
    return ~odd if desk.reversed else odd


@kernel("uint64(uint64, uint64)")
def _first_of(squares: int, favoured: int) -> int:
    """The square to try first: one in a favoured quarter if there is any."""
    wanted = squares & favoured
    return lowest(wanted) if wanted else lowest(squares)


@kernel("uint64(uint64, Desk)", inlined=True)
def _likeliest(squares: int, desk: Desk) -> int:
    """The square to try first among some: a corner, and an X square last; where fewest win, a corner last."""
    wanted = squares & desk.tried_first
    if wanted == ZERO:
        wanted = squares & ~desk.tried_last
    return lowest(wanted) if wanted else lowest(squares)


@kernel("int64(uint64, uint64, uint64, int64, Desk)")
def solve_4(own: int, opp: int, favoured: int, alpha: int, desk: Desk) -> int:
    """Four empty squares: those in favoured quarters first, among what is left after each move too."""
    sign, empty = int64(1), empties_of(own, opp, desk)
    while True:
        desk.nodes += ONE
        best = int64(NO_SCORE)
        waiting, later = empty & favoured, empty & ~favoured
        if waiting == ZERO:
            waiting, later = later, ZERO
        while waiting:
            square = _likeliest(waiting, desk)
            waiting ^= ONE << square
            turned = flips(own, opp, square)
            if turned:
                rest, still_favoured = empty ^ (ONE << square), favoured ^ desk.quarter_of[square]
                first = _first_of(rest, still_favoured)
                rest ^= ONE << first
                second = _first_of(rest, still_favoured)
                third = lowest(rest ^ (ONE << second))
                next_own, next_opp = opp & ~turned, own | turned | (ONE << square)
                value = -solve_3(next_own, next_opp, first, second, third, -alpha - 1, desk)
                if value > best:
                    best = value
                    if value > alpha:
                        return sign * value
            if waiting == ZERO:
                waiting, later = later, ZERO
        if best > int64(NO_SCORE):
            return sign * best
        if sign < int64(0):
            return -final_score(own, opp, desk)
        own, opp, alpha, sign = opp, own, -alpha - 1, int64(-1)


@kernel("int64(uint64, uint64, uint64, uint64, int64, Desk)")
def solve_5(own: int, opp: int, moves: int, favoured: int, alpha: int, desk: Desk) -> int:
    """Five empty squares, with the moves, which who comes here mostly knows; likewise by parity."""
    desk.nodes += ONE
    sign = int64(1)
    if moves == ZERO:
        own, opp, alpha, sign = opp, own, -alpha - 1, int64(-1)
        desk.nodes += ONE
        moves = legal_moves(own, opp, desk.board)
        if moves == ZERO:
            return -final_score(own, opp, desk)
    best = int64(NO_SCORE)
    waiting, later = moves & favoured, moves & ~favoured
    if waiting == ZERO:
        waiting, later = later, ZERO
    while waiting:
        square = _likeliest(waiting, desk)
        waiting ^= ONE << square
        turned = flips(own, opp, square)
        next_own, next_opp = opp & ~turned, own | turned | (ONE << square)
        value = -solve_4(next_own, next_opp, favoured ^ desk.quarter_of[square], -alpha - 1, desk)
        if value > best:
            best = value
            if value > alpha:
                break
        if waiting == ZERO:
            waiting, later = later, ZERO
    return sign * best


@kernel("int64(uint64, uint64, uint64, int64, Desk)")
def solve_by_parity(own: int, opp: int, empty: int, alpha: int, desk: Desk) -> int:
    """At most five empty squares, full boards included."""
    left = count(empty)
    if left >= uint64(4):
        favoured = favoured_quarters(empty, desk)
        if left == uint64(5):
            return solve_5(own, opp, legal_moves(own, opp, desk.board), favoured, alpha, desk)
        return solve_4(own, opp, favoured, alpha, desk)
    if left == ZERO:
        return final_score(own, opp, desk)
    first = lowest(empty)
    if left == ONE:
        return solve_1(own, opp, first, desk)
    rest = empty & (empty - ONE)
    second = lowest(rest)
    if left == uint64(2):
        return solve_2(own, opp, first, second, alpha, desk)
    return solve_3(own, opp, first, second, lowest(rest & (rest - ONE)), alpha, desk)
