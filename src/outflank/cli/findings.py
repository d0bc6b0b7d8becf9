"""`outflank findings`: the questions of the five reports, played out."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from outflank.cli.match import GameJobs, ProgressLine, Seed, until_stopped
from outflank.cli.options import AsJson, On, tell
from outflank.errors import Fault

if TYPE_CHECKING:
    from outflank.arena.match import MatchResult
    from outflank.studies.findings.evidence import Evidence, Meeting
    from outflank.studies.findings.question import Question
    from outflank.work.workers import Workers

STORE, FOLDER = "findings.db", "docs"


def findings(
    store: Annotated[
        str, typer.Option("--store", help="Keep every game in this file; its games are not played again.")
    ] = STORE,
    out: Annotated[
        str, typer.Option("--out", help="The folder for findings.md and its plots; default: docs, or none with --only.")
    ] = "",
    games: Annotated[
        int | None,
        typer.Option("--games", "-n", help="Games per match, unless a question needs more or fewer; default: 200."),
    ] = None,
    only: Annotated[list[str] | None, typer.Option("--only", help="Only this question; may be repeated.")] = None,
    jobs: GameJobs = None,
    on: On = "",
    seed: Seed = 0,
    json: AsJson = False,
) -> None:
    """Answer the questions of the five reports by playing. Write down the results, too.

    Example: outflank findings --only depth --games 20
    """
    from outflank.arena.store import Store
    from outflank.studies.findings.catalogue import chosen
    from outflank.studies.findings.document import write
    from outflank.studies.findings.evidence import GAMES, Evidence
    from outflank.work.places import workers_named

    questions = chosen(only or [])
    folder = out or ("" if only else FOLDER)
    if folder and Path(folder).exists() and not Path(folder).is_dir():
        raise Fault("folder.is-file", path=folder)
    if folder:
        Path(folder).mkdir(parents=True, exist_ok=True)  # now: what cannot be written shall not cost an hour of play
    with Store(store) as kept, workers_named(on, jobs) as workers:
        evidence = Evidence(kept, GAMES if games is None else games, seed)

        def told() -> None:
            done = [one for one in questions if not any(map(evidence.missing, one.meetings))]
            path = write(done, evidence, Path(folder)) if folder and len(done) == len(questions) else None
            tell(
                json,
                lambda: {"questions": [one.to_dict(evidence) for one in done]},
                lambda: str(path or "\n\n".join(f"{one.asks}\n{one.answered(evidence).sentence}" for one in done)),
            )

        with until_stopped(told, store) as line:
            _play(questions, evidence, workers, line)


def _play(questions: "list[Question]", evidence: "Evidence", workers: "Workers", line: ProgressLine) -> None:
    """Plays what is missing, and tells how far it is."""
    from outflank.arena.text import match_line

    # A meeting that two questions need is played once.
    meetings = list(dict.fromkeys(meeting for question in questions for meeting in question.meetings))
    total = sum(map(evidence.missing, meetings))
    played: dict[Meeting, int] = {}

    def show(meeting: "Meeting", result: "MatchResult", games: int) -> None:
        played[meeting] = games
        done = sum(played.values())
        line.show(lambda: f"{result.players[0]} – {result.players[1]}: {match_line(result)}", done, total - done)

    evidence.play(meetings, workers, show)
