"""What the package imports is declared, and loaded only where it is needed."""

import ast
import re
import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
NAME = re.compile(r"[\w.-]+")


def named(requirements: list[str]) -> set[str]:
    """The packages that requirements name, as an index writes them."""
    return {normal(found[0]) for one in requirements if (found := NAME.match(one))}


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def imported() -> set[str]:
    """The packages of others that the source imports anywhere."""
    found = set()
    for path in (ROOT / "src").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                found |= {one.name.partition(".")[0] for one in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                found.add(node.module.partition(".")[0])
    return found - set(sys.stdlib_module_names) - {"outflank"}


def test_what_is_imported_is_declared_and_nothing_else() -> None:
    owners = packages_distributions()
    used = {normal(owners.get(one, [one])[0]) for one in imported()}
    declared = named(PROJECT["dependencies"])
    extras = PROJECT["optional-dependencies"]
    optional = named([*extras["class"], *extras["cluster"], *extras["rl"]])
    assert used - declared - optional == set()
    assert declared - used == set()


def test_the_lock_pins_all_that_the_tests_install() -> None:
    lock = (ROOT / "constraints.txt").read_text()
    lines = [line for line in lock.splitlines() if line and not line.startswith("#")]
    assert [line for line in lines if not re.fullmatch(r"[\w.-]+==[\w.!+-]+", line)] == []  # no address, no path
    pinned = named(lines)
    assert len(pinned) == len(lines)
    wanted = named([*PROJECT["dependencies"], *PROJECT["optional-dependencies"]["dev"]])
    assert wanted - pinned == {"outflank"}
    assert "constraints.txt" in (ROOT / "Makefile").read_text()


@pytest.mark.parametrize(
    ("module", "not_needed"),
    [
        ("outflank", ["numpy", "typer"]),
        ("outflank.web.app", ["duckdb", "cma", "ray", "rich", "typer", "websockets", "outflank.learning"]),
        ("outflank.library.games", ["duckdb"]),
        ("outflank.learning.methods", ["cma", "ray", "duckdb", "fastapi"]),
        ("outflank.contests", ["ray", "duckdb", "fastapi", "typer", "rich"]),
        ("outflank.charts", ["numpy", "outflank.arena"]),
        ("outflank.client", ["numpy", "httpx", "websockets", "outflank.board", "outflank.web"]),
        ("outflank.env", ["numpy", "numba", "gymnasium", "pettingzoo"]),
        ("outflank.env.batch", ["gymnasium", "pettingzoo", "outflank.agents", "outflank.search"]),
    ],
)
def test_a_room_loads_only_what_it_needs(module: str, not_needed: list[str]) -> None:
    code = f"import sys, {module}; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert module in done.stdout.split()
    assert set(not_needed) & set(done.stdout.split()) == set()


@pytest.mark.parametrize(
    ("words", "not_needed"),
    [
        ([], ["outflank.web"]),
        (["match"], ["outflank.cli.serve", "outflank.cli.bench"]),
        (["games", "build"], ["outflank.cli.bench", "outflank.library.games"]),
    ],
    ids=" ".join,
)
def test_help_loads_nothing_heavy_and_no_other_command(words: list[str], not_needed: list[str]) -> None:
    code = f"""
import atexit, sys
from outflank.cli.main import main
atexit.register(lambda: print(*sys.modules, file=sys.stderr))
sys.argv = ["outflank", *{words}, "--help"]
main()
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert " ".join(["Usage: outflank", *words, "[OPTIONS]"]) in done.stdout
    heavy = {"numpy", "numba", "rich", "fastapi", "uvicorn", "duckdb", "sqlite3", "pydantic"}
    assert (heavy | set(not_needed)) & set(done.stderr.split()) == set()
