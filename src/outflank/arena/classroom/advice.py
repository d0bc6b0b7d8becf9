"""A student's page: their games, costliest moves and the better ones, time used, and faults.

Moves are judged as a report judges them, by the one judge of the library."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from outflank.arena.contest import Player
from outflank.arena.openings import start_of
from outflank.arena.referee import Forfeit
from outflank.arena.store import StoredGame
from outflank.board.game import Game, Node
from outflank.board.position import Position
from outflank.board.squares import PASS, Color
from outflank.board.variant import Variant
from outflank.library.judging import NOTICEABLE, Cost, GameValues

WORST = 5
"""Moves that are shown of a student."""


@dataclass(frozen=True)
class Mistake:
    """A move that gave discs away."""

    game: int
    """The student's own number of the game, from 1."""
    ply: int
    """Of the game, from 1, passes not counted."""
    position: Position
    played: int
    best: int
    loss: float
    exact: bool


@dataclass(frozen=True)
class OwnGame:
    """A game as one of its players sees it."""

    opponent: Player
    color: Color
    points: float
    margin: int | None
    """Discs; None where somebody forfeited."""
    fault: Forfeit | None
    """How the student lost it without playing to the end, if it was so."""
    opponents_fault: bool
    moves: str
    seconds: float
    slowest: float
    made: int
    """The student's own moves."""


@dataclass
class Advice:
    """All of it, of one player."""

    games: list[OwnGame] = field(default_factory=list)
    worst: list[Mistake] = field(default_factory=list)
    given_away: float = 0.0
    """Discs, in all moves that were judged."""
    judged: int = 0

    @property
    def seconds_a_move(self) -> float | None:
        made = sum(game.made for game in self.games)
        return sum(game.seconds for game in self.games) / made if made else None

    @property
    def slowest(self) -> float:
        return max((game.slowest for game in self.games), default=0.0)


def advice(games: Iterable[StoredGame], judged: Mapping[int, GameValues]) -> dict[Player, Advice]:
    """What there is to say to each player of these games."""
    found: dict[Player, Advice] = {}
    for stored in games:
        at = stored.at
        sides = (at.first, at.second) if at.first_color is Color.BLACK else (at.second, at.first)
        for color, player in zip(Color, sides, strict=True):
            own = found.setdefault(player, Advice())
            own.games.append(_own(stored, color, sides[color.other]))
        values = judged.get(stored.id)
        if values is not None:
            _note_costs(stored, values, [found[player] for player in sides])
    return found


def _own(stored: StoredGame, color: Color, opponent: Player) -> OwnGame:
    result = stored.record.result
    effort = result.efforts[color]
    forfeit = result.forfeit
    own = forfeit is not None and forfeit.color is color
    return OwnGame(
        opponent,
        color,
        result.points(color),
        result.margin(color),
        forfeit if own else None,
        forfeit is not None and not own,
        stored.record.moves,
        effort.seconds,
        effort.slowest,
        effort.moves,
    )


def _note_costs(stored: StoredGame, values: GameValues, sides: list[Advice]) -> None:
    """Adds what the moves of a game cost to the two who made them; an opening is nobody's fault."""
    start = start_of(stored.record.opening, Variant.named(stored.variant))
    line = [node for node in Game.from_transcript(stored.record.moves, start).line if node.move != PASS]
    movers = [_before(node).turn for node in line]
    moves = [node.move if node.move is not None else PASS for node in line]
    costs: list[Cost | None] = values.costs(movers, moves)
    opening = len(line) - len(json.loads(stored.record.seconds))
    for number, (node, cost) in enumerate(zip(line, costs, strict=True)):
        if cost is None or number < opening:
            continue
        own = sides[cost.mover]
        own.judged += 1
        own.given_away += cost.loss
        if cost.loss >= NOTICEABLE or (cost.exact and cost.loss > 0):
            mistake = Mistake(
                len(own.games), number + 1, _before(node), moves[number], values.best[number], cost.loss, cost.exact
            )
            own.worst = sorted([*own.worst, mistake], key=lambda one: -one.loss)[:WORST]


def _before(node: Node) -> Position:
    assert node.parent is not None
    return node.parent.position
