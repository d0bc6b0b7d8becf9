"""Compiled loops over whole games with the guided search inside: self-play to learn from, and matches of guides.

A game follows from the plan and its number alone: every search begins with a new tree. What is kept of a position is
who stands where, how often each move was visited, and what the search and the game said of it.
"""

import math
from typing import Any

import numpy as np

from outflank.board.compiled import int64, kernel, uint64
from outflank.board.kernels import (
    NONE,
    ONE,
    ZERO,
    final_margin,
    legal_moves,
    mix,
    nth_square,
    random_below,
    random_word,
)
from outflank.board.memory import address_of, load_atomic, stack_words, store_atomic
from outflank.board.records import Real, Record, Row, Word, at_address
from outflank.board.vectors import count, lowest
from outflank.learning.games.loops import THOUSAND, Board, board_at, moves_at, play_at, sign_of
from outflank.search.montecarlo.kernels import plant, run
from outflank.search.montecarlo.memory import (
    FIRST,
    MonteCarloDesk,
    MonteCarloThread,
    child_count,
    desk_at,
    high_of,
    low_of,
    move_of,
    thread_at,
)
from outflank.search.montecarlo.selection import prior_bits, prior_of

Array = Any


class GuidedPlan(Record):
    """How games are played: `games.Manner` says what each field means."""

    start_own: Word
    start_opp: Word
    thorough: Word
    quick: Word
    share: Word
    fewest: Word
    most: Word
    sampled: Word
    paired: Word
    seed: Word
    first_game: Word
    noise: Real


plan_at = at_address(GuidedPlan)

# What is known of a position's worth. The numbers are in files: they stay.
RESULT_ONLY, SEARCHED, PROVEN = (np.uint8(kind) for kind in range(3))

MOST_PLIES = 64
MOST_MOVES = 40
"""More than any position has."""
UNIT = 2.0**-53
CONCENTRATION = 1.0
"""Of the Dirichlet noise."""


@kernel("float64(Words)")
def uniform(dice: Row[Word]) -> float:
    """A number between 0 and 1, neither of them."""
    return (np.float64(random_word(dice) >> uint64(11)) + 0.5) * UNIT


@kernel("float64(float64, Words)")
def gamma_variate(shape: float, dice: Row[Word]) -> float:
    """A number of the gamma distribution (Marsaglia and Tsang 2000)."""
    boost = 1.0
    if shape < 1.0:
        boost = math.pow(uniform(dice), 1.0 / shape)
        shape += 1.0
    d = shape - 1.0 / 3.0
    c = 1.0 / math.sqrt(9.0 * d)
    while True:
        normal = math.sqrt(-2.0 * math.log(uniform(dice))) * math.cos(2.0 * math.pi * uniform(dice))
        cube = 1.0 + c * normal
        if cube <= 0.0:
            continue
        cube = cube * cube * cube
        if math.log(uniform(dice)) < 0.5 * normal * normal + d - d * cube + d * math.log(cube):
            return boost * d * cube


@kernel("void(MonteCarloDesk, float64, Words, float64[::1])")
def add_noise(desk: MonteCarloDesk, share: float, dice: Row[Word], work: Array) -> None:
    """Mixes Dirichlet noise into the priors of the root's moves, so that self-play tries what the policy would not."""
    nodes = desk.nodes
    link = load_atomic(nodes[ZERO].link)
    first, children = link & FIRST, child_count(link)
    total = 0.0
    for child in range(children):
        work[child] = gamma_variate(CONCENTRATION, dice)
        total += work[child]
    for child in range(children):
        word = nodes[first + uint64(child)].link
        old = load_atomic(word)
        likely = (1.0 - share) * prior_of(old) + share * work[child] / total
        store_atomic(word, (old & (prior_bits(1.0) ^ ~ZERO)) | prior_bits(min(likely, 1.0)))


