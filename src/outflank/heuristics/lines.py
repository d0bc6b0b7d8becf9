"""Operations along lines for the features, as LLVM vector code: four directions side by side (see board/vectors.py)."""

from collections.abc import Callable

from llvmlite import ir

from outflank.board.compiled import instruction
from outflank.board.vectors import ALL, LANES, NOT_SIDE_COLUMNS, WORD, Builder, Value, _fold, _lanes, _spread, _steps

NOT_COLUMN_A, NOT_COLUMN_H = 0xFEFEFEFEFEFEFEFE, 0x7F7F7F7F7F7F7F7F
ENTERED_FORWARD = (NOT_COLUMN_A, ALL, NOT_COLUMN_H, NOT_COLUMN_A)
"""For each lane, the squares that a step forward can reach without wrapping around the rim."""
ENTERED_BACK = (NOT_COLUMN_H, ALL, NOT_COLUMN_A, NOT_COLUMN_H)

Shift = Callable[[Value, Value], Value]


@instruction("uint64(uint64, uint64, uint64)")
def flippable(builder: Builder, own: Value, opp: Value, empty: Value) -> Value:
    """The own discs that some move of the other side would turn at once.

    Along a line such a disc stands in an unbroken run of own discs between an enemy disc and an empty square;
    so two fills from each side find them without trying the moves. Three doublings cover the six discs of a run.
    """
    own, opp, empty = (_spread(builder, word) for word in (own, opp, empty))
    # A disc turned along a row or diagonal has a square on both sides, so it is in no side column.
    own = builder.and_(own, _lanes([NOT_SIDE_COLUMNS, ALL, NOT_SIDE_COLUMNS, NOT_SIDE_COLUMNS]))

    def fill(start: Value, pairs: Value, shift: Shift) -> Value:
        run = builder.and_(own, shift(start, _steps(1)))
        run = builder.or_(run, builder.and_(own, shift(run, _steps(1))))
        run = builder.or_(run, builder.and_(pairs, shift(run, _steps(2))))
        return builder.or_(run, builder.and_(pairs, shift(run, _steps(2))))

    def fills(shift: Shift) -> tuple[Value, Value]:
        pairs = builder.and_(own, shift(own, _steps(1)))
        return fill(opp, pairs, shift), fill(empty, pairs, shift)

    enemy_before, empty_before = fills(builder.shl)
    enemy_behind, empty_behind = fills(builder.lshr)
    turned = builder.or_(builder.and_(enemy_before, empty_behind), builder.and_(empty_before, enemy_behind))
    return _fold(builder, turned, builder.or_)


def _runs(builder: Builder, own: Value, seeds: Value) -> tuple[Value, Value]:
    """The unbroken runs of own discs that begin beside a seed, forward and back, one lane a direction."""
    discs, seeds = _spread(builder, own), _spread(builder, seeds)

    def run(shift: Shift, entered: tuple[int, ...]) -> Value:
        ones = builder.and_(discs, _lanes(entered))
        twos = builder.and_(ones, shift(ones, _steps(1)))
        fours = builder.and_(twos, shift(twos, _steps(2)))
        reached = builder.and_(ones, shift(seeds, _steps(1)))
        for distance, passage in ((1, ones), (2, twos), (4, fours)):
            reached = builder.or_(reached, builder.and_(passage, shift(reached, _steps(distance))))
        return reached

    return run(builder.shl, ENTERED_FORWARD), run(builder.lshr, ENTERED_BACK)


@instruction("uint64(uint64, uint64)")
def runs(builder: Builder, own: Value, seeds: Value) -> Value:
    """The own discs that a straight, unbroken walk over own discs reaches from a seed; a seed itself only so."""
    return _fold(builder, builder.or_(*_runs(builder, own, seeds)), builder.or_)


@instruction("uint64(uint64, uint64)")
def run_lengths(builder: Builder, own: Value, seeds: Value) -> Value:
    """The lengths of those walks added up over the eight directions, so a disc on two walks counts twice.

    Right for seeds of which no two share a walk in the same direction, such as corners.
    """
    # One lane at a time: no vector unit below AVX-512 counts bits.
    lanes = [ir.Constant(ir.IntType(32), lane) for lane in range(LANES)]
    total = ir.Constant(WORD, 0)
    for walks in _runs(builder, own, seeds):
        for lane in lanes:
            total = builder.add(total, builder.ctpop(builder.extract_element(walks, lane)))
    return total
