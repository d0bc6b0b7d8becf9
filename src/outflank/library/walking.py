"""The keys of a game's positions in one go: what `keys.key_of` says of each, compiled.

All tournament games have eight million positions. Asked for one at a time from Python, their keys took most of the
time of building a library.
"""

import numpy as np
from numpy.typing import NDArray

from outflank.board.compiled import kernel, uint64
from outflank.board.kernels import canonical, flips, hash64, legal_moves

ONE = uint64(1)


@kernel("void(uint64, uint64, uint64, uint64, uint64, uint64, uint64, uint8[::1], uint64[::1])")
def write_keys(
    own: int,
    opp: int,
    board: int,
    rows: int,
    columns: int,
    own_salt: int,
    opp_salt: int,
    squares: NDArray[np.uint8],
    keys: NDArray[np.uint64],
) -> None:
    """Writes the keys of a legal game's positions, one before each move and one at the end; passes are left out.

    The salts are those of the side to move at first and of the other one: they go round with the sides.
    """
    for ply in range(len(squares)):
        square = uint64(squares[ply])
        turned = flips(own, opp, square)
        if not turned:  # in a legal game: the side to move had to pass
            own, opp, own_salt, opp_salt = opp, own, opp_salt, own_salt
            turned = flips(own, opp, square)
        form = canonical(own, opp, rows, columns)
        keys[ply] = hash64(form[0], form[1]) ^ own_salt
        own, opp, own_salt, opp_salt = opp & ~turned, own | turned | (ONE << square), opp_salt, own_salt
    if not legal_moves(own, opp, board) and legal_moves(opp, own, board):
        own, opp, own_salt, opp_salt = opp, own, opp_salt, own_salt
    form = canonical(own, opp, rows, columns)
    keys[len(squares)] = hash64(form[0], form[1]) ^ own_salt
