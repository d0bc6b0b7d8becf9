"""A board turned and mirrored, for learners that shall see every position in all its forms: eight of them on square
boards, four on others (`Variant.symmetries`, as `Position.symmetry` numbers them).

All functions take one number of a symmetry, or an array with one for each row.
"""

from functools import cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from outflank.board.planes import actions_by_square, squares_by_action
from outflank.board.variant import Variant
from outflank.errors import Fault


@cache
def origins(variant: Variant) -> NDArray[np.int64]:
    """For each symmetry and action, the action that it was before."""
    numbers = actions_by_square(variant)
    found = np.empty((len(variant.symmetries), len(numbers)), np.int64)
    for which in variant.symmetries:
        for action, square in enumerate(squares_by_action(variant)):
            found[which, numbers[variant.mirrored(square, which)]] = action
    return found


@cache
def inverses(variant: Variant) -> NDArray[np.int64]:
    """The symmetry that undoes each."""
    rows = [tuple(row) for row in origins(variant).argsort(axis=1)]
    known = {tuple(row): which for which, row in enumerate(origins(variant))}
    return np.array([known[row] for row in rows])


def transform_policies(policies: ArrayLike, variant: str | Variant, which: ArrayLike) -> NDArray[np.generic]:
    """Policies, visits, logits or masks under a symmetry: arrays that end in one axis of all actions."""
    rules = _rules(variant)
    array = np.asarray(policies)
    actions = rules.square_count + 1
    if array.shape[-1:] != (actions,):
        raise Fault("env.policies", actions=actions, variant=rules, shape=array.shape)
    return _taken(array, origins(rules)[_checked(rules, which)])


def transform_planes(planes: ArrayLike, variant: str | Variant, which: ArrayLike) -> NDArray[np.generic]:
    """Observations under a symmetry: arrays that end in the rows and columns of the board."""
    rules = _rules(variant)
    array = np.asarray(planes)
    if array.shape[-2:] != (rules.rows, rules.columns):
        raise Fault("env.planes", rows=rules.rows, columns=rules.columns, shape=array.shape)
    flat = array.reshape(*array.shape[:-2], rules.square_count)
    return _taken(flat, origins(rules)[_checked(rules, which), :-1]).reshape(array.shape)


def transform_actions(actions: ArrayLike, variant: str | Variant, which: ArrayLike) -> NDArray[np.int64]:
    """What becomes of actions under a symmetry."""
    rules = _rules(variant)
    there = origins(rules)[inverses(rules)[_checked(rules, which)]]
    chosen = np.asarray(actions)
    if chosen.dtype.kind not in "iu":
        raise Fault("env.action-kind", kind=chosen.dtype)
    wrong = chosen[(chosen < 0) | (chosen > rules.square_count)]
    if wrong.size:
        raise Fault("env.no-action", last=rules.square_count, action=wrong[0])
    if there.ndim == 1:
        return np.asarray(there[chosen])
    _check_rows(chosen, there)
    return np.asarray(np.take_along_axis(there, chosen.reshape(len(there), -1), axis=-1).reshape(chosen.shape))


def _taken(array: NDArray[np.generic], order: NDArray[np.int64]) -> NDArray[np.generic]:
    """The last axis in another order: one for all, or one for each row."""
    if order.ndim == 1:
        return array[..., order]
    _check_rows(array, order)
    between = (1,) * (array.ndim - 2)
    return np.take_along_axis(array, order.reshape(len(order), *between, order.shape[-1]), axis=-1)


def _check_rows(array: NDArray[np.generic], order: NDArray[np.int64]) -> None:
    if array.shape[:1] != order.shape[:1]:
        raise Fault("env.rows", rows=len(order), shape=array.shape)


def _checked(variant: Variant, which: ArrayLike) -> NDArray[np.int64]:
    chosen = np.asarray(which)
    last = variant.symmetries[-1]
    if chosen.dtype.kind not in "iu" or chosen.ndim > 1 or (chosen < 0).any() or (chosen > last).any():
        raise Fault("position.symmetry", size=f"{variant.rows}x{variant.columns}", last=last, which=which)
    return chosen


def _rules(variant: str | Variant) -> Variant:
    return Variant.named(variant)
