"""The transposition table: what is known of positions met before, shared by all threads without a lock.

An entry is two words: data, and the position's hash xor-ed with data. A torn write by two threads then matches no
position. Four entries make a bucket of one cache line. Together with 16 hash bits inside the data, 80 bits less the
index identify a position: with 2^22 buckets a wrong match is to be expected once in some 10^16 look-ups.
"""

from typing import Any

import numpy as np

from outflank.board.compiled import int64, kernel, uint64
from outflank.board.kernels import ONE, ZERO, mix

Words = Any

ENTRIES_A_BUCKET = 4
ENTRY_BYTES = 16
WORDS_A_BUCKET = uint64(8)
NO_SQUARE = uint64(64)

# Data, from the lowest bit: lower and upper bound + 64, best and second move (64 is none), certainty, depth, age, and
# hash bits. Certainty and depth lie side by side: together they are the entry's rank.
UPPER, BEST, SECOND, RANK, DEPTH, AGE, CHECK = (uint64(bit) for bit in (8, 16, 23, 30, 33, 40, 48))
BYTE, SEVEN_BITS, SIX_BITS, RANK_BITS = (uint64(mask) for mask in (0xFF, 0x7F, 0x3F, 0x1FF))
CERTAINTY_BITS = uint64(7)
CERTAIN = uint64(7)
"""The certainty of what was searched without forward pruning; smaller ones are levels of selectivity."""
OFFSET = 64


def new_table(megabytes: float) -> Any:
    """An empty table of at most that size: a power of two of buckets, aligned to cache lines."""
    most = max(int(megabytes * (1 << 20)) // (ENTRIES_A_BUCKET * ENTRY_BYTES), 1)
    words = (1 << (most.bit_length() - 1)) * int(WORDS_A_BUCKET)
    memory = np.zeros(words + 8, np.uint64)
    begin = (-memory.ctypes.data % 64) // 8
    return memory[begin : begin + words]


@kernel("uint64(uint64, uint64)")
def table_hash(own: int, opp: int) -> int:
    """The hash of a position; its low bits are its bucket. `check_bits` gives 16 more, independent of it."""
    return mix(own ^ (opp * uint64(0x9E3779B97F4A7C15)) ^ (opp >> uint64(32)))


@kernel("uint64(uint64, uint64)")
def check_bits(own: int, opp: int) -> int:
    """Bits of a second hash, in their place in the data."""
    return ((own * uint64(0xD6E8FEB86659FD93)) ^ (opp * uint64(0xA0761D6478BD642F))) & ~((ONE << CHECK) - ONE)


@kernel("uint64(CPointer(uint64), uint64, uint64, uint64)")
def look_up(table: Words, mask: int, key: int, check: int) -> int:
    """The data stored for a position, or 0."""
    at = (key & mask) * WORDS_A_BUCKET
    for _ in range(uint64(4)):
        data = table[at + ONE]
        if table[at] ^ data == key and (data ^ check) >> CHECK == ZERO:
            return data  # type: ignore[no-any-return]
        at += uint64(2)
    return ZERO


@kernel("int64(uint64)")
def lower_bound(data: int) -> int:
    """The lower bound in an entry's data."""
    return int64(data & BYTE) - int64(OFFSET)


@kernel("int64(uint64)")
def upper_bound(data: int) -> int:
    """The upper bound in an entry's data."""
    return int64((data >> UPPER) & BYTE) - int64(OFFSET)


@kernel("boolean(uint64, uint64, uint64)")
def reaches(data: int, depth: int, certainty: int) -> bool:
    """True when an entry was searched as deep and as surely as this."""
    return (data >> DEPTH) & SIX_BITS >= depth and (data >> RANK) & CERTAINTY_BITS >= certainty


@kernel("uint64(uint64, uint64)")
def _second_move(best: int, known: int) -> int:
    """The best move before this one, or the second of what was known."""
    before = (known >> BEST) & SEVEN_BITS
    return before if before != best else (known >> SECOND) & SEVEN_BITS


@kernel("void(CPointer(uint64), uint64, uint64, uint64, int64, int64, uint64, uint64, uint64)")
def store(
    table: Words, mask: int, key: int, check: int, lower: int, upper: int, best: int, rank: int, age: int
) -> None:
    """Keeps bounds for a position, joined with what a search of the same rank found before.

    What is known from a deeper or surer search is not given up for less; its rank is depth * 8 + certainty.

    The entry replaced is the position's own, else the one of the least depth, those of earlier searches first.
    """
    known, place, least = ZERO, ZERO, uint64(1 << 62)
    at = (key & mask) * WORDS_A_BUCKET
    for _ in range(uint64(4)):
        data = table[at + ONE]
        if table[at] ^ data == key and (data ^ check) >> CHECK == ZERO:
            known, place = data, at
            break
        worth = (data >> RANK) & RANK_BITS
        if (data >> AGE) & BYTE == age and data:
            worth += uint64(512)
        if worth < least:
            least, place = worth, at
        at += uint64(2)
    second = NO_SQUARE
    if known:
        before = (known >> RANK) & RANK_BITS
        if before > rank and (known >> AGE) & BYTE == age:
            return
        second = _second_move(best, known)
        if before == rank:
            lower = max(lower, lower_bound(known))
            upper = min(upper, upper_bound(known))
    data = uint64(lower + int64(OFFSET)) | (uint64(upper + int64(OFFSET)) << UPPER)
    data |= (best << BEST) | (second << SECOND) | (rank << RANK) | (age << AGE) | check
    table[place] = key ^ data
    table[place + ONE] = data
