"""Errors have codes: every code has a text in every language, and every language the same parameters."""

import ast
import json
import pickle
from collections.abc import Iterator
from pathlib import Path
from string import Formatter

import pytest

from outflank.agents.spec import parse
from outflank.board.game import Game
from outflank.errors import Fault, messages
from outflank.formats import detect
from outflank.web.faults import reason, told, wrong_form

ROOM = Path(__file__).resolve().parent.parent / "src" / "outflank"
LANGUAGES = sorted(file.stem for file in (ROOM / "messages").glob("*.json"))
SOURCES = {str(file.relative_to(ROOM)): ast.parse(file.read_text()) for file in sorted(ROOM.rglob("*.py"))}
NO_CODES = ("protocols/gtp.py", "protocols/nboard.py", "studies/")
"""Words that a protocol fixes, for programs; studies, written as a user writes."""


def faults(tree: ast.Module) -> Iterator[ast.Call]:
    """Every error that is made by its code."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in FAMILY:
            yield node


def texts(node: ast.expr) -> list[ast.Constant]:
    """The texts that an argument may be: `"one" if … else "other"` has two."""
    if isinstance(node, ast.IfExp):
        return [*texts(node.body), *texts(node.orelse)]
    return [node] if isinstance(node, ast.Constant) and isinstance(node.value, str) else []


def parameters(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


FAMILY = {"Fault"} | {
    node.name
    for tree in SOURCES.values()
    for node in ast.walk(tree)
    if isinstance(node, ast.ClassDef) and any(ast.unparse(base) == "Fault" for base in node.bases)
}
MADE = [
    (str(code.value), {each.arg for each in call.keywords}, f"{where}:{call.lineno}")
    for where, tree in SOURCES.items()
    for call in faults(tree)
    if call.args
    for code in texts(call.args[0])
]


def test_the_errors_are_found() -> None:
    assert {"Fault", "BusyError", "NotFoundError"} <= FAMILY
    assert len(MADE) > 400
    assert {"move.illegal", "web.no-board", "web.busy"} <= {code for code, _, _ in MADE}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_code_has_a_text_with_its_parameters(language: str) -> None:
    known = messages(language)
    assert {where: code for code, _, where in MADE if code not in known} == {}
    wrong = {
        where: (code, given, known[code])
        for code, given, where in MADE
        if None not in given and given != parameters(known[code])  # ** hides the names
    }
    assert wrong == {}


def test_every_text_is_used() -> None:
    said = {
        node.value
        for tree in SOURCES.values()
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    assert [code for code in messages("en") if code not in said] == []


def test_the_languages_have_the_same_codes_and_parameters() -> None:
    assert LANGUAGES == ["en", "zh"]
    english, chinese = messages("en"), messages("zh")
    assert english.keys() == chinese.keys()
    assert [code for code in english if parameters(english[code]) != parameters(chinese[code])] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_texts_are_in_order(language: str) -> None:
    """Whoever adds one finds its place."""
    written = list(json.loads((ROOM / "messages" / f"{language}.json").read_text()))
    assert written == sorted(written)


def test_no_room_raises_an_error_without_a_code() -> None:
    bare = [
        f"{where}:{node.lineno}"
        for where, tree in SOURCES.items()
        if not where.startswith(NO_CODES)
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and ast.unparse(node.func) in ("ValueError", "HTTPException")
        for argument in node.args
        if texts(argument) or isinstance(argument, ast.JoinedStr)
    ]
    assert bare == []


def test_an_error_is_its_english_and_a_value_error() -> None:
    with pytest.raises(ValueError, match=r"^move 2: a1 is not legal: White would turn no disc there$") as caught:
        Game.from_transcript("f5a1")
    assert isinstance(caught.value, Fault) and caught.value.code == "at.move"
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def test_the_page_is_told_codes_all_the_way_down() -> None:
    with pytest.raises(Fault) as caught:
        Game.from_transcript("f5a1")
    side = {"code": "side.white", "params": {}}
    illegal = {"square": "a1", "why": {"code": "move.turns-nothing", "params": {"color": side}}}
    assert told(caught.value) == {
        "error": "move 2: a1 is not legal: White would turn no disc there",
        "fault": {"code": "at.move", "params": {"number": "2", "why": {"code": "move.illegal", "params": illegal}}},
    }


def test_parameters_are_shown_as_in_the_english_text() -> None:
    with pytest.raises(Fault) as caught:
        detect.detect("hello world")
    assert told(caught.value)["fault"] == {"code": "paste.unknown", "params": {"text": "'hello world'"}}
    with pytest.raises(Fault) as caught:
        parse("minimax:depth=0")
    wanted = {"what": {"code": "wants.int", "params": {}}, "least": "1"}
    reason = {"option": "depth", "wanted": {"code": "wants.at-least", "params": wanted}, "text": "'0'"}
    assert told(caught.value)["fault"]["params"]["why"]["params"] == reason


def test_a_reason_of_somebody_else_is_a_text() -> None:
    wrong = Fault("at.line", line=3, why=KeyError("gone"))
    assert told(wrong)["fault"] == {"code": "at.line", "params": {"line": "3", "why": "'gone'"}}
    assert told(OSError("no\nspace /home/me/a.txt")) == {"error": "no space a.txt", "fault": None}


def test_a_form_is_told_by_code() -> None:
    wrong = wrong_form([{"type": "less_than_equal", "loc": ("body", "level"), "msg": "…", "ctx": {"le": 30.0}}])
    assert str(wrong) == "level: Input should be less than or equal to 30"
    assert str(wrong_form([{"type": "odd", "loc": ("body",), "msg": "it is odd"}])) == "it is odd"


@pytest.mark.parametrize("code", ["web.own-boards", "web.all-boards", "web.not-read"])
def test_a_closed_connection_has_room_for_its_reason(code: str) -> None:
    assert len(reason(Fault(code)).encode()) <= 123
