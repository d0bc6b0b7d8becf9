"""The transposition table against a plain model, and under several threads."""

import random
import threading
from typing import Any

import naive_table
import numpy as np
import pytest

from outflank.board.compiled import kernel, load, uint64
from outflank.board.kernels import ONE, ZERO, mix, random_word
from outflank.board.memory import stack_words
from outflank.search.engine.desk import Table
from outflank.search.engine.table import (
    NO_SQUARE,
    TableMemory,
    best_move,
    check_bits,
    lower_bound,
    probe,
    probe_local,
    rank_of,
    reaches,
    second_move,
    store,
    store_local,
    table_at,
    table_hash,
    upper_bound,
)

TINY = 4 * 64 / (1 << 20)
"""Megabytes of four buckets."""


@kernel("uint64(uint64, uint64, uint64)")
def probe_at(address: int, own: int, opp: int) -> int:
    return probe(table_at(address), own, opp)


@kernel("void(uint64, uint64, uint64, int64, int64, uint64, uint64, uint64)")
def store_at(address: int, own: int, opp: int, lower: int, upper: int, best: int, rank: int, age: int) -> None:
    store(table_at(address), own, opp, lower, upper, best, rank, age)


@kernel("uint64(uint64, uint64, uint64)")
def probe_local_at(address: int, own: int, opp: int) -> int:
    return probe_local(table_at(address), own, opp)


@kernel("void(uint64, uint64, uint64, int64, int64, uint64, uint64)")
def store_local_at(address: int, own: int, opp: int, lower: int, upper: int, best: int, known: int) -> None:
    store_local(table_at(address), own, opp, lower, upper, best, known)


@pytest.mark.parametrize("seed", range(5))
def test_it_keeps_what_the_plain_model_keeps(seed: int) -> None:
    dice, memory, model = random.Random(seed), TableMemory(TINY), naive_table.Table()
    address = memory.record.address
    positions = [(dice.getrandbits(64), dice.getrandbits(64)) for _ in range(40)]
    for _ in range(3000):
        own, opp = key = dice.choice(positions)
        lower, best = dice.randint(-64, 64), dice.randint(0, 64)
        upper = dice.randint(lower, 64)
        depth, selectivity, age = dice.randint(0, 60), dice.choice([0, 1, 7]), dice.randint(0, 3)
        rank = rank_of(depth, selectivity)
        assert rank == 8 * depth + selectivity
        store_at(address, own, opp, lower, upper, best, rank, age)
        model.store(table_hash(own, opp) & 3, key, lower, upper, best, rank, age)
        for own, opp in positions:
            data, known = probe_at(address, own, opp), model.probe(table_hash(own, opp) & 3, (own, opp))
            assert bool(data) == (known is not None)
            if known is not None:
                said = lower_bound(data), upper_bound(data), best_move(data), second_move(data)
                assert said == (known.lower, known.upper, known.best, known.second)
                assert reaches(data, known.rank >> 3, known.rank & 7)
                assert not reaches(data, (known.rank >> 3) + 1, 0)
                assert known.rank & 7 == 7 or not reaches(data, 0, (known.rank & 7) + 1)


@pytest.mark.parametrize("seed", range(5))
def test_a_bucket_of_a_local_table_keeps_the_two_positions_stored_last(seed: int) -> None:
    dice, memory = random.Random(seed), TableMemory(TINY / 4)
    address = memory.record.address
    positions = [(dice.getrandbits(64), dice.getrandbits(64)) for _ in range(4)]
    kept: dict[tuple[int, int], tuple[int, int, int, int]] = {}
    for _ in range(1000):
        own, opp = key = dice.choice(positions)
        lower, upper, best = dice.randint(-64, 0), dice.randint(0, 64), dice.randint(0, 63)
        store_local_at(address, own, opp, lower, upper, best, probe_local_at(address, own, opp))
        second = int(NO_SQUARE)
        if key in kept:
            known_lower, known_upper, known_best, known_second = kept.pop(key)
            lower, upper = max(lower, known_lower), min(upper, known_upper)
            second = known_best if known_best != best else known_second
        kept = dict([*kept.items(), (key, (lower, upper, best, second))][-2:])
        for position in positions:
            data = probe_local_at(address, *position)
            said = (lower_bound(data), upper_bound(data), best_move(data), second_move(data)) if data else None
            assert said == kept.get(position)


