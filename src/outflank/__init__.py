"""Outflank, the Othello laboratory in Python.

The names below are the public interface, with those of `outflank.features`, `outflank.env`, `outflank.contests`,
`outflank.charts` and `outflank.client`: docs/python.md shows all of them. They load on first use: importing the package
costs nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from outflank.agents.agent import Agent as Agent
    from outflank.agents.network import NetworkPlayer as NetworkPlayer
    from outflank.agents.roster import register_agent as register_agent
    from outflank.agents.spec import Spec as Spec, agent as agent
    from outflank.arena.match import match as match
    from outflank.arena.store import Store as Store
    from outflank.arena.tournament import tournament as tournament
    from outflank.board.game import Game as Game
    from outflank.board.position import Outcome as Outcome, Position as Position
    from outflank.board.squares import (
        PASS as PASS,
        Color as Color,
        parse_square as parse_square,
        square_name as square_name,
    )
    from outflank.board.svg import draw as draw
    from outflank.board.variant import Variant as Variant
    from outflank.formats.detect import detect as detect
    from outflank.formats.files import load, write as write, written as written
    from outflank.heuristics.heuristic import Heuristic as Heuristic, heuristic as heuristic
    from outflank.heuristics.named import find
    from outflank.heuristics.weighted import Term as Term, WeightedHeuristic as WeightedHeuristic
    from outflank.library.analysis import analyze as analyze, solve as solve
    from outflank.library.book.book import Book as Book
    from outflank.library.book.file import open_book as open_book
    from outflank.library.building import build
    from outflank.library.games import Library as Library
    from outflank.library.running import RunningAnalysis as RunningAnalysis, analysis as analysis
    from outflank.library.openings import opening_name as opening_name, openings as openings
    from outflank.search.limits import Limit as Limit, Report as Report
    from outflank.search.montecarlo.network import NetworkOptions as NetworkOptions, NetworkSearch as NetworkSearch
    from outflank.search.teaching.trees import search
    from outflank.search.trees.search import TreeSearch as TreeSearch

    build_library, find_heuristic, lesson, read = build, find, search, load

__version__ = "1.0.0"

_NAMES = {
    "agents.agent": "Agent",
    "agents.network": "NetworkPlayer",
    "agents.roster": "register_agent",
    "agents.spec": "Spec agent",
    "arena.match": "match",
    "arena.store": "Store",
    "arena.tournament": "tournament",
    "board.game": "Game",
    "board.position": "Outcome Position",
    "board.squares": "Color PASS parse_square square_name",
    "board.svg": "draw",
    "board.variant": "Variant",
    "formats.detect": "detect",
    "formats.files": "read write written",
    "heuristics.heuristic": "Heuristic heuristic",
    "heuristics.named": "find_heuristic",
    "heuristics.weighted": "Term WeightedHeuristic",
    "library.analysis": "analyze solve",
    "library.book.book": "Book",
    "library.book.file": "open_book",
    "library.building": "build_library",
    "library.games": "Library",
    "library.openings": "opening_name openings",
    "library.running": "RunningAnalysis analysis",
    "search.limits": "Limit Report",
    "search.montecarlo.network": "NetworkOptions NetworkSearch",
    "search.teaching.trees": "lesson",
    "search.trees.search": "TreeSearch",
}
"""What each room shows."""
_HOME = {name: room for room, names in _NAMES.items() for name in names.split()}
_CALLED_THERE = {"build_library": "build", "find_heuristic": "find", "lesson": "search", "read": "load"}
"""What goes by a shorter name in its room."""

__all__ = sorted(_HOME)


_MODULES = ("charts", "client", "contests", "env", "features")


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return import_module(f"outflank.{name}")
    if name not in _HOME:
        raise AttributeError(f"module 'outflank' has no attribute {name!r}")
    return getattr(import_module(f"outflank.{_HOME[name]}"), _CALLED_THERE.get(name, name))


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