@kernel("void(MonteCarloDesk, MonteCarloThread, uint64, uint64, uint64, float64, Words, float64[::1])")
def think(
    desk: MonteCarloDesk,
    thread: MonteCarloThread,
    own: int,
    opp: int,
    playouts: int,
    noise: float,
    dice: Row[Word],
    work: Array,
) -> None:
    """A search from nothing; its tree stays on the desk."""
    desk.own, desk.opp, desk.playouts = own, opp, playouts
    store_atomic(desk.started, ZERO)
    store_atomic(desk.full, ZERO)
    thread.random[ZERO] = random_word(dice)
    plant(address_of(desk), address_of(thread), ONE)
    if noise > 0.0:
        add_noise(desk, noise, dice, work)
    run(address_of(desk), address_of(thread))


@kernel("uint64(MonteCarloDesk, uint16[::1])")
def weigh(desk: MonteCarloDesk, counts: Array) -> int:
    """How often each move of the root was visited, lowest square first; returns how many moves there are.

    Where the result is proven, visits say nothing: then the moves that bring it about count one each.
    """
    nodes = desk.nodes
    link, bounds = load_atomic(nodes[ZERO].link), load_atomic(nodes[ZERO].bounds)
    proven = low_of(bounds) == high_of(bounds)
    first, children = link & FIRST, child_count(link)
    for child in range(children):
        node = nodes[first + uint64(child)]
        if proven:
            known = load_atomic(node.bounds)
            counts[child] = low_of(known) == low_of(bounds) and high_of(known) == high_of(bounds)
        else:
            counts[child] = min(load_atomic(node.visits), uint64(65535))
    return children


@kernel("uint64(MonteCarloDesk, uint16[::1], uint64, boolean, Words)")
def choose(desk: MonteCarloDesk, counts: Array, children: int, sampled: bool, dice: Row[Word]) -> int:
    """The move to play: by chance in proportion to its visits, or the one visited most; equals by chance."""
    first = load_atomic(desk.nodes[ZERO].link) & FIRST
    chosen = ZERO
    if sampled:
        left = uniform(dice) * np.float64(counts[:children].sum())
        for child in range(children):
            if counts[child]:
                chosen = uint64(child)
                left -= np.float64(counts[child])
                if left < 0.0:
                    break
    else:
        most, tied = ZERO, ZERO
        for child in range(children):
            visits = uint64(counts[child])
            if visits > most:
                most, tied = visits, ZERO
            if visits == most:
                tied |= ONE << uint64(child)
        chosen = nth_square(tied, random_below(count(tied), dice))
    return move_of(load_atomic(desk.nodes[first + chosen].link))


@kernel("uint64(uint64, GuidedPlan, Words, uint8[::1], Board)")
def _open(board: int, plan: GuidedPlan, dice: Row[Word], moves: Array, reached: Board) -> int:
    """Random moves from the start, as many as the plan allows; returns how many. No opening ends a game."""
    plies = plan.fewest + random_below(plan.most - plan.fewest + ONE, dice)
    reached.own, reached.opp, reached.turn, played = plan.start_own, plan.start_opp, ZERO, ZERO
    while played < plies:
        legal = moves_at(board, reached)
        square = nth_square(legal, random_below(count(legal), dice))
        own, opp, turn = reached.own, reached.opp, reached.turn
        play_at(square, reached)
        if (legal_moves(reached.own, reached.opp, board) | legal_moves(reached.opp, reached.own, board)) == ZERO:
            reached.own, reached.opp, reached.turn = own, opp, turn
            break
        moves[played] = square
        played += ONE
    return played


