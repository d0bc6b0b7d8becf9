"""The transposition table: what is known of positions met before, shared by all threads without a lock.

An entry is two words: data, and the position's hash xor-ed with data. A torn write by two threads then matches no
position. Four entries make a bucket of one cache line. Together with 16 hash bits inside the data, 80 bits less the
index identify a position: with 2^22 buckets a wrong match is to be expected once in some 10^16 look-ups.

`endgame` and `midgame` probe it and store in it. Near the end each thread has a small local table instead, whose
buckets have two entries of whole positions and exact bounds.
"""

import math

import numpy as np

from outflank.board.compiled import int64, kernel, uint64
from outflank.board.kernels import ONE, ZERO, mix
from outflank.board.memory import address_of, prefetch
from outflank.board.records import Row, at_address, place_of
from outflank.search.engine.desk import Table

ENTRIES_A_BUCKET = 4
WORDS_A_ENTRY, WORDS_A_BUCKET = uint64(2), uint64(8)
BYTES_A_BUCKET = uint64(64)
NO_SQUARE = uint64(64)
OLDER, DATA = uint64(4), uint64(2)
"""In a bucket of a local table: where its older entry begins, and where an entry has its data."""
HASH_TOP = uint64(44)
"""The best bits of a product are the highest."""
BUCKETS_A_PART = uint64(6)
"""64 buckets, four kilobytes, are cleared together."""

# Data, from the lowest bit: lower and upper bound + 64, best and second move (64 is none), selectivity, depth, age, and
# hash bits. Selectivity and depth lie side by side: together they are the entry's rank.
UPPER, BEST, SECOND, RANK, DEPTH, AGE, CHECK = (uint64(bit) for bit in (8, 16, 23, 30, 33, 40, 48))
BYTE, SEVEN_BITS, SIX_BITS, RANK_BITS = (uint64(mask) for mask in (0xFF, 0x7F, 0x3F, 0x1FF))
SELECTIVITY_BITS = uint64(7)
NO_SELECTIVITY = uint64(7)
"""What was searched without forward pruning; smaller numbers prune more."""
OFFSET = 64
AGES = 256
"""Searches that can be told apart; then they are counted from the beginning."""

table_at = at_address(Table)


class TableMemory:
    """The memory of a table, owned by Python: a power of two of buckets, aligned to cache lines."""

    def __init__(self, megabytes: float) -> None:
        buckets = _buckets_in(megabytes)
        words = buckets * int(WORDS_A_BUCKET)
        memory = np.zeros(words + 8, np.uint64)
        begin = (-memory.ctypes.data % 64) // 8
        self.words = memory[begin : begin + words]
        self._touched = np.zeros((buckets >> int(BUCKETS_A_PART)) + 1, np.uint8)
        self.record = Table.new()
        self.lay_on(self.record)

    def lay_on(self, table: Table, megabytes: float = math.inf) -> None:
        """Fills in a record of this table, a desk's for example; of no more than its first megabytes if so wished."""
        table.buckets, table.touched = place_of(self.words), place_of(self._touched)
        buckets = len(self.words) // int(WORDS_A_BUCKET)
        table.mask = (buckets if math.isinf(megabytes) else min(buckets, _buckets_in(megabytes))) - 1

    def clear(self) -> None:
        """Forgets everything. It costs what was written, not what there is room for: short games are many."""
        parts = np.flatnonzero(self._touched).tolist()
        if len(parts) > len(self._touched) // 8:
            self.words[:] = 0
        else:
            words = int(WORDS_A_BUCKET) << int(BUCKETS_A_PART)
            for part in parts:
                self.words[part * words : (part + 1) * words] = 0
        self._touched[:] = 0


