"""`outflank verify`: checks a certificate of `outflank prove` without the engine."""

import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from outflank.cli.match import ProgressLine, duration
from outflank.cli.options import AsJson, tell
from outflank.errors import Fault

if TYPE_CHECKING:
    from outflank.proofs.checker import BoundChecked, Sample, Verdict


def verify(
    file: Annotated[
        str,
        typer.Argument(
            metavar="CERTIFICATE", help="A file written by `outflank prove`, or the name of a shipped one: 6x6."
        ),
    ],
    threads: Annotated[int, typer.Option(min=1, max=256, help="Leaves solved at a time.")] = 1,
    sample: Annotated[
        str, typer.Option(help="Check a random part: a number of leaves for each bound, or a time such as 60s.")
    ] = "",
    seed: Annotated[int, typer.Option(min=0, help="The seed of the random part.")] = 0,
    json: AsJson = False,
) -> None:
    """Check a proof of a whole board. Every reply of the other side, every end of a game, every leaf solved again.

    It uses only the rules and a plain solver of its own, nothing from the engine. If something is wrong, it shows the
    moves that lead there, with exit code 1.

    Example: outflank verify 5x6 --threads 2
    """
    from outflank.board.squares import square_name
    from outflank.proofs.certificate import Certificate, shipped
    from outflank.proofs.checker import check
    from outflank.proofs.reader import Reader
    from outflank.work.places import threads_named

    wanted = _sample(sample, seed)
    names = shipped()
    if file not in names and not Path(file).exists():
        raise Fault("proof.unknown", name=file, names=", ".join(names))
    certificate = Certificate.load(str(names.get(file, file)))
    line = ProgressLine()
    began = time.perf_counter()

    def show(bound: "BoundChecked") -> None:
        rate = bound.solved / max(bound.seconds - bound.walk_seconds, 1e-9)
        left = duration((bound.leaves - bound.solved) / max(rate, 1e-9))
        line.show(lambda: f"{bound.claim}, leaf {bound.solved:,} of {bound.leaves:,}, {left} left of them", 0, 0)

    with threads_named("", threads) as workers:
        try:
            verdict = check(certificate, workers, wanted, show)
        finally:
            line.clear()
    seconds = time.perf_counter() - began
    pv = [] if verdict.failure else [square_name(move) for move in Reader(certificate).line()]
    tell(json, partial(_data, verdict, seconds, pv), partial(_text, verdict, seconds, pv))
    if verdict.failure:
        raise typer.Exit(1)


def _sample(text: str, seed: int) -> "Sample | None":
    from outflank.proofs.checker import Sample
    from outflank.work.durations import seconds_of

    if not text:
        return None
    if text.isdecimal():
        if not int(text):
            raise Fault("proof.sample", text=text)
        return Sample(leaves=int(text), seed=seed)
    return Sample(seconds=seconds_of(text), seed=seed)


def _whole_seconds(bound: "BoundChecked") -> float:
    """How long all leaves take at the pace of those that were solved."""
    return bound.walk_seconds + (bound.seconds - bound.walk_seconds) * bound.leaves / max(bound.solved, 1)


def _text(verdict: "Verdict", seconds: float, pv: list[str]) -> str:
    certificate = verdict.certificate
    lines = [f"{certificate.variant.name}: the first player's value is {certificate.value:+}"]
    for bound in verdict.bounds:
        word = "wrong" if bound.failure else "proved" if verdict.complete else "nothing wrong in the sample"
        lines.append(
            f"  {bound.claim}: {word}; {bound.positions:,} positions, {bound.solved:,} of {bound.leaves:,} leaves"
            f" solved, {bound.nodes:,} nodes, {bound.seconds:.1f} s"
        )
    if verdict.failure:
        lines.append(f"REFUSED: {verdict.failure}")
    elif verdict.complete:
        lines.append(f"PROVED in {seconds:.1f} s; a line of best play: {' '.join(pv)}")
    else:
        whole = sum(map(_whole_seconds, verdict.bounds))
        lines.append(f"a sample, checked in {seconds:.1f} s; all of it would take about {duration(whole)}")
    return "\n".join(lines)


def _data(verdict: "Verdict", seconds: float, pv: list[str]) -> dict[str, Any]:
    bounds = [
        {
            "claim": str(bound.claim),
            "positions": bound.positions,
            "leaves": bound.leaves,
            "solved": bound.solved,
            "nodes": bound.nodes,
            "seconds": round(bound.seconds, 3),
        }
        for bound in verdict.bounds
    ]
    return {
        "variant": verdict.certificate.variant.name,
        "value": verdict.certificate.value,
        "proved": verdict.proved,
        "failure": str(verdict.failure) if verdict.failure else None,
        "bounds": bounds,
        "seconds": round(seconds, 3),
        "pv": pv,
    }
