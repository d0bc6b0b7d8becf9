"""The public interface: whoever writes a document, an example, a player for a class or a study needs nothing else."""

import ast
import importlib
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import outflank

ROOT = Path(__file__).resolve().parent.parent
ROOM = ROOT / "src" / "outflank"
MODULES = (
    "outflank",
    "outflank.charts",
    "outflank.client",
    "outflank.contests",
    "outflank.env",
    "outflank.features",
)
OWN = "outflank.studies"
"""What a study may import besides: the rest of itself."""
BLOCK = re.compile(r"^```(?:python|console|sh)\n(.*?)^```", re.MULTILINE | re.DOTALL)
IMPORT = re.compile(r"from (outflank[\w.]*) import (\([^)]*\)|[\w, ]+)|import (outflank[\w.]*)")
PAGE = (ROOT / "docs" / "python.md").read_text()


def written() -> Iterator[tuple[str, str]]:
    """Where somebody outside reads code, and the code."""
    for path in [*ROOT.glob("README*.md"), *(ROOT / "docs").rglob("*.md")]:
        yield str(path.relative_to(ROOT)), "\n".join(BLOCK.findall(path.read_text()))
    for path in (ROOT / "examples").rglob("*.ipynb"):
        yield path.name, "\n".join("".join(cell["source"]) for cell in json.loads(path.read_text())["cells"])
    for folder in (ROOT / "examples", ROOT / "tests" / "submissions" / "honest", ROOM / "studies"):
        for path in folder.rglob("*.py"):
            yield str(path.relative_to(ROOT)), path.read_text()


def taken(code: str) -> Iterator[tuple[str, str]]:
    """The names that code takes from Outflank, each with the module it is taken from."""
    for module, names, whole in IMPORT.findall(code):
        if whole:
            yield whole, ""
        for name in re.findall(r"\w+(?: as \w+)?", names):
            yield module, name.partition(" as ")[0]


def is_public(module: str, name: str) -> bool:
    """Whether anybody may import this name from this module."""
    if module.startswith(OWN):
        return True
    if module not in MODULES:
        return False
    known = importlib.import_module(module)
    return not name or name == "__version__" or name in public(module) or f"{known.__name__}.{name}" in MODULES


def public(module: str) -> list[str]:
    """The names of a public module."""
    known = importlib.import_module(module)
    if hasattr(known, "__all__"):
        return list(known.__all__)
    tree = ast.parse(Path(str(known.__file__)).read_text())
    shown = [alias.name for one in tree.body if isinstance(one, ast.ImportFrom) for alias in one.names if alias.asname]
    own = [one.name for one in tree.body if isinstance(one, ast.FunctionDef | ast.ClassDef)]
    named = [one.targets[0] for one in tree.body if isinstance(one, ast.Assign)]
    own += [one.id for one in named if isinstance(one, ast.Name) and one.id.islower()]
    return [name for name in own + shown if name[0] != "_" and hasattr(known, name)]


@pytest.mark.parametrize(("where", "code"), [pytest.param(*one, id=one[0]) for one in written()])
def test_only_public_names_are_imported(where: str, code: str) -> None:
    assert [f"{module}: {name}" for module, name in taken(code) if not is_public(module, name)] == []


def test_a_deep_import_is_found() -> None:
    deep = "from outflank.agents.agent import Agent\n>>> from outflank import Game, _HOME\nimport outflank.board.game"
    assert [one for one in taken(deep) if not is_public(*one)] == [
        ("outflank.agents.agent", "Agent"),
        ("outflank", "_HOME"),
        ("outflank.board.game", ""),
    ]


def test_every_public_name_is_there_and_on_the_page() -> None:
    for name in outflank.__all__:
        assert getattr(outflank, name) is not None
        assert re.search(rf"\b{name}\b", PAGE), name
    for module in MODULES:
        assert f"`{module}`" in PAGE
        assert all(hasattr(importlib.import_module(module), name) for name in public(module))


def test_importing_the_package_loads_nothing_else() -> None:
    code = "import sys, outflank; print([name for name in sys.modules if name.startswith(('outflank.', 'numpy'))])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "[]\n"


def test_what_is_not_there_is_said() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        outflank.nothing  # noqa: B018
