"""`outflank gtp` and `outflank nboard`: our players as engines of other programs."""

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated

import typer

from outflank.cli.options import Unsafe, VariantName
from outflank.errors import Fault

if TYPE_CHECKING:
    from outflank.agents.spec import Spec
    from outflank.board.variant import Variant
    from outflank.protocols.session import Seat, Session

AgentName = Annotated[str, typer.Option("--agent", "-a", help="Who plays; default: the strongest there is.")]
Seed = Annotated[int, typer.Option(help="Decides all that is random.")]


def gtp(agent: AgentName = "", variant: VariantName = "othello", seed: Seed = 0, unsafe: Unsafe = False) -> None:
    """Be an engine that speaks GTP 2 on standard input and output, for GoGui, Quarry, and other hosts.

    Example: printf 'play b f5\\ngenmove w\\nquit\\n' | outflank gtp --agent alphabeta:depth=4
    """
    named, rules = _checked(agent, variant)
    from outflank.protocols.gtp import GtpEngine

    _converse(GtpEngine, named, rules, seed)


def nboard(agent: AgentName = "", variant: VariantName = "othello", seed: Seed = 0, unsafe: Unsafe = False) -> None:
    """Be an engine that speaks the NBoard protocol on standard input and output, for NBoard and other hosts.

    Example: printf 'nboard 2\\nset depth 4\\ngo\\n' | outflank nboard --agent alphabeta
    """
    named, rules = _checked(agent, variant)
    from outflank.protocols.nboard import NBoardEngine

    _converse(NBoardEngine, named, rules, seed)


def _checked(agent: str, variant: str) -> "tuple[Spec, Variant]":
    """What was typed, in order, before anything is loaded that takes time."""
    from outflank.agents.roster import strongest
    from outflank.agents.spec import parse
    from outflank.board.variant import Variant

    named = parse(agent or strongest())
    if named.name == "human":
        raise Fault("agent.person-engine")
    return named, Variant.named(variant)


def _converse(
    engine: "Callable[[int, Callable[[bytes], object], Seat, Variant], Session]",
    named: "Spec",
    rules: "Variant",
    seed: int,
) -> None:
    from outflank import __version__
    from outflank.agents.spec import agent
    from outflank.protocols.session import Seat

    with os.fdopen(os.dup(1), "wb", buffering=0) as output:
        os.dup2(2, 1)  # what a player prints must not get into the conversation

        def write(data: bytes) -> None:
            while data:
                data = data[output.write(data) or 0 :]

        engine(0, write, Seat(lambda: agent(named), f"Outflank {named}", __version__, seed), rules).run()
