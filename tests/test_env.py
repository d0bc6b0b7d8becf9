"""The batched environment: every game of a batch is the plain game's, whatever the batch, the threads or the order."""

import copy
import math
import pickle
import tracemalloc
from typing import Any, get_args

import naive_env as naive
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import played_positions, variants, words

from outflank.board import kernels, planes
from outflank.board.position import Position
from outflank.board.squares import PASS, Color
from outflank.board.variant import OTHELLO, Variant
from outflank.env import BatchEnv, action_of, square_of, transform_actions, transform_planes, transform_policies
from outflank.env.batch import Illegal, Reward

SMALL = Variant.named("4x4")
GUARD = 7


def as_plain(env: BatchEnv, game: int) -> Any:
    return (
        env.observations[game].astype(int).tolist(),
        env.masks[game].astype(int).tolist(),
        env.rewards[game].tolist(),
        bool(env.terminated[game]),
        int(env.turns[game]),
    )


def plain(game: naive.Game) -> Any:
    rows, columns = game.variant.rows, game.variant.columns
    boards = [naive.write_squares(discs, rows, columns) for discs in (game.own, game.opp)]
    return boards, game.mask, game.rewards, game.terminated, game.turn


@given(words, st.integers(4, 8), st.integers(4, 8))
def test_squares_are_written_without_gaps_and_nowhere_else(mask: int, rows: int, columns: int) -> None:
    mask &= Variant(rows, columns).board
    assert planes.packed(mask, rows, columns) == naive.packed(mask, rows, columns)
    memory = np.full(rows * columns + 2 * 64, GUARD, np.uint8)
    planes.write_squares(mask, rows, columns, memory.ctypes.data + 64)
    written = memory[64 : 64 + rows * columns]
    assert written.reshape(rows, columns).tolist() == naive.write_squares(mask, rows, columns)
    assert (memory[:64] == GUARD).all() and (memory[64 + rows * columns :] == GUARD).all()


@settings(max_examples=60)
@given(
    variants,
    st.sampled_from(get_args(Reward)),
    st.booleans(),
    st.integers(0, 12),
    words,
    st.sampled_from([0.0, 0.0, 0.05]),
)
def test_a_batch_is_its_games_one_by_one(
    variant: Variant, reward: Reward, autoreset: bool, openings: int, seed: int, wrong: float
) -> None:
    illegal: Illegal = "lose" if wrong else "raise"
    env = BatchEnv(3, variant, reward=reward, autoreset=autoreset, illegal=illegal, openings=openings, seed=seed)
    games = [naive.Game(variant, number, seed, reward, autoreset, illegal, openings) for number in range(3)]
    dice = np.random.default_rng(seed)
    assert [as_plain(env, number) for number in range(3)] == [plain(game) for game in games]
    for _ in range(int(1.2 * variant.square_count)):
        actions = env.random_actions().copy()
        assert actions.tolist() == [game.random_action() for game in games]
        if dice.random() < wrong:
            actions[dice.integers(3)] = dice.integers(-2, env.actions + 2)
        env.step(actions)
        for game, action in zip(games, actions.tolist(), strict=True):
            game.step(action)
        assert [as_plain(env, number) for number in range(3)] == [plain(game) for game in games]


def test_threads_change_nothing() -> None:
    one, many = (BatchEnv(2000, "6x6", openings=6, seed=3, threads=threads) for threads in (1, 3))
    assert len(many._shares) == 3
    for _ in range(50):
        one.step(one.random_actions())
        many.step(many.random_actions())
        for first, second in zip(one.stepped, many.stepped, strict=True):
            np.testing.assert_array_equal(first, second)
    many.close()


def test_a_step_allocates_nothing_and_fills_the_same_arrays() -> None:
    env = BatchEnv(10_000)
    before = env.stepped
    env.step(env.random_actions())
    tracemalloc.start()
    try:
        for _ in range(20):
            stepped = env.step(env.random_actions())
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert stepped is before
    assert peak < 5_000  # a byte a game would be twice that
    assert env.bytes_per_game < 300


