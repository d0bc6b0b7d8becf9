"""A player on test positions: how often it finds a best move, and what its moves cost. Scores come from the file, and
where that is silent from the exact solver."""

import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any

from outflank.agents.spec import agent, parse
from outflank.arena.referee import described
from outflank.board.game import Game
from outflank.board.position import Position
from outflank.board.squares import PASS, square_name
from outflank.formats.obf import Problem
from outflank.search.engine.solver import Solver
from outflank.search.limits import Limit

SOLVED_FROM = 24
"""Empty squares with which a score that the file lacks is worth solving for; with more it stays unknown."""


@dataclass(frozen=True)
class SuiteCase:
    """One position, and what the player made of it."""

    position: Position
    move: int | None
    best: float | None
    """The score of best play, for the side to move; None where nobody knows."""
    best_moves: tuple[int, ...]
    """Those that are known to reach it."""
    score: float | None
    """The score of the player's move."""
    seconds: float
    problem: str = ""

    @property
    def loss(self) -> float | None:
        """Discs that the move gives away; a player without an answer has none."""
        return None if self.best is None or self.score is None else max(self.best - self.score, 0.0)

    def to_dict(self) -> dict[str, Any]:
        return {
            "board": self.position.text,
            "move": None if self.move is None else square_name(self.move),
            "best_moves": [square_name(move) for move in self.best_moves],
            "score": self.score,
            "best": self.best,
            "loss": self.loss,
            "seconds": self.seconds,
            "problem": self.problem or None,
        }


@dataclass(frozen=True)
class SuiteResult:
    """A player's test."""

    player: str
    interface: str
    cases: Sequence[SuiteCase]

    @property
    def known(self) -> int:
        """Positions whose best score is known."""
        return sum(case.best is not None for case in self.cases)

    @property
    def found(self) -> int:
        return sum(case.loss == 0 for case in self.cases)

    @property
    def score(self) -> float:
        """Best moves found, in percent."""
        return 100 * self.found / self.known if self.known else 0.0

    @property
    def mean_loss(self) -> float | None:
        losses = [case.loss for case in self.cases if case.loss is not None]
        return sum(losses) / len(losses) if losses else None

    @property
    def seconds(self) -> float:
        return sum(case.seconds for case in self.cases)

    def to_dict(self) -> dict[str, Any]:
        """What `outflank check --suite --json` prints."""
        return {
            "player": self.player,
            "interface": self.interface,
            "score": self.score,
            "positions": len(self.cases),
            "known": self.known,
            "found": self.found,
            "mean_loss": self.mean_loss,
            "cases": [case.to_dict() for case in self.cases],
        }


def run(spec: str, problems: Sequence[Problem], limit: Limit) -> SuiteResult:
    """Asks a player about each position. Positions without a choice of moves are left out."""
    named = parse(spec)
    judge = _Judge()
    with closing(agent(named)) as player:
        cases = []
        for problem in problems:
            position = problem.position
            if not position.legal:
                continue
            began = time.perf_counter()
            move, wrong = None, ""
            try:
                player.expect(named.limit.under(limit))
                player.start(position.variant, position.turn, 0)
                began = time.perf_counter()
                move = int(player.choose(Game(position), limit).move)
                position.play(move)
            except Exception as error:
                move, wrong = None, described(error)
            seconds = time.perf_counter() - began
            best, best_moves, score = judge.scores(problem, move)
            cases.append(SuiteCase(position, move, best, best_moves, score, seconds, wrong))
        interface = getattr(getattr(player, "player", player), "interface", "") or "Agent"
    return SuiteResult(str(named), interface, cases)


class _Judge:
    """Says what positions and moves are worth."""

    def __init__(self) -> None:
        self._solver: Solver | None = None

    def scores(self, problem: Problem, move: int | None) -> tuple[float | None, tuple[int, ...], float | None]:
        """The best score, the moves that are known to reach it, and the score of a move."""
        position, listed = problem.position, dict(problem.scores)
        if problem.score is None and any(other not in listed for other in position.legal_moves):
            # The best of a part of the moves need not be the best of all.
            for other in position.legal_moves:
                if other not in listed and (value := self._solved(position, other)) is not None:
                    listed[other] = value
            complete = all(other in listed for other in position.legal_moves)
            best = max(listed.values()) if complete else None
        else:
            best = problem.best
        if move is not None and move not in listed and (value := self._solved(position, move)) is not None:
            listed[move] = value
        moves = tuple(sorted(other for other, value in listed.items() if value == best and other != PASS))
        if best is not None and not moves:  # the file has the score alone, and whoever missed it wants to know how
            moves = self._best_move(position)
        return best, moves, None if move is None else listed.get(move)

    def _best_move(self, position: Position) -> tuple[int, ...]:
        if position.empties > SOLVED_FROM:
            return ()
        self._solver = self._solver or Solver()
        return (self._solver.solve(position).move,)

    def _solved(self, position: Position, move: int) -> float | None:
        """The exact score of a move, for its player."""
        if position.empties > SOLVED_FROM:
            return None
        after = position.play(move)
        outcome = after.outcome()
        if outcome is not None and outcome.score is not None:
            return float(outcome.score if position.turn == 0 else -outcome.score)
        sign = -1
        if after.must_pass:
            after, sign = after.play("pass"), 1
        self._solver = self._solver or Solver()
        report = self._solver.solve(after)
        return sign * report.score if report.exact and report.score is not None else None
