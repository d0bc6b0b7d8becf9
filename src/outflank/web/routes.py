"""The JSON interface for boards, positions and formats."""

from copy import copy as shallow_copy
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import APIRouter, Path, Query, Request, Response

from outflank import __version__
from outflank.board.game import Game
from outflank.board.position import Position
from outflank.board.squares import Color
from outflank.board.variant import Variant
from outflank.errors import Fault
from outflank.formats.detect import detect
from outflank.formats.reading import Detected, unpacked
from outflank.formats.writing import encoded, games_of, left_out
from outflank.web import thinking
from outflank.web.beginnings import begun, game_of
from outflank.web.boards import HUMAN, Board
from outflank.web.friends import Friends
from outflank.web.schemas import (
    About,
    BoardAsked,
    Copied,
    NewBoard,
    Pasted,
    PositionAsked,
    PositionOut,
    Problem,
    Reading,
    State,
    WarmingOut,
)
from outflank.web.services import Server, Visitor
from outflank.web.turns import person_of
from outflank.web.views import position_data, state_data

COPY_FORMATS = ("transcript", "board", "array", "obf", "ggf", "sgf", "gam", "svg")
LINK = "link"
GAMES_SHOWN = 500
LARGEST_UNPACKED = 16 << 20
SIZES = ("", "6x6", "4x4", "5x5", "7x7")
VARIANTS = (
    *(name for size in SIZES for name in (size or "othello", f"reversed-{size}" if size else "reversed")),
    *("othello-parallel", "reversed-parallel", "6x6-mirrored"),
)
"""Those that the page offers; any other can be named."""
ANALYSIS_SECONDS = (1.0, 5.0, 20.0, 60.0)
REFUSALS: dict[int | str, dict[str, Any]] = {
    code: {"model": Problem} for code in (400, 403, 404, 413, 415, 422, 429, 503)
}

router = APIRouter(prefix="/api", responses=REFUSALS)
BoardId = Annotated[str, Path(max_length=64)]


@router.get("/about")
async def about(server: Server) -> About:
    """Variants, players, levels, heuristics and formats."""
    return About.model_validate(
        {
            "version": __version__,
            "variants": [Variant.named(name) for name in VARIANTS],
            "difficulties": [{"id": word, "spec": spec} for word, spec in thinking.difficulties()],
            "modes": [{"id": word, "spec": spec} for word, spec in thinking.modes()],
            "levels": [{"level": level, "spec": spec} for level, spec in thinking.levels()],
            "agents": server.players.listed(),
            "heuristics": server.players.listed_heuristics(),
            "copy_formats": COPY_FORMATS,
            "stores": [{"id": str(number), "name": path.name} for number, path in enumerate(server.settings.stores)],
            "library": {
                "openings": True,
                "masters": server.library is not None,
                "games": 0 if server.library is None else server.library.size,
            },
            "warming": server.warming,
            "analysis": {"seconds": ANALYSIS_SECONDS},
        }
    )


@router.get("/warming")
async def warming(server: Server) -> WarmingOut:
    """Progress of the first compile on this machine."""
    return WarmingOut.model_validate(server.warming)


# Boards


@router.post("/boards", status_code=201)
async def new_board(asked: BoardAsked, server: Server, visitor: Visitor) -> NewBoard:
    """A new board with a game on it."""
    board = Board(*await begun(asked, visitor, server.players, server.lanes))
    board.kind = asked.kind
    if asked.host is not None:
        color = Color.BLACK if asked.host.side == "black" else Color.WHITE
        board.players = [HUMAN, HUMAN]
        board.friends = Friends.invited(person_of(visitor), color)
        board.name(color, asked.host.name)
    await server.rooms.add(board, visitor)
    return NewBoard(id=board.id, state=state_data(board))


@router.get("/boards/{board}")
async def board_state(server: Server, visitor: Visitor, board: BoardId) -> State:
    """The state of a board."""
    room = await server.rooms.find(board)
    return await room.apart(visitor, lambda: state_data(room.board))


