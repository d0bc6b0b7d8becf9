"""Whatever comes in, a reader answers or raises ValueError with one line; and it does not take all day."""

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_formats_golden import golden

from outflank.board.variant import Variant
from outflank.formats import arrays, boards, gam, ggf, obf, pictures, sgf, transcript, wthor
from outflank.formats.detect import detect
from outflank.formats.reading import READERS, read_as

GOLDEN = golden()
TEXT_READERS: dict[str, Callable[[str], Any]] = {
    "transcript": transcript.read,
    "transcript on 5x7": lambda text: transcript.read(text, Variant.named("5x7")),
    "board": boards.read,
    "printed board": boards.printed,
    "board of 6x8": lambda text: boards.read(text, Variant.named("6x8")),
    "array": arrays.read,
    "obf": obf.read,
    "ggf": ggf.read,
    "sgf": sgf.read,
    "gam": gam.read,
    "gam, unchecked": gam.decode,
    "svg": pictures.read,
    "anything": detect,
    "anything, with a hint": lambda text: detect(text, Variant.named("reversed-6x6")),
}
BYTE_READERS: dict[str, Callable[[bytes], Any]] = {
    "wthor": wthor.read,
    "wthor, unchecked": wthor.decode,
    "players": wthor.read_names,
    "tournaments": lambda data: wthor.read_names(data, "tournament"),
    "anything": detect,
    **{f"{name} file": partial(read_as, name) for name in (*READERS, "wthor", "names")},
}
ALPHABET = "abcdefgh12345678XO*-.;:[]()\\/+ \n%BWPACGMTYREO0é"
FRAGMENTS = [
    "(;",
    ";)",
    ")",
    "GM[2]",
    "GM[Othello]",
    "BO[8 ",
    "TY[8]",
    "B[f5]",
    "W[]",
    "AB[a1:h8]",
    "f5",
    "+f5",
    ": ",
    "XT[",
]


def only_value_errors(reader: Callable[[Any], Any], source: str | bytes) -> None:
    try:
        found = reader(source)
        for game in list(getattr(found, "games", []) or [])[:2]:
            str(game)
    except ValueError as error:
        assert len(str(error).splitlines()) <= 1, str(error)
        assert len(str(error)) < 400


@settings(max_examples=400)
@given(
    st.text(max_size=200)
    | st.text(st.sampled_from(ALPHABET), max_size=400)
    | st.lists(st.sampled_from(FRAGMENTS)).map("".join)
)
def test_any_text(text: str) -> None:
    for reader in TEXT_READERS.values():
        only_value_errors(reader, text)


@settings(max_examples=400)
@given(st.binary(max_size=200) | st.binary(max_size=100).map(lambda rest: GOLDEN["games.wtb"][:20] + rest))
def test_any_bytes(data: bytes) -> None:
    for reader in BYTE_READERS.values():
        only_value_errors(reader, data)


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    """A sound file that was cut off, overwritten, doubled or mixed with another."""
    data = bytearray(GOLDEN[draw(st.sampled_from(sorted(GOLDEN)))])
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(data)))
        how = draw(st.sampled_from(["cut", "flip", "double", "insert", "drop", "mix"]))
        if how == "cut":
            data = data[:at]
        elif how == "flip" and at < len(data):
            data[at] ^= 1 << draw(st.integers(0, 7))
        elif how == "double":
            data = data[:at] + data[max(0, at - draw(st.integers(1, 90))) :]
        elif how == "insert":
            data[at:at] = draw(st.binary(max_size=6))
        elif how == "drop":
            del data[at : at + draw(st.integers(1, 90))]
        elif how == "mix":
            data[at:] = GOLDEN[draw(st.sampled_from(sorted(GOLDEN)))][at:]
    return bytes(data)


@settings(max_examples=600)
@given(damaged())
def test_damaged_files(data: bytes) -> None:
    for reader in BYTE_READERS.values():
        only_value_errors(reader, data)
    text = data.decode("latin-1")
    for text_reader in TEXT_READERS.values():
        only_value_errors(text_reader, text)


@pytest.mark.parametrize("name", sorted(GOLDEN))
def test_a_file_cut_off_anywhere_is_refused_or_shorter(name: str) -> None:
    """Lines can be lost without a trace, half a game cannot."""
    whole = GOLDEN[name]
    kind = {"txt": "transcript", "wtb": "wthor", "jou": "names", "trn": "names"}.get(
        name.split(".")[1], name.split(".")[1]
    )
    for at in range(0, len(whole), max(1, len(whole) // 40)):
        only_value_errors(lambda data: read_as(kind, data), whole[:at])
    if kind in ("wthor", "names", "svg", "gam"):
        with pytest.raises(ValueError):
            read_as(kind, whole[: len(whole) - 4])


@pytest.mark.parametrize(
    "piece",
    [
        "f5",
        "-",
        "X",
        "(;",
        "(;GM[2]",
        "(;GM[2]C[",
        "(;GM[Othello]PB[",
        "[",
        "\\",
        "1 ",
        "1.",
        "+d3",
        " ",
        "(;)",
        "()",
        ";",
        "%",
        "http://",
    ],
)
def test_ten_megabytes_in_one_line_take_a_moment(piece: str) -> None:
    line = (piece * (10_000_000 // len(piece) + 1))[:10_000_000]
    began = time.process_time()
    with pytest.raises(ValueError) as raised:
        detect(line.encode())
    assert time.process_time() - began < 20  # a fifth of one, on a machine that is not slow; the square of it is hours
    assert len(str(raised.value)) < 200
