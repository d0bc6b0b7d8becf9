"""Thousands of games at once in NumPy arrays: the environment that the others of this room stand on.

Lays out the arrays, hands ranges of games to `kernels`, one range per thread, and shows the arrays to the learner. They
are the same arrays after every step, filled anew: nothing is allocated.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy
from itertools import pairwise
from operator import index
from secrets import randbits
from typing import Any, Literal, NamedTuple, Self, SupportsIndex, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from outflank.board.compiled import load
from outflank.board.kernels import mix
from outflank.board.planes import PLANES, actions_by_square, squares_by_action
from outflank.board.position import Position
from outflank.board.records import fill, place_of
from outflank.board.squares import Color, square_name, square_number
from outflank.board.variant import Variant
from outflank.env import kernels
from outflank.errors import Fault, check_choice

Reward = Literal["win", "margin"]
Illegal = Literal["raise", "lose"]

WORD = (1 << 64) - 1
LEAST_SHARE = 256
"""Games below which a thread of its own costs more than it brings."""


class Stepped(NamedTuple):
    """What a step returns: arrays with one row per game, valid until the next step."""

    observations: NDArray[np.bool_]
    """(games, 2, rows, columns): the discs of the side to move, and the other side's."""
    masks: NDArray[np.bool_]
    """(games, actions): what may be played; the pass is last."""
    rewards: NDArray[np.float64]
    """(games, 2): Black's and White's, not 0 only in the step that ends a game."""
    terminated: NDArray[np.bool_]
    """(games,): whether the game ended; with automatic resets the other arrays show the next one's start."""
    turns: NDArray[np.uint8]
    """(games,): whose turn it is, 0 is Black."""