def test_a_search_may_use_a_part_of_the_table() -> None:
    memory, part = TableMemory(1), Table.new()
    memory.lay_on(part, 0.25)
    for number in range(1, 1000):
        store_at(part.address, number, number << 32, 0, 0, 0, rank_of(1, 7), 0)
    assert memory.words[: len(memory.words) // 4].any()
    assert not memory.words[len(memory.words) // 4 :].any()
    memory.lay_on(part, 4)
    assert part.mask == memory.record.mask


def test_nothing_is_known_of_a_position_that_is_not_there() -> None:
    assert (best_move(0), second_move(0)) == (NO_SQUARE, NO_SQUARE)


@kernel("uint64(uint64, uint64, uint64, uint64, uint64[::1])")
def hammer(address: int, positions: int, seed: int, times: int, seen: Any) -> int:
    """Stores and probes at random; returns how often an entry said what nobody had stored for its position.

    What is stored follows from the position: its best move, and bounds on its value that differ from rank to rank.
    """
    table, dice = table_at(address), stack_words(1)
    dice[ZERO] = seed
    wrong = ZERO
    for _ in range(times):
        own = mix(random_word(dice) % positions)
        opp = mix(~own)
        value, best = int(own & uint64(31)) - 16, (own >> uint64(32)) & uint64(63)
        depth = random_word(dice) & uint64(15)
        if random_word(dice) & ONE:
            # Deeper entries are nearer to the value on both sides.
            width = 32 - int(depth)
            store(table, own, opp, value - width, value + width, best, rank_of(depth, uint64(7)), depth & uint64(3))
        else:
            data = probe(table, own, opp)
            if data:
                seen[0] += ONE
                width = value - lower_bound(data)
                depth = uint64(32 - width)
                second = second_move(data)
                if (
                    upper_bound(data) - value != width
                    or best_move(data) != best
                    or (second != NO_SQUARE and second != best)
                    or not reaches(data, depth, uint64(7))
                    or reaches(data, depth + ONE, ZERO)
                ):
                    wrong += ONE
    return wrong


@pytest.mark.parametrize("megabytes", [64 / (1 << 20), TINY, 0.25])
def test_threads_never_meet_a_bound_that_nobody_stored(megabytes: float) -> None:
    load(hammer)
    memory, found = TableMemory(megabytes), list[int]()
    seen = [np.zeros(1, np.uint64) for _ in range(4)]

    def work(number: int) -> None:
        # Few positions for the buckets there are: nearly every store meets another thread's entry.
        found.append(hammer(memory.record.address, 24, number + 1, 400_000, seen[number]))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [0, 0, 0, 0]
    assert all(int(count[0]) > 10_000 for count in seen)


def test_a_torn_entry_matches_no_position() -> None:
    """The key of one position beside the data of another, which two threads leave that write at once.

    The two have the same check bits, so that only the hash can tell.
    """
    dice = random.Random(5)
    first = dice.getrandbits(64), dice.getrandbits(64)
    second = next(
        other
        for other in ((dice.getrandbits(64), dice.getrandbits(64)) for _ in range(1_000_000))
        if check_bits(*other) == check_bits(*first)
    )
    memory = TableMemory(64 / (1 << 20))
    address, entries = memory.record.address, memory.words
    store_at(address, *first, -3, 3, 5, rank_of(9, 7), 0)
    store_at(address, *second, -6, 6, 10, rank_of(9, 7), 0)
    assert probe_at(address, *first) and probe_at(address, *second)
    entries[1], entries[3] = entries[3], int(entries[1])
    assert (probe_at(address, *first), probe_at(address, *second)) == (0, 0)


def test_the_check_bits_tell_positions_of_one_hash_apart() -> None:
    memory = TableMemory(64 / (1 << 20))
    store_at(memory.record.address, 1, 2, -3, 3, 5, rank_of(9, 7), 0)
    data = int(memory.words[1])
    # The same key with other check bits: another position whose hash is the same.
    memory.words[1] = data ^ 1 << 60
    memory.words[0] ^= np.uint64(1 << 60)
    assert probe_at(memory.record.address, 1, 2) == 0


def test_clearing_writes_only_where_something_was_stored() -> None:
    """Short games are many: to clear 64 MB for each of them would take longer than to play it."""
    memory = TableMemory(1)
    store_at(memory.record.address, 1, 2, 0, 0, 0, rank_of(1, 7), 0)
    stored = int(np.flatnonzero(memory.words)[0])
    elsewhere = (stored + len(memory.words) // 2) % len(memory.words)
    memory.words[elsewhere] = 7  # nobody stored it: no clearing comes here
    memory.clear()
    assert (memory.words[stored], memory.words[elsewhere]) == (0, 7)


@pytest.mark.parametrize("stores", [0, 1, 20, 5000])
def test_clearing_leaves_nothing(stores: int) -> None:
    dice, memory = random.Random(3), TableMemory(1)
    for _ in range(stores):
        store_at(memory.record.address, dice.getrandbits(64), dice.getrandbits(64), 0, 0, 0, rank_of(1, 7), 0)
    assert bool(memory.words.any()) == bool(stores)
    memory.clear()
    assert not memory.words.any()
