"""The bytes of every format, kept in tests/golden: a change that others' programs would see must show here.

After a change that is meant, `python tests/test_formats_golden.py` writes them anew.
"""

from datetime import date
from pathlib import Path

import pytest
from annotated import facts, tree

from outflank.board.game import Game
from outflank.board.position import Position
from outflank.board.squares import Color
from outflank.board.svg import draw
from outflank.board.variant import Variant
from outflank.formats import arrays, boards, files, gam, ggf, obf, sgf, transcript, wthor
from outflank.formats.obf import Problem
from outflank.formats.reading import read_as

GOLDEN = Path(__file__).parent / "golden"
DAY = date(2024, 2, 29)
FULL = (
    "f5d6c3g5g6f3g4c4c5f6e3h7g3b2f4c6b3h4c2b4g7h8e6d1g8d2b6h3h2f7"
    "e8g2f2e7a4f1e1b5a2d7e2a7c7d3b7c8f8g1h6a6h5a3c1d8b8h1b1a1a5a8"
)
PERFECT_6X6 = "c2b4c5d2e4e3d1c1b1d5d6f4b3b2f3f2e2b6a4c6a6a2b5a5e6e5a3a1f5f6e1f1"


def played() -> list[Game]:
    """A whole game with passes, and one that lacks its last moves."""
    whole, cut = Game.from_transcript(FULL), Game.from_transcript(FULL[:88])
    whole.tags = {"Black": "Müller Anna", "White": "Bob", "Event": "Club Open", "Date": "1999"}
    cut.tags = {"Black": "Bob", "White": "Müller Anna", "Event": "Club Open", "Date": "1999", "Result": "-20"}
    return [whole, cut]


def annotated() -> list[Game]:
    """Games with values, times, comments and ends of every kind, on several boards."""
    resigned = Game(tags={"Black": "a]b\\c", "White": "Bob", "Opening": "Tiger", "Clock": "05:00//02:00"})
    resigned.push("f5", score=0.5, seconds=1.25, text="The usual.")
    resigned.push("d6", score=-2.0)
    resigned.resign()
    perfect = Game.from_transcript(PERFECT_6X6, Variant.named("6x6"))
    parallel = Game.from_moves(["c1"], Variant.named("reversed-4x4-parallel"))
    parallel.end(None, "agreed")
    begun = Game(Position.start().play("f5"))
    begun.push("d6")
    return [resigned, perfect, parallel, begun]


def branching() -> list[Game]:
    """A tree with variations, and a board that is not square."""
    game = Game.from_transcript("f5d6c3d3c4")
    for _ in range(3):
        game.pop()
    game.push("c4", text="Another idea: \\ ]")
    game.push(game.position.legal_moves[0])
    return [game, Game(Variant.named("reversed-5x7")), *annotated()]


def problems() -> list[Problem]:
    start = Position.start()
    return [Problem(start, {19: 2.0, 26: -4.0}, None, "the start"), Problem(start.play("f5"), {}, 0.0)]


def golden() -> dict[str, bytes]:
    """What each file should hold."""
    players, events = wthor.names_of(played())
    return {
        "games.txt": transcript.write(played()).encode(),
        "games.gam": gam.write(played()).encode(),
        "games.wtb": wthor.write(played(), players, events, DAY),
        "games.jou": wthor.write_names(players, "player", DAY),
        "games.trn": wthor.write_names(events, "tournament", DAY),
        "games.ggf": ggf.write([*annotated(), *played()]).encode(),
        "games.sgf": sgf.write([*branching(), *played()]).encode(),
        "positions.obf": obf.write(problems()).encode(),
        "positions.array": arrays.write([problem.position for problem in problems()]).encode(),
        "positions.board": boards.write([problem.position for problem in problems()]).encode(),
        "position.svg": draw(Position.start(Variant.named("reversed-6x6")).play("c2"), 10).encode(),
    }


@pytest.mark.parametrize("name", golden())
def test_every_format_writes_the_bytes_it_always_wrote(name: str) -> None:
    assert golden()[name] == (GOLDEN / name).read_bytes()


def test_wthor_and_its_names_are_read_from_the_golden_files() -> None:
    games = files.load(str(GOLDEN / "games.wtb")).games
    assert [facts(game) for game in games] == [facts(game) for game in played()]
    assert [game.outcome() is None for game in games] == [False, True]


def test_the_log_book_and_the_transcripts_hold_the_same_moves() -> None:
    for name in ("games.gam", "games.txt"):
        games = files.load(str(GOLDEN / name)).games
        assert [game.moves for game in games] == [game.moves for game in played()]


def test_ggf_and_sgf_hold_everything() -> None:
    games = files.load(str(GOLDEN / "games.ggf")).games
    assert [facts(game) for game in games] == [facts(game) for game in [*annotated(), *played()]]
    trees = files.load(str(GOLDEN / "games.sgf")).games
    assert [tree(game) for game in trees] == [tree(game) for game in [*branching(), *played()]]
    assert [facts(game) for game in trees] == [facts(game) for game in [*branching(), *played()]]


def test_positions_are_read_from_the_golden_files() -> None:
    assert files.load(str(GOLDEN / "positions.obf")).problems == problems()
    for name in ("positions.board", "positions.array"):
        assert files.load(str(GOLDEN / name)).positions == [problem.position for problem in problems()]
    (drawn,) = read_as("svg", (GOLDEN / "position.svg").read_bytes()).positions
    assert drawn.turn is Color.WHITE and drawn.variant == Variant.named("reversed-6x6")


if __name__ == "__main__":
    GOLDEN.mkdir(exist_ok=True)
    for name, data in golden().items():
        (GOLDEN / name).write_bytes(data)
