"""What learnt tables say in a guided search, compiled: a leaf's value, and the priors of a node's moves.

`kernels` asks it where a search has `Guidance`; the tables are those of `patterns.guides`. Sums hold results times
`RESULT_RANGE`, so that estimates between a loss and a win are whole numbers too. The player for whom the search works
is laid out as Black in the pattern numbers. Without tables it is the beginning of all learning: every move has the
same prior, and a playout says what a position is worth.

Every kernel has a plain-Python counterpart in tests/naive_guided.py that makes the same tree.
"""

import math

import numpy as np

from outflank.board.compiled import int64, kernel, uint64
from outflank.board.kernels import ONE, ZERO
from outflank.board.memory import address_of
from outflank.board.vectors import count, flips, lowest
from outflank.patterns.guides import PLIES_A_STAGE, UNITS
from outflank.patterns.lookup import look_up_sum, play_numbers, set_numbers, stage_of
from outflank.search.montecarlo.memory import Guidance, MonteCarloDesk, MonteCarloThread

TWO = uint64(2)

A_LOGIT = float(UNITS)
RESULT_RANGE = 127
"""What a win is in the sums: bounds are kept in a byte."""


@kernel("void(MonteCarloDesk)")
def number_root(desk: MonteCarloDesk) -> None:
    """The pattern numbers of the root, whose side to move is the player."""
    guide = desk.guide
    if guide.powers:
        set_numbers(address_of(guide.root_numbers), guide.powers, desk.own, desk.opp)


@kernel("void(Guidance, MonteCarloThread)")
def number_from_root(guide: Guidance, thread: MonteCarloThread) -> None:
    """A thread is at the root again."""
    thread.here = address_of(guide.root_numbers)


@kernel("void(Guidance, MonteCarloThread, uint64, uint64, uint64)")
def number_move(guide: Guidance, thread: MonteCarloThread, square: int, turned: int, ours: int) -> None:
    """A thread goes on by a move."""
    if guide.powers:
        after = address_of(thread.numbers)
        play_numbers(after, thread.here, guide.powers, square, turned, ZERO if ours else ONE)
        thread.here = after


@kernel("uint64(Guidance, uint64, uint64, uint64)")
def table_at(guide: Guidance, tables: int, discs: int, white: int) -> int:
    """The address of the weights for so many discs and the side that moves."""
    stage = min(stage_of(discs, uint64(PLIES_A_STAGE)), guide.last_stage)
    return tables + (TWO * stage + white) * guide.stage_bytes


@kernel("int64(Guidance, MonteCarloThread, uint64, uint64, uint64, int64)")
def estimate(guide: Guidance, thread: MonteCarloThread, own: int, opp: int, ours: int, most: int) -> int:
    """What the tables expect a position to bring to the player, a win being `most`."""
    table = table_at(guide, guide.values, count(own | opp), ZERO if ours else ONE)
    logit = look_up_sum(thread.here, table, guide.offsets, guide.slots)
    # An estimate is never as good as a proof.
    worth = int64(math.floor(np.float64(most) * math.tanh(0.5 / A_LOGIT * np.float64(logit)) + 0.5))
    worth = min(max(worth, 1 - most), most - 1)
    return worth if ours else -worth


@kernel("void(MonteCarloThread, uint64, float64)")
def softmax(thread: MonteCarloThread, children: int, greatest: float) -> None:
    """Makes priors of the thread's logits, of which the greatest is known."""
    priors = thread.priors
    total = 0.0
    child = ZERO
    while child < children:
        priors[child] = math.exp(priors[child] - greatest)
        total += priors[child]
        child += ONE
    child = ZERO
    while child < children:
        priors[child] /= total
        child += ONE


@kernel("void(Guidance, MonteCarloThread, uint64, uint64, uint64, uint64)")
def find_priors(guide: Guidance, thread: MonteCarloThread, own: int, opp: int, moves: int, ours: int) -> None:
    """Fills the thread's priors: softmax of what the policy says of the board after each move."""
    priors = thread.priors
    children = count(moves)
    if guide.powers == ZERO:
        child = ZERO
        while child < children:
            priors[child] = 1.0 / np.float64(children)
            child += ONE
        return
    white = ZERO if ours else ONE
    table = table_at(guide, guide.policies, count(own | opp), white)
    after = address_of(thread.numbers_after)
    greatest = -math.inf
    child = ZERO
    while moves:
        square = lowest(moves)
        moves &= moves - ONE
        play_numbers(after, thread.here, guide.powers, square, flips(own, opp, square), white)
        logit = np.float64(look_up_sum(after, table, guide.offsets, guide.slots)) / A_LOGIT
        priors[child] = logit
        greatest = max(greatest, logit)
        child += ONE
    softmax(thread, children, greatest)
