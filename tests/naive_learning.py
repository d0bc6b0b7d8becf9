"""Labels and games by plain Python: references for the compiled loops of `outflank.learning`."""

from outflank.board.game import Game
from outflank.board.position import Position
from outflank.board.squares import PASS
from outflank.board.variant import Variant

SEARCHED, STRAYED, EXACT = 1, 2, 3


def solved(position: Position) -> int:
    """The exact score for the side to move, by trying every move."""
    if position.is_over:
        return score(position)
    if position.must_pass:
        return -solved(position.play(PASS))
    return max(-solved(position.play(move)) for move in position.legal_moves)


def score(position: Position) -> int:
    """The score of a finished game for the side to move, under the objective."""
    mine, theirs, squares = position.own.bit_count(), position.opp.bit_count(), position.variant.square_count
    if mine == theirs:
        return 0
    empties = squares - mine - theirs
    margin = mine - theirs + (empties if mine > theirs else -empties)
    return -margin if position.variant.reversed else margin


def game_of(moves: list[int], variant: Variant) -> Game:
    """The game of a row of squares, passes put in."""
    game = Game(variant)
    for move in moves:
        game.push(move)
    return game


def labels(
    moves: list[int], values: list[int], kinds: list[int], variant: Variant, trace: float
) -> list[tuple[int, int, float]]:
    """Each position that a move was made in, with its label for the side to move: from the end of the game back."""
    game = game_of(moves, variant)
    made = [node for node in game.line if node.move != PASS]
    final = game.position
    worth = float(score(final) * (1 if final.turn == 0 else -1))  # Black's
    found: list[tuple[int, int, float]] = []
    for ply in reversed(range(len(made))):
        parent = made[ply].parent
        assert parent is not None
        before, kind = parent.position, kinds[ply]
        sign = 1 if before.turn == 0 else -1
        if kind == SEARCHED:
            worth = (1 - trace) * sign * values[ply] + trace * worth
        elif kind in (STRAYED, EXACT):
            worth = sign * values[ply]
        found.append((before.own, before.opp, sign * worth))
    return found[::-1]
