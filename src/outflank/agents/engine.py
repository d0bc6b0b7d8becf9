"""`engine`: Outflank's own player, on any level or within any limit."""

import random
import time

from outflank.agents.agent import Agent
from outflank.agents.rating import Show
from outflank.board.game import Game
from outflank.board.squares import Color
from outflank.board.variant import Variant
from outflank.search.engine.engine import STRONG, Engine, Hint
from outflank.search.engine.levels import Level, level_numbered
from outflank.search.limits import Limit, Report

DEFAULT_LEVEL = 14
"""Where neither a level nor a limit is named: a strong player that answers within a blink."""


class EnginePlayer(Agent):
    """The engine. A level bounds it beside any limit of time; a limit alone lets it do its best."""

    def __init__(self, level: int | None, threads: int, hash_mb: float) -> None:
        self._level = None if level is None else level_numbered(level)
        self._engine = Engine(threads, hash_mb)
        self._dice = random.Random(0)

    def start(self, variant: Variant, color: Color, seed: int) -> None:
        self._engine.prepare(variant)
        self._dice = random.Random(seed)

    def choose(self, game: Game, limit: Limit) -> Report:
        level = self._level_under(limit)
        if level.wobble:
            return self._unsure(game, level, limit)
        return self._engine.choose(game.position, limit, level=level)

    def _level_under(self, limit: Limit) -> Level:
        return self._level or (STRONG if limit != Limit() else level_numbered(DEFAULT_LEVEL))

    def hints(self, game: Game, limit: Limit, show: Show) -> None:
        def told(hints: list[Hint]) -> None:
            show([Report(each.move, each.score, each.depth, pv=each.pv, exact=each.exact) for each in hints])

        self._engine.hints(game.position, limit, level=self._level_under(limit), progress=told)

    def _unsure(self, game: Game, level: Level, limit: Limit) -> Report:
        """Judges every move, each with an error of its own, and plays what seems best."""
        began = time.perf_counter()
        hints = self._engine.hints(game.position, limit, level=level)
        seeming = {hint.move: hint.score + self._dice.gauss(0, level.wobble) for hint in hints}
        chosen = max(hints, key=lambda hint: seeming[hint.move])
        spent = self._engine.nodes, time.perf_counter() - began
        return Report(chosen.move, chosen.score, chosen.depth, *spent, pv=chosen.pv, exact=chosen.exact)


def engine(level: int | None, threads: int, hash: float) -> EnginePlayer:
    """The engine by its options."""
    return EnginePlayer(level, threads, hash)
