"""The features in sets of squares: the slow, plain truth that the compiled ones are tested against.

Every function has the name and the meaning of the feature it checks (src/outflank/heuristics/features.py). It takes
stride-8 bitboards, `own` the side that is counted for, `playable` the mask of the board.
"""

from collections.abc import Sequence

import naive
from naive import DIRECTIONS, Square, around, ray, to_mask, to_set

STRAIGHT = [(0, 1), (1, 0), (0, -1), (-1, 0)]


def size(playable: int) -> tuple[int, int]:
    """Rows and columns of a board."""
    last = max(to_set(playable))
    return last[0] + 1, last[1] + 1


def empty_squares(own: int, opp: int, playable: int) -> set[Square]:
    return to_set(playable) - to_set(own) - to_set(opp)


def corner_set(playable: int) -> set[Square]:
    rows, columns = size(playable)
    return {(row, column) for row in (0, rows - 1) for column in (0, columns - 1)}


# Discs and mobility


def disc_count(own: int, opp: int, playable: int) -> int:
    return len(to_set(own))


def disc_difference(own: int, opp: int, playable: int) -> int:
    return len(to_set(own)) - len(to_set(opp))


def empties(own: int, opp: int, playable: int) -> int:
    return len(empty_squares(own, opp, playable))


def mobility(own: int, opp: int, playable: int) -> int:
    return naive.count(naive.legal_moves(own, opp, playable))


def potential_mobility_squares(own: int, opp: int, playable: int) -> int:
    enemies = to_set(opp)
    return to_mask(square for square in empty_squares(own, opp, playable) if around(square) & enemies)


def potential_mobility(own: int, opp: int, playable: int) -> int:
    return naive.count(potential_mobility_squares(own, opp, playable))


def potential_mobility_by_disc(own: int, opp: int, playable: int) -> int:
    blank = empty_squares(own, opp, playable)
    return sum(len(around(disc) & blank) for disc in to_set(opp))


def potential_liberty(own: int, opp: int, playable: int) -> int:
    blank = empty_squares(own, opp, playable)
    return sum(len(around(disc) & blank) for disc in to_set(own))


# Frontier


def frontier(own: int, opp: int, playable: int) -> int:
    return naive.count(naive.frontier(own, opp, playable))


def frontier_contacts(own: int, opp: int, playable: int) -> int:
    """`corner-shy`'s algorithm 3, its index mix repaired."""
    rows, columns = size(playable)
    mine, blank = to_set(own), empty_squares(own, opp, playable)
    number = 0
    for i in range(1, rows - 1):
        for j in range(1, columns - 1):
            if (i, j) in mine:
                for drow, dcol in DIRECTIONS:
                    if (i + drow, j + dcol) in blank:
                        number += 1
    return number


# Corners


def corners(own: int, opp: int, playable: int) -> int:
    return len(to_set(own) & corner_set(playable))


def potential_corner_squares(own: int, opp: int, playable: int) -> int:
    return to_mask(to_set(naive.legal_moves(own, opp, playable)) & corner_set(playable))


def potential_corners(own: int, opp: int, playable: int) -> int:
    return naive.count(potential_corner_squares(own, opp, playable))


def unlikely_corner_squares(own: int, opp: int, playable: int) -> int:
    enemies = to_set(opp)
    blank = empty_squares(own, opp, playable) & corner_set(playable)
    return to_mask(corner for corner in blank if not around(corner) & enemies)


def unlikely_corners(own: int, opp: int, playable: int) -> int:
    return naive.count(unlikely_corner_squares(own, opp, playable))


def corner_closeness_discs(own: int, opp: int, playable: int) -> int:
    blank = empty_squares(own, opp, playable) & corner_set(playable)
    return to_mask(disc for disc in to_set(own) if around(disc) & blank)


def corner_closeness(own: int, opp: int, playable: int) -> int:
    return naive.count(corner_closeness_discs(own, opp, playable))


def c_square_count(own: int, opp: int, playable: int) -> int:
    corner = corner_set(playable)
    return sum(any((row + down, column + right) in corner for down, right in STRAIGHT) for row, column in to_set(own))


def x_square_count(own: int, opp: int, playable: int) -> int:
    corner = corner_set(playable)
    return sum(
        any((row + down, column + right) in corner for down in (-1, 1) for right in (-1, 1))
        for row, column in to_set(own)
    )


# Stable discs


