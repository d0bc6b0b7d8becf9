"""One learner against an opponent, in many games at once: what the Gymnasium environments are made of.

It knows nothing of Gymnasium. The learner acts in every game at once; the opponent answers until it is the learner's
turn again, or the game is over.
"""

from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from outflank.board.squares import Color
from outflank.board.variant import Variant
from outflank.env.batch import BatchEnv, Illegal, Reward
from outflank.env.opponents import Policy, game_seed, opponent_named
from outflank.errors import check_choice
from outflank.search.limits import Limit

Side = Literal["both", "black", "white"]


class Duel:
    """Games of a learner; `color` is its side, or both: Black in a game, White in its next one.

    Whose the first is follows from the seed, so that whoever gives every game a seed of its own has both sides, too.
    """

    def __init__(
        self,
        games: int,
        variant: str | Variant,
        opponent: str | Policy,
        color: Side,
        reward: Reward,
        illegal: Illegal,
        openings: int,
        threads: int,
        limit: Limit | None,
    ) -> None:
        check_choice("color", color, get_args(Side))
        self.env = BatchEnv(
            games, variant, reward=reward, autoreset=False, illegal=illegal, openings=openings, threads=threads
        )
        self._opponent = opponent_named(opponent, limit or Limit(), threads)
        self._color = color
        self._numbers = np.zeros(games, np.int64)
        self.sides = np.full(games, int(color == "white"))
        """The learner's side in each game."""
        self._answers = np.zeros(games, np.int64)
        self._seed = 0
        self._every = np.arange(games)

    def reset(self, seed: int | None, which: NDArray[np.bool_] | None = None) -> None:
        """Begins games anew; where the opponent has the first move, it makes it."""
        if seed is not None:
            self._seed = seed
            self._numbers[:] = 0
        self.env.reset(seed, which)
        begun = np.ones(self.env.games, np.bool_) if which is None else which
        if self._color == "both":
            np.copyto(self.sides, (self._every + self._numbers + self._seed % 2) % 2, where=begun)
        for game in map(int, np.flatnonzero(begun)) if self._opponent.follows else ():
            opposite = Color(int(self.sides[game])).other
            self._opponent.begin(self.env, game, opposite, game_seed(self._seed, game, int(self._numbers[game])))
        self._numbers[begun] += 1
        self._let_answer(begun)

    def step(self, actions: ArrayLike, which: NDArray[np.bool_]) -> None:
        """The learner's actions in these games, and the answers to them."""
        chosen = np.asarray(actions)
        self._play(chosen, which)
        self._let_answer(which)

    def _let_answer(self, among: NDArray[np.bool_]) -> None:
        env = self.env
        while True:
            waiting = among & ~env.terminated & (env.turns != self.sides)
            if not waiting.any():
                return
            self._opponent.answer(env, waiting, self._answers)
            self._play(self._answers, waiting)

    def _play(self, actions: NDArray[np.int64], which: NDArray[np.bool_]) -> None:
        self.env.step(actions, which)
        for game in map(int, np.flatnonzero(which & ~self.env.terminated)) if self._opponent.follows else ():
            self._opponent.told(game, self.env.square(int(actions[game])))

    def seen(self) -> NDArray[np.int8]:
        """Every board by the learner's side, also where a game is over; a copy, for learners keep what they saw."""
        planes = self.env.observations.view(np.int8).copy()
        turned = self.env.turns != self.sides
        planes[turned] = planes[turned, ::-1]
        return planes

    @property
    def rewards(self) -> NDArray[np.float64]:
        """The learner's."""
        found: NDArray[np.float64] = self.env.rewards[self._every, self.sides]
        return found

    def close(self) -> None:
        self._opponent.close()
        self.env.close()
