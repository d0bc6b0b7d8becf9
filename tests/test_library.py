"""The library of games: built from every format, each game once, and asked what a plain count would answer."""

import json
import random
import resource
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import choices_for, played_positions, random_line, variants
from test_formats_data import WTHOR, needs_wthor
from test_formats_golden import FULL, PERFECT_6X6
from typer.testing import CliRunner

from outflank import Color, Game, Position, Variant
from outflank.board.squares import PASS, parse_square
from outflank.cli.main import app
from outflank.errors import Fault
from outflank.formats import files, gam, ggf, sgf, transcript, wthor
from outflank.formats.reading import Detected
from outflank.formats.tolerant import load_legal
from outflank.library import building
from outflank.library.building import build
from outflank.library.entries import agree, entries_of
from outflank.library.exploring import as_seen
from outflank.library.games import GameFound, Library, MoveTally, Tally, Wanted
from outflank.library.keys import key_of, keys_along, settled
from outflank.library.openings import opening_name

OTHELLO = Variant.named("othello")
WRITERS = {"ggf": ggf.write, "sgf": sgf.write, "txt": transcript.write, "gam": gam.write}


def random_games(count: int, seed: int = 1, name: str = "othello") -> list[Game]:
    """Whole games with people, years and a narrow choice of first moves, so that many share positions."""
    dice, games = random.Random(seed), []
    for number in range(count):
        game = Game(Variant.named(name))
        while not game.is_over:
            legal = game.position.legal_moves
            game.push(legal[dice.randrange(len(legal) if len(game.moves) > 6 else min(2, len(legal)))])
        people = {"Black": f"Player {dice.randrange(5)}", "White": f"Player {dice.randrange(5)}"}
        game.tags = {**people, "Event": "Open", "Date": str(2000 + number % 7)}
        games.append(game)
    return games


def written(folder: Path, form: str, games: Sequence[Game]) -> Path:
    path = folder / f"games.{form}"
    if form == "wtb":
        files.save(Detected("ggf", "", games), str(path), "wthor")
    else:
        path.write_text(WRITERS[form](games), encoding="utf-8")
    return path


def library_of(folder: Path, games: Sequence[Game], form: str = "ggf") -> Library:
    target = folder / "games.duckdb"
    build([str(written(folder, form, games))], target)
    return Library(target)


form_of = cache(Position.canonical)


def counted(games: Sequence[Game], position: Position) -> tuple[Tally, dict[tuple[int, ...], Tally]]:
    """The same by looking at every position of every game."""
    position = settled(position)
    form, side = form_of(position), 1 if position.turn is Color.BLACK else -1
    found: list[tuple[tuple[int, ...], int, int]] = []
    after = {move: form_of(settled(position.play(move))) for move in position.legal_moves}
    for game in games:
        nodes = [game.root, *game.line]
        for node, following in zip(nodes, [*nodes[1:], None], strict=True):
            if form_of(node.position) == form and node.position.legal | (following is None):
                outcome = game.outcome()
                assert outcome is not None and outcome.score is not None
                child = None if following is None else form_of(settled(following.position))
                moves = tuple(move for move, reached in after.items() if reached == child)
                found.append((moves, side * outcome.score, int(game.tags["Date"])))
    tallies = {
        moves: tally_of([one for one in found if one[0] == moves]) for moves in {moves for moves, *_ in found if moves}
    }
    return tally_of(found), tallies


def tally_of(found: Sequence[tuple[object, int, int]]) -> Tally:
    scores, years = [one[1] for one in found], [one[2] for one in found]
    return Tally(
        len(found),
        sum(score > 0 for score in scores),
        sum(score == 0 for score in scores),
        sum(score < 0 for score in scores),
        sum(scores) / len(scores) if scores else None,
        min(years, default=None),
        max(years, default=None),
    )


def same(one: Tally, other: Tally) -> bool:
    if one.margin is None or other.margin is None:
        return one == other
    return one.margin == pytest.approx(other.margin) and replaced(one) == replaced(other)


def replaced(tally: Tally) -> tuple[int | None, ...]:
    return (tally.games, tally.wins, tally.draws, tally.losses, tally.first_year, tally.last_year)


