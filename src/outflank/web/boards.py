"""A board of the page: a game with who plays it, its clocks, and where its viewer stands. No input or output here."""

import secrets
import time
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from outflank.board.game import Game, Node
from outflank.board.position import Position
from outflank.board.squares import PASS, Color, parse_square, square_name
from outflank.board.variant import Variant
from outflank.errors import Fault
from outflank.search.limits import Clock, Limit, Report
from outflank.web.faults import NO_PROBLEM
from outflank.web.friends import Friends
from outflank.web.notes import Note, Review, Thought

HUMAN = "human"
Kind = Literal["play", "analysis"]
"""What a board is for."""
PACE = 0.6
"""Seconds at least between two moves where only players play, so that people can watch; a watcher may change it."""
MOST_NODES = 1000
"""Nodes of a board's tree: sixteen whole games. To show them all takes 25 ms, and every change keeps all of them."""


@dataclass
class Clocks:
    """Both sides' clocks, in seconds. They run from the first move on."""

    seconds: float
    increment: float
    left: list[float] = field(default_factory=list)
    since: float | None = None
    """When the side to move began to think, on the monotonic clock; None while nothing runs."""

    def __post_init__(self) -> None:
        self.left = self.left or [self.seconds, self.seconds]

    def remaining(self, color: Color, turn: Color) -> float:
        """What a side has left now."""
        used = time.monotonic() - self.since if self.since is not None and color is turn else 0.0
        return max(self.left[color] - used, 0.0)

    def charge(self, color: Color, seconds: float) -> None:
        """Takes what a move cost, and gives the increment where there was time."""
        self.left[color] = max(self.left[color] - seconds, 0.0)
        if self.left[color] > 0:
            self.left[color] += self.increment


