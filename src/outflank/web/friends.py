"""Two people at one board: who sits where, what each may do, and what one has proposed. All others watch.

A person is known by their browser, so a link is all that anybody needs, also to come back.
"""

from dataclasses import dataclass
from typing import Any, Literal, get_args

from outflank.board.squares import Color
from outflank.errors import Fault

Proposal = Literal["undo", "new"]
"""What is done when both want it: the proposer's last move goes back; another game, with the colours exchanged."""
FREE = ""


@dataclass
class Friends:
    """The two chairs at a board."""

    chairs: list[str]
    """The person at each side, or nobody yet."""
    proposed: tuple[Color, Proposal] | None = None

    @classmethod
    def invited(cls, host: str, color: Color) -> "Friends":
        return cls([host if side is color else FREE for side in Color])

    @property
    def complete(self) -> bool:
        return FREE not in self.chairs

    def side(self, person: str) -> Color | None:
        return next((color for color in Color if self.chairs[color] == person), None)

    def sit(self, person: str) -> Color:
        """Gives the free chair to somebody."""
        if self.side(person) is not None:
            raise Fault("web.sits-already")
        if self.complete:
            raise Fault("web.no-chair")
        color = Color(self.chairs.index(FREE))
        self.chairs[color] = person
        return color

    def exchange(self) -> None:
        self.chairs.reverse()

    def player(self, person: str) -> Color:
        color = self.side(person)
        if color is None:
            raise Fault("web.only-watching")
        return color

    def allow(self, person: str, kind: str, turn: Color) -> Color | None:
        """For which side a thing is to be done that somebody asks for; None where it waits for the other's consent."""
        color = self.player(person)
        if kind == "decline":
            self.proposed = None
            return None
        if kind not in ("move", "resign", *get_args(Proposal)):
            raise Fault("web.two-play")
        if not self.complete:
            raise Fault("web.friend-missing")
        if kind == "move" and color is not turn:
            raise Fault("web.friends-turn", side=turn.word)
        before, self.proposed = self.proposed, None
        if kind in ("move", "resign"):
            return color
        if before == (color.other, kind):
            return color.other
        self.proposed = color, kind  # type: ignore[assignment]
        return None

    def data(self) -> list[Any]:
        return [self.chairs, self.proposed]

    @classmethod
    def from_data(cls, data: list[Any]) -> "Friends":
        chairs, proposed = data
        return cls(chairs, None if proposed is None else (Color(proposed[0]), proposed[1]))
