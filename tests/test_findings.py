"""The questions of the five documents: every one is answered, from the store alone, and by what was played."""

import json
import math
import re
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from killing import killed_in_a_contest

from outflank import charts
from outflank.agents.spec import parse
from outflank.arena.contest import Conditions, Fixture, Player
from outflank.arena.record import GameRecord, Result
from outflank.arena.referee import Forfeit
from outflank.arena.statistics import Tally
from outflank.arena.store import Store
from outflank.board.game import Game
from outflank.board.squares import Color
from outflank.board.variant import Variant
from outflank.cli.findings import findings
from outflank.search.limits import Limit
from outflank.studies.findings import document
from outflank.studies.findings.catalogue import QUESTIONS, chosen
from outflank.studies.findings.evidence import FEWEST_PAIRS, SECONDS, Evidence, Meeting, Share
from outflank.studies.findings.heuristics import PARTS, PRINTED
from outflank.studies.findings.question import TOO_FEW, Answer, Question
from outflank.studies.findings.searches import DEEPEST, ratio, tree_sizes
from outflank.work.workers import Here

TINY = 2
Winner = Callable[[Color], Color | None]
"""Who wins a game in which the first player has this colour."""


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "outflank", "findings", *arguments], capture_output=True, text=True)


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with everything that a run of two games a meeting leaves; half a minute of two cores."""
    folder = tmp_path_factory.mktemp("findings")
    done = run("--games", str(TINY), "--jobs", "2", "--store", str(folder / "store.db"), "--out", str(folder / "out"))
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == str(folder / "out" / "findings.md")
    return folder


def staged(question: Question, winner: Winner, store: Store) -> Evidence:
    """A store in which every meeting of a question was played often enough, and ended as `winner` says."""
    evidence = Evidence(store, enough_games(question))
    for meeting in question.meetings:
        add(store, evidence, meeting, winner)
    return evidence


def enough_games(question: Question) -> int:
    """So many that no meeting of the question is too short."""
    return math.ceil(2 * FEWEST_PAIRS / min(meeting.share for meeting in question.meetings)) + 1


def add(store: Store, evidence: Evidence, meeting: Meeting, winner: Winner) -> None:
    variant = Variant.named(meeting.variant)
    openings = evidence.openings(meeting.openings, meeting.variant)
    contest = store.contest(Conditions(variant, Limit(), openings.name))
    first, second = Player.named(meeting.first), Player.named(meeting.second)
    finished: list[tuple[Fixture, GameRecord]] = []
    for pair in range(meeting.pairs(evidence.games)):
        for color in Color:
            won = winner(color)
            score = 0 if won is None else 10 if won is Color.BLACK else -10
            fixture = Fixture(first, second, pair, color, variant, openings[0], Limit(), 0)
            finished.append((fixture, GameRecord(Result(won, score), openings[0], "", "[]", "[]", "[]", "[]")))
    store.add(contest, finished)


@pytest.mark.slow
def test_every_question_has_an_answer_from_two_games(tiny: Path) -> None:
    text = (tiny / "out" / "findings.md").read_text()
    with Store(tiny / "store.db") as store:
        evidence = Evidence(store, TINY)
        for question in QUESTIONS.values():
            answer = question.answered(evidence)
            assert answer.sentence[0].isupper()
            assert answer.sentence.endswith(".")
            assert f" | {document.short(answer)} |\n" in text
            assert f"## {question.asks}" in text
            assert not any(map(evidence.missing, question.meetings))
            if answer.plot:
                picture = tiny / "out" / f"findings-{question.name}.svg"
                assert f"({picture.name})" in text
                ElementTree.parse(picture)


def test_the_short_answers_are_a_table_without_intervals() -> None:
    """Each question once, with what came of it; how sure that is stands in its section."""
    text = (Path(__file__).resolve().parents[1] / "docs" / "findings.md").read_text()
    table = text.split("## In short")[1].split("\n## ")[0]
    rows = [line for line in table.splitlines() if line.startswith("| [")]
    assert len(rows) == len(QUESTIONS)
    answer = Answer("the first scores 60.0 % [51.0–68.4] of 200 games.")
    assert document.short(answer) == "The first scores 60.0 % of 200 games."
    assert all(re.search(r"\[[^\]]*\](?!\()", row) is None for row in rows)


@pytest.mark.slow
def test_links_within_the_document_lead_to_its_headings(tiny: Path) -> None:
    text = (tiny / "out" / "findings.md").read_text()
    headings = {
        re.sub(r"[^\w\- ]", "", line[3:].lower()).replace(" ", "-") for line in text.splitlines() if line[:3] == "## "
    }
    links = set(re.findall(r"\]\(#([^)]*)\)", text))
    assert len(links) == len(QUESTIONS)
    assert links <= headings


@pytest.mark.slow
def test_a_second_run_plays_nothing_and_writes_the_same(tiny: Path) -> None:
    before = {path.name: path.read_text() for path in (tiny / "out").iterdir()}
    games = count_games(tiny / "store.db")
    done = run("--games", str(TINY), "--store", str(tiny / "store.db"), "--out", str(tiny / "out"), "--json")
    assert done.returncode == 0, done.stderr
    assert count_games(tiny / "store.db") == games
    assert {path.name: path.read_text() for path in (tiny / "out").iterdir()} == before
    told = json.loads(done.stdout)["questions"]
    assert [one["name"] for one in told] == list(QUESTIONS)
    answers = [document.INTERVAL.sub("", one["answer"]) for one in told]
    assert all(f" | {answer} |\n" in before["findings.md"] for answer in answers)


def count_games(path: Path) -> int:
    database = sqlite3.connect(path)
    (found,) = database.execute("SELECT count(*) FROM games").fetchone()
    database.close()
    return int(found)


def test_the_published_document_has_the_questions_as_they_are_asked() -> None:
    published = (Path(__file__).resolve().parent.parent / "docs" / document.NAME).read_text()
    for question in QUESTIONS.values():
        assert f"\n## {question.asks}\n\n{question.asked} {question.method}\n" in published
        assert f"](#{document._anchor(question.asks)})" in published


class Stopping(Here):
    """Plays so many games, then is interrupted."""

    def __init__(self, games: int) -> None:
        super().__init__()
        self._left = games

    def run(self, tasks: Any, keep: Any = None, stop: Any = None) -> Any:
        def left() -> Any:
            for task in tasks:
                if not self._left:
                    raise KeyboardInterrupt
                self._left -= 1
                yield task

        return super().run(left(), keep, stop)


def test_an_interrupted_run_ends_as_one_that_was_not() -> None:
    question = QUESTIONS["depth"]
    texts = []
    for stops in ((), (3, 1, 7)):
        with Store() as store:
            evidence = Evidence(store, 4)
            for games in stops:
                with Stopping(games) as runner, pytest.raises(KeyboardInterrupt):
                    evidence.play(question.meetings, runner)
            left = sum(map(evidence.missing, question.meetings))
            assert left == 4 * len(question.meetings) - sum(stops)
            with Here() as runner:
                evidence.play(question.meetings, runner)
            texts.append(document.text([question], [question.answered(evidence)], evidence))
    assert texts[0] == texts[1]


def test_a_killed_run_loses_nothing(tmp_path: Path) -> None:
    store = tmp_path / "store.db"
    wanted_games = 14 * len(QUESTIONS["depth"].meetings)
    wanted = ["--only", "depth", "--games", "14", "--jobs", "1", "--store", str(store)]
    code, _ = killed_in_a_contest(1, 0, ["findings", *wanted], tmp_path)
    assert code == -signal.SIGKILL
    kept = count_games(store)
    assert 0 < kept < wanted_games
    assert run(*wanted, "--out", str(tmp_path / "killed")).returncode == 0
    whole = [*wanted[:-1], str(tmp_path / "other.db")]
    assert run(*whole, "--out", str(tmp_path / "whole")).returncode == 0
    assert count_games(store) == count_games(tmp_path / "other.db") == wanted_games
    names = sorted(path.name for path in (tmp_path / "whole").iterdir())
    assert names == ["findings-depth.svg", "findings.md"]
    for name in names:
        assert (tmp_path / "killed" / name).read_text() == (tmp_path / "whole" / name).read_text()


@pytest.mark.parametrize("question", [one for one in QUESTIONS.values() if one.meetings], ids=lambda one: one.name)
def test_answers_follow_from_results(question: Question) -> None:
    by_color = question.name == "first-move"
    ends: list[Winner] = [lambda color: Color.BLACK, lambda color: Color.WHITE]
    if not by_color:
        ends = [lambda color: color, lambda color: color.other]
    answers = []
    for winner in ends:
        with Store() as store:
            answers.append(question.answered(staged(question, winner, store)))
    assert answers[0].sentence != answers[1].sentence
    assert answers[0].tables != answers[1].tables
    assert not any(TOO_FEW in answer.sentence for answer in answers)


@pytest.mark.parametrize(
    ("name", "winning", "losing"),
    [
        ("potential-liberty", "It works", "It does harm"),
        ("equal-time", "Alpha-beta is better", "Monte Carlo is better"),
        ("tree", "The tree is better", "Plain Monte Carlo is better"),
        ("cut", "Cutting is better", "Full simulations are better"),
        ("depth", "It does: ", "It loses to it"),
        ("corner-weight", "Lower is better still", "Too low is bad"),
        ("random", "All beat it in both games", "Not all clearly beat it"),
        ("weights-only", "It is weaker", "It is stronger"),
        # These two have the player asked about in the second place.
        ("combined-static", "The static one is better", "The combined one is better"),
        ("both-have-corners", "it does harm", "it helps"),
    ],
)
def test_the_verdict_is_that_of_the_games(name: str, winning: str, losing: str) -> None:
    outcomes: list[tuple[Winner, str]] = [(lambda color: color, winning), (lambda color: color.other, losing)]
    for winner, said in outcomes:
        with Store() as store:
            answer = QUESTIONS[name].answered(staged(QUESTIONS[name], winner, store))
        assert said.lower() in answer.sentence.lower()


@pytest.mark.parametrize(
    ("name", "said"),
    [("potential-liberty", "no difference"), ("equal-time", "neither"), ("first-move", "neither is clearly ahead")],
)
def test_even_results_decide_nothing(name: str, said: str) -> None:
    with Store() as store:
        answer = QUESTIONS[name].answered(staged(QUESTIONS[name], lambda color: None, store))
    assert said in answer.sentence.lower()


def test_the_simulations_needed_are_the_fewest_that_clearly_win() -> None:
    question = QUESTIONS["simulations"]
    with Store() as store:
        evidence = Evidence(store, enough_games(question))
        for meeting in question.meetings:
            playouts = int(meeting.first.rpartition("=")[2])
            wins = playouts >= (1000 if "phased" in meeting.second else 30) and "dynamic" not in meeting.second
            add(store, evidence, meeting, (lambda color: color) if wins else (lambda color: color.other))
        sentence = question.answer(evidence).sentence
    assert "1,000 for `phased`" in sentence
    assert "30 for `corner-shy`" in sentence
    assert "more than 10,000 for `dynamic`" in sentence


def test_pairs_with_a_forfeit_are_left_out_and_counted() -> None:
    meeting = QUESTIONS["equal-time"].meetings[0]
    with Store() as store:
        evidence = Evidence(store, 40)
        openings = evidence.openings("", "othello")
        variant = Variant.named("othello")
        contest = store.contest(Conditions(variant, Limit(), openings.name))
        players = Player.named(meeting.first), Player.named(meeting.second)
        for color, forfeit in ((Color.BLACK, Forfeit(Color.WHITE, "time")), (Color.WHITE, None)):
            fixture = Fixture(*players, 0, color, variant, openings[0], Limit(), 0)
            result = Result(Color.BLACK, None if forfeit else 10, forfeit)
            store.add(contest, [(fixture, GameRecord(result, openings[0], "", "[]", "[]", "[]", "[]"))])
        outcome = evidence[meeting]
    assert outcome.left_out == 1
    assert outcome.tally.games == 0


def test_a_few_pairs_say_nothing() -> None:
    share = Share.of(Tally([0, 0, 0, 0, 3], 6))
    assert share.value == 100
    assert not share.better
    assert str(Share.of(Tally([0, 0, 0, 0, 1], 2))) == "100.0 % [5.3–100.0]"
    assert Share.of(Tally([0, 0, 10, 0, 20], 50, 0, 10)).better


def test_the_printed_table_has_the_totals_of_its_document() -> None:
    def won(name: str) -> tuple[int, int]:
        pairs = [
            (own, other) if row == name else (other, own)
            for (row, column), (own, other) in PRINTED.items()
            if name in (row, column)
        ]
        return sum(own for own, _ in pairs), sum(other for _, other in pairs)

    assert {name: won(name) for name in PARTS} == {
        "corners": (254, 130),
        "mobility": (204, 158),
        "stability": (199, 157),
        "parity": (83, 295),
    }


def test_minimax_visits_all_and_the_others_fewer() -> None:
    position = Game(Variant.named("othello")).position
    sizes = tree_sizes([position])
    # Positions after 1 to 6 plies, the start's own 1 not counted: 4, 12, 56, 244, 1396, 8200 moves.
    plies = (4, 12, 56, 244, 1396, 8200)
    assert [counts[0] - (sizes["minimax"][0][0] - 4) for counts in sizes["minimax"]] == [
        sum(plies[:depth]) for depth in range(1, DEEPEST + 1)
    ]
    middle = Game.from_transcript("f5d6c3d3c4f4f6f3e6e7d7g6f8f7g5h6").position
    last = {name: by_depth[-1][0] for name, by_depth in tree_sizes([middle]).items()}
    assert last["minimax"] > 10 * last["unsorted alpha-beta"] > 10 * last["alpha-beta sorted by estimate"]


def test_the_ratio_of_tree_sizes_is_a_geometric_mean() -> None:
    found = ratio([100, 400], [10, 10])
    assert found.value == pytest.approx(20)
    assert found.low < 20 < found.high


def test_plots_show_the_values() -> None:
    def dots(picture: str) -> list[float]:
        root = ElementTree.fromstring(picture)
        return [float(dot.attrib["cx"]) for dot in root.iter("{http://www.w3.org/2000/svg}circle")]

    def bars(*values: float) -> list[float]:
        rows = [("x", charts.Point(value, value - 5, value + 5)) for value in values]
        return dots(charts.intervals("t", rows))

    low, half, high = bars(25, 50, 75)
    assert half - low == pytest.approx(high - half, abs=0.2)
    assert low < half
    curve = charts.curves(
        "t", "n", {"a": [(10, charts.Point(30, 20, 40)), (1000, charts.Point(60, 50, 70))]}, powers=True
    )
    assert len(dots(curve)) == 2
    table = charts.cross_table("<&>", ["a", "b"], {("a", "b"): charts.Point(80, 70, 90)})
    assert "80 %" in table
    ElementTree.fromstring(table)


def test_bad_input_is_one_line(tmp_path: Path) -> None:
    done = run("--only", "nothing", "--store", str(tmp_path / "store.db"))
    assert done.returncode == 2
    assert "there is no question 'nothing'" in done.stderr
    assert done.stderr.count("\n") == 1


def test_what_cannot_be_done_is_said_before_anything_is_played(tmp_path: Path) -> None:
    store = str(tmp_path / "store.db")
    with pytest.raises(ValueError, match="1 game or more"):
        findings(store, str(tmp_path), games=0)
    with pytest.raises(ValueError, match="is a file"):
        findings(store, __file__)


def test_only_prints_and_leaves_the_document_alone(tmp_path: Path) -> None:
    wanted = ("--only", "depth", "--games", "2", "--store", str(tmp_path / "store.db"))
    done = subprocess.run(
        [sys.executable, "-m", "outflank", "findings", *wanted], capture_output=True, text=True, cwd=tmp_path
    )
    assert done.stdout.startswith("Does `corner-shy`'s depth 3 beat depth 2?\n")
    assert not (tmp_path / "docs").exists()
    assert [one.name for one in chosen(["depth"])] == ["depth"]


def test_the_ladder_in_equal_time_gives_everybody_the_same_in_both_games() -> None:
    by_depth, in_time = QUESTIONS["ladder"], QUESTIONS["ladder-time"]
    assert len(in_time.meetings) == len(by_depth.meetings) == 20
    for one, same in zip(by_depth.meetings, in_time.meetings, strict=True):
        assert one.variant == same.variant
        for deep, timed in ((one.first, same.first), (one.second, same.second)):
            assert parse(deep).name == parse(timed).name
            assert parse(timed).limit == Limit(time=SECONDS)
    assert in_time.meetings[0].pairs(200) >= FEWEST_PAIRS


def test_a_table_has_a_row_for_each_match_and_its_games_where_they_are_not_the_usual_number(tmp_path: Path) -> None:
    with Store(tmp_path / "store.db") as store:
        for name, counted in (("combined-static", False), ("cut", True)):
            question = QUESTIONS[name]
            table = question.answered(staged(question, lambda own: own, store)).tables[0]
            assert len({row[0] for row in table.rows}) == len(question.meetings) == len(table.rows)
            assert ("games" in table.heading) == counted