# Keys


@given(played_positions(), st.integers(0, 7))
def test_all_forms_of_a_position_have_one_key(position: Position, which: int) -> None:
    assert key_of(position.symmetry(which % len(position.variant.symmetries))) == key_of(position)


@given(st.data(), variants)
def test_keys_along_a_game_are_those_of_its_positions(data: st.DataObject, variant: Variant) -> None:
    _, line = random_line(variant, data.draw(choices_for(variant)))
    game = Game.from_moves(line, variant)
    moved = [node.parent.position for node in game.line if node.move != PASS and node.parent is not None]
    squares = bytes(move for move in game.moves if move != PASS)
    assert keys_along(game.start, squares).tolist() == [*map(key_of, moved), key_of(game.position)]


def test_different_positions_have_different_keys() -> None:
    positions = {node.position.canonical() for game in random_games(150) for node in game.line}
    assert len(positions) > 7000
    assert len({key_of(position) for position in positions}) == len(positions)


def test_sides_boards_and_objectives_are_kept_apart() -> None:
    black, white = 1 << 27 | 1 << 36, 1 << 28 | 1 << 35
    names = ("othello", "reversed", "7x7", "8x7", "7x8", "reversed-7x7", "6x6")
    keys = {key_of(Position(black, white, turn, Variant.named(name))) for name in names for turn in Color}
    assert len(keys) == 2 * len(names)
    assert key_of(Position(black, white, Color.BLACK, Variant.named("othello-parallel"))) in keys


# Questions


@pytest.fixture(scope="module")
def games() -> list[Game]:
    return random_games(60)


@pytest.fixture(scope="module")
def library(games: list[Game], tmp_path_factory: pytest.TempPathFactory) -> Library:
    return library_of(tmp_path_factory.mktemp("library"), games)


def test_every_position_has_the_tally_of_a_plain_count(games: list[Game], library: Library) -> None:
    dice = random.Random(3)
    places = [Position.start(), games[0].position]
    for game in games[:12]:
        places += [node.position for node in dice.sample(game.line, 4)]
        places += [node.position.symmetry(dice.randrange(8)) for node in game.line[:6]]
    for position in places:
        found = library.explore(position)
        total, moves = counted(games, position)
        assert same(found.total, total) and total.games
        assert {one.moves for one in found.moves} == set(moves)
        assert all(same(one.tally, moves[one.moves]) for one in found.moves)
        assert [one.tally.games for one in found.moves] == sorted(
            (one.tally.games for one in found.moves), reverse=True
        )


def test_the_four_first_moves_are_one(library: Library, games: list[Game]) -> None:
    (first,) = library.explore(Position.start()).moves
    assert first.moves == tuple(map(parse_square, ("d3", "c4", "f5", "e6")))
    assert first.tally.games == library.size == len(games)


def test_one_file_needs_no_list(tmp_path: Path) -> None:
    """A name alone, taken letter by letter, would be read from the root of the file system on."""
    file = tmp_path / "games.txt"
    file.write_text("c2b2\nc2d2\n")
    ways: tuple[str | Path | list[Path], ...] = (file, str(file), [file])
    for number, one in enumerate(ways):
        assert build(one, tmp_path / f"{number}.duckdb", "6x6").games == 2


def test_a_position_that_nobody_reached(library: Library) -> None:
    nowhere = Position.from_text("X" * 10 + "O" * 10 + "-" * 44 + "X")
    found = library.explore(nowhere)
    assert (found.total, found.moves) == (Tally(), ())
    assert library.games(nowhere) == []
    assert library.explore(Position.start(Variant.named("reversed"))).total.games == 0


def test_games_come_the_latest_first(library: Library, games: list[Game]) -> None:
    found = library.games(Position.start(), 1000)
    assert [one.year for one in found] == sorted((int(game.tags["Date"]) for game in games), reverse=True)
    assert Counter(one.moves for one in found) == Counter(game.transcript for game in games)
    by_moves = {game.transcript: game for game in games}
    for one in found:
        game = by_moves[one.moves]
        outcome = game.outcome()
        assert outcome is not None
        assert (one.black, one.white, one.event) == (game.tags["Black"], game.tags["White"], "Open")
        assert (one.winner, one.score, one.opening) == (outcome.winner, outcome.score, opening_name(game))
    assert library.games(Position.start(), 7, 5) == found[5:12]


