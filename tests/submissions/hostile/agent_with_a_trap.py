# forfeits: illegal move
from outflank import Agent, Report


class Trap(Agent):
    """Reports numbers that no table can hold, and moves to where it may not."""

    def choose(self, game, limit):
        return Report(63, float("nan"), depth=10**30, nodes=-5, text="\0" * 1000)
