"""Every error that a visitor of the page can meet is there in every language of the page.

The server says its errors in English; a language translates them by their texts, with names in braces for what is
filled in. Here they are collected from the source of the rooms that a page's requests reach.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOM = Path(__file__).resolve().parent.parent / "src" / "outflank"
PAGE = ROOM / "web" / "page"
SPOKEN = (
    *sorted((ROOM / "web").glob("*.py")),
    *(ROOM / "board" / f"{name}.py" for name in ("game", "position", "squares", "variant")),
    *(
        ROOM / "formats" / f"{name}.py"
        for name in ("boards", "detect", "gam", "ggf", "obf", "pictures", "properties", "reading", "results", "sgf")
    ),
    *(ROOM / "formats" / f"{name}.py" for name in ("table", "transcript", "writing", "wthor")),
    *sorted((ROOM / "search" / "teaching").glob("*.py")),
    ROOM / "agents" / "options.py",
    ROOM / "heuristics" / "weighted.py",
    ROOM / "library" / "games.py",
)
UNHEARD = {
    "its {} is a database of something else": "before the server runs",
    "its {} was written by a newer Outflank": "before the server runs",
    "{} cannot keep games ({}): name another folder with --state": "before the server runs",
    "{} cannot name what you add: use letters, digits, - and _ (NAME=SPEC)": "before the server runs",
    "there is an agent {} already: add yours as ANOTHER_NAME={}": "before the server runs",
    "there is a heuristic {} already: name yours otherwise": "before the server runs",
    "{}: there is no such file; outflank games build makes a library": "before the server runs",
    "{} was made by Outflank {} in another form: build it again": "before the server runs",
    "{} is no library of games; outflank games build makes one": "before the server runs",
    "a board was refused: {}": "the crowd's own",
    "the server did not start": "the crowd's own",
    "a game was lost": "the crowd's own",
    "WTHOR holds at most 65,535 {}s, not {}": "the page writes no WTHOR",
    "the {} {}: WTHOR holds names of at most {} Latin-1 characters": "the page writes no WTHOR",
    "game {} has the stated result {}: WTHOR holds even ones": "the page writes no WTHOR",
    "game {} has the theoretical score {}: WTHOR holds even ones": "the page writes no WTHOR",
}
"""What no visitor is told, and why."""
NO_WORDS = re.compile(r"[^A-Za-z]*")


def template(node: ast.expr) -> str | None:
    """A text of the source with {} for what is filled in."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values)
    return None


REASONS = ("_refused", "_refusal", "_why_illegal", "_what_is_wrong")
"""Functions that answer with an error, or with a part of one."""


def said(tree: ast.Module) -> Iterator[ast.expr]:
    """What is raised, what is given as an error, and why a connection is refused or closed."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
            yield from (each for one in node.exc.args for each in _either(one))
        elif isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "fault":
            yield from _either(node.value)
        elif isinstance(node, ast.Dict):
            yield from (value for key, value in zip(node.keys, node.values, strict=True) if _is(key, "error"))
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith((".close", "_problem", ".failed")):
            yield from node.args
        elif isinstance(node, ast.FunctionDef) and node.name in REASONS:
            for answer in ast.walk(node):
                if isinstance(answer, ast.Return) and answer.value is not None:
                    yield from answer.value.elts if isinstance(answer.value, ast.Tuple) else _either(answer.value)


def _either(node: ast.expr) -> list[ast.expr]:
    """Both of `one if … else other`."""
    return [*_either(node.body), *_either(node.orelse)] if isinstance(node, ast.IfExp) else [node]


def _is(node: ast.expr | None, text: str) -> bool:
    return isinstance(node, ast.Constant) and node.value == text


def errors() -> dict[str, str]:
    """Every error by its text, and where it stands."""
    found = {}
    for file in SPOKEN:
        for node in said(ast.parse(file.read_text())):
            text = template(node)
            if text and " " in text and not NO_WORDS.fullmatch(text.replace("{}", "")):
                found[" ".join(text.split())] = file.name
    return found


def words(language: str) -> set[str]:
    """What a language knows, with {} for what is filled in."""
    texts = (PAGE / f"{kind}.{language}.js" for kind in ("words", "errors"))
    keys = (key for text in texts for key in re.findall(r'^  "((?:[^"\\]|\\.)*)":', text.read_text(), re.MULTILINE))
    return {re.sub(r"\{\w+\}", "{}", key) for key in keys}


def test_the_errors_are_found() -> None:
    found = errors()
    for text in (
        "there is no such board",
        "nobody is thinking",
        "GGF, game {}, {}",
        "too many messages: wait a moment",
    ):
        assert text in found
    for text in ("too many requests: wait a moment", "the analysis failed", "{} would turn no disc there"):
        assert text in found
    assert len(found) > 120
    assert set(UNHEARD) <= set(found), "this is not said any more"


@pytest.mark.parametrize("language", sorted(file.name.split(".")[1] for file in PAGE.glob("errors.*.js")))
def test_every_error_is_translated(language: str) -> None:
    known = words(language)
    missing = {text: where for text, where in errors().items() if text not in known and text not in UNHEARD}
    assert not missing, missing


def test_every_language_but_english_has_errors() -> None:
    languages = {file.name.split(".")[1] for file in PAGE.glob("texts.*.js")}
    assert {file.name.split(".")[1] for file in PAGE.glob("errors.*.js")} == languages - {"en"} != set()