def test_after_a_pass_the_side_that_moves_is_asked_about(tmp_path: Path) -> None:
    game = Game.from_transcript(FULL)
    passes = [node for node in game.line if node.move == PASS]
    assert passes and passes[0].parent is not None
    with library_of(tmp_path, [game]) as library:
        for position in (passes[0].position, passes[0].parent.position):
            found = library.explore(position)
            assert (found.total.games, len(found.moves)) == (1, 1)
            assert found.position == passes[0].position
            assert (found.total.wins, found.total.losses) == (1, 0)  # White won, and moves again


WANTED = (
    Wanted("player 1"),
    Wanted("PLAYER 1", Color.BLACK),
    Wanted("1", Color.WHITE),
    Wanted(since=2003),
    Wanted(until=2001),
    Wanted("player 2", None, 2002, 2004),
    Wanted("nobody"),
    Wanted("  "),
)


def chosen(games: Sequence[Game], wanted: Wanted) -> list[Game]:
    """The same by looking at every game."""
    name, years = wanted.player.strip().lower(), range(wanted.since or 0, (wanted.until or 9999) + 1)
    colors = [str(color) for color in ((wanted.color,) if wanted.color is not None else Color)]
    return [
        game
        for game in games
        if any(name in game.tags[color].lower() for color in colors) and int(game.tags["Date"]) in years
    ]


@pytest.mark.parametrize("wanted", WANTED)
def test_a_choice_of_games_has_the_tally_of_a_plain_count(games: list[Game], library: Library, wanted: Wanted) -> None:
    left = chosen(games, wanted)
    for position in (Position.start(), Position.start().play("f5"), games[0].line[4].position):
        found = library.explore(position, wanted)
        total, moves = counted(left, position)
        assert same(found.total, total)
        assert {one.moves: one.tally.games for one in found.moves} == {
            squares: tally.games for squares, tally in moves.items()
        }
        listed = library.games(position, 1000, wanted=wanted)
        assert len(listed) == total.games
        assert {one.moves for one in listed} <= {game.transcript for game in left}
    assert len(library.games(Position.start(), 3, 1, wanted)) == max(min(3, len(left) - 1), 0)


def test_a_choice_that_makes_no_sense_is_told() -> None:
    with pytest.raises(ValueError, match="name the player"):
        Wanted(color=Color.BLACK)
    with pytest.raises(ValueError, match="no year is between 2000 and 1990"):
        Wanted(since=2000, until=1990)


def test_players_are_found_by_a_part_of_their_names(games: list[Game], library: Library) -> None:
    expected = Counter(game.tags[color] for game in games for color in ("Black", "White"))
    assert dict(library.players("PLAYER")) == expected
    assert [count for _, count in library.players("layer")] == sorted(expected.values(), reverse=True)
    assert library.players(" player 3 ") == [("Player 3", expected["Player 3"])]
    assert len(library.players("p", 2)) == 2
    assert library.players("100%") == library.players("_") == []


def test_a_game_found_goes_through_the_position_as_it_stands(games: list[Game], library: Library) -> None:
    symmetries = [which for which in range(8) if Position.start().symmetry(which) == Position.start()]
    assert len(symmetries) == 4
    dice = random.Random(8)
    for game in games[:8]:
        node = dice.choice(game.line)
        position = settled(node.position).symmetry(dice.choice(symmetries))
        for one in library.games(position):
            seen = as_seen(one, position)
            squares = [seen["moves"][at : at + 2] for at in range(0, len(seen["moves"]), 2)]
            assert settled(Game.from_moves(squares[: seen["ply"]]).position) == position
            whole = Game.from_moves(squares)
            assert form_of(whole.position) == form_of(Game.from_transcript(one.moves).position)


def test_openings_are_counted(library: Library, games: list[Game]) -> None:
    expected = Counter(opening_name(game) for game in games)
    assert {one.name: one.tally.games for one in library.openings()} == expected


