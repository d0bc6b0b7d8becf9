"""`outflank convert`, `outflank show` and `outflank games`, as people call them."""

import gzip
import io
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from test_formats_golden import FULL, PERFECT_6X6, annotated, golden, played

import outflank
from outflank.board.game import Game
from outflank.board.position import Position
from outflank.board.variant import Variant
from outflank.cli.main import main
from outflank.formats import detect, files, ggf, pictures, sgf, wthor

Run = Callable[..., "Done"]


class Done:
    """What a command printed, and its exit code."""

    def __init__(self, code: int, out: str, err: str) -> None:
        self.code, self.out, self.err = code, out, err

    @property
    def error(self) -> str:
        """The one line of an error."""
        assert (self.code, self.out) == (2, "")
        (line,) = self.err.splitlines()
        return line.removeprefix("outflank: ")

    @property
    def data(self) -> dict[str, Any]:
        assert self.code == 0, self.err
        found: dict[str, Any] = json.loads(self.out)
        return found


@pytest.fixture
def run(capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """Runs a command in an empty folder."""
    monkeypatch.chdir(tmp_path)

    def call(*arguments: str, stdin: bytes = b"") -> Done:
        monkeypatch.setattr(sys, "argv", ["outflank", *arguments])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        with pytest.raises(SystemExit) as exit:
            main()
        sys.stdout.flush()
        out, err = capfdbinary.readouterr()
        return Done(int(exit.value.code or 0), out.decode(), err.decode())

    return call


# convert


def test_every_format_of_games_is_converted_into_every_other(run: Run) -> None:
    Path("games.txt").write_text(f"{FULL}\n{FULL[:88]}\n")
    for source in ("games.txt", "games.ggf", "games.sgf", "games.wtb", "games.gam", "games.ggf.gz"):
        for target in ("ggf", "sgf", "wtb", "gam", "txt", "ggf.gz"):
            done = run("convert", source, f"games.{target}")
            assert done.code == 0 and done.out.startswith("2 games: "), done.err
            games = files.load(f"games.{target}").games
            assert [game.transcript for game in games] == [FULL, FULL[:88]]


def test_the_line_says_what_became_what(run: Run) -> None:
    Path("games.ggf").write_text(ggf.write(played()))
    assert run("convert", "games.ggf", "games.sgf").out == "2 games: GGF → SGF\n"
    assert run("convert", "games.ggf", "games.gam").out == (
        "2 games: GGF → log book (left out: the tags Event, Date, Black and 1 more)\n"
    )
    assert run("convert", "games.ggf", "g.wtb").out == "2 games: GGF → WTHOR, names in g.jou and g.trn\n"


def test_what_is_left_out_is_said(run: Run) -> None:
    Path("tree.sgf").write_text("(;GM[2]RE[B+R];B[f5]C[good](;W[d6];B[c3])(;W[f6]))")
    line = run("convert", "tree.sgf", "line.txt").out
    assert line == "1 game: SGF → transcripts (left out: how games ended early, comments and values, variations)\n"
    assert Path("line.txt").read_text() == "f5d6c3\n"
    assert run("convert", "tree.sgf", "line.ggf").out == "1 game: SGF → GGF (left out: variations)\n"


def test_names_travel_with_wthor_files(run: Run) -> None:
    for name in ("games.wtb", "games.jou", "games.trn"):
        Path(name).write_bytes(golden()[name])
    assert run("convert", "games.wtb", "named.ggf").code == 0
    assert "PB[Müller Anna]PW[Bob]" in Path("named.ggf").read_text()
    assert run("convert", "named.ggf", "again.wtb").code == 0
    assert Path("again.wtb").read_bytes()[4:] == golden()["games.wtb"][4:]
    assert wthor.read_names(Path("again.jou").read_bytes()) == ["???", "Müller Anna", "Bob"]
    assert run("convert", "named.ggf", "packed.wtb.gz").out.endswith("names in packed.jou and packed.trn\n")
    assert files.load("packed.wtb.gz").games[0].tags["White"] == "Bob"


def test_a_folder_s_own_lists_of_names_are_used(run: Run) -> None:
    Path("WTH_1999.wtb").write_bytes(golden()["games.wtb"])
    Path("WTH.JOU").write_bytes(golden()["games.jou"])
    assert files.load("WTH_1999.wtb").games[0].tags["Black"] == "Müller Anna"
    Path("WTH.JOU").write_bytes(golden()["games.jou"][:-3])
    assert run("convert", "WTH_1999.wtb", "x.ggf").error.startswith(
        "WTH_1999.wtb: WTH.JOU beside it: WTHOR: the header"
    )


def test_several_files_become_one(run: Run) -> None:
    for name in ("games.wtb", "games.gam", "games.ggf"):
        Path(name).write_bytes(golden()[name])
    assert run("convert", "games.wtb", "games.wtb", "all.wtb").out.startswith("4 games: WTHOR → WTHOR")
    assert run("convert", "games.gam", "games.ggf", "all.sgf").out == "8 games: several formats → SGF\n"
    assert len(files.load("all.sgf").games) == 8
    Path("club").mkdir()
    for name in ("games.wtb", "games.gam"):
        Path(name).rename(Path("club") / name)
    assert run("convert", "club", "club.gam").out.startswith("4 games: several formats → log book")


def test_the_variant_of_a_transcript_is_an_option(run: Run) -> None:
    Path("game.txt").write_text(PERFECT_6X6)
    run("convert", "game.txt", "game.ggf", "--variant", "reversed-6x6")
    assert "TY[6a]RE[+4.000]" in Path("game.ggf").read_text()
    done = run("convert", "--from", "transcript", "game.txt", "game.ggf")
    assert done.error == "game.txt: line 1: move 1: c2 is not legal: Black would turn no discs there"


def test_standard_input_and_output(run: Run) -> None:
    done = run("convert", "-", "-", "--to", "gam", stdin=b"f5d6c3")
    assert (done.code, done.out, done.err) == (0, "+f5-d6+c3: +03\n", "1 game: transcripts → log book\n")


def test_positions_are_converted(run: Run) -> None:
    Path("suite.obf").write_bytes(golden()["positions.obf"])
    assert (
        run("convert", "suite.obf", "suite.board").out
        == "2 positions: OBF → board text (left out: the scores of moves)\n"
    )
    assert Path("suite.board").read_bytes() == golden()["positions.board"]
    assert run("convert", "suite.board", "suite.sgf").code == 0
    assert [game.start for game in sgf.read(Path("suite.sgf").read_text())] == files.load("suite.obf").positions


def test_a_game_s_last_position_is_drawn(run: Run) -> None:
    Path("game.txt").write_text("f5d6c3")
    line = run("convert", "game.txt", "game.svg").out
    assert line == "1 game: transcripts → SVG (left out: the moves before the last position)\n"
    assert pictures.read(Path("game.svg").read_text()) == Game.from_transcript("f5d6c3").position
    assert run("convert", "game.svg", "again.board").out == "1 position: SVG → board text\n"


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("out.wtb", "game 2 is 6x6: WTHOR holds only standard 8x8 Othello"),
        ("out.gam", "game 2 is 6x6: a .gam file holds only standard 8x8 Othello"),
        ("out.txt", "game 2 is 6x6, but game 1 is othello: a file of transcripts holds only one variant"),
        ("out.svg", "an SVG shows one position, not 2"),
    ],
)
def test_what_a_format_cannot_hold_is_refused_before_anything_is_written(run: Run, target: str, message: str) -> None:
    Path("two.ggf").write_text(ggf.write([Game(), Game(Variant.named("6x6"))]))
    Path(target).write_text("precious")
    assert run("convert", "two.ggf", target).error == message
    assert Path(target).read_text() == "precious"
    assert sorted(file.name for file in Path().iterdir()) == sorted(["two.ggf", target])


