"""Compiled loops over whole games, with the engine's search inside: playing games, and finding values for given ones.

A game is a row of squares (passes left out) with a value and a kind for each: what a search said for the side that
moved there, and how it came about. All the search needs lies on its desk (see `search.engine.desk`), given by address.
"""

from typing import Any, TypeVar

import numpy as np

from outflank.board.compiled import int64, kernel, uint64
from outflank.board.kernels import NONE, ONE, PASS, ZERO, legal_moves, mix, nth_square, random_word
from outflank.board.memory import address_of, load_atomic, stack_words
from outflank.board.records import Record, Row, Signed, Word, at_address
from outflank.board.variant import Variant
from outflank.board.vectors import count, flips, lowest
from outflank.search.engine.deepening import NO_GUESS, aspirate, deepen, known_move, search_window
from outflank.search.engine.desk import Desk, desk_at, empties_of
from outflank.search.engine.lastplies import final_score
from outflank.search.engine.table import AGES, NO_SELECTIVITY

Array = Any

# What is known of a move's position. The numbers are in files: they stay.
UNKNOWN, SEARCHED, STRAYED, EXACT = (uint64(kind) for kind in range(4))
"""No value; a search's value and its move; a search's value, but another move at random; the exact score."""
NO_VALUE = NO_GUESS
OPENING_TRIES = 20
OPENING_DEPTH = uint64(4)
THOUSAND = uint64(1000)


class GamePlan(Record):
    """How games are played: `selfplay.Style` says what its fields mean."""

    start_own: Word
    start_opp: Word
    depth: Word
    exact_from: Word
    fewest: Word
    most: Word
    balance: Signed
    strays: Word
    paired: Word
    """Not zero where two games in turn share an opening, with exchanged players."""
    seed: Word
    first_game: Word


class Board(Record):
    """A position on the way: the side to move, the other, and 1 where the second player is to move."""

    own: Word
    opp: Word
    turn: Word


plan_at, board_at = at_address(GamePlan), at_address(Board)
Plan = TypeVar("Plan", bound=Record)


def planned(kind: type[Plan], style: Any, variant: Variant, seed: int, first: int, paired: bool) -> Plan:
    """A style's fields as compiled games have them, with where a game starts; games are numbered from `first`."""
    black, white = variant.start_discs().values()
    return kind.new(start_own=black, start_opp=white, paired=paired, seed=seed, first_game=first, **vars(style))


@kernel("int64(uint64)")
def sign_of(turn: int) -> int:
    """1 for the first player, -1 for the second."""
    return int64(1) - int64(2) * int64(turn)


@kernel("int64(uint64, uint64, int64, uint64, uint64, Desk)")
def _value(own: int, opp: int, guess: int, depth: int, selectivity: int, desk: Desk) -> int:
    """A position's value; what earlier positions left in the table is used, and replaced first."""
    desk.age = (desk.age + ONE) % uint64(AGES)
    return deepen(own, opp, guess, depth, selectivity, desk)


@kernel("uint64(uint64, uint64, Desk)")
def _best_move(own: int, opp: int, desk: Desk) -> int:
    """The move that the search just done would play; where the table answered it, the table's."""
    moves = legal_moves(own, opp, desk.board)
    square = desk.root_move
    if square >= PASS:
        square = known_move(own, opp, desk)
    if square >= PASS or (moves >> square) & ONE == ZERO:
        square = lowest(moves)
    return square


@kernel("uint64(uint64, Board)")
def moves_at(board: int, at: Board) -> int:
    """The legal moves, after a pass where one is due; none where the game is over."""
    legal = legal_moves(at.own, at.opp, board)
    if legal == ZERO:
        at.own, at.opp, at.turn = at.opp, at.own, at.turn ^ ONE
        legal = legal_moves(at.own, at.opp, board)
    return legal


@kernel("void(uint64, Board)")
def play_at(square: int, at: Board) -> None:
    turned = flips(at.own, at.opp, square)
    at.own, at.opp, at.turn = at.opp & ~turned, at.own | turned | (ONE << square), at.turn ^ ONE


@kernel("uint64(uint64, Words)")
def any_of(moves: int, dice: Row[int]) -> int:
    return nth_square(moves, random_word(dice) % count(moves))


@kernel("uint64(uint64, uint64, Words, uint8[::1], Board)")
def play_at_random(board: int, plies: int, dice: Row[int], moves: Array, reached: Board) -> int:
    """So many random moves from the position reached, which is left after them; returns how many there were.

    A game may end with the last one, or before it.
    """
    played = ZERO
    while played < plies:
        legal = moves_at(board, reached)
        if legal == ZERO:
            break
        square = any_of(legal, dice)
        play_at(square, reached)
        moves[played] = square
        played += ONE
    return played


