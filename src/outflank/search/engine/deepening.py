"""Iterative deepening: which iterations a search makes, and how one of them looks for its value.

`midgame` searches a tree once. Player, solver, hints and the compiled games of learning all search it again and again,
deeper and surer: what an iteration finds sorts the moves of the next and tells where to look for its value. Here is the
one schedule of iterations and the one aspiration window; `searcher` runs an iteration from Python.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from outflank.board.compiled import int64, kernel, uint64
from outflank.board.kernels import ONE, PASS, ZERO
from outflank.board.vectors import count
from outflank.search.engine.desk import Desk, desk_at, empties_of
from outflank.search.engine.evaluate import evaluate, set_root_numbers
from outflank.search.engine.midgame import null_window_midgame, principal_variation
from outflank.search.engine.probcut import CLOSE, LOOSE, TIGHT
from outflank.search.engine.table import NO_SELECTIVITY, best_move, probe

SURE = int(NO_SELECTIVITY)
NO_GUESS = 127
ASPIRATION, ASPIRATION_TO_THE_END = 3, 1
"""Discs on each side of a guess that are looked at first; a search to the end mostly proves what was guessed."""
NEVER = 99


@dataclass(frozen=True)
class Iteration:
    """One search of the whole tree."""

    depth: int
    selectivity: int = SURE
    wld: bool = False
    """Only win, draw or loss is asked for."""

    def proves(self, empties: int) -> bool:
        """Whether its value is the exact score of a position with so many empties."""
        return self.selectivity == SURE and self.depth >= empties and not self.wld

    @property
    def below(self) -> "Iteration":
        """The same, seen from the position after a move."""
        return Iteration(max(self.depth - 1, 0), self.selectivity, self.wld)


@dataclass(frozen=True)
class Pace:
    """How a search comes to what is wanted of it. As it stands it goes there at once."""

    begins_at: int = 0
    """Wanted depths below this one are searched at once."""
    least: int = 1
    """The first depth is this one or the next above that fits the step."""
    step: int = 1
    gap: int = NEVER
    """How far the last iteration before the wanted depth stays behind it."""
    gap_to_end: int = NEVER
    """The same where the wanted depth is the end of the game."""
    selective: tuple[tuple[int, int], ...] = ()
    """Selective searches to the end before the certain one: each from so many empties, at its selectivity."""
    wld_from: int = NEVER
    """Empties from which a win is proven before its size is."""
    wide_to: int = 0
    """Depth up to which the value of the iteration before is no help."""


DIRECT = Pace()
PLAYER = Pace(gap=1, gap_to_end=4, selective=((15, LOOSE), (15, CLOSE)), wld_from=20, wide_to=4)
"""A player may be stopped at any moment: whatever iteration is done by then is what it has. The few iterations before
the end cost a tenth of it and make it cheaper."""
SOLVER = Pace(begins_at=15, least=2, step=2, gap_to_end=13, selective=((17, LOOSE), (23, TIGHT)), wide_to=6)
"""Chosen by node counts on FFO #20–49 and hard-20."""
GAME_BEGINS_AT, GAME_GAP = uint64(5), uint64(2)
GAME_END_BEGINS_AT, GAME_GAP_TO_END = uint64(15), uint64(9)
"""The pace of compiled games. They search a few plies, thousands of times: one shallower search sorts the moves."""
ONE_ITERATION = uint64(64)


@kernel("uint64(uint64, uint64, uint64, uint64, uint64, uint64)")
def next_depth(done: int, wanted: int, begins_at: int, gap: int, least: int, step: int) -> int:
    """The depth to search after so many plies are done (0: none) on the way to the one that is wanted: see `Pace`."""
    if wanted < begins_at or wanted < gap + least:
        return wanted
    last = wanted - gap
    if done >= last:
        return wanted
    return done + step if done else last - (last - least) // step * step


def iterations(empties: int, deepest: int, exact: bool, pace: Pace, selective: bool = True) -> Iterator[Iteration]:
    """Every iteration of a search, from the shallowest on: to a depth, or to the end and for certain (`exact`).

    `selective` tells whether there are margins for ProbCut.
    """
    wanted, gap = (empties, pace.gap_to_end) if exact else (min(deepest, empties), pace.gap)
    depth = 0
    while (
        depth := next_depth(depth, wanted, pace.begins_at, gap, pace.least, pace.step)
    ) < wanted and depth <= deepest:
        yield Iteration(depth, LOOSE)
    if not exact:
        yield Iteration(wanted, LOOSE)
        return
    for least, selectivity in pace.selective if selective else ():
        if empties >= least:
            yield Iteration(empties, selectivity)
    if empties >= pace.wld_from:
        yield Iteration(empties, wld=True)
    yield Iteration(empties)


