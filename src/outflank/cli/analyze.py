"""`outflank analyze`: what the engine says of every move of a position, or of every move of a game."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from outflank.cli.options import AsJson, HashSize, VariantName, print_json
from outflank.errors import Fault

if TYPE_CHECKING:
    from outflank.board.game import Game
    from outflank.board.position import Position
    from outflank.cli.match import ProgressLine
    from outflank.library.analysis import Analyst, GameAnalysis, PositionAnalysis
    from outflank.library.judging import JudgedMove
    from outflank.search.engine.engine import Hint

SIGNS = {"blunder": "??", "mistake": "?", "inaccuracy": "?!", None: ""}
LINE_SHOWN = 12
"""Moves of a line that a table has room for."""


def analyze(
    what: Annotated[
        str, typer.Argument(metavar="BOARD|GAME|FILE|-", help="A board text, or a game or position in any format.")
    ],
    time: Annotated[float | None, typer.Option("--time", "-t", help="Seconds a position; default: 1.")] = None,
    depth: Annotated[int | None, typer.Option("--depth", min=1, max=60, help="Plies to look ahead.")] = None,
    level: Annotated[int | None, typer.Option("--level", min=1, max=30, help="As far as this level looks.")] = None,
    end: Annotated[bool, typer.Option("--end", help="Not the game: the position in which it ends.")] = False,
    threads: Annotated[int, typer.Option(min=1, max=64, help="Threads on one tree.")] = 1,
    hash: HashSize = 64.0,
    variant: VariantName = "",
    json: AsJson = False,
) -> None:
    """A position: the value of every move. A game: what each move cost, the blunders, and where the game turned.

    Example: outflank analyze f5d6c3d3c4 --depth 8
    """
    from outflank.board.game import Game
    from outflank.board.variant import Variant
    from outflank.cli.match import ProgressLine
    from outflank.cli.show import read_anything
    from outflank.cli.terminal_files import require
    from outflank.library.analysis import Analyst
    from outflank.search.limits import Limit

    rules = Variant.named(variant) if variant else None
    found = read_anything(what, rules)
    if found.names:
        raise Fault("reading.not-games", what=found.kind)
    analyst = Analyst(Limit(time=time, depth=depth), level, threads, hash)
    line, several = ProgressLine(), len(found.games) + len(found.problems) > 1
    for number, game in enumerate(found.games, 1):
        if rules is not None:
            require(game, rules)
        if several and not json:
            print(f"{'' if number == 1 else chr(10)}game {number}", flush=True)
        if end or not game.line:
            _tell_position(analyst, game.position, line, json)
        else:
            _tell_game(analyst, game, line, json)
    for number, problem in enumerate(found.problems, 1):
        if rules is not None:
            require(Game(problem.position), rules)
        if several and not json:
            print(f"{'' if number == 1 else chr(10)}position {number}", flush=True)
        _tell_position(analyst, problem.position, line, json)


# A position


def _tell_position(analyst: "Analyst", position: "Position", line: "ProgressLine", json: bool) -> None:
    """Analyses a position and prints it: all of it, or after Ctrl-C what is known."""
    from outflank.library.analysis import PositionAnalysis

    known = PositionAnalysis(position, ())

    def hear(found: "PositionAnalysis") -> None:
        nonlocal known
        known = found
        best = found.hints[0]
        line.show(lambda: f"depth {found.depth}: {_line(best)} {_value(best.score, best.exact)}", 0, 0)

    try:
        known = analyst.position(position, hear)
    finally:
        line.clear()
        if json:
            print_json(_position_data(known))
        else:
            print(_position_text(known), flush=True)


def _position_text(found: "PositionAnalysis") -> str:
    position = found.position
    if position.is_over:
        return f"{position}\n\nthe game is over: {position.outcome()}"
    if not found.hints:
        return f"{position}\n\nno move has a value yet: give it more time"
    head = f"{'move':>5} {'value':>6} {'depth':>6}  line"
    rows = [
        f"{_name(hint.move):>5} {_value(hint.score, hint.exact):>6}"
        f" {'end' if hint.exact else hint.depth:>6}  {_line(hint)}"
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
        "move": None if best is None else _name(best.move),
        "score": found.score,
        "exact": found.is_exact,
        "depth": found.depth,
        "pv": [] if best is None else [_name(move) for move in best.pv],
        "moves": [
            {
                "move": _name(hint.move),
                "score": hint.score,
                "exact": hint.exact,
                "depth": hint.depth,
                "pv": [_name(move) for move in hint.pv],
            }
            for hint in found.hints
        ],
    }


# A game


def _tell_game(analyst: "Analyst", game: "Game", line: "ProgressLine", json: bool) -> None:
    """Analyses a game and prints it: all of it, or after Ctrl-C the moves that are known, which are its last."""
    from outflank.board.squares import PASS
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
        if json:
            print_json({**_game_data(analysis), "complete": len(known) == wanted})
        else:
            print(_game_text(analysis, wanted), flush=True)


def _game_text(found: "GameAnalysis", wanted: int) -> str:
    from outflank.cli.terminal_board import result_text

    game, numbers = found.game, _numbers(found.game)
    rows = [f"{'':>3} {'side':<6} {'move':>5} {'value':>6} {'loss':>6}     {'depth':>5}  better"]
    for each in found.moves:
        better = "" if each.loss == 0 else f"{_name(each.best)} {_value(each.value, each.exact)}"
        loss = "" if each.loss == 0 else f"{each.loss:g}"
        rows.append(
            f"{numbers[id(each.node)]:>3} {each.mover!s:<6} {_name(each.node.move or 0):>5}"
            f" {_value(each.played, each.exact):>6} {loss:>6} {SIGNS[each.mark]:<3}"
            f" {'end' if each.exact else each.depth:>5}  {better}".rstrip()
        )
    rows.append("")
    if len(found.moves) < wanted:
        rows.append(f"{len(found.moves)} of {wanted} moves have a value")
    rows += [_total_text(found, color) for color in _colors()]
    turn = found.turning_point
    if turn is not None:
        number = numbers[id(turn.node)]
        line = " ".join(map(_name, turn.best_line[:LINE_SHOWN]))
        rows.append(
            f"turning point: move {number}, {turn.mover} {_name(turn.node.move or 0)}"
            f" ({_value(turn.played, turn.exact)} instead of {_value(turn.value, turn.exact)}); better {line}"
        )
    rows += _opening_line(game)
    if game.is_over:
        rows.append(result_text(game))
    rows.append("values in discs for the side that moved; = marks what is proven; ?! 3, ? 6, ?? 10 discs lost or more")
    return "\n".join(rows)


def _total_text(found: "GameAnalysis", color: Any) -> str:
    total = found.totals(color)
    marks = ", ".join(f"{count} {mark}{'' if count == 1 else 's'}" for mark, count in total.marks.items())
    marks = marks.replace("inaccuracys", "inaccuracies")
    return f"{color}: {total.moves} moves, {total.loss:g} discs lost, {total.mean_loss:.2f} a move; {marks}"


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
                "move": _name(each.node.move or 0),
                "score": each.played,
                "best": _name(each.best),
                "best_score": each.value,
                "loss": each.loss,
                "mark": each.mark,
                "exact": each.exact,
                "depth": each.depth,
                "pv": [_name(move) for move in each.best_line],
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
            for color in _colors()
        },
    }


def _opening_line(what: "Game | Position") -> list[str]:
    """The line that names the opening, where it has a name."""
    from outflank.library.openings import opening_name

    name = opening_name(what)
    return [] if name is None else [f"opening: {name}"]


def _numbers(game: "Game") -> dict[int, int]:
    """Each node's number as people count moves: passes have none."""
    from outflank.board.squares import PASS

    moves = [node for node in game.line if node.move != PASS]
    return {id(node): number for number, node in enumerate(moves, 1)}


def _colors() -> list[Any]:
    from outflank.board.squares import Color

    return list(Color)


def _value(score: float, exact: bool) -> str:
    return f"{'=' if exact else ''}{score + 0.0:+g}"


def _line(hint: "Hint") -> str:
    shown = " ".join(_name(move) for move in hint.pv[:LINE_SHOWN])
    return shown + (" …" if len(hint.pv) > LINE_SHOWN else "")


def _name(move: int) -> str:
    from outflank.board.squares import square_name

    return square_name(move)
