"""The rules of Othello as compiled functions of bitboards.

A bitboard has stride 8 (a1 = bit 0, h8 = bit 63) on every board; `own` is the side to move, `opp` the
other side, `board` the mask of playable squares. The 8x8 operations are then right for every size.
Each kernel has a plain-Python reference of the same name in tests/naive.py.
"""

from typing import Any

from outflank.board.compiled import int64, kernel, uint64
from outflank.board.memory import stack_words
from outflank.board.records import Row
from outflank.board.vectors import count as _count
from outflank.board.vectors import flips as _flips
from outflank.board.vectors import lowest, reachable, reverse_rows
from outflank.board.vectors import nth_square as _nth_square
from outflank.board.vectors import stable as _stable

Array = Any  # a contiguous NumPy array

# Numba mixes uint64 with a plain int into int64 or float64, so every constant has its type.
ZERO, ONE, TWO, FOUR, SEVEN, EIGHT = (uint64(n) for n in (0, 1, 2, 4, 7, 8))
PASS = uint64(64)
NONE = uint64(255)
"""What fills a row of moves after the last one."""
NEVER_CUT = uint64(1 << 62)
"""More moves than any playout has."""
HALF_WORD = uint64(32)
NOT_COLUMN_A = uint64(0xFEFEFEFEFEFEFEFE)
NOT_COLUMN_H = uint64(0x7F7F7F7F7F7F7F7F)


@kernel("uint64(uint64)")
def count(mask: int) -> int:
    """How many squares a mask has."""
    return _count(mask)


@kernel("uint64(uint64, uint64, uint64)")
def legal_moves(own: int, opp: int, board: int) -> int:
    """The empty squares where the side to move turns at least one disc."""
    return reachable(own, opp) & board & ~(own | opp)


@kernel("uint64(uint64, uint64, uint64)")
def flips(own: int, opp: int, square: int) -> int:
    """The enemy discs turned by playing an empty square (0–63) of the board; none where it is not a legal move."""
    return _flips(own, opp, square)


@kernel("UniTuple(uint64, 2)(uint64, uint64, uint64)")
def play(own: int, opp: int, square: int) -> tuple[int, int]:
    """The position after a move (64 passes), seen by the side that moves next."""
    if square == PASS:
        return opp, own
    turned = _flips(own, opp, square)
    return opp & ~turned, own | turned | (ONE << square)


@kernel("uint64(uint64)")
def neighbours(mask: int) -> int:
    """The squares beside, above, below or diagonal to a square of the mask (on the 8x8 grid)."""
    sides = ((mask & NOT_COLUMN_H) << ONE) | ((mask & NOT_COLUMN_A) >> ONE)
    rows = mask | sides
    return sides | (rows << EIGHT) | (rows >> EIGHT)


@kernel("uint64(uint64, uint64, uint64)")
def frontier(own: int, opp: int, board: int) -> int:
    """The own discs that touch an empty square."""
    return own & neighbours(board & ~(own | opp))


@kernel("uint64(uint64, uint64, uint64)")
def stable_discs(own: int, opp: int, board: int) -> int:
    """The own discs that can provably never be turned again (see `vectors.stable`)."""
    return _stable(own, opp, board)


@kernel("int64(uint64, uint64, uint64)")
def final_margin(own: int, opp: int, board: int) -> int:
    """The score of a finished game in discs, most discs winning: empties go to the side with more."""
    mine, theirs = int64(_count(own)), int64(_count(opp))
    empties = int64(_count(board)) - mine - theirs
    if mine > theirs:
        return mine - theirs + empties
    if mine < theirs:
        return mine - theirs - empties
    return int64(0)


@kernel("uint64(uint64)")
def _mirror_columns(mask: int) -> int:
    """The 8x8 board with left and right exchanged: the bits of each byte in reverse order."""
    mask = ((mask >> ONE) & uint64(0x5555555555555555)) | ((mask & uint64(0x5555555555555555)) << ONE)
    mask = ((mask >> TWO) & uint64(0x3333333333333333)) | ((mask & uint64(0x3333333333333333)) << TWO)
    return ((mask >> FOUR) & uint64(0x0F0F0F0F0F0F0F0F)) | ((mask & uint64(0x0F0F0F0F0F0F0F0F)) << FOUR)


