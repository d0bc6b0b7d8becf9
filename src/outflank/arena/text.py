"""Matches and tournaments as text: what the command line prints, and rows for a spreadsheet."""

import csv
import io
from collections.abc import Mapping, Sequence
from typing import Any

from outflank.arena.match import MatchResult
from outflank.arena.standings import Row, Standings
from outflank.arena.statistics import Interval

WIDEST_CROSS_TABLE = 16
"""Players up to whom a cross table fits a terminal."""
FORFEITS_SHOWN = 20


def elo_text(value: float | None, interval: Interval, score: float | None) -> str:
    """`+35 [+12, +58]`; infinite where every game was won or lost."""
    if score is None:
        return "?"
    shown = f"{value:+.0f}" if value is not None else "+∞" if score > 0.5 else "−∞"
    low, high = interval
    return f"{shown} [{'−∞' if low is None else f'{low:+.0f}'}, {'+∞' if high is None else f'{high:+.0f}'}]"


def margin_text(mean: float | None, interval: Interval) -> str:
    """`+3.2 [+1.0, +5.4]` discs a game."""
    if mean is None:
        return "?"
    low, high = interval
    return f"{mean:+.1f}" if low is None or high is None else f"{mean:+.1f} [{low:+.1f}, {high:+.1f}]"


def match_line(result: MatchResult) -> str:
    """A match in a line, for whoever watches it."""
    score = "?" if result.score is None else f"{100 * result.score:.1f} %"
    parts = [
        f"{result.games} games",
        f"+{result.wins} ={result.draws} -{result.losses}",
        score,
        f"Elo {elo_text(result.elo, result.elo_interval, result.score)}",
        f"margin {margin_text(result.margin, result.margin_interval)}",
    ]
    if result.llr is not None:
        parts.append(f"LLR {result.llr:+.2f}")
    if result.forfeits:
        parts.append(f"{len(result.forfeits)} forfeited")
    return ", ".join(parts)


def match_text(result: MatchResult, sprt: str = "") -> str:
    """A match in full."""
    first, second = result.players
    lines = [f"{first} against {second}: {result.games} games, intervals of 95 %"]
    if result.score is not None:
        worth = f"{result.wins} won, {result.draws} drawn, {result.losses} lost"
        lines += [
            f"  score        {100 * result.score:.1f} %  ({worth})",
            f"  Elo          {elo_text(result.elo, result.elo_interval, result.score)}",
            f"  margin       {margin_text(result.margin, result.margin_interval)} discs a game",
            f"  superiority  {100 * (result.superiority or 0.0):.1f} %",
            f"  pairs        {' '.join(map(str, result.pentanomial))}  (worth 0, ½, 1, 1½, 2 points)",
        ]
    if result.llr is not None:
        said = {None: "not decided", "H0": "H0 accepted: no better than that", "H1": "H1 accepted: better"}
        lines.append(f"  SPRT {sprt}  LLR {result.llr:+.2f}, {said[result.decision]}")
    lines += _forfeit_lines([(result.players[one.player], one.reason, one.game) for one in result.forfeits])
    return "\n".join(lines)


def versions_text(versions: Mapping[str, int]) -> str:
    """A line of warning where several versions of Outflank have played; "" where one has played it all."""
    if len(versions) < 2:
        return ""
    shares = ", ".join(f"{count} by {version}" for version, count in versions.items())
    return f"Different versions of Outflank played these games ({shares}): players may have changed between them."


def _forfeit_lines(forfeits: Sequence[tuple[str, str, int]]) -> list[str]:
    if not forfeits:
        return []
    lines = [f"  forfeits     {len(forfeits)}"]
    lines += [f"    game {game}: {player}, {reason}" for player, reason, game in forfeits[:FORFEITS_SHOWN]]
    more = len(forfeits) - FORFEITS_SHOWN
    return lines + [f"    and {more} more"] * (more > 0)


