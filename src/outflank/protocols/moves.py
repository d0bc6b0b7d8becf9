"""A game as protocols count it: to a host, a forced pass is a move that can be taken back alone."""

from outflank.board.game import Game, Node, Replay
from outflank.board.squares import Color
from outflank.errors import Fault


class Moves(Replay):
    """A game, and what to return to when the host takes its last move back."""

    def __init__(self, game: Game, pass_is_due: bool | None = None) -> None:
        super().__init__(game, pass_is_due)
        self._before: list[tuple[Node, bool]] = []

    def play(self, square: int, color: Color | None = None) -> Node:
        before = self.game.node, self.pass_is_due
        node = super().play(square, color)
        self._before.append(before)
        return node

    def undo(self) -> None:
        """Takes back the last move that was made here."""
        if not self._before:
            raise Fault("game.nothing-to-undo")
        node, self.pass_is_due = self._before.pop()
        self.game.goto(node)
