"""What GGF and SGF share: properties in brackets, the tags that travel in them, and moves with a colour."""

import re
from collections.abc import Callable, Iterable, Mapping
from urllib.parse import unquote

from outflank.board.game import Game, Node, Replay
from outflank.board.squares import Color
from outflank.errors import Fault

BLANK = re.compile(r"\s*")
NAME = re.compile(r"\s*([A-Za-z]{1,40})\s*(?=\[)")
NEXT_VALUE = re.compile(r"\s*\[")
ESCAPED = re.compile(r"\\(\n|.)", re.DOTALL)
NUMBER = re.compile(r"[+-]?(?:\d{1,20}(?:\.\d{0,20})?|\.\d{1,20})(?:[eE][+-]?\d{1,3})?")

TAGS = {"Event": "EV", "Site": "PC", "Date": "DT", "Black": "PB", "White": "PW"}
"""The tags whose properties have the same name in both."""
MOVERS = {"B": Color.BLACK, "W": Color.WHITE}
"""The properties that are moves."""
MOST = 1000
"""Properties of a GGF game or an SGF node; a game of Othello has not a quarter of that."""
OTHER_TAG = "XT"
"""Our property for a tag that has none of its own: `XT[name:value]`."""
REASON = "XR"
"""Our property for why a game ended early, where the result's letter does not say it."""


def line_at(text: str, at: int) -> int:
    """The line number of what stands at a place, or after the white space there."""
    return text.count("\n", 0, _after_blank(text, at)) + 1


def shown(text: str, at: int = 0) -> str:
    """A few characters of a text, for an error message."""
    at = _after_blank(text, at)
    piece = text[at : at + 20]
    return repr(piece + "…" if at + 20 < len(text) else piece)


def _after_blank(text: str, at: int) -> int:
    while at < len(text) and text[at].isspace():
        at += 1
    return at


def read_property(text: str, at: int) -> tuple[str, list[str], int]:
    """The property at a place: its name, its values, and where it ends."""
    name = NAME.match(text, at)
    if name is None:
        raise Fault("at.line", line=line_at(text, at), why=Fault("property.unknown", text=shown(text, at)))
    values = []
    at = name.end()
    while opening := NEXT_VALUE.match(text, at):
        end = _closing(text, opening.end())
        if end < 0:
            raise Fault("at.line", line=line_at(text, at), why=Fault("property.cut-off", name=name[1]))
        values.append(_unescaped(text[opening.end() : end]))
        at = end + 1
    return name[1], values, at


def _closing(text: str, at: int) -> int:
    """Where the bracket that was opened before `at` closes: at a ] after an even number of backslashes."""
    while (end := text.find("]", at)) >= 0:
        slashes = end
        while slashes > at and text[slashes - 1] == "\\":
            slashes -= 1
        if (end - slashes) % 2 == 0:
            return end
        at = end + 1
    return -1


def _unescaped(value: str) -> str:
    value = value.replace("\r\n", "\n")
    if "\\" not in value:
        return value
    return ESCAPED.sub(lambda match: "" if match[1] == "\n" else match[1], value)


def bracketed(name: str, value: str) -> str:
    """`PB[name]`, with what would close the bracket escaped."""
    escaped = value.replace("\\", "\\\\").replace("]", "\\]")
    return f"{name}[{escaped}]"


def written(games: Iterable[Game], text_of: Callable[[Game], str]) -> str:
    """The texts of games, one per line; errors name the game."""
    texts = []
    for number, game in enumerate(games, 1):
        try:
            texts.append(f"{text_of(game)}\n")
        except ValueError as error:
            raise Fault("at.game", number=number, why=error) from None
    return "".join(texts)


def number_text(value: float) -> str:
    """A score or a time as files write it; as many digits as it takes to read the same number again."""
    if value != value or value in (float("inf"), float("-inf")):
        raise Fault("number.unwritable", text=value)
    value = float(value)
    rounded = f"{value:.2f}"
    return rounded if float(rounded) == value and len(rounded) < 12 else repr(value)


def parse_number(text: str) -> float:
    """A score or a time in seconds."""
    if not NUMBER.fullmatch(text):
        raise Fault("number.unreadable", text=shown(text))
    value = float(text)
    if value in (float("inf"), float("-inf")):
        raise Fault("number.too-large", text=shown(text))
    return value


def tag_properties(tags: Mapping[str, str], names: Mapping[str, str], reserved: Iterable[str]) -> dict[str, list[str]]:
    """Tags as properties: by their standard name, under their own where that is a free name, or together as `XT`."""
    taken = {*reserved, *names.values(), OTHER_TAG, REASON}
    properties = {names[tag]: [tags[tag]] for tag in names if tag in tags}
    for tag, value in tags.items():
        if tag in names:
            continue
        if re.fullmatch(r"[A-Z]{2,40}", tag) and tag not in taken:
            # Several values of one property are kept as one tag, joined by the brackets between them.
            properties[tag] = value.split("][")
        else:
            name = tag.replace("%", "%25").replace(":", "%3A")
            properties.setdefault(OTHER_TAG, []).append(f"{name}:{value}")
    return properties


def read_tag(tags: dict[str, str], tag_names: Mapping[str, str], name: str, values: list[str]) -> None:
    """Keeps a property that is no move or set-up as a tag of the game."""
    if name == OTHER_TAG:
        for value in values:
            tag, _, content = value.partition(":")
            tags[unquote(tag)] = content
    else:
        tags[tag_names.get(name, name)] = "][".join(values)


class NumberedReplay(Replay):
    """Moves that a file tells, counted: a wrong one is named with its number."""

    def __init__(self, game: Game) -> None:
        super().__init__(game)
        self.moves = 0

    def play(self, square: int, color: Color | None = None) -> Node:
        self.moves += 1
        try:
            return super().play(square, color)
        except ValueError as error:
            raise Fault("at.move", number=self.moves, why=error) from None