@kernel("int64(uint64, uint8[::1], uint64[::1], uint64[::1], uint64[::1], Board)")
def replay(board: int, moves: Array, owns: Array, opps: Array, turns: Array, reached: Board) -> int:
    """The position before each move of a game, from the one reached, which is left at the end; returns how many moves
    there are, or -1 where one of them is illegal or the game is not over."""
    own, opp, turn, length = reached.own, reached.opp, reached.turn, int64(0)
    while length < moves.size and uint64(moves[length]) != NONE:
        square = uint64(moves[length])
        turned = ZERO
        if square < PASS and ((board & ~(own | opp)) >> square) & ONE:
            turned = flips(own, opp, square)
            if turned == ZERO and legal_moves(own, opp, board) == ZERO:
                own, opp, turn = opp, own, turn ^ ONE
                turned = flips(own, opp, square)
        if turned == ZERO:
            return int64(-1)
        owns[length], opps[length], turns[length] = own, opp, turn
        own, opp, turn = opp & ~turned, own | turned | (ONE << square), turn ^ ONE
        length += 1
    if legal_moves(own, opp, board) or legal_moves(opp, own, board):
        return int64(-1)
    reached.own, reached.opp, reached.turn = own, opp, turn
    return length


@kernel("uint64(Desk, uint64, GamePlan, Words, uint8[::1], Board)")
def _open(desk: Desk, selectivity: int, plan: GamePlan, dice: Row[int], moves: Array, board: Board) -> int:
    """Random moves from the start until a search sees neither side far ahead; returns the number of moves.

    The position is left on the board. After so many tries the last one is taken as it is.
    """
    played = ZERO
    for _ in range(OPENING_TRIES):
        plies = plan.fewest + random_word(dice) % (plan.most - plan.fewest + ONE)
        board.own, board.opp, board.turn = plan.start_own, plan.start_opp, ZERO
        played = play_at_random(desk.board, plies, dice, moves, board)
        own, opp = board.own, board.opp
        if (legal_moves(own, opp, desk.board) | legal_moves(opp, own, desk.board)) == ZERO:
            continue
        value = _value(own, opp, int64(NO_VALUE), min(plan.depth, OPENING_DEPTH), selectivity, desk)
        if abs(value) <= plan.balance or desk.aborted:
            break
    return played


@kernel("int64(Desk, Desk, uint64, uint64, GamePlan, Words, uint64, Board, uint8[::1], int8[::1], uint8[::1])")
def _play_on(
    first: Desk,
    second: Desk,
    sure_first: int,
    sure_second: int,
    plan: GamePlan,
    dice: Row[int],
    ply: int,
    board: Board,
    moves: Array,
    values: Array,
    kinds: Array,
) -> int:
    """Plays a game from a board to its end; returns the score of the side that moved first in the game."""
    own, opp, turn = board.own, board.opp, board.turn
    guess = int64(NO_VALUE)
    while True:
        legal = legal_moves(own, opp, first.board)
        if legal == ZERO:
            own, opp, turn = opp, own, turn ^ ONE
            if guess != int64(NO_VALUE):
                guess = -guess
            legal = legal_moves(own, opp, first.board)
            if legal == ZERO:
                score = final_score(own, opp, first)
                return -score if turn else score
        if load_atomic(first.stop):
            return int64(0)
        desk, selectivity = (second, sure_second) if turn else (first, sure_first)
        empties = count(empties_of(own, opp, desk))
        to_the_end = empties <= plan.exact_from
        value = _value(own, opp, guess, empties if to_the_end else plan.depth, selectivity, desk)
        square, kind = _best_move(own, opp, desk), EXACT if to_the_end or plan.depth >= empties else SEARCHED
        if not to_the_end and plan.strays and random_word(dice) % THOUSAND < plan.strays:
            square, kind = any_of(legal, dice), STRAYED
        moves[ply], values[ply], kinds[ply] = square, value, kind
        ply += ONE
        turned = flips(own, opp, square)
        own, opp, turn = opp & ~turned, own | turned | (ONE << square), turn ^ ONE
        guess = int64(NO_VALUE) if kind == STRAYED else -value


