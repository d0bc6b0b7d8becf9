"""Opening names: every line is legal, and a name follows its position and nothing else."""

import json
import random
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import random_line
from typer.testing import CliRunner

import outflank
from outflank import Color, Game, Position, Variant
from outflank.arena.report.data import contents
from outflank.arena.store import Store
from outflank.board import kernels
from outflank.board.squares import PASS, square_name
from outflank.cli.main import app
from outflank.library.keys import keys_along
from outflank.library.openings import (
    FILE,
    Opening,
    opening_among,
    opening_at,
    opening_name,
    opening_of,
    openings,
    openings_after,
)

LISTS = Path(__file__).resolve().parents[2] / "shared" / "data" / "openings"
OTHELLO = Variant.named("othello")
named = st.sampled_from(openings())


def turned(line: str, which: int) -> str:
    """The moves of a line on a board that is turned or mirrored."""
    masks = (kernels.symmetry(1 << move, which, 8, 8) for move in Game.from_transcript(line).moves)
    return "".join(square_name(mask.bit_length() - 1) for mask in masks)


def keeps_the_start(which: int) -> bool:
    return Position.start().symmetry(which) == Position.start()


@cache
def boards() -> dict[Position, str]:
    return {Game.from_transcript(one.line).position.canonical(): one.name for one in openings()}


def looked_up(game: Game) -> str | None:
    """The name by comparing boards with every line, without keys."""
    names = [boards().get(node.position.canonical()) for node in [game.root, *game.line]]
    return next((name for name in reversed(names) if name), None)


# The file


def test_every_line_is_legal_and_as_databases_write_it() -> None:
    assert len(openings()) == 90
    for opening in openings():
        game = Game.from_transcript(opening.line)
        assert opening.line.startswith("f5") and game.transcript == opening.line
        assert PASS not in game.moves


def test_no_two_lines_lead_to_one_position_and_no_two_have_one_name() -> None:
    rows = [row for row in FILE.read_text(encoding="utf-8").splitlines() if not row.startswith("#")]
    assert len(rows) == len(openings())
    assert rows == sorted(rows)
    names = [one.name for one in openings()]
    assert len(set(names)) == len(names)
    for one in openings():
        assert one.name not in one.aliases and all(part == part.strip() for part in (one.name, *one.aliases))


@pytest.mark.skipif(not LISTS.is_dir(), reason="the lists of names are not in ../shared/data")
@pytest.mark.parametrize("name", ["names-a.txt", "names-b.txt"])
def test_every_position_that_a_public_list_names_has_a_name_here(name: str) -> None:
    rows = [row.split(None, 1) for row in (LISTS / name).read_text().splitlines() if row.strip()]
    assert len(rows) > 70
    for line, called in rows:
        found = opening_at(Game.from_transcript(line).position)
        assert found is not None, called


# A position's name


@given(named, st.integers(0, 7))
def test_the_board_may_be_turned(opening: Opening, which: int) -> None:
    variant = OTHELLO if keeps_the_start(which) else Variant.named("othello-mirrored")
    game = Game.from_transcript(turned(opening.line, which), variant)
    assert opening_of(game) == opening
    assert opening_at(Position.from_text(game.position.text)) == opening, "also without its history"


def test_the_moves_may_come_in_another_order() -> None:
    orders = 0
    for opening in openings():
        moves = Game.from_transcript(opening.line).moves
        for first in range(len(moves) - 2):
            other = [*moves]
            other[first], other[first + 2] = other[first + 2], other[first]
            try:
                game = Game.from_moves(other)
            except ValueError:
                continue
            if game.position == Game.from_moves(moves).position:
                orders += 1
                assert opening_of(game) == opening
    assert orders > 20


@given(named, st.binary(max_size=70))
def test_the_last_name_stays_after_the_game_has_left_it(opening: Opening, choices: bytes) -> None:
    game = Game.from_transcript(opening.line)
    for choice in choices:
        if not game.is_over:
            game.push(game.position.legal_moves[choice % len(game.position.legal_moves)])
    assert opening_name(game) == looked_up(game) is not None


@given(st.binary(max_size=70))
def test_a_game_of_any_moves_has_the_name_that_a_plain_search_finds(choices: bytes) -> None:
    game = Game.from_moves(random_line(OTHELLO, choices)[1])
    assert opening_name(game) == looked_up(game)
    squares = bytes(move for move in game.moves if move != PASS)
    among = opening_among(OTHELLO, keys_along(game.start, squares))
    assert (among.name if among else None) == opening_name(game), "as the library names it"


def test_the_name_is_of_the_position_at_the_cursor() -> None:
    game = Game.from_transcript("f5d6c3d3c4f4f6f3e6e7")
    assert opening_name(game) == "Scorpion"
    for name in ("Comp'Oth", "Comp'Oth", "Stephenson", "Tiger", "Tiger", "Perpendicular", "Perpendicular"):
        game.pop()
        assert opening_name(game) == name
    game.goto(game.root)
    assert opening_name(game) is None


