"""A submission as names and bytes: one file, a folder with helper modules, or a zip of either.

Nothing of it is run or parsed here. One odd file (a link that leads out of the folder, a device, an unreadable one)
never stops anybody: it is left out, and `left_out` says why.
"""

import contextlib
import hashlib
import io
import os
import stat
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from outflank.errors import Fault

MEGABYTE = 1 << 20
LARGEST_SOURCE = MEGABYTE
LARGEST = 8 * MEGABYTE
"""Of all files together: they go to a new process for every game."""
MOST_FILES = 500
LARGEST_ZIP = 8 * LARGEST
"""With what is left out of it."""
SAYS_UTF8 = 0x800
"""Of a zip member's flags: its name is UTF-8."""
NOT_HANDED_IN = ("__pycache__", "__MACOSX", "venv", "node_modules")
"""What tools leave behind, beside everything whose name begins with a dot."""


@dataclass(frozen=True)
class Bundle:
    """The files of one player, by their paths from its folder."""

    files: Mapping[str, bytes]
    left_out: tuple[str, ...] = ()
    """`NAME: why`, for each file that does not belong to the player."""

    def __post_init__(self) -> None:
        """`AI.PY` is Python's too, which looks for `AI.py`."""
        named = {one[:-3] + ".py" if is_python(one) else one: content for one, content in self.files.items()}
        object.__setattr__(self, "files", named)

    @property
    def fingerprint(self) -> str:
        """Who handed in the same has the same: one file by its content alone, several by their names, too."""
        if len(self.files) == 1:
            return hashlib.sha256(*self.files.values()).hexdigest()[:12]
        digest = hashlib.sha256()
        for name, content in sorted(self.files.items()):
            digest.update(f"{len(content)} {name}\n".encode() + content)
        return digest.hexdigest()[:12]

    def packed(self) -> bytes:
        """A zip of it, the same bytes for the same files."""
        data = io.BytesIO()
        with zipfile.ZipFile(data, "w") as archive:
            for name, content in sorted(self.files.items()):
                archive.writestr(zipfile.ZipInfo(name), content)
        return data.getvalue()


