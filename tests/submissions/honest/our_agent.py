"""An Agent of Outflank's own, with a search of Outflank's inside."""

from outflank import Agent, Limit, Report, agent


class Careful(Agent):
    def __init__(self):
        self.inner = agent("alphabeta:heuristic=mobility")

    def start(self, variant, color, seed):
        self.inner.start(variant, color, seed)

    def choose(self, game, limit):
        report = self.inner.choose(game, Limit(depth=limit.depth or 2))
        return Report(report.move, report.score, report.depth, report.nodes, pv=report.pv, text="careful")