@kernel(
    "uint64(MonteCarloDesk, MonteCarloThread, GuidedPlan, Board, uint64, Words, int64,"
    " Tuple((uint8[::1], int16[::1], uint8[::1], uint16[:, ::1])), float64[::1])"
)
def _searched(
    desk: MonteCarloDesk,
    thread: MonteCarloThread,
    plan: GuidedPlan,
    at: Board,
    ply: int,
    dice: Row[Word],
    place: int,
    found: tuple[Array, Array, Array, Array],
    work: Array,
) -> int:
    """The move that a search chooses where there are several. What it found stands in its place of a game's rows; the
    visits of its moves only where it was a thorough one."""
    kinds, worths, sizes, counts = found
    thorough = random_word(dice) % THOUSAND < plan.share
    playouts = plan.thorough if thorough else plan.quick
    think(desk, thread, at.own, at.opp, playouts, plan.noise if thorough else 0.0, dice, work)
    children = weigh(desk, counts[place])
    square = choose(desk, counts[place], children, ply < plan.sampled, dice)
    if thorough:
        sizes[place] = children
    else:
        counts[place, :] = np.uint16(0)
    root = desk.nodes[ZERO]
    bounds = load_atomic(root.bounds)
    if low_of(bounds) == high_of(bounds):
        kinds[place], worths[place] = PROVEN, low_of(bounds)
    else:
        visits = max(int64(load_atomic(root.visits)), int64(1))
        kinds[place], worths[place] = SEARCHED, int64(load_atomic(root.total)) // visits
    return square


@kernel(
    "void(uint64, uint64, uint64, uint64, uint64, uint8[:, ::1], int64[::1], uint64[:, ::1], uint64[:, ::1],"
    " uint8[:, ::1], int8[:, ::1], int16[:, ::1], uint8[:, ::1], uint16[:, :, ::1])"
)
def play_games(
    first_desk: int,
    first_thread: int,
    second_desk: int,
    second_thread: int,
    plan_address: int,
    moves: Array,
    scores: Array,
    owns: Array,
    opps: Array,
    kinds: Array,
    results: Array,
    worths: Array,
    sizes: Array,
    counts: Array,
) -> None:
    """Plays a game for each row of `moves`, numbered from the plan's first; scores are those of the side that moves
    first: 1, 0 or -1.

    The other arrays hold a position for each move after the opening: who stands where, what is known of its worth, the
    game's result and the search's mean for the side to move, and the number and the visits of its moves (none where the
    search was a quick one). Games in pairs share their opening, the second one with exchanged players.
    """
    start, at = board_at(address_of(stack_words(3))), board_at(address_of(stack_words(3)))
    work = np.zeros(MOST_MOVES, np.float64)
    turns = np.zeros(MOST_PLIES, np.int64)
    dice, plan, desk = stack_words(1), plan_at(plan_address), desk_at(first_desk)
    board = desk.board
    opened = ZERO
    for row in range(moves.shape[0]):
        game = plan.first_game + uint64(row)
        exchanged = plan.paired and game & ONE
        dice[ZERO] = mix(plan.seed * uint64(0x9E3779B97F4A7C15) + game)
        moves[row, :] = np.uint8(NONE)
        kinds[row, :] = np.uint8(NONE)
        if exchanged:
            moves[row, :opened] = moves[row - 1, :opened]
        else:
            opened = _open(board, plan, dice, moves[row], start)
        at.own, at.opp, at.turn, ply, kept = start.own, start.opp, start.turn, opened, 0
        while True:
            legal = moves_at(board, at)
            if legal == ZERO:
                break
            if load_atomic(desk.stop):
                return
            owns[row, kept], opps[row, kept], turns[kept] = at.own, at.opp, sign_of(at.turn)
            kinds[row, kept], worths[row, kept], counts[row, kept, :] = RESULT_ONLY, np.int16(0), np.uint16(0)
            sizes[row, kept] = np.uint8(0)
            square = lowest(legal)
            if legal & (legal - ONE):
                by_second = (at.turn != ZERO) != (exchanged != ZERO)
                player, thread = (second_desk, second_thread) if by_second else (first_desk, first_thread)
                searcher, its = desk_at(player), thread_at(thread)
                found = kinds[row], worths[row], sizes[row], counts[row]
                square = _searched(searcher, its, plan, at, ply, dice, kept, found, work)
            kept += 1
            moves[row, ply] = square
            ply += ONE
            play_at(square, at)
        margin = final_margin(at.own, at.opp, board)
        if (at.turn != ZERO) != (desk.reversed != ZERO):
            margin = -margin
        score = int64(margin > 0) - int64(margin < 0)
        scores[row] = score
        for position in range(kept):
            results[row, position] = score * turns[position]
