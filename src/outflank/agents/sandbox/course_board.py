"""The board that the course "miniAlphaGo for Reversi" hands to a player: squares are 'X', 'O' and '.', moves 'D3'; and
its game, which files import to try themselves.

Plain Python, since players deep-copy it and play on it; names and results are those that their files rely on.
"""

from collections.abc import Iterator
from typing import Any

BLACK, WHITE, EMPTY = "X", "O", "."
COLUMNS = "ABCDEFGH"
DIRECTIONS = [(dx, dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1) if dx or dy]

Action = str | tuple[int, int]


class Board:
    """A board of rows of marks; without an argument, the start on 8x8."""

    def __init__(self, rows: list[list[str]] | None = None) -> None:
        self.empty = EMPTY
        if rows is None:
            rows = [[EMPTY] * 8 for _ in range(8)]
            rows[3][4] = rows[4][3] = BLACK
            rows[3][3] = rows[4][4] = WHITE
        self._board = rows

    def __getitem__(self, index: int) -> list[str]:
        return self._board[index]

    def display(self, step_time: Any = None, total_time: Any = None) -> None:
        """Prints the board, the discs and, where they are given, the times of both sides."""
        print(" ", " ".join(COLUMNS[: len(self._board[0])]))
        for number, row in enumerate(self._board, 1):
            print(number, " ".join(row))
        print(f"Black: {self.count(BLACK)}  White: {self.count(WHITE)}  {step_time or ''} {total_time or ''}")

    def count(self, color: str) -> int:
        """How many squares show this mark."""
        return sum(row.count(color) for row in self._board)

    def get_winner(self) -> tuple[int, int]:
        """0 black, 1 white or 2 nobody, and by how many discs."""
        black, white = self.count(BLACK), self.count(WHITE)
        return (0 if black > white else 1 if white > black else 2), abs(black - white)

    def _move(self, action: Action, color: str) -> list[str] | bool:
        """Plays a move and returns the squares it turned; False where it is not legal."""
        flipped = self._can_fliped(action, color)
        if isinstance(flipped, bool):
            return False
        for x, y in map(self._place, [action, *flipped]):
            self._board[x][y] = color
        return flipped

    def backpropagation(self, action: Action, flipped_pos: list[str], color: str) -> None:
        """Takes a move back."""
        x, y = self._place(action)
        self._board[x][y] = self.empty
        other = WHITE if color == BLACK else BLACK
        for x, y in map(self._place, flipped_pos):
            self._board[x][y] = other

    def is_on_board(self, x: int, y: int) -> bool:
        return 0 <= x < len(self._board) and 0 <= y < len(self._board[0])

    def _can_fliped(self, action: Action, color: str) -> list[str] | bool:
        """The squares that a move would turn, or False."""
        x, y = self._place(action)
        if not self.is_on_board(x, y) or self._board[x][y] != self.empty:
            return False
        other = WHITE if color == BLACK else BLACK
        flipped: list[str] = []
        for dx, dy in DIRECTIONS:
            line = []
            i, j = x + dx, y + dy
            while self.is_on_board(i, j) and self._board[i][j] == other:
                line.append(self.num_board((i, j)))
                i, j = i + dx, j + dy
            if line and self.is_on_board(i, j) and self._board[i][j] == color:
                flipped += line
        return flipped or False

    def get_legal_actions(self, color: str) -> Iterator[str]:
        """The legal moves, row by row."""
        for i, row in enumerate(self._board):
            for j, mark in enumerate(row):
                if mark == self.empty and self._can_fliped((i, j), color):
                    yield self.num_board((i, j))

    def board_num(self, action: str) -> tuple[int, int]:
        """(row, column) of a name such as 'G6'."""
        return int(action[1]) - 1, COLUMNS.index(action[0].upper())

    def num_board(self, action: tuple[int, int]) -> str:
        """The name of a (row, column)."""
        row, column = action
        return COLUMNS[column] + str(row + 1)

    def _place(self, action: Action) -> tuple[int, int]:
        return self.board_num(action) if isinstance(action, str) else (action[0], action[1])


class Game:
    """Two players, who take turns until neither has a move, or one has no legal answer."""

    def __init__(self, black_player: Any, white_player: Any) -> None:
        self.board = Board()
        self.current_player: Any = None
        self.black_player, self.white_player = black_player, white_player
        black_player.color, white_player.color = BLACK, WHITE

    def run(self) -> None:
        """Plays, and prints every board."""
        self.board.display()
        while not self.game_over():
            self.current_player = self.white_player if self.current_player is self.black_player else self.black_player
            color = self.current_player.color
            if any(self.board.get_legal_actions(color)):
                shown = Board([list(row) for row in self.board._board])
                if not self.board._move(self.current_player.get_move(shown), color):
                    break
                self.board.display()
        print("Winner:", ("black", "white", "nobody")[self.board.get_winner()[0]])

    def game_over(self) -> bool:
        return not any(any(self.board.get_legal_actions(color)) for color in (BLACK, WHITE))
