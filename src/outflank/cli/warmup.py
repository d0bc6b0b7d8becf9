"""`outflank warmup`: the first compile on a machine, on all cores, with a progress bar."""

import json
import sys
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack
from typing import Annotated

import typer

BOARD = (
    *(
        f"outflank.board.kernels:{name}"
        for name in ("legal_moves", "play", "flips", "symmetry", "own_symmetries", "canonical", "hash64")
    ),
    "outflank.board.kernels:mix",
    "outflank.library.keys:write_keys",
)
"""What a board on the page needs."""
ENGINE = (
    *(f"outflank.search.engine.deepening:{name}" for name in ("aspirate_at", "next_depth", "known_move_at")),
    "outflank.search.engine.probcut:shallower",
    "outflank.board.kernels:final_margin",
)
"""What a first game against the engine needs."""
LOOK_SECONDS = 0.1
BAR = 28


def warmup(lines: Annotated[bool, typer.Option("--lines", hidden=True)] = False) -> None:
    """Compile everything for this machine, once. Later starts load it.

    Example: outflank warmup
    """
    from outflank.board.compiled import cache_folder

    began = time.perf_counter()

    def tell(step: str, done: int, total: int) -> None:
        if lines:
            print(json.dumps({"step": step, "done": done, "total": total}), flush=True)
        elif sys.stderr.isatty():
            bar = ("█" * (BAR * done // total)).ljust(BAR, "·")
            sys.stderr.write(f"\r\x1b[KCompiling for this machine (once)  {bar}  {done}/{total}  {step}")
            sys.stderr.flush()

    processor, kernels = compile_everything(tell)
    if lines:
        return
    if sys.stderr.isatty():
        sys.stderr.write("\r\x1b[K")
    taken = f", {processor:.0f} s of processors" if processor else ""
    print(f"{kernels} kernels ready in {time.perf_counter() - began:.1f} s{taken} ({cache_folder()})")


def compile_everything(tell: Callable[[str, int, int], None]) -> tuple[float, int]:
    """Compiles all kernels, what a first game needs before the rest; returns the processor seconds and how many."""
    from outflank.board.compiled import crew_at_work
    from outflank.board.warming import Share, every_kernel, is_complete, kernels_for, note_complete
    from outflank.work.places import cores
    from outflank.work.processes import Processes

    if is_complete():
        return 0.0, len(every_kernel())
    spent: list[float] = []
    with ExitStack() as first, Processes(cores()) as crew:
        first.enter_context(crew_at_work())

        def work() -> None:
            spent.extend(crew.map([Share((BOARD, ENGINE))] * cores()))

        working = threading.Thread(target=work, daemon=True)
        working.start()
        plan = (("board", BOARD), ("engine", ENGINE), ("all", ()))
        for step, roots in plan:
            kernels, done = kernels_for(roots) if roots else every_kernel(), -1
            while done < len(kernels):
                made = sum(kernel.is_made for kernel in kernels)
                if made > done:
                    tell(step, made, len(kernels))
                done = made
                working.join(LOOK_SECONDS)
                if not working.is_alive():
                    break
            if step == "engine":
                first.close()
        working.join()
        if made == len(kernels):
            note_complete()
    return sum(spent), len(kernels)