def test_the_same_seed_gives_the_same_games_and_another_one_others() -> None:
    def beginnings(seed: int) -> list[str]:
        env = BatchEnv(50, openings=8, seed=seed)
        return [env.position(game).text for game in range(50)]

    assert beginnings(1) == beginnings(1) != beginnings(2)
    assert len(set(beginnings(1))) > 45
    env = BatchEnv(50, openings=8, seed=5)
    env.reset(seed=1)
    assert [env.position(game).text for game in range(50)] == beginnings(1)
    env.reset()  # without a seed the next openings come
    assert [env.position(game).text for game in range(50)] != beginnings(1)


def test_without_a_seed_every_game_and_every_environment_has_its_own() -> None:
    one, other = (BatchEnv(50, openings=8, seed=None) for _ in range(2))
    texts = [env.position(game).text for env in (one, other) for game in range(50)]
    assert len(set(texts)) > 90
    assert len(set(one.random_actions().tolist())) > 10


def test_some_games_move_and_some_begin_anew() -> None:
    env = BatchEnv(4, autoreset=False)
    which = np.array([True, False, True, False])
    env.step(env.random_actions(), which)
    assert [env.position(game).empties for game in range(4)] == [59, 60, 59, 60]
    env.step(env.random_actions())
    env.reset(which=~which)
    assert [env.position(game).empties for game in range(4)] == [58, 60, 58, 60]


def test_a_finished_game_waits_for_its_reset() -> None:
    env = BatchEnv(2, SMALL, autoreset=False)
    for _ in range(30):
        env.step(env.random_actions())
    assert env.terminated.all() and not env.masks.any() and not env.rewards.any()
    assert env.position(0).is_over
    env.reset(which=np.array([True, False]))
    assert env.terminated.tolist() == [False, True]
    assert env.position(0) == Position.start(SMALL)


@settings(max_examples=50)
@given(played_positions())
def test_a_position_comes_back_as_it_was_placed(position: Position) -> None:
    env = BatchEnv(2, position.variant)
    env.place(1, position)
    assert env.position(1) == position
    assert env.position(0) == Position.start(position.variant)
    legal = [env.square(int(action)) for action in np.flatnonzero(env.masks[1])]
    assert legal == ([] if position.is_over else list(position.legal_moves) or [PASS])
    assert env.terminated[1] == position.is_over
    assert env.render(1) == str(position)


def test_actions_are_numbered_without_gaps() -> None:
    six = Variant.named("6x6")
    assert [action_of(move, six) for move in ("a1", "f1", "a2", "f6", "pass")] == [0, 5, 6, 35, 36]
    assert all(square_of(action, OTHELLO) == action for action in range(65))
    env = BatchEnv(1, six)
    assert env.actions == 37 and env.square(36) == PASS and env.action(PASS) == 36


# What a random policy gets


def difference(first: Any, second: Any) -> tuple[float, int]:
    """Pearson's chi-squared of two samples of equal size over the values that either has often, and its degrees."""
    values = sorted(set(first.tolist()) | set(second.tolist()))
    counts = np.array([[np.sum(one == value) for value in values] for one in (first, second)])
    often = counts.sum(axis=0) >= 20
    counts = np.column_stack([counts[:, often], counts[:, ~often].sum(axis=1)])
    counts = counts[:, counts.sum(axis=0) > 0]
    return float(np.sum((counts[0] - counts[1]) ** 2 / counts.sum(axis=0))), counts.shape[1] - 1


def is_usual(chi_squared: float, degrees: int) -> bool:
    """Whether two samples of one distribution are so far apart more often than once in a thousand (Wilson-Hilferty)."""
    spread = 2 / (9 * degrees)
    return bool(((chi_squared / degrees) ** (1 / 3) - 1 + spread) / math.sqrt(spread) < 3.09)


