# forfeits: forbidden
from outflank import Agent, Report


class PlaysOn(Agent):
    """Makes its move on the board that it was shown."""

    def choose(self, game, limit):
        move = game.position.legal_moves[0]
        game.push(move)
        return Report(move)
