"""Compiled loops over whole games, with the engine's search inside: playing games, and finding values for given ones.

A game is a row of squares (passes left out) with a value and a kind for each: what a search said for the side that
moved there, and how it came about. All the search needs lies on its desk (see `search.searcher`), given by address.
"""

from typing import Any

import numpy as np

from outflank.board.compiled import int64, kernel, uint64
from outflank.board.kernels import NONE, ONE, PASS, ZERO, legal_moves, mix, nth_square, random_word
from outflank.board.memory import shared_word, words_at
from outflank.board.vectors import count, flips, lowest
from outflank.search.engine.endgame import CERTAINTY, NESTED, ROOT_MOVE, WHITE_AT_ROOT
from outflank.search.engine.lastplies import ABORTED, AGE, BOARD, SQUARES, STOP, final_score
from outflank.search.engine.midgame import known, search_window
from outflank.search.engine.table import BEST, CERTAIN, SEVEN_BITS

Array = Any
Words = Any

# What is known of a move's position. The numbers are in files: they stay.
UNKNOWN, SEARCHED, STRAYED, EXACT = (uint64(kind) for kind in range(4))
"""No value; a search's value and its move; a search's value, but another move at random; the exact score."""
NO_VALUE = 127
AGES = uint64(255)
ASPIRATION = 3
DEEPENED_FROM = uint64(5)
"""Plies from which a shallower search sorts the moves first."""
SORTED_ENDS_FROM = uint64(15)
"""Empties from which a search to the end is prepared by one of so many plies less."""
SHORTER = uint64(9)
OPENING_TRIES = 20
THOUSAND = uint64(1000)

# How games are played: the words of a plan.
START_OWN, START_OPP, DEPTH, EXACT_FROM, FEWEST, MOST, BALANCE, STRAYS, PAIRED, SEED, FIRST_GAME = (
    uint64(index) for index in range(11)
)
PLAN_WORDS = 11


@kernel("int64(uint64, uint64, uint64, int64, int64, uint64, uint64)")
def _window(address: int, own: int, opp: int, alpha: int, beta: int, depth: int, certainty: int) -> int:
    """A search from the root; the side to move is always laid out as Black."""
    desk: Words = words_at(address)
    desk[WHITE_AT_ROOT] = desk[NESTED] = ZERO
    desk[CERTAINTY] = certainty
    desk[ROOT_MOVE] = PASS
    desk[AGE] = (desk[AGE] + ONE) & AGES
    return search_window(address, own, opp, alpha, beta, depth)


@kernel("int64(uint64, uint64, uint64, int64, uint64, uint64)")
def _near(address: int, own: int, opp: int, guess: int, depth: int, certainty: int) -> int:
    """The value, looked for near a guess first; no guess is NO_VALUE."""
    desk: Words = words_at(address)
    most = int64(desk[SQUARES])
    if guess == int64(NO_VALUE):
        return _window(address, own, opp, -most, most, depth, certainty)
    width = int64(ASPIRATION)
    alpha, beta = max(min(guess, most - 1) - width, -most), min(max(guess, 1 - most) + width, most)
    while True:
        value = _window(address, own, opp, alpha, beta, depth, certainty)
        if desk[ABORTED]:
            return value
        width *= 3
        if value <= alpha and alpha > -most:
            alpha = max(value - width, -most)
        elif value >= beta and beta < most:
            beta = min(value + width, most)
        else:
            return value


@kernel("int64(uint64, uint64, uint64, int64, uint64, uint64)")
def position_value(address: int, own: int, opp: int, guess: int, depth: int, certainty: int) -> int:
    """The value after so many plies, or to the end and exactly where no more squares are empty."""
    desk: Words = words_at(address)
    left = count(desk[BOARD] & ~(own | opp))
    if depth >= left:
        if left >= SORTED_ENDS_FROM:
            guess = _near(address, own, opp, guess, left - SHORTER, certainty)
        return _near(address, own, opp, guess, left, CERTAIN)
    if depth >= DEEPENED_FROM:
        guess = _near(address, own, opp, guess, depth - uint64(2), certainty)
    return _near(address, own, opp, guess, depth, certainty)


@kernel("uint64(uint64, uint64, uint64)")
def _best_move(address: int, own: int, opp: int) -> int:
    """The move that the search just done would play; where the table answered it, the table's."""
    desk: Words = words_at(address)
    moves = legal_moves(own, opp, desk[BOARD])
    square = desk[ROOT_MOVE]
    if square >= PASS:
        square = (known(address, own, opp) >> BEST) & SEVEN_BITS
    if square >= PASS or (moves >> square) & ONE == ZERO:
        square = lowest(moves)
    return square  # type: ignore[no-any-return]


