"""What `tournament` and `check` do with a folder: a class."""

import sys
import time
from contextlib import redirect_stdout
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import typer

from outflank.board.variant import Variant
from outflank.cli.match import ProgressLine
from outflank.cli.options import tell
from outflank.cli.stopping import goes_on_from
from outflank.cli.tournament import conditions_of, plan_of, play
from outflank.errors import Fault
from outflank.search.limits import Limit

if TYPE_CHECKING:
    from outflank.arena.classroom.advice import Advice
    from outflank.arena.classroom.course import Classroom
    from outflank.arena.classroom.gradebook import Grade
    from outflank.arena.contest import Player
    from outflank.arena.report.judge import JudgeSpec
    from outflank.arena.store import Store
    from outflank.arena.tournament import Tournament
    from outflank.arena.usability import Wish
    from outflank.web.classroom import Setting

NEGATIVE = 1
REPORT, GRADEBOOK, ALIKE, STUDENTS = "report.html", "gradebook.csv", "alike.csv", "students"
HISTORY = "history.csv"


def check_class(
    folder: Path, variant: Variant, limit: Limit, boards: str, engine: bool, jobs: int | None, json: bool
) -> None:
    """Checks every submission of a class, and leaves nothing behind."""
    from outflank.arena.classroom.course import Classroom
    from outflank.arena.classroom.gradebook import grades
    from outflank.arena.store import Store
    from outflank.arena.usability import boards_named

    wish = boards_named(boards, variant)
    with TemporaryDirectory(prefix="outflank-class-") as place, Store() as store:
        room = Classroom.opened(folder, Path(place), engine)
        with ProgressLine() as line:
            _check(room, variant, limit, wish, store, jobs, line)
        graded = grades(room, None)
    tell(json, lambda: _check_data(room, graded), lambda: _check_text(room, graded, folder))
    if any(grade.left_out for grade in graded):
        raise typer.Exit(NEGATIVE)


def play_class(
    folder: Path,
    others: list[str],
    settings: dict[str, Any],
    jobs: int | None,
    on: str,
    store: str,
    out: str,
    values: str,
    given: str,
    boards: str,
    engine: bool,
    json: bool,
) -> None:
    """Checks a class, plays its tournament and writes everything that comes of it. Killed at any moment, the same
    command goes on."""
    from outflank.arena.classroom.course import STORE, Classroom
    from outflank.arena.classroom.gradebook import grades
    from outflank.arena.contest import Player
    from outflank.arena.report.judge import JudgeSpec
    from outflank.arena.store import Store
    from outflank.arena.tournament import Tournament
    from outflank.arena.usability import boards_named
    from outflank.work.places import workers_named

    # What is wrong is said before anything is checked, when nobody knows yet who will play.
    JudgeSpec.named(values)
    plan_of((Player("one"), Player("another")), settings | {"anchor": None})
    text_given = Path(given).expanduser().read_bytes().decode("utf-8", "replace") if given else ""
    here = folder.resolve()
    results = Path(out).expanduser().resolve() if out else here.with_name(f"{here.name}-results")
    if results.is_relative_to(here):
        raise Fault("class.out", path=results)
    conditions, openings = conditions_of(settings)
    wish = boards_named(boards, conditions.variant)
    companions = _companions(others)
    path = Path(store).expanduser().resolve() if store else results / STORE
    room = Classroom.opened(folder, results, engine)
    with (
        Store(path) as kept,
        room.inside(),
        goes_on_from(path, "checked and played"),
        ProgressLine() as line,
        redirect_stdout(sys.stderr),  # what players print is no part of what we say
    ):
        _check(room, conditions.variant, conditions.limit, wish, kept, jobs, line)
        for note in _notes(room):
            sys.stderr.write(f"{note}\n")
        players = _players(room, companions, settings)
        played = None
        if len(players) > 1:
            played = Tournament(plan_of(players, settings), conditions, openings, kept)
            with workers_named(on, jobs) as workers:
                play(played, workers, line)
        graded = grades(room, None if played is None else played.standings())
        if played is not None:
            graded = _with_history(graded)
        written = _write(room, played, graded, kept, values, text_given, jobs, line)
    tell(json, lambda: _class_data(room, played, graded, results), lambda: _class_text(room, played, graded, written))
    if played is None:
        raise typer.Exit(NEGATIVE)


def _companions(others: list[str]) -> "tuple[Player, ...]":
    """Who plays with the class and is not of it. The class plays in its results: so files get their whole paths."""
    from dataclasses import replace

    from outflank.agents.spec import parse
    from outflank.arena.contest import Player, files_named

    found = []
    for text in others:
        spec = parse(text)
        places = {name: str(Path(name).expanduser().resolve()) for name in files_named(spec)}

        def whole(value: Any, places: dict[str, str] = places) -> Any:
            name = next((one for one in places if value == one or str(value).startswith(f"{one}:")), None)
            return value if name is None else places[name] + value.removeprefix(name)

        options = tuple((key, whole(value)) for key, value in spec.options)
        found.append(Player.named(str(replace(spec, target=whole(spec.target), options=options))))
    return tuple(found)


