"""A position: the value that all rooms exchange. Immutable, hashable, and valid by construction."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

from outflank.board import kernels
from outflank.board.squares import PASS, Color, square_name, square_number, squares_of
from outflank.board.variant import OTHELLO, Variant
from outflank.errors import Fault

BLACK_MARKS = frozenset("Xx*bB")
WHITE_MARKS = frozenset("OowW")
EMPTY_MARKS = frozenset("-.")

Value = TypeVar("Value")


class kept(Generic[Value]):  # noqa: N801 (a decorator, as `property` is)
    """`functools.cached_property` without its lock, which takes longer than finding the legal moves does."""

    def __init__(self, compute: Callable[[Any], Value]) -> None:
        self._compute = compute
        self._name = compute.__name__
        self.__doc__ = compute.__doc__

    def __get__(self, instance: Any, owner: type | None = None) -> Value:
        if instance is None:
            return self  # type: ignore[return-value]  # whoever looks at the class sees the decorator
        value = instance.__dict__[self._name] = self._compute(instance)
        return value


@dataclass(frozen=True)
class Outcome:
    """How a game ended. `score` is Black's, in discs under the objective, empties given to the side with more
    discs; None where the game was not played to its end (`reason` says why)."""

    winner: Color | None
    score: int | None
    reason: str = ""

    def margin(self, color: Color) -> int | None:
        """The discs that this side won by; negative where it lost."""
        return self.score if self.score is None or color is Color.BLACK else -self.score

    @property
    def word(self) -> Fault:
        """The same for an error."""
        if self.winner is None:
            return Fault("outcome.draw")
        won = Fault("outcome.win", winner=self.winner.word)
        if self.score is not None:
            won = Fault("outcome.win-by", winner=self.winner.word, margin=abs(self.score))
        return Fault("outcome.because", won=won, reason=self.reason) if self.reason else won

    def __str__(self) -> str:
        return str(self.word)


@dataclass(frozen=True)
class Position:
    """Discs, the side to move, and the variant they belong to. Masks are bitboards (a1 = bit 0, stride 8)."""

    black: int
    white: int
    turn: Color = Color.BLACK
    variant: Variant = OTHELLO

    def __post_init__(self) -> None:
        if type(self.turn) is not Color:
            object.__setattr__(self, "turn", Color(self.turn))  # 0 and 1 will do
        if self.black & self.white:
            raise Fault("position.both-colors", square=square_name(next(squares_of(self.black & self.white))))
        if (self.black | self.white) & ~self.variant.board:
            raise Fault("position.disc-outside", rows=self.variant.rows, columns=self.variant.columns)

    @classmethod
    def start(cls, variant: str | Variant = OTHELLO) -> "Position":
        """The position in which the games of a variant, or of its name, begin."""
        variant = Variant.named(variant)
        discs = variant.start_discs()
        return cls(discs[Color.BLACK], discs[Color.WHITE], Color.BLACK, variant)

    @classmethod
    def from_text(cls, text: str, variant: str | Variant | None = None) -> "Position":
        """Reads a board text: the squares row by row, then the side to move (Black if left out).

        Without a variant the board is square and its size follows from the length; the objective is never
        in the text.
        """
        marks = [mark for mark in text if not mark.isspace()]
        for index, mark in enumerate(marks):
            if mark not in BLACK_MARKS | WHITE_MARKS | EMPTY_MARKS:
                raise Fault("board-text.mark", mark=mark, square=index + 1)
        given = variant is not None
        if variant is None:
            sizes = {n * n + side: Variant(n, n) for n in range(4, 9) for side in (0, 1)}
            if len(marks) not in sizes:
                raise Fault("board-text.not-square", marks=len(marks))
            variant = sizes[len(marks)]
        variant = Variant.named(variant)
        squares = variant.square_count
        if len(marks) not in (squares, squares + 1):
            raise Fault(
                "board-text.marks", marks=len(marks), rows=variant.rows, columns=variant.columns, squares=squares
            )
        fields = text.split()
        if len(marks) == squares and len(fields) == 2 and len(fields[1]) == 1:
            oblong = any(rows * columns == squares - 1 for rows in range(4, 9) for columns in range(4, 9))
            code = "board-text.squares-oblong" if oblong and not given else "board-text.squares"
            raise Fault(code, right=squares - 1, wrong=squares)
        if len(marks) > squares and marks[squares] in EMPTY_MARKS:
            raise Fault("board-text.side", mark=marks[squares])
        turn = Color.WHITE if len(marks) > squares and marks[squares] in WHITE_MARKS else Color.BLACK
        placed = dict(zip(variant.squares, marks, strict=False))
        black = sum(1 << square for square, mark in placed.items() if mark in BLACK_MARKS)
        white = sum(1 << square for square, mark in placed.items() if mark in WHITE_MARKS)
        return cls(black, white, turn, variant)

    @property
    def text(self) -> str:
        """The board text: `---…OX…--- X`."""
        return "".join(self.mark(square) for square in self.variant.squares) + " " + self.turn.symbol

    def mark(self, square: int | str) -> str:
        """X, O or - on a square, given as its number or name."""
        square = square_number(square) if isinstance(square, str) else square
        return "X" if self.black >> square & 1 else "O" if self.white >> square & 1 else "-"

    def __str__(self) -> str:
        columns = "  " + " ".join("abcdefgh"[: self.variant.columns])
        rows = [
            f"{row + 1} " + " ".join(self.mark(8 * row + column) for column in range(self.variant.columns))
            for row in range(self.variant.rows)
        ]
        return "\n".join([columns, *rows, f"{self.turn} to move" if not self.is_over else str(self.outcome())])

    def __repr__(self) -> str:
        variant = "" if self.variant == OTHELLO else f", Variant.named({self.variant.name!r})"
        return f"Position.from_text({self.text!r}{variant})"

    def _repr_svg_(self) -> str:
        from outflank.board.svg import draw

        return draw(self)

    @property
    def own(self) -> int:
        """The discs of the side to move."""
        return self.white if self.turn else self.black

    @property
    def opp(self) -> int:
        """The discs of the other side."""
        return self.black if self.turn else self.white

    @property
    def empty(self) -> int:
        """The mask of empty squares."""
        return self.variant.board & ~(self.black | self.white)

    @property
    def empties(self) -> int:
        """How many squares are empty."""
        return self.empty.bit_count()

    def count(self, color: Color) -> int:
        """How many discs a side has."""
        return (self.white if Color(color) else self.black).bit_count()

    # Kept once known: the game, the referee and the player each ask about the same position.
    @kept
    def legal(self) -> int:
        """The mask of legal moves."""
        return kernels.legal_moves(self.own, self.opp, self.variant.board)

    @kept
    def legal_moves(self) -> tuple[int, ...]:
        """The squares that may be played, lowest first; none when the side to move must pass or the game is over."""
        return tuple(squares_of(self.legal))

    @property
    def must_pass(self) -> bool:
        """True when only the other side can move."""
        return not self.legal and bool(kernels.legal_moves(self.opp, self.own, self.variant.board))

    @property
    def is_over(self) -> bool:
        """True when neither side can move."""
        return not self.legal and not kernels.legal_moves(self.opp, self.own, self.variant.board)

    def flips(self, move: int | str) -> int:
        """The mask of discs that a legal move turns."""
        square = self._checked(move)
        return 0 if square == PASS else kernels.flips(self.own, self.opp, square)

    def play(self, move: int | str) -> "Position":
        """The position after a move, given as a square (19) or its name ("d3", "pass")."""
        own, opp = kernels.play(self.own, self.opp, self._checked(move))
        black, white = (opp, own) if self.turn is Color.BLACK else (own, opp)
        return Position(black, white, self.turn.other, self.variant)

    def _checked(self, move: int | str) -> int:
        """The move as a square, or a ValueError that names it and says why it cannot be played."""
        square = square_number(move)
        name = square_name(square)
        legal = self.legal
        if square == PASS:
            if legal:
                raise Fault(
                    "move.pass-with-moves", color=self.turn.word, moves=", ".join(map(square_name, squares_of(legal)))
                )
            if self.is_over:
                raise Fault("move.pass-after-end")
        elif not legal >> square & 1:
            raise Fault("move.illegal", square=name, why=self._why_illegal(square))
        return square

    def _why_illegal(self, square: int) -> Fault:
        if not self.variant.board >> square & 1:
            return Fault("move.outside", rows=self.variant.rows, columns=self.variant.columns)
        if (self.black | self.white) >> square & 1:
            return Fault("move.on-black" if self.black >> square & 1 else "move.on-white")
        if self.is_over:
            return Fault("move.after-end")
        if self.must_pass:
            return Fault("move.due-pass", color=self.turn.word)
        return Fault("move.turns-nothing", color=self.turn.word)

    def outcome(self) -> Outcome | None:
        """The result of a finished game, or None."""
        if not self.is_over:
            return None
        margin = self.variant.sign * kernels.final_margin(self.black, self.white, self.variant.board)
        winner = None if margin == 0 else Color.BLACK if margin > 0 else Color.WHITE
        return Outcome(winner, margin)

    def symmetry(self, which: int) -> "Position":
        """The position turned or mirrored: see `Variant.symmetries`."""
        if which not in self.variant.symmetries:
            last = self.variant.symmetries[-1]
            size = f"{self.variant.rows}x{self.variant.columns}"
            raise Fault("position.symmetry", size=size, last=last, which=which)
        rows, columns = self.variant.rows, self.variant.columns
        return replace(
            self,
            black=kernels.symmetry(self.black, which, rows, columns),
            white=kernels.symmetry(self.white, which, rows, columns),
        )

    @kept
    def _own_symmetries(self) -> tuple[int, ...]:
        """The symmetries that leave the position as it is: after the opening almost always the first alone."""
        own = kernels.own_symmetries(self.black, self.white, self.variant.rows, self.variant.columns)
        return tuple(squares_of(own))

    def twins(self) -> dict[int, tuple[int, int]]:
        """For each legal move the lowest one that is the same move under a symmetry of the position, and that symmetry.

        Moves that mirror each other are one move: what comes after one is what comes after the other, seen otherwise.
        """
        found: dict[int, tuple[int, int]] = {}
        for move in self.legal_moves:
            for which in self._own_symmetries:
                found.setdefault(self.variant.mirrored(move, which) if which else move, (move, which))
        return {move: found[move] for move in self.legal_moves}

    @property
    def different_moves(self) -> tuple[int, ...]:
        """The legal moves without those that mirror a lower one."""
        if len(self._own_symmetries) == 1:
            return self.legal_moves
        return tuple(move for move, (twin, _) in self.twins().items() if move == twin)

    def canonical(self) -> "Position":
        """The same position for all of its symmetric forms."""
        own, opp = kernels.canonical(self.own, self.opp, self.variant.rows, self.variant.columns)
        black, white = (own, opp) if self.turn is Color.BLACK else (opp, own)
        return replace(self, black=black, white=white)

    def stable(self, color: Color) -> int:
        """The mask of a side's discs that can provably never be turned again."""
        own, opp = (self.white, self.black) if Color(color) else (self.black, self.white)
        return kernels.stable_discs(own, opp, self.variant.board)
