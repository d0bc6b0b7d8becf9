"""`outflank agents`: the players that can be named, and their options."""

from typing import Any

from outflank.agents.options import written
from outflank.agents.roster import ROSTER, Entry
from outflank.cli.options import AsJson, tell


def agents(json: AsJson = False) -> None:
    """List the players and their options. A player is `name`, or `name:key=value,key=value`.

    Example: outflank agents
    """
    entries = ROSTER.values()
    tell(json, lambda: [_data(entry) for entry in entries], lambda: "\n\n".join(_text(entry) for entry in entries))


def _data(entry: Entry) -> dict[str, Any]:
    options = [
        {
            **vars(option),
            "kind": "choice" if isinstance(option.kind, tuple) else option.kind.__name__,
            "choices": list(option.kind) if isinstance(option.kind, tuple) else None,
        }
        for option in entry.accepts.values()
    ]
    return {"name": entry.name, "summary": entry.summary, "target": entry.target or None, "options": options}


def _text(entry: Entry) -> str:
    lines = [f"{entry.usage:14}  {entry.summary}"]
    for option in entry.accepts.values():
        default = "" if option.default is None else f"; default {written(option.default)}"
        lines.append(f"  {option.name:12}  {option.help} ({option.wants}{default})")
    return "\n".join(lines)
