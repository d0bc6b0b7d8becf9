"""PettingZoo's interface: both sides take turns (AEC), each shown the board as it sees it.

PettingZoo is an extra (`pip install 'outflank[rl]'`); `outflank.env` loads this module when one of its names is used.
"""

from typing import Any, ClassVar

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv
from pettingzoo.utils import OrderEnforcingWrapper, TerminateIllegalWrapper

from outflank.board.variant import Variant
from outflank.env.batch import BatchEnv, Reward
from outflank.env.gym import FRAMES, MODES, Picture, check_render_mode, rendered, spaces_of

SIDES = ("player_0", "player_1")
"""Black is the first."""


class OthelloAEC(AECEnv):  # type: ignore[misc]  # untyped to us: see pyproject.toml
    """A game of two agents, `player_0`, who has Black, and `player_1`.

    An observation is a dict: `observation` has the agent's own discs and the other side's, `action_mask` what it may
    play, nothing where it is not its turn. An illegal action is an error here; `pettingzoo_env` makes it a loss.
    """

    metadata: ClassVar[dict[str, Any]] = {
        "name": "othello_v0",
        "render_modes": list(MODES),
        "render_fps": FRAMES,
        "is_parallelizable": False,
    }

    def __init__(
        self,
        variant: str | Variant = "othello",
        *,
        reward: Reward = "win",
        openings: int = 0,
        render_mode: str | None = None,
    ) -> None:
        super().__init__()
        check_render_mode(render_mode)
        self._env = BatchEnv(1, variant, reward=reward, autoreset=False, openings=openings, seed=None)
        self.render_mode = render_mode
        self.possible_agents = list(SIDES)
        planes, actions = spaces_of(self._env.variant)
        masks = spaces.Box(0, 1, (self._env.actions,), np.int8)
        self.observation_spaces = {
            side: spaces.Dict({"observation": planes, "action_mask": masks}) for side in self.possible_agents
        }
        self.action_spaces = dict.fromkeys(self.possible_agents, actions)

    def observation_space(self, agent: str) -> spaces.Dict:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        return self.action_spaces[agent]

    def observe(self, agent: str) -> dict[str, Any]:
        planes = self._env.observations[0].view(np.int8).copy()
        mask = self._env.masks[0].view(np.int8).copy()
        if SIDES[self._env.turns[0]] != agent:
            return {"observation": planes[::-1].copy(), "action_mask": np.zeros_like(mask)}
        return {"observation": planes, "action_mask": mask}

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        self._env.reset(seed)
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {side: {} for side in self.agents}
        self.agent_selection = SIDES[self._env.turns[0]]

    def step(self, action: int | None) -> None:
        if self.terminations[self.agent_selection]:
            self._was_dead_step(action)
            return
        mover = self.agent_selection
        self._env.step(np.array([action]))
        self._cumulative_rewards[mover] = 0.0
        over = bool(self._env.terminated[0])
        for number, side in enumerate(SIDES):
            self.rewards[side] = float(self._env.rewards[0, number])
            self.terminations[side] = over
        # Whoever comes next, also after the end: PettingZoo then asks both sides once more, with no action.
        self.agent_selection = SIDES[1 - SIDES.index(mover)]
        self._accumulate_rewards()

    def render(self) -> Picture | None:
        return rendered(self._env, 0, self.render_mode)

    def close(self) -> None:
        self._env.close()


def pettingzoo_env(variant: str | Variant = "othello", **options: Any) -> AECEnv:
    """The game as PettingZoo's own are made: an illegal action loses, and calls out of order are reported."""
    raw = OthelloAEC(variant, **options)
    return OrderEnforcingWrapper(TerminateIllegalWrapper(raw, illegal_reward=-1))
