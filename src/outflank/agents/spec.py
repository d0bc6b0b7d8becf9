"""The spec language: the one way to name a player, in the command line, the page, the arena, the API and the store.

`name`, `name:key=value,key=value`, and for players that live elsewhere `name:target`, the rest being a command or a
file, quoted or not (shells eat quotes): `gtp:edax -gtp`, `py:./mine.py,time=1`. What a name accepts stands in the
roster.
"""

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from outflank.agents.options import QUOTES, Value, quoted, shortened, unquoted, written
from outflank.agents.roster import LIMITS, OPENINGS, Entry, entry_named
from outflank.errors import Fault
from outflank.search.limits import Limit

if TYPE_CHECKING:
    from outflank.agents.agent import Agent

QUOTED = r'"(?:[^"\\]|\\.)*"|' + r"'(?:[^'\\]|\\.)*'"
PAIR = re.compile(
    rf"\s*(?P<key>[^=,\s{QUOTES}]+)\s*="
    rf"\s*+(?:(?P<quoted>{QUOTED})\s*|(?![{QUOTES}])(?P<bare>[^,]*))(?P<more>,|$)"  # a quote that opens must close
)
LONGEST = 4096
"""Characters of a spec; a page may send us anything."""
TARGET = re.compile(rf"\s*(?P<target>{QUOTED})\s*(?:,(?P<rest>.*))?")


@dataclass(frozen=True)
class Spec:
    """A player by name. `options` holds what was said, in the roster's order: two specs that say the same are equal,
    and a default that was spelled out stays spelled out, so that a table of results shows the value tried."""

    name: str
    options: tuple[tuple[str, Value], ...] = ()
    target: str = ""

    def __str__(self) -> str:
        said = [f"{key}={written(value)}" for key, value in self.options]
        parts = [quoted(self.target), *said] if self.target else said
        return f"{self.name}:{','.join(parts)}" if parts else self.name

    def __getitem__(self, option: str) -> Value | None:
        """The value of an option, or its default."""
        said = dict(self.options)
        return said[option] if option in said else entry_named(self.name).accepts[option].default

    @property
    def limit(self) -> Limit:
        """The limits that the spec names."""
        return Limit(**{key: value for key, value in self.options if key in LIMITS})  # type: ignore[arg-type]


def parse(text: str) -> Spec:
    """Reads a spec, or raises a ValueError of one line that says what to write instead."""
    if not isinstance(text, str):
        raise Fault("spec.not-text", kind=type(text).__name__)
    if len(text) > LONGEST or not text.isprintable():
        raise Fault("spec.one-line", text=shortened(text))
    name, _, rest = text.strip().partition(":")
    name = name.strip().lower()
    if not name:
        raise Fault("spec.empty")
    entry = entry_named(name)
    target = ""
    if entry.target:
        target, rest = _split_target(entry, rest)
        if not target:
            raise Fault("spec.needs", name=name, target=entry.target, usage=entry.usage)
    said = _values(entry, _pairs(entry, rest))
    spec = Spec(name, tuple((key, said[key]) for key in entry.accepts if key in said), target)
    try:
        spec.limit  # noqa: B018 (it checks itself)
    except ValueError as error:
        raise Fault("at.agent", name=name, why=error) from None
    return spec


def _pairs(entry: Entry, text: str) -> list[tuple[str, str]]:
    pairs = []
    at, more = 0, bool(text.strip())
    while more:
        pair = PAIR.match(text, at)
        if pair is None:
            raise Fault("spec.no-value", name=entry.name, text=shortened(text[at:].strip()), options=_options_of(entry))
        pairs.append((pair["key"], unquoted(pair["quoted"]) if pair["quoted"] else pair["bare"].strip()))
        at, more = pair.end(), pair["more"] == ","
    return pairs


def _values(entry: Entry, pairs: list[tuple[str, str]]) -> dict[str, Value]:
    values: dict[str, Value] = {}
    for key, text in pairs:
        if key not in entry.accepts:
            raise Fault("spec.no-option", name=entry.name, key=shortened(key), options=_options_of(entry))
        if key in values:
            raise Fault("spec.twice", name=entry.name, key=key)
        try:
            values[key] = entry.accepts[key].read(text)
        except ValueError as error:
            raise Fault("at.agent", name=entry.name, why=error) from None
    return values


def _options_of(entry: Entry) -> Fault:
    return Fault("spec.options", names=", ".join(entry.accepts)) if entry.accepts else Fault("spec.no-options")


def _split_target(entry: Entry, text: str) -> tuple[str, str]:
    """The target and the options after it.

    Without quotes the options begin at the first comma after which there is nothing but options of this kind: a
    command that looks like that itself has to be quoted.
    """
    match = TARGET.fullmatch(text)
    if match:
        return unquoted(match["target"]), match["rest"] or ""
    for comma in (at for at, mark in enumerate(text) if mark == ","):
        try:
            keys = [key for key, _ in _pairs(entry, text[comma + 1 :])]
        except ValueError:
            continue
        if keys and all(key in entry.accepts for key in keys):
            return text[:comma].strip(), text[comma + 1 :]
    return text.strip(), ""


def agent(spec: str | Spec) -> "Agent":
    """Makes the player that a spec names.

    A limit in the spec overrides the one given to `choose`, and `openings=N` makes its first N moves random.
    """
    from outflank.agents.wrappers import Wrapper

    named = spec if isinstance(spec, Spec) else parse(spec)
    entry = entry_named(named.name)
    target = (named.target,) if entry.target else ()
    player = entry.built(*target, **{option.name: named[option.name] for option in entry.options})
    openings = int(named[OPENINGS.name] or 0) if entry.openings else 0
    if openings or named.limit != Limit():
        player = Wrapper(player, named.limit, openings)
    player.spec = str(named)
    return player
