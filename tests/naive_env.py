"""The batched environment as one game after the other in plain Python: the slow truth for its kernels."""

from dataclasses import dataclass, field

import gridboard
from naive_montecarlo import WORD, Dice, mix

from outflank.board.squares import Color
from outflank.board.variant import Variant


def write_squares(mask: int, rows: int, columns: int) -> list[list[int]]:
    """A board of zeros and ones."""
    return [[mask >> (8 * row + column) & 1 for column in range(columns)] for row in range(rows)]


def packed(mask: int, rows: int, columns: int) -> int:
    """The squares of a mask numbered without gaps."""
    bits = [bit for row in write_squares(mask, rows, columns) for bit in row]
    return sum(bit << number for number, bit in enumerate(bits))


@dataclass
class Game:
    """One game of a batch, by its number and the batch's seed."""

    variant: Variant
    number: int
    seed: int
    reward: str = "win"
    autoreset: bool = True
    illegal: str = "raise"
    openings: int = 0
    rewards: list[float] = field(default_factory=lambda: [0.0, 0.0])
    terminated: bool = False

    def __post_init__(self) -> None:
        self.board = gridboard.grid(self.variant.rows, self.variant.columns)
        first = mix(self.seed) + 2 * self.number
        self.beginnings, self.dice = Dice(mix(first & WORD)), Dice(mix(first + 1 & WORD))
        self.begin()

    def begin(self) -> None:
        discs = self.variant.start_discs()
        self.own, self.opp, self.turn = discs[Color.BLACK], discs[Color.WHITE], 0
        for _ in range(self.openings):
            before = self.own, self.opp, self.turn
            moves = self.moves()
            self.play(sorted(moves)[self.beginnings.below(len(moves))] if moves else 64)
            if self.over:
                self.own, self.opp, self.turn = before
                return

    def moves(self) -> dict[int, int]:
        return gridboard.moves(self.own, self.opp, self.board)

    @property
    def over(self) -> bool:
        return not self.moves() and not gridboard.moves(self.opp, self.own, self.board)

    def play(self, square: int) -> None:
        if square == 64:
            self.own, self.opp = self.opp, self.own
        else:
            self.own, self.opp = gridboard.play(self.own, self.opp, square, self.moves()[square])
        self.turn = 1 - self.turn

    @property
    def mask(self) -> list[int]:
        squares = [self.square(action) for action in range(self.variant.square_count)]
        moves = {} if self.terminated and not self.autoreset else self.moves()
        passing = not moves and not (self.terminated and not self.autoreset)
        return [int(square in moves) for square in squares] + [int(passing)]

    def square(self, action: int) -> int:
        columns = self.variant.columns
        return 64 if action == self.variant.square_count else 8 * (action // columns) + action % columns

    def random_action(self) -> int:
        legal = [action for action, bit in enumerate(self.mask) if bit]
        if not legal or legal == [self.variant.square_count]:
            return self.variant.square_count
        return legal[self.dice.below(len(legal))]

    def step(self, action: int) -> None:
        self.rewards = [0.0, 0.0]
        if self.terminated and not self.autoreset:
            return
        self.terminated = False
        if 0 <= action < len(self.mask) and self.mask[action]:
            self.play(self.square(action))
            if not self.over:
                return
            black, white = (self.opp, self.own) if self.turn else (self.own, self.opp)
            score = float(black.bit_count() - white.bit_count())
            empties = self.variant.square_count - (black | white).bit_count()
            score += empties if score > 0 else -empties if score < 0 else 0
            score = -score if self.variant.reversed else score
        else:
            assert self.illegal == "lose"
            score = float(self.variant.square_count if self.turn else -self.variant.square_count)
        if self.reward == "win":
            score = (score > 0) - (score < 0)
        self.rewards, self.terminated = [score, -score], True
        if self.autoreset:
            self.begin()
