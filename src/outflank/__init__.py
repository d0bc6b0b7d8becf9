"""Outflank, the Othello laboratory in Python.

The names below are the public interface, with those of `outflank.features`, `outflank.contests` and `outflank.charts`:
docs/python.md shows all of them. They load on first use: importing the package costs nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from outflank.agents.agent import Agent
    from outflank.agents.spec import Spec, agent
    from outflank.arena.match import match
    from outflank.arena.store import Store
    from outflank.arena.tournament import tournament
    from outflank.board.game import Game
    from outflank.board.position import Outcome, Position
    from outflank.board.squares import PASS, Color
    from outflank.board.svg import draw
    from outflank.board.variant import Variant
    from outflank.formats.detect import detect
    from outflank.formats.files import load as read
    from outflank.heuristics.heuristic import Heuristic, heuristic
    from outflank.heuristics.named import find as find_heuristic
    from outflank.heuristics.weighted import Term, WeightedHeuristic
    from outflank.library.analysis import analyze, solve
    from outflank.library.building import build as build_library
    from outflank.library.games import Library
    from outflank.library.openings import opening_name, openings
    from outflank.search.limits import Limit, Report
    from outflank.search.teaching.trees import search as lesson
    from outflank.search.trees.search import TreeSearch

__version__ = "0.1.0"

_HOME = {
    "Agent": "agents.agent",
    "Color": "board.squares",
    "Game": "board.game",
    "Heuristic": "heuristics.heuristic",
    "Library": "library.games",
    "Limit": "search.limits",
    "Outcome": "board.position",
    "PASS": "board.squares",
    "Position": "board.position",
    "Report": "search.limits",
    "Spec": "agents.spec",
    "Store": "arena.store",
    "Term": "heuristics.weighted",
    "TreeSearch": "search.trees.search",
    "Variant": "board.variant",
    "WeightedHeuristic": "heuristics.weighted",
    "agent": "agents.spec",
    "analyze": "library.analysis",
    "build_library": "library.building",
    "detect": "formats.detect",
    "draw": "board.svg",
    "find_heuristic": "heuristics.named",
    "heuristic": "heuristics.heuristic",
    "lesson": "search.teaching.trees",
    "match": "arena.match",
    "opening_name": "library.openings",
    "openings": "library.openings",
    "read": "formats.files",
    "solve": "library.analysis",
    "tournament": "arena.tournament",
}
_CALLED_THERE = {"build_library": "build", "find_heuristic": "find", "lesson": "search", "read": "load"}
"""What goes by a shorter name in its room."""

__all__ = [
    "PASS",
    "Agent",
    "Color",
    "Game",
    "Heuristic",
    "Library",
    "Limit",
    "Outcome",
    "Position",
    "Report",
    "Spec",
    "Store",
    "Term",
    "TreeSearch",
    "Variant",
    "WeightedHeuristic",
    "agent",
    "analyze",
    "build_library",
    "detect",
    "draw",
    "find_heuristic",
    "heuristic",
    "lesson",
    "match",
    "opening_name",
    "openings",
    "read",
    "solve",
    "tournament",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'outflank' has no attribute {name!r}")
    return getattr(import_module(f"outflank.{_HOME[name]}"), _CALLED_THERE.get(name, name))


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
