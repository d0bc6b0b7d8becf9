"""What `outflank.match` and `outflank.tournament` are made of, for studies that play many games into one store.

A `Match` has two players (`Player`), the `Conditions` that its games share, openings and a `Store`; `Workers` play
what the store lacks. `Tally`, `Margins` and `standings` say what the results mean.
"""

from outflank.arena.contest import Conditions, Player
from outflank.arena.match import Match, MatchResult
from outflank.arena.openings import Openings, game_from, openings_named
from outflank.arena.record import Result
from outflank.arena.schedule import Pairing
from outflank.arena.standings import Row, Standings, standings
from outflank.arena.statistics import Margins, Tally, score_interval
from outflank.work.places import workers_named
from outflank.work.workers import Workers

__all__ = [
    "Conditions",
    "Margins",
    "Match",
    "MatchResult",
    "Openings",
    "Pairing",
    "Player",
    "Result",
    "Row",
    "Standings",
    "Tally",
    "Workers",
    "game_from",
    "openings_named",
    "score_interval",
    "standings",
    "workers_named",
]
