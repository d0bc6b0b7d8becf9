"""A class in one command: who handed in what, the check, the games, and what each student gets."""

import csv
import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import typer
from classes import BOARD, hand_in, make_class, variation
from enclosed import FILES, needs_enclosure

from outflank.agents.bundle import Bundle, gathered
from outflank.agents.sandbox import enclosure
from outflank.arena.classroom import history
from outflank.arena.classroom.advice import advice
from outflank.arena.classroom.alike import Pair, Sources, alike, alike_csv
from outflank.arena.classroom.checks import Checked, checked
from outflank.arena.classroom.course import Classroom
from outflank.arena.classroom.roll import called
from outflank.arena.contest import Player
from outflank.arena.match import match
from outflank.arena.report.data import counted_games
from outflank.arena.report.judge import JudgeSpec, judged_games
from outflank.arena.store import Store
from outflank.board.variant import Variant
from outflank.cli.check import check
from outflank.cli.tournament import tournament
from outflank.search.limits import Limit
from outflank.work.stop import Stop
from outflank.work.workers import Here, Keep, Run, Tasks

GOOD = variation(1)


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "class").mkdir()
    return tmp_path / "class"


def copies(folder: Path) -> Path:
    place = folder.with_name("copies")
    place.mkdir(exist_ok=True)
    return place


def rows(path: Path) -> dict[str, dict[str, str]]:
    with path.open(newline="") as file:
        return {row["id"]: row for row in csv.DictReader(file)}


def played(folder: Path, capsys: pytest.CaptureFixture[str], **options: Any) -> dict[str, Any]:
    tournament([str(folder)], json=True, **{"variant": "4x4", "jobs": 1, **options})
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def ended(results: Path) -> dict[tuple[str, str, int], float]:
    """When each game of a class ended."""
    with Store.existing(results / "games.db") as store:
        return {
            (game.at.first.fingerprint, game.at.second.fingerprint, game.at.number): game.ended
            for game in store.games(1)
        }


# The roll


def test_ids_come_from_the_roster(folder: Path) -> None:
    (folder / "roster.csv").write_text("Name,ID\nLi Wei,12\nWang Fang,123\nNobody,77\nZhao,88\n", "utf-8-sig")
    for name in ("hw3_12_final.py", "123-late.py", "Zhao.py", "x1234.py"):
        (folder / name).write_text(GOOD)
    found = {one.source: (one.id, one.name, one.problem) for one in called(folder, copies(folder)).students}
    assert found == {
        "hw3_12_final.py": ("12", "Li Wei", ""),
        "123-late.py": ("123", "Wang Fang", ""),
        "Zhao.py": ("88", "Zhao", ""),
        "x1234.py": ("x1234", "", ""),
        "": ("77", "Nobody", "nothing was handed in"),
    }


def test_without_a_roster_a_number_in_the_name_is_the_id(folder: Path) -> None:
    names = ("Li Wei_12010001_assignsubmission_file_2024.py", "12010002.py", "wang_2024.py", "plain.py")
    for name in names:
        (folder / name).write_text(GOOD)
    assert {one.id for one in called(folder, copies(folder)).students} == {"12010001", "12010002", "wang_2024", "plain"}


def test_a_roster_of_a_spreadsheet_is_read_and_one_without_ids_is_refused(folder: Path) -> None:
    (folder / "12.py").write_text(GOOD)
    (folder / "roster.csv").write_bytes("id,name\n12,李伟\n".encode("gb18030"))
    assert called(folder, copies(folder)).students[0].name == "李伟"
    for wrong in (b"number;who\n1;2\n", b"\xff\xfeid"[:-1]):
        (folder / "roster.csv").write_bytes(wrong)
        with pytest.raises(ValueError, match="one of them must be id"):
            called(folder, copies(folder))


