"""Reading collections in which some games are broken: the good ones, and a line on each of the others."""

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
    try:
        games = load(path, variant=variant, check=False).games
    except ValueError as refusal:
        return _tolerated(path, variant or OTHELLO, refusal)
    if not games:
        raise Fault("file.no-games", path=path)
    faults: list[Fault] = []
    if isinstance(games, GameTable):
        games = legal_games(games, faults, of_game)
    return games, _told(path, faults)


def _tolerated(path: str, variant: Variant, refusal: ValueError) -> tuple[Sequence[Game], list[str]]:
    """The games of a text that was refused, one by one; where none is good, the refusal stands."""
    faults: list[Fault] = []
    name = format_of(path)
    if name not in ("ggf", "sgf", "transcript"):
        raise refusal
    try:
        text = as_text(unpacked(read_bytes(path)))
        games: Sequence[Game]
        if name == "transcript":
            games = transcript.read(text, variant, faults)
        else:
            games = (ggf if name == "ggf" else sgf).read(text, faults)
    except ValueError:
        raise refusal from None
    if not games:
        raise refusal
    return games, _told(path, faults)


def _told(path: str, faults: list[Fault]) -> list[str]:
    return [f"{path}: {fault}" for fault in faults]
