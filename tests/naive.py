"""Othello in sets of squares: the slow, plain truth that the compiled kernels are tested against.

Every function has the name and the meaning of the kernel it checks. It takes stride-8 bitboards
(a1 = bit 0, h8 = bit 63, a smaller board in the top-left corner), turns them into sets of
(row, column) at its entry, and turns its answer back at its exit. `own` is the side to move.
"""

from collections.abc import Iterable, Iterator
from itertools import takewhile
from random import Random

Square = tuple[int, int]

PASS = 64
AXES = [(0, 1), (1, 0), (1, 1), (1, -1)]
DIRECTIONS = AXES + [(-down, -right) for down, right in AXES]


# Bitboards and sets of squares


def to_set(mask: int) -> set[Square]:
    """The squares of a bitboard."""
    return {divmod(bit, 8) for bit in range(64) if mask >> bit & 1}


def to_mask(squares: Iterable[Square]) -> int:
    """The bitboard of some squares; one named twice counts once."""
    return sum(1 << 8 * row + column for row, column in set(squares))


def count(mask: int) -> int:
    """How many squares the mask has."""
    return len(to_set(mask))


def playable_mask(rows: int, columns: int) -> int:
    """All squares of a board."""
    return to_mask((row, column) for row in range(rows) for column in range(columns))


def start(rows: int, columns: int, kind: str) -> tuple[int, int]:
    """Black's and White's discs at the start: "diagonal", "parallel" or "mirrored"."""
    row, column = rows // 2, columns // 2
    rising = to_mask([(row, column - 1), (row - 1, column)])
    falling = to_mask([(row - 1, column - 1), (row, column)])
    upper = to_mask([(row - 1, column - 1), (row - 1, column)])
    lower = to_mask([(row, column - 1), (row, column)])
    starts = {
        "diagonal": (rising, falling),
        "parallel": (lower, upper),
        "mirrored": (falling, rising),
    }
    return starts[kind]


# Geometry


def ray(square: Square, direction: Square, board: set[Square]) -> Iterator[Square]:
    """The squares met on the way from a square, itself excluded, to the end of the board."""
    row, column = square
    down, right = direction
    while (row := row + down, column := column + right) in board:
        yield row, column


def around(square: Square) -> set[Square]:
    """The eight squares next to a square, on the board or not."""
    row, column = square
    return {(row + down, column + right) for down, right in DIRECTIONS}


def neighbours(mask: int, playable: int) -> int:
    """Squares of the board next to a square of the mask, whether or not in the mask themselves."""
    squares = to_set(mask)
    return to_mask(square for square in to_set(playable) if around(square) & squares)


def symmetry(mask: int, which: int, rows: int, columns: int) -> int:
    """Transpose (4), then mirror left-right (1), then mirror top-bottom (2), as `which` says."""
    transpose, top_bottom, left_right = (digit == "1" for digit in f"{which:03b}")
    if transpose and rows != columns:
        raise ValueError(f"a {rows}x{columns} board cannot be transposed")
    squares = to_set(mask)
    if transpose:
        squares = {(column, row) for row, column in squares}
    if left_right:
        squares = {(row, columns - 1 - column) for row, column in squares}
    if top_bottom:
        squares = {(rows - 1 - row, column) for row, column in squares}
    return to_mask(squares)


def canonical(own: int, opp: int, rows: int, columns: int) -> tuple[int, int]:
    """The smallest (own, opp) over all symmetries of the board: 8 on square boards, else 4."""
    return min(
        (symmetry(own, which, rows, columns), symmetry(opp, which, rows, columns))
        for which in range(8 if rows == columns else 4)
    )


def own_symmetries(own: int, opp: int, rows: int, columns: int) -> int:
    """A bit for each symmetry of the board that leaves both sides' discs where they are."""
    same = (
        which
        for which in range(8 if rows == columns else 4)
        if [symmetry(mask, which, rows, columns) for mask in (own, opp)] == [own, opp]
    )
    return sum(1 << which for which in same)


# Rules


def turned(own: set[Square], opp: set[Square], square: Square, board: set[Square]) -> set[Square]:
    """In each direction, the unbroken run of enemy discs from the square to an own disc."""
    result: set[Square] = set()
    for direction in DIRECTIONS:
        path = list(ray(square, direction, board))
        run = list(takewhile(opp.__contains__, path))
        if len(run) < len(path) and path[len(run)] in own:
            result.update(run)
    return result


def flips(own: int, opp: int, square: int, playable: int) -> int:
    """The discs turned by playing the square; none if it is occupied or off the board."""
    mine, theirs, board = to_set(own), to_set(opp), to_set(playable)
    place = divmod(square, 8)
    if place not in board - mine - theirs:
        return 0
    return to_mask(turned(mine, theirs, place, board))


def legal_moves(own: int, opp: int, playable: int) -> int:
    """The empty squares where a disc turns at least one other."""
    mine, theirs, board = to_set(own), to_set(opp), to_set(playable)
    empties = board - mine - theirs
    return to_mask(square for square in empties if turned(mine, theirs, square, board))


def legal_moves_from_discs(own: int, opp: int, playable: int) -> int:
    """`corner-shy`'s first finder: from each own disc, over enemy discs, to an empty square."""
    disks, enemies, board = to_set(own), to_set(opp), to_set(playable)
    empty_spots = board - disks - enemies
    actions: set[Square] = set()
    for disk in disks:
        for drow, dcol in DIRECTIONS:
            row, col = disk[0] + drow, disk[1] + dcol
            permission = False
            while (row, col) in enemies:
                row, col = row + drow, col + dcol
                permission = True
            if permission and (row, col) in empty_spots:
                actions.add((row, col))
    return to_mask(actions)