def standings_text(table: Standings) -> str:
    """A tournament in full: its table, the cross table where it fits, and the forfeits."""
    anchored = f", ratings against {table.anchor}" if table.anchor else ""
    title = f"{table.format} of {len(table.rows)} players, {table.variant}: {table.games} games{anchored}"
    parts = [title, _aligned(_table_rows(table))]
    if len(table.rows) <= WIDEST_CROSS_TABLE:
        parts.append("Points of the row's player against the column's:\n" + _aligned(_cross_rows(table)))
    lines = _forfeit_lines([(f"{one.player} against {one.opponent}", one.reason, one.game) for one in table.forfeits])
    if lines:
        parts.append("\n".join(lines))
    return "\n\n".join(parts)


def _table_rows(table: Standings) -> list[list[str]]:
    points = ["points"] if table.course else []
    rows = [["", *points, "rating", "95 %", "score", "+", "=", "-", "margin", "s/move", "depth", "lost by forfeit", ""]]
    for row in table.rows:
        worth = [f"{row.course_points:+d}"] if table.course else []
        rows.append(
            [
                f"{row.rank}",
                *worth,
                f"{row.rating.value:+.0f}",
                f"±{(row.rating.high - row.rating.low) / 2:.0f}",
                f"{100 * row.points / row.games:.1f} %" if row.games else "?",
                *(f"{row.wins}", f"{row.draws}", f"{row.losses}"),
                "?" if row.margins.mean is None else f"{row.margins.mean:+.1f}",
                "?" if row.seconds_a_move is None else f"{row.seconds_a_move:.3g}",
                "-" if row.depth is None else f"{row.depth:.1f}",
                f"{row.forfeits or '-'}",
                row.player.spec,
            ]
        )
    return rows


def _cross_rows(table: Standings) -> list[list[str]]:
    rows = [["", *(f"{row.rank}" for row in table.rows), ""]]
    for row, cells in zip(table.rows, table.cross, strict=True):
        rows.append([f"{row.rank}", *(_cell(cell) for cell in cells), row.player.spec])
    return rows


def _cell(cell: tuple[float, int] | None) -> str:
    return "·" if cell is None else f"{cell[0]:g}/{cell[1]}"


def _aligned(rows: Sequence[Sequence[str]]) -> str:
    """Columns side by side: numbers to the right, the last column, a name, to the left."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        cells = [cell.rjust(width) for cell, width in zip(row[:-1], widths, strict=False)]
        lines.append("  ".join([*cells, row[-1]]).rstrip())
    return "\n".join(lines)


def match_csv(result: MatchResult) -> str:
    """A match as one row under its header."""
    data = result.to_dict()
    first, second = data.pop("players")
    forfeits = data.pop("forfeits")
    flat: dict[str, Any] = {"player": first, "opponent": second}
    for key, value in data.items():
        if key.endswith("_interval"):
            flat |= {f"{key.removesuffix('interval')}low": value[0], f"{key.removesuffix('interval')}high": value[1]}
        else:
            flat[key] = value
    flat["forfeits"] = len(forfeits)
    return _csv([list(flat), list(flat.values())])


def standings_csv(table: Standings) -> str:
    """A tournament as one row a player, with its points against each of the others behind."""
    header = ["rank", "player", "course_points", "rating", "rating_low", "rating_high", "games", "wins", "draws"]
    header += ["losses", "margin", "seconds_a_move", "slowest_move", "depth", "forfeits"]
    rows: list[list[Any]] = [header + [f"against {row.player.spec}" for row in table.rows]]
    for row, cells in zip(table.rows, table.cross, strict=True):
        rows.append(_csv_cells(row, table.course) + [None if cell is None else cell[0] for cell in cells])
    return _csv(rows)


def _csv_cells(row: Row, course: bool) -> list[Any]:
    return [
        *(row.rank, row.player.spec, row.course_points if course else None),
        *(row.rating.value, row.rating.low, row.rating.high, row.games, row.wins, row.draws, row.losses),
        *(row.margins.mean, row.seconds_a_move, row.slowest, row.depth, row.forfeits),
    ]


def _csv(rows: Sequence[Sequence[Any]]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()
