"""The three ways in which people write a player, each made to answer the same question. This runs inside the guest.

- a course `AI`: `AI(chessboard_size, color, time_out)` and `go(chessboard)`, which fills `candidate_list`;
- a course `AIPlayer`: `AIPlayer(color)` and `get_move(board)`, which returns 'D3';
- Outflank's own `Agent`: `start(variant, color, seed)` and `choose(game, limit)`.

What is answered here is no more than a claim: the referee checks every move.
"""

import ast
import sys
from collections.abc import Iterable
from types import ModuleType
from typing import Any, NamedTuple

from outflank.agents.sandbox import candidates, sheet
from outflank.agents.sandbox.course_board import Board, Game
from outflank.agents.sandbox.older_libraries import SMALL_NAMES
from outflank.errors import Fault

MOST_CANDIDATES = 1000
AI, AI_PLAYER, AGENT = "AI", "AIPlayer", "Agent"
METHODS = {"choose": AGENT, "go": AI, "get_move": AI_PLAYER}
LIBRARIES = ("numpy", "numba", "outflank", "array", "base64", "fractions")
"""What is loaded before a submission that names it: it does not count as the submission's own memory, and has its older
names again."""
RULES = (
    *("Agent", "Report", "Limit", "Game", "Position", "Outcome", "Color", "PASS", "Variant"),
    *("board", "errors", "agents.agent", "search.limits"),
)
"""What a submission takes from Outflank to be a player at all: everything else is its engine."""
USUAL = ("main", "ai", "agent", "player", "submission")
"""Names by which a folder's main file goes, where several have a player."""
SHOWN = 60
"""Characters of a wrong answer that are worth reading."""

FORBIDDEN = ("guest.import-os", "guest.import-os-in", "guest.engine-banned")
"""What a course forbids, though it could be played."""

Data = dict[str, Any]
"""Of an answer that is no move, `wrong` says why and `reason` which kind of fault it is, if it is no illegal move."""


class NotAPlayerError(Fault):
    """A file with no player in it, or with too many."""


class Examined(NamedTuple):
    """What can be said of a submission before any of it runs, and so before it could lie about it."""

    main: str
    """The file that has the player."""
    class_name: str
    interface: str
    libraries: tuple[str, ...]
    helpers: bool
    """Whether there are other modules beside the main one."""
    engine: str
    """What it imports of Outflank beyond the rules and the interface, and where; "" for nothing."""
    small: bool
    """Whether it names types of NumPy's for small numbers."""


Classes = dict[str, ast.ClassDef]


def readable(source: bytes) -> bytes:
    """A file's bytes so that Python reads them: with the declared encoding, or with marks for what is not UTF-8."""
    try:
        source.decode()
    except UnicodeDecodeError:
        try:
            ast.parse(source)
        except SyntaxError:
            return source.decode("utf-8", "replace").encode()
    return source


def examine(sources: dict[str, bytes], wanted: str) -> Examined:
    """Reads the files of a submission for its player, the interface that it has and the libraries that it names."""
    trees: dict[str, ast.Module] = {}
    broken: SyntaxError | None = None
    for file in sorted(sources, key=lambda name: (name.count("/"), name)):
        try:
            trees[file] = ast.parse(sources[file], file)
        except (SyntaxError, ValueError) as error:
            if len(sources) == 1:
                raise
            broken = broken or (error if isinstance(error, SyntaxError) else None)
    classes = {file: _classes(tree) for file, tree in trees.items()}
    everywhere: Classes = {}
    for found in classes.values():
        everywhere = found | everywhere
    main, name = _main(trees, classes, everywhere, wanted, broken)
    interface = _interface(everywhere | classes[main], name)
    used = _reached(trees, main)
    imports = [
        (module, file, getattr(node, "lineno", 0))
        for file in used
        for node in ast.walk(trees[file])
        for module in _imported(node)
    ]
    if interface == AI:
        for module, file, line in imports:
            if module == "os":
                code = "guest.import-os" if file == main else "guest.import-os-in"
                raise NotAPlayerError(code, **({"line": line} if file == main else {"line": line, "file": file}))
    named = {module for module, _, _ in imports} | ({"numpy"} if interface == AI else set())
    needed = {"outflank"} if interface == AGENT else set()
    libraries = tuple(library for library in LIBRARIES if library in named | needed)
    nodes = [(file, node) for file in used for node in ast.walk(trees[file])]
    small = any(_named(node) in SMALL_NAMES for _, node in nodes)
    return Examined(main, name, interface, libraries, len(sources) > 1, _engine(nodes, main), small)


