"""The analysis protocol: `outflank analysis` as other people's tools use it, in a process of its own."""

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from random import Random
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import outflank
from outflank import Game, Position, Variant
from outflank.board.squares import PASS, square_name
from outflank.board.variant import OTHELLO
from outflank.errors import Fault
from outflank.protocols import analysis as analysis_module
from outflank.protocols.analysis import AnalysisEngine
from outflank.protocols.faults import told
from outflank.protocols.queries import Query, Wrong, positions, read

ENDING = "--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO-- X"
COMMAND = [sys.executable, "-m", "outflank", "analysis", "--hash", "8"]
PATIENCE = 300
"""Seconds: all that a busy machine may take to end it."""
ENDLESS = {"depth": 60}
"""From the start no search gets there."""


class Talk:
    """A running `outflank analysis`."""

    def __init__(self, *options: str) -> None:
        self.process = subprocess.Popen(
            [*COMMAND, *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )

    def send(self, *queries: dict[str, Any] | str | bytes) -> None:
        assert self.process.stdin is not None
        for query in queries:
            text = json.dumps(query) if isinstance(query, dict) else query
            self.process.stdin.write((text.encode() if isinstance(text, str) else text) + b"\n")
        self.process.stdin.flush()

    def answer(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line, "it has ended"
        found: dict[str, Any] = json.loads(line)
        return found

    def until(self, identity: object) -> dict[str, Any]:
        """The next whole answer to a query."""
        while True:
            found = self.answer()
            if found["id"] == identity and found.get("done", True):
                return found

    def end(self) -> list[dict[str, Any]]:
        """Ends the input; what is still answered."""
        assert self.process.stdin is not None and self.process.stdout is not None and self.process.stderr is not None
        self.process.stdin.close()
        rest, errors = self.process.stdout.read(), self.process.stderr.read()
        assert (self.process.wait(PATIENCE), errors) == (0, b"")
        return [json.loads(line) for line in rest.splitlines()]


@contextmanager
def talk(*options: str) -> Iterator[Talk]:
    found = Talk(*options)
    try:
        yield found
    finally:
        found.process.kill()
        found.process.wait()


def asked(*queries: dict[str, Any] | str | bytes, options: tuple[str, ...] = ()) -> dict[object, dict[str, Any]]:
    """The answers to queries, by their ids, or by id and turn where one has several."""
    with talk(*options) as session:
        session.send(*queries)
        found = session.end()
    several = [query["id"] for query in queries if isinstance(query, dict) and "turns" in query]
    return {(one["id"], one.get("turn")) if one["id"] in several else one["id"]: one for one in found}


def test_a_query_says_what_analyze_says() -> None:
    transcripts = ["f5", "f5d6c3", "f5f6e6f4e3"]
    found = asked(*({"id": text, "moves": text, "depth": 6} for text in transcripts))
    for text in transcripts:
        position = Game.from_transcript(text).position
        wanted = outflank.analyze(position, depth=6)
        assert wanted.best is not None
        answer = found[text]
        assert answer["moves"] == [hint.data() for hint in wanted.hints]
        assert (answer["move"], answer["score"]) == (square_name(wanted.best.move), wanted.score)
        assert (answer["position"], answer["turn"], answer["side"]) == (position.text, len(text) // 2, "white")
        assert answer["done"] and not answer["stopped"] and answer["nodes"] > 0


def test_turns_are_positions_of_the_game_and_each_has_an_answer() -> None:
    query = {"id": 1, "moves": ["f5", "d6", "c3"], "turns": [0, 3, 1], "depth": 2, "top": 1}
    found = asked(query, {**query, "id": 2, "turns": [4]})
    assert {turn: found[1, turn]["position"] for turn in (0, 1, 3)} == {
        turn: Game.from_transcript("f5d6c3"[: 2 * turn]).position.text for turn in (0, 1, 3)
    }
    assert all(len(found[1, turn]["moves"]) == 1 for turn in (0, 1, 3))
    assert found[2, None]["error"] == "there is no turn 4: the game has turns 0 to 3"


def test_a_limit_that_a_proof_does_not_take_is_told() -> None:
    queries = [
        {"id": f"{want} {field}", "start": ENDING, "want": want, field: 4}
        for want in ("exact", "winner")
        for field in ("depth", "nodes", "level")
    ]
    found = asked(*queries)
    assert found["winner nodes"]["error"].startswith("nodes does not apply to `winner`, which searches to the end")
    assert {one["fault"]["code"] for one in found.values()} == {"analysis.no-limit"}


def test_what_is_proven_is_exact() -> None:
    found = asked(*({"id": want, "start": ENDING, "want": want} for want in ("exact", "winner", "best")))
    exact = outflank.solve(ENDING)
    assert (found["exact"]["score"], found["exact"]["exact"], found["exact"]["depth"]) == (18.0, True, 14)
    assert found["exact"]["pv"] == [square_name(move) for move in exact.pv]
    assert (found["winner"]["score"], found["winner"]["exact"]) == (1.0, True)
    assert (found["best"]["score"], found["best"]["exact"]) == (18.0, True)
    assert "moves" not in found["best"]


def must_pass() -> Position:
    dice = Random(3)
    while True:
        position = Position.start(Variant.named("4x4"))
        while not position.is_over and not position.must_pass:
            position = position.play(dice.choice(position.legal_moves))
        if position.must_pass:
            return position


def test_forced_passes_are_played_and_ended_games_have_a_result() -> None:
    position = must_pass()
    over = Position.from_text("X" * 16, Variant.named("4x4"))
    kinds = ("moves", "best", "exact")
    limits: dict[str, dict[str, Any]] = {"exact": {}}
    queries = [{"id": want, "start": position.text, "want": want, **limits.get(want, {"depth": 12})} for want in kinds]
    ended = [{"id": f"over {want}", "start": over.text, "want": want} for want in (*kinds, "winner")]
    found = asked(*queries, *ended, options=("--variant", "4x4"))
    score = outflank.solve(position).score
    assert score is not None
    for want in kinds:
        assert (found[want]["position"], found[want]["score"]) == (position.play(PASS).text, -score)
        assert (found[f"over {want}"]["move"], found[f"over {want}"]["score"]) == (None, 16.0)
        assert found[f"over {want}"]["exact"] is True
    assert (found["over winner"]["score"], found["over winner"]["exact"]) == (1.0, True)


def test_answers_come_as_they_are_ready_and_a_query_can_be_ended() -> None:
    with talk("--jobs", "2") as session:
        session.send({"id": "long", **ENDLESS}, {"id": "short", "depth": 2})
        assert session.answer()["id"] == "short"
        session.send({"id": "end", "action": "terminate", "target": "long"})
        last = [session.answer(), session.answer()]
        by_id = {one["id"]: one for one in last}
        assert by_id["end"] == {"id": "end", "action": "terminate", "target": "long", "count": 1}
        assert by_id["long"]["stopped"] and by_id["long"]["done"] and by_id["long"]["depth"] < 60
        session.send({"id": "end", "action": "terminate", "target": "long"})
        assert session.answer()["count"] == 0, "it has ended"
        session.send({"id": "long", "depth": 2})
        assert session.until("long")["depth"] == 2, "the id is free again"
        assert session.end() == []


def test_the_highest_priority_goes_first_and_of_equals_the_first() -> None:
    with talk("--jobs", "1") as session:
        session.send({"id": "first", **ENDLESS, "every": 0})
        session.answer()  # it has begun
        session.send(*({"id": str(number), "depth": 1, "priority": number % 3} for number in range(9)))
        session.send({"id": "end", "action": "terminate", "target": "first"})
        session.until("first")
        order = [one["id"] for one in session.end() if one["id"] != "end"]
    assert order == ["2", "5", "8", "1", "4", "7", "0", "3", "6"]


def test_all_can_be_ended_at_once() -> None:
    with talk("--jobs", "1") as session:
        session.send(*({"id": number, **ENDLESS} for number in range(5)), {"id": "x", "action": "terminate_all"})
        found = session.end()
    assert {one["id"] for one in found} == {*range(5), "x"}
    assert all(one["stopped"] for one in found if one["id"] != "x")
    assert next(one["count"] for one in found if one["id"] == "x") == 5
    shapes = {frozenset(one) for one in found if one["id"] != "x"}
    assert len(shapes) == 1 and {"moves", "pv", "nodes"} <= shapes.pop(), "whether it had begun or not"


@pytest.mark.parametrize("want", ["moves", "best", "exact"])
def test_partial_answers_come_while_it_thinks(want: str) -> None:
    with talk("--jobs", "1") as session:
        session.send({"id": 7, "want": want, "every": 0, **({} if want == "exact" else ENDLESS)})
        depths: list[int] = []
        while len(depths) < 4:
            found = session.answer()
            assert (found["id"], found["done"]) == (7, False)
            depths.append(found["depth"])
        assert depths == sorted(depths)
        session.send({"id": 8, "action": "terminate", "target": 7})
        last = session.until(7)
        assert last["stopped"] and last["depth"] >= depths[-1]


def test_an_answer_does_not_depend_on_what_was_asked_before() -> None:
    query = {"id": "q", "moves": "f5d6c3d3c4", "depth": 9}
    alone = asked(query, options=("--jobs", "1"))["q"]
    before = [{"id": number, "moves": "f5d6c3d3c4f4"[: 2 * number], "depth": 10} for number in range(1, 7)]
    later = asked(*before, query, options=("--jobs", "1"))["q"]
    assert {**alone, "seconds": 0} == {**later, "seconds": 0}


def test_an_id_that_is_taken_is_refused() -> None:
    with talk("--jobs", "1") as session:
        session.send({"id": 1, **ENDLESS}, {"id": 1, "depth": 1}, {"id": "1", "depth": 1})
        assert session.answer()["fault"]["code"] == "analysis.id-taken"
        session.send({"id": 2, "action": "terminate", "target": 1})
        assert {one["id"] for one in session.end()} == {1, 2, "1"}


BAD: list[tuple[str | bytes, int | None, str | None]] = [
    ("hello", None, "analysis.not-an-object"),
    ("[1, 2]", None, "analysis.not-an-object"),
    ("{" * 100_000, None, "analysis.not-an-object"),
    ("[" * 100_000, None, "analysis.not-an-object"),
    (b'\xff\xfe{"id": 1}', None, "analysis.not-an-object"),
    ('{"id": ' + "9" * 10_000 + "}", None, "analysis.not-an-object"),
    ("{}", None, "analysis.id"),
    ('{"id": true}', None, "analysis.id"),
    ('{"id": 1.5}', None, "analysis.id"),
    ('{"id": "' + "x" * 201 + '"}', None, "analysis.id"),
    ('{"id": 1, "moves": "f5a1"}', 1, "at.move"),
    ('{"id": 1, "moves": [5]}', 1, "form.wrong"),
    ('{"id": 1, "start": "XO"}', 1, "board-text.marks"),
    ('{"id": 1, "variant": "9x9"}', 1, None),
    ('{"id": 1, "dpth": 3}', 1, "form.wrong"),
    ('{"id": 1, "depth": 0}', 1, "form.wrong"),
    ('{"id": 1, "depth": 2.5}', 1, "form.wrong"),
    ('{"id": 1, "time": -1}', 1, "form.wrong"),
    ('{"id": 1, "time": NaN}', 1, "form.wrong"),
    ('{"id": 1, "time": 1e300}', 1, "form.wrong"),
    ('{"id": 1, "level": 31}', 1, "form.wrong"),
    ('{"id": 1, "turns": []}', 1, "form.wrong"),
    ('{"id": 1, "turns": [-1]}', 1, "analysis.turn"),
    ('{"id": 1, "want": "tea"}', 1, "form.wrong"),
    ('{"id": 1, "action": "dance"}', 1, "form.wrong"),
    ('{"id": 1, "action": []}', 1, "form.wrong"),
    ('{"id": 1, "action": null}', 1, "form.wrong"),
    ('{"id": 1, "action": "terminate"}', 1, "form.wrong"),
    ('{"id": 1, "action": "terminate", "target": {}}', 1, "analysis.id"),
]


def test_bad_lines_are_answered_and_the_session_goes_on() -> None:
    with talk("--jobs", "1") as session:
        for line, identity, code in BAD:
            session.send(line)
            found = session.answer()
            assert found["id"] == identity, line
            assert found["error"] and "\n" not in found["error"]
            assert code is None or found["fault"]["code"] == code, line
        session.send("", "   ", {"id": "still here", "action": "version"})
        version = session.answer()
        assert (version["id"], version["version"], version["jobs"]) == ("still here", outflank.__version__, 1)
        assert session.end() == []


def test_whatever_is_sent_every_line_has_an_answer() -> None:
    """Halves of queries, letters exchanged: in this process, since a process a line would take too long."""
    dice, lines = Random(4), []
    whole = '{"id": 1, "moves": "f5d6", "turns": [0], "depth": 1, "want": "best", "priority": 3, "every": 0}'
    for _ in range(400):
        letters = list(whole)
        for _ in range(dice.randint(1, 4)):
            letters[dice.randrange(len(letters))] = dice.choice('{}[]",:0159aé\x00 -')
        lines.append("".join(letters)[: dice.randint(1, 2 * len(whole))])
    lines = [line for line in lines if line.strip()]
    reading, writing = os.pipe()
    answers: list[bytes] = []
    engine = AnalysisEngine(reading, answers.append, OTHELLO, 1, 1, 1.0)
    running = threading.Thread(target=engine.run)
    running.start()
    with os.fdopen(writing, "wb") as host:
        host.write("\n".join(lines).encode())
    running.join()
    os.close(reading)
    found = [json.loads(answer) for answer in answers]
    last = [one for one in found if one.get("done", True)]
    assert len(last) == len(lines)
    assert {"error", "move", "done"} <= {key for one in found for key in one}


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters()),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)
PLAUSIBLE = st.sampled_from(
    ["f5", "f5d6", ENDING, "6x6", "reversed", "moves", "best", "terminate", 1, 0.5, -1, [0], ["f5"]]
)
FIELDS = ["variant", "start", "moves", "turns", "want", "time", "depth", "nodes", "level", "top", "every", "priority"]


@given(st.dictionaries(st.sampled_from([*FIELDS, "action", "target", "other"]), PLAUSIBLE | ANYTHING, max_size=4))
@example({"moves": "\ud800"})
def test_any_fields_are_a_query_or_are_refused_in_one_line(fields: dict[str, Any]) -> None:
    line = read(json.dumps({"id": 1, **fields}))
    if isinstance(line, Query):
        try:
            assert positions(line, OTHELLO)
            return
        except Fault as error:
            line = Wrong(line.id, error)
    if isinstance(line, Wrong):
        assert line.id == 1
        said = json.dumps(told(line.why))
        assert "\n" not in said and json.loads(said)["error"]


def test_ctrl_c_ends_it() -> None:
    with talk("--jobs", "2") as session:
        session.send(*({"id": number, "every": 0, **ENDLESS} for number in range(4)))
        session.answer()
        session.process.send_signal(signal.SIGINT)
        _, errors = session.process.communicate(timeout=PATIENCE)
        assert session.process.returncode == 130
        assert errors.strip() == b"stopped"


def test_a_host_that_hears_nothing_any_more_ends_it() -> None:
    with talk("--jobs", "1") as session:
        session.send({"id": 1, "every": 0, **ENDLESS})
        session.answer()
        assert session.process.stdout is not None
        session.process.stdout.close()  # its input stays open
        assert session.process.wait(PATIENCE) == 0


def test_a_host_that_dies_leaves_no_search_behind() -> None:
    """It asks for what never ends, without partial answers, and is gone: nothing is ever written to it again."""
    with talk("--jobs", "1") as session:
        session.send({"id": 1, **ENDLESS}, {"id": 2, "action": "version"})
        assert session.answer()["id"] == 2
        assert session.process.stdin is not None and session.process.stdout is not None
        session.process.stdin.close()
        session.process.stdout.close()
        assert session.process.wait(PATIENCE) == 0


def test_a_host_that_dies_while_its_query_is_read_leaves_no_search_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    reading, writing = os.pipe()
    engine = AnalysisEngine(reading, lambda _: None, Variant.named("6x6"), jobs=1, hash_mb=1.0)

    def slowly(query: Query, variant: Variant) -> dict[int, Position]:
        engine._end(at_once=True)  # as whoever watches the output does
        return positions(query, variant)

    monkeypatch.setattr(analysis_module, "positions", slowly)
    os.write(writing, b'{"id": 1, "want": "exact"}\n')
    thread = threading.Thread(target=engine.run, daemon=True)
    thread.start()
    try:
        thread.join(PATIENCE / 10)
        assert not thread.is_alive()
    finally:
        engine._end(at_once=True)
        os.close(writing)
        thread.join(PATIENCE)
        os.close(reading)
