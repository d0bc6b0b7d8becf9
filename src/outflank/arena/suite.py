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
from outflank.library.judging import Judge
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
    judge = Judge()
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
            best, best_moves, score = _scores(judge, problem, move)
            cases.append(SuiteCase(position, move, best, best_moves, score, seconds, wrong))
        interface = getattr(getattr(player, "player", player), "interface", "") or "Agent"
    return SuiteResult(str(named), interface, cases)


def _scores(judge: Judge, problem: Problem, move: int | None) -> tuple[float | None, tuple[int, ...], float | None]:
    """The best score, the moves that are known to reach it, and the score of a move."""
    position, listed = problem.position, dict(problem.scores)
    solvable = position.empties <= SOLVED_FROM
    wanted = position.legal_moves if problem.score is None else () if move is None else (move,)
    for each in wanted if solvable else ():
        if each not in listed and (value := judge.move(position, each)) is not None:
            listed[each] = value
    best = problem.best
    if problem.score is None:  # the best of a part of the moves need not be the best of all
        best = max(listed.values()) if all(each in listed for each in position.legal_moves) else None
    moves = tuple(sorted(each for each, value in listed.items() if value == best and each != PASS))
    if best is not None and not moves and solvable:  # the score alone: whoever missed it wants to know how
        moves = (judge.position(position).move,)
    return best, moves, None if move is None else listed.get(move)
