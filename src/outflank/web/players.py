"""Whom a page may name: the roster's own players with harmless options, and what the server's owner added by name.

A spec can name files and commands; one that comes from a page cannot. The rule is a list of what is allowed: an option
that takes free text is refused unless its values are known here.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from outflank.agents.options import Option, quoted
from outflank.agents.roster import ROSTER, Entry
from outflank.agents.self_taught import PRINTED, VERSIONS
from outflank.agents.spec import Spec, parse
from outflank.errors import Fault
from outflank.heuristics.heuristic import Heuristic
from outflank.heuristics.matrices import MATRICES
from outflank.heuristics.named import NAMED, find
from outflank.heuristics.weighted import WeightedHeuristic
from outflank.web.boards import HUMAN
from outflank.web.faults import without_folders
from outflank.web.schemas import Sides
from outflank.web.settings import Settings

READ = 1000
"""Specs of which is remembered what they say."""
MOST = {"threads": 1.0, "memory": 64.0, "time": 30.0, "depth": 60.0, "playouts": 1e6, "nodes": 1e9, "hash": 64.0}
"""The most that a page may ask for, beside what the roster says."""
NOT_FOR_PAGES = frozenset({"openings"})
"""The page has openings of its own, for both players alike."""
WEIGHTS = re.compile(r"yes|no|-?[0-9.]{1,12}(/-?[0-9.]{1,12}){0,2}")
WEIGHTS_BY_NAME = {"shipped": ("shipped", "none"), "own": ("own", "learnt"), "": ("",)}
"""What an option `weights` may be on a page, by its default: never a file."""
LEARNT = "learnt"
LISTED = frozenset({"heuristic", "values", "weights"})
"""Options that take a text from a list; any other that takes a text takes weights."""
OWN_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,30}")


@dataclass(frozen=True)
class Chosen:
    """A player that a page has named: its name in its one way of writing, and the spec to make it from, with the files
    of what the owner added."""

    name: str
    spec: Spec


@dataclass(frozen=True)
class Names:
    """What the owner added, by its name: players' specs, and heuristics' files."""

    agents: Mapping[str, str]
    heuristics: Mapping[str, str]

    def shown(self, spec: str) -> str:
        """A spec from anywhere as a page may see it: the owner's names, and never the folder of a file."""
        for name, own in self.agents.items():
            if spec == own:
                return name
        for name, file in self.heuristics.items():
            spec = spec.replace(quoted(file), name).replace(file, name)
        return without_folders(spec)


