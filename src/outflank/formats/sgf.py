"""SGF, the Smart Game Format, version 4, as Othello (GM[2]) uses it: `(;FF[4]GM[2]SZ[8]…;B[f5];W[d6])`.

A game is a tree in SGF as it is here: variations, comments and values are kept. SGF has no property for the
objective or the start, so the variant's name stands in RU, "rules": `RU[reversed-6x6]`. Private properties:
XS seconds spent on a move, XC where the game stands when that is not the end of its main line, and those
of `properties`.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from outflank.board.game import Game, Node
from outflank.board.position import Position
from outflank.board.squares import PASS, Color, parse_square, square_name, squares_of
from outflank.board.variant import OTHELLO, Variant
from outflank.errors import Fault
from outflank.formats import results
from outflank.formats.properties import (
    BLANK,
    MOST,
    MOVERS,
    NUMBER,
    REASON,
    TAGS,
    NumberedReplay,
    bracketed,
    line_at,
    number_text,
    parse_number,
    read_property,
    read_tag,
    shown,
    tag_properties,
    written,
)
from outflank.formats.starts import with_its_start

OPENING = re.compile(r"\s*\(\s*;")
MARK = re.compile(r"\s*(?:([()])|;[;\s]*)")  # nodes that say nothing are skipped
BRACKET = re.compile(r"[()]|\[(?:\\.|[^\]\\])*(?:\]|\\?\Z)", re.DOTALL)  # of a tree, or a whole property value
DEEPEST = 1000  # no game has so many plies
FIRST_MOVE = re.compile(r"[\s(;]*([BW])\s*\[")
SIZE = re.compile(r"(\d{1,3})(?::(\d{1,3}))?")
RESULT = re.compile(
    r"(?P<winner>[BW])\+(?P<margin>\d{1,6}(?:\.\d{1,6})?|R(?:esign)?|T(?:ime)?|F(?:orfeit)?)?", re.IGNORECASE
)

NAMES = {**TAGS, "BlackRating": "BR", "WhiteRating": "WR", "Clock": "TM"}
TAG_NAMES = {name: tag for tag, name in NAMES.items()}
SETUP = ("AB", "AW", "AE", "PL")
SECONDS, CURSOR = "XS", "XC"
OF_A_NODE = ("B", "W", "C", "V", SECONDS, CURSOR, *SETUP)
OF_THE_FILE = ("FF", "GM", "CA", "AP", "ST", "SZ", "RU", "RE", REASON)

Properties = dict[str, list[str]]


def read(text: str, faults: list[Fault] | None = None) -> list[Game]:
    """Every game of an SGF collection, with its variations; text before the first `(;` is ignored.

    A game with an illegal move is refused or, where a list of faults is given, told there and left out.
    """
    games: list[Game] = []
    first = re.search(r"\(\s*;", text)
    at, number = first.start() if first else len(text), 0
    while BLANK.fullmatch(text, at) is None:
        builder, began = _Builder(), at
        number += 1
        try:
            at = _tree(text, at, builder)
            games.append(builder.finished())
        except _MisplacedError as error:
            fault = Fault("sgf.game", game=number, line=line_at(text, error.at), why=error.what)
            if faults is None or (at := _past_tree(text, began)) < 0:
                raise fault from None
            faults.append(fault)
    if not number:
        raise Fault("sgf.empty")
    return games


def _past_tree(text: str, at: int) -> int:
    """Where the tree that begins at a place ends, whatever is in it; -1 where the text ends before it does."""
    depth = 0
    for mark in BRACKET.finditer(text, at):
        depth += {"(": 1, ")": -1}.get(mark[0], 0)
        if not depth:
            return mark.end() if mark[0] == ")" else -1
    return -1


class _MisplacedError(ValueError):
    """What is wrong with an SGF text, and where."""

    def __init__(self, what: ValueError, at: int) -> None:
        super().__init__(what)
        self.what, self.at = what, at


def _tree(text: str, at: int, builder: "_Builder") -> int:
    """Builds the game tree at a place; returns where it ends."""
    if not OPENING.match(text, at):
        raise _MisplacedError(Fault("sgf.no-beginning", text=shown(text, at)), at)
    depth = 0
    while mark := MARK.match(text, at):
        began, at = at, mark.end()
        if mark[1] == ")":
            depth -= 1
            if not depth:
                return at
            builder.close()
            continue
        if mark[1] == "(":
            depth += 1
            builder.open()
            if not OPENING.match(text, began):
                raise _MisplacedError(Fault("sgf.no-node"), began)
            if depth > DEEPEST:
                raise _MisplacedError(Fault("sgf.too-deep"), began)
            continue
        found, at = _node(text, at)
        if builder.root is None and (first := FIRST_MOVE.match(text, at)):
            found.setdefault("PL", [first[1]])
        try:
            builder.node(found)
        except ValueError as error:
            raise _MisplacedError(error, began) from None
    ended = BLANK.fullmatch(text, at)
    raise _MisplacedError(Fault("sgf.cut-off") if ended else Fault("sgf.not-sgf", text=shown(text, at)), at)


def _node(text: str, at: int) -> tuple[Properties, int]:
    """The properties of the node whose `;` ended at a place, and where it ends."""
    found: Properties = {}
    count = 0
    while not MARK.match(text, at):
        count += 1
        if count > MOST:
            raise _MisplacedError(Fault("sgf.too-many-properties", most=MOST), at)
        if BLANK.fullmatch(text, at):
            raise _MisplacedError(Fault("sgf.cut-off"), at)
        try:
            name, values, at = read_property(text, at)
        except Fault as error:
            why = error.params["why"]  # without its line: that of the node is told
            assert isinstance(why, Fault)
            raise _MisplacedError(why, at) from None
        # Before version 4 a name could be spelled out: the capitals of GaMe are what counts.
        found.setdefault("".join(letter for letter in name if letter.isupper()), []).extend(values)
    return found, at


class _Builder:
    """Makes a game from the nodes of its tree, in the order of the file."""

    def __init__(self) -> None:
        self.root: Properties | None = None
        self.replay: NumberedReplay | None = None
        self.end: Node | None = None  # of the main line
        self.cursor: Node | None = None
        self.waiting: list[tuple[Node, bool, int]] = []  # where each open variation began

    def open(self) -> None:
        if self.replay:
            self.waiting.append((self.replay.game.node, self.replay.pass_is_due, self.replay.moves))

    def close(self) -> None:
        assert self.replay is not None and self.waiting
        self.end = self.end or self.replay.game.node
        node, self.replay.pass_is_due, self.replay.moves = self.waiting.pop()
        self.replay.game.goto(node)

    def node(self, found: Properties) -> None:
        if self.replay is None:
            if not found:
                raise Fault("sgf.empty-node")
            self.root = found
            self.replay = NumberedReplay(_game(found))
        elif setup := [name for name in SETUP if name in found]:
            raise Fault("sgf.late-setup", text=setup[0])
        node = self._moves(self.replay, found)
        if "C" in found:
            node.text = "\n".join([node.text, *found["C"]] if node.text else found["C"])
        if CURSOR in found:
            self.cursor = node

    def _moves(self, replay: NumberedReplay, found: Properties) -> Node:
        """Plays what a node says. One without a move speaks of the node before it."""
        node = replay.game.node if replay.moves else replay.game.root
        for name, color in MOVERS.items():
            for point in found.get(name, []):
                node = replay.play(parse_square(point) if point.strip() else PASS, color)
        if "V" in found and node.mover is not None:
            # V is Black's view, a node's score its mover's.
            node.score = parse_number(found["V"][0].strip()) * (1 if node.mover is Color.BLACK else -1)
        if SECONDS in found:
            node.seconds = parse_number(found[SECONDS][0].strip())
        return node

    def finished(self) -> Game:
        assert self.replay is not None and self.root is not None
        game = self.replay.game
        game.goto(self.cursor or self.end or game.node)
        stated, reason = (self.root.get(name, [""])[0].strip() for name in ("RE", REASON))
        if stated:
            try:
                results.settle(game, _statement(stated, reason, game.variant), reason)
            except ValueError:
                game.tags[results.TAG] = stated
        return game


def _game(found: Properties) -> Game:
    """The game that a first node begins."""
    kind = found.get("GM", ["2"])[0].strip()
    if kind != "2":
        raise Fault("sgf.not-othello", text=kind[:10])
    rules = found.get("RU", [""])[0].strip()
    tags: dict[str, str] = {}
    try:
        variant = Variant.named(rules) if rules else OTHELLO
    except ValueError:
        variant = OTHELLO
        tags["RU"] = rules  # somebody else's rules
    if "SZ" in found:
        size = SIZE.fullmatch(found["SZ"][0].strip())
        if size is None:
            raise Fault("sgf.size", text=found["SZ"][0][:10])
        variant = replace(variant, columns=int(size[1]), rows=int(size[2] or size[1]))
    for name, values in found.items():
        if name not in OF_A_NODE and name not in OF_THE_FILE:
            read_tag(tags, TAG_NAMES, name, values)
    return Game(_start(found, variant), tags)


def _start(found: Properties, variant: Variant) -> Position:
    """The position that a first node sets up, or the variant's start. PL is the first mover where left out."""
    turn = found.get("PL", ["B"])[0].strip().lower()[:1]
    if turn not in tuple("bw12"):
        raise Fault("sgf.side", text=found["PL"][0][:10])
    position = replace(Position.start(variant), turn=Color.BLACK if turn in "b1" else Color.WHITE)
    if not any(name in found for name in ("AB", "AW", "AE")):
        return position
    if "AB" in found or "AW" in found:
        position = replace(position, black=_points(found.get("AB", [])), white=_points(found.get("AW", [])))
    cleared = _points(found.get("AE", []))
    position = replace(position, black=position.black & ~cleared, white=position.white & ~cleared)
    return position if position == Position.start(variant) else with_its_start(position)