def test_with_skip_the_rest_is_converted(run: Run) -> None:
    Path("some.ggf").write_text(ggf.write([*annotated(), *played()]))
    done = run("convert", "some.ggf", "some.gam", "--skip")
    assert done.out.startswith("2 games: GGF → log book; 4 skipped")
    Path("six.ggf").write_text(ggf.write([Game(Variant.named("6x6"))]))
    assert run("convert", "six.ggf", "some.gam", "--skip").error == "log book cannot hold any of the 1"


def test_a_failed_write_leaves_the_old_file_and_nothing_beside_it(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("game.txt").write_text("f5d6c3")
    Path("game.ggf").write_text("precious")

    def full_disk(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full_disk)
    assert "no space left on device" in run("convert", "game.txt", "game.ggf").error
    assert Path("game.ggf").read_text() == "precious"
    assert sorted(file.name for file in Path().iterdir()) == ["game.ggf", "game.txt"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["game.txt", "out"], "'out' has no extension that names a format: give --to one of transcript, board,"),
        (["game.txt", "out", "--to", "pgn"], "'pgn' is not a format: give --to one of transcript, board,"),
        (["game.txt", "out.ggf", "--from", "pgn"], "'pgn' is not a format: give --from one of"),
        (["nothing.ggf", "out.sgf"], "nothing.ggf"),
        (["names.jou", "out.ggf"], "a list of names has neither games nor positions"),
        (["game.txt", "nowhere/out.ggf"], "nowhere"),
        (["game.txt", "out.ggf", "--variant", "9x9"], "a board has 4 to 8 rows, not 9"),
    ],
)
def test_wrong_calls_are_told_what_to_do(run: Run, arguments: list[str], message: str) -> None:
    Path("game.txt").write_text("f5d6c3")
    Path("names.jou").write_bytes(golden()["games.jou"])
    assert message in run("convert", *arguments).error