@kernel("void(uint64, uint64, uint64, uint64, uint64, uint8[:, ::1], int8[:, ::1], uint8[:, ::1], int64[::1])")
def play_games(
    first_address: int,
    second_address: int,
    sure_first: int,
    sure_second: int,
    plan_address: int,
    moves: Array,
    values: Array,
    kinds: Array,
    scores: Array,
) -> None:
    """Plays a game for each row, numbered from the plan's first game; scores are those of the side that moves first.

    Each player searches with its own selectivity: ProbCut's margins belong to weights. Games in pairs share their
    opening, the second one with exchanged players; a call begins with a whole pair. A game follows from the plan and
    its number (and, through the table, from the games of the same call before it).
    """
    first, second, plan = desk_at(first_address), desk_at(second_address), plan_at(plan_address)
    board = board_at(address_of(stack_words(3)))
    dice = stack_words(1)
    opened = ZERO
    for row in range(moves.shape[0]):
        game = plan.first_game + uint64(row)
        exchanged = plan.paired and game & ONE
        moves[row, :], values[row, :], kinds[row, :] = np.uint8(NONE), np.int8(NO_VALUE), np.uint8(UNKNOWN)
        if exchanged:
            moves[row, :opened] = moves[row - 1, :opened]
        else:
            dice[ZERO] = mix(plan.seed * uint64(0x9E3779B97F4A7C15) + game)
            opened = _open(first, sure_first, plan, dice, moves[row], board)
        one, other, sure_one, sure_other = first, second, sure_first, sure_second
        if exchanged:
            one, other, sure_one, sure_other = second, first, sure_second, sure_first
        scores[row] = _play_on(
            one, other, sure_one, sure_other, plan, dice, opened, board, moves[row], values[row], kinds[row]
        )
        if load_atomic(first.stop):
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
    selectivity: int,
    seed: int,
    moves: Array,
    values: Array,
    kinds: Array,
) -> int:
    """Values for given games: the exact score from so many empties on, a search's for a share (of 1,000) before.

    The end is solved backwards: a move's value is at least what the move played leads to, and mostly just that; one
    null-window search tells. Values that are there already stay. Returns how many games are whole; others get none.
    """
    desk, dice = desk_at(address), stack_words(1)
    owns, opps, turns = np.empty(64, np.uint64), np.empty(64, np.uint64), np.empty(64, np.uint64)
    end = board_at(address_of(stack_words(3)))
    whole = int64(0)
    for row in range(moves.shape[0]):
        dice[ZERO] = mix(seed + uint64(row))
        end.own, end.opp, end.turn = own, opp, ZERO
        length = replay(desk.board, moves[row], owns, opps, turns, end)
        if length < 0:
            continue
        whole += 1
        reached, whose = final_score(end.own, end.opp, desk), end.turn
        ply, in_the_end = uint64(length), True
        while ply:
            ply -= ONE
            empties = count(empties_of(owns[ply], opps[ply], desk))
            in_the_end = in_the_end and empties <= exact_from
            if kinds[row, ply] == EXACT:
                reached, whose = int64(values[row, ply]), turns[ply]
                continue
            if in_the_end:
                least = reached if turns[ply] == whose else -reached
                reached, whose = _at_least(owns[ply], opps[ply], least, empties, desk), turns[ply]
                values[row, ply], kinds[row, ply] = reached, EXACT
            elif kinds[row, ply] == UNKNOWN and share and random_word(dice) % THOUSAND < share:
                value = _value(owns[ply], opps[ply], int64(NO_VALUE), depth, selectivity, desk)
                values[row, ply], kinds[row, ply] = value, SEARCHED
            if load_atomic(desk.stop):
                return whole
    return whole


@kernel("int64(uint64, uint64, int64, uint64, Desk)")
def _at_least(own: int, opp: int, least: int, empties: int, desk: Desk) -> int:
    """The exact score of a position that is known not to be below `least`."""
    most = int64(desk.square_count)
    desk.white_at_root, desk.age = ZERO, (desk.age + ONE) % uint64(AGES)
    if least >= most or search_window(own, opp, least, least + 1, empties, NO_SELECTIVITY, desk) <= least:
        return least
    return search_window(own, opp, least, most, empties, NO_SELECTIVITY, desk)


@kernel("void(uint64, uint64[::1], uint64[::1], uint64, uint64, int8[::1])")
def value_positions(address: int, owns: Array, opps: Array, depth: int, selectivity: int, values: Array) -> None:
    """The value of each position after so many plies; exact where that reaches the end."""
    desk = desk_at(address)
    for index in range(owns.size):
        values[index] = _value(owns[index], opps[index], int64(NO_VALUE), depth, selectivity, desk)
        if load_atomic(desk.stop):
            return


@kernel("int64(uint64, uint64[::1], uint64[::1], uint64, int8[:, ::1], uint8[:, ::1])")
def deepen_positions(address: int, owns: Array, opps: Array, selectivity: int, values: Array, moves: Array) -> int:
    """The value of each position, which has a move, at every depth from 0 to the last column, and from 1 on the best
    move: each depth begins where the one before ended, as a player's does. Returns how many positions were done."""
    desk = desk_at(address)
    most = int64(desk.square_count)
    for index in range(owns.size):
        own, opp, guess = owns[index], opps[index], int64(NO_VALUE)
        desk.white_at_root, desk.age = ZERO, (desk.age + ONE) % uint64(AGES)
        for depth in range(uint64(values.shape[1])):
            guess = aspirate(own, opp, guess, -most, most, depth, selectivity, desk)
            values[index, depth] = guess
            moves[index, depth] = _best_move(own, opp, desk) if depth else PASS
        if load_atomic(desk.stop):
            return int64(index)
    return int64(owns.size)