def _named(node: ast.AST) -> object:
    """The name or text that a part of a file is."""
    return getattr(node, "attr", None) or getattr(node, "id", None) or getattr(node, "value", None)


def _engine(nodes: list[tuple[str, ast.AST]], main: str) -> str:
    """What of Outflank's own players, searches and heuristics is imported, each with its line."""
    found = []
    for file, node in nodes:
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "outflank":
            names = [f"outflank.{node.attr}"]
        else:
            continue
        for name in names:
            if name.startswith("outflank.") and not _is_within(name.removeprefix("outflank."), RULES):
                found.append(f"{name} ({'' if file == main else f'{file}, '}line {getattr(node, 'lineno', 0)})")
    return ", ".join(dict.fromkeys(found))


def _is_within(name: str, others: tuple[str, ...]) -> bool:
    return any(name == other or name.startswith(f"{other}.") for other in others)


def _classes(tree: ast.Module) -> Classes:
    return {node.name: node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)}


def _main(
    trees: dict[str, ast.Module],
    classes: dict[str, Classes],
    everywhere: Classes,
    wanted: str,
    broken: SyntaxError | None,
) -> tuple[str, str]:
    """The file with the player, and the player's class. A file that another one imports is a helper of it."""
    players: dict[str, str] = {}
    refused: NotAPlayerError | None = None
    for file, found in classes.items():
        try:
            if wanted and wanted not in found:
                raise NotAPlayerError("guest.no-class", name=wanted)
            players[file] = wanted or _the_player(found, everywhere)
        except NotAPlayerError as error:
            if refused is None or error.code == "guest.several":
                refused = error
    if not players:
        raise broken or refused or NotAPlayerError("guest.no-player")
    helpers = {one for file in players for one in _reached(trees, file) if one != file}
    main = [file for file in players if file not in helpers] or list(players)
    usual = [file for name in USUAL for file in main if _stem(file).lower() == name]
    if len(main) > 1 and not usual:
        raise NotAPlayerError("guest.several-files", names=", ".join(main[:8]))
    chosen = (usual or main)[0]
    return chosen, players[chosen]


def _reached(trees: dict[str, ast.Module], main: str) -> list[str]:
    """The files that a file imports, and so on; itself first."""
    found = [main]
    for file in found:
        folder = file.rpartition("/")[0]
        for name in {name for node in ast.walk(trees[file]) for name in _modules(node)}:
            for base in {folder, ""}:
                place = f"{base}/{name}" if base else name
                for other in (f"{place}.py", *(one for one in trees if one.startswith(f"{place}/"))):
                    if other in trees and other not in found:
                        found.append(other)
    return found


def _stem(file: str) -> str:
    return file.rpartition("/")[2].removesuffix(".py")


def _the_player(classes: Classes, everywhere: Classes) -> str:
    known = everywhere | classes
    for name in (AI, AI_PLAYER):
        if name in classes and _interface(known, name) == name:
            return name
    for method in METHODS:
        able = [name for name in classes if method in _methods(known, name)]
        parents = {base.id for name in able for base in classes[name].bases if isinstance(base, ast.Name)}
        own = [name for name in able if name not in parents] or able
        if len(own) > 1:
            raise NotAPlayerError("guest.several", names=", ".join(own[:8]), file="FILE", first=own[0])
        if own:
            return own[0]
    raise NotAPlayerError("guest.no-player")


def _interface(classes: Classes, name: str) -> str:
    methods = _methods(classes, name)
    for method, interface in METHODS.items():
        if method in methods:
            return interface
    raise NotAPlayerError("guest.no-methods", name=name)


def _methods(classes: Classes, name: str) -> set[str]:
    """What a class can be asked, with what it has from others of its files."""
    found: set[str] = set()
    waiting, seen = [name], set()
    while waiting:
        one = waiting.pop()
        if one in classes and one not in seen:
            seen.add(one)
            for part in classes[one].body:
                found |= {part.name} if isinstance(part, ast.FunctionDef) else set()
                found |= {to.id for to in getattr(part, "targets", ()) if isinstance(to, ast.Name)}
            waiting += [base.id for base in classes[one].bases if isinstance(base, ast.Name)]
    return found


def _imported(node: ast.AST) -> list[str]:
    """The top of each module that a statement imports."""
    if isinstance(node, ast.Import):
        return [alias.name.split(".")[0] for alias in node.names]
    if isinstance(node, ast.ImportFrom) and not node.level:
        return [(node.module or "").split(".")[0]]
    return []


