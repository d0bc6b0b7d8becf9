"""Trials: new weights against old ones, in pairs of games; and the gate, the trial that they must win to be kept."""

from collections.abc import Iterable, Sequence
from typing import Any

from outflank.arena.statistics import Tally, moments, score_interval, superiority

PairScores = list[tuple[int, int]]
"""The scores of new weights in games against old ones: two for each opening, colours exchanged."""


def tally(portions: Iterable[PairScores]) -> Tally:
    """The count of a trial, from the new weights' view."""
    count = Tally()
    for portion in portions:
        for pair in portion:
            count.add([(score > 0) + 0.5 * (score == 0) for score in pair], list(pair))
    return count


class Verdict:
    """What a trial says."""

    pairs: Sequence[int]
    """How many pairs of games brought 0, ½, 1, 1½ and 2 points."""

    @property
    def score(self) -> float:
        return moments(self.pairs).mean

    @property
    def interval(self) -> tuple[float, float]:
        return score_interval(self.pairs)

    @property
    def superiority(self) -> float:
        return superiority(self.pairs)

    @property
    def percent(self) -> str:
        """`78.2 % (72.0 to 84.4)`."""
        low, high = self.interval
        return f"{100 * self.score:.1f} % ({100 * low:.1f} to {100 * high:.1f})"

    @property
    def data(self) -> dict[str, Any]:
        return {
            "score": round(self.score, 4),
            "interval": [round(bound, 4) for bound in self.interval],
            "pairs": self.pairs,
            "superiority": round(self.superiority, 4),
        }


class Gate(Verdict):
    """The match that decides whether new weights take the place of those before."""

    def __init__(self, portions: Iterable[PairScores]) -> None:
        self.tally = tally(portions)
        self.pairs = self.tally.counts

    @property
    def kept(self) -> bool:
        return self.score > 0.5

    @property
    def text(self) -> str:
        """`24-0-16, 60.0 % (48.8 to 71.2) against the best before: kept`."""
        games = f"{self.tally.wins}-{self.tally.draws}-{self.tally.losses}"
        return f"{games}, {self.percent} against the best before: {'kept' if self.kept else 'not kept'}"
