"""Variants, positions and games for hypothesis to try. Nothing here asks the compiled kernels what is legal,
so a wrong kernel cannot hide behind examples of its own making."""

from typing import get_args

import gridboard
from hypothesis import strategies as st

from outflank.board.game import Game
from outflank.board.position import Position
from outflank.board.squares import PASS, Color
from outflank.board.variant import Objective, Start, Variant

SIZES = [(rows, columns) for rows in range(4, 9) for columns in range(4, 9)]
STARTS: tuple[Start, ...] = get_args(Start)
OBJECTIVES: tuple[Objective, ...] = get_args(Objective)
ALL_VARIANTS = [
    Variant(rows, columns, objective, start) for rows, columns in SIZES for objective in OBJECTIVES for start in STARTS
]

words = st.binary(min_size=8, max_size=8).map(lambda eight: int.from_bytes(eight, "big"))
"""64 bits, each as often one as zero."""

variants = st.sampled_from(ALL_VARIANTS)
square_variants = st.sampled_from([variant for variant in ALL_VARIANTS if variant.rows == variant.columns])


def random_line(variant: Variant, choices: bytes) -> tuple[Position, list[int]]:
    """A position and the moves (forced passes among them) to it; each byte picks one of the legal moves."""
    board = gridboard.grid(variant.rows, variant.columns)
    discs = variant.start_discs()
    own, opp, turn = discs[Color.BLACK], discs[Color.WHITE], Color.BLACK
    line: list[int] = []
    for choice in choices:
        legal = gridboard.moves(own, opp, board)
        if legal:
            square = sorted(legal)[choice % len(legal)]
            own, opp = gridboard.play(own, opp, square, legal[square])
        elif gridboard.moves(opp, own, board):
            square, own, opp = PASS, opp, own
        else:
            break
        line.append(square)
        turn = turn.other
    black, white = (own, opp) if turn is Color.BLACK else (opp, own)
    return Position(black, white, turn, variant), line


@st.composite
def choices_for(draw: st.DrawFn, variant: Variant) -> bytes:
    """Bytes for a line of any length, up to more plies than a game can have."""
    plies = draw(st.integers(0, variant.square_count + 4))
    return draw(st.binary(min_size=plies, max_size=plies))


@st.composite
def played_positions(draw: st.DrawFn, among: st.SearchStrategy[Variant] = variants) -> Position:
    """Positions that legal play reaches, from the start to the end of the game."""
    variant = draw(among)
    return random_line(variant, draw(choices_for(variant)))[0]


@st.composite
def late_positions(draw: st.DrawFn, among: st.SearchStrategy[Variant] = variants, plies: int = 5) -> Position:
    """Positions at most so many plies before the end of a game."""
    variant = draw(among)
    length = variant.square_count + 4
    choices = draw(st.binary(min_size=length, max_size=length))
    _, line = random_line(variant, choices)
    return random_line(variant, choices[: max(0, len(line) - draw(st.integers(0, plies)))])[0]


@st.composite
def setup_positions(draw: st.DrawFn, among: st.SearchStrategy[Variant] = variants) -> Position:
    """Any discs anywhere, from sparse to full boards, reachable or not."""
    variant = draw(among)
    empty = variant.board
    for _ in range(draw(st.integers(0, 6))):
        empty &= draw(words)
    black = variant.board & ~empty & draw(words)
    white = variant.board & ~empty & ~black
    return Position(black, white, draw(st.sampled_from(Color)), variant)


def positions(among: st.SearchStrategy[Variant] = variants) -> st.SearchStrategy[Position]:
    """Played ones and set-up ones."""
    return played_positions(among) | setup_positions(among)


@st.composite
def lines(draw: st.DrawFn, among: st.SearchStrategy[Variant] = variants) -> tuple[Variant, list[int]]:
    """A variant and legal moves from its start, forced passes written out."""
    variant = draw(among)
    return variant, random_line(variant, draw(choices_for(variant)))[1]


@st.composite
def games(draw: st.DrawFn, among: st.SearchStrategy[Variant] = variants) -> Game:
    """Games from their start to anywhere, the end included."""
    variant, line = draw(lines(among))
    game = Game(variant)
    for move in line:
        if move != PASS:
            game.push(move)
    return game
