"""The three ways in which people write a player, each made to answer the same question. This runs inside the guest.

- a course `AI`: `AI(chessboard_size, color, time_out)` and `go(chessboard)`, which fills `candidate_list`;
- a course `AIPlayer`: `AIPlayer(color)` and `get_move(board)`, which returns 'D3';
- Outflank's own `Agent`: `start(variant, color, seed)` and `choose(game, limit)`.

What is answered here is no more than a claim: the referee checks every move.
"""

import ast
import sys
from types import ModuleType
from typing import Any, NamedTuple

from outflank.agents.sandbox.course_board import Board

MOST_CANDIDATES = 1000
AI, AI_PLAYER, AGENT = "AI", "AIPlayer", "Agent"
METHODS = {"choose": AGENT, "go": AI, "get_move": AI_PLAYER}
LIBRARIES = ("numpy", "numba", "outflank")
"""What is loaded before a submission that names it, so that it does not count as the submission's own memory."""
SHOWN = 60
"""Characters of a wrong answer that are worth reading."""

Data = dict[str, Any]


class NotAPlayerError(Exception):
    """A file with no player in it, or with too many."""


class Examined(NamedTuple):
    """What can be said of a file before any of it runs, and so before it could lie about it."""

    class_name: str
    interface: str
    libraries: tuple[str, ...]


def examine(source: str, file: str, wanted: str) -> Examined:
    """Reads a file for its player, the interface that it has and the libraries that it names."""
    tree = ast.parse(source, file)
    classes = {node.name: node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)}
    if wanted and wanted not in classes:
        raise NotAPlayerError(f"it has no class {wanted}")
    name = wanted or _the_player(classes)
    interface = _interface(classes, name)
    imports = [(name, getattr(node, "lineno", 0)) for node in ast.walk(tree) for name in _imported(node)]
    if interface == AI:
        for module, line in imports:
            if module == "os":
                raise NotAPlayerError(f"its course refuses `import os` (line {line})")
    named = {module for module, _ in imports} | ({"numpy"} if interface == AI else set())
    needed = {"outflank"} if interface == AGENT else set()
    return Examined(name, interface, tuple(library for library in LIBRARIES if library in named | needed))


def _the_player(classes: dict[str, ast.ClassDef]) -> str:
    for name in (AI, AI_PLAYER):
        if name in classes and _interface(classes, name) == name:
            return name
    own = [name for name in classes if "choose" in _methods(classes, name)]
    if not own:
        raise NotAPlayerError("it has no class AI with go, AIPlayer with get_move, or Agent with choose")
    if len(own) > 1:
        raise NotAPlayerError(f"it has several agents ({', '.join(own[:8])}): name one with py:FILE:CLASS")
    return own[0]


def _interface(classes: dict[str, ast.ClassDef], name: str) -> str:
    methods = _methods(classes, name)
    for method, interface in METHODS.items():
        if method in methods:
            return interface
    raise NotAPlayerError(f"{name} has none of the methods go, get_move and choose")


def _methods(classes: dict[str, ast.ClassDef], name: str) -> set[str]:
    """What a class can be asked, with what it has from others of the file."""
    found: set[str] = set()
    waiting, seen = [name], set()
    while waiting:
        one = waiting.pop()
        if one in classes and one not in seen:
            seen.add(one)
            found |= {part.name for part in classes[one].body if isinstance(part, ast.FunctionDef)}
            waiting += [base.id for base in classes[one].bases if isinstance(base, ast.Name)]
    return found


def _imported(node: ast.AST) -> list[str]:
    """The top of each module that a statement imports."""
    if isinstance(node, ast.Import):
        return [alias.name.split(".")[0] for alias in node.names]
    if isinstance(node, ast.ImportFrom) and not node.level:
        return [(node.module or "").split(".")[0]]
    return []