@pytest.mark.parametrize("name", ["othello", "reversed", "6x6", "reversed-5x7-parallel"])
def test_random_games_end_as_the_compiled_playouts_do(name: str) -> None:
    variant, games = Variant.named(name), 100_000
    env = BatchEnv(games, variant, reward="margin", autoreset=False, seed=11)
    found = np.zeros(games)
    while not env.terminated.all():
        before = env.terminated.copy()
        env.step(env.random_actions())
        ended = env.terminated & ~before
        found[ended] = env.rewards[ended, 0]
    start = Position.start(variant)
    margins = np.empty(games, np.int64)
    kernels.random_playouts(start.own, start.opp, variant.board, margins, 5)
    assert is_usual(*difference(found, variant.sign * margins))
    # It would notice an advantage of one disc: every other game with one more disc turned.
    shifted = found.copy()
    shifted[::2] += 2
    assert not is_usual(*difference(shifted, variant.sign * margins))


# Symmetries


@settings(max_examples=60)
@given(played_positions(), st.data())
def test_symmetries_are_those_of_the_position(position: Position, data: st.DataObject) -> None:
    variant = position.variant
    which = data.draw(st.sampled_from(variant.symmetries))
    env = BatchEnv(2, variant)
    env.place(0, position)
    env.place(1, position.symmetry(which))
    assert (transform_planes(env.observations[0], variant, which) == env.observations[1]).all()
    assert (transform_policies(env.masks[0], variant, which) == env.masks[1]).all()
    actions = np.flatnonzero(env.masks[0])
    assert sorted(transform_actions(actions, variant, which)) == np.flatnonzero(env.masks[1]).tolist()
    for action in actions:
        after = transform_actions([action], variant, which)
        policy = np.eye(env.actions)[action]
        assert transform_policies(policy, variant, which).argmax() == after[0]


def test_every_row_may_have_a_symmetry_of_its_own() -> None:
    env = BatchEnv(8, "6x6", openings=9, seed=2)
    which = np.arange(8)
    turned = transform_planes(env.observations, "6x6", which)
    masks = transform_policies(env.masks, "6x6", which)
    actions = transform_actions(env.random_actions(), "6x6", which)
    for game in range(8):
        position = env.position(game).symmetry(game)
        alone = BatchEnv(1, "6x6")
        alone.place(0, position)
        assert (turned[game] == alone.observations[0]).all() and (masks[game] == alone.masks[0]).all()
        assert masks[game, actions[game]]


