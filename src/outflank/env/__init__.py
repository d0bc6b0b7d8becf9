"""Environments for learners: many games at once in arrays, and the interfaces that reinforcement learning knows.

`BatchEnv` is the heart; `OthelloVectorEnv` and `OthelloEnv` are Gymnasium's, `OthelloAEC` and `pettingzoo_env` are
PettingZoo's (`pip install 'outflank[rl]'`), `SpielGame` is OpenSpiel's interface. Names load on first use, so that
nobody needs what they do not use. docs/env.md shows all of them.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from outflank.errors import Fault

if TYPE_CHECKING:
    from outflank.env.batch import (
        BatchEnv as BatchEnv,
        Stepped as Stepped,
        action_of as action_of,
        square_of as square_of,
    )
    from outflank.env.gym import OthelloEnv as OthelloEnv, OthelloVectorEnv as OthelloVectorEnv
    from outflank.env.spiel import SpielGame as SpielGame, SpielState as SpielState
    from outflank.env.symmetry import (
        transform_actions as transform_actions,
        transform_planes as transform_planes,
        transform_policies as transform_policies,
    )
    from outflank.env.zoo import OthelloAEC as OthelloAEC, pettingzoo_env as pettingzoo_env

_NAMES = {
    "batch": "BatchEnv Stepped action_of square_of",
    "gym": "OthelloEnv OthelloVectorEnv",
    "spiel": "SpielGame SpielState",
    "symmetry": "transform_actions transform_planes transform_policies",
    "zoo": "OthelloAEC pettingzoo_env",
}
"""What each module shows."""
_HOME = {name: module for module, names in _NAMES.items() for name in names.split()}

__all__ = sorted(_HOME)

OTHERS = {"gymnasium": "Gymnasium", "pettingzoo": "PettingZoo"}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'outflank.env' has no attribute {name!r}")
    try:
        return getattr(import_module(f"outflank.env.{_HOME[name]}"), name)
    except ModuleNotFoundError as error:
        missing = OTHERS.get((error.name or "").partition(".")[0])
        if missing is None:
            raise
        raise Fault("env.not-installed", package=missing, extra="rl") from None


def __dir__() -> list[str]:
    return sorted(__all__)
