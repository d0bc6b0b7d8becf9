"""The store: whole games, in order, once each, whatever happens to whoever writes them."""

import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from outflank import __version__
from outflank.arena import store as room
from outflank.arena.contest import Conditions, Fixture, Opening, Player
from outflank.arena.match import KIND
from outflank.arena.openings import openings_named
from outflank.arena.record import GameRecord
from outflank.arena.session import pairing_fixtures
from outflank.arena.store import Store
from outflank.arena.table import Table
from outflank.board.game import Game
from outflank.board.squares import Color
from outflank.board.variant import Variant
from outflank.errors import Fault
from outflank.search.limits import Clock, Limit

PAGE = 4096
SOURCES = Path(room.__file__).parents[2]
FOUR = Variant.named("4x4")
CONDITIONS = Conditions(FOUR, Limit(clock=Clock(60, 0.5), depth=2), "random:2", 7)
FIRST, SECOND = Player("alphabeta:depth=1"), Player("random")


def some_games(pairs: int = 3) -> list[tuple[Fixture, GameRecord]]:
    table = Table()
    openings = openings_named("random:2", FOUR, 7)
    fixtures = pairing_fixtures(FIRST, SECOND, pairs, CONDITIONS, openings, ())
    return [(fixture, table.play(fixture)) for fixture in fixtures]


def test_a_game_comes_back_whole(tmp_path: Path) -> None:
    played = some_games()
    with Store(tmp_path / "games.db") as store:
        store.add(store.contest(CONDITIONS), played)
    with Store.existing(tmp_path / "games.db") as store:
        (contest,) = {store.contest(CONDITIONS)}
        games = list(store.games(contest))
        assert store.conditions(contest) == (CONDITIONS, None)
    assert len(games) == 6
    for stored, (fixture, record) in zip(games, played, strict=True):
        assert (stored.at.first, stored.at.second) == (FIRST, SECOND)
        assert (stored.at.pair, stored.at.first_color) == (fixture.pair, fixture.first_color)
        assert stored.at.number == 2 * fixture.pair + fixture.first_color
        assert (stored.record.opening, stored.record.moves) == (record.opening, record.moves)
        assert (stored.record.seconds, stored.record.scores) == (record.seconds, record.scores)
        assert (stored.record.depths, stored.record.nodes) == (record.depths, record.nodes)
        assert stored.record.result.winner == record.result.winner
        assert stored.record.result.score == record.result.score
        assert [one.moves for one in stored.record.result.efforts] == [one.moves for one in record.result.efforts]
        assert (stored.seed, stored.version, stored.variant) == (fixture.seed, __version__, "4x4")
        assert stored.limits == {"clock": [60, 0.5], "depth": 2}
        game = Game.from_transcript(stored.record.moves, FOUR)
        outcome = game.outcome()
        assert outcome is not None
        assert outcome.score == stored.record.result.score
        assert len(json.loads(stored.record.seconds)) == len(stored.record.moves) // 2 - 2


def test_a_game_is_never_counted_twice() -> None:
    played = some_games()
    with Store() as store:
        contest = store.contest(CONDITIONS)
        store.add(contest, played)
        store.add(contest, played[2:] + played[:1])
        assert len(store.results(contest)) == 6
        assert [one.number for one in store.results(contest)] == list(range(6))


def test_equal_conditions_are_one_contest_and_others_another() -> None:
    with Store() as store:
        contest = store.contest(CONDITIONS)
        assert store.contest(Conditions(FOUR, CONDITIONS.limit, "random:2", 7)) == contest
        assert store.contest(Conditions(FOUR, CONDITIONS.limit, "random:2", 8)) != contest
        assert store.contest(Conditions(FOUR, Limit(), "random:2", 7)) != contest
        assert store.contest(Conditions(Variant.named("6x6"), CONDITIONS.limit, "random:2", 7)) != contest


def test_openings_of_a_file_stay_with_their_contest(tmp_path: Path) -> None:
    openings = [Opening("", "b1a1"), Opening("OXXX XOX- XOXX XO-- X", "")]
    with Store(tmp_path / "games.db") as store:
        contest = store.contest(CONDITIONS, openings)
    with Store.existing(tmp_path / "games.db") as store:
        assert store.conditions(contest) == (CONDITIONS, openings)