@kernel("uint64(uint64, CPointer(uint64))")
def _any_of(moves: int, dice: Words) -> int:
    return nth_square(moves, random_word(dice) % count(moves))


@kernel("uint64(uint64, uint64, uint64[::1], CPointer(uint64), uint8[::1], uint64[::1])")
def _open(address: int, certainty: int, plan: Array, dice: Words, moves: Array, state: Array) -> int:
    """Random moves from the start until a search sees neither side far ahead; returns the number of moves.

    The position is left in `state`: own, opp, and 1 where the second player is to move. After so many tries the last
    one is taken as it is.
    """
    desk: Words = words_at(address)
    played = ZERO
    for _ in range(OPENING_TRIES):
        plies = plan[FEWEST] + random_word(dice) % (plan[MOST] - plan[FEWEST] + ONE)
        own, opp, second, played = plan[START_OWN], plan[START_OPP], ZERO, ZERO
        over = False
        while played < plies:
            legal = legal_moves(own, opp, desk[BOARD])
            if legal == ZERO:
                own, opp, second = opp, own, second ^ ONE
                legal = legal_moves(own, opp, desk[BOARD])
                if legal == ZERO:
                    over = True
                    break
            square = _any_of(legal, dice)
            turned = flips(own, opp, square)
            own, opp, second = opp & ~turned, own | turned | (ONE << square), second ^ ONE
            moves[played] = square
            played += ONE
        state[0], state[1], state[2] = own, opp, second
        if over or (legal_moves(own, opp, desk[BOARD]) | legal_moves(opp, own, desk[BOARD])) == ZERO:
            continue
        value = position_value(address, own, opp, int64(NO_VALUE), min(plan[DEPTH], uint64(4)), certainty)
        if abs(value) <= int64(plan[BALANCE]) or desk[ABORTED]:
            break
    return played


@kernel(
    "int64(uint64, uint64, uint64, uint64, uint64[::1], CPointer(uint64), uint64, uint64[::1],"
    " uint8[::1], int8[::1], uint8[::1])"
)
def _play_on(
    first: int,
    second: int,
    sure_first: int,
    sure_second: int,
    plan: Array,
    dice: Words,
    ply: int,
    state: Array,
    moves: Array,
    values: Array,
    kinds: Array,
) -> int:
    """Plays a game from `state` to its end; returns the score of the side that moved first in the game."""
    desk: Words = words_at(first)
    own, opp, turn = state[0], state[1], state[2]
    guess = int64(NO_VALUE)
    while True:
        legal = legal_moves(own, opp, desk[BOARD])
        if legal == ZERO:
            own, opp, turn = opp, own, turn ^ ONE
            if guess != int64(NO_VALUE):
                guess = -guess
            legal = legal_moves(own, opp, desk[BOARD])
            if legal == ZERO:
                score = final_score(own, opp, desk)
                return -score if turn else score
        if shared_word(desk[STOP]):
            return int64(0)
        address, certainty = (second, sure_second) if turn else (first, sure_first)
        left = count(desk[BOARD] & ~(own | opp))
        to_the_end = left <= plan[EXACT_FROM]
        value = position_value(address, own, opp, guess, left if to_the_end else plan[DEPTH], certainty)
        square, kind = _best_move(address, own, opp), EXACT if to_the_end or plan[DEPTH] >= left else SEARCHED
        if not to_the_end and plan[STRAYS] and random_word(dice) % THOUSAND < plan[STRAYS]:
            square, kind = _any_of(legal, dice), STRAYED
        moves[ply], values[ply], kinds[ply] = square, value, kind
        ply += ONE
        turned = flips(own, opp, square)
        own, opp, turn = opp & ~turned, own | turned | (ONE << square), turn ^ ONE
        guess = int64(NO_VALUE) if kind == STRAYED else -value


@kernel("void(uint64, uint64, uint64, uint64, uint64[::1], uint8[:, ::1], int8[:, ::1], uint8[:, ::1], int64[::1])")
def play_games(
    first: int,
    second: int,
    sure_first: int,
    sure_second: int,
    plan: Array,
    moves: Array,
    values: Array,
    kinds: Array,
    scores: Array,
) -> None:
    """Plays a game for each row, numbered from the plan's first game; scores are those of the side that moves first.

    Each player searches with its own certainty: ProbCut's margins belong to weights. Games in pairs share their
    opening, the second one with exchanged players; a call begins with a whole pair. A game follows from the plan and
    its number (and, through the table, from the games of the same call before it).
    """
    state = np.zeros(3, np.uint64)
    memory = np.zeros(1, np.uint64)
    dice: Words = words_at(memory.ctypes.data)
    desk: Words = words_at(first)
    opened = ZERO
    for row in range(moves.shape[0]):
        game = plan[FIRST_GAME] + uint64(row)
        exchanged = plan[PAIRED] and game & ONE
        moves[row, :], values[row, :], kinds[row, :] = np.uint8(NONE), np.int8(NO_VALUE), np.uint8(UNKNOWN)
        if exchanged:
            moves[row, :opened] = moves[row - 1, :opened]
        else:
            memory[0] = mix(plan[SEED] * uint64(0x9E3779B97F4A7C15) + game)
            opened = _open(first, sure_first, plan, dice, moves[row], state)
        one, other, sure_one, sure_other = first, second, sure_first, sure_second
        if exchanged:
            one, other, sure_one, sure_other = second, first, sure_second, sure_first
        scores[row] = _play_on(
            one, other, sure_one, sure_other, plan, dice, opened, state, moves[row], values[row], kinds[row]
        )
        if shared_word(desk[STOP]):
            return


