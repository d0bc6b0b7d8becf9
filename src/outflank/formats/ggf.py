"""GGF, the Generic Game Format of the game server GGS: `(;GM[Othello]PB[..]PW[..]TY[8]BO[8 … *]B[d3//0.01]…;)`.

Archive lines start with a count of games, two in a synchro match. The type `8a` is the reversed game.
"""

import re
from collections.abc import Sequence

from outflank.board.game import Game, Node
from outflank.board.position import Position
from outflank.board.squares import PASS, Color, parse_square, square_name
from outflank.board.variant import Variant
from outflank.errors import Fault
from outflank.formats import results
from outflank.formats.properties import (
    BLANK,
    MOST,
    MOVERS,
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

OPENING = re.compile(r"\s*(?:(?P<count>\d{1,9})\s+)?\(\s*;")
CLOSING = re.compile(r"\s*;\s*\)")
TYPE = re.compile(r"(?P<before>s?)(?P<size>\d{1,3})(?P<komi>k?)(?P<anti>a?)(?P<after>(?:r\d{1,3})?[bw]?)")

CLOCKS = {"Clock": "TI", "BlackClock": "TB", "WhiteClock": "TW"}
NAMES = {**TAGS, "BlackRating": "RB", "WhiteRating": "RW", **CLOCKS}
TAG_NAMES = {name: tag for tag, name in NAMES.items()}
RESERVED = ("GM", "TY", "RE", "BO", "B", "W", "C")
MARKS = str.maketrans("XO", "*O")

Property = tuple[str, list[str]]


def read(text: str, faults: list[Fault] | None = None) -> list[Game]:
    """Every game of a GGF text, in its order.

    A game with an illegal move is refused or, where a list of faults is given, told there and left out.
    """
    games: list[Game] = []
    at, owed, counted_at, number = 0, 0, 0, 0
    while BLANK.fullmatch(text, at) is None:
        opening = OPENING.match(text, at)
        if opening is None:
            raise Fault("ggf.no-beginning", line=line_at(text, at), text=shown(text, at))
        if opening["count"]:
            _none_missing(owed, text, counted_at)
            owed, counted_at = int(opening["count"]), opening.start("count")
        number += 1
        found, at = _properties(text, opening.end(), number)
        try:
            games.append(_game(found))
        except ValueError as error:
            fault = Fault("ggf.game", game=number, line=line_at(text, opening.end()), why=error)
            if faults is None:
                raise fault from None
            faults.append(fault)
        owed = max(0, owed - 1)
    _none_missing(owed, text, counted_at)
    if not number:
        raise Fault("ggf.empty")
    return games


def _none_missing(owed: int, text: str, counted_at: int) -> None:
    if owed:
        raise Fault("ggf.games-missing", line=line_at(text, counted_at), count=owed)


def _properties(text: str, at: int, number: int) -> tuple[list[Property], int]:
    """The properties of the game that begins at a place, and where it ends."""
    found: list[Property] = []
    while (closing := CLOSING.match(text, at)) is None:
        if BLANK.fullmatch(text, at):
            raise Fault("ggf.cut-off", line=line_at(text, at), game=number)
        try:
            name, values, at = read_property(text, at)
        except ValueError as error:
            raise Fault("ggf.property", game=number, why=error) from None
        found.append((name, values))
        if len(found) > MOST:
            raise Fault("ggf.too-many-properties", game=number, most=MOST)
    return found, closing.end()


def _game(found: list[Property]) -> Game:
    first = {name: values[0] for name, values in reversed(found)}
    if first.get("GM", "Othello").strip().lower() not in ("othello", "reversi"):
        raise Fault("ggf.not-othello", text=shown(first["GM"]))
    if "BO" not in first:
        raise Fault("ggf.no-board")
    kind = TYPE.fullmatch(first.get("TY", first["BO"].split()[0] if first["BO"].split() else ""))
    if kind is None:
        raise Fault("ggf.type", text=first.get("TY", "")[:20])
    size = int(kind["size"])
    variant = Variant(size, size, "fewest" if kind["anti"] else "most")
    game = Game(_board(first["BO"], variant))
    if kind["before"] or kind["komi"] or kind["after"]:
        game.tags["Type"] = kind[0]
    replay = NumberedReplay(game)
    node = game.root
    tags: dict[str, list[str]] = {}
    for name, values in found:
        if name in MOVERS:
            for value in values:
                node = _move(replay, MOVERS[name], value)
        elif name == "C":
            node.text = "\n".join([node.text, *values] if node.text else values)
        elif name not in (*RESERVED, REASON):
            tags.setdefault(name, []).extend(values)
    for name, values in tags.items():
        read_tag(game.tags, TAG_NAMES, name, values)
    if "RE" in first:
        _settle(game, first["RE"].strip(), first.get(REASON, ""))
    return game


def _board(text: str, variant: Variant) -> Position:
    size, _, squares = text.strip().partition(" ")
    if size != str(variant.rows):
        raise Fault("ggf.size", text=size[:10], size=variant.rows)
    marks = sum(not sign.isspace() for sign in squares)
    if marks != variant.square_count + 1:
        raise Fault("ggf.marks", marks=marks, squares=variant.square_count)
    try:
        return with_its_start(Position.from_text(squares, variant))
    except ValueError as error:
        raise Fault("ggf.board", why=error) from None


def _move(replay: NumberedReplay, color: Color, value: str) -> Node:
    """Plays `d3/eval/seconds`, the last two optional."""
    square, *rest = value.split("/")
    try:
        if len(rest) > 2:
            raise Fault("ggf.move", text=shown(value))
        move = parse_square(square)
        score, seconds = (parse_number(part.strip()) if part.strip() else None for part in (*rest, "", "")[:2])
    except ValueError as error:
        raise Fault("at.move", number=replay.moves + 1, why=error) from None
    node = replay.play(move, color)
    node.score, node.seconds = score, seconds
    return node


def _settle(game: Game, stated: str, reason: str) -> None:
    try:
        results.settle(game, results.statement(stated or results.UNKNOWN), reason)
    except ValueError:
        game.tags[results.TAG] = stated  # `:l` and other letters of servers: kept as they are


def write(games: Sequence[Game]) -> str:
    """Games as GGF, one a line, each up to its cursor; only square boards have a GGF form."""
    return written(games, _game_text)


def _game_text(game: Game) -> str:
    variant = game.variant
    if variant.rows != variant.columns:
        raise Fault("ggf.not-square", rows=variant.rows, columns=variant.columns)
    stated = results.stated_result(game)
    tags = results.tags_beside(game, stated)
    kind = TYPE.fullmatch(tags.get("Type", ""))
    type_text = f"{variant.rows}{'a' if variant.reversed else ''}"
    if kind and kind["size"] + kind["anti"] == type_text != kind[0]:
        type_text = tags.pop("Type")  # it says more: synchro, komi, a random start
    board = game.start.text[:-1].translate(MARKS) + "*O"[game.start.turn]
    reason = results.unspoken_reason(game)
    outcome = game.outcome()
    if stated.endswith(":f") and outcome is not None:  # a letter that GGF does not have
        stated, reason = stated[:-1] + "r", outcome.reason
    properties = tag_properties(tags, NAMES, RESERVED)
    parts = [
        "(;GM[Othello]",
        *(bracketed(name, value) for name, values in properties.items() for value in values),
        f"TY[{type_text}]RE[{_result_text(stated)}]BO[{variant.rows} {board}]",
        bracketed(REASON, reason) if reason else "",
        bracketed("C", game.root.text) if game.root.text else "",
    ]
    parts += [_move_text(node) for node in game.line]
    return "".join(parts) + ";)"


def _result_text(stated: str) -> str:
    margin = results.margin_of(stated)
    if margin is None:
        return results.UNKNOWN
    letter = stated.partition(":")[2]
    return f"{margin:+.3f}" + (f":{letter}" if letter else "")


def _move_text(node: Node) -> str:
    square = "PA" if node.move == PASS else square_name(node.move or 0)
    score = "" if node.score is None else number_text(node.score)
    seconds = "" if node.seconds is None else number_text(node.seconds)
    value = f"{square}/{score}/{seconds}".rstrip("/")
    comment = bracketed("C", node.text) if node.text else ""
    return f"{'BW'[node.mover or 0]}[{value}]{comment}"
