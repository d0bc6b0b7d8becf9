"""Who submitted what: a folder as a course system exports it.

A submission is a `.py` file, a folder or a zip. Its name has the student's id in it; `roster.csv`, if it is there, says
which ids there are and whose. Nothing is run, and nothing in the folder can stop the class: what cannot be used is a
student with a `problem`, or a line of `notes`. What was handed in is copied by its content, one student after the
other: a class need not fit into memory.
"""

import codecs
import csv
import io
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from outflank.agents.bundle import NOT_HANDED_IN, Bundle, gathered, is_python, printable, read_inside
from outflank.errors import Fault
from outflank.formats.disk import write_bytes

ROSTER = "roster.csv"
ENCODINGS = ("utf-8-sig", "gb18030", "latin-1")
"""What spreadsheets write; the last reads anything."""
SEPARATORS = (",", ";", "\t")
"""What stands between their columns."""
NUMBER = re.compile(r"(?<![0-9])[0-9]{4,}(?![0-9])")
"""A student's number in a name: four digits or more."""
EXPORTS = (
    re.compile(r"(?P<name>.+)_(?P<id>[0-9]+)_assignsubmission_(?:file|onlinetext)_?(?P<time>)(?P<file>.*)"),  # Moodle
    re.compile(
        r".+_(?P<name>)(?P<id>[^_]+)_attempt_(?P<time>[0-9]{4}(?:-[0-9]{2}){5})(?:_(?P<file>.+))?"
    ),  # Blackboard
    re.compile(r"(?P<name>[^\W0-9_]+)(?:_LATE)?_(?P<id>[0-9]+)_[0-9]+_(?P<time>)(?P<file>.+)"),  # Canvas
)
"""How course systems name what students handed in: a student's own files have the same id, and the same time where
there is one."""
RECEIPTS = (".txt", ".html")
"""What a course system adds to what was handed in."""
FORMULA = re.compile(r'="(.*)"')
"""How a spreadsheet keeps the zeros at the front of a number."""
NOTHING = "nothing was handed in"
LONGEST_NAME = 40


def slug(text: str) -> str:
    """A text as a part of a file's name."""
    return re.sub(r"[^\w.-]+", "_", text)[:LONGEST_NAME].strip("._") or "student"


@dataclass(frozen=True)
class Copy:
    """What a student handed in, as it is kept: a zip, named by its content."""

    path: Path
    fingerprint: str
    left_out: tuple[str, ...]

    @classmethod
    def kept(cls, bundle: Bundle, name: str, folder: Path) -> "Copy":
        """The copy of the same content that is there already, or a new one."""
        fingerprint = bundle.fingerprint
        path = next(iter(sorted(folder.glob(f"*-{fingerprint}.zip"))), None)
        if path is None:
            path = folder / f"{slug(name)}-{fingerprint}.zip"
            write_bytes(str(path), bundle.packed())
        return cls(path, fingerprint, bundle.left_out)


@dataclass(frozen=True)
class Student:
    """A student, and what there is of this one."""

    id: str
    name: str = ""
    source: str = ""
    """The file or folder in the class's folder; "" where there is none."""
    copy: Copy | None = None
    problem: str = ""
    """Why there is none."""

    @property
    def label(self) -> str:
        """What tables call this one."""
        return f"{self.name} ({self.id})" if self.name else self.id


@dataclass(frozen=True)
class Roll:
    """A class."""

    students: tuple[Student, ...]
    notes: tuple[str, ...] = ()
    """What is in the folder and belongs to nobody, and what is odd about it."""


