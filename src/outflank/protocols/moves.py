"""A game as protocols count it. A `Game` plays forced passes by itself; to a host such a pass is a move that somebody
has to make, that may be left out, and that can be taken back alone."""

from outflank.board.game import Game, Node
from outflank.board.squares import PASS, Color, square_name


class Moves:
    """A game and the pass in it, if any, that nobody has mentioned yet."""

    def __init__(self, game: Game, pass_is_due: bool | None = None) -> None:
        self.game = game
        self.pass_is_due = game.node.move == PASS if pass_is_due is None else pass_is_due
        """Whether the side to move, as the host sees it, has to pass."""
        self._before: list[tuple[Node, bool]] = []

    @property
    def turn(self) -> Color:
        """Who is to move, as the host sees it."""
        turn = self.game.position.turn
        return turn.other if self.pass_is_due else turn

    def play(self, square: int, color: Color | None = None) -> Node:
        """Makes a move, of the side to move or of a named one; a pass that was due may be left out."""
        before = self.game.node, self.pass_is_due
        if self.game.is_over:
            raise ValueError("the game is over")
        if self.pass_is_due and square == PASS and color in (None, self.turn):
            self.pass_is_due = False
        else:
            turn = self.game.position.turn
            if color not in (None, turn):
                must = "must pass" if self.pass_is_due else "is not to move"
                raise ValueError(f"{color} cannot play {square_name(square)}: it {must}")
            node = self.game.push(square)
            self.pass_is_due = self.game.node is not node
        self._before.append(before)
        return self.game.node

    def undo(self) -> None:
        """Takes back the last move that was made here."""
        if not self._before:
            raise ValueError("there is no move to take back")
        node, self.pass_is_due = self._before.pop()
        self.game.goto(node)
