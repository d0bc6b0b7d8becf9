"""What `outflank.match` and `outflank.tournament` are made of, for studies that play many games into one store.

A `Match` has two players (`Player`), the `Conditions` that its games share, openings and a `Store`; `Workers` play
what the store lacks. `Tally`, `Margins` and `standings` say what the results mean.
"""

from outflank.arena.contest import Conditions as Conditions, Player as Player
from outflank.arena.match import Match as Match, MatchResult as MatchResult
from outflank.arena.openings import Openings as Openings, game_from as game_from, openings_named as openings_named
from outflank.arena.record import Result as Result
from outflank.arena.schedule import Pairing as Pairing
from outflank.arena.standings import Row as Row, Standings as Standings, standings as standings
from outflank.arena.statistics import Margins as Margins, Tally as Tally, score_interval as score_interval
from outflank.work.places import workers_named as workers_named
from outflank.work.workers import Workers as Workers