def called(folder: Path, copies: Path) -> Roll:
    """Reads a class's folder, and keeps in another what was handed in."""
    roster = _roster(folder / ROSTER)
    handed_in: list[Student] = []
    notes: list[str] = []
    paths = [path for path in sorted(folder.iterdir()) if not path.name.startswith(".")]
    paths = [path for path in paths if path.name not in (*NOT_HANDED_IN, ROSTER)]
    exported = _exported(paths)
    for own in exported.values():
        entries = [path for path in own if path.is_dir() or path.suffix.lower() in (".py", ".zip")]
        if len(own) > 1 and len(entries) > 1 and all(is_python(path.name) for path in entries):
            handed_in.append(_together(own, folder.resolve(), copies))
            continue
        handed_in += [_read(path, folder.resolve(), copies) for path in entries]
        skipped = [path.name for path in own if path not in entries and path.suffix.lower() not in RECEIPTS]
        notes += [f"{printable(name)}: skipped (not a .py file, a .zip file or a folder)" for name in skipped]
    for path in () if exported else paths:
        if path.is_dir() or path.suffix.lower() in (".py", ".zip"):
            handed_in.append(_read(path, folder.resolve(), copies))
        else:
            notes.append(f"{printable(path.name)}: skipped (not a .py file, a .zip file or a folder)")
    if not handed_in:
        raise Fault("tournament.no-submission", folder=folder)
    handed_in.sort(key=lambda one: one.source)
    if roster:
        students = _identified(handed_in, roster)
    else:
        students = _of_system(handed_in) if exported else _numbered(handed_in)
    students, doubles = _once(students)
    notes += doubles
    for student in students:
        if student.copy is not None:
            notes += [f"{student.source}: without {line}" for line in student.copy.left_out]
    missing = [Student(id, name, problem=NOTHING) for id, name in roster.items()]
    known = {student.id for student in students}
    return Roll((*students, *(one for one in missing if one.id not in known)), tuple(notes))


def _named(path: Path) -> re.Match[str] | None:
    """What a course system says in an entry's name."""
    return next((found for form in EXPORTS if (found := form.fullmatch(path.name))), None)


def _exported(paths: Sequence[Path]) -> dict[tuple[str, str], list[Path]]:
    """The entries of each student's last time, where a course system has named all of them; else nothing. One that
    gives two names to a number has not: that number is a year, or another of the course's own."""
    found = [(path, named) for path in paths if (named := _named(path))]
    names = {(named["id"], named["name"]) for _, named in found}
    wanted = [path for path in paths if path.is_dir() or path.suffix.lower() in (".py", ".zip")]
    if not {path for path, _ in found}.issuperset(wanted) or len({id for id, _ in names}) != len(names):
        return {}
    last: dict[str, str] = {}
    for path, named in found:
        if path in wanted:
            last[named["id"]] = max(last.get(named["id"], ""), named["time"])
    groups: dict[tuple[str, str], list[Path]] = {}
    for path, named in found:
        if last.get(named["id"]) == named["time"] and not _is_receipt(path, named):
            groups.setdefault((named["id"], named["name"]), []).append(path)
    return groups


def _is_receipt(path: Path, named: re.Match[str]) -> bool:
    """Whether it is what a course system adds: a student's text of no program."""
    return "_onlinetext_" in path.name or (not named["file"] and path.suffix.lower() in RECEIPTS)


def _of_system(handed_in: Sequence[Student]) -> list[Student]:
    """Students by the ids and names that a course system has given to their entries."""
    named = [(one, _named(Path(one.source))) for one in handed_in]
    return [one if found is None else replace(one, id=found["id"], name=found["name"]) for one, found in named]


def _together(paths: Sequence[Path], root: Path, copies: Path) -> Student:
    """One student's several files, each by the name that the student gave it."""
    student = Student(printable(paths[0].stem), source=printable(paths[0].name))
    files, left_out = {}, []
    for path in paths:
        content, why = read_inside(path, root)
        named = _named(path)
        assert named is not None
        if content is None:
            left_out.append(f"{printable(path.name)}: {why}")
        else:
            files[_as_handed_in(named["file"])] = content
    if not any(map(is_python, files)):
        return replace(student, problem="; ".join(left_out))
    return replace(student, copy=Copy.kept(Bundle(files, tuple(left_out)), student.id, copies))


def _as_handed_in(name: str) -> str:
    """`main.py`, where a course system has made `main-2.py` of it, which nothing could import."""
    return re.sub(r"-[0-9]+(?=\.py$)", "", name, flags=re.IGNORECASE)


