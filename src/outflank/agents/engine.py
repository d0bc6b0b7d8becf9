"""`engine`: Outflank's own player, on any level or within any limit."""

import random
import time
from dataclasses import replace

from outflank.agents.agent import Agent
from outflank.agents.rating import Show, as_long_again, by_rank
from outflank.board.game import Game
from outflank.board.position import Position
from outflank.board.squares import Color
from outflank.board.variant import Variant
from outflank.library.book import file as books
from outflank.patterns.weights import SHIPPED, Evaluations
from outflank.search.engine.engine import STRONG, Engine, Hint
from outflank.search.engine.levels import Level, level_numbered
from outflank.search.limits import Limit, Report

IN_BOOK = "book"
"""What a report says of a move that was not searched."""
DEFAULT_LEVEL = 14
"""Where neither a level nor a limit is named: a strong player that answers within a blink."""


class EnginePlayer(Agent):
    """The engine. A level bounds it beside any limit of time; a limit alone lets it do its best."""

    def __init__(
        self,
        level: int | None,
        threads: int,
        hash: float,
        weights: str = SHIPPED,
        book: str = books.NO_BOOK,
        variety: float = 0.0,
    ) -> None:
        self._level = None if level is None else level_numbered(level)
        self._engine = Engine(threads, hash, Evaluations(weights))
        self._dice = random.Random(0)
        self._book, self._variety = books.Shelf(book), variety

    def start(self, variant: Variant, color: Color, seed: int) -> None:
        self._engine.prepare(variant)
        self._dice = random.Random(seed)

    def choose(self, game: Game, limit: Limit) -> Report:
        known = self._from_book(game.position)
        if known is not None:
            return known
        level = self._level_under(limit)
        if level.wobble:
            return self._unsure(game, level, limit)
        return self._engine.choose(game.position, limit, level=level)

    def _from_book(self, position: Position) -> Report | None:
        """A move that the book has, with the line it expects; None outside of it."""
        book = self._book.fitting(position.variant)
        found = book.choose(position, self._variety, self._dice) if book else None
        if book is None or found is None:
            return None
        line = (found.move, *book.line(position.play(found.move)))
        return Report(found.move, float(found.worth.value), pv=line, text=IN_BOOK)

    def _level_under(self, limit: Limit) -> Level:
        return self._level or (STRONG if limit != Limit() else level_numbered(DEFAULT_LEVEL))

    def hints(self, game: Game, limit: Limit, show: Show) -> None:
        def told(hints: list[Hint]) -> None:
            best, *others = (_as_report(hint) for hint in hints)
            show([replace(best, nodes=self._engine.nodes), *others])  # of all moves: they are searched together

        self._engine.hints(game.position, limit, level=self._level_under(limit), progress=told)

    def rated(self, game: Game, report: Report, limit: Limit) -> list[Report]:
        """As deep as the decision was, within its time again; what was decided keeps the value it was decided by."""
        if report.score is None or not report.depth:
            return super().rated(game, report, limit)
        to = replace(as_long_again(limit, report), depth=min(report.depth, game.position.empties))
        hints = self._engine.hints(game.position, to, level=self._level_under(limit))
        twin_of = {move: twin for move, (twin, _) in game.position.twins().items()}
        return by_rank(
            [
                replace(_as_report(hint), score=report.score, depth=report.depth, exact=report.exact)
                if twin_of[hint.move] == twin_of[report.move]
                else _as_report(hint)
                for hint in hints
            ]
        )

    def ponder(self, game: Game, limit: Limit) -> None:
        """What it finds stays in its table, and what it proves is known when the other side has moved."""
        self._engine.choose(game.position, limit, level=self._level or STRONG)

    def _unsure(self, game: Game, level: Level, limit: Limit) -> Report:
        """Judges every move, each with an error of its own, and plays what seems best."""
        began = time.perf_counter()
        hints = self._engine.hints(game.position, limit, level=level)
        seeming = {hint.move: hint.score + self._dice.gauss(0, level.wobble) for hint in hints}
        chosen = max(hints, key=lambda hint: seeming[hint.move])
        values = {hint.move: hint.score for hint in hints}
        return replace(_as_report(chosen), nodes=self._engine.nodes, seconds=time.perf_counter() - began, values=values)


def _as_report(hint: Hint) -> Report:
    return Report(hint.move, hint.score, hint.depth, pv=hint.pv, exact=hint.exact, selectivity=hint.selectivity)