def legal_moves_from_empties(own: int, opp: int, playable: int) -> int:
    """`corner-shy`'s second finder: each empty square from which enemy discs lead to an own disc."""
    disks, enemies, board = to_set(own), to_set(opp), to_set(playable)
    actions: set[Square] = set()
    for empty_spot in board - disks - enemies:
        for drow, dcol in DIRECTIONS:
            row, col = empty_spot[0] + drow, empty_spot[1] + dcol
            permission = False
            while (row, col) in enemies:
                row, col = row + drow, col + dcol
                permission = True
            if permission and (row, col) in disks:
                actions.add(empty_spot)
    return to_mask(actions)


def play(own: int, opp: int, square: int, playable: int) -> tuple[int, int]:
    """The next side to move's (own, opp) after a legal move; a pass only exchanges the sides."""
    if square == PASS:
        return opp, own
    flipped = to_set(flips(own, opp, square, playable))
    assert flipped, f"square {square} turns no disc"
    return to_mask(to_set(opp) - flipped), to_mask(to_set(own) | flipped | {divmod(square, 8)})


def choices(own: int, opp: int, playable: int) -> list[int]:
    """Legal squares in ascending order, or the forced pass, or nothing when the game is over."""
    moves = to_set(legal_moves(own, opp, playable))
    if moves:
        return sorted(8 * row + column for row, column in moves)
    return [PASS] if legal_moves(opp, own, playable) else []


def final_margin(own: int, opp: int, playable: int) -> int:
    """Own discs minus the other side's, the empty squares given to the side that has more."""
    margin = count(own) - count(opp)
    empties = count(playable) - count(own) - count(opp)
    if margin > 0:
        return margin + empties
    if margin < 0:
        return margin - empties
    return 0


# Features


def frontier(own: int, opp: int, playable: int) -> int:
    """Own discs next to at least one empty square of the board."""
    mine = to_set(own)
    empties = to_set(playable) - mine - to_set(opp)
    return to_mask(disc for disc in mine if around(disc) & empties)


def stable_discs(own: int, opp: int, playable: int) -> int:
    """Own discs safe on all four axes, grown from nothing until no more are found.

    An axis is safe when its line is full, or a neighbour on it is off the board or a stable disc.
    """
    mine, board = to_set(own), to_set(playable)
    occupied = mine | to_set(opp)

    def safe(disc: Square, axis: Square, stable: set[Square]) -> bool:
        forwards = list(ray(disc, axis, board))
        backwards = list(ray(disc, (-axis[0], -axis[1]), board))
        if not forwards or not backwards:
            return True
        full = occupied.issuperset(forwards + backwards)
        return full or forwards[0] in stable or backwards[0] in stable

    stable: set[Square] = set()
    while True:
        grown = {disc for disc in mine if all(safe(disc, axis, stable) for axis in AXES)}
        if grown == stable:
            return to_mask(stable)
        stable = grown


# Walks through the game tree


def perft(own: int, opp: int, playable: int, depth: int) -> int:
    """Leaves of the game tree: a pass is one ply, a game that ends earlier counts once."""
    if depth == 0:
        return 1
    moves = choices(own, opp, playable)
    if not moves:
        return 1
    return sum(perft(*play(own, opp, move, playable), playable, depth - 1) for move in moves)


def playout_is_legal(start_own: int, start_opp: int, playable: int, moves: list[int]) -> tuple[int, int]:
    """The final discs of the first mover and of the other, every rule asserted on the way."""
    own, opp = start_own, start_opp
    for ply, move in enumerate(moves):
        assert move in choices(own, opp, playable), f"ply {ply}: {move} is not legal"
        own, opp = play(own, opp, move, playable)
    assert not choices(own, opp, playable), "the game is not over"
    return (own, opp) if len(moves) % 2 == 0 else (opp, own)


def random_game(rows: int, columns: int, kind: str, rng: Random) -> list[tuple[int, int, int]]:
    """Each (own, opp, turn) of a random game, forced passes and the final position included.

    Turn is 0 when `own` is Black and 1 when it is White; every ply, a pass too, changes it.
    """
    playable = playable_mask(rows, columns)
    own, opp = start(rows, columns, kind)
    positions = [(own, opp, 0)]
    while moves := choices(own, opp, playable):
        own, opp = play(own, opp, rng.choice(moves), playable)
        positions.append((own, opp, len(positions) % 2))
    return positions


def ever_flipped(own: int, opp: int, playable: int) -> int:
    """Squares whose disc is turned by some move in some position that play can reach from here."""
    result: set[Square] = set()
    seen = {(own, opp)}
    waiting = [(own, opp)]
    while waiting:
        mine, theirs = waiting.pop()
        for move in choices(mine, theirs, playable):
            result |= to_set(flips(mine, theirs, move, playable))
            after = play(mine, theirs, move, playable)
            if after not in seen:
                seen.add(after)
                waiting.append(after)
    return to_mask(result)


def brute_force_unflippable(own: int, opp: int, playable: int) -> int:
    """Own discs, own to move, that no play by both sides ever flips; for few empties only."""
    return to_mask(to_set(own) - to_set(ever_flipped(own, opp, playable)))
