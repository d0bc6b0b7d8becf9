"""Solved boards: which they are, and what is proved of each move, from the certificates that are shipped."""

from functools import cache

from fastapi import APIRouter
from pydantic import BaseModel

from outflank.board.squares import square_name
from outflank.board.variant import Variant
from outflank.library.keys import settled
from outflank.proofs.certificate import Certificate, shipped
from outflank.proofs.reader import reader_for
from outflank.search.engine.solver import Solver
from outflank.web.beginnings import game_of
from outflank.web.faults import NotFoundError
from outflank.web.routes import REFUSALS
from outflank.web.schemas import GameAsked, PositionOut, VariantOut
from outflank.web.services import Server, Visitor
from outflank.web.views import names, position_data

AT_ONCE = 12
"""With so few empties every move is solved when it is asked for: the whole of 4x4, and the end of the others."""
MEGABYTES = 4.0

router = APIRouter(prefix="/api/solved", responses=REFUSALS)


class SolvedBoard(BaseModel):
    variant: VariantOut
    value: int
    """What Black, who begins, wins by; empty squares go to the winner."""


class ProvedMove(BaseModel):
    """What is proved of a move, in discs for the side to move."""

    move: str
    least: int
    most: int


class Proved(BaseModel):
    position: PositionOut
    least: int
    most: int
    moves: list[ProvedMove]
    """The best first; of some a certificate knows only a bound."""
    line: list[str]
    """How both go on without a mistake, where the value is known."""


@cache
def _boards() -> list[SolvedBoard]:
    found = []
    for name, file in shipped().items():
        variant = Variant.named(name)
        found.append(SolvedBoard(variant=VariantOut.model_validate(variant), value=Certificate.load(str(file)).value))
    return sorted(found, key=lambda one: (one.variant.rows * one.variant.columns, one.variant.name))


@router.get("")
async def boards(server: Server, visitor: Visitor) -> list[SolvedBoard]:
    """The boards that are solved."""
    return await server.lanes.run("slow", visitor, _boards)


@router.post("")
async def proved(asked: GameAsked, server: Server, visitor: Visitor) -> Proved:
    """What is proved of a position of a solved board, and of each of its moves."""
    return await server.lanes.run("slow", visitor, lambda: _proved(asked))


def _proved(asked: GameAsked) -> Proved:
    position = settled(game_of(Variant.named(asked.variant), asked.start, asked.moves).position)
    reader = reader_for(position.variant)
    if reader is None:
        raise NotFoundError("web.not-solved")
    known = {}
    if position.empties <= AT_ONCE and position.legal_moves:
        solved = Solver(MEGABYTES).solve_all(position)
        known = {move: (int(value), int(value)) for move, value in solved.values.items()}
        line = list(solved.pv)
    else:
        for move in position.legal_moves:
            lower, upper = reader.bounds(position.play(move))
            known[move] = -upper, -lower
        lower, upper = reader.bounds(position)
        line = reader.line(position) if lower == upper and not position.is_over else []
    least, most = reader.bounds(position)
    if known:
        least = max(least, *(low for low, _ in known.values()))
        most = min(most, max(high for _, high in known.values()))
    if (outcome := position.outcome()) is not None:
        least = most = outcome.margin(position.turn) or 0
    ordered = sorted(known.items(), key=lambda one: (-one[1][0], -one[1][1], one[0]))
    return Proved(
        position=position_data(position),
        least=least,
        most=most,
        moves=[ProvedMove(move=square_name(move), least=low, most=high) for move, (low, high) in ordered],
        line=names(line),
    )
