"""Writing by name: what was read in one format becomes the bytes of another, or is refused in one line."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from outflank.board.game import Game, Node
from outflank.board.svg import draw
from outflank.errors import Fault
from outflank.formats import arrays, boards, gam, ggf, obf, results, sgf, transcript, wthor
from outflank.formats.obf import Problem
from outflank.formats.reading import TITLES, Detected
from outflank.formats.table import GameTable

POSITIONS = ("board", "array", "obf", "svg")
"""The formats of positions: of a game they hold the last one."""
ANNOTATED = ("ggf", "sgf")
"""The formats that hold every tag, comments, values and how a game ended."""
HELD_TAGS = {
    "gam": {"Count", results.TAG},
    "wthor": {
        *("Black", "White", "Event", "BlackId", "WhiteId", "EventId"),
        *("Date", "TheoreticalScore", "TheoreticalEmpties", results.TAG),
    },
}

GAME_WRITERS: dict[str, Callable[[Sequence[Game]], str]] = {
    "transcript": transcript.write,
    "ggf": ggf.write,
    "sgf": sgf.write,
    "gam": gam.write,
}


def encoded(found: Detected, name: str) -> bytes:
    """What was read, in another format; WTHOR without its lists of names."""
    if name == "wthor":
        return wthor.write(games_of(found))
    if name in GAME_WRITERS:
        return GAME_WRITERS[name](games_of(found)).encode()
    problems = found.problems or [Problem(game.position) for game in found.games]
    if name == "obf":
        return obf.write(problems).encode()
    if name in ("board", "array"):
        write = boards.write if name == "board" else arrays.write
        return write([problem.position for problem in problems]).encode()
    if len(problems) != 1:
        raise Fault("svg.several", what=len(problems))
    return draw(problems[0].position, found.games[0].peek() if found.games else None).encode()


def games_of(found: Detected) -> Sequence[Game]:
    """The games, or games without a move from the positions."""
    return found.games or [Game(position) for position in found.positions]


def joined(parts: Sequence[Detected]) -> Detected:
    """What several files hold, one after the other: games of them all, or positions."""
    first = parts[0]
    if any(not (part.games or part.problems) for part in parts):
        raise Fault("holding.names")
    if len(parts) == 1:
        return first
    name = first.format if len({part.format for part in parts}) == 1 else "several formats"
    tables = [part.games for part in parts if isinstance(part.games, GameTable)]
    if len(tables) == len(parts) and len({table.variant for table in tables}) == 1:
        return Detected(name, name, GameTable.joined(tables))
    if any(part.games for part in parts):
        return Detected(name, name, [game for part in parts for game in games_of(part)])
    return Detected(name, name, problems=[problem for part in parts for problem in part.problems])


def holdable(found: Detected, name: str) -> tuple[Detected, int]:
    """What a format can hold of what was read, and how much it cannot."""
    if _holds(name, found):
        return found, 0
    games, problems = found.games, found.problems
    kept_games = [game for game in games if _holds(name, replace(found, games=[game]))]
    kept_problems = [problem for problem in problems if _holds(name, replace(found, problems=[problem]))]
    skipped = len(games) + len(problems) - len(kept_games) - len(kept_problems)
    if not (kept_games or kept_problems):
        raise Fault("holding.none", what=skipped, format=TITLES[name])
    return replace(found, games=kept_games, problems=kept_problems), skipped


def _holds(name: str, one: Detected) -> bool:
    try:
        encoded(one, name)
    except ValueError:
        return False
    return True


def left_out(found: Detected, name: str) -> list[str]:
    """What a format has no place for, beside the game itself, and these games have."""
    annotated, games = name in ANNOTATED, found.games
    trees: Sequence[Game] = () if isinstance(games, GameTable) else games
    lost_tags = [] if annotated else _other_tags(games, HELD_TAGS.get(name, set()))
    losses = {
        "the moves before the last position": name in POSITIONS and bool(games),
        _tags_text(lost_tags): bool(lost_tags),
        "how games ended early": not annotated and any(map(_ended_early, trees)),
        "comments and values": not annotated and any(_has_notes(node) for game in trees for node in game.nodes()),
        "variations": name != "sgf" and any(map(_branches, trees)),
        "the scores of moves": name != "obf" and any(problem.scores for problem in found.problems),
    }
    return [what for what, lost in losses.items() if lost]


def _other_tags(games: Sequence[Game], held: set[str]) -> list[str]:
    if isinstance(games, GameTable):
        return [tag for tag, values in games.columns.items() if tag not in held and any(values)]
    return [tag for tag in dict.fromkeys(tag for game in games for tag in game.tags) if tag not in held]


def _tags_text(tags: Sequence[str]) -> str:
    shown = ", ".join(tags[:3]) + (f" and {len(tags) - 3} more" if len(tags) > 3 else "")
    return f"the tag{'' if len(tags) == 1 else 's'} {shown}"


def _ended_early(game: Game) -> bool:
    outcome = game.outcome()
    return outcome is not None and outcome.score is None


def _has_notes(node: Node) -> bool:
    return bool(node.text) or node.score is not None or node.seconds is not None


def _branches(game: Game) -> bool:
    """True where the tree has more than the line to the cursor."""
    return len(game.line) + 1 < sum(1 for _ in game.nodes())
