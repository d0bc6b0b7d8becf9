# forfeits: crash
# Who knows the seed of a player that throws dice knows its moves. It tries its own, and those that every contest has.
import hashlib
import random

from outflank import Report
from outflank.agents.agent import Agent


class Prophet(Agent):
    def start(self, variant, color, seed):
        self.color = color
        self.seeds = [seed]
        for contest in range(10):
            for pair in range(10):
                for first in range(2):
                    digest = hashlib.sha256(f"{contest} {pair} {first}".encode()).digest()
                    self.seeds.append(int.from_bytes(digest[:4], "big"))

    def choose(self, game, limit):
        known = [seed for seed in self.seeds if self.explains(game, seed)]
        if len(game.moves) > 12 and not known:
            raise LookupError("its opponent is a riddle")
        return Report(game.position.legal_moves[0])

    def explains(self, game, seed):
        """Whether `random` with this seed would have played the other's moves."""
        dice = random.Random(f"{seed} {self.color.other}")
        position = game.start
        for move in game.moves:
            if position.turn != self.color and position.legal_moves and dice.choice(position.legal_moves) != move:
                return False
            position = position.play(move)
        return True
