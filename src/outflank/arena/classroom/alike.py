"""Which submissions look alike: shared pieces of code, found by copydetect (winnowing, as Moss does it).

Names, comments and strings do not count, so that renaming hides nothing. Short programs are alike by chance, unless
they differ in comments and layout alone. It finds likeness and proves no copying: code that everybody was given is best
named, so that it is left out.
"""

import ast
import io
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

from outflank.agents.bundle import Bundle
from outflank.arena.text import csv_text

TOKENS = 25
"""Signs in a row, after names are made alike, below which a match is chance: copydetect's own default."""
LEAST = 0.5
"""Of the shorter one's code that the two share."""
SHORTEST = 200
"""Signs, after names are made alike, below which a submission is hardly more than the interface, which all share."""
LONGEST = 200_000
"""Characters of a submission that are looked at: students write a tenth, and a hostile file costs no hour."""


@dataclass(frozen=True)
class Pair:
    """Two students, and how much of each one's code the other has too."""

    first: str
    second: str
    shared: tuple[float, float]
    """0 to 1."""
    same: bool
    """Both handed in the same, to the byte."""


def can_compare() -> bool:
    """Whether copydetect is installed."""
    import importlib.util

    return importlib.util.find_spec("copydetect") is not None


class Sources(NamedTuple):
    """What is compared of a submission."""

    fingerprint: str
    text: str
    """All of its Python, one file after the other."""

    @classmethod
    def of(cls, bundle: Bundle) -> "Sources":
        parts = (content for name, content in sorted(bundle.files.items()) if name.endswith(".py"))
        return cls(bundle.fingerprint, "\n".join(part.decode("utf-8", "replace") for part in parts)[:LONGEST])


def alike(handed_in: Mapping[str, Sources], given: str = "") -> list[Pair]:
    """The pairs that look alike, the most alike first; without copydetect only those that say the same."""
    found = []
    documents = _documents(handed_in, given) if can_compare() else {}
    said = {name: _said(sources.text) for name, sources in handed_in.items()}
    given_said = _said(given)
    for one, other in combinations(handed_in, 2):
        if handed_in[one].fingerprint == handed_in[other].fingerprint:
            found.append(Pair(one, other, (1.0, 1.0), True))
        elif said[one] and said[one] == said[other] != given_said:
            found.append(Pair(one, other, (1.0, 1.0), False))
        elif one in documents and other in documents:
            shared = _shared(documents[one], documents[other])
            if max(shared) >= LEAST:
                found.append(Pair(one, other, shared, False))
    return sorted(found, key=lambda pair: (not pair.same, -max(pair.shared), -min(pair.shared)))


def _said(text: str) -> str:
    """A program without its comments and layout; "" for what is no program."""
    try:
        return ast.dump(ast.parse(text)) if text.strip() else ""
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return ""


def _documents(handed_in: Mapping[str, Sources], given: str) -> "dict[str, object]":
    from copydetect import CodeFingerprint

    def read(text: str, known: object = None) -> CodeFingerprint:
        # A window of one takes every piece: with a longer one it is chance which, another in every run.
        return CodeFingerprint("all.py", TOKENS, 1, known, language="python", fp=io.StringIO(text))

    known = list(read(given).hashes) if given else None
    found = {}
    for name, sources in handed_in.items():
        document = read(sources.text, known)
        if document.token_coverage >= SHORTEST:
            found[name] = document
    return found


def _shared(one: object, other: object) -> tuple[float, float]:
    from copydetect import compare_files

    _, (first, second), _ = compare_files(one, other)
    return min(float(first), 1.0), min(float(second), 1.0)


def alike_csv(pairs: list[Pair], names: Mapping[str, str]) -> str:
    """The pairs, with the students' names."""
    rows = [
        [
            *(pair.first, names[pair.first], pair.second, names[pair.second]),
            *(round(part, 3) for part in pair.shared),
            int(pair.same),
        ]
        for pair in pairs
    ]
    head = ["first", "first_name", "second", "second_name", "shared_of_first", "shared_of_second", "same_files"]
    return csv_text([head, *rows])
