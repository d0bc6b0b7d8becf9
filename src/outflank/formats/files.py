"""Files of games and positions: which format a path means, and what is in them."""

from collections.abc import Iterable
from datetime import date
from pathlib import Path

from outflank.board.game import Game
from outflank.board.position import Position
from outflank.board.variant import Variant
from outflank.errors import Fault
from outflank.formats import gam, wthor
from outflank.formats.detect import detect
from outflank.formats.disk import STANDARD, read_bytes, write_bytes
from outflank.formats.obf import Problem
from outflank.formats.reading import TITLES, Detected, as_text, of_games, read_as, unpacked
from outflank.formats.writing import encoded, games_of

EXTENSIONS = {".txt": "transcript", ".wtb": "wthor", **{f".{name}": name for name in TITLES}}
NAME_LISTS = (".jou", ".trn")


def format_of(path: str) -> str:
    """The format that a path's extension names, before a `.gz`; "" for none."""
    name = path.lower().removesuffix(".gz")
    extension = Path(name).suffix
    return "names" if extension in NAME_LISTS else EXTENSIONS.get(extension, "")


def load(path: str | Path, name: str = "", variant: str | Variant | None = None, check: bool = True) -> Detected:
    """What is in a file: read as the format named, else as its extension says, else as what it looks like.

    Without the check the large formats, WTHOR and log books, may hold illegal games: see `GameTable.illegal`.
    """
    path = str(path)
    variant = None if variant is None else Variant.named(variant)
    data = read_bytes(path)
    known = format_of(path)
    try:
        # Text files hold any kind of text, so only what says more than `.txt` is taken at its word.
        name = name or (known if known != "transcript" else "")
        if name == "wthor":
            table = wthor.decode(unpacked(data), *names_beside(path))
            return of_games(name, table.check()) if check else Detected(name, "WTHOR games", table)
        if name == "gam" and not check:
            return Detected(name, "games of a log book", gam.decode(as_text(unpacked(data))))
        return read_as(name, data, variant) if name else detect(data, variant)
    except ValueError as error:
        raise Fault("at.file", path="standard input" if path == STANDARD else path, why=error) from None


def game_files(path: str) -> list[str]:
    """The path itself, or the files of games (WTHOR, log books, GGF, SGF) in a folder and below it."""
    folder = Path(path)
    if path == STANDARD or not folder.is_dir():
        return [path]
    files = [str(file) for file in sorted(folder.rglob("*")) if format_of(file.name) in ("wthor", "gam", "ggf", "sgf")]
    if not files:
        raise Fault("folder.no-games", path=path)
    return files


def names_beside(path: str) -> tuple[list[str], list[str]]:
    """The players and tournaments that belong to a .wtb file: lists of its own name, else the folder's WTH.JOU."""
    if path == STANDARD:
        return [], []
    lists = []
    for extension, kind in zip(NAME_LISTS, wthor.NAME_BYTES, strict=True):
        found = _beside(Path(path.removesuffix(".gz")), extension)
        try:
            lists.append(wthor.read_names(found.read_bytes(), kind) if found else [])
        except ValueError as error:
            raise Fault("at.file-beside", name=found.name if found else extension, why=error) from None
    return lists[0], lists[1]


def _beside(path: Path, extension: str) -> Path | None:
    wanted = [stem + extension for stem in (path.stem.lower(), "wth", "wthor")]
    files = {file.name.lower(): file for file in path.parent.iterdir() if file.suffix.lower() == extension}
    return next((files[name] for name in wanted if name in files), None)


Written = Game | Position | Iterable[Game | Position] | Detected
"""What can be written: one, several, or all that was read."""


def write(what: Written, path: str | Path, format: str = "") -> None:
    """Writes games or positions to a file, in the format named or the one that its extension says."""
    save(_as_read(what), str(path), known_format(format or format_of(str(path)), "format", str(path)))


def written(what: Written, format: str) -> str:
    """Games or positions as text in a format."""
    if known_format(format, "format") == "wthor":
        raise Fault("writing.binary")
    return encoded(_as_read(what), format).decode()


def _as_read(what: Written) -> Detected:
    if isinstance(what, Detected):
        return what
    every = [what] if isinstance(what, Game | Position) else list(what)
    if not every:
        raise Fault("writing.nothing")
    positions = [one for one in every if isinstance(one, Position)]
    if len(positions) == len(every):
        return Detected("", "", problems=[Problem(one) for one in positions])
    return Detected("", "", [one if isinstance(one, Game) else Game(one) for one in every])


def known_format(name: str, option: str, path: str = "") -> str:
    """The name of a format that can be written; `option` is what may name another, and `path` what did not."""
    if name in TITLES:
        return name
    if path and name in ("", "names"):
        raise Fault("convert.no-extension", path=path, option=option, formats=", ".join(TITLES))
    raise Fault("convert.format", name=name, option=option, formats=", ".join(TITLES))


def save(found: Detected, path: str, name: str) -> list[str]:
    """Writes what was read to a file in a format; returns the paths written, lists of WTHOR names first."""
    contents: dict[str, bytes] = {}
    if name == "wthor" and path != STANDARD:
        games = games_of(found)
        players, tournaments = wthor.names_of(games)
        for names, extension, kind in zip((players, tournaments), NAME_LISTS, wthor.NAME_BYTES, strict=True):
            if names:
                beside = str(Path(path.removesuffix(".gz")).with_suffix(extension))
                contents[beside] = wthor.write_names(names, kind, date.today())
        contents[path] = wthor.write(games, players, tournaments, date.today())
    else:
        contents[path] = encoded(found, name)
    for place, data in contents.items():
        write_bytes(place, data)
    return list(contents)
