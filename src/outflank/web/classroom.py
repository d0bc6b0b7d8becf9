"""A page for each student of a class, with that student's games, faults and advice only. It needs no script and loads
nothing."""

import html
import re
from collections.abc import Callable
from dataclasses import dataclass
from importlib import resources

from outflank import __version__
from outflank.arena.classroom.advice import Advice, Mistake, OwnGame
from outflank.arena.classroom.gradebook import Grade
from outflank.arena.classroom.history import Stood
from outflank.arena.contest import Player
from outflank.arena.text import duration_text, signed
from outflank.board.position import Position
from outflank.board.squares import Color, square_name
from outflank.board.svg import draw
from outflank.board.variant import Variant

BOARD_PIXELS = 270
ALIKE_SHOWN = 8
"""Games that are named of those that were lost in one and the same way."""
RESULTS = {1.0: "won", 0.5: "drawn", 0.0: "lost"}


@dataclass(frozen=True)
class Setting:
    """What is the same on all pages of a class."""

    title: str
    variant: str
    limits: str
    course: bool
    students: int
    """Who play."""
    judge: str
    """Who valued the moves; "" for nobody."""
    said: Callable[[Player], str]
    """What an opponent is called."""


def student_page(grade: Grade, advice: Advice, setting: Setting) -> str:
    """The HTML of one student's page."""
    parts = [_result(grade, advice, setting), _history(grade), _check(grade)]
    if grade.row is not None:
        parts += [_faults(advice, setting), _mistakes(advice, setting), _games(advice, setting)]
    values = {
        "title": _text(grade.student.label),
        "about": _text(" · ".join(filter(None, (setting.title, setting.variant, setting.limits)))),
        "body": "\n".join(filter(None, parts)),
        "version": _text(__version__),
    }
    template = resources.files(__package__).joinpath("student.html").read_text(encoding="utf-8")
    # In one go: what a student wrote is not looked through again.
    return re.sub(r"\{\{(\w+)\}\}", lambda place: values[place[1]], template)


def _text(said: str) -> str:
    return html.escape(said)


def _facts(facts: list[tuple[str, str]]) -> str:
    lines = "".join(f"<dt>{_text(name)}</dt><dd>{_text(value)}</dd>" for name, value in facts if value)
    return f'<dl class="facts">{lines}</dl>'


def _result(grade: Grade, advice: Advice, setting: Setting) -> str:
    row = grade.row
    if row is None:
        return f'<h2>Result</h2>\n<p class="wrong">It did not play: {_text(grade.left_out)}.</p>'
    facts = [
        ("rank", f"{grade.rank} of {setting.students}"),
        ("points", signed(grade.points or 0) if setting.course else f"{grade.points:g}"),
        ("rating", f"{signed(row.rating.value)} Elo, 95 % from {signed(row.rating.low)} to {signed(row.rating.high)}"),
        ("games", f"{row.games}: {row.wins} won, {row.draws} drawn, {row.losses} lost"),
        ("margin", "" if row.margins.mean is None else f"{signed(row.margins.mean, 1)} discs per game"),
        ("time", _time(advice)),
    ]
    if advice.judged:
        each = advice.given_away / advice.judged
        facts.append(("lost", f"{each:.1f} discs per move, as judged by {setting.judge}"))
    return f"<h2>Result</h2>\n{_facts(facts)}"


def _history(grade: Grade) -> str:
    """How it stood before, where there was a before."""
    if len(grade.history) < 2:
        return ""
    rows = []
    for one in grade.history:
        rank = "-" if one.rank is None else f"{one.rank} of {one.players}"
        cells = [one.day, str(one.version), rank, *("-" if value is None else f"{value:g}" for value in _worth(one))]
        rows.append(f"<tr>{''.join(f'<td>{_text(cell)}</td>' for cell in cells)}</tr>")
    header = "".join(f"<th>{name}</th>" for name in ("table of", "version", "rank", "points", "rating", "check"))
    table = f"<table><thead><tr>{header}</tr></thead><tbody>{''.join(rows)}</tbody></table>"
    return f'<h2>Version by version</h2>\n<div class="wide">{table}</div>'


def _worth(one: Stood) -> tuple[float | None, ...]:
    return one.points, one.rating, one.check


def _time(advice: Advice) -> str:
    if advice.seconds_a_move is None:
        return ""
    slow = max(range(len(advice.games)), key=lambda number: advice.games[number].slowest)
    return (
        f"{duration_text(advice.seconds_a_move)} a move; the longest took {duration_text(advice.slowest)}, "
        f"in game {slow + 1}"
    )


