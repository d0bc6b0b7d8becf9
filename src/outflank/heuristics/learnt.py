"""A weighted heuristic in a file: what learning and `outflank heuristics --json` write, and what any spec takes
(`heuristic=mine.json`).

The file is JSON that people can read and change: the named heuristic whose terms these are, the game they were learnt
for, the phases, each term's weights, and the tables of square values, row by row, where they are other than its own.
Values are for the side to move in that game, so that more is better under its objective.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from outflank.board.variant import Variant
from outflank.errors import Fault
from outflank.formats.disk import write_bytes
from outflank.heuristics.matrices import Matrix, as_matrix
from outflank.heuristics.named import NAMED
from outflank.heuristics.phases import matrices_of, square_table
from outflank.heuristics.weighted import Term, WeightedHeuristic

Data = dict[str, Any]
FORMAT = "outflank heuristic"
VERSION = 1
MOST_DISCS = 64
LARGEST_NUMBER = 1e12
"""Of weights and square values: products of them, added up over a board, are numbers still."""
LONGEST_SHOWN = 60
LEARNT = "learnt-"
"""How the names of shipped files begin."""
ROW_OF_NUMBERS = re.compile(r"\[\s+([^\[\]{}]*?)\s+\]")


def to_data(heuristic: WeightedHeuristic, variant: Variant, about: Mapping[str, Any] | None = None) -> Data:
    """A heuristic with the terms of a named one, as its file has it."""
    named = {term.name: term for term in NAMED[heuristic.name].terms}
    terms: Data = {}
    for term in heuristic.terms:
        one: Data = {"weights": list(term.weights)}
        if matrices_of(term.feature) != matrices_of(named[term.name].feature):
            one |= squares_data(term)
        if term.both != named[term.name].both:
            one["both"] = term.both
        terms[term.name] = one
    return {
        "format": FORMAT,
        "version": VERSION,
        "heuristic": heuristic.name,
        "variant": variant.name,
        "phases": list(heuristic.phases),
        "terms": terms,
        **({"about": dict(about)} if about else {}),
    }


def whole_data(heuristic: WeightedHeuristic) -> Data:
    """The same with every number in it, also those that are its own: to be looked at, changed and used."""
    data = to_data(heuristic, Variant(objective=heuristic.objective))
    for term in heuristic.terms:
        both = {"both": term.both} if term.combination == "unless-both" else {}
        data["terms"][term.name] |= squares_data(term) | both
    return data


def squares_data(term: Term) -> Data:
    """A term's table of square values, row by row, or its tables; nothing for a term that has none."""
    rows = [[list(row) for row in table] for table in matrices_of(term.feature)]
    return {"squares": rows[0] if len(rows) == 1 else rows} if rows else {}


def text_of(data: Data) -> str:
    """The JSON, with a row of numbers in a line."""
    spread = json.dumps(data, indent=1, ensure_ascii=False)
    return ROW_OF_NUMBERS.sub(lambda found: "[" + re.sub(r"\s+", " ", found[1]) + "]", spread) + "\n"


def save(data: Data, path: Path) -> None:
    """Writes the file, whole or not at all."""
    write_bytes(str(path), text_of(data).encode())


def from_data(data: Any, place: str = "the weights") -> WeightedHeuristic:
    """The heuristic of a file's content; a ValueError of one line says what is wrong with it."""
    try:
        return _heuristic(data)
    except ValueError as error:
        raise Fault("at.file", path=place, why=error) from None


def load(path: str | Path, name: str = "") -> WeightedHeuristic:
    """The heuristic of a file, or of several there the one of this name."""
    return from_data(load_data(path, name), str(path))


def load_data(path: str | Path, name: str = "") -> Data:
    """The content of a file, whose format alone has been looked at.

    `outflank heuristics --json` prints a list: of one, or of several among which the name decides.
    """
    try:
        data = json.loads(Path(path).expanduser().read_text())
    except FileNotFoundError:
        raise Fault("file.missing", path=path) from None
    except OSError as error:
        raise Fault("file.unreadable", path=path, why=error.strerror) from None
    except (ValueError, RecursionError):  # the second: brackets within brackets, thousands deep
        raise Fault("weights.not-json", path=path) from None
    if isinstance(data, list):
        data = _chosen(data, name, path)
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise Fault("weights.format", path=path, format=FORMAT)
    return data


def _chosen(several: list[Any], name: str, path: str | Path) -> Any:
    if len(several) == 1:
        return several[0]
    named = [one for one in several if isinstance(one, dict) and "heuristic" in one]
    found = [one for one in named if one["heuristic"] == name]
    if len(found) != 1:
        raise Fault("weights.several", path=path, names=", ".join(str(one["heuristic"]) for one in named) or "none")
    return found[0]