def test_several_threads_may_ask_at_once(library: Library, games: list[Game]) -> None:
    from concurrent.futures import ThreadPoolExecutor

    places = [node.position for game in games[:10] for node in game.line[:8]]
    expected = [library.explore(position) for position in places]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(library.explore, places)) == expected


# What goes in


@pytest.mark.parametrize("form", ["ggf", "sgf", "txt", "gam", "wtb"])
def test_every_format_gives_the_same_library(form: str, tmp_path: Path) -> None:
    games = random_games(12)
    for game in games:
        game.tags["Date"] = "2003"  # a WTHOR file holds one year
    (tmp_path / "other").mkdir()
    with library_of(tmp_path, games, form) as one, library_of(tmp_path / "other", games) as other:
        found, expected = one.explore(Position.start()), other.explore(Position.start())
        named = form in ("ggf", "sgf", "wtb")
        assert all(same_moves(a, b, named) for a, b in zip(found.moves, expected.moves, strict=True))
        for a, b in zip(sorted_games(one), sorted_games(other), strict=True):
            assert (a.moves, a.score, a.opening, a.variant) == (b.moves, b.score, b.opening, b.variant)
            if named:
                assert (a.black, a.white, a.event, a.year) == (b.black, b.white, b.event, b.year)


def same_moves(one: MoveTally, other: MoveTally, with_years: bool) -> bool:
    a, b = replaced(one.tally), replaced(other.tally)
    return one.moves == other.moves and (a if with_years else a[:4]) == (b if with_years else b[:4])


def sorted_games(library: Library) -> list[GameFound]:
    return sorted(library.games(Position.start(), 1000), key=lambda one: one.moves)


def test_the_same_game_from_several_files_is_one(tmp_path: Path) -> None:
    games = random_games(8)
    for game in games:
        game.tags["Date"] = "2003"
    paths = [str(written(tmp_path, form, games)) for form in ("txt", "ggf", "gam", "sgf", "wtb")]
    built = build(paths, tmp_path / "all.duckdb")
    assert (built.games, built.duplicates) == (8, 32)
    with Library(tmp_path / "all.duckdb") as library:
        assert library.size == library.explore(Position.start()).total.games == 8
        assert all(one.black and one.year == 2003 for one in library.games(Position.start())), "what says more stays"
    with duckdb.connect(str(tmp_path / "all.duckdb"), read_only=True) as file:
        sources = file.execute("SELECT name, games, duplicates FROM sources ORDER BY id").fetchall()
    assert [name for name, _, _ in sources] == [Path(path).name for path in paths]
    assert sum(games for _, games, _ in sources) == 8
    assert sum(duplicates for _, _, duplicates in sources) == 32


def test_the_same_game_on_a_turned_board_is_one(tmp_path: Path) -> None:
    (tmp_path / "games.txt").write_text("f5d6c3d3c4\nc4e3f6e6f5\nf5d6c3d3c4f4\n")
    built = build([str(tmp_path / "games.txt")], tmp_path / "games.duckdb")
    assert (built.games, built.duplicates) == (2, 1)


def test_other_players_or_another_year_make_it_another_game(tmp_path: Path) -> None:
    games = []
    for black, white, year in (
        ("A", "B", "1999"),
        ("A", "C", "1999"),
        ("a", "b", ""),
        ("A", "B", "2001"),
        ("", "", ""),
    ):
        game = Game.from_transcript(FULL)
        game.tags = {key: value for key, value in (("Black", black), ("White", white), ("Date", year)) if value}
        games.append(game)
    built = build([str(written(tmp_path, "ggf", games))], tmp_path / "games.duckdb")
    assert (built.games, built.duplicates) == (3, 2)
    assert agree(("a", "b", "1999"), ("a", "b", "")) and not agree(("a", "b", "1999"), ("a", "c", "1999"))


