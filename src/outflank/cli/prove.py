"""`outflank prove`: the exact value of a board, with a certificate that anybody can check."""

import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from outflank.board.variant import Variant
from outflank.cli.match import ProgressLine, duration
from outflank.cli.options import AsJson, On, StopAfter, tell
from outflank.cli.stopping import goes_on_from
from outflank.errors import MachineError

if TYPE_CHECKING:
    from outflank.proofs.prover import State


def prove(
    variant: Annotated[str, typer.Argument(metavar="VARIANT", help="6x6, reversed-5x7, 4x8-parallel, …")],
    start: Annotated[str, typer.Option(help="diagonal, parallel or mirrored; default: the variant's.")] = "",
    threads: Annotated[int, typer.Option(min=1, max=256, help="Positions decided at a time.")] = 1,
    on: On = "",
    budget: StopAfter = "",
    out: Annotated[Path, typer.Option(help="The folder for the certificate and the work in progress.")] = Path(),
    split: Annotated[
        int | None, typer.Option(min=1, help="Empty squares at which positions are decided separately.")
    ] = None,
    leaves: Annotated[int | None, typer.Option(min=1, help="Empty squares at which the certificate ends.")] = None,
    json: AsJson = False,
) -> None:
    """Prove the exact value of a whole board. Write a certificate that `outflank verify` checks.

    Results are kept as they come: if stopped or killed, run the same command again to resume. Exit code 1 if the
    budget ends before the proof does.

    Example: outflank prove 4x6 --threads 2 --out proofs
    """
    from outflank.proofs.certificate import ENDING
    from outflank.proofs.prover import Plan, Prover
    from outflank.proofs.store import Store
    from outflank.search.driver import watched
    from outflank.work.durations import seconds_of
    from outflank.work.places import threads_named

    rules = Variant.named(variant)
    if start:
        rules = replace(rules, start=start)  # type: ignore[arg-type]  # a wrong one is refused there
    plan = Plan.of(rules, split, leaves)
    limit = seconds_of(budget) if budget else None
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise MachineError("at.file", path=out, why=(error.strerror or str(error)).lower()) from None
    file = out / (rules.name + ENDING)
    began = time.perf_counter()
    with (
        Store(out / f"{rules.name}.questions", plan.settings) as store,
        threads_named(on, threads, patient=True) as workers,
    ):
        prover = Prover(plan, store)
        with goes_on_from(store.path, "found"), ProgressLine() as line, watched(limit) as stop:
            found = prover.run(workers, stop, progress=lambda state: line.show(lambda: _state(state, began), 0, 0))
        count, nodes, seconds = store.effort()
    state = prover.state
    size = found.save(str(file)) if found else 0

    def data() -> dict[str, Any]:
        return {
            "variant": rules.name,
            "value": found.value if found else None,
            "bounds": [state.lower, state.upper],
            "questions": count,
            "nodes": nodes,
            "seconds": round(seconds, 3),
            "file": str(file) if found else None,
            "bytes": size,
        }

    def text() -> str:
        effort = f"{count:,} questions, {nodes:,} nodes, {seconds:,.1f} s of a processor"
        if found is None:
            between = f"not proved yet, between {state.lower:+} and {state.upper:+}"
            return f"{rules.name}: {between}: run the same command to resume\n{effort}, kept in {store.path}"
        value = f"{rules.name}: the first player's value is {found.value:+}"
        return f"{value}, to be checked by `outflank verify {file}`\n{effort}; {size:,} bytes in {file}"

    tell(json, data, text)
    if found is None:
        raise typer.Exit(1)


def _state(state: "State", began: float) -> str:
    """How far it is, and how long what is known to be left will take at the pace so far."""
    passed = time.perf_counter() - began
    left = f", {duration(passed / state.answered * state.waiting)} left of it" if state.answered else ""
    return (
        f"at least {state.asked:+}? (between {state.lower:+} and {state.upper:+}), {state.answered:,} answered,"
        f" {state.waiting:,} open{left}, {state.nodes:,} nodes"
    )
