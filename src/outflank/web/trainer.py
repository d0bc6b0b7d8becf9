"""The trainer's interface: positions with one clear best move, one after the other, and a visitor's own mistakes."""

import json
import random
import time
from functools import partial
from typing import Annotated, Literal

from fastapi import APIRouter
from pydantic import BaseModel, Field, StrictInt

from outflank.board.game import Game
from outflank.board.position import Position
from outflank.board.squares import Color, parse_square, square_name
from outflank.board.variant import Variant
from outflank.errors import Fault
from outflank.library.book.file import shipped
from outflank.library.exercises import Exercise, exercise_id, exercise_of
from outflank.library.exploring import explored
from outflank.library.games import Library
from outflank.library.openings import moves_in_openings
from outflank.web import thinking
from outflank.web.beginnings import game_of
from outflank.web.boards import HUMAN, Board
from outflank.web.faults import NotFoundError
from outflank.web.routes import REFUSALS
from outflank.web.schemas import Color as ColorName
from outflank.web.schemas import PositionOut, Request, Transcript, VariantName
from outflank.web.services import Server, Visitor
from outflank.web.training import Trainer
from outflank.web.turns import person_of
from outflank.web.views import color_name, position_data

SELDOM = 0.05
"""Of the games of the move played most: below this a move is not one that masters play."""
BOOK_WIDTH = 1
"""Discs by which a move of the book may be worse than the best and still be one to play."""
MISTAKE_SECONDS = 0.5
"""For each position of a game in which something was missed."""
MISTAKES_AT_ONCE, GAMES_SEARCHED = 4, 48
"""Positions for which whoever trains waits, and the games of his in which they are looked for."""

router = APIRouter(prefix="/api/trainer", responses=REFUSALS)

ExerciseId = Annotated[str, Field(max_length=16)]
Empties = Annotated[StrictInt, Field(ge=0, le=60)]


class ExerciseAsked(Request):
    """Which exercises are wanted; `all` are those of every kind."""

    kind: Literal["all", "games", "endings", "mistakes"] = "all"
    objective: Literal["most", "fewest"] = "most"
    fewest: Empties = 0
    most: Empties = 60
    """So many empties."""

    def wants(self, one: Exercise) -> bool:
        return (
            self.kind in ("all", one.kind)
            and one.position.variant.objective == self.objective
            and self.fewest <= one.position.empties <= self.most
        )


class TrainingRecord(BaseModel):
    answered: int
    solved: int
    streak: int
    best: int
    """The longest streak."""
    again: int
    """Positions that were missed and will come back."""


class ExerciseOut(BaseModel):
    id: str
    kind: Literal["games", "endings", "mistakes"]
    position: PositionOut
    again: bool
    """Whether it was missed before."""


class TrainingOut(BaseModel):
    exercise: ExerciseOut | None
    record: TrainingRecord


class ExerciseAnswer(Request):
    id: ExerciseId
    move: Annotated[str, Field(max_length=4)]


class ExerciseAnswered(BaseModel):
    right: bool
    best: str
    exact: bool
    values: dict[str, float]
    """What each move is worth, in discs for the side to move; the best first."""
    record: TrainingRecord


class OpeningAsked(Request):
    """An opening so far, and the visitor's move; without one the other side begins, if it is to move."""

    variant: VariantName = "othello"
    moves: Transcript = ""
    move: Annotated[str, Field(max_length=4)] | None = None
    side: ColorName | None = None
    """The visitor's."""


Source = Literal["masters", "names", "book"]
"""Who says what is played: the games of a library, the openings that have names, or the opening book."""


class OpeningAnswered(BaseModel):
    right: bool | None
    """Whether the move is played; null where there was none, or nothing is known."""
    source: Source
    """Who says it."""
    expected: list[str]
    """What they play, most first, where it was another one."""
    reply: str | None
    moves: str
    over: bool
    """Whether nothing more is known of the position."""
    position: PositionOut
    record: TrainingRecord


class MistakesFound(BaseModel):
    new: int
    more: bool
    """Whether there are games that were not looked at yet."""


@router.post("/next")
async def next_exercise(asked: ExerciseAsked, server: Server, visitor: Visitor) -> TrainingOut:
    """The next position for a visitor: one that was missed and is due, or a new one."""
    trainer, name = server.trainer, person_of(visitor)

    def found() -> TrainingOut:
        one = trainer.next(name, asked.wants)
        exercise = None
        if one is not None:
            shown = position_data(one.position)
            exercise = ExerciseOut(id=one.id, kind=one.kind, position=shown, again=one.id in trainer.due(name))
        return TrainingOut(exercise=exercise, record=_record(trainer, name))

    return await trainer.do(found)


@router.post("/answer")
async def answer(given: ExerciseAnswer, server: Server, visitor: Visitor) -> ExerciseAnswered:
    """A visitor's move. Moves that mirror the best one are as good."""
    trainer, name = server.trainer, person_of(visitor)

    def judged() -> ExerciseAnswered:
        one = trainer.exercises(name).get(given.id)
        if one is None:
            raise NotFoundError("web.no-exercise")
        move, values = parse_square(given.move), dict(one.values)
        if move not in values:
            raise Fault("web.not-a-move", move=given.move)
        right = values[move] >= values[one.best]
        trainer.answer(name, one, right)
        return ExerciseAnswered(
            right=right,
            best=square_name(one.best),
            exact=one.exact,
            values={square_name(each): value for each, value in one.values},
            record=_record(trainer, name),
        )

    return await trainer.do(judged)


