"""Many games of one variant as arrays.

A file of a hundred thousand games is decoded into one array of squares, replayed by one call of a
kernel, and handed on as it is: a `Game` is made only when somebody asks for one.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import overload

import numpy as np
from numpy.typing import NDArray

from outflank.board import kernels
from outflank.board.game import Game, Node
from outflank.board.position import Position
from outflank.board.squares import PASS, Color
from outflank.board.variant import OTHELLO, Variant
from outflank.errors import Fault
from outflank.formats import results

NONE = int(kernels.NONE)
"""What fills a row after its last move."""
WIDTH = 64
"""Moves a row can hold: more than any game has, so that a game too long shows as an illegal move."""


Place = Callable[[int, ValueError], Fault]
"""What is wrong with a game, told with its place in a file: by the game's index."""


def of_game(index: int, why: ValueError) -> Fault:
    return Fault("at.game", number=index + 1, why=why)


class GameTable(Sequence[Game]):
    """Games of one variant from its start: a row of squares each, passes left out, and columns of tags."""

    def __init__(
        self, squares: NDArray[np.uint8], variant: Variant = OTHELLO, columns: Mapping[str, Sequence[str]] | None = None
    ) -> None:
        self.squares = np.ascontiguousarray(squares, np.uint8)
        self.variant = variant
        self.columns: dict[str, list[str]] = {name: list(values) for name, values in (columns or {}).items()}
        """Tags by name, a value for each game; an empty one is no tag."""

    @classmethod
    def of(cls, games: Sequence[Game], holder: str) -> "GameTable":
        """The games as a table; what `holder`, a format of plain moves, cannot hold is refused by its number."""
        if isinstance(games, GameTable):
            return games
        variant = games[0].variant if games else OTHELLO
        rows = np.full((len(games), WIDTH), NONE, np.uint8)
        for index, game in enumerate(games):
            if game.variant != variant:
                raise Fault("holding.variants", number=index + 1, variant=game.variant, other=variant, format=holder)
            if game.start != Position.start(variant):
                raise Fault("holding.start", number=index + 1, format=holder)
            moves = [move for move in game.moves if move != PASS]
            rows[index, : len(moves)] = moves
        names = sorted({name for game in games for name in game.tags})
        return cls(rows, variant, {name: [game.tags.get(name, "") for game in games] for name in names})

    @classmethod
    def of_othello(cls, games: Sequence[Game], holder: str) -> "GameTable":
        """The games as a table for a format of standard Othello that holds moves and a score."""
        for number, game in enumerate(() if isinstance(games, GameTable) else games, 1):
            if game.variant != OTHELLO:
                raise Fault("holding.variant", number=number, variant=game.variant, format=holder)
            outcome = game.outcome()
            if outcome is not None and outcome.score is None:
                raise Fault("holding.early-end", number=number, why=outcome.reason, format=holder)
        if isinstance(games, GameTable) and games.variant != OTHELLO:
            raise Fault("holding.variant-of-all", variant=games.variant, format=holder)
        return cls.of(games, holder)

    @classmethod
    def joined(cls, tables: Sequence["GameTable"]) -> "GameTable":
        """Tables of one variant one after the other."""
        rows = np.full((sum(map(len, tables)), max(table.squares.shape[1] for table in tables)), NONE, np.uint8)
        names = sorted({name for table in tables for name in table.columns})
        columns: dict[str, list[str]] = {name: [] for name in names}
        at = 0
        for table in tables:
            rows[at : at + len(table), : table.squares.shape[1]] = table.squares
            at += len(table)
            for name in names:
                columns[name] += table.columns.get(name) or [""] * len(table)
        return cls(rows, tables[0].variant, columns)

    @cached_property
    def _replayed(self) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
        start = Position.start(self.variant)
        results, movers = np.empty((len(self), 3), np.int64), np.full_like(self.squares, NONE)
        kernels.replay_games(start.own, start.opp, self.variant.board, self.squares, results, movers)
        return results, movers

    @property
    def illegal(self) -> NDArray[np.int64]:
        """The ply, from 0, of each game's first illegal move, or -1."""
        return self._replayed[0][:, 0]

    @property
    def over(self) -> NDArray[np.bool_]:
        """Which games were played to their end."""
        return np.equal(self._replayed[0][:, 1], 1)

    @property
    def margins(self) -> NDArray[np.int64]:
        """Black's score of each game as far as it was played: under the objective, empties to the winner."""
        return self.variant.sign * self._replayed[0][:, 2]

    @property
    def disc_margins(self) -> NDArray[np.int64]:
        """Black's discs less White's, as far as each game was played: the empties go to nobody."""
        empties = self.variant.square_count - 4 - np.count_nonzero(self.squares != NONE, axis=1)
        margins = self._replayed[0][:, 2]
        discs: NDArray[np.int64] = margins - np.sign(margins) * empties
        return discs

    @property
    def movers(self) -> NDArray[np.uint8]:
        """Who played each legal move: 0 for Black, 1 for White; 255 after the last one."""
        return self._replayed[1]

    def faults(self, place: Place = of_game) -> Iterator[Fault]:
        """An error for each illegal game: which it is, which move, and why."""
        for index in np.flatnonzero(self.illegal >= 0).tolist():
            try:
                Game.from_moves(self._moves(index), self.variant)
            except ValueError as error:
                yield place(index, error)

    def check(self, place: Place = of_game) -> "GameTable":
        """This table, or a ValueError that names the first game with an illegal move, and the move."""
        for fault in self.faults(place):
            raise fault
        return self

    def column(self, name: str) -> list[str]:
        """A tag's values, one a game."""
        return self.columns.get(name) or [""] * len(self)

    def stated_scores(self, shown: NDArray[np.int64]) -> list[int]:
        """Black's score of each game as a file should state it: as one stated it before, else as the board shows."""
        scores: list[int] = shown.tolist()
        for index, tag in enumerate(self.column(results.TAG)):
            margin = results.margin_of(tag) if tag else None
            if margin is not None and margin == int(margin) and abs(margin) <= self.variant.square_count:
                scores[index] = int(margin)
        return scores

    def keep_stated(self, scores: Sequence[int], shown: NDArray[np.int64]) -> None:
        """Keeps, as tags, the scores of a file that are not what the board shows."""
        self.columns[results.TAG] = [""] * len(self)
        for index in np.flatnonzero(np.asarray(scores) != shown).tolist():
            self.columns[results.TAG][index] = results.margin_text(scores[index])

    def tags(self, index: int) -> dict[str, str]:
        """The tags of one game."""
        return {name: values[index] for name, values in self.columns.items() if values[index]}

    def letters(self) -> NDArray[np.uint8]:
        """The two letters of every move, as ASCII; zeros after the last one."""
        letters = np.stack([ord("a") + self.squares % 8, ord("1") + self.squares // 8], axis=-1)
        letters[self.squares == NONE] = 0
        return letters

    def transcripts(self) -> list[str]:
        """Every game as `f5d6c3…`."""
        return joined_letters(self.letters())

    def _moves(self, index: int) -> list[int]:
        row = self.squares[index]
        return [int(square) for square in row[row != NONE]]

    def __len__(self) -> int:
        return len(self.squares)

    @overload
    def __getitem__(self, index: int) -> Game: ...
    @overload
    def __getitem__(self, index: slice) -> "GameTable": ...
    def __getitem__(self, index: int | slice) -> "Game | GameTable":
        if isinstance(index, slice):
            columns = {name: values[index] for name, values in self.columns.items()}
            return GameTable(self.squares[index], self.variant, columns)
        index = range(len(self))[index]
        if self.illegal[index] >= 0:
            self[index : index + 1].check(lambda _, why: of_game(index, why))
        return self._game(index)

    def __iter__(self) -> Iterator[Game]:
        return (self[index] for index in range(len(self)))

    def _game(self, index: int) -> Game:
        """A game made without asking again whether its moves are legal: three times as fast as `Game.push`."""
        game = Game(self.variant, self.tags(index))
        node = game.root
        for move, mover in zip(self._moves(index), self.movers[index].tolist(), strict=False):
            if mover != node.position.turn:
                node = _follow(node, PASS)
            node = _follow(node, move)
        if node.position.must_pass:
            node = _follow(node, PASS)
        game.goto(node)
        return game


def joined_letters(letters: NDArray[np.uint8]) -> list[str]:
    """A string for each row of an array of ASCII, up to its first zero."""
    rows = np.ascontiguousarray(letters).reshape(len(letters), -1)
    if not rows.size:
        return [""] * len(rows)
    return [row.decode() for row in rows.view(f"S{rows.shape[1]}")[:, 0].tolist()]


def _follow(node: Node, move: int) -> Node:
    """The node after a legal move, joined to the tree."""
    before = node.position
    own, opp = kernels.play(before.own, before.opp, move)
    after = Color.WHITE if before.turn is Color.BLACK else Color.BLACK
    black, white = (own, opp) if after is Color.BLACK else (opp, own)
    child = Node(Position(black, white, after, before.variant), move, node)
    node.children.append(child)
    return child
