"""Reading by name: each format's bytes become a `Detected`, which holds what is in them and says what it is."""

import gzip
import io
import re
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from outflank.board.game import Game
from outflank.board.position import Position
from outflank.board.squares import PASS
from outflank.board.variant import OTHELLO, Variant
from outflank.errors import Fault
from outflank.formats import arrays, boards, gam, ggf, obf, pictures, sgf, transcript, wthor
from outflank.formats.obf import Problem
from outflank.formats.starts import description

TITLES = {
    "transcript": "transcripts",
    "board": "board text",
    "array": "arrays",
    "obf": "OBF",
    "ggf": "GGF",
    "sgf": "SGF",
    "wthor": "WTHOR",
    "gam": "log book",
    "svg": "SVG",
}
"""Every format, as people call it."""
LARGEST_FILE = 1 << 30
"""Bytes that a packed file may unpack to: ten times all the games that there are."""


@dataclass(frozen=True)
class Detected:
    """What a text was taken for, and what is in it: games, or positions with what is known of them, or names."""

    format: str
    """transcript, board, array, obf, ggf, sgf, wthor, gam, svg, or names."""
    kind: str
    """The same for people: `a transcript of 37 moves (8x8, mirrored start)`."""
    games: Sequence[Game] = ()
    problems: Sequence[Problem] = ()
    names: Sequence[str] = ()

    @property
    def only(self) -> Game:
        """The one game that is in it, or a game that begins in the one position that is."""
        if len(self.games) + len(self.problems) != 1:
            raise Fault("reading.several", what=self.kind)
        return self.games[0] if self.games else Game(self.problems[0].position)

    @property
    def positions(self) -> list[Position]:
        """The positions of a format that holds positions."""
        return [problem.position for problem in self.problems]


def read_as(name: str, data: bytes, variant: Variant | None = None) -> Detected:
    """Reads bytes as a format that is known: see `Detected.format`."""
    data = unpacked(data)
    if name == "wthor":
        return of_games(name, wthor.read(data))
    if name == "names":
        return _names(data)
    return READERS[name](as_text(data), variant)


def unpacked(data: bytes, largest: int = LARGEST_FILE) -> bytes:
    """The content of gzipped bytes, refused where a small file unpacks to a large one; others as they are."""
    if data[:2] != b"\x1f\x8b":
        return data
    try:
        content = gzip.GzipFile(fileobj=io.BytesIO(data)).read(largest + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise Fault("gzip.damaged", why=error) from None
    if len(content) > largest:
        raise Fault("gzip.too-large", most=largest >> 20)
    return content


def as_text(data: bytes) -> str:
    """Bytes as text: UTF-8, or UTF-16 with its mark, or Latin-1 where no control character speaks against it."""
    try:
        return data.decode("utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig")
    except UnicodeDecodeError:
        strange = re.search(rb"[\0-\x08\x0e-\x1f\x7f-\x9f]", data)
        if strange:
            raise Fault("reading.binary", byte=strange[0][0], offset=strange.start()) from None
        return data.decode("latin-1")


def of_games(name: str, games: Sequence[Game]) -> Detected:
    """Games of a format, and what they are called."""
    title = TITLES[name]
    if name == "transcript":
        kind = f"{len(games):,} transcripts ({description(games[0].variant)})"
    elif name == "wthor":
        year = games[0].tags.get("Date", "")
        kind = f"a WTHOR file of {_counted(len(games), 'game')}" + (f" of {year}" if year else "")
    elif name == "gam" and len(games) > 1:
        kind = f"a log book of {len(games):,} games"
    elif len(games) > 1:
        kind = f"{len(games):,} {title} games"
    else:
        an = "an" if name == "sgf" else "a"
        kind = f"{an} {title} game of {moves_of(games[0])}"
    return Detected(name, kind, games)


def moves_of(game: Game) -> str:
    moves = _counted(sum(move != PASS for move in game.moves), "move")
    return f"{moves} ({description(game.variant)})"


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def _names(data: bytes) -> Detected:
    errors: list[ValueError] = []
    for kind in ("player", "tournament"):
        try:
            names = wthor.read_names(data, kind)
        except ValueError as error:
            errors.append(error)
        else:
            return Detected("names", f"WTHOR's names of {_counted(len(names), kind)}", names=names)
    raise errors[0]


def _picture(text: str, _: Variant | None) -> Detected:
    position = pictures.read(text)
    return Detected("svg", f"a picture by Outflank ({description(position.variant)})", problems=[Problem(position)])


def _obf(text: str, variant: Variant | None) -> Detected:
    problems = obf.read(text, variant)
    count = len(problems)
    return Detected("obf", "an OBF position" if count == 1 else f"{count:,} OBF positions", problems=problems)


def _board(text: str, variant: Variant | None) -> Detected:
    return _of_boards("board", "board", "boards", boards.read(text, variant))


def _array(text: str, variant: Variant | None) -> Detected:
    return _of_boards("array", "board as an array", "boards as arrays", arrays.read(text, variant))


def _of_boards(name: str, title: str, titles: str, positions: list[Position]) -> Detected:
    first = positions[0]
    if len(positions) == 1:
        state = "the game is over" if first.is_over else f"{first.turn} to move"
        kind = f"a {title} ({description(replace(first.variant, start='diagonal'))}), {state}"
    else:
        kind = f"{len(positions):,} {titles}"
    return Detected(name, kind, problems=[Problem(position) for position in positions])


def _transcripts(text: str, variant: Variant | None) -> Detected:
    """A game a line, of the variant named or of standard Othello."""
    games = transcript.read(text, variant or OTHELLO)
    if len(games) == 1:
        return Detected("transcript", f"a transcript of {moves_of(games[0])}", [games[0]])
    return of_games("transcript", games)


READERS: dict[str, Callable[[str, Variant | None], Detected]] = {
    "transcript": _transcripts,
    "board": _board,
    "array": _array,
    "obf": _obf,
    "ggf": lambda text, _: of_games("ggf", ggf.read(text)),
    "sgf": lambda text, _: of_games("sgf", sgf.read(text)),
    "gam": lambda text, _: of_games("gam", gam.read(text)),
    "svg": _picture,
}
"""The formats that are text. One that says its own variant ignores the one given."""
