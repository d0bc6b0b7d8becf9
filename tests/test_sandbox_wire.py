"""The wire to an enclosed program: whatever comes over it is an answer or is refused, and never costs much."""

import errno
import json
import os
import struct
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outflank.agents.sandbox import seccomp, wire
from outflank.agents.sandbox.course_board import Board
from outflank.agents.sandbox.interfaces import Examined, NotAPlayerError, examine
from outflank.agents.sandbox.wire import Inbox, WireError
from outflank.board.position import Position
from outflank.errors import Fault

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@given(st.binary(max_size=4000))
def test_bytes_are_no_answer(data: bytes) -> None:
    inbox = Inbox("0123456789abcdef")
    try:
        assert inbox.add(data) == []
    except WireError as error:
        assert len(str(error)) < 100


@given(JSON, st.integers(1, 50))
def test_messages_arrive_whole_however_they_are_cut(value: object, size: int) -> None:
    message = {"token": "t", "value": value}
    data = wire.encoded(message)
    inbox = Inbox("t")
    received = [one for start in range(0, len(data), size) for one in inbox.add(data[start : start + size])]
    assert json.dumps(received) == json.dumps([json.loads(data)])


@given(JSON)
def test_json_without_the_token_is_refused(value: object) -> None:
    with pytest.raises(WireError):
        Inbox(wire.token()).add(wire.encoded({"token": value}))
    with pytest.raises(WireError):
        Inbox(wire.token()).add(json.dumps(value).encode() + b"\n")


@pytest.mark.parametrize(
    "data",
    [
        b"[" * 60_000 + b"\n",
        b'{"token":' * 5000 + b"\n",
        b'{"token": 1' + b"0" * 60_000 + b"}\n",
        b"\x80\x04.\n",
        b"\n",
    ],
    ids=["nested list", "nested object", "long number", "pickle", "empty line"],
)
def test_hostile_json_is_refused(data: bytes) -> None:
    with pytest.raises(WireError):
        Inbox("t").add(data)


def test_what_is_too_much_is_refused_before_it_is_kept() -> None:
    with pytest.raises(WireError, match="line of more"):
        Inbox("t").add(b"x" * (wire.LONGEST + 1))
    inbox = Inbox("t")
    with pytest.raises(WireError, match="more than 1,048,576 bytes"):
        for _ in range(100):
            inbox.add(wire.encoded({"token": "t", "text": "x" * 20_000}))


@given(JSON)
def test_values_are_what_they_must_be(value: object) -> None:
    square, number, count, text = wire.square(value), wire.number(value), wire.count(value), wire.text(value)
    assert square is None or 0 <= square < 64
    assert number is None or abs(number) < float("inf")
    assert 0 <= count < 2**62
    assert len(text) <= 301
    assert text.isprintable()
    assert all(mark.isprintable() or mark == "\n" for mark in wire.lines(value))


def test_a_token_cannot_be_guessed() -> None:
    assert len({wire.token() for _ in range(1000)}) == 1000


def test_a_pipe_that_is_empty_or_closed_does_not_block() -> None:
    reader, writer = os.pipe()
    os.set_blocking(reader, False)
    assert wire.read_piece(reader) is None
    os.write(writer, b"x")
    assert wire.read_piece(reader) == b"x"
    os.close(writer)
    assert wire.read_piece(reader) == b""
    os.close(reader)
    assert wire.read_piece(reader) == b""


# The filter of system calls, run by an interpreter of our own


def verdict(code: bytes, architecture: int, number: int, *arguments: int) -> int:
    """What the kernel would do with a call."""
    call = struct.pack("=IIQ6Q", number, architecture, 0, *arguments, *(6 - len(arguments)) * [0])
    at, value = 0, 0
    while True:
        operation, if_true, if_false, constant = struct.unpack_from("=HBBI", code, 8 * at)
        at += 1
        if operation == seccomp.LOAD:
            (value,) = struct.unpack_from("=I", call, constant)
        elif operation == seccomp.AND:
            value &= constant
        elif operation == seccomp.RETURN:
            return int(constant)
        else:
            true = {
                seccomp.JUMP_EQUAL: value == constant,
                seccomp.JUMP_GREATER_EQUAL: value >= constant,
                seccomp.JUMP_BITS: bool(value & constant),
            }[operation]
            at += if_true if true else if_false


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_the_filter_refuses_what_it_lists_and_allows_the_rest(machine: str) -> None:
    column, architecture = seccomp.COLUMN[machine], seccomp.ARCHITECTURES[machine]
    code = seccomp.program(machine, 7)

    def asked(number: int, *arguments: int) -> int:
        return verdict(code, architecture, number, *arguments)

    special = {seccomp.CLONE[column], seccomp.MMAP[column]}
    special |= {numbers[column] for numbers in seccomp.SIGNALS_OTHERS.values()}
    special |= {numbers[column] for numbers in seccomp.ENDS.values()}
    special |= {numbers[column] for numbers, _ in seccomp.ONLY.values()}
    refused: set[int | None] = {seccomp.CLONE3[column]}
    for calls in (seccomp.REFUSED, seccomp.STARTS_PROCESSES):
        refused |= {numbers[column] for numbers in calls.values() if numbers[column] is not None}
    for number in range(seccomp.NEWEST + 1):
        if number not in special:
            assert (asked(number) == seccomp.ALLOW) == (number not in refused), number
    clone = seccomp.CLONE[column]
    assert asked(clone, seccomp.CLONE_THREAD | 0x100) == seccomp.ALLOW
    assert asked(clone, 17) != seccomp.ALLOW
    for numbers in seccomp.SIGNALS_OTHERS.values():
        assert asked(numbers[column], 7) == seccomp.ALLOW
        assert asked(numbers[column], 8) != seccomp.ALLOW
    for numbers in seccomp.ENDS.values():
        ends = {status: asked(numbers[column], status) for status in (0, 1, 128, 137, 152, 255, 0xF00 | 137)}
        assert [status for status, end in ends.items() if end == seccomp.KILL] == [137, 152, 0xF00 | 137]
        assert set(ends.values()) == {seccomp.ALLOW, seccomp.KILL}
    for numbers, wanted in seccomp.ONLY.values():
        right = [wanted.get(argument, (0,))[0] for argument in range(6)]
        for argument, values in wanted.items():
            for value in range(2048):
                asks = [*right[:argument], value, *right[argument + 1 :]]
                assert (asked(numbers[column], *asks) == seccomp.ALLOW) == (value in values), (numbers, asks)
    private, shared, shared_validate, anonymous = 2, 1, 3, 0x20
    for flags in (private, private | anonymous):
        assert asked(seccomp.MMAP[column], 0, 4096, 3, flags) == seccomp.ALLOW
    for flags in (shared, shared | anonymous, shared_validate):
        assert asked(seccomp.MMAP[column], 0, 4096, 1, flags) != seccomp.ALLOW, "also to read: it can be changed later"
    assert verdict(code, 0x40000003, 1) == seccomp.KILL, "another architecture's calls have other numbers"
    x32 = 0x40000000
    newer = [seccomp.NEWEST + 1, 463, 512, 1000, x32 | 57, 2**32 - 1]
    assert {asked(number) for number in newer} == {seccomp.REFUSE | errno.ENOSYS}, "unknown calls are none"