# Damage

LYING_WTHOR = golden()["games.wtb"][:4] + bytes([99]) + golden()["games.wtb"][5:]


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("cut.ggf", golden()["games.ggf"][:300], "GGF, game 2, line 2: the text ends inside B["),
        ("cut.wtb", golden()["games.wtb"][:100], "100 bytes: 1 games and 16 bytes of another"),
        ("lie.wtb", LYING_WTHOR, "the header counts 99 games (6,748 bytes), but"),
        ("long.txt", b"f5" * 5_000_000, "transcript: 10,000,000 characters are too many for a game"),
        ("illegal.txt", f"{FULL[:72]}a8{FULL[74:]}".encode(), "transcript (8x8), move 37: a8 is not legal: Black"),
        (
            "short.board",
            Position.start().text[1:].encode(),
            "board text: there are 63 squares before the side to move, not 64",
        ),
        ("noise.bin", bytes(range(255, 0, -1)), "this is binary data (byte 159 at offset 96), but not WTHOR"),
        ("noise.ggf", bytes(range(255, 0, -1)), "binary data"),
        ("noise.wtb", bytes(range(255, 0, -1)), "WTHOR: the header counts"),
    ],
)  # fmt: skip
def test_damage_is_one_line_that_says_what_and_where(run: Run, name: str, data: bytes, message: str) -> None:
    Path(name).write_bytes(data)
    for arguments in (["show", name], ["convert", name, "out.sgf"], ["games", name]):
        error = run(*arguments).error
        assert error.startswith(f"{name}: ") and message in error


# show


def test_show_says_what_it_took_the_text_for_and_prints_the_board(run: Run) -> None:
    done = run("show", "f5d6c3d3c4")
    assert done.out.splitlines()[0] == "a transcript of 5 moves (8x8)"
    assert "   Black (X) 6, White (O) 3: White to move" in done.out
    shown = detect.detect(done.out.split("\n", 1)[1])
    assert shown.positions == [Game.from_transcript("f5d6c3d3c4").position]


