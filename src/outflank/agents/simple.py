"""The two simplest players, against which every other one is measured first."""

import random
import time
from typing import NoReturn

from outflank.agents.agent import Agent
from outflank.board.game import Game
from outflank.board.squares import Color
from outflank.board.variant import Variant
from outflank.errors import Fault
from outflank.search.limits import Limit, Report


class RandomPlayer(Agent):
    """Any legal move, each as likely as the others."""

    def __init__(self) -> None:
        self._dice = random.Random(0)

    def start(self, variant: Variant, color: Color, seed: int) -> None:
        # The colour is part of the seed: two random players of one game shall not throw the same dice.
        self._dice = random.Random(f"{seed} {color}")

    def choose(self, game: Game, limit: Limit) -> Report:
        return Report(self._dice.choice(game.position.legal_moves))


class GreedyPlayer(Agent):
    """The move with the best difference of discs right after it, under the objective; of equals the lowest square."""

    def choose(self, game: Game, limit: Limit) -> Report:
        began = time.perf_counter()
        position = game.position
        before = position.own.bit_count() - position.opp.bit_count()
        values = {
            move: float(position.variant.sign * (before + 2 * position.flips(move).bit_count() + 1))
            for move in position.legal_moves
        }
        move = max(values, key=lambda square: (values[square], -square))
        seconds = time.perf_counter() - began
        return Report(move, values[move], depth=1, nodes=len(values), seconds=seconds, pv=(move,), values=values)


def person() -> NoReturn:
    """A person can be named but not made: the program that shows the board asks them."""
    raise Fault("agent.person")