@kernel("uint64(uint64)")
def _transpose(mask: int) -> int:
    """The 8x8 board with rows and columns exchanged: three rounds of swapping blocks (Hacker's Delight 7-3)."""
    swap = (mask ^ (mask >> SEVEN)) & uint64(0x00AA00AA00AA00AA)
    mask ^= swap ^ (swap << SEVEN)
    swap = (mask ^ (mask >> uint64(14))) & uint64(0x0000CCCC0000CCCC)
    mask ^= swap ^ (swap << uint64(14))
    swap = (mask ^ (mask >> uint64(28))) & uint64(0x00000000F0F0F0F0)
    return mask ^ swap ^ (swap << uint64(28))


@kernel("uint64(uint64, uint64, uint64, uint64)")
def symmetry(mask: int, which: int, rows: int, columns: int) -> int:
    """A mask under one of the eight symmetries: 4 transposes, then 1 mirrors left-right, 2 top-bottom."""
    if which & FOUR:
        mask = _transpose(mask)
    if which & ONE:
        mask = _mirror_columns(mask) >> (EIGHT - columns)
    if which & TWO:
        mask = reverse_rows(mask) >> (EIGHT * (EIGHT - rows))
    return mask


@kernel("UniTuple(uint64, 2)(uint64, uint64, uint64, uint64)")
def canonical(own: int, opp: int, rows: int, columns: int) -> tuple[int, int]:
    """The smallest of a position's symmetric forms: equal for all of them."""
    best_own, best_opp = own, opp
    symmetries = EIGHT if rows == columns else FOUR
    which = ONE
    while which < symmetries:
        other_own = symmetry(own, which, rows, columns)
        if other_own <= best_own:
            other_opp = symmetry(opp, which, rows, columns)
            if other_own < best_own or other_opp < best_opp:
                best_own, best_opp = other_own, other_opp
        which += ONE
    return best_own, best_opp


@kernel("uint64(uint64, uint64, uint64, uint64)")
def own_symmetries(own: int, opp: int, rows: int, columns: int) -> int:
    """The symmetries that leave a position as it is, a bit each; bit 0, which stands for none, is always set."""
    symmetries = EIGHT if rows == columns else FOUR
    found, which = ONE, ONE
    while which < symmetries:
        if symmetry(own, which, rows, columns) == own and symmetry(opp, which, rows, columns) == opp:
            found |= ONE << which
        which += ONE
    return found


@kernel("uint64(uint64)")
def mix(word: int) -> int:
    """A bijection in which every input bit reaches every output bit (David Stafford's 13th variant of Murmur3)."""
    word = (word ^ (word >> uint64(30))) * uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> uint64(27))) * uint64(0x94D049BB133111EB)
    return word ^ (word >> uint64(31))


@kernel("uint64(uint64, uint64)")
def hash64(own: int, opp: int) -> int:
    """A 64-bit hash of a position; all of its bits are good."""
    # Multiplying by an odd constant before the second mix keeps (own, opp) and (opp, own) apart.
    return mix(own ^ mix(opp * uint64(0x9E3779B97F4A7C15) + uint64(0xD1B54A32D192ED03)))


@kernel("uint64(uint64, uint64)")
def nth_square(mask: int, n: int) -> int:
    """The n-th square (from 0) of a mask that has more than n."""
    return _nth_square(mask, n)


@kernel("uint64(Words)")
def random_word(state: Row[int]) -> int:
    """The next word of the generator SplitMix64, whose whole state is one word."""
    state[0] = state[0] + uint64(0x9E3779B97F4A7C15)
    return mix(state[0])


@kernel("uint64(uint64, Words)")
def random_below(limit: int, state: Row[int]) -> int:
    """A uniform choice: the high 32 bits of a 32-bit random number times the limit."""
    return ((random_word(state) >> HALF_WORD) * limit) >> HALF_WORD


