"""`outflank report`: the table of a match or tournament, from its store."""

from typing import TYPE_CHECKING, Annotated

import typer

from outflank.cli.options import AsJson, print_json

if TYPE_CHECKING:
    from outflank.arena.match import MatchResult
    from outflank.arena.standings import Standings


def report(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A store, as --store of match and tournament writes it.")],
    event: Annotated[int | None, typer.Option(help="Which one, where it holds several; default: the latest.")] = None,
    csv: Annotated[bool, typer.Option("--csv", help="Print rows for a spreadsheet.")] = False,
    json: AsJson = False,
) -> None:
    """Print what a store holds, also while its tournament still runs.

    Example: outflank report class.db --csv
    """
    from outflank.arena.match import KIND, stored_match
    from outflank.arena.store import Store
    from outflank.arena.text import match_csv, match_text, standings_csv, standings_text
    from outflank.arena.tournament import Tournament

    if csv and json:
        raise ValueError("report prints --json or --csv, not both")
    with Store.existing(file) as store:
        events = store.events()
        if not events:
            raise ValueError(f"there is no match or tournament in {file}")
        by_number = {one.id: one for one in events}
        if event is not None and event not in by_number:
            raise ValueError(f"{file} has no event {event}: it has {', '.join(map(str, sorted(by_number)))}")
        chosen = events[-1] if event is None else by_number[event]
        result: MatchResult | Standings
        if chosen.kind == KIND:
            result = match_result = stored_match(store, chosen)
            text = match_csv(match_result) if csv else match_text(match_result, chosen.plan["sprt"] or "")
        else:
            result = table = Tournament.stored(store, chosen).standings()
            text = standings_csv(table) if csv else standings_text(table)
    if json:
        print_json(result.to_dict())
        return
    print(text.rstrip("\n"), flush=True)
    if len(events) > 1 and not csv:
        others = ", ".join(f"{one.id} ({one.kind})" for one in events if one is not chosen)
        print(f"\nThis is event {chosen.id}; --event shows another: {others}.")