def test_where_lists_disagree_both_names_are_known() -> None:
    ganglion, no_cat = (opening_of(Game.from_transcript(line)) for line in ("f5d6c3g5", "f5d6c4g5"))
    assert ganglion is not None and no_cat is not None
    assert (ganglion.name, ganglion.aliases) == ("Ganglion", ("Bent Ganglion",))
    assert (no_cat.name, no_cat.aliases) == ("No-Cat", ("Ganglion",))


@given(st.binary(max_size=20))
def test_the_moves_into_an_opening_are_those_after_which_it_has_the_name(choices: bytes) -> None:
    position = random_line(OTHELLO, choices)[0]
    expected = {move: opening_at(position.play(move)) for move in position.legal_moves}
    assert openings_after(position) == {move: found for move, found in expected.items() if found}


def test_the_second_move_has_three_names() -> None:
    after = openings_after(Position.start().play("f5"))
    assert {square_name(move): one.name for move, one in after.items()} == {
        "d6": "Perpendicular",
        "f4": "Parallel",
        "f6": "Diagonal",
    }


# What has no name


@pytest.mark.parametrize(
    "name", ["reversed", "othello-parallel", "6x6", "8x7", "7x8", "4x4", "reversed-6x6", "6x6-mirrored"]
)
def test_other_games_have_no_names(name: str) -> None:
    variant, dice = Variant.named(name), random.Random(7)
    for _ in range(20):
        game = Game(variant)
        while not game.is_over and len(game.moves) < 24:
            game.push(dice.choice(game.position.legal_moves))
            assert opening_of(game) is None
            assert not openings_after(game.position)


@given(named)
def test_the_same_lines_in_the_reversed_game_have_no_names(opening: Opening) -> None:
    assert opening_name(Game.from_transcript(opening.line, Variant.named("reversed"))) is None


@given(named)
def test_a_position_with_the_colours_exchanged_has_no_name(opening: Opening) -> None:
    position = Game.from_transcript(opening.line).position
    assert opening_at(Position(position.white, position.black, position.turn.other)) is None
    assert opening_at(Position(position.black, position.white, position.turn.other)) is None


def test_neither_the_start_nor_the_first_move_has_a_name() -> None:
    assert opening_name(Position.start()) is None
    assert {opening_name(Game.from_moves([move])) for move in ("d3", "c4", "f5", "e6")} == {None}


# Who tells it


def test_from_python() -> None:
    assert outflank.opening_name("c4e3f6e6f5") == "Tiger"
    assert outflank.opening_name(Game.from_transcript("f5d6c3d3c4").position) == "Tiger"
    assert outflank.opening_name(Position.from_text("-" * 27 + "OX------XO" + "-" * 27 + "X").text) is None
    with pytest.raises(ValueError, match="give one game or position"):
        outflank.opening_name("f5d6\nf5f6\n")


def run(*arguments: str) -> str:
    done = CliRunner().invoke(app, list(arguments))
    assert done.exit_code == 0, done.output
    return done.output


def test_show_and_analyze_tell_it() -> None:
    assert "opening: Bat, also Cow Bat, also Cambridge" in run("show", "f5f6e6d6c5e3e7")
    assert json.loads(run("show", "f5f6e6d6c5e3e7", "--json"))["opening"] == "Bat"
    assert json.loads(run("show", "f5f6", "--variant", "reversed", "--json"))["opening"] is None
    assert "opening: Tiger" in run("analyze", "f5d6c3d3c4", "--depth", "1")
    assert json.loads(run("analyze", "f5d6c3d3c4", "--depth", "1", "--json"))["opening"] == "Tiger"
    board = Game.from_transcript("f5d6c3d3c4").position.text
    assert "opening: Tiger" in run("analyze", board, "--depth", "1")
    assert json.loads(run("analyze", board, "--depth", "1", "--json"))["opening"] == "Tiger"
    assert json.loads(run("analyze", Position.start().text, "--depth", "1", "--json"))["opening"] is None


def test_the_arenas_report_names_each_game(tmp_path: Path) -> None:
    path = tmp_path / "games.db"
    played = ("alphabeta:depth=1", "greedy", "--games", "2", "--openings", "start", "--jobs", "1", "--seed", "1")
    run("match", *played, "--store", str(path))
    with Store.existing(path) as store:
        (event,) = store.events()
        games = [Game.from_transcript(game.record.moves) for game in store.games(event.contest)]
        called = contents(store, event).games["called"]
    assert called == [opening_name(game) for game in games]
    assert len(called) == 2 and all(called)


def test_colour_of_the_side_that_a_line_leaves_to_move() -> None:
    """What keeps exchanged colours apart: a line of an even number of moves leaves Black to move."""
    for opening in openings():
        turn = Game.from_transcript(opening.line).position.turn
        assert turn is (Color.BLACK if len(opening.line) % 4 == 0 else Color.WHITE)