@kernel(
    "int64(uint64, uint64, uint64, uint64, uint64, uint64, uint64, uint64, uint8[:, ::1], int8[:, ::1], uint8[:, ::1])"
)
def value_games(
    address: int,
    own: int,
    opp: int,
    exact_from: int,
    depth: int,
    share: int,
    certainty: int,
    seed: int,
    moves: Array,
    values: Array,
    kinds: Array,
) -> int:
    """Values for given games: the exact score from so many empties on, a search's for a share (of 1,000) before.

    The end is solved backwards: a move's value is at least what the move played leads to, and mostly just that; one
    null-window search tells. Values that are there already stay. Returns how many games are whole; others get none.
    """
    desk: Words = words_at(address)
    memory = np.zeros(1, np.uint64)
    dice: Words = words_at(memory.ctypes.data)
    owns, opps, turns = np.empty(64, np.uint64), np.empty(64, np.uint64), np.empty(64, np.uint64)
    whole = int64(0)
    for row in range(moves.shape[0]):
        memory[0] = mix(seed + uint64(row))
        mine, theirs, turn, length = own, opp, ZERO, ZERO
        legal = True
        while length < uint64(moves.shape[1]) and uint64(moves[row, length]) != NONE:
            square = uint64(moves[row, length])
            turned = ZERO
            if square < PASS and ((desk[BOARD] & ~(mine | theirs)) >> square) & ONE:
                turned = flips(mine, theirs, square)
                if turned == ZERO and legal_moves(mine, theirs, desk[BOARD]) == ZERO:
                    mine, theirs, turn = theirs, mine, turn ^ ONE
                    turned = flips(mine, theirs, square)
            if turned == ZERO:
                legal = False
                break
            owns[length], opps[length], turns[length] = mine, theirs, turn
            mine, theirs, turn = theirs & ~turned, mine | turned | (ONE << square), turn ^ ONE
            length += ONE
        if not legal or legal_moves(mine, theirs, desk[BOARD]) or legal_moves(theirs, mine, desk[BOARD]):
            continue
        whole += 1
        reached, whose = final_score(mine, theirs, desk), turn
        ply, in_the_end = length, True
        while ply:
            ply -= ONE
            left = count(desk[BOARD] & ~(owns[ply] | opps[ply]))
            in_the_end = in_the_end and left <= exact_from
            if kinds[row, ply] == EXACT:
                reached, whose = int64(values[row, ply]), turns[ply]
                continue
            if in_the_end:
                least = reached if turns[ply] == whose else -reached
                reached, whose = _at_least(address, owns[ply], opps[ply], least, left), turns[ply]
                values[row, ply], kinds[row, ply] = reached, EXACT
            elif kinds[row, ply] == UNKNOWN and share and random_word(dice) % THOUSAND < share:
                value = position_value(address, owns[ply], opps[ply], int64(NO_VALUE), depth, certainty)
                values[row, ply], kinds[row, ply] = value, SEARCHED
            if shared_word(desk[STOP]):
                return whole
    return whole


@kernel("int64(uint64, uint64, uint64, int64, uint64)")
def _at_least(address: int, own: int, opp: int, least: int, left: int) -> int:
    """The exact score of a position that is known not to be below `least`."""
    desk: Words = words_at(address)
    most = int64(desk[SQUARES])
    if least >= most or _window(address, own, opp, least, least + 1, left, CERTAIN) <= least:
        return least
    return _window(address, own, opp, least, most, left, CERTAIN)


@kernel("void(uint64, uint64[::1], uint64[::1], uint64, uint64, int8[::1])")
def value_positions(address: int, owns: Array, opps: Array, depth: int, certainty: int, values: Array) -> None:
    """The value of each position after so many plies; exact where that reaches the end."""
    desk: Words = words_at(address)
    for index in range(owns.size):
        values[index] = position_value(address, owns[index], opps[index], int64(NO_VALUE), depth, certainty)
        if shared_word(desk[STOP]):
            return
