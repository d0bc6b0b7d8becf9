"""Matches and tournaments as text: what the command line prints, and rows for a spreadsheet."""

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from outflank.arena.gap import Gap
from outflank.arena.match import MatchResult
from outflank.arena.standings import CrossTable, Standings
from outflank.arena.statistics import Interval
from outflank.notebook import beside, table

WIDEST_CROSS_TABLE = 16
"""Players up to whom a cross table fits a terminal."""
FORFEITS_SHOWN = 20
GAMES_NAMED = 4
"""Games that are named of those that a player lost in one and the same way."""


def signed(value: float, digits: int = 0) -> str:
    """`+12`, `-3.4`, and `+0` for what rounds to nothing from either side."""
    return f"{round(value, digits) + 0.0:+.{digits}f}"


def duration_text(seconds: float) -> str:
    """`8 µs`, `0.35 ms`, `12 ms`, `1.4 s`: two digits of it or three, in the unit that people think in."""
    for least, unit, name in ((1.0, 1.0, "s"), (1e-4, 1e-3, "ms")):
        if seconds >= least * 0.9995:
            value = seconds / unit
            return f"{value:.0f} {name}" if value >= 10 else f"{value:.2g} {name}"
    return f"{1e6 * seconds:.0f} µs"


def elo_text(value: float | None, interval: Interval, score: float | None) -> str:
    """`+35 [+12, +58]`; infinite where every game was won or lost."""
    if score is None:
        return "?"
    shown = signed(value) if value is not None else "+∞" if score > 0.5 else "-∞"
    low, high = interval
    return f"{shown} [{'-∞' if low is None else signed(low)}, {'+∞' if high is None else signed(high)}]"


def margin_text(mean: float | None, interval: Interval) -> str:
    """`+3.2 [+1.0, +5.4]` discs a game."""
    if mean is None:
        return "?"
    low, high = interval
    bounds = "" if low is None or high is None else f" [{signed(low, 1)}, {signed(high, 1)}]"
    return signed(mean, 1) + bounds


def match_line(result: MatchResult) -> str:
    """A match in one line, for its progress."""
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
        margin = f"{margin_text(result.margin, result.margin_interval)} discs a game"
        if result.margin is None:
            margin = "none: every game was forfeited"
        lines += [
            f"  score        {100 * result.score:.1f} %  ({worth})",
            f"  Elo          {elo_text(result.elo, result.elo_interval, result.score)}",
            f"  margin       {margin}",
            f"  superiority  {100 * (result.superiority or 0.0):.1f} %",
            f"  pairs        {' '.join(map(str, result.pentanomial))}  (worth 0, ½, 1, 1½, 2 points)",
        ]
    if result.llr is not None:
        said = {None: "not decided", "H0": "H0 accepted: no better than that", "H1": "H1 accepted: better"}
        lines.append(f"  SPRT {sprt}  LLR {result.llr:+.2f}, {said[result.decision]}")
    lines += _forfeit_lines([(result.players[one.player], one.reason, one.game, "") for one in result.forfeits])
    return "\n".join(lines)


def match_html(result: MatchResult) -> str:
    """A match for a notebook."""
    score = "?" if result.score is None else f"{100 * result.score:.1f} %"
    row = (
        *(result.games, result.wins, result.draws, result.losses, score),
        elo_text(result.elo, result.elo_interval, result.score),
        margin_text(result.margin, result.margin_interval),
    )
    head = ("games", "won", "drawn", "lost", "score", "Elo [95 %]", "discs a game [95 %]")
    return table(head, [row], " against ".join(result.players))


def standings_html(found: Standings) -> str:
    """A tournament for a notebook: the ranking, and the score of each against each where they fit."""
    ranking = [
        (row.rank, row.player.spec, f"{row.rating.value:.0f}", row.games, row.wins, row.draws, row.losses)
        for row in found.rows
    ]
    made = table(("", "player", "rating", "games", "won", "drawn", "lost"), ranking, f"{found.format}, {found.variant}")
    if len(found.rows) > WIDEST_CROSS_TABLE:
        return made
    head = ("", *(str(row.rank) for row in found.rows))
    cells = [
        (f"{row.rank} {row.player.spec}", *("" if cell is None else f"{cell[0]:g}/{cell[1]}" for cell in line))
        for row, line in zip(found.rows, found.cross, strict=True)
    ]
    return beside(made, table(head, cells, "points of games"))


def versions_text(versions: Mapping[str, int]) -> str:
    """A line of warning where several versions of Outflank have played; "" where one has played it all."""
    if len(versions) < 2:
        return ""
    shares = ", ".join(f"{count} by {version}" for version, count in versions.items())
    return f"Different versions of Outflank played these games ({shares}): players may have changed between them."


def _forfeit_lines(forfeits: Sequence[tuple[str, str, int, str]]) -> list[str]:
    """Who lost which games without playing them to the end, why, and in a tournament against whom: what happened again
    and again is told once."""
    if not forfeits:
        return []
    alike: dict[tuple[str, str], list[tuple[int, str]]] = {}
    for player, reason, game, opponent in forfeits:
        alike.setdefault((player, reason), []).append((game, opponent))
    lines = [f"  forfeits     {len(forfeits)}"]
    for (player, reason), games in list(alike.items())[:FORFEITS_SHOWN]:
        numbers, opponent = [f"{number}" for number, _ in games], games[0][1]
        if len(games) == 1:
            against = f" against {opponent}" if opponent else ""
            lines.append(f"    game {numbers[0]}: {player}{against}, {reason}")
        else:
            # Between several opponents a number means little.
            named = "" if opponent else f" ({', '.join(numbers[:GAMES_NAMED])}{', …' * (len(games) > GAMES_NAMED)})"
            lines.append(f"    {len(games)} games{named}: {player}, {reason}")
    more = sum(len(games) for games in list(alike.values())[FORFEITS_SHOWN:])
    return lines + [f"    and {more} more"] * (more > 0)


