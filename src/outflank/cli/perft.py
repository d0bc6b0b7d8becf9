"""`outflank perft`: counts the leaves of the game tree, the classic test of a move generator."""

import time
from typing import Annotated

import typer

from outflank.board.variant import Variant
from outflank.cli.options import AsJson, VariantName, print_json


def perft(
    depth: Annotated[int, typer.Argument(min=0, max=60, help="How many plies deep.")],
    variant: VariantName = "othello",
    position: Annotated[str, typer.Option(help="A board text to start from instead of the variant's start.")] = "",
    json: AsJson = False,
) -> None:
    """Count the positions at a depth. A pass is a ply, a finished game counts once.

    Example: outflank perft 9 --variant 6x6
    """
    from outflank.board import kernels
    from outflank.board.compiled import load
    from outflank.board.perft import perft as count_leaves
    from outflank.board.position import Position

    load(kernels.perft)  # so that the first depth is not charged for it
    rules = Variant.named(variant)
    start = Position.from_text(position, rules) if position else Position.start(rules)
    depths = [depth] if json else range(min(depth, 1), depth + 1)
    for plies in depths:
        began = time.perf_counter()
        nodes = count_leaves(start, plies)
        seconds = time.perf_counter() - began
        speed = nodes / seconds
        if json:
            print_json(
                {"variant": rules.name, "depth": plies, "nodes": nodes, "seconds": seconds, "nodes_per_second": speed}
            )
        else:
            print(f"{plies:3}  {nodes:>20,}  {seconds:9.3f} s  {speed / 1e6:9.1f} M/s", flush=True)
