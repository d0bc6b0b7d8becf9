"""Many games at once, compiled: what `batch` calls for a range of games, each thread for its own.

Every game's random numbers are its own, so that no result depends on how the games are shared out among threads. Each
kernel has a plain-Python reference in tests/naive_env.py.
"""

import numpy as np

from outflank.board.compiled import int64, kernel, uint64
from outflank.board.kernels import EIGHT, ONE, PASS, ZERO, final_margin, legal_moves, mix, random_below
from outflank.board.memory import address_of
from outflank.board.planes import PLANES, write_planes, write_squares
from outflank.board.records import Byte, Real, Record, Row, Signed, Word, at_address, elsewhere, inline
from outflank.board.vectors import count, flips, nth_square

BOTH = uint64(PLANES)


class BatchDesk(Record):
    """The rules that a batch of games shares, and where its arrays lie."""

    board: Word
    rows: Word
    columns: Word
    start_black: Word
    start_white: Word
    reversed: Word
    margins: Word
    """Whether rewards are margins in discs: otherwise 1, 0 and -1."""
    autoreset: Word
    openings: Word
    """The random plies with which every game begins."""
    forfeits: Word
    """Whether an illegal action loses the game; otherwise actions were checked before."""
    seed: Word
    actions: Word
    """How many there are."""
    squares: Row[Word] = inline(65)
    numbers: Row[Word] = inline(65)
    """The square of each action, and the action of each square."""
    own: Row[Word] = elsewhere()
    opp: Row[Word] = elsewhere()
    legal: Row[Word] = elsewhere()
    """The legal moves; none where a pass is due or the game is over."""
    turns: Row[Byte] = elsewhere()
    terminated: Row[Byte] = elsewhere()
    rewards: Row[Real] = elsewhere()
    """Black's and White's, game by game."""
    chosen: Row[Signed] = elsewhere()
    """The action for each game."""
    wanted: Row[Byte] = elsewhere()
    """The games that a step or a reset is for."""
    planes: Row[Byte] = elsewhere()
    masks: Row[Byte] = elsewhere()
    beginnings: Row[Word] = elsewhere()
    dice: Row[Word] = elsewhere()
    """The states of the random numbers: of the openings, and of `choose_at_random`."""


batch_at = at_address(BatchDesk)
words_at = at_address(Row[Word])


@kernel("uint64(BatchDesk, uint64)")
def is_legal(desk: BatchDesk, game: int) -> int:
    """Whether the action chosen for a game may be played."""
    action = uint64(desk.chosen[game])
    if action >= desk.actions:
        return ZERO
    square = desk.squares[action]
    legal = desk.legal[game]
    if square == PASS:
        return ONE if legal == ZERO else ZERO
    return (legal >> square) & ONE


@kernel("void(BatchDesk, uint64, uint64, uint64, uint64, uint64, uint64)")
def show(desk: BatchDesk, game: int, own: int, opp: int, legal: int, turn: int, over: int) -> None:
    """A game stands here now: writes its state, its planes and its mask."""
    desk.own[game], desk.opp[game], desk.legal[game] = own, opp, legal
    desk.turns[game] = turn
    rows, columns = desk.rows, desk.columns
    squares = rows * columns
    write_planes(own, opp, rows, columns, address_of(desk.planes) + game * BOTH * squares)
    mask = game * (squares + ONE)
    write_squares(legal, rows, columns, address_of(desk.masks) + mask)
    desk.masks[mask + squares] = ONE if legal == ZERO and over == ZERO else ZERO


@kernel("void(BatchDesk, uint64)")
def begin(desk: BatchDesk, game: int) -> None:
    """A new game, after its random plies; one that would end it is not played."""
    board = desk.board
    own, opp, turn = desk.start_black, desk.start_white, ZERO
    legal = legal_moves(own, opp, board)
    state = words_at(address_of(desk.beginnings) + EIGHT * game)
    plies = ZERO
    while plies < desk.openings:
        theirs, mine = opp, own
        if legal:
            square = nth_square(legal, random_below(count(legal), state))
            turned = flips(own, opp, square)
            theirs, mine = opp & ~turned, own | turned | (ONE << square)
        following = legal_moves(theirs, mine, board)
        if following == ZERO and legal_moves(mine, theirs, board) == ZERO:
            break
        own, opp, turn, legal = theirs, mine, turn ^ ONE, following
        plies += ONE
    show(desk, game, own, opp, legal, turn, ZERO)