def _points(points: list[str]) -> int:
    """The mask of points, each a square or the rectangle `a1:c3`."""
    mask = 0
    for point in points:
        corners = [parse_square(corner) for corner in point.split(":")]
        if len(corners) > 2 or PASS in corners:
            raise Fault("sgf.point", text=shown(point))
        (top, left), (bottom, right) = divmod(corners[0], 8), divmod(corners[-1], 8)
        for row in range(top, bottom + 1):
            for column in range(left, right + 1):
                mask |= 1 << 8 * row + column
    return mask


def _statement(text: str, reason: str, variant: Variant) -> str:
    """SGF's result in the spelling of `results`; a game with a reason was not played out."""
    if text.lower() in ("0", "draw", "jigo"):
        return "0:s" if reason else "0"
    match = RESULT.fullmatch(text)
    if match is None or not (match["margin"] or reason):
        return results.statement(text)  # `?`, or a ValueError
    sign = "+" if match["winner"].upper() == "B" else "-"
    margin = match["margin"] or "F"
    if margin[0].isdigit():
        return results.statement(sign + margin)
    return f"{sign}{variant.square_count}:{margin[0].lower()}"


def write(games: Sequence[Game]) -> str:
    """Games as an SGF collection, each with its whole tree, the line to its cursor first."""
    return written(games, lambda game: f"({_first_node(game)}{_tree_text(game)})")