def standings_text(table: Standings) -> str:
    """A tournament in full: its table, the cross table where it fits, and the forfeits."""
    anchored = f", ratings against {table.anchor}" if table.anchor else ""
    kind = "course" if table.course else table.format
    title = f"{kind} of {len(table.rows)} players, {table.variant}: {table.games} games{anchored}"
    parts = [title, aligned(_table_rows(table))]
    if table.gap is not None:
        parts.append(_gap_text(table.gap, len(table.rows)))
    if len(table.rows) <= WIDEST_CROSS_TABLE:
        parts.append(
            "Points of the row's player against the column's:\n" + aligned(_cross_rows(table, table.cross, "/"))
        )
        discs = "Discs of the row's player against the column's, empty squares as the result counts them:\n"
        parts.append(discs + aligned(_cross_rows(table, table.discs, "-")))
    lines = _forfeit_lines([(one.player, one.reason, one.game, one.opponent) for one in table.forfeits])
    if lines:
        parts.append("\n".join(lines))
    return "\n\n".join(parts)


def _gap_text(found: Gap, players: int) -> str:
    above = len(found.above)
    return (
        f"The {above} players rated highest and the other {players - above} met in only {found.games} games, in which "
        f"the lower group scored {found.points:g}. How far apart the two groups are is hardly known: the ratings bring "
        "them too close, and the intervals between them are too narrow."
    )


def _table_rows(table: Standings) -> list[list[str]]:
    points = ["points"] if table.course else []
    rows = [["", *points, "rating", "95 %", "score", "+", "=", "-", "margin", "a move", "depth", "forfeits", ""]]
    for row in table.rows:
        worth = [f"{row.course_points:+d}"] if table.course else []
        rows.append(
            [
                f"{row.rank}",
                *worth,
                signed(row.rating.value),
                f"±{(row.rating.high - row.rating.low) / 2:.0f}",
                f"{100 * row.points / row.games:.1f} %" if row.games else "-",
                *(f"{row.wins}", f"{row.draws}", f"{row.losses}"),
                "-" if row.margins.mean is None else signed(row.margins.mean, 1),
                "-" if row.seconds_a_move is None else duration_text(row.seconds_a_move),
                "-" if row.depth is None else f"{row.depth:.1f}",
                f"{row.forfeits or '-'}",
                row.player.spec,
            ]
        )
    return rows


def _cross_rows(table: Standings, cross: CrossTable, between: str) -> list[list[str]]:
    rows = [["", *(f"{row.rank}" for row in table.rows), "total", ""]]
    for row, cells in zip(table.rows, cross, strict=True):
        met = [cell for cell in cells if cell is not None]
        total = sum(cell[0] for cell in met), sum(cell[1] for cell in met)
        shown = ("·" if cell is None else f"{cell[0]:g}{between}{cell[1]}" for cell in (*cells, total if met else None))
        rows.append([f"{row.rank}", *shown, row.player.spec])
    return rows


def aligned(rows: Sequence[Sequence[str]]) -> str:
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
    data["pentanomial"] = " ".join(map(str, result.pentanomial))
    flat = {"player": first, "opponent": second, **_bounds_apart(data), "forfeits": len(result.forfeits)}
    return csv_text([list(flat), list(flat.values())])


def standings_csv(table: Standings) -> str:
    """A tournament as one row a player, with its points against each of the others behind."""
    header = ["rank", "player", "course_points", "rating", "rating_low", "rating_high", "games", "wins", "draws"]
    header += ["losses", "margin", "seconds_a_move", "slowest_move", "depth", "forfeits"]
    rows: list[list[Any]] = [header + [f"against {row.player.spec}" for row in table.rows]]
    for row, cells in zip(table.rows, table.cross, strict=True):
        player = _bounds_apart(row.to_dict(table.course))
        rows.append([player.get(name) for name in header] + [None if cell is None else cell[0] for cell in cells])
    return csv_text(rows)


def _bounds_apart(data: Mapping[str, Any]) -> dict[str, Any]:
    """Data in which the two bounds of an interval have a name each."""
    flat: dict[str, Any] = {}
    for name, value in data.items():
        if name.endswith("_interval"):
            flat |= {name.replace("interval", "low"): value[0], name.replace("interval", "high"): value[1]}
        else:
            flat[name] = value
    return flat


FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""What makes a spreadsheet run a cell."""


def harmless(cell: Any) -> Any:
    """A cell with what others wrote: a text that begins as a formula does gets an apostrophe."""
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(FORMULA) else cell


def as_it_was(cell: str) -> str:
    """The inverse of `harmless`."""
    return cell[1:] if cell[:1] == "'" and cell[1:].startswith(FORMULA) else cell


def csv_text(rows: Iterable[Iterable[Any]]) -> str:
    """Rows for a spreadsheet, none of which runs anything."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([harmless(cell) for cell in row] for row in rows)
    return text.getvalue()
