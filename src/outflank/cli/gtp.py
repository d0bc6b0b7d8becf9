"""`outflank gtp` and `outflank nboard`: our players as engines of other programs."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

import typer

from outflank import __version__
from outflank.agents.roster import STRONGEST, loaded
from outflank.agents.spec import agent as made
from outflank.agents.spec import parse
from outflank.board.variant import Variant
from outflank.cli.match import Seed
from outflank.cli.options import Unsafe, VariantName
from outflank.errors import Fault

AgentName = Annotated[str, typer.Option("--agent", "-a", help="The player; default: the strongest.")]
Ponder = Annotated[bool, typer.Option(help="Think while the other side does; only the engine can.")]


def gtp(
    agent: AgentName = "",
    variant: VariantName = "othello",
    seed: Seed = 0,
    ponder: Ponder = False,
    unsafe: Unsafe = False,
) -> None:
    """Be a GTP engine, for GoGui, Quarry and other hosts. Version 2, on standard input and output.

    Example: printf 'play b f5\\ngenmove w\\nquit\\n' | outflank gtp --agent alphabeta:depth=4
    """
    _converse("outflank.protocols.gtp:GtpEngine", agent, variant, seed, ponder)


def nboard(
    agent: AgentName = "",
    variant: VariantName = "othello",
    seed: Seed = 0,
    ponder: Ponder = False,
    unsafe: Unsafe = False,
) -> None:
    """Be an NBoard engine, for NBoard and other hosts. On standard input and output.

    Example: printf 'nboard 2\\nset depth 4\\ngo\\n' | outflank nboard --agent alphabeta
    """
    _converse("outflank.protocols.nboard:NBoardEngine", agent, variant, seed, ponder)


def _converse(engine: str, agent: str, variant: str, seed: int, ponder: bool) -> None:
    named = parse(agent or STRONGEST)
    if named.name == "human":
        raise Fault("agent.person-engine")
    rules = Variant.named(variant)

    # All that was typed is in order. From here on the board is needed, and with it Numba.
    from outflank.protocols.session import Seat

    with clean_output() as output:
        seat = Seat(lambda: made(named), f"Outflank {named}", __version__, seed, ponder)
        loaded(engine)(0, output.write, seat, rules).run()


class Output:
    """Where a conversation's lines go, each whole."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor

    def write(self, data: bytes) -> None:
        while data:
            data = data[os.write(self.descriptor, data) :]


@contextmanager
def clean_output() -> Iterator[Output]:
    """A way to write to standard output that nobody else has: what a player prints must not get into a conversation."""
    descriptor = os.dup(1)
    try:
        os.dup2(2, 1)
        yield Output(descriptor)
    finally:
        os.close(descriptor)
