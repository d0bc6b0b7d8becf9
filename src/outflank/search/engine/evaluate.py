"""What a position is worth without searching: the pattern weights, kept up to date from ply to ply.

`midgame` asks for it at the leaves and where it sorts moves; `endgame` never does. Each ply of the desk has its pattern
numbers, which a move changes by adding a constant vector (see `patterns.lookup`).
"""

from outflank.board.compiled import int64, kernel, uint64
from outflank.board.kernels import ONE, legal_moves
from outflank.board.memory import address_of, stack_words
from outflank.board.vectors import count
from outflank.patterns.lookup import look_up_sum, look_up_sum_8x8, play_numbers, set_numbers, stage_of, weight_at
from outflank.patterns.network import COUNTS, DISCS, VALUE_BITS, around, network_value
from outflank.patterns.shapes import PARITIES, PLIES_A_STAGE
from outflank.patterns.weights import UNITS_A_DISC
from outflank.search.engine.desk import Desk, copy_numbers

SHIFT_TO_DISCS = UNITS_A_DISC.bit_length() - 1
CORNER_IN_UNITS = 6 * UNITS_A_DISC
PARITY_BYTES = 2 * PARITIES
VALUES_A_UNIT = (1 << VALUE_BITS) // (DISCS * UNITS_A_DISC)
NETWORK_WITHIN = 5 * UNITS_A_DISC
"""How far from the bound the sum may be for the network to be asked: further off it hardly ever decides."""


@kernel("void(uint64, uint64, Desk)")
def set_root_numbers(own: int, opp: int, desk: Desk) -> None:
    """The pattern numbers of the root."""
    if desk.powers:
        black, white = (opp, own) if desk.white_at_root else (own, opp)
        set_numbers(address_of(desk.plies[uint64(0)].numbers), desk.powers, black, white)


@kernel("void(uint64, Desk)")
def pass_numbers(ply: int, desk: Desk) -> None:
    """A pass changes no pattern."""
    copy_numbers(desk.plies[ply + ONE].numbers, desk.plies[ply].numbers)


@kernel("void(uint64, uint64, uint64, Desk)")
def move_numbers(ply: int, square: int, turned: int, desk: Desk) -> None:
    """The next ply's pattern numbers after a move here."""
    if desk.powers:
        white = (desk.white_at_root + ply) & ONE
        below, here = address_of(desk.plies[ply + ONE].numbers), address_of(desk.plies[ply].numbers)
        play_numbers(below, here, desk.powers, square, turned, white)


@kernel("int64(uint64, uint64, uint64, Desk)")
def evaluate(own: int, opp: int, ply: int, desk: Desk) -> int:
    """The sum of the patterns in the evaluation's units, which sorts moves; this ply's numbers must be set.

    Boards without weights have mobility and corners: enough to begin from.
    """
    if desk.powers:
        discs = count(own | opp)
        stage = uint64(2) * stage_of(discs, uint64(PLIES_A_STAGE)) + ((desk.white_at_root + ply) & ONE)
        weights = desk.weights + stage * desk.stage_bytes
        of_parity = weight_at(weights + desk.stage_bytes - uint64(PARITY_BYTES), discs & ONE)
        numbers = address_of(desk.plies[ply].numbers)
        if desk.square_count == uint64(64):
            return of_parity + look_up_sum_8x8(numbers, weights)
        return of_parity + look_up_sum(numbers, weights, desk.offsets, desk.slot_count)
    moves = int64(count(legal_moves(own, opp, desk.board))) - int64(count(legal_moves(opp, own, desk.board)))
    corners = int64(count(own & desk.corners)) - int64(count(opp & desk.corners))
    if desk.reversed:
        corners = -corners
    return int64(UNITS_A_DISC) * moves + int64(CORNER_IN_UNITS) * corners


@kernel("int64(uint64, uint64, uint64, Desk)")
def of_network(own: int, opp: int, ply: int, desk: Desk) -> int:
    """What the network adds to the sum of the patterns, in the evaluation's units: too slow for sorting."""
    counts = stack_words(COUNTS)
    empty = desk.board & ~(own | opp)
    counts[uint64(0)] = count(legal_moves(own, opp, desk.board))
    counts[uint64(1)] = count(legal_moves(opp, own, desk.board))
    counts[uint64(2)] = count(around(opp) & empty)
    counts[uint64(3)] = count(around(own) & empty)
    rows = desk.rows + ((desk.white_at_root + ply) & ONE) * desk.side_bytes
    layer = desk.layers + stage_of(count(own | opp), uint64(PLIES_A_STAGE)) * desk.layer_bytes
    value = network_value(address_of(desk.plies[ply].numbers), rows, layer, address_of(counts))
    return (value + int64(VALUES_A_UNIT // 2)) // int64(VALUES_A_UNIT)


@kernel("int64(int64, Desk)", inlined=True)
def _in_discs(units: int, desk: Desk) -> int:
    """Units in whole discs, never as much as a wipe-out."""
    most = int64(desk.square_count) - 1
    return max(min((units + int64(UNITS_A_DISC // 2)) >> int64(SHIFT_TO_DISCS), most), -most)


@kernel("int64(uint64, uint64, uint64, Desk)")
def evaluate_in_discs(own: int, opp: int, ply: int, desk: Desk) -> int:
    """The evaluation in whole discs."""
    units = evaluate(own, opp, ply, desk)
    if desk.rows:
        units += of_network(own, opp, ply, desk)
    return _in_discs(units, desk)


@kernel("int64(uint64, uint64, int64, uint64, Desk)")
def evaluate_against(own: int, opp: int, alpha: int, ply: int, desk: Desk) -> int:
    """The evaluation in whole discs for who asks only whether it is above alpha."""
    units = evaluate(own, opp, ply, desk)
    if desk.rows and abs(units - alpha * int64(UNITS_A_DISC)) < int64(NETWORK_WITHIN):
        units += of_network(own, opp, ply, desk)
    return _in_discs(units, desk)
