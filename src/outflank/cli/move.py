"""`outflank move`: one decision of one player, for scripts and for the curious."""

import math
from typing import TYPE_CHECKING, Annotated, Any

import typer

from outflank.agents.roster import STRONGEST
from outflank.agents.spec import Spec, parse
from outflank.agents.spec import agent as made
from outflank.board.squares import PASS, square_name
from outflank.cli.match import Seed
from outflank.cli.options import AsJson, Unsafe, VariantName, rules_named, tell
from outflank.search.limits import Limit, Report, certainty

if TYPE_CHECKING:
    from outflank.board.game import Game


def move(
    agent: Annotated[str, typer.Option("--agent", "-a", help="The player; default: the strongest.")] = "",
    position: Annotated[
        str, typer.Option("--position", "-p", help="A board text, or a game in any format; default: the start.")
    ] = "",
    variant: VariantName = "",
    time: Annotated[float | None, typer.Option(help="Seconds for the move.")] = None,
    depth: Annotated[int | None, typer.Option(help="Plies to look ahead.")] = None,
    nodes: Annotated[int | None, typer.Option(help="Positions to visit.")] = None,
    playouts: Annotated[int | None, typer.Option(help="Games to play out.")] = None,
    seed: Seed = 0,
    unsafe: Unsafe = False,
    json: AsJson = False,
) -> None:
    """Ask a player for its move in a position. A limit in the player's spec overrides these options.

    With --json, a player that searches also values every other move, which takes about as long again.

    Example: outflank move --agent greedy --position d3c5 --json
    """
    from outflank.cli.terminal_files import read_game

    limit = Limit(time=time, depth=depth, nodes=nodes, playouts=playouts)
    named, rules = parse(agent or STRONGEST), rules_named(variant)
    decision = _decision(read_game(position, rules), named, limit, seed, json)
    tell(json, lambda: decision, lambda: _text(decision))


def _decision(game: "Game", named: Spec, limit: Limit, seed: int, all_moves: bool) -> dict[str, Any]:
    if game.start.must_pass and len(game.line) == 1:
        return {**_data(Report(PASS, pv=(PASS,))), "values": []}
    outcome = game.outcome()
    if outcome is not None:
        margin = outcome.margin(game.position.turn)
        over = Report(PASS, margin, exact=True, decided=margin is not None)
        return {**_data(over), "move": None, "values": []}
    player = made(named)
    try:
        player.expect(limit)
        player.start(game.variant, game.position.turn, seed)
        report = player.choose(game, limit)
        values = [_value(each) for each in player.rated(game, report, limit)] if all_moves else []
        return {**_data(report), "values": values}
    finally:
        player.close()


def _value(report: Report) -> dict[str, Any]:
    """A move and what is known of its worth: `decided` where the score is the margin of a finished game."""
    finite = report.score is not None and math.isfinite(report.score)
    return {
        "move": square_name(report.move),
        "score": report.score if finite else None,  # JSON has no infinity
        "depth": report.depth,
        "selectivity": report.selectivity,
        "exact": report.exact,
        "decided": report.decided,
    }


def _data(report: Report) -> dict[str, Any]:
    return {
        **_value(report),
        "nodes": report.nodes,
        "seconds": report.seconds,
        "pv": [square_name(square) for square in report.pv],
    }


def _text(decision: dict[str, Any]) -> str:
    what = "result" if decision["decided"] else "score"
    score = "" if decision["score"] is None else f"  {what} {decision['score']:+g}"
    if decision["move"] is None:
        return f"the game is over{score}"
    if decision["move"] == "pass":
        return "pass"
    line = f"  line {' '.join(decision['pv'])}" if decision["pv"] else ""
    return (
        f"{decision['move']}{score}  {certainty(decision['depth'], decision['selectivity'], decision['exact'])}"
        f"  {decision['nodes']:,} nodes  {decision['seconds']:.3f} s{line}"
    )