# What is refused


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"games": 0}, "games must be a whole number, 1 or more, not 0"),
        ({"games": 2, "threads": 0}, "threads must be a whole number, 1 or more"),
        ({"games": 2, "openings": -1}, "openings must be a whole number, 0 or more"),
        ({"games": 2, "reward": "discs"}, "reward must be one of win, margin, not 'discs'"),
        ({"games": 2, "illegal": "pass"}, "illegal must be one of raise, lose"),
        ({"games": 2, "variant": "9x9"}, "4 to 8 rows"),
    ],
)
def test_wrong_options_are_told(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        BatchEnv(**options)


def test_an_illegal_action_is_told_and_no_game_moves() -> None:
    env = BatchEnv(3)
    with pytest.raises(ValueError, match=r"action 0 is not legal in game 1: the legal ones are 19, 26, 37, 44"):
        env.step([19, 0, 19])
    for action in (-1, 65, 64, 10**12):
        with pytest.raises(ValueError, match=rf"action {action} is not legal in game 2"):
            env.step([19, 19, action])
    assert all(env.position(game) == Position.start() for game in range(3))


def test_wrong_arrays_are_told() -> None:
    env = BatchEnv(3)
    for actions in ([19, 19], np.array([19.0, 19.0, 19.0]), 19, [[19, 19, 19]]):
        with pytest.raises(ValueError, match="a step takes 3 actions, whole numbers in one row"):
            env.step(actions)
    with pytest.raises(ValueError, match="`which` must be an array of 3 booleans"):
        env.reset(which=[1, 0, 1])
    with pytest.raises(ValueError, match="a position of 6x6 does not fit the board of othello"):
        env.place(0, Position.start(Variant.named("6x6")))
    with pytest.raises(ValueError, match="numbered 0 to 2: there is no game 3"):
        env.place(3, Position.start())
    with pytest.raises(ValueError, match="planes end in 6 rows and 6 columns"):
        transform_planes(env.observations, "6x6", 1)
    with pytest.raises(ValueError, match="policies for 6x6 end in 37 actions"):
        transform_policies(env.masks, "6x6", 1)
    with pytest.raises(ValueError, match="symmetries 0 to 3, not 4"):
        transform_policies(np.zeros(31), "5x6", 4)
    with pytest.raises(ValueError, match="there are 2 symmetries for an array of shape"):
        transform_policies(env.masks, "othello", [1, 2])
    with pytest.raises(ValueError, match="there are 2 symmetries for an array of shape"):
        transform_actions([1, 2, 3], "othello", [1, 2])
    with pytest.raises(ValueError, match="there are 1 symmetries for an array of shape"):
        transform_actions(1, "othello", [1])
    for action in (-1, 65):
        with pytest.raises(ValueError, match=f"actions go from 0 to 64, not {action}"):
            transform_actions([1, action], "othello", 1)
    with pytest.raises(ValueError, match="actions must be whole numbers, not float64"):
        transform_actions([1.0], "othello", 1)
    for game in (-1, 3):
        with pytest.raises(ValueError, match=f"numbered 0 to 2: there is no game {game}"):
            env.position(game)
    with pytest.raises(ValueError, match="h8 is not on the 6x6 board"):
        action_of("h8", Variant.named("6x6"))
    with pytest.raises(ValueError, match="actions go from 0 to 36, not 37"):
        square_of(37, Variant.named("6x6"))


def test_numbers_may_be_numpy_s() -> None:
    one, other = (
        BatchEnv(np.int32(5), openings=np.uint8(6), seed=np.int64(-3), threads=np.int64(1)),
        BatchEnv(5, openings=6),
    )
    other.reset(-3)
    assert one.games == 5 and np.array_equal(one.observations, other.observations)
    with pytest.raises(ValueError, match="games must be a whole number, 1 or more, not '5'"):
        BatchEnv("5")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"openings must be a whole number, 0 or more, not 2\.5"):
        BatchEnv(5, openings=2.5)  # type: ignore[arg-type]


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_a_copy_goes_on_by_itself(copied: Any) -> None:
    env = BatchEnv(600, "6x6", openings=4, seed=3, reward="margin", threads=2)
    for _ in range(20):
        env.step(env.random_actions())
    before = [array.copy() for array in env.stepped]
    twin = copied(env)
    for _ in range(40):
        twin.step(twin.random_actions())
    assert all(map(np.array_equal, env.stepped, before))
    for _ in range(40):
        env.step(env.random_actions())
    assert all(map(np.array_equal, env.stepped, twin.stepped))
    env.close()
    twin.close()


def test_a_closed_environment_steps_on_by_one_thread() -> None:
    env, other = BatchEnv(600, "6x6", threads=2), BatchEnv(600, "6x6")
    env.close()
    for _ in range(30):
        env.step(env.random_actions())
        other.step(other.random_actions())
    assert all(map(np.array_equal, env.stepped, other.stepped))


def test_the_side_to_move_comes_first() -> None:
    env = BatchEnv(1)
    env.step([env.action("f5")])
    black, white = env.position(0).count(Color.BLACK), env.position(0).count(Color.WHITE)
    assert env.observations[0].sum(axis=(1, 2)).tolist() == [white, black] == [1, 4]