@pytest.mark.parametrize(
    "text",
    [
        "id;name\n12;李伟\n",
        "sep=;\r\nid;name\r\n12;李伟\r\n",
        "\nID\tName\n12\t李伟\n",
        'id,name\n="12",李伟\n\n,,\n',
    ],
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_a_roster_is_read_as_spreadsheets_write_it(folder: Path, text: str, encoding: str) -> None:
    (folder / "12.py").write_text(GOOD)
    (folder / "roster.csv").write_bytes(text.encode(encoding))
    assert [(one.id, one.name) for one in called(folder, copies(folder)).students] == [("12", "李伟")]


MOODLE = {
    "Li Wei_1231_assignsubmission_file_/main.py": GOOD,
    "Li Wei_1231_assignsubmission_onlinetext_/onlinetext.html": "hello",
    "Wang Fang_1232_assignsubmission_file_/ai.py": GOOD + "\n",
}
BLACKBOARD = {
    "Project 1_u001_attempt_2026-11-01-10-00-00_main.py": GOOD,
    "Project 1_u001_attempt_2026-11-02-10-00-00_main.py": "from rules import *\n",
    "Project 1_u001_attempt_2026-11-02-10-00-00_rules.py": GOOD,
    "Project 1_u001_attempt_2026-11-02-10-00-00.txt": "a receipt",
    "Project 1_u002_attempt_2026-11-02-11-00-00_main.py": GOOD,
}
CANVAS = {
    "liwei_12345_67890_main.py": "from rules import *\n",
    "liwei_12345_67891_rules-1.py": GOOD,
    "liwei_12345_67892_table-1.txt": "1",
    "wangfang_LATE_12346_67893_main.py": GOOD,
}
YEARS = {"li_2024_12010001_final.py": GOOD, "wang_2024_12010002_final.py": GOOD}


@pytest.mark.parametrize(
    ("files", "found"),
    [
        (MOODLE, {"1231": ("Li Wei", {"main.py"}), "1232": ("Wang Fang", {"ai.py"})}),
        (BLACKBOARD, {"u001": ("", {"main.py", "rules.py"}), "u002": ("", None)}),
        (CANVAS, {"12345": ("liwei", {"main.py", "rules.py", "table-1.txt"}), "12346": ("wangfang", None)}),
        (YEARS, {"12010001": ("li 2024 final", None), "12010002": ("wang 2024 final", None)}),
    ],
    ids=["moodle", "blackboard", "canvas", "none"],
)
def test_a_folder_is_read_as_course_systems_export_it(
    folder: Path, files: dict[str, str], found: dict[str, tuple[str, set[str] | None]]
) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    roll = called(folder, copies(folder))
    assert {one.id: one.name for one in roll.students} == {id: name for id, (name, _) in found.items()}
    assert not roll.notes
    for one in roll.students:
        assert one.copy is not None
        expected = found[one.id][1]
        assert expected is None or set(gathered(one.copy.path).files) == expected


def test_of_two_files_of_a_student_the_last_counts(folder: Path) -> None:
    (folder / "roster.csv").write_text("id,name\n12,Li\n")
    (folder / "12_a.py").write_text(GOOD)
    (folder / "12_b.py").write_text(GOOD + "\n")
    (folder / "12_c.py").symlink_to("/dev/zero")
    found = called(folder, copies(folder))
    assert [one.source for one in found.students] == ["12_b.py"]
    assert len(found.notes) == 2


def test_nothing_odd_stops_a_class(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "secret.py").write_text(GOOD)
    (folder / "good.py").write_text(GOOD)
    (folder / "CAPITALS.PY").write_text(GOOD + "\n")
    (folder / "out.py").symlink_to(tmp_path / "secret.py")
    (folder / "away").symlink_to(tmp_path)
    (folder / "zero.zip").symlink_to("/dev/zero")
    (folder / "gone.py").symlink_to(tmp_path / "nowhere")
    (folder / "bad.zip").write_bytes(b"PK\x03\x04 and nothing else")
    (folder / "empty").mkdir()
    (folder / "line\nbreak.py").write_text(GOOD)
    Path(os.fsdecode(os.fsencode(folder) + b"/\xff\xfe.py")).write_text(GOOD)
    Path(os.fsdecode(os.fsencode(folder) + b"/\xff\xfd.py")).write_text(GOOD)
    (folder / "??.py").write_text(GOOD)
    (folder / "odd\x07folder").mkdir()
    (folder / "odd\x07folder" / "ai.py").write_text(GOOD)
    (folder / "large.py").write_bytes(b"#" * (2 << 20))
    (folder / "notes.txt").write_text("")
    (folder / "shut.py").write_text(GOOD)
    (folder / "shut.py").chmod(0)
    os.mkfifo(folder / "pipe.py")
    found = called(folder, copies(folder))
    able = {one.source for one in found.students if one.copy is not None}
    able.discard("shut.py")  # root reads everything
    assert able == {"good.py", "CAPITALS.PY", "??.py"}, "whose name looks like another's is not left out for it"
    assert all(one.problem for one in found.students if one.copy is None)
    assert len(found.students) == 14
    Classroom.opened(folder, tmp_path / "results")
    assert [note for note in found.notes if note.startswith("notes.txt")]


def test_who_handed_in_the_same_is_one_player_and_the_teacher_sees_both(folder: Path, tmp_path: Path) -> None:
    for name in ("li.py", "wang.py"):
        (folder / name).write_text(GOOD)
    room = Classroom.opened(folder, tmp_path / "results")
    assert len(set(room.players.values())) == 1
    assert list(room.labels.values()) == ["li = wang"]
    copy = next((tmp_path / "results" / "players").iterdir())
    copy.write_bytes(Bundle({"li.py": b"another"}).packed())
    with pytest.raises(ValueError, match="was changed"):
        Classroom.opened(folder, tmp_path / "results")


def test_a_zip_of_a_class_is_to_be_unpacked(folder: Path) -> None:
    (folder / "export.zip").write_bytes(b"")
    with pytest.raises(ValueError, match="unpack a class and name its folder"):
        tournament([str(folder / "export.zip")])


def test_an_empty_folder_is_no_class(folder: Path) -> None:
    with pytest.raises(ValueError, match="no submission"):
        tournament([str(folder)])


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["class", "class"], "one class at a time"),
        (["class", "--resume", "x.db"], "a class resumes by itself"),
        (["class", "--out", "class/results"], "must not be inside"),
        (["class", "--values", "nobody"], "'nobody' is not an agent"),
        (["class", "--given", "nowhere.py"], "nowhere.py"),
        (["class", "--format", "knock-out"], "a tournament's format"),
        (["greedy", "random", "--out", "x"], "--out is for a class"),
    ],
)
def test_what_is_wrong_is_said_before_anything_is_checked(
    arguments: list[str], said: str, folder: Path, refused: Callable[..., str]
) -> None:
    (folder / "good.py").write_text(GOOD)
    assert said in refused("tournament", *arguments)


