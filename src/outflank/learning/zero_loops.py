"""Compiled loops over whole games with the guided search inside: self-play to learn from, and matches of guides.

A game follows from the plan and its number alone: every search begins with a new tree. What is kept of a position is
who stands where, how often each move was visited, and what the search and the game said of it.
"""

import math
from typing import Any

import numpy as np

from outflank.board.compiled import int64, kernel, uint64
from outflank.board.kernels import NONE, ONE, ZERO, final_margin, legal_moves, mix, nth_square, random_word
from outflank.board.memory import shared_word, stack_words, words_at
from outflank.board.vectors import count, flips, lowest
from outflank.search.montecarlo.guided_kernels import plant, prior_bits, prior_of, run
from outflank.search.montecarlo.kernels import (
    BOARD,
    FULL,
    NODES,
    OPP,
    OWN,
    PLAYOUTS,
    RANDOM,
    REVERSED,
    STARTED,
    STOP,
    random_below,
)
from outflank.search.montecarlo.memory import (
    BOUNDS,
    BYTE,
    COUNT_AT,
    FIRST,
    LINK,
    MOVE_AT,
    NODE_WORDS,
    SUM,
    VISITS,
    high_of,
    low_of,
)

Array = Any
Words = Any

# How games are played: the words of a plan, and its real numbers.
START_OWN, START_OPP, THOROUGH, QUICK, SHARE, FEWEST, MOST, SAMPLED, PAIRED, SEED, FIRST_GAME = (
    uint64(index) for index in range(11)
)
PLAN_WORDS = 11
C, DOUBT, CONCENTRATION, NOISE, TEMPERATURE = range(5)

# What is known of a position's worth. The numbers are in files: they stay.
RESULT_ONLY, SEARCHED, PROVEN = (np.uint8(kind) for kind in range(3))

THOUSAND = uint64(1000)
MOST_PLIES = 64
MOST_MOVES = 40
"""More than any position has."""
UNIT = 2.0**-53


@kernel("float64(CPointer(uint64))")
def uniform(dice: Words) -> float:
    """A number between 0 and 1, neither of them."""
    return (np.float64(random_word(dice) >> uint64(11)) + 0.5) * UNIT


@kernel("float64(float64, CPointer(uint64))")
def gamma_variate(shape: float, dice: Words) -> float:
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


@kernel("void(CPointer(uint64), float64, float64, CPointer(uint64), float64[::1])")
def add_noise(nodes: Words, concentration: float, share: float, dice: Words, work: Array) -> None:
    """Mixes Dirichlet noise into the chances of the root's moves, so that self-play tries what the policy would not."""
    link = nodes[LINK]
    first, children = link & FIRST, (link >> COUNT_AT) & BYTE
    total = 0.0
    for child in range(children):
        work[child] = gamma_variate(concentration, dice)
        total += work[child]
    for child in range(children):
        at = (first + uint64(child)) * NODE_WORDS + LINK
        old = nodes[at]
        likely = (1.0 - share) * prior_of(old) + share * work[child] / total
        nodes[at] = (old & (prior_bits(1.0) ^ ~ZERO)) | prior_bits(min(likely, 1.0))


@kernel("void(uint64, uint64, uint64, uint64, uint64, boolean, float64[::1], CPointer(uint64), float64[::1])")
def think(
    desk_address: int,
    thread_address: int,
    own: int,
    opp: int,
    playouts: int,
    noisy: bool,
    reals: Array,
    dice: Words,
    work: Array,
) -> None:
    """A search from nothing; its tree stays on the desk."""
    desk: Words = words_at(desk_address)
    thread: Words = words_at(thread_address)
    desk[OWN], desk[OPP], desk[PLAYOUTS], desk[STARTED], desk[FULL] = own, opp, playouts, ZERO, ZERO
    thread[RANDOM] = random_word(dice)
    plant(desk_address, thread_address)
    if noisy:
        add_noise(words_at(desk[NODES]), reals[CONCENTRATION], reals[NOISE], dice, work)
    run(desk_address, thread_address, reals[C], reals[DOUBT])


@kernel("uint64(uint64, uint16[::1])")
def weigh(desk_address: int, counts: Array) -> int:
    """How often each move of the root was visited, lowest square first; returns how many moves there are.

    Where the result is proven, visits say nothing: then the moves that bring it about count one each.
    """
    desk: Words = words_at(desk_address)
    nodes: Words = words_at(desk[NODES])
    link, bounds = nodes[LINK], nodes[BOUNDS]
    proven = low_of(bounds) == high_of(bounds)
    first, children = link & FIRST, (link >> COUNT_AT) & BYTE
    for child in range(children):
        at = (first + uint64(child)) * NODE_WORDS
        if proven:
            known = nodes[at + BOUNDS]
            counts[child] = low_of(known) == low_of(bounds) and high_of(known) == high_of(bounds)
        else:
            counts[child] = min(nodes[at + VISITS], uint64(65535))
    return children  # type: ignore[no-any-return]


