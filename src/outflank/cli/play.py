"""`outflank play`: a game at the terminal, of people, players or both; `--console` is that of `self-taught`."""

import random
from pathlib import Path
from typing import Annotated

import typer

from outflank.agents.roster import STRONGEST
from outflank.agents.spec import Spec, parse
from outflank.agents.spec import agent as made
from outflank.board.squares import Color
from outflank.board.variant import Variant
from outflank.cli.options import Unsafe, VariantName
from outflank.errors import Fault
from outflank.search.limits import Limit


def play(
    agent: Annotated[str, typer.Argument(help="Your opponent; without one, two people play.")] = "",
    agent2: Annotated[str, typer.Argument(help="A second player: the first is Black, and you watch.")] = "",
    variant: VariantName = "",
    color: Annotated[str, typer.Option("--color", "-c", help="Your side: black (default) or white.")] = "",
    time: Annotated[float | None, typer.Option("--time", "-t", help="Seconds per move for the players.")] = None,
    hint: Annotated[str, typer.Option(help="The player that gives hints; default: the strongest.")] = "",
    load: Annotated[str, typer.Option(help="A file with a game or position to continue.")] = "",
    seed: Annotated[
        int | None, typer.Option(help="The seed of everything random; default: a new one each time.")
    ] = None,
    console: Annotated[
        bool, typer.Option("--console", help="The console of self-taught: `move r c` and `comp`, on 6x6-mirrored.")
    ] = False,
    unsafe: Unsafe = False,
) -> None:
    """Play at the terminal. Type squares such as d3, and help for the commands.

    Example: outflank play greedy --color white --variant 6x6
    """
    rules = Variant.named(variant or ("6x6-mirrored" if console else "othello"))
    limit = Limit(time=time)
    named = [parse(text) for text in (agent, agent2) if text]
    adviser = parse(hint or STRONGEST)
    seed = random.SystemRandom().randrange(2**32) if seed is None else seed
    if console and (color or hint or len(named) > 1):
        raise Fault("play.console")
    sides = _sides(named, color)

    # All that was typed is in order. From here on the board is needed, and with it Numba.
    from outflank.board.game import Game
    from outflank.cli.terminal import Terminal
    from outflank.cli.terminal_files import load_game, require
    from outflank.cli.terminal_game import TerminalGame
    from outflank.studies.console import Console

    game = load_game(Path(load), rules) if load else Game(rules)
    if variant:
        require(game, rules)
    if console:
        computer = named[0] if named else parse("self-taught")
        Console(Terminal(), game, computer, limit, seed).run()
    else:
        seats = {color: None if side is None else made(side) for color, side in zip(Color, sides, strict=True)}
        TerminalGame(Terminal(), game, seats, adviser, limit, seed).run()


def _sides(named: list[Spec], color: str) -> tuple[Spec | None, Spec | None]:
    """Who plays Black and who White; None is a person."""
    players = [None if spec.name == "human" else spec for spec in named]
    own = color.strip().lower()
    if own not in ("", "black", "white"):
        raise Fault("play.color", text=color)
    if own and (len(players) != 1 or players[0] is None):
        raise Fault("play.color-alone")
    if len(players) == 2:
        return players[0], players[1]
    opponent = players[0] if players else None
    return (opponent, None) if own == "white" else (None, opponent)
