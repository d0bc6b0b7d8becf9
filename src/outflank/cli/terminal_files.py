"""One game from text or a file, and into a file, in any format that Outflank knows: what `move` and `play` need."""

import dataclasses
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from outflank.board.game import Game
from outflank.board.variant import OTHELLO, Variant
from outflank.errors import Fault, MachineError
from outflank.formats import files
from outflank.formats.detect import detect
from outflank.formats.reading import Detected


def read_game(text: str, variant: Variant | None = None) -> Game:
    """The game in a text, or a game from the position in it; without text, one that has not begun.

    A variant is what the text must be of. Without one the text may say what it is of; a transcript cannot, and is of
    standard Othello: its first wrong move must not make it a game on another board.
    """
    wanted = variant or OTHELLO
    if not text.strip():
        return Game(wanted)
    found = detect(text, variant)
    game = found.only
    if found.format == "transcript" and game.variant != wanted:
        raise Fault("file.variant-unsaid", variant=game.variant, wanted=wanted)
    if variant is not None:
        require(game, variant)
    return game


def require(game: Game, variant: Variant) -> None:
    """Refuses a game of other rules than the ones asked for; where its discs started does not matter."""
    if dataclasses.replace(game.variant, start=variant.start) != variant:
        raise Fault("file.other-variant", variant=game.variant, wanted=variant)


def load_game(path: Path, likely: Variant) -> Game:
    """The game in a file, or a game from the position in it; where the file does not name its variant, it is of the
    likely one if it can be."""
    with _naming(path):
        return files.load(_place(path), variant=likely).only


def save_game(game: Game, path: Path, replace: bool = False) -> None:
    """Writes a game in the format of the file's extension, a transcript if it has none that is known.

    All of it is written or nothing, and a file that is there is replaced only where that was asked for.
    """
    with _naming(path):
        place = Path(_place(path))
        form = files.format_of(place.name) or "transcript"
        beside = [place.with_suffix(extension) for extension in files.NAME_LISTS] if form == "wthor" else []
        if place.is_dir():
            raise Fault("file.folder")
        if any(file.exists() for file in (place, *beside)) and not replace:
            raise Fault("file.exists")
        if not game.moves and game.start == Game(game.variant).start:
            raise Fault("file.nothing-to-save")
        files.save(Detected(form, "the game", [game]), str(place), form)


def _place(path: Path) -> str:
    """The path as the format room takes it; absolute, since `-` means standard input there."""
    return str(path.expanduser().absolute())


@contextmanager
def _naming(path: Path) -> Iterator[None]:
    """Turns what goes wrong with a file into one line that begins with the name a person gave it."""
    try:
        yield
    except OSError as error:
        raise MachineError("at.file", path=path, why=_without_place(error.strerror or str(error), path)) from None
    except ValueError as error:
        raise Fault("at.file", path=path, why=_without_place(str(error), path)) from None


def _without_place(message: str, path: Path) -> str:
    """A message of the format room, which names the file already."""
    return message.removeprefix(f"{_place(path)}: ")