def _check(grade: Grade) -> str:
    check = grade.check
    if check is None:
        return ""
    facts = [
        ("points", f"{check.score} of 100; {check.passed} of {check.boards} boards in order"),
        ("interface", check.interface or "none found"),
        ("start", "" if check.start_seconds is None else duration_text(check.start_seconds)),
        ("longest move", duration_text(check.slowest_seconds) if check.slowest_seconds else ""),
        ("memory", "" if check.memory_megabytes is None else f"{check.memory_megabytes:.1f} MB beyond its libraries"),
    ]
    wrong = "".join(f'<li class="wrong">{_text(kind)} board: {_text(problem)}</li>' for kind, problem in check.problems)
    trace = f"<pre>{_text(check.trace.rstrip())}</pre>" if check.trace else ""
    if check.printed:
        trace += f"<p>The last thing it printed:</p><pre>{_text(check.printed)}</pre>"
    return f"<h2>The check before the games</h2>\n{_facts(facts)}{f'<ul>{wrong}</ul>' if wrong else ''}{trace}"


def _faults(advice: Advice, setting: Setting) -> str:
    """The games that were lost without being played to the end: what happened again and again once."""
    alike: dict[str, list[int]] = {}
    for number, game in enumerate(advice.games, 1):
        if game.fault is not None:
            alike.setdefault(game.fault.reason, []).append(number)
    if not alike:
        return ""
    items = "\n".join(_fault(numbers, advice, setting) for numbers in alike.values())
    about = "<p>These games were lost by a fault, whatever stood on the board.</p>"
    return f'<h2>Faults</h2>\n{about}\n<ul class="faults">{items}</ul>'


def _fault(numbers: list[int], advice: Advice, setting: Setting) -> str:
    """One fault, and of the first game with it the position, the time and what was printed."""
    game = advice.games[numbers[0] - 1]
    fault = game.fault
    assert fault is not None
    more = ", …" if len(numbers) > ALIKE_SHOWN else ""
    where = f"game{'s' * (len(numbers) > 1)} {', '.join(map(str, numbers[:ALIKE_SHOWN]))}{more}"
    made = len(game.moves) // 2
    first = f"after {'1 move' if made == 1 else f'{made} moves'} against {setting.said(game.opponent)}"
    spent = "" if fault.seconds is None else f", after {duration_text(fault.seconds)}"
    parts = [f'<p class="wrong">{_text(f"{where}: {fault.reason} ({first}{spent})")}</p>']
    if fault.board:
        parts.append(draw(Position.from_text(fault.board, Variant.named(setting.variant)), size=BOARD_PIXELS))
    if fault.printed:
        parts.append(f"<p>The last thing it printed:</p><pre>{_text(fault.printed)}</pre>")
    return f"<li>{''.join(parts)}</li>"


def _mistakes(advice: Advice, setting: Setting) -> str:
    if not advice.judged:
        return ""
    if not advice.worst:
        return f"<h2>Costliest moves</h2>\n<p>No move gave anything away, as far as {_text(setting.judge)} sees.</p>"
    items = "\n".join(_mistake(one, advice.games[one.game - 1], setting) for one in advice.worst)
    return f'<h2>Costliest moves</h2>\n<ul class="mistakes">{items}</ul>'


def _mistake(one: Mistake, game: OwnGame, setting: Setting) -> str:
    board = draw(one.position, legal=False, marks={one.played: "✗", one.best: "✓"}, size=BOARD_PIXELS)
    sure = "" if one.exact else "about "
    said = (
        f"Game {one.game}, as {_color(game)} against {setting.said(game.opponent)}, move {one.ply}: "
        f"{square_name(one.played)} gave away {sure}{one.loss:g} discs. {square_name(one.best)} was better."
    )
    return f"<li>{board}<p>{_text(said)}</p></li>"


def _color(game: OwnGame) -> str:
    return "Black" if game.color is Color.BLACK else "White"


def _games(advice: Advice, setting: Setting) -> str:
    rows = []
    for number, game in enumerate(advice.games, 1):
        margin = "" if game.margin is None else f" by {abs(game.margin)}" if game.margin else ""
        theirs = "because the opponent forfeited" if game.opponents_fault else ""
        why = f"by a fault: {game.fault.reason}" if game.fault else theirs
        cells = [
            str(number),
            setting.said(game.opponent),
            _color(game),
            f"{RESULTS[game.points]}{margin} {why}".strip(),
            duration_text(game.seconds) if game.made else "",
            duration_text(game.slowest) if game.made else "",
        ]
        line = "".join(f"<td>{_text(cell)}</td>" for cell in cells)
        rows.append(f'<tr>{line}<td class="moves">{_text(game.moves)}</td></tr>')
    moves = "moves (paste them into the page to replay)"
    names = ("", "against", "colour", "result", "own time", "longest move", moves)
    header = "".join(f"<th>{name}</th>" for name in names)
    table = f"<table><thead><tr>{header}</tr></thead><tbody>{''.join(rows)}</tbody></table>"
    return f'<h2>Games</h2>\n<div class="wide">{table}</div>'
