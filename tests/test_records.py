"""Records: one layout for Python, NumPy and compiled code."""

import copy
import pickle
from typing import Any

import numpy as np
import pytest

from outflank.board.compiled import int64, kernel, uint64
from outflank.board.memory import add_atomic, address_of, load_atomic, stack_words
from outflank.board.records import (
    Atomic,
    AtomicSigned,
    Byte,
    Real,
    Record,
    Row,
    Signed,
    Word,
    at_address,
    elsewhere,
    inline,
    own_line,
    place_of,
)


class Leaf(Record):
    value: Signed
    moves: Row[Word] = inline(4)


class Trunk(Record):
    nodes: Word
    share: Real
    idle: Atomic = own_line()
    leaves: Row[Leaf] = inline(3)
    table: Row[Word] = elsewhere()
    other: Leaf = elsewhere()
    heard: Atomic = elsewhere()
    balance: AtomicSigned
    first: Leaf
    """A record in place, not one of a row."""


trunk_at = at_address(Trunk)


@kernel("int64(Trunk, uint64)")
def grow(trunk: Trunk, index: int) -> int:
    trunk.nodes += uint64(1)
    trunk.share *= 0.5
    leaf = trunk.leaves[index]
    leaf.value = -5
    leaf.moves[uint64(3)] = trunk.table[uint64(1)]
    add_atomic(trunk.idle, uint64(2))
    return trunk.other.value if trunk.other else leaf.value


@kernel("int64(uint64, uint64)")
def grow_at(address: int, index: int) -> int:
    return grow(trunk_at(address), index)


@kernel("uint64(uint64)")
def idle_at(address: int) -> int:
    return load_atomic(trunk_at(address).idle)


@kernel("uint64(uint64, uint64)")
def leaf_address(address: int, index: int) -> int:
    return address_of(trunk_at(address).leaves[index])


def test_compiled_code_and_python_see_the_same_fields() -> None:
    trunk, table = Trunk.new(), np.array([7, 11], np.uint64)
    trunk.share, trunk.table = 1.0, place_of(table)
    assert grow_at(trunk.address, 1) == -5
    assert (trunk.nodes, trunk.share, trunk.leaves[1].value, trunk.leaves[1].moves[3]) == (1, 0.5, -5, 11)
    assert (trunk.leaves[0].value, trunk.leaves[2].value) == (0, 0)
    assert idle_at(trunk.address) == 2


def test_a_field_elsewhere_is_followed_and_may_be_empty() -> None:
    trunk, leaf, table = Trunk.new(), Leaf.new(), np.zeros(2, np.uint64)
    leaf.value, trunk.table = 1000, place_of(table)
    assert grow_at(trunk.address, 0) == -5
    trunk.other = place_of(leaf)
    assert grow_at(trunk.address, 0) == 1000
    trunk.other = place_of(None)
    assert grow_at(trunk.address, 0) == -5


@kernel("uint64(uint64)")
def balanced_at(address: int) -> int:
    trunk = trunk_at(address)
    trunk.first.value -= int64(3)
    return add_atomic(trunk.balance, load_atomic(trunk.heard))


@kernel("uint64(uint64)")
def counted_on_the_stack(rounds: int) -> int:
    words = stack_words(3)
    while rounds:
        words[uint64(2)] += rounds
        rounds -= uint64(1)
    return words[uint64(0)] + words[uint64(1)] + words[uint64(2)]


def test_a_shared_word_may_be_somebody_else_s_and_may_have_a_sign() -> None:
    trunk, heard = Trunk.new(), np.array([-5], np.int64)
    trunk.heard, trunk.balance = place_of(heard), 0
    balanced_at(trunk.address)
    assert (int(trunk.balance), trunk.first.value) == (-5, -3)
    assert np.frombuffer(trunk, np.dtype(Trunk))["balance"] == -5  # type: ignore[call-overload]


def test_an_array_of_records_has_the_same_layout() -> None:
    trunk = Trunk.new()
    assert np.dtype(Leaf).itemsize == 8 * Leaf.words == leaf_address(trunk.address, 2) - leaf_address(trunk.address, 1)


def test_a_record_begins_on_a_cache_line_and_a_shared_word_has_its_own() -> None:
    assert Trunk.new().address % 64 == 0
    idle, following = Trunk.layout["idle"], Trunk.layout["leaves"]
    assert (idle.offset, following.offset) == (8, 16)


def test_two_records_of_one_name_are_refused() -> None:
    with pytest.raises(TypeError, match="two records called Leaf"):
        type("Leaf", (Record,), {"__annotations__": {}, "__module__": __name__})


@pytest.mark.parametrize(
    ("hint", "place"),
    [
        (Byte, None),
        (Row[Byte], inline(4)),
        (Row[Atomic], inline(4)),
        (Row[Word], None),
        (Word, 7),
        (int, None),
    ],
)
def test_a_field_that_has_no_layout_is_refused(hint: Any, place: Any) -> None:
    namespace = {"__annotations__": {"field": hint}, "__module__": __name__}
    with pytest.raises(TypeError, match=r"Odd\.field"):
        type("Odd", (Record,), namespace if place is None else namespace | {"field": place})


def test_a_record_inherits_no_fields() -> None:
    with pytest.raises(TypeError, match="cannot inherit fields"):
        type("Taller", (Leaf,), {"__annotations__": {"more": Word}, "__module__": __name__})


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, pickle.dumps])
def test_a_record_is_not_copied(copied: Any) -> None:
    """Its copy would go on in memory that is somebody else's, or nobody's any more."""
    with pytest.raises(TypeError, match="cannot be copied or pickled: make another player or search"):
        copied(Leaf.new(value=1))
