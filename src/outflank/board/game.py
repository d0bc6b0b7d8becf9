"""A game: a tree of positions with a cursor. Forced passes are played as they arise, so the side to move
always has a move until the game is over."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from outflank.board.position import Outcome, Position
from outflank.board.squares import PASS, Color, square_name, square_number
from outflank.board.variant import OTHELLO, Variant
from outflank.errors import Fault

TOKEN = re.compile(r"\s+|\d+\s*\.(?:\.\.)?|(?P<move>[a-hA-H][1-8]|[Pp][Aa][Ss][Ss]|[Pp][AaSs]|--)")


@dataclass(eq=False)
class Node:
    """A position in a game's tree, the move that led to it, and what its player said of that move."""

    position: Position
    move: int | None = None
    parent: "Node | None" = field(default=None, repr=False)
    children: "list[Node]" = field(default_factory=list, repr=False)
    latest: "Node | None" = field(default=None, repr=False)
    """The child last entered: what `redo` plays again."""
    score: float | None = None
    """The mover's value of the move, in discs or the heuristic's units."""
    seconds: float | None = None
    text: str = ""

    @property
    def mover(self) -> Color | None:
        """Who played the move."""
        return None if self.parent is None else self.parent.position.turn

    def line(self) -> "list[Node]":
        """The nodes from the root (left out) to this one."""
        nodes = []
        node = self
        while node.parent is not None:
            nodes.append(node)
            node = node.parent
        return nodes[::-1]


