"""Paste anything, and be told what it was taken for."""

import gzip
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import played_positions, square_variants

from outflank.board import kernels
from outflank.board.game import Game
from outflank.board.position import Position
from outflank.board.squares import square_name
from outflank.board.svg import draw
from outflank.board.variant import Variant
from outflank.formats import gam, ggf, obf, sgf, wthor
from outflank.formats.detect import detect
from outflank.formats.obf import Problem

# 41 plies of a real kind of game: long enough that only one board and start can have it.
LINE = "f5d6c3g5g6f3g4c4c5f6e3h7g3b2f4c6b3h4c2b4g7h8e6d1g8d2b6h3h2f7e8g2f2e7a4f1e1b5a2d7e2"
SIX = "c2b4c5d2e4e3d1c1b1d5d6f4b3b2f3f2e2b6a4c6a6a2b5a5e6e5a3a1f5f6e1f1"


def turned(transcript: str, which: int, size: int = 8) -> str:
    """A transcript under one of the board's eight symmetries."""
    squares = [transcript[at : at + 2] for at in range(0, len(transcript), 2)]
    masks = [1 << "abcdefgh".index(name[0]) + 8 * (int(name[1]) - 1) for name in squares]
    images = [kernels.symmetry(mask, which, size, size) for mask in masks]
    return "".join(square_name(image.bit_length() - 1) for image in images)


@pytest.mark.parametrize("which", range(8))
def test_a_transcript_is_known_in_any_symmetry_of_its_first_move(which: int) -> None:
    found = detect(turned(LINE, which))
    # Half of the symmetries keep the start; the others exchange its colours, and with them the start's name.
    start = Position.start().symmetry(which)
    kind = "8x8" if start == Position.start() else "8x8, mirrored start"
    assert found.kind == f"a transcript of 41 moves ({kind})"
    assert found.games[0].start.black == start.black


@pytest.mark.parametrize("which", range(8))
def test_a_6x6_transcript_is_known_by_its_moves(which: int) -> None:
    found = detect(turned(SIX, which, 6))
    assert (found.games[0].variant.rows, found.games[0].is_over) == (6, True)
    assert found.kind.startswith("a transcript of 32 moves (6x6")


@given(square_variants.filter(lambda variant: variant.rows > 4), st.binary(min_size=70, max_size=70))
def test_a_whole_game_is_known_on_every_square_board(variant: Variant, choices: bytes) -> None:
    game = Game(variant)
    for choice in choices:
        if not game.is_over:
            game.push(game.position.legal_moves[choice % len(game.position.legal_moves)])
    assert detect(game.transcript, variant).games[0].position == game.position


def test_the_hint_decides_the_objective_and_comes_first() -> None:
    assert detect("f5d6", Variant.named("reversed")).kind == "a transcript of 2 moves (reversed 8x8)"
    assert detect("d3", Variant.named("reversed-parallel")).games[0].variant == Variant.named("reversed-parallel")
    assert detect(SIX, Variant.named("reversed")).kind == "a transcript of 32 moves (reversed 6x6)"


def test_a_game_may_be_broken_into_lines_and_numbered() -> None:
    assert detect("1. f5 d6\n2. c3 d3\n3. c4").kind == "a transcript of 5 moves (8x8)"


@pytest.mark.parametrize(
    "written", ["ｆ５ｄ６ｃ３ｄ３", "F5-D6-C3-D3", "f5, d6, c3, d3", "f5 → d6 → c3 → d3", "f5->d6->c3->d3"]
)
def test_moves_are_known_however_they_are_written(written: str) -> None:
    assert detect(written).games[0].transcript == "f5d6c3d3"


def test_bytes_that_are_nothing_are_not_quoted() -> None:
    with pytest.raises(ValueError, match=r"^these bytes are not a transcript"):
        detect(b"\x14\x18\x02\x00\x00 ???")


def test_quotes_around_a_text_are_no_part_of_it() -> None:
    assert detect('"f5d6c3"').kind == detect("```\nf5d6c3\n```").kind == "a transcript of 3 moves (8x8)"


def test_a_game_a_line_is_several_games() -> None:
    found = detect("f5d6c3\nf5f6e6\nf5f4e3\n")
    assert found.kind == "3 transcripts (8x8)"
    assert [game.transcript for game in found.games] == ["f5d6c3", "f5f6e6", "f5f4e3"]


@given(played_positions(square_variants))
def test_board_texts_are_known(position: Position) -> None:
    found = detect(position.text, position.variant)
    assert (found.format, found.positions) == ("board", [position])


@given(played_positions())
def test_printed_boards_are_known(position: Position) -> None:
    found = detect(str(position), position.variant)
    assert found.format == "board"
    assert (found.positions[0].black, found.positions[0].white) == (position.black, position.white)


def test_every_format_is_known_as_text_and_as_bytes() -> None:
    game = Game.from_transcript(LINE)
    texts = {
        "ggf": (ggf.write([game]), "a GGF game of 41 moves (8x8)"),
        "sgf": (sgf.write([game]), "an SGF game of 41 moves (8x8)"),
        "gam": (gam.write([game]), "a log book game of 41 moves (8x8)"),
        "obf": (obf.write([Problem(game.position, {}, 4.0)]), "an OBF position"),
        "svg": (draw(game.position), "a picture by Outflank (8x8)"),
        "board": (game.position.text, "a board (8x8), White to move"),
    }
    for name, (text, kind) in texts.items():
        for source in (text, text.encode(), gzip.compress(text.encode()), text.encode("utf-16")):
            found = detect(source)
            assert (found.format, found.kind) == (name, kind)
            if found.games:
                assert found.games[0].transcript == LINE
            else:
                assert found.positions == [game.position]