def test_results_of_games_that_were_not_played_out(tmp_path: Path) -> None:
    def cut(transcript: str, **tags: str) -> Game:
        game = Game.from_transcript(transcript)
        game.tags = tags
        return game

    resigned = cut(FULL[:40], Black="resigned")
    resigned.resign(Color.WHITE)
    agreed = cut(FULL[:60], Black="agreed")
    agreed.end(None, "agreed")
    games = [resigned, agreed, cut(FULL[:80], Black="unknown"), cut(FULL[:88], Black="stated", Result="-20")]
    with library_of(tmp_path, games) as library:
        found = {one.black: (one.result, one.score) for one in library.games(Position.start())}
        total = library.explore(Position.start()).total
    assert found == {"resigned": (1, None), "agreed": (0, None), "unknown": (None, None), "stated": (-1, -20)}
    assert total == Tally(4, 1, 1, 1, -20.0)
    assert total.share == 0.5


def test_other_variants_and_starts_live_side_by_side(tmp_path: Path) -> None:
    begun = Game(Position.start().play("f5"))
    begun.push("d6")
    games = [
        *random_games(3),
        *random_games(2, name="reversed"),
        Game.from_transcript(PERFECT_6X6, Variant.named("6x6")),
        begun,
    ]
    with library_of(tmp_path, games) as library:
        starts = ("othello", "reversed", "6x6", "reversed-6x6")
        assert [library.explore(Position.start(Variant.named(name))).total.games for name in starts] == [3, 2, 1, 0]
        assert library.explore(Position.start().play("f5")).total.games == 4
        own = [one for one in library.games(Position.start().play("f5")) if one.start]
        assert [(one.moves, one.start) for one in own] == [("d6", Position.start().play("f5").text)]
        loser = next(game for game in games if game.variant.reversed)
        score = loser.outcome()
        assert score is not None
        assert score.score in {one.score for one in library.games(loser.start)}


ILLEGAL = "a1"


def broken(form: str, games: Sequence[Game]) -> bytes:
    """A file of some games in which the second one has an illegal move."""
    if form == "wtb":
        data = bytearray(wthor.write(games))
        data[16 + 68 + 8 + 3] = 11
        return bytes(data)
    text = WRITERS[form](games)
    lines = text.splitlines(keepends=True)
    second = games[1].transcript[6:8]
    assert len(lines) == len(games)
    lines[1] = lines[1].replace(second, ILLEGAL, 1)
    return "".join(lines).encode()


@pytest.mark.parametrize("form", ["ggf", "sgf", "txt", "gam", "wtb"])
def test_an_illegal_game_is_left_out_and_told(form: str, tmp_path: Path) -> None:
    path = tmp_path / f"games.{form}"
    games = random_games(5)
    for game in games:
        game.tags["Date"] = "2003"
    path.write_bytes(broken(form, games))
    with pytest.raises(ValueError, match="a1 is not legal"):
        files.load(str(path))
    kept, faults = load_legal(str(path))
    assert [game.transcript for game in kept] == [games[at].transcript for at in (0, 2, 3, 4)]
    (fault,) = faults
    assert fault.startswith(f"{path}: ") and "2" in fault and "move 4: a1 is not legal" in fault
    built = build([str(path)], tmp_path / "games.duckdb")
    assert (built.games, built.faults) == (4, faults)


def test_a_file_that_holds_no_legal_game_is_refused(tmp_path: Path) -> None:
    for name, text in (("x.txt", "f5a1\n"), ("x.ggf", "(;GM[Othello]"), ("x.sgf", "(;GM[2];B[a1])"), ("x.gam", "oops")):
        (tmp_path / name).write_text(text)
        with pytest.raises(ValueError, match=r"x\."):
            build([str(tmp_path / name)], tmp_path / "games.duckdb")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["x.gam", "x.ggf", "x.sgf", "x.txt"]


def test_games_without_a_move_are_no_games(tmp_path: Path) -> None:
    (tmp_path / "games.ggf").write_text(ggf.write([Game(), *random_games(1)]))
    built = build([str(tmp_path / "games.ggf")], tmp_path / "games.duckdb")
    assert (built.games, built.without_moves) == (1, 1)


def test_more_games_than_a_batch_holds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(building, "BATCH", 7)
    games = random_games(30, seed=4)
    with library_of(tmp_path, games) as library:
        assert library.size == 30
        total, moves = counted(games, Position.start().play("f5"))
        found = library.explore(Position.start().play("f5"))
        assert same(found.total, total) and {one.moves: one.tally.games for one in found.moves} == {
            squares: tally.games for squares, tally in moves.items()
        }