def _read(path: Path, root: Path, copies: Path) -> Student:
    """What one entry of the folder holds; its id is its name for now."""
    source = printable(path.name)
    student = Student(source if path.is_dir() else Path(source).stem, source=source)
    if source != path.name:  # it may look like another student's
        return replace(student, problem="its name has characters that cannot be shown")
    try:
        if path.is_dir() or path.suffix.lower() == ".zip":
            if not path.resolve().is_relative_to(root):
                return replace(student, problem="it is a link that leads out of the folder")
            if not path.is_dir() and not path.is_file():
                return replace(student, problem="it is not a file")
            bundle = gathered(path)
        else:
            content, why = read_inside(path, root)
            if content is None:
                return replace(student, problem=why)
            bundle = Bundle({path.name: content})
    except Fault as fault:
        return replace(student, problem=str(fault))
    except (OSError, RuntimeError) as error:
        return replace(student, problem=(getattr(error, "strerror", None) or "it cannot be read").lower())
    return replace(student, copy=Copy.kept(bundle, student.id, copies))


def _roster(path: Path) -> dict[str, str]:
    """Names by id; none where there is no roster."""
    if not path.is_file():
        return {}
    data = path.read_bytes()
    marked = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    for encoding in ("utf-16", *ENCODINGS) if marked else ENCODINGS:
        try:
            text = data.decode(encoding)
            break
        except UnicodeDecodeError:
            continue
    for separator in SEPARATORS:
        rows = [[FORMULA.sub(r"\1", cell.strip()) for cell in row] for row in _cells(text, separator)]
        header = [cell.lower() for cell in rows[0]] if rows else []
        if "id" in header:
            break
    else:
        raise Fault("class.roster", path=path)
    found = {}
    for row in rows[1:]:
        cells = dict(zip(header, row, strict=False))
        if cells.get("id"):
            found[cells["id"]] = cells.get("name", "")
    return found


def _cells(text: str, separator: str) -> list[list[str]]:
    """The rows of a table that have anything in them, without Excel's line that names the separator."""
    lines = text.removeprefix("\ufeff").splitlines(keepends=True)
    if lines and re.fullmatch(r"sep=.\s*", lines[0], re.IGNORECASE):
        del lines[0]
    try:
        return [row for row in csv.reader(io.StringIO("".join(lines)), delimiter=separator) if any(row)]
    except csv.Error:
        return []


def _identified(handed_in: Sequence[Student], roster: dict[str, str]) -> list[Student]:
    """Students by the id of the roster that stands in their file's name, the longest of several; a name in it will do,
    where it is the only one."""
    found = []
    for one in handed_in:
        ids = sorted((id for id in roster if _in(id, one.id)), key=len)
        if not ids:
            ids = [id for id, name in roster.items() if name and _in(name, one.id)]
            ids = ids if len(ids) == 1 else []
        found.append(replace(one, id=ids[-1], name=roster[ids[-1]]) if ids else one)
    return found


def _in(part: str, text: str) -> bool:
    """Whether a text has this part, not as a piece of a longer word or number."""
    return re.search(rf"(?<![^\W_]){re.escape(part)}(?![^\W_])", text, re.IGNORECASE) is not None


def _numbered(handed_in: Sequence[Student]) -> list[Student]:
    """Without a roster: the one number that stands in a name and in no other is the id, the rest of it the name."""
    numbers = [NUMBER.findall(one.id) for one in handed_in]
    times = Counter(number for found in numbers for number in set(found))
    students = []
    for one, found in zip(handed_in, numbers, strict=True):
        own = {number for number in found if times[number] == 1}
        if len(own) != 1:
            students.append(one)
            continue
        number = own.pop()
        rest = re.sub(r"[\s_-]+", " ", one.id.replace(number, " ")).strip(" ()")
        students.append(replace(one, id=number, name=rest))
    return students


def _once(students: Sequence[Student]) -> tuple[list[Student], list[str]]:
    """Each student once: of several files that have an id the last by name counts, if it can be read."""
    kept: dict[str, Student] = {}
    notes = []
    for student in students:
        before = kept.get(student.id)
        if before is not None and student.copy is None:
            student, before = before, student
        if before is not None:
            notes.append(f"{before.source}: {student.source} is of the same student ({student.id}) and counts instead")
        kept[student.id] = student
    return list(kept.values()), notes