def _players(room: "Classroom", companions: "tuple[Player, ...]", settings: dict[str, Any]) -> "tuple[Player, ...]":
    from outflank.arena.classroom.course import with_the_five

    if settings.get("format") == "ladder":
        return with_the_five(room.playing, companions)
    return (*room.playing, *companions) if room.playing else ()


def _check(
    room: "Classroom",
    variant: Variant,
    limit: Limit,
    wish: "Wish",
    store: "Store",
    jobs: int | None,
    line: ProgressLine,
) -> None:
    from outflank.arena.classroom.checks import checked
    from outflank.work.places import workers_named

    def show(done: int, left: int) -> None:
        line.show(lambda: f"{done} of {done + left} submissions checked", done, left)

    with room.inside(), workers_named(jobs=jobs) as workers:
        room.checks = checked(room.players.values(), variant, limit, store, workers, wish, show)


# What is written


def _with_history(graded: "list[Grade]") -> "list[Grade]":
    """The grades with how each student stood before; what is new of it is written."""
    from dataclasses import replace

    from outflank.arena.classroom import history
    from outflank.formats.disk import write_bytes

    file = Path(HISTORY)
    lines = history.continued(history.read(file.read_text()) if file.exists() else [], graded, time.time())
    write_bytes(HISTORY, history.written(lines).encode())
    return [replace(grade, history=history.of_student(lines, grade.student.id)) for grade in graded]


def _write(
    room: "Classroom",
    played: "Tournament | None",
    graded: "list[Grade]",
    store: "Store",
    values: str,
    given: str,
    jobs: int | None,
    line: ProgressLine,
) -> list[str]:
    """Writes the results, each file all or not at all; what there is to say about them."""
    from outflank.agents.bundle import gathered
    from outflank.arena.classroom.alike import Sources, alike, alike_csv, can_compare
    from outflank.arena.classroom.gradebook import gradebook
    from outflank.formats.disk import write_bytes

    pages = _write_pages(room, played, graded, store, values, jobs, line)
    copies = {one.id: one.copy for one in room.roll.students if one.copy is not None}
    pairs = alike({id: Sources.of(gathered(copy.path)) for id, copy in copies.items()}, given)
    names = {one.id: one.name for one in room.roll.students}
    write_bytes(ALIKE, alike_csv(pairs, names).encode())
    write_bytes(GRADEBOOK, gradebook(graded).encode())
    missing = [] if can_compare() else [str(Fault("class.no-copydetect"))]
    lines = [f"{GRADEBOOK}: {len(graded)} students", *pages]
    if any(len(grade.history) > 1 for grade in graded):
        lines.append(f"{HISTORY}: the rank of every student, version by version")
    many = "1 pair" if len(pairs) == 1 else f"{len(pairs)} pairs"
    return [*lines, f"{ALIKE}: {many} of submissions that look alike", *missing]


def _write_pages(
    room: "Classroom",
    played: "Tournament | None",
    graded: "list[Grade]",
    store: "Store",
    values: str,
    jobs: int | None,
    line: ProgressLine,
) -> list[str]:
    """The report, and a page for each student."""
    from outflank.arena.contest import limit_data
    from outflank.arena.report.judge import JudgeSpec
    from outflank.web.classroom import Setting

    judge = JudgeSpec.named(values)
    # To a student the others are nobody but their ranks.
    ranks = {room.players[one.student.id].spec: one.rank for one in graded if one.rank is not None}
    told: dict[Player, Advice] = {}
    said = []
    title, limits, course = "Class", "", False
    if played is not None:
        summary, told = _write_report(room, store, judge, jobs, line)
        said.append(f"{REPORT}: all {summary['games']} games to replay; open it in a browser")
        title, course = summary["title"], played.plan.course
        limits = ", ".join(
            f"{value} s a move" if name == "time" else f"{name} {value}"
            for name, value in limit_data(played.conditions.limit).items()
        )
    setting = Setting(
        title,
        "" if played is None else played.conditions.variant.name,
        limits,
        course,
        sum(grade.rank is not None for grade in graded),
        "" if judge is None else judge.spec,
        lambda player: f"the student at rank {ranks[player.spec]}" if player.spec in ranks else player.spec,
    )
    _write_students(room, graded, told, setting)
    return [*said, f"{STUDENTS}/: a page for each of {len(graded)} students, showing only that student's games"]