class Game:
    """A game in progress or finished.

    `push` plays a move at the cursor, `pop` takes it back; what was taken back stays in the tree as a branch,
    and `redo` plays it again. `line` is the way from the start to the cursor.
    """

    def __init__(self, start: str | Variant | Position = OTHELLO, tags: dict[str, str] | None = None) -> None:
        position = start if isinstance(start, Position) else Position.start(start)
        self.root = Node(position)
        self.tags = dict(tags or {})
        self._node = self.root
        self._ended: Outcome | None = None
        self._pass_if_forced()

    @classmethod
    def from_moves(cls, moves: Iterable[int | str], start: str | Variant | Position = OTHELLO) -> "Game":
        """A game from its moves, with or without the forced passes; a wrong one is named with its ply."""
        replay = Replay(cls(start))
        for ply, move in enumerate(moves, 1):
            try:
                replay.play(square_number(move))
            except ValueError as error:
                raise Fault("at.move", number=ply, why=error) from None
        return replay.game

    @classmethod
    def from_transcript(cls, text: str, start: str | Variant | Position = OTHELLO) -> "Game":
        """Reads `f5d6c3…`: any case, passes optional, spaces, line breaks and move numbers allowed."""
        moves: list[int | str] = []
        at = 0
        while at < len(text):
            token = TOKEN.match(text, at)
            if token is None:
                raise Fault("transcript.no-move", what=text[at : at + 12], count=len(moves))
            if token["move"]:
                moves.append(token["move"])
            at = token.end()
        return cls.from_moves(moves, start)

    @property
    def variant(self) -> Variant:
        return self.root.position.variant

    @property
    def start(self) -> Position:
        return self.root.position

    @property
    def position(self) -> Position:
        """The position at the cursor."""
        return self._node.position

    @property
    def node(self) -> Node:
        """The cursor."""
        return self._node

    @property
    def line(self) -> list[Node]:
        """The nodes from the start (left out) to the cursor: one a ply, passes included."""
        return self._node.line()

    @property
    def moves(self) -> list[int]:
        """The moves from the start to the cursor, passes (64) included."""
        return [node.move for node in self.line if node.move is not None]

    def so_far(self) -> "Game":
        """The line to the cursor as a game of its own, without branches. Positions never change and are shared."""
        game = Game.__new__(Game)
        game.root, game.tags, game._ended = Node(self.start), dict(self.tags), self._ended
        game._node = game.root
        for one in self.line:
            child = Node(one.position, one.move, game._node, score=one.score, seconds=one.seconds, text=one.text)
            game._node.children.append(child)
            game._node.latest = game._node = child
        return game

    @property
    def transcript(self) -> str:
        """The moves to the cursor as `f5d6c3…`, passes left out."""
        return "".join(square_name(move) for move in self.moves if move != PASS)

    def push(self, move: int | str, score: float | None = None, seconds: float | None = None, text: str = "") -> Node:
        """Plays a move, and the passes it forces; returns the move's node, with the comment on it. A pass that was
        forced and stands already may be pushed as well, so that the moves of a game can be pushed one by one."""
        square = square_number(move)
        stands = square == PASS and self._node.move == PASS and not self._ended
        made = self._node if stands else self.play(square)
        if score is not None:
            made.score = score
        if seconds is not None:
            made.seconds = seconds
        if text:
            made.text = text
        return made

    def play(self, square: int) -> Node:
        """Plays a move, and the passes it forces; returns the move's node. Unlike `push`, it takes no pass twice."""
        if self._ended:
            raise Fault("game.over-by", outcome=self._ended.word)
        made = self._enter(square)
        self._pass_if_forced()
        return made

    def _enter(self, square: int) -> Node:
        child = next((child for child in self._node.children if child.move == square), None)
        if child is None:
            child = Node(self.position.play(square), square, self._node)
            self._node.children.append(child)
        self._node.latest = child
        self._node = child
        return child

    def _pass_if_forced(self) -> None:
        if self.position.must_pass:
            self._enter(PASS)

    def peek(self) -> int | None:
        """The last move that was not a pass, or None."""
        node = self._node
        while node.move == PASS and node.parent is not None:
            node = node.parent
        return node.move

    def pop(self) -> int:
        """Takes back the last move and the passes after it; returns the move. The branch is kept."""
        if self.peek() is None:
            raise Fault("game.nothing-to-undo")
        self._ended = None
        while True:
            node = self._node
            assert node.parent is not None and node.move is not None
            self._node = node.parent
            if node.move != PASS:
                return node.move

    def redo(self) -> int:
        """Plays again the branch last entered here, or the first one; returns its move."""
        child = self._node.latest or next(iter(self._node.children), None)
        if child is None:
            raise Fault("game.nothing-to-redo")
        self.goto(child)
        self._pass_if_forced()
        assert child.move is not None
        return child.move

    def goto(self, node: Node) -> None:
        """Moves the cursor to any node of this game's tree."""
        root = node
        while root.parent is not None:
            root = root.parent
        if root is not self.root:
            raise Fault("game.foreign-node")
        self._ended = None
        for step in node.line():
            assert step.parent is not None
            step.parent.latest = step
        self._node = node

    def nodes(self) -> Iterator[Node]:
        """Every node of the tree, branches after the line they leave."""
        waiting = [self.root]
        while waiting:
            node = waiting.pop()
            yield node
            waiting.extend(reversed(node.children))

    def end(self, winner: Color | None, reason: str) -> None:
        """Ends the game early: a resignation, a forfeit, an agreed draw."""
        self._ended = Outcome(None if winner is None else Color(winner), None, reason)

    def resign(self, color: Color | None = None) -> None:
        """The side to move, or the one named, gives up."""
        outcome = self.outcome()
        if outcome is not None:
            raise Fault("game.over-by", outcome=outcome.word)
        loser = self.position.turn if color is None else Color(color)
        self.end(loser.other, f"{loser} resigned")

    @property
    def is_over(self) -> bool:
        return self._ended is not None or self.position.is_over

    def outcome(self) -> Outcome | None:
        """The result, or None while the game goes on."""
        return self._ended or self.position.outcome()

    def _repr_html_(self) -> str:
        from outflank.board.svg import game_html

        return game_html(self)

    def __str__(self) -> str:
        return self.transcript

    def __repr__(self) -> str:
        outcome = self.outcome()
        return f"<Game {self.variant.name}: {len(self.moves)} plies, {outcome or f'{self.position.turn} to move'}>"


class Replay:
    """Moves from elsewhere, a list, a file or another program, played in a `Game`.

    The game plays a forced pass by itself. Elsewhere it is a move of its own, which may be told or left out.
    """

    def __init__(self, game: Game, pass_is_due: bool | None = None) -> None:
        self.game = game
        self.pass_is_due = game.node.move == PASS if pass_is_due is None else pass_is_due
        """Whether the game's last move is a pass that nobody has told yet."""

    @property
    def turn(self) -> Color:
        """Who is to move, as they see it elsewhere."""
        turn = self.game.position.turn
        return turn.other if self.pass_is_due else turn

    def play(self, square: int, color: Color | None = None) -> Node:
        """The node of a move, made by whoever is to move or by the colour that is told with it."""
        if self.pass_is_due and square == PASS and color in (None, self.turn):
            self.pass_is_due = False
            return self.game.node
        turn = self.game.position.turn
        if color not in (None, turn) and not self.game.is_over:
            if self.pass_is_due:
                raise Fault("game.must-pass", color=color.word, move=square_name(square))
            raise Fault("game.wrong-side", color=color.word, move=square_name(square), other=turn.word)
        node = self.game.play(square)
        self.pass_is_due = self.game.node is not node
        return node