def _heuristic(data: Mapping[str, Any]) -> WeightedHeuristic:
    if data.get("version") != VERSION:
        raise Fault("weights.version", text=data.get("version"), version=VERSION)
    name = data.get("heuristic")
    if not isinstance(name, str) or name not in NAMED:
        raise Fault("weights.heuristic", name=name)
    named, variant = NAMED[name], Variant.named(str(data.get("variant")))
    phases = _phases(data.get("phases", []))
    given = data.get("terms")
    if not isinstance(given, Mapping) or not given:
        raise Fault("weights.no-terms")
    known = {term.name: term for term in named.terms}
    unknown = sorted(given.keys() - known.keys())
    if unknown:
        raise Fault("heuristic.no-term", heuristic=name, term=unknown[0], terms=", ".join(known))
    terms = tuple(_term(known[one], given[one], phases) for one in known if one in given)
    about = about_of(data)
    how = f" Learnt for {variant.name}" + (f" by {about['method']}." if "method" in about else ".")
    return WeightedHeuristic(named.name, named.summary + how, variant.objective, terms, phases)


def about_of(data: Mapping[str, Any]) -> Data:
    """How a file came about; nothing in one that somebody wrote by hand."""
    about = data.get("about", {})
    if not isinstance(about, dict):
        raise Fault("weights.about", text=about)
    return about


def _phases(given: Any) -> tuple[int, ...]:
    whole = isinstance(given, list) and all(type(one) is int for one in given)
    if not whole or not all(0 < one < MOST_DISCS for one in given) or sorted(set(given)) != given:
        raise Fault("weights.phases", text=given)
    return tuple(given)


def _term(term: Term, given: Any, phases: tuple[int, ...]) -> Term:
    if not isinstance(given, Mapping):
        raise Fault("weights.term", term=term.name, text=given)
    weights = given.get("weights", [1.0])
    if not isinstance(weights, list) or len(weights) not in (1, len(phases) + 1) or not all(map(_allowed, weights)):
        several = Fault("weights.one-or", phases=len(phases) + 1) if phases else Fault("weights.one")
        raise Fault("weights.numbers", term=term.name, wanted=several, most=LARGEST_NUMBER, text=_short(weights))
    changed = replace(term, weights=tuple(map(float, weights)))
    if "squares" in given:
        if not matrices_of(term.feature):
            raise Fault("weights.no-table", term=term.name)
        changed = replace(changed, feature=square_table(_tables(given["squares"]), phases))
    if "both" in given:
        if not _allowed(given["both"]):
            raise Fault("weights.both", term=term.name, most=LARGEST_NUMBER, text=_short(given["both"]))
        changed = replace(changed, both=float(given["both"]))
    return changed


def _allowed(number: Any) -> bool:
    return isinstance(number, int | float) and not isinstance(number, bool) and abs(number) <= LARGEST_NUMBER


def _short(given: Any) -> str:
    """What was given, as far as an error of one line has room for it."""
    text = repr(given) if not isinstance(given, int) or abs(given) <= LARGEST_NUMBER else "a longer one"
    return text if len(text) <= LONGEST_SHOWN else f"{text[:LONGEST_SHOWN]}..."


def _tables(given: Any) -> tuple[Matrix, ...]:
    """One table, as rows of numbers, or a list of tables."""
    try:
        several = isinstance(given[0][0], list)
    except (TypeError, IndexError, KeyError):
        raise Fault("squares.ragged") from None
    tables = given if several else [given]
    try:
        allowed = all(_allowed(value) for table in tables for row in table for value in row)
    except TypeError:
        raise Fault("squares.ragged") from None
    if not allowed:
        raise Fault("squares.too-large", most=LARGEST_NUMBER)
    return tuple(as_matrix(table) for table in tables)


@cache
def learnt(target: str, variant: Variant) -> WeightedHeuristic:
    """The shipped weights for a target: learnt for this game, else for one of its objective, nearest in size."""
    found = shipped()
    games = [Variant.named(name) for one, name in found if one == target]
    if not games:
        raise Fault("weights.none-learnt", target=target)
    nearest = min(
        games,
        key=lambda one: (
            one.objective != variant.objective,
            abs(one.square_count - variant.square_count),
            one.square_count,
        ),
    )
    return shipped_as(f"{LEARNT}{target}@{nearest.name}")


@cache
def shipped_as(name: str) -> WeightedHeuristic:
    """The shipped weights of a name such as `learnt-phased@othello`."""
    return from_data(shipped_data(name), name)


def shipped_data(name: str) -> Data:
    """The content of the shipped file of such a name."""
    target, _, variant = name.removeprefix(LEARNT).partition("@")
    found = shipped()
    if (target, variant) not in found:
        known = ", ".join(f"{LEARNT}{one}@{game}" for one, game in found)
        raise Fault("weights.not-learnt", name=name, known=known)
    data: Data = json.loads(found[target, variant].read_text())
    return data


@cache
def shipped() -> dict[tuple[str, str], Any]:
    """The weights files that come with Outflank, by target and variant."""
    places = files("outflank.heuristics").joinpath("data").iterdir()
    found = {}
    for place in sorted(places, key=lambda one: one.name):
        if place.name.startswith(LEARNT) and place.name.endswith(".json"):
            target, _, name = place.name.removeprefix(LEARNT).removesuffix(".json").partition("@")
            found[target, name] = place
    return found