def _write_report(
    room: "Classroom", store: "Store", judge: "JudgeSpec | None", jobs: int | None, line: ProgressLine
) -> "tuple[dict[str, Any], dict[Player, Advice]]":
    """The report; what it says of the tournament, and what there is to say to each player."""
    from outflank.arena.classroom.advice import advice
    from outflank.arena.report.data import contents, counted_games
    from outflank.arena.report.judge import judged_games
    from outflank.web.report import write_page
    from outflank.work.places import cores

    def show(done: int, left: int) -> None:
        line.show(lambda: f"values of {done} of {done + left} games", done, left)

    event, labels = store.event(), room.labels
    page = contents(store, event, judge, jobs or cores(), show)
    for row in page.summary["players"]:
        row["player"] = labels.get(row["player"], row["player"])
    page.summary["anchor"] = labels.get(page.summary["anchor"], page.summary["anchor"])
    write_page(page, Path(REPORT))
    games = counted_games(store, event)
    return page.summary, advice(games, {} if judge is None else judged_games(store, event.contest, judge, games))


def _write_students(room: "Classroom", graded: "list[Grade]", told: "dict[Player, Advice]", setting: "Setting") -> None:
    """A page for each student; those of earlier students go."""
    from outflank.arena.classroom.advice import Advice
    from outflank.arena.classroom.roll import slug
    from outflank.formats.disk import write_bytes
    from outflank.web.classroom import student_page

    Path(STUDENTS).mkdir(exist_ok=True)
    names: dict[str, str] = {}
    for grade in graded:
        name = slug(grade.student.id)
        while name.lower() in names:
            name += "_"
        names[name.lower()] = f"{name}.html"
        player = room.players.get(grade.student.id)
        own = told.get(player, Advice()) if player is not None else Advice()
        write_bytes(f"{STUDENTS}/{name}.html", student_page(grade, own, setting).encode(), lasting=False)
    for page_of_before in Path(STUDENTS).glob("*.html"):
        if page_of_before.name not in names.values():
            page_of_before.unlink()


# What is said


def _notes(room: "Classroom") -> list[str]:
    """What is odd about the folder, and who does not play."""
    out = [(one, room.left_out(one)) for one in room.roll.students]
    return [*room.roll.notes, *_engine_notes(room), *(f"{one.label} does not play: {why}" for one, why in out if why)]


def _engine_notes(room: "Classroom") -> list[str]:
    """Who uses Outflank's engine."""
    checks = [(one, room.checks.get(room.players[one.id])) for one in room.roll.students if one.id in room.players]
    return [f"{one.label} uses Outflank's engine: {check.engine}" for one, check in checks if check and check.engine]


def _check_data(room: "Classroom", graded: "list[Grade]") -> dict[str, Any]:
    wanted = ("id", "name", "check", "check_result", "left_out", "file")
    rows = [{key: value for key, value in grade.to_dict().items() if key in wanted} for grade in graded]
    for row, grade in zip(rows, graded, strict=True):
        row["interface"] = None if grade.check is None else grade.check.interface
        row["problems"] = [] if grade.check is None else [problem for _, problem in grade.check.problems]
    return {"students": rows, "notes": [*room.roll.notes, *_engine_notes(room)]}


def _check_text(room: "Classroom", graded: "list[Grade]", folder: Path) -> str:
    from outflank.arena.text import aligned

    rows = [["check", "", "student", "result"]]
    for grade in graded:
        check = grade.check
        result = grade.student.problem if check is None else check.summary
        kind = "" if check is None else check.interface or ""
        rows.append(["-" if check is None else f"{check.score}", kind, grade.student.label, result])
    able = sum(not grade.left_out for grade in graded)
    parts = [f"{folder}: {able} of {len(graded)} can play", aligned(rows)]
    notes = [*room.roll.notes, *_engine_notes(room)]
    if notes:
        parts.append("\n".join(notes))
    with_player = [grade for grade in graded if grade.check is not None and grade.check.interface]
    if len(with_player) == 1 and len(graded) > 1:
        parts.append(f"Is this one player with its helper modules? outflank check py:{folder}")
    return "\n\n".join(parts)


def _class_data(room: "Classroom", played: "Tournament | None", graded: "list[Grade]", results: Path) -> dict[str, Any]:
    from outflank.arena.classroom.course import with_labels

    table = {} if played is None else with_labels(played.standings(), room.labels).to_dict()
    students = [grade.to_dict() for grade in graded]
    return {**table, "students": students, "notes": list(room.roll.notes), "results": str(results)}


def _class_text(room: "Classroom", played: "Tournament | None", graded: "list[Grade]", written: list[str]) -> str:
    from outflank.arena.classroom.course import with_labels
    from outflank.arena.text import standings_text

    said = [f"{room.results}:", *(f"  {line}" for line in written)]
    if played is None:
        return "\n".join(["fewer than two can play: nothing was played", "", *said])
    left_out = sum(bool(grade.left_out) for grade in graded)
    out = [f"{left_out} of {len(graded)} students do not play: the gradebook says why", ""] if left_out else []
    return "\n".join([standings_text(with_labels(played.standings(), room.labels)), "", *out, *said])