class Board:
    """One board. Every change is a method; those that cannot be done raise ValueError with one line for the person."""

    def __init__(
        self, game: Game, players: tuple[str, str], clocks: Clocks | None = None, identity: str = "", seed: int = 0
    ) -> None:
        self.id = identity or secrets.token_urlsafe(16)
        self.owner = ""
        """The visitor who began it, and to whom it is counted."""
        self.revision = 0
        """Counts changes: a search of an earlier state is too late."""
        self.kind: Kind = "play"
        self.previous: str | None = None
        """The board to which the game before this one went."""
        self.friends: Friends | None = None
        """The two who alone play here; without them, any viewer may do anything."""
        self.players = list(players)
        self.paused = False
        self.pace = PACE
        self.error: dict[str, Any] | None = None
        self.seed = seed or secrets.randbelow(2**32)
        self._turn_began = time.monotonic()
        self._set(game, clocks)

    def _set(self, game: Game, clocks: Clocks | None) -> None:
        self.game = game
        self.clocks = clocks
        self.nodes: list[Node] = []
        self._ids: dict[Node, int] = {}
        self.notes: dict[int, Note] = {}
        self.changed: set[int] = set()
        """The nodes that viewers do not have yet."""
        self._number(game.nodes())

    # What it is

    @property
    def position(self) -> Position:
        return self.game.position

    @property
    def variant(self) -> Variant:
        return self.game.variant

    @property
    def cursor(self) -> int:
        return self._ids[self.game.node]

    def id_of(self, node: Node) -> int:
        return self._ids[node]

    @property
    def people(self) -> list[Color]:
        return [color for color in Color if self.players[color] == HUMAN]

    @property
    def agent_to_move(self) -> str | None:
        """The player that should be thinking now, or None."""
        spec = self.players[self.position.turn]
        return None if self.game.is_over or self.paused or spec == HUMAN else spec

    @property
    def line(self) -> list[Node]:
        """The nodes through the cursor to the end of what would be played again."""
        nodes = self.game.line
        node = self.game.node
        while following := node.latest or next(iter(node.children), None):
            nodes.append(following)
            node = following
        return nodes

    @property
    def can_undo(self) -> bool:
        return self._before_undo() is not None

    @property
    def can_redo(self) -> bool:
        return bool(self.game.node.children)

    @property
    def names(self) -> tuple[str | None, str | None]:
        """What Black and White are called, where they have names of their own."""
        return self.game.tags.get("Black"), self.game.tags.get("White")

    @property
    def ended_early(self) -> bool:
        return self.game.is_over and not self.position.is_over

    def copy(self) -> "Board":
        """The same on a board of its own."""
        made = Board.from_data({**self.data(), "id": secrets.token_urlsafe(16)})
        made.owner = self.owner
        return made

    # What can be done

    def begin(self, game: Game, players: tuple[str, str], clocks: Clocks | None) -> None:
        """A new game on this board."""
        self.players = list(players)
        self.paused = False
        self.error = None
        self.seed = secrets.randbelow(2**32)
        self._set(game, clocks)
        self.touch()

    def sit(self, person: str, name: str) -> None:
        """Somebody who was invited takes the free chair."""
        if self.friends is None:
            raise Fault("web.not-shared")
        self.name(self.friends.sit(person), name)

    def name(self, color: Color, name: str) -> None:
        self.game.tags["White" if color else "Black"] = name

    def again(self) -> None:
        """Another game of the same two, with the colours exchanged."""
        assert self.friends is not None
        self.friends.exchange()
        game = Game(self.game.start, dict(zip(("White", "Black"), map(str, self.names), strict=True)))
        clocks = None if self.clocks is None else Clocks(self.clocks.seconds, self.clocks.increment)
        self.begin(game, (HUMAN, HUMAN), clocks)

    def turned(self, symmetry: int) -> "Board":
        """The whole game turned or mirrored, its branches and what is known of them too: see `Variant.symmetries`."""
        kept = self.data()
        kept["start"] = self.game.start.symmetry(symmetry).text
        kept["nodes"] = [_turned(row, self.variant, symmetry) for row in kept["nodes"]]
        return Board.from_data(kept)

    def turn(self, turned: "Board") -> None:
        """Becomes what `turned` made of it."""
        self.game, self.nodes, self._ids, self.notes = turned.game, turned.nodes, turned._ids, turned.notes
        self.changed.update(range(len(self.nodes)))
        self.touch()

    def move(self, move: str, at: int | None = None) -> None:
        """A person's move."""
        if at is not None and at != self.cursor:
            raise Fault("web.moved-on")
        turn = self.position.turn
        if not self.game.is_over and self.players[turn] != HUMAN:
            raise Fault("web.not-your-turn", color=turn.word, player=self.players[turn], side=turn.word)
        self._push(move, time.monotonic() - self._turn_began, Note(by=HUMAN), None)

    def agent_moved(self, report: Report, unit: str, seconds: float) -> None:
        """The move of the player whose turn it is."""
        spec = self.players[self.position.turn]
        unit = "discs" if report.decided else unit
        note = Note(spec, report.exact, report.depth or None, unit, thought=Thought.of(report))
        self._push(report.move, seconds, note, report)

    def _push(self, move: str | int, seconds: float, note: Note, report: Report | None) -> None:
        if len(self.nodes) >= MOST_NODES:
            raise Fault("web.board-too-branched")
        turn = self.position.turn
        made = self.game.push(
            move,
            None if report is None else report.score,
            seconds,
            "" if report is None else report.text[:200],
        )
        self._register()
        identity = self._ids[made]
        if self.clocks is not None:
            if self.clocks.since is not None:
                by_hand = self.players[turn] == HUMAN
                self.clocks.charge(turn, time.monotonic() - self.clocks.since if by_hand else seconds)
            self.clocks.since = time.monotonic()
            note = replace(note, clocks=(self.clocks.left[0], self.clocks.left[1]))
        before = self.notes.get(identity)
        self.notes[identity] = replace(note, review=before.review if before else None)
        self.changed.add(identity)
        self.paused = False
        self.error = None
        if self.clocks is not None and self.clocks.left[turn] <= 0 and not self.position.is_over:
            self._out_of_time(turn)
        self.touch()

    def flag(self) -> bool:
        """Ends the game of a person whose time is up; says whether it did."""
        turn = self.position.turn
        if self.clocks is None or self.game.is_over or self.players[turn] != HUMAN:
            return False
        if self.clocks.remaining(turn, turn) > 0:
            return False
        self.clocks.left[turn] = 0.0
        self._out_of_time(turn)
        self.touch()
        return True

    def _out_of_time(self, color: Color) -> None:
        self.game.end(color.other, f"{color} ran out of time")

    def failed(self, problem: dict[str, Any]) -> None:
        """The player to move cannot play: the game waits, and says why."""
        self.error = problem
        self.paused = True
        self.touch()

    def _before_undo(self, color: Color | None = None) -> Node | None:
        """Where undo leads: before the last move of a person, or before the last move where no person or two play; with
        a colour before the last move of that."""
        moves = [node for node in self.game.line if node.move != PASS]
        if self.ended_early and not (self.clocks and min(self.clocks.left) <= 0):
            return self.game.node
        if color is not None or len(self.people) == 1:
            moves = [node for node in moves if node.mover in (self.people if color is None else [color])]
        return moves[-1].parent if moves else None

    def undo(self, color: Color | None = None) -> None:
        before = self._before_undo(color)
        if before is None:
            raise Fault("game.nothing-to-undo")
        self.paused = not self.people
        self._go(before)

    def redo(self) -> None:
        if not self.can_redo:
            raise Fault("game.nothing-to-redo")
        self.game.redo()
        while len(self.people) == 1 and self.players[self.position.turn] != HUMAN and self.can_redo:
            self.game.redo()
        self._register()
        self.paused = not self.people
        self._go(self.game.node)

    def goto(self, identity: int) -> None:
        if not 0 <= identity < len(self.nodes):
            raise Fault("web.no-node", node=identity)
        node = self.nodes[identity]
        # A node before a forced pass shows the position after it: the side to move always has a move.
        if node.position.must_pass and node.children:
            node = node.children[0]
        self._go(node)
        self.paused = not self.game.is_over and self.players[self.position.turn] != HUMAN

    def _go(self, node: Node) -> None:
        self.game.goto(node)
        self.error = None
        if self.clocks is not None:
            self.clocks.left = list(self._clocks_at(node))
            started = any(one.move != PASS for one in node.line())
            self.clocks.since = time.monotonic() if started and not self.game.is_over else None
        self.touch()

    def _clocks_at(self, node: Node) -> tuple[float, float]:
        assert self.clocks is not None
        notes = (self.notes.get(self._ids[at]) for at in reversed(node.line()))
        known = (note.clocks for note in notes if note is not None and note.clocks is not None)
        return next(known, (self.clocks.seconds, self.clocks.seconds))

    def pause(self) -> None:
        if not self.game.is_over:
            self.paused = True
            self._hold_clock()
            self.touch()

    def _hold_clock(self) -> None:
        """Takes what the running turn has used so far, and stops."""
        if self.clocks is not None and self.clocks.since is not None:
            turn = self.position.turn
            self.clocks.left[turn] = self.clocks.remaining(turn, turn)
            self.clocks.since = None

    def resume(self) -> None:
        self.paused = False
        self.error = None
        if self.clocks is not None and self.clocks.since is None and self.game.line:
            self.clocks.since = time.monotonic()
        self.touch()

    def seat(self, black: str, white: str) -> None:
        """Changes who plays."""
        self.players = [black, white]
        self.error = None
        self.paused = False
        self.touch()

    def resign(self, color: Color | None = None) -> None:
        """A side gives up: by itself the person to move, or the one who waits for a player."""
        if not self.people:
            raise Fault("web.nobody-to-resign")
        turn = self.position.turn
        self.game.resign((turn if turn in self.people else turn.other) if color is None else color)
        self._hold_clock()
        self.touch()

    def review_of(self, node: Node) -> Review | None:
        note = self.notes.get(self._ids[node])
        return None if note is None else note.review

    def reviewed(self, node: Node, review: Review) -> None:
        identity = self._ids[node]
        self.notes[identity] = replace(self.notes.get(identity, Note()), review=review)
        self.changed.add(identity)

    def touch(self) -> None:
        self.revision += 1
        self._turn_began = time.monotonic()

    def limit(self) -> Limit:
        """What the player to move is allowed by the clock."""
        if self.clocks is None:
            return Limit()
        turn = self.position.turn
        return Limit(clock=Clock(max(self.clocks.remaining(turn, turn), 0.01), self.clocks.increment))

    def _register(self) -> None:
        """Numbers the nodes on the way to the cursor that are new, parents first."""
        self._number([node for node in self.game.line if node not in self._ids])

    def _number(self, nodes: Iterable[Node]) -> None:
        for node in nodes:
            self._ids[node] = len(self.nodes)
            self.changed.add(len(self.nodes))
            self.nodes.append(node)

    # How it is kept

    def data(self) -> dict[str, Any]:
        """All of it as plain data, for the store."""
        outcome = self.game.outcome() if self.ended_early else None
        return {
            "version": 1,
            "id": self.id,
            "kind": self.kind,
            "previous": self.previous,
            "variant": self.variant.name,
            "start": self.game.start.text,
            "tags": self.game.tags,
            "players": self.players,
            "friends": None if self.friends is None else self.friends.data(),
            "paused": self.paused,
            "pace": self.pace,
            **(self.error or NO_PROBLEM),
            "seed": self.seed,
            "cursor": self.cursor,
            "ended": None if outcome is None else [outcome.winner, outcome.reason],
            "clocks": None
            if self.clocks is None
            else [self.clocks.seconds, self.clocks.increment, *self.clocks.left, self.clocks.since is not None],
            "nodes": [self._node_data(node) for node in self.nodes],
        }

    def _node_data(self, node: Node) -> list[Any]:
        note = self.notes.get(self._ids[node])
        return [
            None if node.parent is None else self._ids[node.parent],
            node.move,
            None if node.latest is None else self._ids[node.latest],
            node.score,
            node.seconds,
            node.text,
            None if note is None else note.data(),
        ]

    @classmethod
    def from_data(cls, data: dict[str, Any]) -> "Board":
        """The board that `data` was made from. Time that passed meanwhile is charged to nobody."""
        game = Game(Position.from_text(data["start"], Variant.named(data["variant"])), data["tags"])
        nodes = [game.root]
        for parent, move, _, score, seconds, text, _ in data["nodes"][1:]:
            above = nodes[parent]
            node = next((child for child in above.children if child.move == move), None)
            if node is None:
                node = Node(above.position.play(move), move, above)
                above.children.append(node)
            node.score, node.seconds, node.text = score, seconds, text
            nodes.append(node)
        game.goto(nodes[data["cursor"]])
        for node, row in zip(nodes, data["nodes"], strict=True):
            node.latest = None if row[2] is None else nodes[row[2]]
        if data["ended"] is not None:
            winner, reason = data["ended"]
            game.end(None if winner is None else Color(winner), reason)
        board = cls(game, (data["players"][0], data["players"][1]), None, data["id"], data["seed"])
        board.nodes, board._ids = nodes, {node: number for number, node in enumerate(nodes)}
        board.notes = {number: Note.from_data(row[6]) for number, row in enumerate(data["nodes"]) if row[6]}
        board.kind = data.get("kind", "play")
        board.previous = data.get("previous")
        if data.get("friends"):
            board.friends = Friends.from_data(data["friends"])
        board.paused, board.pace = data["paused"], data.get("pace", PACE)
        if data["error"] is not None:
            board.error = {name: data.get(name) for name in NO_PROBLEM}
        if data["clocks"]:
            seconds, increment, black, white, runs = data["clocks"]
            board.clocks = Clocks(seconds, increment, [black, white], time.monotonic() if runs else None)
        return board


def _turned(row: list[Any], variant: Variant, symmetry: int) -> list[Any]:
    """A node's row under a symmetry of the board."""
    parent, move, latest, score, seconds, text, note = row

    def goes_to(square: int) -> int:
        return variant.mirrored(square, symmetry)

    if note is not None:
        note = Note.from_data(note).moved(lambda name: square_name(goes_to(parse_square(name)))).data()
    return [parent, None if move is None else goes_to(move), latest, score, seconds, text, note]