def _modules(node: ast.AST) -> list[str]:
    """What a statement may import of the submission's own files: `util`, and for `from . import util` too."""
    if isinstance(node, ast.ImportFrom) and (node.level or not node.module):
        return [node.module.split(".")[0]] if node.module else [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom) and node.module:
        return list(dict.fromkeys([node.module.split(".")[0], node.module.replace(".", "/")]))
    if isinstance(node, ast.Import):
        return [part for alias in node.names for part in (alias.name.split(".")[0], alias.name.replace(".", "/"))]
    return []


class CourseAI:
    """The course whose players fill a list of candidates and play the last."""

    def __init__(self, made: type, setup: Data) -> None:
        color = -1 if setup["color"] == 0 else 1
        self._player = made(setup["size"], color, setup["time_out"])
        self._sheet: Any = None
        self._every = False

    def note_on(self, page: Any) -> None:
        """From now on, whatever happens to the list is noted on a sheet at once."""
        self._sheet = page
        candidates.watch(self._player, self.note)

    def note(self) -> None:
        """Notes the list as it stands. What cannot be read is no list: it is being changed, or is none."""
        page = self._sheet
        try:
            listed = self._player.__dict__["candidate_list"]
        except (AttributeError, KeyError):
            listed = getattr(self._player, "candidate_list", ())
        length = len(listed)
        last = _square(listed[-1]) if 0 < length <= MOST_CANDIDATES else None
        if self._every:
            squares = [_square(one) for one in listed] if length <= MOST_CANDIDATES else [None]
            mask = sum(1 << square for square in set(squares) if square is not None)
            page[sheet.LISTED] = mask.to_bytes(8, "little")
            page[sheet.ODD], page[sheet.SEEN] = None in squares, True
        page[sheet.LAST] = 0 if last is None else last + 1

    def decide(self, request: Data) -> Data:
        import numpy

        self._every = request["all"]
        if self._sheet is not None:
            self._sheet[: sheet.LISTED.stop] = bytes(
                sheet.LISTED.stop
            )  # what a thread has still noted of the last move
        marks = {"X": -1, "O": 1, ".": 0}
        self._player.go(numpy.array([[marks[mark] for mark in row] for row in request["rows"]], dtype=int))
        return self.standing(request["all"])

    def standing(self, every: bool = False) -> Data:
        """What the list says now."""
        listed = self._player.candidate_list
        length = len(listed)
        if length > MOST_CANDIDATES:
            wrong = f"its candidate_list has {length} entries, the course allows {MOST_CANDIDATES}"
            return {"wrong": wrong, "reason": "forbidden"}
        squares = [_square(one) for one in (list(listed) if every else listed[-1:])]
        answer: Data = {"candidates": squares, "length": length} if every else {}
        if not length:
            return {**answer, "wrong": "its candidate_list is empty", "reason": "no answer"}
        if squares[-1] is None:
            return {**answer, "wrong": f"{_shown(listed[-1])} is not a (row, column)"}
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
            return {"wrong": "it changed the board that it was given", "final": True, "reason": "forbidden"}
        if said is None:
            return {"wrong": "it returned nothing", "reason": "no answer"}
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
            return {"wrong": "it changed the game that it was shown", "final": True, "reason": "forbidden"}
        if report is None:
            return {"wrong": "it returned nothing", "reason": "no answer"}
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
            "decided": bool(report.decided),
            "text": str(report.text)[:300],
            "values": [[int(one), float(value)] for one, value in report.values.items()][:64],
        }


ADAPTERS = {AI: CourseAI, AI_PLAYER: CoursePlayer, AGENT: OutflankAgent}


def offer_course_modules(sources: Iterable[str]) -> None:
    """The course's own modules, and the library that they import, unless a submission brings one of its own."""
    from outflank.agents.sandbox import course_timeout

    offered: dict[str, Data] = {"board": {"Board": Board}, "game": {"Game": Game}, "func_timeout": course_timeout.NAMES}
    for name, shown in offered.items():
        if not any(_stem(file) == name or f"{name}/" in file for file in sources):
            module = ModuleType(name)
            vars(module).update(shown)
            if sys.modules.setdefault(name, module) is module and name == "func_timeout":
                errors = sys.modules[f"{name}.exceptions"] = ModuleType(f"{name}.exceptions")
                vars(errors).update(shown)
                vars(module).update(exceptions=errors, __path__=[])


def _shown(value: Any) -> str:
    """A wrong answer, short: its text may be as long as memory."""
    if isinstance(value, str):
        return repr(value[:SHOWN])
    if isinstance(value, int | float | tuple | list | type(None)) and sys.getsizeof(value) < 1000:
        return repr(value)[:SHOWN]
    return f"a {type(value).__name__}"
