"""Repeats decisions of a store with the same player or another. Is the answer the same, and is it in time?"""

import json
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

from outflank.agents.agent import Agent
from outflank.agents.spec import agent, parse
from outflank.arena.contest import Player, limit_from
from outflank.arena.openings import game_from
from outflank.arena.referee import Allowance, described
from outflank.arena.report.data import counted_games
from outflank.arena.store import Store, StoredGame
from outflank.board.game import Game
from outflank.board.position import Position
from outflank.board.squares import PASS, Color, square_name
from outflank.board.variant import Variant
from outflank.errors import Fault
from outflank.search.limits import Limit


@dataclass(frozen=True)
class StoredDecision:
    """One decision of a stored game: the game stands before it while it is looked at."""

    number: int
    """The game's, in its event, from 0."""
    ply: int
    """The move's, passes left out, from 1."""
    player: Player
    color: Color
    game: Game
    move: int | None
    """None where the player forfeited here."""
    seconds: float | None
    limit: Limit
    seed: int


@dataclass(frozen=True)
class Answer:
    """A decision, then and now."""

    game: int
    ply: int
    asked: str
    position: Position
    then: int | None
    then_seconds: float | None
    now: int | None
    seconds: float
    in_time: bool
    problem: str = ""

    @property
    def same(self) -> bool:
        return self.then is not None and self.then == self.now

    def to_dict(self) -> dict[str, Any]:
        moves = {"then": self.then, "now": self.now}
        named = {when: None if move is None else square_name(move) for when, move in moves.items()}
        data = {**vars(self), **named, "same": self.same, "problem": self.problem or None}
        return {"board": data.pop("position").text, **data}


@dataclass
class AskedAgain:
    """What came of asking again."""

    player: str
    """Who was asked; "" where everybody answered for himself."""
    answers: list[Answer] = field(default_factory=list)

    @property
    def compared(self) -> int:
        """Decisions that were made at the time: a forfeit has none."""
        return sum(answer.then is not None for answer in self.answers)

    @property
    def same(self) -> int:
        return sum(answer.same for answer in self.answers)

    @property
    def in_time(self) -> int:
        return sum(answer.in_time for answer in self.answers)

    def to_dict(self) -> dict[str, Any]:
        """What `outflank check --store --json` prints."""
        return {
            "player": self.player or None,
            "interface": "store",
            "score": 100 * self.same / self.compared if self.compared else None,
            "decisions": len(self.answers),
            "same": self.same,
            "in_time": self.in_time,
            "cases": [answer.to_dict() for answer in self.answers],
        }


def ask_again(
    store: Store,
    spec: str = "",
    limit: Limit | None = None,
    event: int | None = None,
    of: str = "",
    game: int | None = None,
    ply: int | None = None,
) -> AskedAgain:
    """Asks stored decisions again: of the player named, or of who made them. Without `of` they are the named player's
    own where the store knows it, and else everybody's. A limit given here goes before the stored one."""
    chosen = store.event(event)
    games = list(enumerate(store.games(chosen.contest)))
    last = len(games) - 1
    counted = {one.id for one in counted_games(store, chosen)}  # events under the same conditions share their games
    games = [(number, one) for number, one in games if one.id in counted]
    if game is not None:
        if not 0 <= game <= last:
            raise Fault("store.no-game", game=game, path=store.path, last=last)
        games = [(number, one) for number, one in games if number == game]
    players = {player.spec for _, one in games for player in (one.at.first, one.at.second)}
    whose = of or (spec if spec in players else "")
    if whose and whose not in players:
        raise Fault("store.other-players", whose=whose, players=", ".join(sorted(players)))
    result = AskedAgain(spec)
    for number, stored in games:
        # A player whose choices follow from its seed and its earlier moves is asked in the order of the game.
        asked: dict[Color, Agent] = {}
        try:
            for decision in decisions(number, stored):
                if whose and decision.player.spec != whose:
                    continue
                if ply is not None and decision.ply != ply:
                    continue
                if limit is not None and limit != Limit():
                    decision = replace(decision, limit=limit)
                result.answers.append(_asked(decision, spec or decision.player.spec, asked))
        finally:
            for player in asked.values():
                with suppress(Exception):
                    player.close()
    if not result.answers:
        raise Fault("store.no-decision")
    return result


def decisions(number: int, stored: StoredGame) -> Iterator[StoredDecision]:
    """The decisions of a stored game in order, the one that was never made included where it was forfeited."""
    record, at = stored.record, stored.at
    game = game_from(record.opening, Variant.named(stored.variant))
    first_ply = sum(move != PASS for move in game.moves)
    whole = Game.from_transcript(record.moves, game.start)
    moves = [move for move in whole.moves if move != PASS]
    players = {at.first_color: at.first, at.first_color.other: at.second}
    limit, seconds = limit_from(stored.limits), json.loads(record.seconds)
    allowances = {color: Allowance(parse(player.spec).limit.under(limit)) for color, player in players.items()}
    for ply, (move, told) in enumerate(zip(moves[first_ply:], seconds, strict=True), first_ply + 1):
        color = game.position.turn
        yield StoredDecision(number, ply, players[color], color, game, move, told, allowances[color].now, stored.seed)
        allowances[color].overrun(told)
        game.push(move)
    if record.result.forfeit is not None and not game.is_over:
        color, ply = game.position.turn, len(moves) + 1
        yield StoredDecision(number, ply, players[color], color, game, None, None, allowances[color].now, stored.seed)


def _asked(decision: StoredDecision, spec: str, seated: dict[Color, Agent]) -> Answer:
    position = decision.game.position
    limit = parse(spec).limit.under(decision.limit)
    now, problem = None, ""
    began = time.perf_counter()
    try:
        if decision.color not in seated:
            player = seated[decision.color] = agent(spec)
            player.expect(limit)
            player.start(position.variant, decision.color, decision.seed)
        seated[decision.color].wake()
        began = time.perf_counter()
        now = int(seated[decision.color].choose(decision.game, limit).move)
        position.play(now)
    except Exception as error:
        now, problem = None, described(error)
        with suppress(Exception):
            seated.pop(decision.color).close()
    seconds = time.perf_counter() - began
    late = Allowance(limit).overrun(seconds) or problem.startswith("time")
    return Answer(
        *(decision.number, decision.ply, spec, position, decision.move, decision.seconds),
        *(now, seconds, not late, problem),
    )
