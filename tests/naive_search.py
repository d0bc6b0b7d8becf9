"""Minimax over sets of squares: the slow, plain truth that the compiled searches are tested against.

`heuristic` is any Python function of `(own, opp, playable)`; `fewest` tells that the side with fewer discs wins.
"""

from collections.abc import Callable

import naive
from naive import PASS

Heuristic = Callable[[int, int, int], float]

FINISHED = 1_000_000_000


def finished(own: int, opp: int, playable: int, fewest: bool) -> float:
    """±(1e9 + margin), the empty squares given to the side with more discs; 0 for a draw."""
    margin = naive.final_margin(own, opp, playable)
    if fewest:
        margin = -margin
    if margin == 0:
        return 0.0
    return FINISHED + margin if margin > 0 else -FINISHED + margin


def value(own: int, opp: int, playable: int, depth: int, heuristic: Heuristic, fewest: bool) -> float:
    """The value for the side to move; a pass costs no depth."""
    moves = naive.choices(own, opp, playable)
    if not moves:
        return finished(own, opp, playable, fewest)
    if moves == [PASS]:
        return -value(opp, own, playable, depth, heuristic, fewest)
    if depth == 0:
        return heuristic(own, opp, playable)
    return max(-value(*naive.play(own, opp, move, playable), playable, depth - 1, heuristic, fewest) for move in moves)


def best(own: int, opp: int, playable: int, depth: int, heuristic: Heuristic, fewest: bool) -> tuple[float, int]:
    """The value, and the lowest square that has it, where there is a move."""
    values = {
        move: -value(*naive.play(own, opp, move, playable), playable, depth - 1, heuristic, fewest)
        for move in naive.choices(own, opp, playable)
    }
    highest = max(values.values())
    return highest, min(move for move, reached in values.items() if reached == highest)


def value_of_line(
    own: int, opp: int, playable: int, line: list[int], heuristic: Heuristic, fewest: bool
) -> tuple[float, int, bool]:
    """What a line of legal moves leads to, for the side that moves first; its moves without passes; if it is over."""
    sign = 1
    for move in line:
        assert move in naive.choices(own, opp, playable), f"{move} in {line} is not legal"
        own, opp = naive.play(own, opp, move, playable)
        sign = -sign
    rest = naive.choices(own, opp, playable)
    assert rest != [PASS], "the line stops before a pass"
    end = heuristic(own, opp, playable) if rest else finished(own, opp, playable, fewest)
    return sign * end, sum(move != PASS for move in line), not rest