class CourseAI:
    """The course whose players fill a list of candidates and play the last."""

    def __init__(self, made: type, setup: Data) -> None:
        color = -1 if setup["color"] == 0 else 1
        self._player = made(setup["size"], color, setup["time_out"])

    def decide(self, request: Data) -> Data:
        import numpy

        marks = {"X": -1, "O": 1, ".": 0}
        self._player.go(numpy.array([[marks[mark] for mark in row] for row in request["rows"]], dtype=int))
        return self.standing(request["all"])

    def standing(self, every: bool = False) -> Data:
        """What the list says now."""
        candidates = self._player.candidate_list
        length = len(candidates)
        if length > MOST_CANDIDATES:
            return {"wrong": f"its candidate_list has {length} entries, the course allows {MOST_CANDIDATES}"}
        squares = [_square(one) for one in (list(candidates) if every else candidates[-1:])]
        answer: Data = {"candidates": squares, "length": length} if every else {}
        if not length:
            return {**answer, "wrong": "its candidate_list is empty"}
        if squares[-1] is None:
            return {**answer, "wrong": f"{_shown(candidates[-1])} is not a (row, column)"}
        return {**answer, "square": squares[-1]}


def _square(candidate: Any) -> int | None:
    """A (row, column) as a square's number; None for anything else."""
    try:
        row, column = candidate
        row, column = row.__index__(), column.__index__()
    except Exception:
        return None
    return 8 * row + column if 0 <= row < 8 and 0 <= column < 8 else None


class CoursePlayer:
    """The course whose players get a board with methods and return a name."""

    def __init__(self, made: type, setup: Data) -> None:
        self._player = made("XO"[setup["color"]])

    def decide(self, request: Data) -> Data:
        rows = request["rows"]
        board = Board([list(row) for row in rows])
        said = self._player.get_move(board)
        if ["".join(row) for row in board._board] != rows:
            return {"wrong": "it changed the board that it was given", "final": True}
        try:
            row, column = board.board_num(said)
        except Exception:
            return {"wrong": f"{_shown(said)} is not a move such as 'D3'"}
        if len(said) != 2 or not board.is_on_board(row, column):
            return {"wrong": f"{_shown(said)} is not a move such as 'D3'"}
        return {"square": 8 * row + column}


class OutflankAgent:
    """Our own interface."""

    def __init__(self, made: type, setup: Data) -> None:
        from outflank.board.squares import Color
        from outflank.board.variant import Variant

        self._player = made()
        self._player.start(Variant.named(setup["variant"]), Color(setup["color"]), setup["seed"])

    def decide(self, request: Data) -> Data:
        from outflank.board.game import Game
        from outflank.board.position import Position
        from outflank.board.variant import Variant
        from outflank.search.limits import Clock, Limit

        game = Game(Position.from_text(request["start"], Variant.named(request["variant"])))
        for move in request["moves"]:
            game.push(move)
        node = game.node
        clock = request["limit"].pop("clock", None)
        limit = Limit(**request["limit"], clock=Clock(*clock) if clock else None)
        report = self._player.choose(game, limit)
        if game.node is not node:
            return {"wrong": "it changed the game that it was shown", "final": True}
        try:
            square = report.move.__index__()
        except AttributeError:
            return {"wrong": f"{_shown(report)} is not a Report with a square"}
        if not 0 <= square < 64:
            return {"wrong": f"{square} is not a square"}
        return {
            "square": square,
            "score": None if report.score is None else float(report.score),
            "depth": int(report.depth),
            "nodes": int(report.nodes),
            "pv": [int(one) for one in report.pv][:64],
            "exact": bool(report.exact),
            "text": str(report.text)[:300],
            "values": [[int(one), float(value)] for one, value in report.values.items()][:64],
        }


ADAPTERS = {AI: CourseAI, AI_PLAYER: CoursePlayer, AGENT: OutflankAgent}


def offer_course_modules() -> None:
    """The course's own module, which some files import."""
    module = ModuleType("board")
    module.Board = Board  # type: ignore[attr-defined]
    sys.modules.setdefault("board", module)


def _shown(value: Any) -> str:
    """A wrong answer, short: its text may be as long as memory."""
    if isinstance(value, str):
        return repr(value[:SHOWN])
    if isinstance(value, int | float | tuple | list | type(None)) and sys.getsizeof(value) < 1000:
        return repr(value)[:SHOWN]
    return f"a {type(value).__name__}"
