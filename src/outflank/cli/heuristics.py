"""`outflank heuristics`: the named heuristics and their terms."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from outflank.cli.options import AsJson, tell
from outflank.errors import Fault

if TYPE_CHECKING:
    from outflank.heuristics.weighted import Term, WeightedHeuristic

GAMES = {"most": "made for most discs", "fewest": "made for fewest discs"}
SIGN_CHANGES = {"most": "changes sign where fewest discs win", "fewest": "changes sign where most discs win"}
COMBINATIONS = {
    "difference": "difference",
    "share": "larger side's share",
    "own": "own side only",
    "unless-both": "difference, or {both:g} when both have some",
}


def heuristics(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[NAME|FILE]…", help="Only these, by name or as weights files.")
    ] = None,
    svg: Annotated[Path | None, typer.Option(help="Draw their tables of square values into this file.")] = None,
    json: AsJson = False,
) -> None:
    """List the heuristics with their terms and weights. Also the game that each was made for.

    --json prints a weights file: change any number in it, even a whole table of squares, and give it to a player
    as `weights=FILE`.

    Example: outflank heuristics mine.json --svg mine.svg
    """
    from outflank.heuristics.named import HEURISTICS

    chosen = [_weighted(name) for name in names] if names else list(HEURISTICS)
    tell(
        json,
        lambda: [_data(heuristic) for heuristic in chosen],
        lambda: "\n\n".join(_text(heuristic) + (_tables(heuristic) if names else "") for heuristic in chosen),
    )
    if svg is not None:
        _draw(names or [], chosen, svg)


def _weighted(name: str) -> "WeightedHeuristic":
    from outflank.heuristics.named import find
    from outflank.heuristics.weighted import WeightedHeuristic

    found = find(name)
    if not isinstance(found, WeightedHeuristic):
        raise Fault("heuristic.terms-of-function", name=name)
    return found


def _tables(heuristic: "WeightedHeuristic") -> str:
    from outflank.heuristics.picture import table_text, tables_of

    return "".join(f"\n  {name}\n{table_text(table)}" for name, table in tables_of(heuristic).items())


def _draw(names: list[str], chosen: "list[WeightedHeuristic]", svg: Path) -> None:
    from outflank.heuristics.named import NAMED
    from outflank.heuristics.picture import table_picture, tables_of

    tables = {}
    for name, heuristic in zip(names or [one.name for one in chosen], chosen, strict=True):
        tables.update(tables_of(heuristic, Path(name).name.removesuffix(".json") if name not in NAMED else ""))
    svg.write_text(table_picture(tables))
    print(f"written to {svg}")


def _data(heuristic: "WeightedHeuristic") -> dict[str, Any]:
    """A whole weights file with its description, so that the output can be edited and used."""
    from outflank.heuristics.explanation import feature_name
    from outflank.heuristics.learnt import whole_data

    data = whole_data(heuristic)
    for term in heuristic.terms:
        data["terms"][term.name] |= {
            "feature": feature_name(term),
            "scale": term.scale,
            "combination": term.combination,
            "changes_sign": term.turns,
        }
    return {**data, "name": heuristic.name, "objective": heuristic.objective, "summary": heuristic.summary}


def _text(heuristic: "WeightedHeuristic") -> str:
    lines = [f"{heuristic.name:12}  {heuristic.summary} ({GAMES[heuristic.objective]})"]
    if heuristic.phases:
        first, *others = heuristic.phases
        phases = " / ".join([f"below {first} discs", *(f"from {begin}" for begin in (first, *others))])
        lines.append(f"  weights: {phases}, on 64 squares")
    names = max(len(term.name) for term in heuristic.terms)
    weights = [_weights(term) for term in heuristic.terms]
    width = max(map(len, weights))
    for term, weight in zip(heuristic.terms, weights, strict=True):
        how = COMBINATIONS[term.combination].format(both=term.both)
        sign = f"; {SIGN_CHANGES[heuristic.objective]}" if term.turns else ""
        lines.append(f"  {term.name:{names}}  {weight:>{width}}  {how}{sign}")
    return "\n".join(lines)


def _weights(term: "Term") -> str:
    scale = "" if term.scale == 1 else f" × {term.scale:g}"
    return " / ".join(f"{weight:g}" for weight in term.weights) + scale