def _buckets_in(megabytes: float) -> int:
    """How many buckets there is room for: a power of two."""
    most = max(int(megabytes * (1 << 20)) // (8 * int(WORDS_A_BUCKET)), 1)
    return 1 << (most.bit_length() - 1)


@kernel("uint64(uint64, uint64)")
def table_hash(own: int, opp: int) -> int:
    """The hash of a position; its low bits are its bucket. `check_bits` gives 16 more, independent of it."""
    return mix(own ^ (opp * uint64(0x9E3779B97F4A7C15)) ^ (opp >> uint64(32)))


@kernel("uint64(uint64, uint64)")
def check_bits(own: int, opp: int) -> int:
    """Bits of a second hash, in their place in the data."""
    return ((own * uint64(0xD6E8FEB86659FD93)) ^ (opp * uint64(0xA0761D6478BD642F))) & ~((ONE << CHECK) - ONE)


@kernel("uint64(Table, uint64, uint64)")
def probe(table: Table, own: int, opp: int) -> int:
    """The data stored for a position, or 0."""
    key, check = table_hash(own, opp), check_bits(own, opp)
    buckets: Row[int] = table.buckets
    at = (key & table.mask) * WORDS_A_BUCKET
    for _ in range(uint64(ENTRIES_A_BUCKET)):
        data = buckets[at + ONE]
        if buckets[at] ^ data == key and (data ^ check) >> CHECK == ZERO:
            return data
        at += WORDS_A_ENTRY
    return ZERO


@kernel("void(Table, uint64, uint64)", inlined=True)
def fetch(table: Table, own: int, opp: int) -> None:
    """Has the memory bring what the table has of a position, which will be probed."""
    bucket = table_hash(own, opp) & table.mask
    prefetch(address_of(table.buckets) + bucket * BYTES_A_BUCKET)


@kernel("int64(uint64)")
def lower_bound(data: int) -> int:
    """The lower bound in an entry's data."""
    return int64(data & BYTE) - int64(OFFSET)


@kernel("int64(uint64)")
def upper_bound(data: int) -> int:
    """The upper bound in an entry's data."""
    return int64((data >> UPPER) & BYTE) - int64(OFFSET)


@kernel("uint64(uint64)")
def best_move(data: int) -> int:
    """The best move in an entry's data, `NO_SQUARE` where there is none or no entry."""
    return (data >> BEST) & SEVEN_BITS if data else NO_SQUARE


@kernel("uint64(uint64)")
def second_move(data: int) -> int:
    """The best move before the best one, likewise."""
    return (data >> SECOND) & SEVEN_BITS if data else NO_SQUARE


@kernel("boolean(uint64, uint64, uint64)")
def reaches(data: int, depth: int, selectivity: int) -> bool:
    """True when an entry was searched as deep and as surely as this."""
    return (data >> DEPTH) & SIX_BITS >= depth and (data >> RANK) & SELECTIVITY_BITS >= selectivity


@kernel("uint64(uint64, uint64)")
def rank_of(depth: int, selectivity: int) -> int:
    """How much a search is worth keeping: deeper before surer."""
    return (depth << uint64(3)) | selectivity


@kernel("void(Table, uint64, uint64, int64, int64, uint64, uint64, uint64)")
def store(table: Table, own: int, opp: int, lower: int, upper: int, best: int, rank: int, age: int) -> None:
    """Keeps bounds for a position, joined with what a search of the same rank found before.

    What is known from a deeper or surer search is not given up for less. The entry replaced is the position's own, else
    the one of the least depth, those of earlier searches first.
    """
    key, check = table_hash(own, opp), check_bits(own, opp)
    buckets: Row[int] = table.buckets
    known, place, least = ZERO, ZERO, uint64(1 << 62)
    bucket = key & table.mask
    at = bucket * WORDS_A_BUCKET
    for _ in range(uint64(ENTRIES_A_BUCKET)):
        data = buckets[at + ONE]
        if buckets[at] ^ data == key and (data ^ check) >> CHECK == ZERO:
            known, place = data, at
            break
        worth = (data >> RANK) & RANK_BITS
        if (data >> AGE) & BYTE == age and data:
            worth += uint64(512)
        if worth < least:
            least, place = worth, at
        at += WORDS_A_ENTRY
    second = NO_SQUARE
    if known:
        known_rank = (known >> RANK) & RANK_BITS
        if known_rank > rank and (known >> AGE) & BYTE == age:
            return
        second = best_move(known) if best_move(known) != best else second_move(known)
        if known_rank == rank:
            lower = max(lower, lower_bound(known))
            upper = min(upper, upper_bound(known))
    data = uint64(lower + int64(OFFSET)) | (uint64(upper + int64(OFFSET)) << UPPER)
    data |= (best << BEST) | (second << SECOND) | (rank << RANK) | (age << AGE) | check
    buckets[place] = key ^ data
    buckets[place + ONE] = data
    table.touched[bucket >> BUCKETS_A_PART] = ONE


@kernel("uint64(Table, uint64, uint64)", inlined=True)
def _local_bucket(table: Table, own: int, opp: int) -> int:
    """Where a position's bucket of a local table begins, in words."""
    mixed = (own * uint64(0x9E3779B97F4A7C15)) ^ (opp * uint64(0xD6E8FEB86659FD93))
    return ((mixed >> HASH_TOP) & table.mask) * WORDS_A_BUCKET


@kernel("uint64(Table, uint64, uint64)", inlined=True)
def probe_local(table: Table, own: int, opp: int) -> int:
    """The data that a thread's own table has for a position, or 0: exact bounds and moves, nothing else."""
    buckets: Row[int] = table.buckets
    at = _local_bucket(table, own, opp)
    if buckets[at] == own and buckets[at + ONE] == opp:
        return buckets[at + DATA]
    at += OLDER
    if buckets[at] == own and buckets[at + ONE] == opp:
        return buckets[at + DATA]
    return ZERO


@kernel("void(Table, uint64, uint64, int64, int64, uint64, uint64)", inlined=True)
def store_local(table: Table, own: int, opp: int, lower: int, upper: int, best: int, known: int) -> None:
    """Keeps exact bounds in a thread's own table, joined with what it knew of the position before.

    The last position is the likeliest to be met again: it always comes in, and the older of its bucket's two goes.
    """
    second = NO_SQUARE
    if known:
        second = best_move(known) if best_move(known) != best else second_move(known)
        lower = max(lower, lower_bound(known))
        upper = min(upper, upper_bound(known))
    data = uint64(lower + int64(OFFSET)) | (uint64(upper + int64(OFFSET)) << UPPER)
    data |= (best << BEST) | (second << SECOND)
    buckets: Row[int] = table.buckets
    at = _local_bucket(table, own, opp)
    if buckets[at] != own or buckets[at + ONE] != opp:
        for word in range(OLDER):
            buckets[at + OLDER + word] = buckets[at + word]
        buckets[at], buckets[at + ONE] = own, opp
    buckets[at + DATA] = data
    table.touched[at // WORDS_A_BUCKET >> BUCKETS_A_PART] = ONE