# The file


def test_a_library_is_replaced_whole_while_somebody_reads_it(tmp_path: Path) -> None:
    with library_of(tmp_path, random_games(3)) as before, library_of(tmp_path, random_games(9, seed=5)) as after:
        assert (before.explore(Position.start()).total.games, after.explore(Position.start()).total.games) == (3, 9)


def test_no_other_file_is_replaced(tmp_path: Path) -> None:
    source = str(written(tmp_path, "ggf", random_games(1)))
    (tmp_path / "thesis.txt").write_text("years of work")
    with pytest.raises(ValueError, match="is not a library of games: name another file"):
        build([source], tmp_path / "thesis.txt")
    with duckdb.connect(str(tmp_path / "other.duckdb")) as database:
        database.execute("CREATE TABLE mine (x INTEGER)")
    with pytest.raises(ValueError, match="is not a library of games: name another file"):
        build([source], tmp_path / "other.duckdb")
    assert (tmp_path / "thesis.txt").read_text() == "years of work"


def test_what_is_no_library_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Fault, match="`outflank games build` makes a library"):
        Library(tmp_path / "none.duckdb")
    (tmp_path / "text.duckdb").write_text("no database")
    with pytest.raises(ValueError, match="is not a library of games"):
        Library(tmp_path / "text.duckdb")
    library_of(tmp_path, random_games(1)).close()
    with duckdb.connect(str(tmp_path / "games.duckdb")) as database:
        database.execute("UPDATE about SET format = 99")
    with pytest.raises(ValueError, match="build it again"):
        Library(tmp_path / "games.duckdb")


NEVER_DONE = """
import pathlib, time
from outflank.cli.main import main
replace = pathlib.Path.replace
pathlib.Path.replace = lambda made, target: time.sleep(600) if made.name == "library.duckdb" else replace(made, target)
main()
"""
"""Builds a library and does not put it in its place: however late it is stopped, it has not ended."""


def building_process(source: Path, target: Path) -> "subprocess.Popen[str]":
    command = [sys.executable, "-c", NEVER_DONE, "games", "build", str(source), "--out", str(target)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_a_build_that_is_stopped_leaves_the_old_library(how: signal.Signals, tmp_path: Path) -> None:
    library_of(tmp_path, random_games(2)).close()
    target = tmp_path / "games.duckdb"
    before = target.read_bytes()
    many = tmp_path / "many.txt"
    lines = transcript.write(random_games(40, seed=6)).splitlines()
    many.write_text("".join(f"{line[: 2 * length]}\n" for line in lines for length in range(8, 60)) * 6)
    process = building_process(many, target)
    try:
        deadline = time.monotonic() + 120
        while not list(tmp_path.glob(".games.duckdb.*.part/stage.duckdb")):
            assert process.poll() is None and time.monotonic() < deadline, process.communicate()
            time.sleep(0.01)
        process.send_signal(how)
        _, told = process.communicate(timeout=120)
    finally:
        process.kill()
    assert target.read_bytes() == before
    if how is signal.SIGINT:
        assert (process.returncode, told.strip()) == (130, "stopped")
        assert not list(tmp_path.glob(".*.part"))
    else:
        assert list(tmp_path.glob(".*.part"))
        library_of(tmp_path, random_games(4)).close()
        assert not list(tmp_path.glob(".*.part")), "the next build removes what a killed one left"


def test_a_full_disk_is_told_in_one_line(tmp_path: Path) -> None:
    """A limit on the size of files fails the same writes as a full disk does."""
    library_of(tmp_path, random_games(2)).close()
    before = (tmp_path / "games.duckdb").read_bytes()
    source = written(tmp_path, "ggf", random_games(60, seed=8))
    done = subprocess.run(
        [sys.executable, "-m", "outflank", "games", "build", str(source), "--out", str(tmp_path / "games.duckdb")],
        capture_output=True,
        text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000)),
    )
    assert (done.returncode, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"outflank: {tmp_path / 'games.duckdb'}: ") and line.endswith("what was there is unchanged")
    assert (tmp_path / "games.duckdb").read_bytes() == before
    assert not list(tmp_path.glob(".*.part"))