def test_games_are_kept_all_or_none(tmp_path: Path) -> None:
    played = some_games()
    broken = (played[3][0], GameRecord(played[3][1].result, Opening(), None, "", "", "", ""))  # type: ignore[arg-type]
    with Store(tmp_path / "games.db") as store:
        contest = store.contest(CONDITIONS)
        with pytest.raises(sqlite3.IntegrityError):
            store.add(contest, [*played[:3], broken])
        assert store.results(contest) == []


def test_a_full_disk_loses_nothing_that_is_stored(tmp_path: Path) -> None:
    path = tmp_path / "games.db"
    played = some_games()
    with Store(path) as store:
        contest = store.contest(CONDITIONS)
        store.add(contest, played[:2])
        (pages,) = store._database.execute("PRAGMA page_count").fetchone()
        store._database.execute(f"PRAGMA max_page_count = {pages}")  # what a full disk looks like to SQLite
        with pytest.raises(OSError, match=r"games\.db cannot be written: database or disk is full"):
            for pair in range(10, 1000):
                store.add(contest, [(replace(played[0][0], pair=pair), played[0][1])])
    with Store(path) as store:
        before = len(store.results(contest))
        assert before >= 2
        store.add(contest, played)
        assert len(store.results(contest)) == before + 4


def test_a_changed_file_is_another_player(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    spec = f"alphabeta:heuristic={file}:edges,depth=1"
    file.write_text("version = 1\n")
    before = Player.named(spec)
    file.write_text("version = 2\n")
    after = Player.named(spec)
    assert before != after
    assert before.spec == after.spec
    assert Player.named("greedy").fingerprint == ""


def test_others_read_while_a_tournament_writes(tmp_path: Path) -> None:
    played = some_games()
    with Store(tmp_path / "games.db") as writer, Store.existing(tmp_path / "games.db") as reader:
        contest = writer.contest(CONDITIONS)
        for number, one in enumerate(played, 1):
            writer.add(contest, [one])
            assert len(reader.results(contest)) == number


def test_a_store_that_is_none_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no store"):
        Store.existing(tmp_path / "nowhere.db")
    text = tmp_path / "notes.txt"
    text.write_text("a shopping list, long enough to be no database " * 20)
    with pytest.raises(ValueError, match="cannot be used as a store"):
        Store(text)
    foreign = tmp_path / "foreign.db"
    with sqlite3.connect(foreign) as database:
        database.execute("CREATE TABLE recipes (name TEXT)")
    with pytest.raises(ValueError, match="not an Outflank store"):
        Store(foreign)
    with pytest.raises(ValueError, match="cannot be used as a store"):
        Store(tmp_path / "no" / "folder" / "games.db")


def told(store: Store) -> None:
    """Reads all that a report would."""
    for event in store.events():
        store.conditions(event.contest)
        store.results(event.contest)
        list(store.games(event.contest))
        store.versions(event.contest)
        store.judgements(event.contest, "fast")
    store.checks("any")


def test_a_damaged_page_is_told_in_one_line(tmp_path: Path) -> None:
    """Whichever it is: what is read is whole, or an error of ours says that the file cannot be used."""
    path, damaged = tmp_path / "games.db", tmp_path / "damaged.db"
    with Store(path) as store:
        contest = store.contest(CONDITIONS)
        store.add(contest, some_games(12))
        store.note_event(contest, "match", {"sprt": None})
        told(store)
    data = path.read_bytes()
    refused = set()
    for page in range(1, len(data) // PAGE):
        for wrong in (bytes(PAGE), b"\xa5" * PAGE, data[page * PAGE : page * PAGE + 64] + b"\xff" * (PAGE - 64)):
            damaged.write_bytes(data[: page * PAGE] + wrong + data[(page + 1) * PAGE :])
            try:
                with Store.existing(damaged) as store:
                    told(store)
                    store.add(contest, some_games(1))
            except Fault as fault:
                assert str(damaged) in str(fault) and "\n" not in str(fault)
                refused.add(page)
    assert len(refused) >= len(data) // PAGE // 2


def test_a_store_that_cannot_be_written_can_be_reported(tmp_path: Path) -> None:
    folder = tmp_path / "backup"
    folder.mkdir()
    with Store(folder / "games.db") as store:
        contest = store.contest(CONDITIONS)
        store.add(contest, some_games())
        plan = {"players": [["alphabeta:depth=1", ""], ["random", ""]], "pairs": 3, "sprt": None}
        store.note_event(contest, KIND, plan)
    report = f"{sys.executable} -m outflank report {folder}/games.db"
    shut = f"mount --bind {folder} {folder} && mount -o remount,bind,ro {folder} && ! touch {folder}/x"
    command = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c"]
    if shutil.which("unshare") is None or subprocess.run([*command, shut], capture_output=True).returncode:
        pytest.skip("no folder can be made read-only here")
    script = f"{shut} && {report} --json && {report} --html {tmp_path}/page.html"
    done = subprocess.run([*command, script], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert '"games": 6' in done.stdout
    assert (tmp_path / "page.html").is_file()


def test_a_store_of_an_older_version_is_brought_up_to_date(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "games.db"
    with Store(path) as store:
        store.add(store.contest(CONDITIONS), some_games())
    added = "ALTER TABLE games ADD COLUMN note TEXT NOT NULL DEFAULT ''"
    monkeypatch.setattr(room, "MIGRATIONS", (*room.MIGRATIONS, added))
    with Store(path) as store:
        assert len(store.results(store.contest(CONDITIONS))) == 6
    with sqlite3.connect(path) as database:
        assert database.execute("PRAGMA user_version").fetchone() == (len(room.MIGRATIONS),)
        assert database.execute("SELECT DISTINCT note FROM games").fetchall() == [("",)]


def test_a_migration_that_fails_leaves_the_store_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "games.db"
    Store(path).close()
    migrations = room.MIGRATIONS
    monkeypatch.setattr(room, "MIGRATIONS", (*migrations, "CREATE TABLE half (a); SELECT a FROM nowhere"))
    with pytest.raises(ValueError, match="nowhere"):
        Store(path)
    with sqlite3.connect(path) as database:
        assert database.execute("PRAGMA user_version").fetchone() == (len(migrations),)
        assert database.execute("SELECT count(*) FROM sqlite_master WHERE name = 'half'").fetchone() == (0,)


def test_a_store_of_a_newer_version_is_not_touched(tmp_path: Path) -> None:
    path = tmp_path / "games.db"
    Store(path).close()
    with sqlite3.connect(path) as database:
        database.execute("PRAGMA user_version = 99")
    with pytest.raises(ValueError, match="newer Outflank"):
        Store(path)


WRITER = """
import itertools, sys
from dataclasses import replace
from outflank.arena.store import Store
from test_store import CONDITIONS, some_games
games = some_games()
with Store(sys.argv[1]) as store:
    contest = store.contest(CONDITIONS)
    begin = len(store.results(contest)) // 6
    print("ready", flush=True)
    for round in itertools.count(begin):
        store.add(contest, [(replace(fixture, pair=fixture.pair + 3 * round), record) for fixture, record in games])
        print(round, flush=True)
"""


def test_kill_9_at_any_moment_leaves_whole_batches_and_all_that_were_confirmed(tmp_path: Path) -> None:
    """The writer says after each batch that the store has it; it is killed right in its work, several times."""
    path = tmp_path / "games.db"
    dice = random.Random(4)
    kept = 0
    for _ in range(3):
        writer = subprocess.Popen(
            [sys.executable, "-c", WRITER, str(path)],
            stdout=subprocess.PIPE,
            cwd=Path(__file__).parent,
            env={**os.environ, "PYTHONPATH": f"{Path(__file__).parent}:{SOURCES}"},
        )
        assert writer.stdout is not None
        assert writer.stdout.readline() == b"ready\n"
        confirmed = [writer.stdout.readline() for _ in range(dice.randrange(1, 20))][-1]
        time.sleep(dice.random() * 0.01)
        writer.send_signal(signal.SIGKILL)
        writer.wait()
        confirmed = [confirmed, *writer.stdout.read().split()][-1]
        writer.stdout.close()
        with Store.existing(path) as store:
            numbers = [one.number for one in store.results(store.contest(CONDITIONS))]
        assert numbers == list(range(len(numbers)))
        assert len(numbers) % 6 == 0
        assert len(numbers) >= 6 * (int(confirmed) + 1) > kept
        kept = len(numbers)


def test_fixtures_name_their_players_by_colour() -> None:
    for fixture, _ in some_games(1):
        assert fixture.black == (FIRST if fixture.first_color is Color.BLACK else SECOND)
        assert fixture.white == (SECOND if fixture.first_color is Color.BLACK else FIRST)
