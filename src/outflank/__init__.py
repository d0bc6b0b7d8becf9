"""Outflank, the Othello laboratory in Python.

The names below are the public interface. They load on first use: importing the package costs nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from outflank.agents.spec import agent
    from outflank.arena.match import match
    from outflank.board.game import Game
    from outflank.board.position import Outcome, Position
    from outflank.board.squares import Color
    from outflank.board.variant import Variant
    from outflank.heuristics.heuristic import heuristic
    from outflank.library.analysis import analyze, solve
    from outflank.library.openings import opening_name
    from outflank.search.limits import Limit, Report

__version__ = "0.1.0"

_HOME = {
    "Color": "outflank.board.squares",
    "Game": "outflank.board.game",
    "Limit": "outflank.search.limits",
    "Outcome": "outflank.board.position",
    "Position": "outflank.board.position",
    "Report": "outflank.search.limits",
    "Variant": "outflank.board.variant",
    "agent": "outflank.agents.spec",
    "analyze": "outflank.library.analysis",
    "heuristic": "outflank.heuristics.heuristic",
    "match": "outflank.arena.match",
    "opening_name": "outflank.library.openings",
    "solve": "outflank.library.analysis",
}

__all__ = [
    "Color",
    "Game",
    "Limit",
    "Outcome",
    "Position",
    "Report",
    "Variant",
    "agent",
    "analyze",
    "heuristic",
    "match",
    "opening_name",
    "solve",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'outflank' has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