# The command


def run(*arguments: str) -> str:
    done = CliRunner().invoke(app, ["games", *arguments])
    assert done.exit_code == 0, done.output
    return done.output


def test_the_commands(tmp_path: Path) -> None:
    games = random_games(20)
    source, target = written(tmp_path, "ggf", games), str(tmp_path / "games.duckdb")
    assert run("build", str(source), str(source), "--out", target).splitlines() == [
        f"{target}: 20 games, {sum(61 - game.position.empties for game in games):,} positions,"
        f" {Path(target).stat().st_size / 1e6:.1f} MB",
        "left out: 20 duplicate",
    ]
    data = json.loads(run("build", str(source), "--out", target, "--json"))
    assert (data["games"], data["duplicates"], data["illegal"]) == (20, 0, [])
    shown = run("explore", target, "f5d6")
    total, moves = counted(games, Game.from_transcript("f5d6").position)
    assert "opening: Perpendicular" in shown and f"\n         all {total.games:>8,} " in shown
    asked = json.loads(run("explore", target, "f5d6", "--json", "--games", "3"))
    assert (asked["games"], asked["wins"], asked["draws"], asked["losses"]) == replaced(total)[:4]
    assert asked["opening"] == {"name": "Perpendicular", "aliases": [], "line": "f5d6"}
    played = {tuple(map(parse_square, one["moves"])): one["games"] for one in asked["moves"] if one["games"]}
    assert played == {squares: tally.games for squares, tally in moves.items()}
    assert len(asked["latest"]) == min(3, total.games)
    board = Game.from_transcript("f5d6").position.text
    assert json.loads(run("explore", target, board, "--json"))["games"] == total.games
    assert json.loads(run("explore", target, "--json"))["games"] == 20
    assert "no game of the library came here" in run("explore", target, "--variant", "reversed")
    some = ("--player", "player 1", "--color", "white", "--since", "2001", "--until", "2004")
    left = chosen(games, Wanted("player 1", Color.WHITE, 2001, 2004))
    assert json.loads(run("explore", target, "--json", *some))["games"] == len(left) > 0
    assert f"{len(left)} " in run("explore", target, *some)
    refused = CliRunner().invoke(app, ["games", "explore", str(target), "--player", "x", "--color", "pink"])
    assert refused.exit_code != 0
    names = {one["name"]: one["games"] for one in json.loads(run("openings", target, "--json"))["openings"]}
    assert names == Counter(opening_name(game) for game in games)
    assert len(run("openings", target).splitlines()) == len(names) + 1


def test_without_a_name_the_command_checks(tmp_path: Path) -> None:
    source = str(written(tmp_path, "ggf", random_games(2)))
    named, bare = (json.loads(run(*words, source, "--json")) for words in (["check"], []))
    assert bare["games"] == named["games"] == 2
    assert json.loads(run("--json", source))["legal"] == 2


# All tournament games there are


@needs_wthor
@pytest.mark.slow
def test_all_wthor_games_go_in_and_are_found(tmp_path: Path) -> None:
    built = build([str(WTHOR)], tmp_path / "wthor.duckdb")
    assert (built.games, built.duplicates, built.faults) == (137_548, 0, [])
    assert built.bytes < 150e6
    tables = [files.load(path).games for path in files.game_files(str(WTHOR))]
    with Library(tmp_path / "wthor.duckdb") as library:
        for line in ("", "f5", "f5d6c3d3c4", "f5d6c3d3c4f4f6f3e6e7d7"):
            position = Game.from_transcript(line).position
            assert library.explore(position).total.games == plainly(tables, position)


def plainly(tables: Sequence[Sequence[Game]], position: Position) -> int:
    """How many games come to a position, by replaying the few that can."""
    wanted = position.canonical()
    plies = 60 - position.empties
    seen: dict[bytes, bool] = {}
    count = 0
    for entry in (entry for table in tables for entry in entries_of(table)):
        beginning = entry.squares[:plies]
        if beginning not in seen:
            seen[beginning] = len(beginning) == plies and (
                Game.from_moves(list(beginning)).position.canonical() == wanted
            )
        count += seen[beginning]
    return count
