"""`outflank explain`: what a heuristic thinks of a position, feature by feature."""

import math
from typing import TYPE_CHECKING, Annotated, Any

import typer

from outflank.cli.options import AsJson, VariantName, rules_named, tell

if TYPE_CHECKING:
    from outflank.board.position import Position
    from outflank.heuristics.explanation import Explanation
    from outflank.heuristics.weighted import Line
    from outflank.patterns.explanation import PatternExplanation, PatternTables

DEFAULT = "combined"
COLUMNS = ("counts", "weight", "share")


def explain(
    position: Annotated[
        str, typer.Argument(metavar="POSITION", help="A board text, or a game in any format; default: the start.")
    ] = "",
    heuristic: Annotated[
        str,
        typer.Option(
            "--heuristic",
            "-H",
            help="A name of `outflank heuristics`, a file (./mine.py:edges, mine.json, mine.npz), engine or alphazero.",
        ),
    ] = DEFAULT,
    variant: VariantName = "",
    json: AsJson = False,
) -> None:
    """Show why a heuristic values a position as it does. Each feature for both sides, its weight and its share.

    For pattern tables, the engine's or alphazero's, it shows what each shape adds, and how likely the policy finds
    each move.

    Example: outflank explain f5d6c3d3c4 --heuristic phased
    """
    from outflank.heuristics import explanation
    from outflank.heuristics.named import find
    from outflank.patterns.explanation import NAMES, PatternTables, explain_patterns

    rules = rules_named(variant)
    if heuristic in NAMES or heuristic.endswith(".npz"):
        tables = PatternTables.named(heuristic, rules)
        seen = explain_patterns(_position(position, rules or (None if position else tables.variant)), tables)
        tell(json, lambda: _pattern_data(seen), lambda: _pattern_text(seen))
        return
    explained = explanation.explain(_position(position, rules), find(heuristic))
    tell(json, lambda: _data(explained), lambda: _text(explained))


def _position(text: str, rules: Any) -> "Position":
    """The position as it was given: also one in which the side to move must pass."""
    from outflank.cli.terminal_files import read_game

    game = read_game(text, rules)
    return game.start if game.start.must_pass and len(game.line) == 1 else game.position


def _data(explained: "Explanation") -> dict[str, Any]:
    position, heuristic = explained.position, explained.heuristic
    return {
        "heuristic": heuristic.name,
        "objective": heuristic.objective,
        "variant": position.variant.name,
        "position": position.text,
        "turn": str(position.turn).lower(),
        "phase": explained.phase,
        "compiled": explained.compiled,
        "features": [
            {
                "name": line.name,
                "own": _finite(line.own),
                "opp": _finite(line.opp),
                **{column: _finite(getattr(line, column)) for column in COLUMNS},
            }
            for line in explained.lines
        ],
        "value": _finite(explained.value),
    }


def _pattern_data(explained: "PatternExplanation") -> dict[str, Any]:
    position, tables = explained.position, explained.tables
    return {
        "tables": tables.name,
        "variant": position.variant.name,
        "position": position.text,
        "turn": str(position.turn).lower(),
        "stage": explained.stage,
        "unit": tables.unit,
        "patterns": [{"squares": one.squares, "places": one.places, "share": one.share} for one in explained.shares],
        "value": explained.value,
        "expected": explained.expected,
        "policy": explained.moves or None,
        "about": dict(tables.provenance),
    }


def _pattern_text(explained: "PatternExplanation") -> str:
    position, tables = explained.position, explained.tables
    unit, stage = tables.unit, explained.stage
    first = 4 + stage * tables.plies
    parts = [str(position), "", f"{tables.name}: {_made(tables)}"]
    parts += [f"tables {stage + 1} of {len(tables.values)}, from {first} discs on; shares in {unit}", ""]
    rows = [[one.squares, str(one.places), f"{one.share + 0.0:+.3f}"] for one in explained.shares]
    parts += _aligned([["pattern", "places", "share"], *rows, ["value", "", f"{explained.value + 0.0:+.3f}"]])
    if explained.expected is not None:
        parts += ["", f"{position.turn} expects {explained.expected:+.3f}: -1 is a game lost, 1 one won."]
    if explained.moves:
        chances = [[move, f"{100 * chance:.1f} %"] for move, chance in explained.moves.items()]
        parts += ["", *_aligned([["move", "policy"], *chances])]
    if position.is_over:
        parts += ["", "The game is over: a search counts its result, not this value."]
    return "\n".join(parts)


def _made(tables: "PatternTables") -> str:
    """How the tables came about, as far as they know."""
    about = tables.provenance
    what = "the engine's evaluation" if tables.policies is None else "value and policy"
    parts = [f"{what}, learnt for {tables.variant}"]
    if "games" in about:
        parts.append(f"{about['games']:,} games")
    if "positions" in about:
        parts.append(f"{about['positions']:,} positions")
    generations = about.get("generations")
    if generations:
        parts.append(f"{sum(one['kept'] for one in generations)} of {len(generations)} generations kept")
    return ", ".join(parts)


def _finite(number: float | None) -> float | None:
    return number if number is not None and math.isfinite(number) else None  # JSON has no infinity


def _text(explained: "Explanation") -> str:
    from outflank.heuristics.weighted import WeightedHeuristic

    position, heuristic = explained.position, explained.heuristic
    about = f": {heuristic.summary}" if heuristic.summary else ""
    parts = [str(position), "", f"{heuristic.name}{about}"]
    if explained.phase is not None and isinstance(heuristic, WeightedHeuristic):
        parts.append(f"phase {explained.phase + 1} of {len(heuristic.phases) + 1}")
    if heuristic.objective not in (None, position.variant.objective):
        change = "some terms change sign" if explained.lines and explained.lines[0].share is not None else "negated"
        parts.append(f"made for {heuristic.objective} discs, {change} here: {position.variant.objective} discs win")
    parts += ["", *_table(explained)]
    if position.is_over:
        parts += ["", "The game is over: a search counts its result, not this value."]
    return "\n".join(parts)


def _table(explained: "Explanation") -> list[str]:
    """The features line by line; for a heuristic without weights only what both sides have."""
    turn = explained.position.turn
    weighted = any(line.share is not None for line in explained.lines)
    head = ["feature", str(turn), str(turn.other), *(COLUMNS if weighted else ())]
    rows = [[line.name, *_cells(line, weighted)] for line in explained.lines]
    total = ["value", *([""] * (len(head) - 2)), f"{explained.value:+.6g}"]
    if not weighted:
        written = _aligned([head, *rows]) if rows else ["It calls no feature by name."]
        how = "your own function: how it combines these is in its code" if rows else "a function"
        return [*written, f"value  {explained.value:+.6g}   ({how}{'' if explained.compiled else '; not compiled'})"]
    return _aligned([head, *rows, total])


def _cells(line: "Line", weighted: bool) -> list[str]:
    shown = [line.own, line.opp, *((line.counts, line.weight) if weighted else ())]
    share = [] if line.share is None else [f"{line.share + 0.0:+.6g}"]
    return [*("" if number is None else f"{number + 0.0:.6g}" for number in shown), *share]


def _aligned(rows: list[list[str]]) -> list[str]:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return [
        "  ".join(
            [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))]
        )
        for row in rows
    ]