@router.delete("/boards/{board}", status_code=204)
async def delete_board(server: Server, visitor: Visitor, board: BoardId) -> Response:
    """Deletes a board; if two friends share it, only they can."""
    friends = (await server.rooms.find(board)).board.friends
    if friends is not None:
        friends.player(person_of(visitor))
    await server.rooms.delete(board)
    return Response(status_code=204)


@router.get("/boards/{board}/copy")
async def copy(
    server: Server,
    visitor: Visitor,
    board: BoardId,
    format: Annotated[str, Query(max_length=20)],
    whole: bool = False,
) -> Copied:
    """The game to the cursor, or to its end, in any format."""
    room = await server.rooms.find(board)
    return await room.apart(visitor, lambda: _copy(room.board, format, whole))


def _copy(shown: Board, format: str, whole: bool) -> Copied:
    if format not in (*COPY_FORMATS, LINK):
        raise Fault("web.copy-format", text=format[:20], formats=", ".join((*COPY_FORMATS, LINK)))
    game = _copied(shown, whole)
    if format == LINK:
        return Copied(format=LINK, text=link_to(game), left_out=[])
    found = Detected("ggf", "", [game])
    return Copied(format=format, text=encoded(found, format).decode(), left_out=left_out(found, format))


def _copied(board: Board, whole: bool) -> Game:
    """The game with a cursor of its own, and with its players among the tags where it does not name any."""
    game = shallow_copy(board.game)
    seated = zip(("Black", "White"), board.players, strict=True)
    game.tags = {side: player for side, player in seated if player != HUMAN} | game.tags
    end = board.line[-1] if board.line else game.node
    if whole and end is not game.node:
        game.goto(end)
    return game


def link_to(game: Game) -> str:
    """The path under which the page shows the game again."""
    asked = {"variant": game.variant.name}
    if game.start != Position.start(game.variant):
        asked["start"] = game.start.text
    if game.transcript:
        asked["moves"] = game.transcript
    return f"/?{urlencode(asked)}"


# Positions and formats


@router.post("/position")
async def position(asked: PositionAsked) -> PositionOut:
    """A position from a start and moves, turned or mirrored, or with its colours exchanged."""
    found = game_of(Variant.named(asked.variant), asked.start, asked.moves).position
    found = found.symmetry(asked.symmetry)
    if asked.exchange:
        found = Position(found.white, found.black, found.turn.other, found.variant)
    return position_data(found)


@router.post("/read", response_model=Reading)
async def read(asked: Pasted, server: Server, visitor: Visitor) -> Response:
    """Reads any text: a transcript, board, OBF, GGF, SGF, log book, one of our pictures, or a link."""
    return await server.answer(visitor, read_text, asked)


@router.post(
    "/read/file",
    response_model=Reading,
    openapi_extra={"requestBody": {"content": {"application/octet-stream": {"schema": {"format": "binary"}}}}},
)
async def read_file(request: Request, server: Server, visitor: Visitor) -> Response:
    """The same for a file, gzipped or not; also WTHOR."""
    return await server.answer(visitor, read_bytes, await request.body())


def read_text(asked: Pasted) -> Reading:
    return _reading(detect(asked.text, Variant.named(asked.variant) if asked.variant else None))


def read_bytes(data: bytes) -> Reading:
    return _reading(detect(unpacked(data, LARGEST_UNPACKED)))


def _reading(found: Detected) -> Reading:
    games = games_of(found)
    return Reading.model_validate(
        {
            "format": found.format,
            "kind": found.kind,
            "count": len(games),
            "games": [_read_game(games[number]) for number in range(min(len(games), GAMES_SHOWN))],
        }
    )


def _read_game(game: Game) -> dict[str, Any]:
    outcome = game.outcome()
    own_start = game.start != Position.start(game.variant)
    return {
        "variant": game.variant.name,
        "start": game.start.text if own_start else None,
        "moves": game.transcript,
        "tags": {key[:40]: value[:200] for key, value in list(game.tags.items())[:20]},
        "result": None if outcome is None else str(outcome),
    }
