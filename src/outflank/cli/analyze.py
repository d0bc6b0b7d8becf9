"""`outflank analyze`: what the engine says of every move of a position, or of every move of a game."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from outflank.board.squares import PASS, Color, square_name
from outflank.cli.match import ProgressLine
from outflank.cli.options import AsJson, HashSize, VariantName, rules_named, tell
from outflank.errors import Fault
from outflank.search.limits import Limit, certainty

if TYPE_CHECKING:
    from outflank.board.game import Game
    from outflank.board.position import Position
    from outflank.library.analysis import Analyst, GameAnalysis, PositionAnalysis
    from outflank.library.judging import JudgedMove
    from outflank.search.engine.engine import Hint

LINE_SHOWN = 12
"""Moves of a line that a table has room for."""


def analyze(
    what: Annotated[
        str, typer.Argument(metavar="BOARD|GAME|FILE|-", help="A board text, or a game or position in any format.")
    ],
    time: Annotated[float | None, typer.Option("--time", "-t", help="Seconds per position; default: 1.")] = None,
    depth: Annotated[int | None, typer.Option("--depth", min=1, max=60, help="Plies to look ahead.")] = None,
    level: Annotated[
        int | None, typer.Option("--level", min=1, max=30, help="Look ahead as far as this level.")
    ] = None,
    end: Annotated[bool, typer.Option("--end", help="Analyse the final position of a game, not the game.")] = False,
    threads: Annotated[int, typer.Option(min=1, max=64, help="Threads on one tree.")] = 1,
    hash: HashSize = 64.0,
    variant: VariantName = "",
    json: AsJson = False,
) -> None:
    """Value each move of a position, or judge those of a game. For a game: what each move cost, the blunders, and
    where it turned.

    Example: outflank analyze f5d6c3d3c4 --depth 8
    """
    from outflank.board.game import Game
    from outflank.cli.show import read_anything
    from outflank.cli.terminal_files import require
    from outflank.library.analysis import Analyst
    from outflank.search.engine.engine import Engine

    rules = rules_named(variant)
    found = read_anything(what, rules)
    if found.names:
        raise Fault("reading.not-games", what=found.kind)
    analyst = Analyst(Engine(threads, hash), Limit(time=time, depth=depth), level)
    line = ProgressLine()
    part, games = "game", found.games
    if not games:
        part, games = "position", [Game(problem.position) for problem in found.problems]
    for number, game in enumerate(games, 1):
        if rules is not None:
            require(game, rules)
        if len(games) > 1 and not json:
            print(f"{'' if number == 1 else chr(10)}{part} {number}", flush=True)
        if part == "position":
            _tell_position(analyst, game.start, line, json)
        elif end or not game.line:
            _tell_position(analyst, game.position, line, json)
        else:
            _tell_game(analyst, game, line, json)


# A position


def _tell_position(analyst: "Analyst", position: "Position", line: ProgressLine, json: bool) -> None:
    """Analyses a position and prints it: all of it, or after Ctrl-C what is known."""
    from outflank.library.analysis import PositionAnalysis

    known = PositionAnalysis(position, ())

    def hear(found: "PositionAnalysis") -> None:
        nonlocal known
        known = found
        best = found.hints[0]
        line.show(lambda: f"{_sureness(found)}: {_line(best)} {_value(best.score, best.exact)}", 0, 0)

    try:
        known = analyst.position(position, hear)
    finally:
        line.clear()
        tell(json, lambda: _position_data(known), lambda: _position_text(known))


def _position_text(found: "PositionAnalysis") -> str:
    position = found.position
    if position.is_over:
        return f"{position}\n\nthe game is over: {position.outcome()}"
    if not found.hints:
        return f"{position}\n\nno move has a value yet: give it more time"
    head = f"{'move':>5} {'value':>6} {'depth':>10}  line"
    rows = [
        f"{square_name(hint.move):>5} {_value(hint.score, hint.exact):>6} {_depth(hint):>10}  {_line(hint)}"
        for hint in found.hints
    ]
    note = "values in discs for the side to move; = marks what is proven"
    return "\n".join([str(position), *_opening_line(position), "", head, *rows, "", note])


def _position_data(found: "PositionAnalysis") -> dict[str, Any]:
    from outflank.library.openings import opening_name

    best = found.best
    return {
        "position": found.position.text,
        "variant": found.position.variant.name,
        "opening": opening_name(found.position),
        "move": None if best is None else square_name(best.move),
        "score": found.score,
        "exact": found.is_exact,
        "depth": found.depth,
        "selectivity": found.selectivity,
        "pv": [] if best is None else [square_name(move) for move in best.pv],
        "moves": [hint.data() for hint in found.hints],
    }


# A game


def _tell_game(analyst: "Analyst", game: "Game", line: ProgressLine, json: bool) -> None:
    """Analyses a game and prints it: all of it, or after Ctrl-C the moves that are known, which are its last."""
    from outflank.library.analysis import GameAnalysis

    wanted = sum(move != PASS for move in game.moves)
    known: list[JudgedMove] = []

    def hear(each: "JudgedMove") -> None:
        known.append(each)
        line.show(lambda: f"{len(known)} of {wanted} moves, from the end", len(known), wanted - len(known))

    line.show(lambda: f"0 of {wanted} moves, from the end", 0, wanted)
    try:
        analyst.game(game, hear)
    finally:
        line.clear()
        analysis = GameAnalysis(game, tuple(reversed(known)))
        complete = {"complete": len(known) == wanted}
        tell(json, lambda: _game_data(analysis) | complete, lambda: _game_text(analysis, wanted))


def _game_text(found: "GameAnalysis", wanted: int) -> str:
    from outflank.cli.terminal_board import result_text
    from outflank.library.judging import SIGNS

    game, numbers = found.game, _numbers(found.game)
    rows = [f"{'':>3} {'side':<6} {'move':>5} {'value':>6} {'loss':>6}     {'depth':>10}  better"]
    for each in found.moves:
        better = "" if each.loss == 0 else f"{square_name(each.best)} {_value(each.value, each.exact)}"
        loss = "" if each.loss == 0 else f"{each.loss:g}"
        rows.append(
            f"{numbers[id(each.node)]:>3} {each.mover!s:<6} {square_name(each.node.move or 0):>5}"
            f" {_value(each.played, each.exact):>6} {loss:>6} {SIGNS[each.mark]:<3}"
            f" {_depth(each):>10}  {better}".rstrip()
        )
    rows.append("")
    if len(found.moves) < wanted:
        rows.append(f"{len(found.moves)} of {wanted} moves were valued")
    rows += [_total_text(found, color) for color in Color]
    turn = found.turning_point
    if turn is not None:
        number = numbers[id(turn.node)]
        line = " ".join(map(square_name, turn.best_line[:LINE_SHOWN]))
        rows.append(
            f"turning point: move {number}, {turn.mover} {square_name(turn.node.move or 0)}"
            f" ({_value(turn.played, turn.exact)} instead of {_value(turn.value, turn.exact)}); better {line}"
        )
    rows += _opening_line(game)
    if game.is_over:
        rows.append(result_text(game))
    rows.append("values in discs for the side that moved; = marks what is proven; ?! 3, ? 6, ?? 10 discs lost or more")
    return "\n".join(rows)


def _total_text(found: "GameAnalysis", color: Color) -> str:
    total = found.totals(color)
    marks = ", ".join(f"{count} {mark}{'' if count == 1 else 's'}" for mark, count in total.marks.items())
    marks = marks.replace("inaccuracys", "inaccuracies")
    lost = f"{_many(total.loss, 'disc')} lost, {total.mean_loss:.2f} per move"
    return f"{color}: {_many(total.moves, 'move')}, {lost}; {marks}"


def _many(count: float, what: str) -> str:
    return f"{count:g} {what}{'' if count == 1 else 's'}"


def _game_data(found: "GameAnalysis") -> dict[str, Any]:
    from outflank.library.openings import opening_name

    game, numbers = found.game, _numbers(found.game)
    outcome, turn = game.outcome(), found.turning_point
    return {
        "variant": game.variant.name,
        "start": game.start.text,
        "transcript": game.transcript,
        "opening": opening_name(game),
        "score": None if outcome is None else outcome.score,
        "moves": [
            {
                "number": numbers[id(each.node)],
                "side": str(each.mover).lower(),
                "move": square_name(each.node.move or 0),
                "score": each.played,
                "best": square_name(each.best),
                "best_score": each.value,
                "loss": each.loss,
                "mark": each.mark,
                "exact": each.exact,
                "depth": each.depth,
                "selectivity": each.selectivity,
                "pv": [square_name(move) for move in each.best_line],
            }
            for each in found.moves
        ],
        "turning_point": None if turn is None else numbers[id(turn.node)],
        "totals": {
            str(color).lower(): {
                "moves": found.totals(color).moves,
                "loss": found.totals(color).loss,
                "marks": found.totals(color).marks,
            }
            for color in Color
        },
    }


def _opening_line(what: "Game | Position") -> list[str]:
    """The line that names the opening, where it has a name."""
    from outflank.library.openings import opening_name

    name = opening_name(what)
    return [] if name is None else [f"opening: {name}"]


def _numbers(game: "Game") -> dict[int, int]:
    """Each node's number as people count moves: passes have none."""
    moves = [node for node in game.line if node.move != PASS]
    return {id(node): number for number, node in enumerate(moves, 1)}


def _value(score: float, exact: bool) -> str:
    return f"{'=' if exact else ''}{score + 0.0:+g}"


def _sureness(found: "PositionAnalysis") -> str:
    return certainty(found.depth, found.selectivity, found.is_exact)


def _depth(value: "Hint | JudgedMove") -> str:
    """How far a value was looked for: `end`, `21 at 73 %`, `4`."""
    return "end" if value.exact else certainty(value.depth, value.selectivity, False).removeprefix("depth ")


def _line(hint: "Hint") -> str:
    shown = " ".join(square_name(move) for move in hint.pv[:LINE_SHOWN])
    return shown + (" …" if len(hint.pv) > LINE_SHOWN else "")