@kernel("int64(uint64, uint64, int64, int64, uint64, uint64, Desk)")
def search_window(own: int, opp: int, alpha: int, beta: int, depth: int, selectivity: int, desk: Desk) -> int:
    """One search from the root with a window; the best move is on the desk where one is above alpha."""
    desk.selectivity, desk.probcut_level = selectivity, ZERO
    set_root_numbers(own, opp, desk)
    if beta == alpha + 1:
        return null_window_midgame(own, opp, alpha, depth, count(empties_of(own, opp, desk)), ZERO, desk)
    return principal_variation(own, opp, alpha, beta, depth, ZERO, desk)


@kernel("int64(uint64, uint64, int64, int64, int64, uint64, uint64, Desk)")
def aspirate(own: int, opp: int, guess: int, least: int, most: int, depth: int, selectivity: int, desk: Desk) -> int:
    """One iteration: the value between two bounds, looked for near a guess first; the window widens where it lies
    outside.

    The root's best move is kept from window to window: where the last one is aborted, the one before has found it.
    """
    desk.root_move = PASS
    if guess == int64(NO_GUESS):
        return search_window(own, opp, least, most, depth, selectivity, desk)
    width = int64(ASPIRATION)
    if depth >= count(empties_of(own, opp, desk)):
        width = int64(ASPIRATION_TO_THE_END)
    alpha, beta = min(max(guess - width, least), most - 1), max(min(guess + width, most), least + 1)
    while True:
        value = search_window(own, opp, alpha, beta, depth, selectivity, desk)
        if desk.aborted:
            return value
        width *= 3
        if value <= alpha and alpha > least:
            alpha = max(value - width, least)
        elif value >= beta and beta < most:
            beta = min(value + width, most)
        else:
            return value


@kernel("int64(uint64, uint64, int64, uint64, uint64, Desk)")
def deepen(own: int, opp: int, guess: int, depth: int, selectivity: int, desk: Desk) -> int:
    """The value after so many plies, or for certain where no more squares are empty: compiled, at the pace of games.

    `selectivity` is that of searches before the end. The side to move is laid out as Black.
    """
    empties, most = count(empties_of(own, opp, desk)), int64(desk.square_count)
    desk.white_at_root = ZERO
    exact = depth >= empties
    wanted, begins_at, gap = depth, GAME_BEGINS_AT, GAME_GAP
    if exact:
        wanted, begins_at, gap = empties, GAME_END_BEGINS_AT, GAME_GAP_TO_END
    done = ZERO
    while True:
        done = next_depth(done, wanted, begins_at, gap, ONE, ONE_ITERATION)
        sure = NO_SELECTIVITY if exact and done == wanted else selectivity
        guess = aspirate(own, opp, guess, -most, most, done, sure, desk)
        if done == wanted or desk.aborted:
            return guess


@kernel("int64(uint64, uint64, uint64, int64, int64, int64, uint64, uint64)")
def aspirate_at(
    address: int, own: int, opp: int, guess: int, least: int, most: int, depth: int, selectivity: int
) -> int:
    """`aspirate`, from Python."""
    return aspirate(own, opp, guess, least, most, depth, selectivity, desk_at(address))


@kernel("uint64(uint64, uint64, Desk)")
def known_move(own: int, opp: int, desk: Desk) -> int:
    """The table's best move for a position; 64 where it has none."""
    return best_move(probe(desk.table, own, opp))


@kernel("uint64(uint64, uint64, uint64)")
def known_move_at(address: int, own: int, opp: int) -> int:
    """`known_move`, from Python."""
    return known_move(own, opp, desk_at(address))


@kernel("int64(uint64, uint64, uint64)")
def evaluate_at_root(address: int, own: int, opp: int) -> int:
    """The evaluation of a position in its units, from Python."""
    desk = desk_at(address)
    set_root_numbers(own, opp, desk)
    return evaluate(own, opp, ZERO, desk)
