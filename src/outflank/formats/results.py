"""Results as files state them: `+12` played out, `-64:r` resigned, `0:s` agreed, `?` unknown; Black's view.

What a file states need not be what the board shows: games lose their last moves, are given up, or are
played with komi. A game keeps such a statement as its tag `Result`, so that writing it gives it back.
"""

import re

from outflank.board.game import Game
from outflank.board.position import Outcome
from outflank.board.squares import Color
from outflank.errors import Fault

UNKNOWN = "?"
STATED = re.compile(r"([+-]?\d{1,6}(?:\.\d{1,6})?)(?::([rtsf]))?")
TAG = "Result"

# How a game can end before its time, by the letter that GGF (and, but for `s`, SGF) has for it.
ENDINGS = {"r": "resigned", "t": "ran out of time", "f": "forfeited", "s": "agreed"}


def margin_text(margin: float) -> str:
    """`+12`, `-4`, `0`, `+3.5`."""
    whole = int(margin)
    if whole == margin:
        return f"{whole:+d}" if whole else "0"
    return f"{margin:+}"


def margin_of(text: str) -> float | None:
    """The number in a stated result, or None where it states none."""
    match = STATED.fullmatch(text)
    return float(match[1]) if match else None


def statement(text: str) -> str:
    """A stated result in the one spelling used here; ValueError where it is none."""
    if text == UNKNOWN:
        return text
    match = STATED.fullmatch(text)
    if match is None:
        raise Fault("result.unreadable", text=text[:20])
    return margin_text(round(float(match[1]), 3)) + (f":{match[2]}" if match[2] else "")


def _is_canonical(text: str) -> bool:
    try:
        return statement(text) == text
    except ValueError:
        return False


def _outcome(text: str) -> Outcome | None:
    """The early end that a statement tells of, or None where it tells only a score."""
    match = STATED.fullmatch(text)
    if match is None or not match[2]:
        return None
    margin = float(match[1])
    winner = None if margin == 0 else Color.BLACK if margin > 0 else Color.WHITE
    ending = ENDINGS[match[2]]
    reason = f"{winner.other} {ending}" if winner is not None and match[2] != "s" else ending
    return Outcome(winner, None, reason)


def own_statement(game: Game) -> str:
    """What the game itself says: its score, or who gave up with every square to the winner, or unknown."""
    outcome = game.outcome()
    if outcome is None:
        return UNKNOWN
    if outcome.score is not None:
        return margin_text(outcome.score)
    endings = [letter for letter, ending in ENDINGS.items() if outcome.reason.endswith(ending)]
    if outcome.winner is None:
        return f"0:{(endings or ['s'])[0]}"
    sign = "+" if outcome.winner is Color.BLACK else "-"
    return f"{sign}{game.variant.square_count}:{(endings or ['f'])[0]}"


def settle(game: Game, stated: str, reason: str = "") -> None:
    """Ends a game that was read as its file states, and keeps the statement where the game does not imply it."""
    early = _outcome(stated)
    if early and not game.is_over:
        game.end(early.winner, reason or early.reason)
        if reason:  # it says more than the letter, which may have been the nearest that the format has
            stated = stated[:-1] + own_statement(game)[-1]
    if stated != own_statement(game):
        game.tags.setdefault(TAG, stated)


def stated_result(game: Game) -> str:
    """What a file should state: the tag while it still agrees with the game, else the game's own result."""
    tag = game.tags.get(TAG, "")
    if not _is_canonical(tag):
        return own_statement(game)
    early, outcome = _outcome(tag), game.outcome()
    if outcome is None:
        agrees = early is None
    elif outcome.score is None:
        agrees = early is not None and early.winner == outcome.winner and tag[-1] == own_statement(game)[-1]
    else:
        agrees = True  # the board shows the score, and a file may differ
    return tag if agrees else own_statement(game)


def tags_beside(game: Game, stated: str) -> dict[str, str]:
    """The game's tags without the stated result, where reading that statement would give it back."""
    tags = dict(game.tags)
    if tags.get(TAG) == stated != own_statement(game):
        del tags[TAG]
    return tags


def unspoken_reason(game: Game) -> str:
    """Why a game ended early, where the letter of its ending does not say it."""
    outcome = game.outcome()
    if outcome is None or outcome.score is not None:
        return ""
    implied = _outcome(stated_result(game))
    return "" if implied is not None and implied.reason == outcome.reason else outcome.reason