@kernel("void(BatchDesk, uint64, int64)")
def reward(desk: BatchDesk, game: int, margin: int) -> None:
    """Tells both sides how the game ended; the margin is Black's, most discs winning."""
    if desk.reversed:
        margin = -margin
    score = np.float64(margin)
    if desk.margins == ZERO:
        score = np.sign(score)
    desk.rewards[BOTH * game], desk.rewards[BOTH * game + ONE] = score, -score


@kernel("void(BatchDesk, uint64)")
def forfeit(desk: BatchDesk, game: int) -> None:
    """The side to move chose what it may not: the other side wins every square."""
    black = desk.turns[game] == ZERO
    most = int64(count(desk.board))
    lost = most if desk.reversed else -most
    reward(desk, game, lost if black else -lost)


@kernel("void(BatchDesk, uint64)")
def advance(desk: BatchDesk, game: int) -> None:
    """Plays a game's action, and says what became of it."""
    desk.rewards[BOTH * game], desk.rewards[BOTH * game + ONE] = 0.0, 0.0
    if desk.terminated[game]:
        if desk.autoreset == ZERO:
            return
        desk.terminated[game] = ZERO
    board, own, opp = desk.board, desk.own[game], desk.opp[game]
    turn = uint64(desk.turns[game])
    if desk.forfeits and is_legal(desk, game) == ZERO:
        forfeit(desk, game)
        legal, over = ZERO, True
    else:
        square = desk.squares[uint64(desk.chosen[game])]
        if square == PASS:
            own, opp = opp, own
        else:
            turned = flips(own, opp, square)
            own, opp = opp & ~turned, own | turned | (ONE << square)
        turn ^= ONE
        legal = legal_moves(own, opp, board)
        over = legal == ZERO and legal_moves(opp, own, board) == ZERO
        if over:
            margin = final_margin(own, opp, board)
            reward(desk, game, -margin if turn else margin)
    if over:
        desk.terminated[game] = ONE
        if desk.autoreset:
            begin(desk, game)
            return
    show(desk, game, own, opp, legal, turn, uint64(over))


@kernel("void(uint64, uint64, uint64)")
def step(address: int, first: int, last: int) -> None:
    """Plays the chosen actions of the wanted games from `first` up to, not with, `last`."""
    desk = batch_at(address)
    game = first
    while game < last:
        if desk.wanted[game]:
            advance(desk, game)
        game += ONE


@kernel("uint64(uint64, uint64, uint64)")
def first_illegal(address: int, first: int, last: int) -> int:
    """The first wanted game whose action may not be played, or `last`; where a game is over any action will do."""
    desk = batch_at(address)
    game = first
    while game < last:
        over = desk.autoreset == ZERO and desk.terminated[game] != ZERO
        if desk.wanted[game] and not over and is_legal(desk, game) == ZERO:
            return game
        game += ONE
    return last


@kernel("void(uint64, uint64, uint64)")
def sow(address: int, first: int, last: int) -> None:
    """Sets the random numbers of games by the seed.

    Mixed, since generators that begin at numbers in a row would say the same a little later.
    """
    desk = batch_at(address)
    game = first
    while game < last:
        desk.beginnings[game] = mix(desk.seed + BOTH * game)
        desk.dice[game] = mix(desk.seed + BOTH * game + ONE)
        game += ONE


@kernel("void(uint64, uint64, uint64, uint64, uint64)")
def place(address: int, game: int, own: int, opp: int, turn: int) -> None:
    """A game goes on from here."""
    desk = batch_at(address)
    legal = legal_moves(own, opp, desk.board)
    over = legal == ZERO and legal_moves(opp, own, desk.board) == ZERO
    desk.terminated[game] = ONE if over else ZERO
    desk.rewards[BOTH * game], desk.rewards[BOTH * game + ONE] = 0.0, 0.0
    show(desk, game, own, opp, legal, turn, uint64(over))


@kernel("void(uint64, uint64, uint64)")
def reset(address: int, first: int, last: int) -> None:
    """Begins the wanted games anew."""
    desk = batch_at(address)
    game = first
    while game < last:
        if desk.wanted[game]:
            desk.terminated[game] = ZERO
            desk.rewards[BOTH * game], desk.rewards[BOTH * game + ONE] = 0.0, 0.0
            begin(desk, game)
        game += ONE


@kernel("void(uint64, uint64, uint64)")
def choose_at_random(address: int, first: int, last: int) -> None:
    """An action for every game, each legal one as likely as the others; any for games that are over."""
    desk = batch_at(address)
    game = first
    while game < last:
        legal = desk.legal[game]
        action = desk.actions - ONE
        if legal:
            state = words_at(address_of(desk.dice) + EIGHT * game)
            action = desk.numbers[nth_square(legal, random_below(count(legal), state))]
        desk.chosen[game] = int64(action)
        game += ONE