@kernel("int64(uint64, uint64, uint64, uint64, Words)")
def random_playout(own: int, opp: int, board: int, moves_left: int, state: Row[int]) -> int:
    """Plays uniformly random moves to the end, or so many; returns the margin for the side that was to move.

    Where it is cut the discs are counted as they stand; passes are free. Most discs win here.
    """
    to_move = True
    moves = legal_moves(own, opp, board)
    while True:
        if moves == ZERO:
            own, opp, to_move = opp, own, not to_move
            moves = legal_moves(own, opp, board)
            if moves == ZERO:
                margin = final_margin(own, opp, board)
                return margin if to_move else -margin
        if moves_left == ZERO:
            margin = int64(_count(own)) - int64(_count(opp))
            return margin if to_move else -margin
        moves_left -= ONE
        square = _nth_square(moves, random_below(_count(moves), state))
        turned = _flips(own, opp, square)
        own, opp, to_move = opp & ~turned, own | turned | (ONE << square), not to_move
        moves = legal_moves(own, opp, board)


@kernel("int64(uint64, uint64, uint64, int64[::1], uint64)")
def random_playouts(own: int, opp: int, board: int, margins: Array, seed: int) -> int:
    """Fills an array with the margins of random playouts; returns their sum."""
    state: Row[int] = stack_words(1)
    state[0] = seed
    total = int64(0)
    for game in range(margins.size):
        margins[game] = random_playout(own, opp, board, NEVER_CUT, state)
        total += margins[game]
    return total


@kernel("uint64(uint64, uint64, uint64, uint64)")
def _last_two_plies(own: int, opp: int, empty: int, moves: int) -> int:
    """The leaves two plies below: the last ply is counted, not made (its moves, or one pass or end)."""
    leaves = ZERO
    while moves:
        square = lowest(moves)
        moves &= moves - ONE
        turned = _flips(own, opp, square)
        disc = ONE << square
        last = _count(reachable(opp & ~turned, own | turned | disc) & (empty ^ disc))
        leaves += last if last else ONE
    return leaves


@kernel("uint64(uint64, uint64, uint64, uint64)")
def perft(own: int, opp: int, board: int, depth: int) -> int:
    """The leaves of the game tree at a depth: a pass is one ply, a finished game counts once."""
    if depth == ZERO:
        return ONE
    moves = legal_moves(own, opp, board)
    if moves == ZERO:
        if depth == ONE or legal_moves(opp, own, board) == ZERO:
            return ONE
        return perft(opp, own, board, depth - ONE)
    if depth == ONE:
        return _count(moves)
    if depth == TWO:
        return _last_two_plies(own, opp, board & ~(own | opp), moves)
    leaves = ZERO
    while moves:
        square = lowest(moves)
        moves &= moves - ONE
        turned = _flips(own, opp, square)
        leaves += perft(opp & ~turned, own | turned | (ONE << square), board, depth - ONE)
    return leaves


@kernel("void(uint64, uint64, uint64, uint8[:, ::1], int64[:, ::1], uint8[:, ::1])")
def replay_games(own: int, opp: int, board: int, games: Array, results: Array, movers: Array) -> None:
    """Replays many games from one start: a row of squares each, 255 for none, passes left out.

    A row of `results` becomes: the ply of the first illegal move or -1; whether the game is over (0 or 1);
    the margin so far for the side that moved first, empties to the winner. `movers` gets who plays each legal move:
    0 the side that moved first, 1 the other.
    """
    for game in range(games.shape[0]):
        mine, theirs, first_to_move, illegal = own, opp, True, int64(-1)
        for ply in range(games.shape[1]):
            square = uint64(games[game, ply])
            if square == NONE:
                break
            turned = ZERO
            if square < PASS and ((board & ~(mine | theirs)) >> square) & ONE:
                turned = _flips(mine, theirs, square)
                if turned == ZERO and legal_moves(mine, theirs, board) == ZERO:
                    mine, theirs, first_to_move = theirs, mine, not first_to_move
                    turned = _flips(mine, theirs, square)
            if turned == ZERO:
                illegal = int64(ply)
                break
            movers[game, ply] = not first_to_move
            mine, theirs, first_to_move = theirs & ~turned, mine | turned | (ONE << square), not first_to_move
        over = legal_moves(mine, theirs, board) == ZERO and legal_moves(theirs, mine, board) == ZERO
        margin = final_margin(mine, theirs, board)
        results[game, 0] = illegal
        results[game, 1] = int64(over)
        results[game, 2] = margin if first_to_move else -margin