def test_several_games_are_counted() -> None:
    games = [Game.from_transcript("f5"), Game.from_transcript("d3c3")]
    assert detect(ggf.write(games)).kind == "2 GGF games"
    assert detect(sgf.write(games)).kind == "2 SGF games"
    assert detect(gam.write(games)).kind == "a log book of 2 games"
    assert detect(Position.start().text + "\n" + Position.start().text).kind == "2 boards"


def test_wthor_files_are_known_by_their_header() -> None:
    game = Game.from_transcript(LINE)
    game.tags["Date"] = "1999"
    assert detect(wthor.write([game])).kind == "a WTHOR file of 1 game of 1999"
    players = detect(wthor.write_names(["???", "Ann"], "player"))
    assert (players.kind, players.names) == ("WTHOR's names of 2 players", ["???", "Ann"])
    assert detect(wthor.write_names(["???"], "tournament")).kind == "WTHOR's names of 1 tournament"


@pytest.mark.parametrize(
    "link",
    [
        f"https://example.org/game?moves={LINE}&lang=en",
        f"https://example.org/game#{LINE.upper()}",
        f"http://example.org/{LINE}",
        f"www.example.org/?k={LINE}",
        f"othello://replay/8x8/{LINE}#end",
        f"https://example.org/game?moves={LINE[:40]}+{LINE[40:]}",
    ],
)
def test_a_link_may_carry_a_transcript(link: str) -> None:
    found = detect(link)
    assert found.kind == "a link with a transcript of 41 moves (8x8)"
    assert found.games[0].transcript == LINE


def test_a_link_may_carry_a_board() -> None:
    position = Position.start().play("f5")
    board = position.text.split()[0]
    assert detect(f"https://example.org/?board={board}&turn=white").positions == [position]
    assert detect(f"https://example.org/?board={quote(position.text)}").positions == [position]
    assert detect(f"https://example.org/?board={board}O").positions == [position]


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (
            LINE[:72] + "a8" + LINE[74:],
            r"^transcript \(8x8\), move 37: a8 is not legal: Black would turn no discs there$",
        ),
        (f"{LINE[:40]}\n{LINE[40:72]}a8", r"^transcript \(8x8\), move 37: a8 is not legal"),
        ("f5d6c3\nf5f6a1\n", r"^line 2: move 3: a1 is not legal: Black would turn no discs there$"),
        (Position.start().text[1:], r"^board text: there are 63 squares before the side to move, not 64$"),
        (Position.start().text[1:-2], r"^board text: 63 marks do not make a square board"),
        ("f5d6x9", r"^transcript: 'x9' after 2 moves is not a move$"),
        ("(;GM[Othello]TY[8", r"^GGF, game 1, line 1: the text ends inside TY\[$"),
        ("(;GM[2];B[f5]", r"^SGF, game 1, line 1: the text ends inside it$"),
        ("+f5-d6+c", r"^transcript: '\+f5-d6\+c' after 0 moves is not a move$"),
        ("+f5-d6: ", r"^line 1: the game must end in ': RESULT COUNT'"),
        (Position.start().text + "; D3:+2", r"^OBF, line 1: no ; after 'D3:\+2': the line is incomplete$"),
        ("https://example.org/about", r"^link: it has neither a transcript nor a board$"),
        ("https://example.org/?m=f5a1", r"^link: transcript \(8x8\), move 2: a1 is not legal"),
        ("<html></html>", r"^SVG: only whole pictures drawn by Outflank"),
        (
            "good morning",
            r"^'good morning' is not a transcript, a board, OBF, GGF, SGF, WTHOR, a log book or one of our pictures$",
        ),
        ("  \n ", r"^there is nothing to read: the text is empty$"),
        (b"", r"^there is nothing to read: the text is empty$"),
        (bytes(range(128, 256)) * 3, r"^this is binary data \(byte 128 at offset 0\), but not WTHOR$"),
        (
            wthor.write([Game.from_transcript(LINE)])[:-1],
            r"^WTHOR: the header counts 1 games \(84 bytes\), but the file has 83",
        ),
        (wthor.write_names(["Ann"], "player")[:-1], r"^WTHOR: the header counts 1 players \(36 bytes\), but"),
        (gzip.compress(b"f5d6")[:-6], r"^the gzipped data is damaged or incomplete"),
        (b"\x1f\x8bnonsense", r"^the gzipped data is damaged or incomplete"),
        ("f5" * 5_000_000, r"^transcript: 10,000,000 characters are too many for a game$"),
    ],
)
def test_the_nearest_miss_is_told(source: str | bytes, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        detect(source)


def test_lines_above_a_transcript_are_left_out() -> None:
    found = detect("Tamenori – Inoue\n1998, final\n\n1. f5 d6 2. c3\n3. d3 c4\n")
    assert [game.transcript for game in found.games] == ["f5d6c3d3c4"]
    with pytest.raises(ValueError, match="Tamenori"):
        detect("Tamenori – Inoue\n1998, final\n")


def test_what_is_no_text_is_refused() -> None:
    with pytest.raises(ValueError, match="give a text, a position or a game, not int"):
        detect(3)  # type: ignore[arg-type]