def gathered(path: Path) -> Bundle:
    """What lies at a path. A Fault says what is wrong with all of it: it is too large, or has nothing in it."""
    if path.is_dir():
        entries = list(_bounded(_of_folder(path)))
        zips = [name for name, content, _ in entries if name.lower().endswith(".zip") and content is not None]
        if len(zips) == 1 and not any(is_python(name) for name, *_ in entries):
            return gathered(path / zips[0])
        return _checked(entries)
    if is_zip(path):
        return _checked(list(_bounded(_of_zip(path))))
    if path.stat().st_size > LARGEST_SOURCE:
        raise Fault("guest.file-size", megabytes=LARGEST_SOURCE // MEGABYTE)
    return Bundle({path.name: path.read_bytes()})


def is_python(name: str) -> bool:
    return name.lower().endswith(".py")


def is_zip(path: Path) -> bool:
    """Whether a file is a zip, whatever it is called; a Python file is none, also where a zip hides behind its text."""
    suffix = path.suffix.lower()
    return suffix != ".py" and path.is_file() and (suffix == ".zip" or zipfile.is_zipfile(path))


Entry = tuple[str, bytes | None, str]
"""A name, its content, or None and why it is left out."""


def _of_folder(folder: Path) -> Iterator[Entry]:
    root = folder.resolve()
    for place, folders, files in os.walk(folder):
        folders[:] = sorted(one for one in folders if _wanted(one))
        for one in [*sorted(filter(_wanted, files)), *(one for one in folders if (Path(place) / one).is_symlink())]:
            path = Path(place) / one
            content, why = read_inside(path, root)
            yield path.relative_to(folder).as_posix(), content, why


def read_inside(path: Path, root: Path) -> tuple[bytes | None, str]:
    """A file of somebody else's: its content, or None and why it is not read. It must lie in a folder, also where a
    link leads, and be a file: a pipe would keep us waiting, a device change when it is read."""
    try:
        if not path.name.isprintable():
            return None, "its name has characters that cannot be shown"
        place = path.resolve(strict=True)
        if not place.is_relative_to(root):
            return None, "it is a link that leads out of the folder"
        about = place.stat()
        if not stat.S_ISREG(about.st_mode):
            return None, "it is not a file"
        if about.st_size > (LARGEST_SOURCE if is_python(path.name) else LARGEST):
            return None, f"it has {about.st_size / MEGABYTE:.1f} MB"
        return place.read_bytes(), ""
    except (OSError, RuntimeError) as error:  # a link to itself is a RuntimeError
        return None, (getattr(error, "strerror", None) or "it cannot be read").lower()


def _of_zip(path: Path) -> Iterator[Entry]:
    if path.stat().st_size > LARGEST_ZIP:  # its list of files would be read whole
        raise Fault("bundle.size", megabytes=LARGEST // MEGABYTE, files=MOST_FILES)
    try:
        with zipfile.ZipFile(path) as archive:
            for member in archive.infolist():
                parts = PurePosixPath(_name(member).replace("\\", "/")).parts
                if not member.is_dir() and parts and all(map(_wanted, parts)):
                    yield "/".join(parts), *_of_member(archive, member, parts)
    except Exception as error:  # the module raises many kinds for what is damaged, and for what is made to harm
        raise Fault("bundle.zip", why=printable(str(error))) from None


def _name(member: zipfile.ZipInfo) -> str:
    """A member's name. Many programs write it as their system does, in UTF-8 or GBK, and do not say so: it has then
    been read as the letters of an old PC."""
    if member.flag_bits & SAYS_UTF8 or member.filename.isascii():
        return member.filename
    for encoding in ("utf-8", "gb18030"):
        with contextlib.suppress(UnicodeError):
            return member.filename.encode("cp437").decode(encoding)
    return member.filename


def _of_member(archive: zipfile.ZipFile, member: zipfile.ZipInfo, parts: tuple[str, ...]) -> tuple[bytes | None, str]:
    if parts[0] == "/" or ".." in parts or ":" in parts[0] or not "".join(parts).isprintable():
        return None, "it has no name that a file of a folder can have"
    if stat.S_ISLNK(member.external_attr >> 16):
        return None, "it is a link"
    if member.flag_bits & 1:
        return None, "it is encrypted"
    largest = LARGEST_SOURCE if is_python(parts[-1]) else LARGEST
    try:
        with archive.open(member) as file:
            content = file.read(largest + 1)  # what a zip says of sizes need not be so
    except Exception as error:  # as in _of_zip; each kind of compression has its own
        return None, str(error).lower() or "it is damaged"
    return (content, "") if len(content) <= largest else (None, f"it has more than {largest // MEGABYTE} MB")


def _wanted(name: str) -> bool:
    return (not name.startswith(".") or name == "..") and name not in NOT_HANDED_IN and not name.endswith(".pyc")


def _bounded(entries: Iterator[Entry]) -> Iterator[Entry]:
    """Stops before what is too much is read: a small zip may unpack to more than there is memory."""
    size = 0
    for number, entry in enumerate(entries, 1):
        size += len(entry[1] or b"")
        if size > LARGEST or number > MOST_FILES:
            raise Fault("bundle.size", megabytes=LARGEST // MEGABYTE, files=MOST_FILES)
        yield entry


def _checked(entries: list[Entry]) -> Bundle:
    files = {one: content for one, content, _ in entries if content is not None}
    left_out = [f"{printable(one)}: {printable(why)}" for one, content, why in entries if content is None]
    # A zip usually has a folder in it, and that the files.
    while files and len(tops := {one.partition("/")[0] for one in files}) == 1 and all("/" in one for one in files):
        files = {one.removeprefix(f"{min(tops)}/"): content for one, content in files.items()}
    if not any(map(is_python, files)):
        raise Fault("bundle.empty")
    return Bundle(files, tuple(left_out))


def printable(name: str) -> str:
    """A name that can be shown, whatever a system allows."""
    return "".join(mark if mark.isprintable() else "?" for mark in name)