@kernel("uint64(uint64, uint16[::1], uint64, boolean, float64, CPointer(uint64), float64[::1])")
def choose(
    desk_address: int, counts: Array, children: int, sampled: bool, temperature: float, dice: Words, work: Array
) -> int:
    """The move to play: by chance in proportion to its visits, or the one visited most; equals by chance."""
    desk: Words = words_at(desk_address)
    nodes: Words = words_at(desk[NODES])
    first = nodes[LINK] & FIRST
    chosen = ZERO
    if sampled:
        total = 0.0
        for child in range(children):
            work[child] = math.pow(np.float64(counts[child]), 1.0 / temperature)
            total += work[child]
        left = uniform(dice) * total
        for child in range(children):
            if work[child] > 0.0:
                chosen = uint64(child)
                left -= work[child]
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
    return (nodes[(first + chosen) * NODE_WORDS + LINK] >> MOVE_AT) & BYTE  # type: ignore[no-any-return]


@kernel("uint64(uint64, uint64[::1], CPointer(uint64), uint8[::1], uint64[::1])")
def _open(desk_address: int, plan: Array, dice: Words, moves: Array, state: Array) -> int:
    """Random moves from the start, as many as the plan allows; returns how many. No opening ends a game."""
    desk: Words = words_at(desk_address)
    board = desk[BOARD]
    plies = plan[FEWEST] + random_below(plan[MOST] - plan[FEWEST] + ONE, dice)
    own, opp, second, played = plan[START_OWN], plan[START_OPP], ZERO, ZERO
    while played < plies:
        legal = legal_moves(own, opp, board)
        if legal == ZERO:
            own, opp, second = opp, own, second ^ ONE
            legal = legal_moves(own, opp, board)
        square = nth_square(legal, random_below(count(legal), dice))
        turned = flips(own, opp, square)
        theirs, mine = opp & ~turned, own | turned | (ONE << square)
        if (legal_moves(theirs, mine, board) | legal_moves(mine, theirs, board)) == ZERO:
            break
        own, opp, second = theirs, mine, second ^ ONE
        moves[played] = square
        played += ONE
    state[0], state[1], state[2] = own, opp, second
    return played


@kernel(
    "void(uint64, uint64, uint64, uint64, uint64[::1], float64[::1], uint8[:, ::1], int64[::1], uint64[:, ::1],"
    " uint64[:, ::1], uint8[:, ::1], int8[:, ::1], int16[:, ::1], uint8[:, ::1], uint16[:, :, ::1])"
)
def play_games(
    first_desk: int,
    first_thread: int,
    second_desk: int,
    second_thread: int,
    plan: Array,
    reals: Array,
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
    state = np.zeros(3, np.uint64)
    work = np.zeros(MOST_MOVES, np.float64)
    passing = np.zeros(MOST_MOVES, np.uint16)
    turns = np.zeros(MOST_PLIES, np.int64)
    dice: Words = stack_words(1)
    desk: Words = words_at(first_desk)
    board = desk[BOARD]
    sampled_until = plan[SAMPLED]
    opened = ZERO
    for row in range(moves.shape[0]):
        game = plan[FIRST_GAME] + uint64(row)
        exchanged = plan[PAIRED] and game & ONE
        dice[0] = mix(plan[SEED] * uint64(0x9E3779B97F4A7C15) + game)
        moves[row, :] = np.uint8(NONE)
        kinds[row, :] = np.uint8(NONE)
        if exchanged:
            moves[row, :opened] = moves[row - 1, :opened]
        else:
            opened = _open(first_desk, plan, dice, moves[row], state)
        own, opp, second, ply, kept = state[0], state[1], state[2], opened, 0
        while True:
            legal = legal_moves(own, opp, board)
            if legal == ZERO:
                own, opp, second = opp, own, second ^ ONE
                legal = legal_moves(own, opp, board)
                if legal == ZERO:
                    break
            if shared_word(desk[STOP]):
                return
            owns[row, kept], opps[row, kept], turns[kept] = own, opp, int64(1) - int64(2) * int64(second)
            kinds[row, kept], worths[row, kept], counts[row, kept, :] = RESULT_ONLY, np.int16(0), np.uint16(0)
            sizes[row, kept] = np.uint8(0)
            square = lowest(legal)
            if legal & (legal - ONE):
                by_second = (second != ZERO) != (exchanged != ZERO)
                at, thread = (second_desk, second_thread) if by_second else (first_desk, first_thread)
                thorough = random_word(dice) % THOUSAND < plan[SHARE]
                playouts = plan[THOROUGH] if thorough else plan[QUICK]
                think(at, thread, own, opp, playouts, thorough and reals[NOISE] > 0.0, reals, dice, work)
                visited = counts[row, kept] if thorough else passing
                children = weigh(at, visited)
                if thorough:
                    sizes[row, kept] = children
                square = choose(at, visited, children, ply < sampled_until, reals[TEMPERATURE], dice, work)
                searched: Words = words_at(at)
                nodes: Words = words_at(searched[NODES])
                bounds = nodes[BOUNDS]
                if low_of(bounds) == high_of(bounds):
                    kinds[row, kept], worths[row, kept] = PROVEN, low_of(bounds)
                else:
                    kinds[row, kept] = SEARCHED
                    worths[row, kept] = int64(nodes[SUM]) // max(int64(nodes[VISITS]), int64(1))
            kept += 1
            moves[row, ply] = square
            ply += ONE
            turned = flips(own, opp, square)
            own, opp, second = opp & ~turned, own | turned | (ONE << square), second ^ ONE
        margin = final_margin(own, opp, board)
        if (second != ZERO) != (desk[REVERSED] != ZERO):
            margin = -margin
        score = int64(margin > 0) - int64(margin < 0)
        scores[row] = score
        for position in range(kept):
            results[row, position] = score * turns[position]
