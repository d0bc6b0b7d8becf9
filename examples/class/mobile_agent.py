"""A player with Outflank's own interface: it leaves its opponent the fewest moves."""

from outflank import Agent, Report


class Mobile(Agent):
    def choose(self, game, limit):
        position = game.position
        replies = {move: len(position.play(move).legal_moves) for move in position.legal_moves}
        move = min(replies, key=replies.get)
        return Report(move, score=-float(replies[move]), depth=1, nodes=len(replies))