def _first_node(game: Game) -> str:
    variant, start = game.variant, game.start
    size = f"{variant.columns}" if variant.rows == variant.columns else f"{variant.columns}:{variant.rows}"
    result, reason, tags = _ending(game)
    names = dict(NAMES)
    if not NUMBER.fullmatch(tags.get("Clock", "")):
        del names["Clock"]  # TM is a number of seconds
    parts = [f";FF[4]GM[2]CA[UTF-8]AP[Outflank]SZ[{size}]"]
    if variant.reversed or variant.start != "diagonal":
        parts.append(f"RU[{variant.name}]")
    for name, values in tag_properties(tags, names, (*OF_A_NODE, *OF_THE_FILE)).items():
        parts += [name, *(bracketed("", value) for value in values)]
    parts.append(f"RE[{result}]")
    if reason:
        parts.append(bracketed(REASON, reason))
    if start != Position.start(replace(variant, start="diagonal")):
        discs = _setup_text("AB", start.black) + _setup_text("AW", start.white)
        parts += [discs or _setup_text("AE", variant.board), f"PL[{'BW'[start.turn]}]"]
    return "".join(parts)


def _ending(game: Game) -> tuple[str, str, dict[str, str]]:
    """RE, why the game ended where RE does not say it, and the tags that are not in these two."""
    stated, reason, outcome = results.stated_result(game), results.unspoken_reason(game), game.outcome()
    ended_early = outcome is not None and outcome.score is None
    if stated.endswith(":s") and not ended_early:
        stated = results.own_statement(game)  # SGF has no letter for what was agreed, only its reason
    result = _result_text(stated)
    if outcome is not None and ended_early and result[-1] not in "RTF":
        reason = outcome.reason
    if _statement(result, reason, game.variant) == stated:
        return result, reason, results.tags_beside(game, stated)
    return result, reason, game.tags


def _result_text(stated: str) -> str:
    margin, letter = results.margin_of(stated), stated.partition(":")[2]
    if margin is None:
        return results.UNKNOWN
    if margin == 0:
        return "0"
    how = letter.upper().replace("S", "") if letter else results.margin_text(abs(margin))[1:]
    return ("B+" if margin > 0 else "W+") + how


def _setup_text(name: str, mask: int) -> str:
    points = "".join(f"[{square_name(square)}]" for square in squares_of(mask))
    return name + points if points else ""


def _tree_text(game: Game) -> str:
    """The nodes of a game, the first one without its `;`. A stack, not recursion: trees come from strangers."""
    line = {id(node) for node in game.line}
    parts: list[str] = []
    waiting: list[Node | str] = [game.root]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            parts.append(item)
            continue
        parts.append(_node_text(item, game))
        children = sorted(item.children, key=lambda child: id(child) not in line)
        if len(children) == 1:
            waiting.append(children[0])
        else:
            for child in reversed(children):
                waiting += [")", child, "("]
    return "".join(parts)


def _node_text(node: Node, game: Game) -> str:
    parts = []
    if node.move is not None:
        parts.append(f";{'BW'[node.mover or 0]}[{'PA' if node.move == PASS else square_name(node.move)}]")
        if node.score is not None:
            parts.append(f"V[{number_text(node.score if node.mover is Color.BLACK else -node.score)}]")
        if node.seconds is not None:
            parts.append(f"{SECONDS}[{number_text(node.seconds)}]")
    if node.text:
        parts.append(bracketed("C", node.text))
    if node is game.node and node.children:
        parts.append(f"{CURSOR}[]")
    return "".join(parts)
