"""The record of a played game: its result for the statistics, and all of it for a closer look."""

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from outflank.arena.contest import Opening
from outflank.arena.referee import Decision, Forfeit, Verdict
from outflank.board.game import Game
from outflank.board.squares import Color


class Effort(NamedTuple):
    """What one side did in a game."""

    moves: int = 0
    seconds: float = 0.0
    slowest: float = 0.0
    """The longest move, in seconds."""
    depth: float = 0.0
    """The sum of the depths that it reports."""


@dataclass(frozen=True, slots=True)
class Result:
    """How a game ended, and each side's effort."""

    winner: Color | None
    score: int | None
    """Black's, in discs under the objective, empties to the winner; None where the game was forfeited."""
    forfeit: Forfeit | None = None
    efforts: tuple[Effort, Effort] = (Effort(), Effort())
    """Black's and White's."""

    def points(self, color: Color) -> float:
        """1 for a win of this side, ½ for a draw, 0 for a loss."""
        return 0.5 if self.winner is None else float(self.winner is color)

    def margin(self, color: Color) -> int | None:
        """The discs that this side won by; None for a forfeit, which shows nothing about them."""
        return self.score if self.score is None or color is Color.BLACK else -self.score


@dataclass(frozen=True, slots=True)
class GameRecord:
    """A whole game. The lists have an entry for each move of a player, in order; the opening's moves have none."""

    result: Result
    opening: Opening
    moves: str
    """The transcript from the start, opening included."""
    seconds: str
    scores: str
    depths: str
    nodes: str
    """These four as JSON lists: the store, which only passes them on, has nothing to convert."""


def record_of(game: Game, opening: Opening, verdict: Verdict) -> GameRecord:
    """The record of a game that is over."""
    outcome = game.outcome()
    assert outcome is not None
    score = None if verdict.forfeit else outcome.score
    made = verdict.decisions
    black, white = (_effort([one for one in made if one.color is color]) for color in Color)
    return GameRecord(
        Result(outcome.winner, score, verdict.forfeit, (black, white)),
        opening,
        game.transcript,
        _json([round(one.seconds, 6) for one in made]),
        _json([_finite(one.score) for one in made]),
        _json([one.depth for one in made]),
        _json([one.nodes for one in made]),
    )


def _effort(decisions: Sequence[Decision]) -> Effort:
    seconds = [one.seconds for one in decisions]
    depth = float(sum(one.depth for one in decisions))
    # Rounded here, so that a table is the same whether its games were just played or come from a store.
    return Effort(len(seconds), round(sum(seconds), 6), round(max(seconds, default=0.0), 6), depth)


def _finite(score: float | None) -> float | None:
    """JSON has no infinity and no nan."""
    return None if score is None or not math.isfinite(score) else float(score)


def _json(values: Sequence[float | None]) -> str:
    return json.dumps(values, separators=(",", ":"))
