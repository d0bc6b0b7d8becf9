"""`outflank agents`: the players that can be named, and their options."""

from typing import TYPE_CHECKING, Any

from outflank.cli.options import AsJson, print_json

if TYPE_CHECKING:
    from outflank.agents.roster import Entry


def agents(json: AsJson = False) -> None:
    """List the players and their options: `name`, or `name:key=value,key=value`.

    Example: outflank agents
    """
    from outflank.agents.roster import ROSTER

    if json:
        print_json([_data(entry) for entry in ROSTER.values()])
    else:
        print("\n\n".join(_text(entry) for entry in ROSTER.values()))


def _data(entry: "Entry") -> dict[str, Any]:
    options = [
        {
            "name": option.name,
            "kind": "choice" if isinstance(option.kind, tuple) else option.kind.__name__,
            "choices": list(option.kind) if isinstance(option.kind, tuple) else None,
            "default": option.default,
            "least": option.least,
            "most": option.most,
            "help": option.help,
        }
        for option in entry.accepts.values()
    ]
    return {"name": entry.name, "summary": entry.summary, "target": entry.target or None, "options": options}


def _text(entry: "Entry") -> str:
    from outflank.agents.options import written

    lines = [f"{entry.usage:14}  {entry.summary}"]
    for option in entry.accepts.values():
        default = "" if option.default is None else f"; default {written(option.default)}"
        lines.append(f"  {option.name:12}  {option.help} ({option.wants}{default})")
    return "\n".join(lines)
