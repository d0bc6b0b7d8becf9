"""Reading collections with broken games: the good ones, and a line about each of the others."""

from collections.abc import Sequence

from outflank.board.game import Game
from outflank.board.variant import OTHELLO, Variant
from outflank.errors import Fault
from outflank.formats import ggf, sgf, transcript
from outflank.formats.disk import read_bytes
from outflank.formats.files import format_of, load
from outflank.formats.reading import as_text, unpacked
from outflank.formats.table import GameTable, of_game
from outflank.formats.transcript import legal_games


def load_legal(path: str, variant: Variant | None = None) -> tuple[Sequence[Game], list[str]]:
    """The legal games of a file, and what is wrong with each of the others.

    What is no collection of games at all is refused, as `files.load` refuses it.
    """
    faults: list[Fault] = []
    try:
        games = load(path, variant=variant, check=False).games
    except ValueError:
        games = _tolerated(path, variant or OTHELLO, faults)
        if not games:
            raise
    if not games:
        raise Fault("file.no-games", path=path)
    if isinstance(games, GameTable):
        games = legal_games(games, faults, of_game)
    return games, [f"{path}: {fault}" for fault in faults]


def _tolerated(path: str, variant: Variant, faults: list[Fault]) -> Sequence[Game]:
    """The good games of a text that was refused as a whole; none where it is not of a format with separate games."""
    name = format_of(path)
    if name not in ("ggf", "sgf", "transcript"):
        return ()
    try:
        text = as_text(unpacked(read_bytes(path)))
        if name == "transcript":
            return transcript.read(text, variant, faults)
        return ggf.read(text, faults) if name == "ggf" else sgf.read(text, faults)
    except ValueError:
        return ()