class Players:
    """The catalogue of one server."""

    def __init__(self, settings: Settings) -> None:
        self.own = {name: parse(spec) for name, spec in settings.agents.items()}
        self._own_heuristics = dict(settings.heuristics)
        self.names = Names({name: str(spec) for name, spec in self.own.items()}, self._own_heuristics)
        for name in (*self.own, *self._own_heuristics):
            if not OWN_NAME.fullmatch(name):
                raise Fault("web.added-name", name=name)
        for name, spec in self.own.items():
            if name in ROSTER:
                raise Fault("web.agent-exists", name=name, spec=spec)
            ROSTER[spec.name].checked(spec.target)
        for name in self._own_heuristics:
            if name in NAMED:
                raise Fault("web.heuristic-exists", name=name)
        self.heuristics = NAMED | {name: find(file) for name, file in self._own_heuristics.items()}
        self._read = lru_cache(READ)(self._named)

    # Names from a page

    def chosen(self, text: str) -> Chosen:
        """A player as a page may name it; else a ValueError that says what may be named."""
        return self._read(text)

    def seated(self, asked: Sides, before: Sequence[str]) -> tuple[str, str]:
        """Who plays Black and White: those whom a page asks for, else those before."""
        black, white = (
            now if wanted is None else self.chosen(wanted).name
            for wanted, now in zip((asked.black, asked.white), before, strict=True)
        )
        return black, white

    def _named(self, text: str) -> Chosen:
        if text == HUMAN:
            return Chosen(text, Spec(HUMAN))
        if text in self.own:
            return Chosen(text, self.own[text])
        spec = self._allowed(text)
        options = tuple(
            (key, self._own_heuristics.get(value, value) if key == "heuristic" and isinstance(value, str) else value)
            for key, value in spec.options
        )
        return Chosen(str(spec), replace(spec, options=(*options, *_capped(ROSTER[spec.name], dict(options)))))

    def _allowed(self, text: str) -> Spec:
        name = text.partition(":")[0].strip().lower()
        entry = ROSTER.get(name)
        if entry is None or not _for_pages(entry):
            raise Fault("web.no-player")
        spec = parse(text)
        for key, value in spec.options:
            self._check_option(entry.accepts[key], value)
        return spec

    def _check_option(self, option: Option, value: Any) -> None:
        if option.name in NOT_FOR_PAGES:
            raise Fault("web.option-not-settable", option=option.name)
        if isinstance(value, str) and option.kind is str:
            choices = self._choices(option)
            if not (WEIGHTS.fullmatch(value) if choices is None else value in choices):
                raise Fault("web.option-not-listed", option=option.name)
        most = MOST.get(option.name)
        if most is not None and isinstance(value, int | float) and value > most:
            raise Fault("web.option-too-large", option=option.name, most=most)

    def _choices(self, option: Option) -> tuple[str, ...] | None:
        """The texts of which an option takes one; None where it has no such list."""
        if isinstance(option.kind, tuple):
            return option.kind
        named = WEIGHTS_BY_NAME.get(str(option.default), ())
        values = (LEARNT, PRINTED, *VERSIONS, *MATRICES)
        lists = {"heuristic": tuple(self.heuristics), "values": values, "weights": named}
        return lists.get(option.name)

    def heuristic(self, name: str) -> Heuristic:
        if name not in self.heuristics:
            raise Fault("web.no-heuristic")
        return self.heuristics[name]

    def source(self, name: str) -> str:
        """Where a heuristic comes from: its own name, or the file that the owner added."""
        self.heuristic(name)
        return self._own_heuristics.get(name, name)

    def shown(self, spec: str) -> str:
        return self.names.shown(spec)

    # The list for the page

    def listed(self) -> list[dict[str, Any]]:
        own = [{"name": name, "summary": "", "own": True, "options": []} for name in self.own]
        return [*own, *(self._listed(entry) for entry in ROSTER.values() if _for_pages(entry))]

    def _listed(self, entry: Entry) -> dict[str, Any]:
        options = []
        for option in entry.accepts.values():
            if option.name in NOT_FOR_PAGES or MOST.get(option.name) == 1.0:
                continue
            choices = self._choices(option)
            if choices == ("",):  # only a file would be a choice
                continue
            kind = "choice" if choices else {bool: "bool", int: "int", float: "float", str: "text"}[option.kind]  # type: ignore[index]
            most = min((bound for bound in (option.most, MOST.get(option.name)) if bound is not None), default=None)
            options.append(
                {
                    "name": option.name,
                    "kind": kind,
                    "choices": choices or None,
                    "default": _page_default(option),
                    "least": option.least,
                    "most": most,
                    "help": option.help,
                }
            )
        return {"name": entry.name, "summary": entry.summary, "own": False, "options": options}

    def listed_heuristics(self) -> list[dict[str, Any]]:
        return [_heuristic_data(name, one, name in self._own_heuristics) for name, one in self.heuristics.items()]


def has_written_weights(spec: Spec) -> bool:
    """Whether a page has written weights of its own."""
    accepts = ROSTER[spec.name].accepts
    return any(accepts[key].kind is str and key not in LISTED for key, _ in spec.options)


def own_name(spec: str) -> str:
    """What to call a player that was added without a name: its file's or program's."""
    words = parse(spec).target.split()
    stem = Path(words[0]).stem if words else spec.partition(":")[0]
    return re.sub(r"[^A-Za-z0-9_-]+", "-", stem).strip("-_0123456789") or "own"


def _for_pages(entry: Entry) -> bool:
    return not entry.target and entry.name != HUMAN


def _page_default(option: Option) -> Any:
    """What an option is on the page where nobody says otherwise: the roster's default, up to the page's most."""
    most = MOST.get(option.name)
    return option.default if most is None or option.default is None else min(option.default, most)


def _capped(entry: Entry, given: dict[str, Any]) -> list[tuple[str, Any]]:
    """The options that must be said because the roster's own default is more than a page may have."""
    return [
        (option.name, _page_default(option))
        for option in entry.accepts.values()
        if option.name not in given and _page_default(option) != option.default
    ]


def _heuristic_data(name: str, one: Heuristic, own: bool) -> dict[str, Any]:
    phases, terms = (one.phases, one.terms) if isinstance(one, WeightedHeuristic) else ((), ())
    return {
        "name": name,
        "summary": one.summary,
        "objective": one.objective,
        "own": own,
        "weighted": isinstance(one, WeightedHeuristic),
        "phases": phases,
        "terms": terms,
    }
