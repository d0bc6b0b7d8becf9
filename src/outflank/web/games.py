"""My games: what a visitor has played and looked at, newest first."""

import json
import time
from typing import Annotated

from fastapi import APIRouter, Query, Response

from outflank.board.squares import PASS
from outflank.library.openings import opening_name
from outflank.web.boards import Board
from outflank.web.routes import REFUSALS, BoardId
from outflank.web.schemas import KeptGame, KeptGames
from outflank.web.services import Server, Visitor
from outflank.web.views import board_marks, outcome_data

SHOWN = 48
router = APIRouter(prefix="/api", responses=REFUSALS)


@router.get("/games", response_model=KeptGames)
async def games(server: Server, visitor: Visitor, before: Annotated[float | None, Query(ge=0)] = None) -> Response:
    """A visitor's games, latest first; `before`: those used before this time."""
    found = await server.keeper.held(visitor, time.time() + 1 if before is None else before, SHOWN + 1)
    return await server.answer(visitor, listed, found)


def listed(found: list[tuple[float, str]]) -> KeptGames:
    """Boards as they are kept, read: large ones take a moment each."""
    return KeptGames(games=[_kept(*one) for one in found[:SHOWN]], more=len(found) > SHOWN)


def _kept(touched: float, data: str) -> KeptGame:
    board = Board.from_data(json.loads(data))
    game = board.game
    if not board.ended_early and board.line:
        game.goto(board.line[-1])
    outcome = game.outcome()
    return KeptGame(
        id=board.id,
        kind=board.kind,
        touched=touched,
        variant=board.variant.name,
        board=board_marks(game.position),
        players={"black": board.players[0], "white": board.players[1]},
        names=dict(zip(("black", "white"), board.names, strict=True)),
        moves=sum(node.move != PASS for node in game.line),
        outcome=None if outcome is None else outcome_data(outcome),
        opening=opening_name(game),
    )


@router.delete("/games/{board}", status_code=204)
async def forget(server: Server, visitor: Visitor, board: BoardId) -> Response:
    """Removes a game from a visitor's list; the board is deleted when nobody has it."""
    if not await server.keeper.let_go(visitor, board):
        await server.rooms.delete(board)
    return Response(status_code=204)