# The check alone


def test_a_folder_is_checked(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    needs_enclosure()
    (folder / "good.py").write_text(GOOD)
    hand_in(folder, "12010003", 3)
    shutil.copy(FILES / "hostile" / "broken.py", folder)
    with pytest.raises(typer.Exit):
        check(str(folder), variant="6x6", json=True, jobs=1)
    found = {one["id"]: one for one in json.loads(capsys.readouterr().out)["students"]}
    assert {id: one["check"] for id, one in found.items()} == {"good": 100, "12010003": 100, "broken": 0}
    assert found["12010003"]["interface"] == "AI"
    assert "SyntaxError" in found["broken"]["left_out"]
    assert list(folder.parent.iterdir()) == [folder], "it leaves nothing behind"
    with pytest.raises(typer.Exit):
        check(str(folder), variant="6x6", jobs=1)
    assert "2 of 3 can play" in capsys.readouterr().out


def test_one_player_with_its_helpers_is_told_how_to_be_checked(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    needs_enclosure()
    (folder / "ai.py").write_text("from turning import turned\n" + variation(3).replace(BOARD, ""))
    (folder / "turning.py").write_text(BOARD)
    with pytest.raises(typer.Exit):
        check(str(folder), variant="4x4", jobs=1)
    assert f"outflank check py:{folder}" in capsys.readouterr().out
    with pytest.raises(typer.Exit):
        check(str(folder / "ai.py"), variant="4x4")
    assert f"turning stands beside it: a folder comes with all its modules, outflank check py:{folder}" in (
        capsys.readouterr().out
    )
    check(f"py:{folder}", variant="4x4", json=True)
    assert json.loads(capsys.readouterr().out)["score"] == 100


class Busy(Here):
    """A machine on which everybody is late."""

    def _run(self, tasks: Tasks[Any, Any], keep: Keep[Any, Any], stop: Stop) -> Run[Any, Any]:
        for player, _ in tasks:
            late = Checked(0, 0, 20, "AI", False, [("start", "time: no answer within 1 s")], "", 0.1, 1.1, 1.0)
            keep([(player, late)])
            yield [(player, late)]


def test_who_was_late_while_others_were_checked_is_checked_again_alone(folder: Path) -> None:
    needs_enclosure()
    (folder / "good.py").write_text(GOOD)
    player, rules = Player.named(f"py:{folder / 'good.py'}"), Variant.named("4x4")
    with Store() as store, Busy() as busy:
        found = checked([player], rules, Limit(), store, busy)
        assert found[player].summary == "in order"
        assert checked([player], rules, Limit(), store, busy) == found, "it is kept"


def test_a_machine_that_cannot_enclose_fails_nobody(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    needs_enclosure()
    (folder / "good.py").write_text(GOOD)
    monkeypatch.setattr(enclosure, "interpreter", lambda: "/nowhere/python")
    with pytest.raises(OSError, match="/nowhere/python"):
        check(str(folder), variant="4x4", jobs=1)


# A whole class


def test_a_class_of_eight_killed_on_the_way(tmp_path: Path) -> None:
    needs_enclosure()
    make_class(tmp_path / "eight", 8, hostile=1)
    results = killed(tmp_path / "eight", [3], ["--variant", "4x4", "--time", "1"])
    grades = rows(results / "gradebook.csv")
    assert len(grades) == 8 + 2, "the device and the pipe are named, too"
    assert_all_is_there(results, grades)
    assert grades["12010007"]["check_result"] == "nothing was handed in"
    assert grades["12010005"]["rating"] == grades["12010006"]["rating"], "who hands in the same gets the same"
    for page in (results / "students").glob("12*.html"):
        text = page.read_text()
        assert set(re.findall(r"1201\d{4}", text)) == {page.stem}, "who the others are is for the teacher to know"
        assert ("the student at rank " in text) == (grades[page.stem]["rank"] != "")
    assert "12010005,copy,12010006,copy,1.0,1.0,1" in (results / "alike.csv").read_text()


@pytest.mark.slow
@pytest.mark.timeout(7200)
def test_a_class_of_208_killed_five_times(tmp_path: Path) -> None:
    needs_enclosure()
    make_class(tmp_path / "class", 208)
    settings = ["--variant", "6x6", "--time", "0.5", "--format", "swiss", "--rounds", "3"]
    results = killed(tmp_path / "class", [20, 120, 220, 300, 400], settings)
    grades = rows(results / "gradebook.csv")
    assert len(grades) == 208 + 2
    assert_all_is_there(results, grades)


def killed(folder: Path, when: list[int], settings: list[str]) -> Path:
    """Runs a class, kills it each time that so many checks and games are in its store, and lets it end at last."""
    results = folder.with_name(f"{folder.name}-results")
    command = [sys.executable, "-m", "outflank", "tournament", str(folder), *settings]
    for target in when:
        running = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while running.poll() is None and kept(results / "games.db") < target:
            time.sleep(0.05)
        assert running.poll() is None, "it ended before it could be killed"
        running.send_signal(signal.SIGKILL)
        running.wait()
    before = ended(results) if kept(results / "games.db") else {}
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert before.items() <= ended(results).items(), "what was played before is not played again"
    return results


def kept(path: Path) -> int:
    """How many checks and games a store has by now."""
    try:
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as database:
            counts = "SELECT (SELECT count(*) FROM checks) + (SELECT count(*) FROM games)"
            return int(database.execute(counts).fetchone()[0])
    except sqlite3.OperationalError:
        return 0  # not there yet, or just being made


def assert_all_is_there(results: Path, grades: dict[str, dict[str, str]]) -> None:
    pages = {path.stem for path in (results / "students").glob("*.html")}
    assert pages == {re.sub(r"[^\w.-]+", "_", id) for id in grades}
    assert (results / "report.html").stat().st_size > 100_000
    assert (results / "alike.csv").read_text().count("\n") >= 2
    playing = [row for row in grades.values() if row["rank"]]
    assert len(playing) >= 2
    for row in playing:
        assert float(row["rating_low"]) < float(row["rating"]) < float(row["rating_high"])
        assert int(row["games"]) == sum(int(row[name]) for name in ("wins", "draws", "losses")) > 0
    for row in grades.values():
        assert bool(row["rank"]) != bool(row["left_out"])


def test_only_who_handed_in_anew_plays_again(folder: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    needs_enclosure()
    for number in (1, 2, 4):
        (folder / f"s{number}.py").write_text(variation(number))
    first = played(folder, capsys)
    results = tmp_path / "class-results"
    before = ended(results)
    assert (first["course"], first["games"], len(before)) == (True, 6, 6)
    # The same content in another file, another folder and from another place is the same player.
    (folder / "s2.py").rename(folder / "s2 (1).py")
    folder.rename(tmp_path / "moved")
    results.rename(tmp_path / "moved-results")
    (tmp_path / "elsewhere").mkdir()
    os.chdir(tmp_path / "elsewhere")
    again = played(Path("../moved"), capsys)
    assert again["games"] == 6
    assert ended(tmp_path / "moved-results") == before
    assert {row["player"] for row in again["players"]} == {"s1", "s2 (1)", "s4"}
    # One hands in anew, and one late.
    (tmp_path / "moved" / "s4.py").write_text(variation(4) + "# better\n")
    (tmp_path / "moved" / "late.py").write_text(variation(7))
    now = played(Path("../moved"), capsys)
    assert (now["games"], len(now["players"])) == (12, 4)
    after = ended(tmp_path / "moved-results")
    assert before.items() <= after.items()
    assert len(after) == 6 + 4 + 6, "the pairs of the changed and of the late one are new"
    # Everybody's ranks, version by version; where nothing has changed, nothing is added.
    results = tmp_path / "moved-results"
    grades = rows(results / "gradebook.csv")
    assert {id: row["version"] for id, row in grades.items()} == {"s1": "1", "s2 (1)": "1", "s4": "2", "late": "1"}
    lines = history.read((results / "history.csv").read_text())
    assert [(one.run, one.players) for one in lines if one.id == "s4"] == [(1, 3), (2, 3), (3, 4)]
    ranks = [str(one.rank) for one in lines if one.id == "s4"]
    assert grades["s4"]["rank_history"] == ", ".join(ranks)
    assert ranks[-1] == grades["s4"]["rank"]
    assert "Version by version" in (results / "students" / "s4.html").read_text()
    assert "Version by version" not in (results / "students" / "late.html").read_text()
    played(Path("../moved"), capsys)
    assert history.read((results / "history.csv").read_text()) == lines


def test_a_history_is_read_as_it_was_written() -> None:
    one = history.Stood(1, "2026-01-02 03:04", "=cmd()", 1, "abc", None, 3, -5.0, 12.5, 95)
    lines = [one, replace(one, id="'quoted", rank=2, points=None, rating=None, check=None)]
    assert history.read(history.written(lines)) == lines
    assert "'=cmd()" in history.written(lines), "a spreadsheet must not run it"


def test_a_student_gets_the_own_games_faults_and_advice(
    folder: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    needs_enclosure()
    (folder / "roster.csv").write_text("id,name\n11,<b>Li</b>\n12,=Wang()\n13,Zhao\n14,Chen\n")
    (folder / "11.py").write_text(variation(1))
    (folder / "12.py").write_text(variation(2))
    # It plays well and then fails: in order at the check's first boards, but not in a game.
    failing = "        if abs(chessboard).sum() > 9: print('so far'); raise RuntimeError('my secret bug')\n"
    marker = "        self.candidate_list.clear()\n"
    (folder / "13.py").write_text(variation(3).replace(marker, failing + marker))
    (folder / "14.py").write_text("class AI:\n    def go(self, board): return\n")
    found = played(folder, capsys, variant="6x6")
    results = tmp_path / "class-results"
    assert found["results"] == str(results)
    pages = {path.stem: path.read_text() for path in (results / "students").iterdir()}
    assert "&lt;b&gt;Li&lt;/b&gt; (11)" in pages["11"] and "<b>Li" not in pages["11"]
    assert "Costliest moves" in pages["11"] and "was better" in pages["11"] and "<svg" in pages["11"]
    assert pages["11"].count('<td class="moves">') == 4
    assert re.search(r"Game \d, as (Black|White) against the student at rank \d, move \d+: ", pages["11"])
    assert "rank" in pages["11"] and " Elo, 95 % from" in pages["11"] and "the longest took" in pages["11"]
    assert "Faults" not in pages["11"] and "secret bug" not in pages["11"], "another's error is nobody's business"
    assert "RuntimeError: my secret bug (line" in pages["13"] and "Faults" in pages["13"]
    faults = pages["13"].partition("<h2>Faults</h2>")[2]
    assert "<svg" in faults.partition("<pre>")[0] and "raise RuntimeError" in faults
    assert "<pre>so far\n" in faults
    assert "It did not play" in pages["14"]
    grades = rows(results / "gradebook.csv")
    assert grades["13"]["faults"] == grades["13"]["losses"] == "4"
    assert grades["13"]["fault_kinds"] == "crash 4"
    assert grades["12"]["name"] == "'=Wang()", "no spreadsheet runs a name"
    assert grades["14"]["left_out"] and not grades["14"]["rank"]
    assert [row["id"] for row in found["students"]][-1] == "14"
    assert "secret bug" not in (results / "students" / "12.html").read_text()


@pytest.mark.slow
def test_a_swiss_class_and_a_ladder_against_the_five(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    needs_enclosure()
    for number in (1, 2, 4, 5):
        (folder / f"s{number}.py").write_text(variation(number))
    swiss = played(folder, capsys, form="swiss", rounds=2, values="none")
    assert (swiss["format"], swiss["games"]) == ("swiss", 8)
    ladder = played(folder, capsys, form="ladder", playouts=20, depth=1, values="none")
    names = {row["player"] for row in ladder["players"]}
    assert names == {"s1", "s2", "s4", "s5", "corner-shy", "mini-go", "phased", "self-taught", "dynamic"}
    assert {row["id"] for row in ladder["students"]} == {"s1", "s2", "s4", "s5"}
    assert sorted(row["rank"] for row in ladder["students"]) == [1, 2, 3, 4]


def test_where_nobody_can_play_the_gradebook_says_so(
    folder: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    needs_enclosure()
    shutil.copy(FILES / "hostile" / "broken.py", folder)
    (folder / "good.py").write_text(GOOD)
    with pytest.raises(typer.Exit):
        tournament([str(folder)], variant="4x4", jobs=1)
    assert "nothing was played" in capsys.readouterr().out
    grades = rows(tmp_path / "class-results" / "gradebook.csv")
    assert (grades["good"]["check"], grades["good"]["games"]) == ("100", "0")


# Advice


def test_advice_has_the_costliest_moves_of_the_one_judge(tmp_path: Path) -> None:
    match("greedy", "alphabeta:depth=4", games=2, variant="6x6", store=tmp_path / "x.db")
    with Store.existing(tmp_path / "x.db") as store:
        event, judge = store.event(), JudgeSpec.named("fast")
        assert judge is not None
        games = counted_games(store, event)
        values = judged_games(store, event.contest, judge, games)
        found = advice(games, values)[Player("greedy")]
    assert len(found.games) == 2
    losses = [one.loss for one in found.worst]
    assert losses == sorted(losses, reverse=True) and losses[0] >= 3
    for one in found.worst:
        assert one.played != one.best
        assert one.position.legal >> one.played & 1 and one.position.legal >> one.best & 1
        own = found.games[one.game - 1]
        assert one.position.turn is own.color
        made = [own.moves[at : at + 2] for at in range(0, len(own.moves), 2)]
        assert made[one.ply - 1].lower() == "abcdef"[one.played % 8] + str(one.played // 8 + 1)
    assert found.given_away >= sum(losses)


# Who looks alike


def sources(text: str) -> Sources:
    return Sources.of(Bundle({"ai.py": text.encode()}))


def test_equal_submissions_are_found_without_any_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "copydetect", None)
    monkeypatch.setattr("outflank.arena.classroom.alike.can_compare", lambda: False)
    pairs = alike({"a": sources(GOOD), "b": sources(variation(3)), "c": sources(GOOD)})
    assert [(pair.first, pair.second, pair.same) for pair in pairs] == [("a", "c", True)]


def test_a_copy_with_other_names_is_found_and_given_code_is_not() -> None:
    pytest.importorskip("copydetect")
    source = (FILES / "honest" / "course_ai.py").read_text()
    renamed = re.sub(r"\bchessboard\b", "b", source).replace("self.color", "self.me") + "\n# all my own work\n"
    others = {name: sources((FILES / "honest" / f"{name}.py").read_text()) for name in ("course_player", "our_agent")}
    handed_in = {"writer": sources(source), "copier": sources(renamed), **others}
    found = alike(handed_in)
    assert [(pair.first, pair.second) for pair in found] == [("writer", "copier")]
    assert min(found[0].shared) > 0.9 and not found[0].same
    assert found == alike(handed_in)
    assert alike(handed_in, given=source) == []


def test_no_cell_is_a_formula() -> None:
    text = alike_csv([Pair("=1+1", "@SUM(A1)", (1.0, 0.5), True)], {"=1+1": "-2", "@SUM(A1)": "Li"})
    assert text.splitlines()[1] == "'=1+1,'-2,'@SUM(A1),Li,1.0,0.5,1"


def test_a_short_copy_with_another_comment_is_found() -> None:
    """Too short to be alike by more than chance, were it not word for word."""
    short = "class AIPlayer:\n    def get_move(self, board):\n        return 'D3'\n"
    found = alike({"a": sources(short), "b": sources(f"# mine\n\n{short}"), "c": sources(short.replace("D3", "E6"))})
    assert [(pair.first, pair.second, pair.shared, pair.same) for pair in found] == [("a", "b", (1.0, 1.0), False)]
    assert alike({"a": sources(short), "b": sources(f"# mine\n\n{short}")}, given=short) == []
