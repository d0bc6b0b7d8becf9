"""The table at which a worker's games are played. Players keep their seats from game to game: making one may mean to
compile a heuristic or to start a program, and `Agent.start` is what begins a new game."""

import time
from collections import OrderedDict
from contextlib import suppress

from outflank.agents.agent import Agent
from outflank.agents.spec import Spec, agent, parse
from outflank.arena import referee
from outflank.arena.contest import Fixture, Player
from outflank.arena.openings import game_from
from outflank.arena.record import GameRecord, record_of
from outflank.board.squares import Color
from outflank.errors import Fault, MachineError
from outflank.search.limits import Limit

SEATS = 8
"""Players kept; the one that has not played for longest leaves first. A tournament plays pair by pair."""

Seat = tuple[Player, Color]


class Table:
    """Plays one game after the other."""

    def __init__(self) -> None:
        self._seats: OrderedDict[Seat, tuple[Agent, Limit]] = OrderedDict()

    def play(self, fixture: Fixture) -> GameRecord:
        """Plays a game. A player that cannot be made, or that forfeits, is made anew the next time, and after a
        MachineError, which is nobody's forfeit, both are."""
        try:
            return self._played(fixture)
        except MachineError:
            for seat in ((fixture.black, Color.BLACK), (fixture.white, Color.WHITE)):
                self._dismiss(seat)
            raise

    def _played(self, fixture: Fixture) -> GameRecord:
        game = game_from(fixture.opening, fixture.variant)
        players, limits = [], []
        for player, color in ((fixture.black, Color.BLACK), (fixture.white, Color.WHITE)):
            began = time.perf_counter()
            try:
                seated, own = self._seated((player, color))
            except MachineError:
                raise
            except (Exception, SystemExit) as error:
                verdict = referee.Verdict(forfeit=referee.forfeit_by(error, game, color, began))
                game.end(color.other, f"{color} forfeits")
                return record_of(game, fixture.opening, verdict)
            players.append(seated)
            limits.append(own.under(fixture.limit))
        verdict = referee.play(game, players, limits, fixture.seed)
        for player, color, seated in zip((fixture.black, fixture.white), Color, players, strict=True):
            if not seated.lasting or (verdict.forfeit and verdict.forfeit.color is color):
                self._dismiss((player, color))
        for player in (fixture.first, fixture.second):
            player.check_unchanged()
        return record_of(game, fixture.opening, verdict)

    def _seated(self, seat: Seat) -> tuple[Agent, Limit]:
        """A player and the limits its spec names. The same player in both colours has a seat for each."""
        if seat in self._seats:
            self._seats.move_to_end(seat)
            return self._seats[seat]
        while len(self._seats) >= SEATS:
            self._dismiss(next(iter(self._seats)))
        spec = _known(seat[0].spec)
        self._seats[seat] = agent(spec), spec.limit
        return self._seats[seat]

    def _dismiss(self, seat: Seat) -> None:
        leaving = self._seats.pop(seat, None)
        if leaving is not None:
            with suppress(Exception):  # whatever a player does on its way out, the next game is played
                leaving[0].close()

    def close(self) -> None:
        """Sends everybody home."""
        while self._seats:
            self._dismiss(next(iter(self._seats)))


def _known(text: str) -> Spec:
    """A spec that was read before, where the contest was begun: a process that cannot read it lacks the player."""
    try:
        return parse(text)
    except Fault as error:
        raise MachineError("match.no-such-player", why=error) from None
