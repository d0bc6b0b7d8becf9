"""A learner's opponents: any player that a spec names, random moves, or a policy on arrays."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from outflank.agents.agent import Agent
from outflank.agents.spec import agent, parse
from outflank.board.game import Game
from outflank.board.kernels import mix
from outflank.board.squares import PASS, Color
from outflank.env.batch import WORD, BatchEnv
from outflank.errors import Fault
from outflank.search.limits import Limit

Policy = Callable[[NDArray[np.bool_], NDArray[np.bool_]], Any]
"""Observations and masks in, an action for each row out."""

SEED_BITS = (1 << 32) - 1


class Opponent(ABC):
    """Answers in many games at once."""

    follows = False
    """Whether it wants to hear of the games' beginnings and moves."""

    def begin(self, env: BatchEnv, game: int, color: Color, seed: int) -> None:  # noqa: B027
        """A game begins in which it has this colour."""

    def told(self, game: int, square: int) -> None:  # noqa: B027
        """A move was made, by either side."""

    @abstractmethod
    def answer(self, env: BatchEnv, waiting: NDArray[np.bool_], actions: NDArray[np.int64]) -> None:
        """Writes its actions for the games that wait for it."""

    def close(self) -> None:  # noqa: B027
        """Lets go of what it holds."""


class ByChance(Opponent):
    """Any legal action, each as likely as the others."""

    def answer(self, env: BatchEnv, waiting: NDArray[np.bool_], actions: NDArray[np.int64]) -> None:
        np.copyto(actions, env.random_actions(), where=waiting)


class ByPolicy(Opponent):
    """A function on arrays: a network, an older self."""

    def __init__(self, policy: Policy) -> None:
        self._policy = policy

    def answer(self, env: BatchEnv, waiting: NDArray[np.bool_], actions: NDArray[np.int64]) -> None:
        masks = env.masks[waiting]
        chosen = np.asarray(self._policy(env.observations[waiting], masks.copy()))
        if chosen.shape != masks.shape[:1] or chosen.dtype.kind not in "iu":
            raise Fault("env.policy", rows=len(masks), kind=chosen.dtype, shape=chosen.shape)
        there = (chosen >= 0) & (chosen < env.actions)
        right = there & masks[np.arange(len(masks)), np.where(there, chosen, 0)]
        if not right.all():
            wrong = right.argmin()
            legal = ", ".join(map(str, np.flatnonzero(masks[wrong])))
            raise Fault("env.policy-illegal", action=chosen[wrong], legal=legal)
        actions[waiting] = chosen


class ByAgents(Opponent):
    """A player for each game, made when it is first asked; it follows its game as it would in the arena."""

    follows = True

    def __init__(self, spec: str, limit: Limit, threads: int) -> None:
        parse(spec)  # said now, not at the first move
        self._spec, self._limit = spec, limit
        self._players: dict[int, Agent] = {}
        self._games: dict[int, Game] = {}
        self._begun: dict[int, tuple[Color, int]] = {}
        self._pool = ThreadPoolExecutor(threads, "outflank-opponent") if threads > 1 else None

    def begin(self, env: BatchEnv, game: int, color: Color, seed: int) -> None:
        self._games[game] = Game(env.position(game))
        self._begun[game] = color, seed

    def told(self, game: int, square: int) -> None:
        if square != PASS:  # forced ones are the game's business
            self._games[game].push(square)

    def answer(self, env: BatchEnv, waiting: NDArray[np.bool_], actions: NDArray[np.int64]) -> None:
        passing = env.actions - 1
        actions[waiting] = passing
        asked = [int(game) for game in np.flatnonzero(waiting & ~env.masks[:, passing])]
        answers = map(self._choose, asked) if self._pool is None else self._pool.map(self._choose, asked)
        for game, square in zip(asked, answers, strict=True):
            actions[game] = env.action(square)

    def _choose(self, game: int) -> int:
        if game not in self._players:
            self._players[game] = agent(self._spec)
        player, played = self._players[game], self._games[game]
        if game in self._begun:
            color, seed = self._begun.pop(game)
            player.expect(self._limit)
            player.start(played.variant, color, seed)
        return player.choose(played, self._limit).move

    def close(self) -> None:
        if self._pool is not None:
            self._pool.shutdown()
        for player in self._players.values():
            player.close()


def opponent_named(opponent: str | Policy, limit: Limit, threads: int) -> Opponent:
    """The opponent of a spec, or of a function; `random` needs no player in Python."""
    if not isinstance(opponent, str):
        if not callable(opponent):
            raise Fault("env.opponent", kind=type(opponent).__name__)
        return ByPolicy(opponent)
    return ByChance() if opponent.strip().lower() == "random" else ByAgents(opponent, limit, threads)


def game_seed(seed: int, env: int, number: int) -> int:
    """What decides all that an opponent does by chance in a game."""
    return mix(mix((seed ^ env << 32) & WORD) ^ number) & SEED_BITS