def test_the_filter_is_known_for_the_machines_people_have() -> None:
    if sys.platform == "linux" and os.uname().machine in ("x86_64", "aarch64"):
        assert seccomp.missing() == ""


# Reading a file without running it


def test_a_reason_is_an_error_of_ours_or_one_line_of_words() -> None:
    ours = wire.reason({"code": "guest.no-class", "params": {"name": "Other\nclass"}, "text": "no"})
    assert isinstance(ours, Fault) and str(ours) == "it has no class Other class"
    for code, params in (
        ("guest.no-class", {}),
        ("guest.no-class", "name"),
        ("guest.of-no-language", {"name": "x"}),
        ("guest.memory", {"used": "much", "allowed": "little"}),
        ("web.busy", {}),
        (["guest.no-class"], {"name": "x"}),
    ):
        assert wire.reason({"code": code, "params": params, "text": "its own\nwords"}) == "its own words"


def examined(text: str, wanted: str) -> Examined:
    return examine({"x.py": text.encode()}, wanted)


def test_what_a_file_is_can_be_read_before_it_runs() -> None:
    ai = "import numpy as np\nfrom numba import njit\nclass AI:\n def go(self, b): pass\n"
    assert examined(ai, "").interface == "AI"
    assert examined(ai, "").libraries == ("numpy", "numba")
    player = "import copy\nclass Base:\n def get_move(self, b): pass\nclass AIPlayer(Base): pass\n"
    assert examined(player, "").interface == "AIPlayer"
    assert examined(player, "").libraries == ()
    ours = "class Mine(Agent):\n def choose(self, game, limit): pass\n"
    assert (examined(ours, "").class_name, examined(ours, "").interface) == ("Mine", "Agent")
    assert examined(ai + ours, "Mine").interface == "Agent"
    for text, problem in (
        ("", "no class AI"),
        ("import os\n" + ai, "import os"),
        ("class AI: pass", "has no method"),
    ):
        with pytest.raises(NotAPlayerError, match=problem):
            examined(text, "")
    with pytest.raises(NotAPlayerError, match="no class Other"):
        examined(ai, "Other")


# The board of the course


@given(st.randoms(use_true_random=False), st.integers(0, 59))
def test_the_courses_board_follows_the_rules(dice: object, plies: int) -> None:
    position, board = Position.start(), Board()
    for _ in range(plies):
        color = position.turn.symbol
        names = sorted(board.get_legal_actions(color))
        legal = sorted(board.num_board((square // 8, square % 8)) for square in position.legal_moves)
        assert names == legal
        if not legal:
            break
        move = dice.choice(names)  # type: ignore[attr-defined]
        before = [list(row) for row in board._board]
        flipped = board._move(move, color)
        assert isinstance(flipped, list)
        board.backpropagation(move, flipped, color)
        assert board._board == before
        board._move(move, color)
        row, column = board.board_num(move)
        assert len(flipped) == position.flips(8 * row + column).bit_count()
        position = position.play(8 * row + column)
        if position.must_pass:
            position = position.play("pass")
    assert (board.count("X"), board.count("O")) == (position.count(0), position.count(1))  # type: ignore[arg-type]
    more = position.count(0) - position.count(1)  # type: ignore[arg-type]
    assert board.get_winner() == (0 if more > 0 else 1 if more < 0 else 2, abs(more))


def test_the_courses_board_knows_names_and_refuses_wrong_moves() -> None:
    board = Board()
    assert board.board_num("G6") == (5, 6)
    assert board.num_board((2, 7)) == "H3"
    assert board[3][4] == "X"
    assert board._move("A1", "X") is False
    board.display()