class BatchEnv:
    """A batch of games of one variant.

    An action is row × columns + column; the last one, rows × columns, passes. It is legal where no other action is.
    A game that ends starts again in the same step, unless `autoreset` is off: then it waits for `reset` with an empty
    mask. With `openings` every game begins with so many random plies. With `illegal="lose"` an illegal action loses the
    game; otherwise it is an error, and no game moves. `reward` is who won (1, 0, -1) or the margin in discs.

    The same seed gives the same openings and the same `random_actions`, on any number of threads; None takes another
    one every time. A copy (`copy` or
    `pickle`) continues on its own from the same state.
    """

    def __init__(
        self,
        games: SupportsIndex,
        variant: str | Variant = "othello",
        *,
        reward: Reward = "win",
        autoreset: bool = True,
        illegal: Illegal = "raise",
        openings: SupportsIndex = 0,
        seed: SupportsIndex | None = 0,
        threads: SupportsIndex = 1,
    ) -> None:
        games, openings = whole("games", games, 1), whole("openings", openings, 0)
        for name, text, choices in (("reward", reward, Reward), ("illegal", illegal, Illegal)):
            check_choice(name, text, get_args(choices))
        self.variant = Variant.named(variant)
        self.games = games
        self.reward, self.autoreset, self.illegal, self.openings = reward, autoreset, illegal, openings
        rows, columns = self.variant.rows, self.variant.columns
        self.actions = rows * columns + 1
        """How many actions there are."""
        self.stepped = Stepped(
            np.zeros((games, PLANES, rows, columns), np.bool_),
            np.zeros((games, self.actions), np.bool_),
            np.zeros((games, 2)),
            np.zeros(games, np.bool_),
            np.zeros(games, np.uint8),
        )
        self._own, self._opp, self._legal, self._beginnings, self._dice = np.zeros((5, games), np.uint64)
        self._chosen = np.zeros(games, np.int64)
        self._wanted = np.ones(games, np.bool_)
        shares = max(min(whole("threads", threads, 1), games // LEAST_SHARE), 1)
        edges = [games * share // shares for share in range(shares + 1)]
        self._shares = list(pairwise(edges))
        self._open()
        self.reset(randbits(64) if seed is None else seed)

    def _open(self) -> None:
        """What is this object's alone: threads, and a desk with the addresses of its arrays."""
        others = len(self._shares) - 1
        self._pool = ThreadPoolExecutor(others, "outflank-env") if others else None
        self._desk = self._laid_out()
        for kernel in (kernels.sow, kernels.reset, kernels.first_illegal, kernels.step, kernels.choose_at_random):
            load(kernel)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name not in ("_desk", "_pool")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._open()

    def __copy__(self) -> Self:
        return deepcopy(self)  # two that share their arrays would play in each other's games

    def _laid_out(self) -> kernels.BatchDesk:
        variant, desk, discs = self.variant, kernels.BatchDesk.new(), self.variant.start_discs()
        desk.board, desk.rows, desk.columns = variant.board, variant.rows, variant.columns
        desk.start_black, desk.start_white = discs[Color.BLACK], discs[Color.WHITE]
        desk.reversed, desk.margins = variant.reversed, self.reward == "margin"
        desk.autoreset, desk.openings, desk.forfeits = self.autoreset, self.openings, self.illegal == "lose"
        desk.actions = self.actions
        fill(desk.squares, squares_by_action(variant))
        for square, action in actions_by_square(variant).items():
            desk.numbers[square] = action
        desk.own, desk.opp, desk.legal = place_of(self._own), place_of(self._opp), place_of(self._legal)
        desk.beginnings, desk.dice = place_of(self._beginnings), place_of(self._dice)
        desk.chosen, desk.wanted = place_of(self._chosen), place_of(self._wanted)
        desk.planes, desk.masks = place_of(self.observations), place_of(self.masks)
        desk.rewards, desk.terminated = place_of(self.rewards), place_of(self.terminated)
        desk.turns = place_of(self.turns)
        return desk

    @property
    def observations(self) -> NDArray[np.bool_]:
        return self.stepped.observations

    @property
    def masks(self) -> NDArray[np.bool_]:
        return self.stepped.masks

    @property
    def rewards(self) -> NDArray[np.float64]:
        return self.stepped.rewards

    @property
    def terminated(self) -> NDArray[np.bool_]:
        return self.stepped.terminated

    @property
    def turns(self) -> NDArray[np.uint8]:
        return self.stepped.turns

    @property
    def bytes_per_game(self) -> float:
        """The memory that each game takes, all arrays together."""
        states = (self._own, self._opp, self._legal, self._beginnings, self._dice, self._chosen, self._wanted)
        return sum(array.nbytes for array in (*self.stepped, *states)) / self.games

    def reset(self, seed: SupportsIndex | None = None, which: ArrayLike | None = None) -> Stepped:
        """Starts all games again, or only those chosen by a boolean array; a seed sets all random numbers."""
        if seed is not None:
            self._desk.seed = mix(index(seed) & WORD)
            self._each(kernels.sow)
        self._want(which)
        self._each(kernels.reset)
        return self.stepped

    def _want(self, which: ArrayLike | None) -> None:
        if which is None:
            self._wanted.fill(True)
            return
        wanted = np.asarray(which)
        if wanted.dtype != np.bool_ or wanted.shape != (self.games,):
            raise Fault("env.which", games=self.games, kind=wanted.dtype, shape=wanted.shape)
        np.copyto(self._wanted, wanted)

    def step(self, actions: ArrayLike, which: ArrayLike | None = None) -> Stepped:
        """Plays an action in every game, or only in those chosen by a boolean array: the others do not change."""
        chosen = np.asarray(actions)
        if chosen.shape != (self.games,) or chosen.dtype.kind not in "iu":
            raise Fault("env.actions", games=self.games, kind=chosen.dtype, shape=chosen.shape)
        if chosen is not self._chosen:
            np.copyto(self._chosen, chosen, casting="unsafe")
        self._want(which)
        if self.illegal == "raise":
            self._check()
        self._each(kernels.step)
        return self.stepped

    def _check(self) -> None:
        wrong = kernels.first_illegal(self._desk.address, 0, self.games)
        if wrong < self.games:
            legal = ", ".join(map(str, np.flatnonzero(self.masks[wrong])))
            raise Fault("env.illegal", action=int(self._chosen[wrong]), game=wrong, legal=legal)

    def random_actions(self) -> NDArray[np.int64]:
        """A random legal action for each game, all equally likely; every call returns the same array."""
        self._each(kernels.choose_at_random)
        return self._chosen

    def _each(self, kernel: Callable[[int, int, int], Any]) -> None:
        """Runs a kernel on all games, every thread on its share."""
        address = self._desk.address
        if self._pool is None:
            kernel(address, 0, self.games)
            return
        others = [self._pool.submit(kernel, address, *share) for share in self._shares[1:]]
        kernel(address, *self._shares[0])
        for other in others:
            other.result()

    def position(self, game: int) -> Position:
        """Where a game stands."""
        self._check_number(game)
        own, opp, turn = int(self._own[game]), int(self._opp[game]), Color(int(self.turns[game]))
        black, white = (own, opp) if turn is Color.BLACK else (opp, own)
        return Position(black, white, turn, self.variant)

    def place(self, game: int, position: Position) -> None:
        """Continues a game from a position of this board."""
        self._check_number(game)
        if position.variant.board != self.variant.board:
            raise Fault("env.position", found=position.variant, variant=self.variant)
        kernels.place(self._desk.address, game, position.own, position.opp, position.turn)

    def _check_number(self, game: int) -> None:
        if not isinstance(game, SupportsIndex) or not 0 <= index(game) < self.games:
            raise Fault("env.game", last=self.games - 1, number=game)

    def action(self, move: int | str) -> int:
        """The action of a square (19) or its name ("d3", "pass")."""
        return action_of(move, self.variant)

    def square(self, action: int) -> int:
        """The square that an action plays; 64 for the pass."""
        return square_of(action, self.variant)

    def render(self, game: int = 0) -> str:
        """The board of a game as text."""
        return str(self.position(game))

    def close(self) -> None:
        """Ends the threads; further steps run on one."""
        if self._pool is not None:
            self._pool.shutdown()
            self._pool = None


def whole(name: str, number: SupportsIndex, least: int) -> int:
    """A whole number, also one of NumPy's."""
    if not isinstance(number, SupportsIndex) or index(number) < least:
        raise Fault("env.least", name=name, least=least, number=repr(number))
    return int(index(number))


def action_of(move: int | str, variant: Variant) -> int:
    """The action of a square or its name on a board."""
    square = square_number(move)
    found = actions_by_square(variant).get(square)
    if found is None:
        raise Fault("env.no-square", square=square_name(square), rows=variant.rows, columns=variant.columns)
    return found


def square_of(action: int, variant: Variant) -> int:
    """The square that an action plays; 64 for the pass."""
    squares = squares_by_action(variant)
    if not isinstance(action, SupportsIndex) or not 0 <= index(action) < len(squares):
        raise Fault("env.no-action", last=len(squares) - 1, action=action)
    return squares[index(action)]
