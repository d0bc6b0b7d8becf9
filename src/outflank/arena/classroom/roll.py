"""Who handed in what: a folder as a course system exports it.

A submission is a `.py` file, a folder or a zip. Its name has the student's id in it; `roster.csv`, if it is there, says
which ids there are and whose. Nothing is run, and nothing in the folder can stop the class: what cannot be used is a
student with a `problem`, or a line of `notes`. What was handed in is copied by its content, one student after the
other: a class need not fit into memory.
"""

import csv
import io
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from outflank.agents.bundle import NOT_HANDED_IN, Bundle, gathered, printable, read_inside
from outflank.errors import Fault
from outflank.formats.disk import write_bytes

ROSTER = "roster.csv"
ENCODINGS = ("utf-8-sig", "gb18030", "latin-1")
"""What spreadsheets write; the last reads anything."""
NUMBER = re.compile(r"(?<![0-9])[0-9]{4,}(?![0-9])")
"""A student's number in a name: four digits or more."""
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
    for path in sorted(folder.iterdir()):
        if path.name.startswith(".") or path.name in NOT_HANDED_IN or path.name == ROSTER:
            continue
        if path.is_dir() or path.suffix.lower() in (".py", ".zip"):
            handed_in.append(_read(path, folder.resolve(), copies))
        else:
            notes.append(f"{printable(path.name)}: skipped (not a .py file, a .zip file or a folder)")
    if not handed_in:
        raise Fault("tournament.no-submission", folder=folder)
    students = _identified(handed_in, roster) if roster else _numbered(handed_in)
    students, doubles = _once(students)
    notes += doubles
    for student in students:
        if student.copy is not None:
            notes += [f"{student.source}: without {line}" for line in student.copy.left_out]
    missing = [Student(id, name, problem=NOTHING) for id, name in roster.items()]
    known = {student.id for student in students}
    return Roll((*students, *(one for one in missing if one.id not in known)), tuple(notes))


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
    for encoding in ENCODINGS:
        try:
            text = data.decode(encoding)
            break
        except UnicodeDecodeError:
            continue
    rows = list(csv.reader(io.StringIO(text)))
    header = [cell.strip().lower() for cell in rows[0]] if rows else []
    if "id" not in header:
        raise Fault("class.roster", path=path)
    found = {}
    for row in rows[1:]:
        cells = dict(zip(header, map(str.strip, row), strict=False))
        if cells.get("id"):
            found[cells["id"]] = cells.get("name", "")
    return found


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
