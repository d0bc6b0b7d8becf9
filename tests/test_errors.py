"""Errors have codes: every code has a text in every language, and every language the same parameters."""

import ast
import builtins
import json
import pickle
from collections.abc import Iterator
from pathlib import Path
from string import Formatter

import pytest

from outflank.agents.agent import ForfeitError
from outflank.agents.spec import parse
from outflank.board.game import Game
from outflank.errors import Fault, MachineError, OverdueError, messages
from outflank.formats import detect
from outflank.protocols.child import EngineError
from outflank.web.faults import reason, told, wrong_form

ROOM = Path(__file__).resolve().parent.parent / "src" / "outflank"
LANGUAGES = sorted(file.stem for file in (ROOM / "messages").glob("*.json"))
SOURCES = {str(file.relative_to(ROOM)): ast.parse(file.read_text()) for file in sorted(ROOM.rglob("*.py"))}
INSIDE = tuple(f"agents/sandbox/{name}.py" for name in ("guard", "namespaces", "seccomp"))
NO_CODES = ("protocols/gtp.py", "protocols/nboard.py", "studies/", *INSIDE)
"""Words that a protocol fixes, for programs; studies, written as a user writes; what shuts a program in, which loads
hardly anything and tells the system's own words."""
BUILT_IN = {name for name, kind in vars(builtins).items() if isinstance(kind, type) and issubclass(kind, OSError)}


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


def family() -> set[str]:
    """The classes of errors with codes: `Fault`, what inherits from it, and what inherits from that."""
    classes = [node for tree in SOURCES.values() for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    found, before = {"Fault"}, 0
    while len(found) > before:
        before = len(found)
        found |= {one.name for one in classes if found & {ast.unparse(base) for base in one.bases}}
    return found


FAMILY = family()
MADE = [
    (str(code.value), {each.arg for each in call.keywords}, f"{where}:{call.lineno}")
    for where, tree in SOURCES.items()
    for call in faults(tree)
    if call.args
    for code in texts(call.args[0])
]


def test_the_errors_are_found() -> None:
    assert {"Fault", "BusyError", "NotFoundError", "ForfeitError", "LateError", "EngineError", "WireError"} <= FAMILY
    assert len(MADE) > 500
    assert {"move.illegal", "web.no-board", "web.busy", "guest.late", "host.silent"} <= {code for code, _, _ in MADE}


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
        if isinstance(node, ast.Call) and ast.unparse(node.func) in BUILT_IN | {"ValueError", "HTTPException"}
        for argument in node.args
        if texts(argument) or isinstance(argument, ast.JoinedStr)
    ]
    assert bare == []


def test_an_error_is_its_english_and_a_value_error() -> None:
    with pytest.raises(ValueError, match=r"^move 2: a1 is not legal: White would turn no discs there$") as caught:
        Game.from_transcript("f5a1")
    assert isinstance(caught.value, Fault) and caught.value.code == "at.move"
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def test_the_page_is_told_codes_all_the_way_down() -> None:
    with pytest.raises(Fault) as caught:
        Game.from_transcript("f5a1")
    side = {"code": "side.white", "params": {}}
    illegal = {"square": "a1", "why": {"code": "move.turns-nothing", "params": {"color": side}}}
    assert told(caught.value) == {
        "error": "move 2: a1 is not legal: White would turn no discs there",
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


@pytest.mark.parametrize(
    ("error", "kind", "text"),
    [
        (ForfeitError("forfeit.time", why=Fault("guest.late", seconds=5.0)), ValueError, "time: no answer within 5 s"),
        (EngineError("host.ended", code=3), ChildProcessError, "the engine ended with exit code 3"),
        (OverdueError("host.silent", seconds=0.71), TimeoutError, "the engine gave no answer in 0.7 s"),
        (MachineError("store.not-written", path="a.db", why=Fault("disk.full")), OSError, "a.db cannot be written"),
    ],
)
def test_an_error_of_the_system_has_a_code_too(error: Fault, kind: type[Exception], text: str) -> None:
    assert isinstance(error, kind) and str(error).startswith(text)
    again = pickle.loads(pickle.dumps(error))  # as it comes out of another process
    assert (type(again), str(again), told(again)) == (type(error), str(error), told(error))
    assert told(error)["fault"]["code"] == error.code


def test_a_reason_of_somebody_else_is_a_text() -> None:
    wrong = Fault("at.line", line=3, why=KeyError("gone"))
    assert told(wrong)["fault"] == {"code": "at.line", "params": {"line": "3", "why": "'gone'"}}
    assert told(OSError("no\nspace /home/me/a.txt")) == {"error": "no space a.txt", "fault": None}


def test_a_form_is_told_by_code() -> None:
    wrong = wrong_form([{"type": "less_than_equal", "loc": ("body", "level"), "msg": "…", "ctx": {"le": 30.0}}])
    assert str(wrong) == "level must be 30 or less"
    odd = {"type": "odd", "loc": ("body", "level"), "msg": "it is odd"}
    assert str(wrong_form([odd])) == "level cannot be read: it is odd"
    assert str(wrong_form([{**odd, "loc": ("body",)}])) == "the request cannot be read: it is odd"
    tags = {"discriminator": "'kind'", "tag": "no", "expected_tags": "'one', 'other'"}
    wrong = wrong_form([{"type": "union_tag_invalid", "loc": ("body",), "msg": "…", "ctx": tags}])
    assert str(wrong) == "kind must be one of 'one', 'other'"
    cut = {"type": "json_invalid", "loc": ("body", 7), "msg": "…", "ctx": {"error": "Expecting value"}}
    assert str(wrong_form([cut])) == "the request is not JSON: Expecting value"


@pytest.mark.parametrize("code", ["web.own-boards", "web.all-boards", "web.not-read"])
def test_a_closed_connection_has_room_for_its_reason(code: str) -> None:
    assert len(reason(Fault(code)).encode()) <= 123
