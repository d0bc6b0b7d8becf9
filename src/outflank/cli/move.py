"""`outflank move`: one decision of one player, for scripts and for the curious."""

import math
from typing import TYPE_CHECKING, Annotated, Any

import typer

from outflank.cli.options import AsJson, Unsafe, VariantName, print_json

if TYPE_CHECKING:
    from outflank.agents.spec import Spec
    from outflank.board.game import Game
    from outflank.search.limits import Limit, Report


def move(
    agent: Annotated[str, typer.Option("--agent", "-a", help="Who decides; default: the strongest there is.")] = "",
    position: Annotated[
        str, typer.Option("--position", "-p", help="A board text, or a game in any format; default: the start.")
    ] = "",
    variant: VariantName = "",
    time: Annotated[float | None, typer.Option(help="Seconds for the move.")] = None,
    depth: Annotated[int | None, typer.Option(help="Plies to look ahead.")] = None,
    nodes: Annotated[int | None, typer.Option(help="Positions to visit.")] = None,
    playouts: Annotated[int | None, typer.Option(help="Games to play out.")] = None,
    seed: Annotated[int, typer.Option(help="Decides all that is random.")] = 0,
    unsafe: Unsafe = False,
    json: AsJson = False,
) -> None:
    """Ask a player for its move in a position. A limit in the player's spec beats the options here.

    Example: outflank move --agent greedy --position d3c5 --json
    """
    from outflank.agents.roster import strongest
    from outflank.agents.spec import parse
    from outflank.board.variant import Variant
    from outflank.cli.terminal_files import read_game
    from outflank.search.limits import Limit

    limit = Limit(time=time, depth=depth, nodes=nodes, playouts=playouts)
    named, rules = parse(agent or strongest()), Variant.named(variant) if variant else None
    decision = _decision(read_game(position, rules), named, limit, seed)
    if json:
        print_json(decision)
    else:
        print(_text(decision))


def _decision(game: "Game", named: "Spec", limit: "Limit", seed: int) -> dict[str, Any]:
    from outflank.agents.spec import agent

    nothing = {"depth": 0, "nodes": 0, "seconds": 0.0}
    if game.start.must_pass and len(game.line) == 1:
        return {"move": "pass", "score": None, **nothing, "pv": ["pass"]}
    outcome = game.outcome()
    if outcome is not None:
        score = outcome.score if outcome.score is None or game.position.turn == 0 else -outcome.score
        return {"move": None, "score": score, **nothing, "pv": []}
    player = agent(named)
    try:
        player.expect(limit)
        player.start(game.variant, game.position.turn, seed)
        return _data(player.choose(game, limit))
    finally:
        player.close()


def _data(report: "Report") -> dict[str, Any]:
    from outflank.board.squares import square_name

    finite = report.score is not None and math.isfinite(report.score)
    return {
        "move": square_name(report.move),
        "score": report.score if finite else None,  # JSON has no infinity
        "depth": report.depth,
        "nodes": report.nodes,
        "seconds": report.seconds,
        "pv": [square_name(square) for square in report.pv],
    }


def _text(decision: dict[str, Any]) -> str:
    score = "" if decision["score"] is None else f"  score {decision['score']:+g}"
    if decision["move"] is None:
        return f"the game is over{score}"
    if decision["move"] == "pass":
        return "pass"
    line = f"  line {' '.join(decision['pv'])}" if decision["pv"] else ""
    return (
        f"{decision['move']}{score}  depth {decision['depth']}  {decision['nodes']:,} nodes"
        f"  {decision['seconds']:.2f} s{line}"
    )