@router.post("/opening")
async def opening(asked: OpeningAsked, server: Server, visitor: Visitor) -> OpeningAnswered:
    """A visitor's move in an opening, and the answer to it: masters', or without a library that of the openings by name
    and, where they end, of the book."""
    trainer, name = server.trainer, person_of(visitor)

    def found() -> tuple[Game, Source, dict[str, int], bool | None]:
        game = game_of(Variant.named(asked.variant), None, asked.moves)
        source, played = _played(game, server.library)
        if asked.move is None or not played:
            return game, source, played, None
        right = asked.move.lower() in played
        if right:
            game.push(asked.move)
            played = _played(game, server.library)[1]
        return game, source, played, right

    game, source, played, right = await server.lanes.run("quick", visitor, found)
    reply, over = None, not played
    waits = asked.move is None and asked.side == color_name(game.position.turn)
    if right is not False and played and not waits:
        reply = random.choices(list(played), list(played.values()))[0]
    if right is not None:
        await trainer.do(lambda: trainer.answer(name, None, right))
    if reply is not None:
        game.push(reply)
        source, following = await server.lanes.run("quick", visitor, lambda: _played(game, server.library))
        over = not following
    return OpeningAnswered(
        right=right,
        source=source,
        expected=[] if right else list(played),
        reply=reply,
        moves=game.transcript,
        over=over,
        position=position_data(game.position, game),
        record=await trainer.do(lambda: _record(trainer, name)),
    )


def _played(game: Game, library: Library | None) -> tuple[Source, dict[str, int]]:
    """Who knows a position, and the moves that are played there, those first that are played most; what hardly anybody
    plays is left out."""
    if library is None:
        lines = moves_in_openings(game.position)
        if lines:
            return "names", {square_name(move): lines[move] for move in sorted(lines, key=lambda move: -lines[move])}
        return "book", _in_book(game.position)
    known = explored(game, library, 0)["moves"]
    most = max((one["games"] for one in known), default=0)
    usual = sorted((one for one in known if one["games"] >= SELDOM * most), key=lambda one: -one["games"])
    return "masters", {move: max(one["games"], 1) for one in usual for move in one["moves"]}


def _in_book(position: Position) -> dict[str, int]:
    """The good moves of the book, the best first; of those that mirror each other all."""
    book = shipped(position.variant)
    known = book.moves(position) if book else []
    good = [one for one in known if one.worth.value >= known[0].worth.value - BOOK_WIDTH]
    return {square_name(one.move): 1 + BOOK_WIDTH + one.worth.value - known[0].worth.value for one in good}


@router.post("/mistakes")
async def mistakes(server: Server, visitor: Visitor) -> MistakesFound:
    """Adds mistakes of a visitor's reviewed games to their exercises, a few at a time: those where one move was clearly
    better."""
    trainer, name = server.trainer, person_of(visitor)
    held = await server.keeper.held(visitor, time.time() + 1, GAMES_SEARCHED)
    known = await trainer.do(lambda: trainer.seen(name))

    def found() -> dict[str, Position]:
        boards = (Board.from_data(json.loads(data)) for _, data in held)
        missed = (position for board in boards for position in _mistaken(board, name))
        return {one: position for position in missed if (one := exercise_id(position)) not in known}

    waiting = await server.lanes.run("quick", visitor, found)
    new = 0
    for one, position in list(waiting.items())[:MISTAKES_AT_ONCE]:
        work = partial(thinking.judged, position, MISTAKE_SECONDS, server.values)
        hints = await server.lanes.run("slow", visitor, work)
        exact = all(hint.exact for hint in hints)
        exercise = exercise_of("mistakes", position, {hint.move: hint.score for hint in hints}, exact)
        await trainer.do(partial(trainer.add, name, one, exercise))
        new += exercise is not None
    return MistakesFound(new=new, more=len(waiting) > MISTAKES_AT_ONCE)


def _mistaken(board: Board, person: str) -> list[Position]:
    """The positions of a game in which his move was marked: of two friends he is one, and in a game that he looked at
    nobody who has a name."""
    own = [
        color
        for color in Color
        if board.players[color] == HUMAN
        and (board.kind == "play" or board.names[color] is None)
        and (board.friends is None or board.friends.side(person) is color)
    ]
    found = []
    for node in board.line:
        review = board.review_of(node)
        if node.parent is not None and review is not None and review.mark is not None and node.mover in own:
            found.append(node.parent.position)
    return found


def _record(trainer: Trainer, visitor: str) -> TrainingRecord:
    answered, solved, streak, best = trainer.record(visitor)
    return TrainingRecord(answered=answered, solved=solved, streak=streak, best=best, again=len(trainer.due(visitor)))