def test_show_takes_a_board_that_begins_with_a_dash(run: Run) -> None:
    board = "-XXXXXX---XOOOO--XOXXOOX-OOOOOOOOOOOXXOOOOOXXOOX--XXOO----XXXXX- X"
    assert run("show", board, "--json").data["position"] == board
    assert run("show", Position.start().text, "--json").data["position"] == Position.start().text
    assert (
        run("show", Position.start().text[1:]).error
        == "board text: there are 63 squares before the side to move, not 64"
    )


def test_show_as_json(run: Run) -> None:
    assert run("show", PERFECT_6X6, "--json").data == {
        "kind": "a transcript of 32 moves (6x6)",
        "format": "transcript",
        "count": 1,
        "number": 1,
        "variant": "6x6",
        "position": Game.from_transcript(PERFECT_6X6, Variant.named("6x6")).position.text,
        "turn": None,
        "black": 16,
        "white": 20,
        "empties": 0,
        "legal": [],
        "moves": [*(PERFECT_6X6[at : at + 2] for at in range(0, 60, 2)), "pass", "e1", "f1"],
        "start": "--------------OX----XO-------------- X",
        "opening": None,
        "outcome": {"winner": "white", "score": -4, "reason": ""},
        "scores": {},
        "tags": {},
    }


def test_show_chooses_a_game_and_a_ply(run: Run) -> None:
    Path("games.gam").write_bytes(golden()["games.gam"])
    assert run("show", "games.gam", "--game", "2", "--ply", "3", "--json").data["moves"] == ["f5", "d6", "c3"]
    assert run("show", "games.gam", "--game", "3").error == "there is no number 3: it is a log book of 2 games"
    assert run("show", "f5d6", "--ply", "3").error == "there is no ply 3: the game has 2"
    assert run("show", "f5d6", "--ply", "0", "--json").data["position"] == Position.start().text


def test_show_tells_tags_scores_results_and_names(run: Run) -> None:
    for name in ("games.wtb", "games.jou", "positions.obf"):
        Path(name).write_bytes(golden()[name])
    text = run("show", "games.wtb").out
    assert "  Black: Müller Anna" in text and "White wins by 34. Black 15, White 49." in text
    assert "d3 +2  c4 -4" in run("show", "positions.obf").out
    assert run("show", "games.jou").out.splitlines() == [
        "WTHOR's names of 3 players",
        "     0  ???",
        "     1  Müller Anna",
        "     2  Bob",
    ]
    assert run("show", "games.jou", "--json").data["names"] == ["???", "Müller Anna", "Bob"]


def test_a_tag_cannot_command_the_terminal(run: Run) -> None:
    Path("bad.sgf").write_text("(;GM[2]PB[\x1b[2Jann])")
    assert "\x1b" not in run("show", "bad.sgf").out


def test_show_draws_a_picture(run: Run) -> None:
    assert run("show", "f5", "--svg", "f5.svg").code == 0
    assert pictures.read(Path("f5.svg").read_text()) == Position.start().play("f5")
    assert run("show", "f5.svg", "--json").data["position"] == Position.start().play("f5").text


def test_show_reads_standard_input(run: Run) -> None:
    assert run("show", "-", "--json", stdin=gzip.compress(b"f5d6")).data["moves"] == ["f5", "d6"]
    assert run("show", "-").error == "standard input: there is nothing to read: the text is empty"


def test_show_of_a_file_that_is_not_there(run: Run) -> None:
    assert run("show", "game.ggf").error == "game.ggf: there is no such file"
    assert run("show", "folder/game").error == "folder/game: there is no such file"


def test_show_with_the_objective_of_the_variant(run: Run) -> None:
    assert run("show", PERFECT_6X6, "--variant", "reversed", "--json").data["outcome"]["winner"] == "black"
    assert "Fewest discs win." in run("show", PERFECT_6X6, "-v", "reversed").out


