"""Gymnasium's interface: a vector environment of many games, and a plain one of a single game.

Gymnasium is an extra (`pip install 'outflank[rl]'`); `outflank.env` loads this module when one of its names is used.
"""

from typing import Any, ClassVar

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from outflank.board.planes import PLANES
from outflank.board.svg import draw
from outflank.board.variant import Variant
from outflank.env.batch import BatchEnv, Illegal, Reward
from outflank.env.duel import Duel, Side
from outflank.env.opponents import Policy
from outflank.env.pixels import pixels
from outflank.errors import Fault, check_choice
from outflank.search.limits import Limit

Planes = NDArray[np.int8]
Picture = str | NDArray[np.uint8]
MODES = ("human", "ansi", "svg", "rgb_array")
"""Printed at every step; asked for, as text; asked for, as a picture of one kind or the other."""
FRAMES = 1
"""A second, where games are recorded."""


def spaces_of(variant: Variant) -> tuple[spaces.Box, spaces.Discrete]:
    """What a game shows, and what can be done in it."""
    shape = (PLANES, variant.rows, variant.columns)
    return spaces.Box(0, 1, shape, np.int8), spaces.Discrete(variant.square_count + 1)


class OthelloVectorEnv(VectorEnv):  # type: ignore[misc]  # untyped to us: see pyproject.toml
    """Many games of one learner against an opponent: a spec such as `engine:level=3`, or a function of observations and
    masks that gives an action for each row.

    An observation has the learner's discs and the opponent's, always seen by the learner, whose turn it is. Its legal
    actions are in `info["action_mask"]`, its side in `info["color"]`. The reward is the learner's, in the step that
    ends a game. All three of Gymnasium's ways to begin the next game are there (`autoreset_mode`).
    """

    metadata: dict[str, Any] = {  # noqa: RUF012
        "render_modes": list(MODES),
        "render_fps": FRAMES,
        "autoreset_mode": AutoresetMode.NEXT_STEP,
    }

    def __init__(
        self,
        num_envs: int = 1,
        variant: str | Variant = "othello",
        opponent: str | Policy = "random",
        *,
        color: Side = "both",
        reward: Reward = "win",
        illegal: Illegal = "lose",
        openings: int = 0,
        threads: int = 1,
        limit: Limit | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        render_mode: str | None = None,
    ) -> None:
        check_render_mode(render_mode)
        self._duel = Duel(num_envs, variant, opponent, color, reward, illegal, openings, threads, limit)
        self.num_envs, self.render_mode = self._duel.env.games, render_mode
        self._mode = AutoresetMode(autoreset_mode)
        self.metadata = {**type(self).metadata, "autoreset_mode": self._mode}
        self.single_observation_space, self.single_action_space = spaces_of(self._duel.env.variant)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self._seeded = False
        self._over = np.zeros(self.num_envs, np.bool_)
        self._every = np.ones(self.num_envs, np.bool_)
        self._duel.reset(0)

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Planes, dict[str, Any]]:
        which = None if options is None else options.get("reset_mask")
        if isinstance(seed, list):
            seed = self._one_seed(seed)
        super().reset(seed=seed)
        self._duel.reset(first_seed(self, seed), which)
        if which is None:
            self._over[:] = False
        else:
            self._over[which] = False
        return self._duel.seen(), self._infos()

    def _one_seed(self, seeds: list[int | None]) -> int | None:
        """What seeds for each game come to; None where nobody gave any."""
        if len(seeds) != self.num_envs:
            raise Fault("env.seeds", games=self.num_envs, count=len(seeds))
        if all(seed is None for seed in seeds):
            return None
        return int(np.random.SeedSequence([seed or 0 for seed in seeds]).generate_state(1)[0])

    def step(
        self, actions: NDArray[np.int64]
    ) -> tuple[Planes, NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        env, before = self._duel.env, self._over
        if self._mode is AutoresetMode.DISABLED and before.any():
            raise Fault("env.over", game=int(np.flatnonzero(before)[0]))
        self._duel.step(actions, self._every if not before.any() else ~before)
        if before.any():  # after the others: where their actions are refused, no game may have moved
            self._duel.reset(None, before)
        rewards, over = self._duel.rewards, env.terminated.copy()
        infos: dict[str, Any] = {}
        if self._mode is AutoresetMode.SAME_STEP:
            if over.any():
                last = {"final_obs": self._duel.seen(), "final_info": self._infos()}
                infos = {**last, "_final_obs": over, "_final_info": over}
                self._duel.reset(None, over)
        else:
            self._over = over.copy()
        return self._duel.seen(), rewards, over, np.zeros_like(over), {**self._infos(), **infos}

    def _infos(self) -> dict[str, Any]:
        masks = self._duel.env.masks.view(np.int8).copy()
        there = np.ones(self.num_envs, np.bool_)
        return {"action_mask": masks, "_action_mask": there, "color": self._duel.sides.copy(), "_color": there}

    def sample_actions(self) -> NDArray[np.int64]:
        """A random legal action for each game."""
        return self._duel.env.random_actions().copy()

    def render(self) -> tuple[Picture, ...] | None:
        """The boards as text, SVG or pixels, by the render mode."""
        boards = [rendered(self._duel.env, game, self.render_mode) for game in range(self.num_envs)]
        return tuple(board for board in boards if board is not None) or None

    def close_extras(self, **kwargs: Any) -> None:
        self._duel.close()


class OthelloEnv(gymnasium.Env):  # type: ignore[misc]
    """One game of a learner against an opponent; `OthelloVectorEnv` has the same for many at once, and explains it."""

    metadata: ClassVar[dict[str, Any]] = {"render_modes": list(MODES), "render_fps": FRAMES}

    def __init__(
        self,
        variant: str | Variant = "othello",
        opponent: str | Policy = "random",
        *,
        color: Side = "both",
        reward: Reward = "win",
        illegal: Illegal = "lose",
        openings: int = 0,
        limit: Limit | None = None,
        render_mode: str | None = None,
    ) -> None:
        check_render_mode(render_mode)
        self._duel = Duel(1, variant, opponent, color, reward, illegal, openings, 1, limit)
        self.render_mode = render_mode
        self.observation_space, self.action_space = spaces_of(self._duel.env.variant)
        self._seeded = False
        self._moving = np.ones(1, np.bool_)
        self._duel.reset(0)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Planes, dict[str, Any]]:
        super().reset(seed=seed)
        self._duel.reset(first_seed(self, seed))
        return self._shown()

    def step(self, action: int | np.int64) -> tuple[Planes, float, bool, bool, dict[str, Any]]:
        self._duel.step(np.array([action]), self._moving)
        over = bool(self._duel.env.terminated[0])
        observation, info = self._shown()
        return observation, float(self._duel.rewards[0]), over, False, info

    def _shown(self) -> tuple[Planes, dict[str, Any]]:
        if self.render_mode == "human":
            self.render()
        return self._duel.seen()[0], self._info()

    def _info(self) -> dict[str, Any]:
        return {"action_mask": self._duel.env.masks[0].view(np.int8).copy(), "color": int(self._duel.sides[0])}

    def action_masks(self) -> NDArray[np.bool_]:
        """What may be played now, where libraries such as sb3-contrib look for it."""
        masks: NDArray[np.bool_] = self._duel.env.masks[0].copy()
        return masks

    def render(self) -> Picture | None:
        return rendered(self._duel.env, 0, self.render_mode)

    def close(self) -> None:
        self._duel.close()


def first_seed(env: Any, seed: int | None) -> int | None:
    """The given seed; without one, games are random, as in Gymnasium's environments."""
    if seed is None and not env._seeded:
        seed = int(env.np_random.integers(1 << 62))
    env._seeded = True
    return seed


def check_render_mode(mode: str | None) -> None:
    if mode is not None:
        check_choice("render_mode", mode, MODES)


def rendered(env: BatchEnv, game: int, mode: str | None) -> Picture | None:
    """A board as text, SVG or pixels; for people it is printed."""
    if mode is None:
        return None
    position = env.position(game)
    if mode == "human":
        print(position)
        return None
    if mode == "rgb_array":
        return pixels(position)
    return draw(position) if mode == "svg" else str(position)


ID = "outflank/Othello-v0"
if ID not in gymnasium.registry:
    here = f"{__name__}:"
    gymnasium.register(ID, here + OthelloEnv.__name__, vector_entry_point=here + OthelloVectorEnv.__name__)
