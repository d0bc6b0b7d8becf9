"""`outflank report`: a match or tournament from its store, as text, data or a page."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from outflank.cli.match import GameJobs, ProgressLine
from outflank.cli.options import AsJson, print_json
from outflank.errors import Fault

if TYPE_CHECKING:
    from outflank.arena.match import MatchResult
    from outflank.arena.standings import Standings
    from outflank.arena.store import Event, Store


def report(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A store, written by match or tournament with --store.")],
    html: Annotated[
        str, typer.Option("--html", help="Write a page with everything, including every game to replay.")
    ] = "",
    event: Annotated[
        int | None, typer.Option(help="Which match or tournament of the store; default: the latest.")
    ] = None,
    values: Annotated[
        str,
        typer.Option(help="Who values the moves on the page: fast, deep, none, or a player such as engine:level=12."),
    ] = "fast",
    jobs: GameJobs = None,
    csv: Annotated[bool, typer.Option("--csv", help="Print rows for a spreadsheet.")] = False,
    json: AsJson = False,
) -> None:
    """Show what a store of games holds. It may be asked while its tournament is still running.

    Example: outflank report class.db --html class.html
    """
    from outflank.arena.match import KIND, stored_match
    from outflank.arena.store import Store
    from outflank.arena.text import match_csv, match_text, standings_csv, standings_text, versions_text
    from outflank.arena.tournament import Tournament

    if csv and json:
        raise Fault("report.two-forms")
    with Store.existing(file) as store:
        chosen = store.event(event)
        if html:
            size = _write(store, chosen, Path(html).expanduser(), values, jobs)
            if not csv and not json:
                print(f"{html}: {size / 1e6:.1f} MB; open it in a browser", flush=True)
                return
        result: MatchResult | Standings
        if chosen.kind == KIND:
            result = match_result = stored_match(store, chosen)
            text = match_csv(match_result) if csv else match_text(match_result, chosen.plan["sprt"] or "")
        else:
            result = table = Tournament.stored(store, chosen).standings()
            text = standings_csv(table) if csv else standings_text(table)
        mixed = versions_text(store.versions(chosen.contest))
        others = ", ".join(f"{one.id} ({one.kind})" for one in store.events() if one != chosen)
    if json:
        print_json(result.to_dict())
        return
    print(text.rstrip("\n"), flush=True)
    if mixed and not csv:
        print(f"\n{mixed}")
    if others and not csv:
        print(f"\nThis is event {chosen.id}; --event shows another: {others}.")


def _write(store: "Store", event: "Event", path: Path, values: str, jobs: int | None) -> int:
    """Writes the page; what Ctrl-C leaves undone is done the next time, from where it was."""
    from outflank.arena.report.data import contents
    from outflank.arena.report.judge import JudgeSpec
    from outflank.web.report import write_page
    from outflank.work.places import cores

    judge = JudgeSpec.named(values)

    def show(done: int, left: int) -> None:
        line.show(lambda: f"values of {done} of {done + left} games", done, left)

    with ProgressLine() as line:
        gathered = contents(store, event, judge, jobs or cores(), show)
    return write_page(gathered, path)