# games


def test_games_counts_what_a_folder_holds(run: Run) -> None:
    Path("club").mkdir()
    for name in ("games.wtb", "games.gam", "games.ggf", "games.sgf"):
        (Path("club") / name).write_bytes(golden()[name])
    data = run("games", "club", "--json").data
    assert data.pop("seconds") < 60
    assert data.pop("paths")[0]["path"] == "club"
    assert data == {"games": 18, "legal": 18, "complete": 6, "agreeing": 6, "incomplete": 12, "illegal": []}
    header, row = run("games", "club").out.splitlines()
    assert header.split() == ["games", "legal", "complete", "as", "stated", "incomplete", "seconds"]
    assert row.split()[:6] == ["club", "18", "18", "6", "6", "12"]


def test_games_names_what_is_illegal_and_exits_with_1(run: Run) -> None:
    damaged = bytearray(golden()["games.wtb"])
    damaged[16 + 8] = 11
    Path("bad.wtb").write_bytes(damaged)
    done = run("games", "bad.wtb", "bad.wtb")
    assert done.code == 1
    assert "bad.wtb: game 1: move 1: a1 is not legal: Black would turn no discs there" in done.out
    assert done.out.splitlines()[3].split()[:3] == ["total", "4", "2"]


def test_games_counts_results_that_differ(run: Run) -> None:
    damaged = bytearray(golden()["games.wtb"])
    damaged[16 + 6] += 1
    Path("other.wtb").write_bytes(damaged)
    data = run("games", "other.wtb", "--json").data
    assert (data["complete"], data["agreeing"], data["incomplete"]) == (1, 0, 1)


def test_games_of_nothing(run: Run) -> None:
    Path("empty").mkdir()
    Path("board.txt").write_text(Position.start().text)
    assert run("games", "empty").error == "empty: this folder has no files of games (.wtb, .gam, .ggf, .sgf)"
    assert run("games", "board.txt").error == "board.txt: it has no games"


# From Python


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    games = [Game.from_transcript("f5d6c3"), Game.from_transcript("f5f6e6f4")]
    for name in ("txt", "ggf", "sgf", "gam", "wtb", "sgf.gz"):
        outflank.write(games, tmp_path / f"two.{name}")
        assert [game.moves for game in outflank.read(tmp_path / f"two.{name}").games] == [game.moves for game in games]
    position = games[0].position
    outflank.write([position, Position.start()], tmp_path / "boards.obf")
    assert outflank.read(tmp_path / "boards.obf").positions == [position, Position.start()]
    outflank.write(outflank.read(tmp_path / "two.wtb"), tmp_path / "again", "ggf")
    assert outflank.detect((tmp_path / "again").read_text()).games[1].moves == games[1].moves
    for name in ("transcript", "ggf", "sgf", "gam"):
        assert outflank.detect(outflank.written(games, name)).games[1].moves == games[1].moves
    assert outflank.detect(outflank.written(position, "svg")).positions == [position]
    assert outflank.written([position, games[0]], "sgf").count("GM[2]") == 2


def test_what_cannot_be_written_is_said(tmp_path: Path) -> None:
    game = Game.from_transcript("f5d6c3")
    for wrong, why in (
        (lambda: outflank.write(game, tmp_path / "game"), "has no extension that names a format: give format one of"),
        (lambda: outflank.write(game, tmp_path / "game.sgf", "pgn"), "'pgn' is not a format: give format one of"),
        (lambda: outflank.write([], tmp_path / "none.sgf"), "there is nothing to write"),
        (lambda: outflank.written(game, "wthor"), "WTHOR is not text: write it to a file"),
        (lambda: outflank.write(Game(Variant.named("6x6")), tmp_path / "six.wtb"), "holds only standard 8x8 Othello"),
    ):
        with pytest.raises(ValueError, match=why):
            wrong()
    assert list(tmp_path.iterdir()) == []