def corner_rays(own: int, playable: int) -> list[Square]:
    """`corner-shy`'s algorithm 2, with the break it lacks at a foreign disc: every disc as often as it is counted."""
    mine, board = to_set(own), to_set(playable)
    found = []
    for corner in corner_set(playable) & mine:
        found.append(corner)
        for direction in DIRECTIONS:
            for square in ray(corner, direction, board):
                if square not in mine:
                    break
                found.append(square)
    return found


def ray_stable_discs(own: int, opp: int, playable: int) -> int:
    return to_mask(corner_rays(own, playable))


def ray_stable(own: int, opp: int, playable: int) -> int:
    return len(set(corner_rays(own, playable)))


def ray_stable_as_printed(own: int, opp: int, playable: int) -> int:
    return len(corner_rays(own, playable))


def triangle(own: int, playable: int, bottom: bool, right: bool, by_column: bool) -> set[Square]:
    """`phased`'s scan from one corner: each line's run is at most the last one's minus one."""
    rows, columns = size(playable)
    mine = to_set(own)
    lines, length = (columns, rows) if by_column else (rows, columns)
    found: set[Square] = set()
    for line in range(lines):
        run = 0
        while run < length:
            row, column = (run, line) if by_column else (line, run)
            square = rows - 1 - row if bottom else row, columns - 1 - column if right else column
            if square not in mine:
                break
            found.add(square)
            run += 1
        length = run - 1
    return found


def triangle_stable_discs(own: int, opp: int, playable: int) -> int:
    return to_mask(
        square
        for bottom in (False, True)
        for right in (False, True)
        for by_column in (False, True)
        for square in triangle(own, playable, bottom, right, by_column)
    )


def triangle_stable(own: int, opp: int, playable: int) -> int:
    return naive.count(triangle_stable_discs(own, opp, playable))


def stable(own: int, opp: int, playable: int) -> int:
    return naive.count(naive.stable_discs(own, opp, playable))


def unstable_discs(own: int, opp: int, playable: int) -> int:
    """Every move of the other side is tried."""
    turned: set[Square] = set()
    for row, column in to_set(naive.legal_moves(opp, own, playable)):
        turned |= to_set(naive.flips(opp, own, 8 * row + column, playable))
    return to_mask(turned)


def unstable(own: int, opp: int, playable: int) -> int:
    return naive.count(unstable_discs(own, opp, playable))


def semi_stable_discs(own: int, opp: int, playable: int) -> int:
    fixed, loose = naive.stable_discs(own, opp, playable), unstable_discs(own, opp, playable)
    return to_mask(to_set(own) - to_set(fixed) - to_set(loose))


def semi_stable(own: int, opp: int, playable: int) -> int:
    return naive.count(semi_stable_discs(own, opp, playable))


# Parity


def regions(own: int, opp: int, playable: int) -> list[set[Square]]:
    """The regions of empty squares, joined at sides and corners."""
    blank = empty_squares(own, opp, playable)
    found = []
    while blank:
        waiting = [blank.pop()]
        region = set(waiting)
        while waiting:
            more = around(waiting.pop()) & blank
            blank -= more
            region |= more
            waiting.extend(more)
        found.append(region)
    return found


def odd_regions(own: int, opp: int, playable: int) -> int:
    return sum(len(region) % 2 for region in regions(own, opp, playable))


def odd_quadrants(own: int, opp: int, playable: int) -> int:
    rows, columns = size(playable)
    empties_in = {(lower, right): 0 for lower in (False, True) for right in (False, True)}
    for row, column in empty_squares(own, opp, playable):
        empties_in[row >= rows // 2, column >= columns // 2] += 1
    return sum(number % 2 for number in empties_in.values())


# Square weights


def weighted_sum(matrix: Sequence[Sequence[float]], own: int) -> float:
    return sum(matrix[row][column] for row, column in to_set(own))


def by_distance_to_the_rim(matrix: Sequence[Sequence[float]], rows: int, columns: int) -> list[list[float]]:
    """A symmetric matrix for another size: a square's value depends on how far it is from both rims."""
    deepest = (len(matrix) - 1) // 2, (len(matrix[0]) - 1) // 2

    def value(row: int, column: int) -> float:
        down, right = min(row, rows - 1 - row), min(column, columns - 1 - column)
        return matrix[min(down, deepest[0])][min(right, deepest[1])]

    return [[value(row, column) for column in range(columns)] for row in range(rows)]
