"""The environments of other projects: their own tests pass, and the games are ours."""

import copy
import subprocess
import sys
import warnings
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode
from gymnasium.wrappers.vector import RecordEpisodeStatistics
from pettingzoo.test import api_test, render_test, seed_test

from outflank.agents.spec import agent
from outflank.board.game import Game
from outflank.board.position import Position
from outflank.board.squares import PASS, Color
from outflank.board.variant import Variant
from outflank.env import BatchEnv, OthelloAEC, OthelloEnv, OthelloVectorEnv, SpielGame, pettingzoo_env
from outflank.env.opponents import game_seed
from outflank.search.limits import Limit

SIX = Variant.named("6x6")


def first_legal(masks: Any) -> Any:
    return np.asarray(masks).argmax(axis=-1)


def last_legal(observations: Any, masks: Any) -> Any:
    return masks.shape[-1] - 1 - masks[:, ::-1].argmax(axis=-1)


# Gymnasium


@pytest.mark.parametrize("variant", ["othello", "reversed-5x7"])
@pytest.mark.parametrize("opponent", ["random", "greedy"])
def test_gymnasium_s_own_check_passes(variant: str, opponent: str) -> None:
    made: Any = OthelloEnv
    env = gymnasium.make("outflank.env.gym:outflank/Othello-v0", variant=variant, opponent=opponent, render_mode="ansi")
    assert isinstance(env.unwrapped, made)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message=r".*(not able to test alternative render modes|render_fps).*")
        check_env(env.unwrapped)
    env.close()


def test_a_vector_is_made_by_name() -> None:
    env = gymnasium.make_vec(
        "outflank/Othello-v0", num_envs=3, vectorization_mode="vector_entry_point", variant="6x6", opponent="greedy"
    )
    observations, infos = env.reset(seed=1)
    assert env.observation_space.contains(observations) and env.single_action_space.n == 37
    for _ in range(100):
        observations, rewards, terminations, truncations, infos = env.step(first_legal(infos["action_mask"]))
        assert env.observation_space.contains(observations)
        assert rewards.dtype == np.float64 and terminations.dtype == truncations.dtype == np.bool_
    env.close()


def test_gymnasium_s_wrappers_count_its_episodes() -> None:
    env = RecordEpisodeStatistics(OthelloVectorEnv(8, "4x4", color="both"))
    _, infos = env.reset(seed=2)
    lengths, returns = [], []
    for _ in range(60):
        _, rewards, over, _, infos = env.step(first_legal(infos["action_mask"]))
        if over.any():
            lengths += infos["episode"]["l"][over].tolist()
            returns += infos["episode"]["r"][over].tolist()
        assert not rewards[~over].any()
    assert len(lengths) > 30
    assert min(lengths) >= 4 and max(lengths) <= 12
    assert set(returns) <= {-1.0, 0.0, 1.0} and len(set(returns)) > 1


@pytest.mark.parametrize("spec", ["greedy", "mcts:playouts=20,memory=1", "alphabeta:depth=2"])
@pytest.mark.parametrize("color", ["black", "white"])
def test_the_opponent_is_the_player_of_the_spec(spec: str, color: Any) -> None:
    """Each of its moves is what the same player, started with the same seed, chooses in the same game."""
    env = OthelloVectorEnv(2, SIX, spec, color=color, threads=2)
    _, infos = env.reset(seed=7)
    over = np.zeros(2, np.bool_)
    while not over.any():
        _, _, over, _, infos = env.step(first_legal(infos["action_mask"]))
    learner = Color.BLACK if color == "black" else Color.WHITE
    opponent: Any = env._duel._opponent
    for number in range(2):
        player, game = agent(spec), Game(SIX)
        player.start(SIX, learner.other, game_seed(7, number, 0))
        answers = 0
        for node in opponent._games[number].line:
            if node.move != PASS:
                if node.mover is not learner:
                    assert player.choose(game, Limit()).move == node.move
                    answers += 1
                game.push(int(node.move or 0))
        assert answers > 8
    env.close()


def test_a_function_may_be_the_opponent() -> None:
    env = OthelloVectorEnv(5, SIX, last_legal, color="black")
    _, infos = env.reset(seed=1)
    env.step(first_legal(infos["action_mask"]))
    game = Game(SIX)
    game.push("c2")
    alone = BatchEnv(1, SIX)
    alone.place(0, game.position)
    game.push(alone.square(int(last_legal(None, alone.masks)[0])))
    assert all(env._duel.env.position(number) == game.position for number in range(5))


@pytest.mark.parametrize(
    ("answers", "told"),
    [
        ([1, 2, 3], r"must return 1 whole numbers, an action for each row, not int64 of shape \(3,\)"),
        ([8.0], "must return 1 whole numbers, an action for each row, not float64"),
        ([0], "chose action 0, which is not legal: legal actions are 8, 13, 22, 27"),
        ([-1], "chose action -1, which is not legal"),
        ([37], "chose action 37, which is not legal"),
    ],
)
def test_a_function_that_answers_wrongly_is_told(answers: list[float], told: str) -> None:
    """Neither side may lose by it: with the opponent's first move the game would be over before the learner's."""
    with pytest.raises(ValueError, match=told):
        OthelloEnv("6x6", lambda observations, masks: np.array(answers), color="white").reset(seed=1)
    with pytest.raises(ValueError, match="an opponent must be a player's name, such as greedy, or a function"):
        OthelloEnv(opponent=None)  # type: ignore[arg-type]


def test_a_step_before_the_first_reset_is_a_step() -> None:
    env = OthelloEnv("6x6", "greedy")
    assert env.step(8)[0].sum() == 6


def test_a_copied_game_goes_on_by_itself() -> None:
    """Searches of PettingZoo's users copy the environment."""
    env = OthelloAEC("6x6")
    env.reset(seed=1)
    twin = copy.deepcopy(env)
    twin.step(8)
    assert env.observe("player_0")["observation"].sum() == 4
    assert twin.observe("player_0")["observation"].sum() == 5


@pytest.mark.parametrize("opponent", ["mcts:playouts=5", "alphazero:playouts=5", "engine:level=1,hash=1"])
def test_a_game_against_a_search_is_not_copied(opponent: str) -> None:
    env = OthelloEnv("6x6", opponent, color="white")
    env.reset(seed=1)
    with pytest.raises(TypeError, match="make another player or search"):
        copy.deepcopy(env)
    plain = OthelloEnv("6x6", "greedy", color="white")
    plain.reset(seed=1)
    twin = copy.deepcopy(plain)
    actions = plain.action_masks().nonzero()[0]
    assert np.array_equal(plain.step(actions[0])[0], twin.step(actions[0])[0])


def test_a_learner_sees_its_own_discs_first_to_the_end() -> None:
    env = OthelloVectorEnv(40, "4x4", color="white", reward="margin", autoreset_mode="SameStep")
    _, infos = env.reset(seed=3)
    ended = 0
    for _ in range(20):
        observations, rewards, over, _, infos = env.step(first_legal(infos["action_mask"]))
        for game in np.flatnonzero(over):
            own, opp = infos["final_obs"][game].sum(axis=(1, 2))
            assert np.sign(int(own) - int(opp)) == np.sign(rewards[game])
            assert not infos["final_info"]["action_mask"][game].any()
            # The next game has begun: Black, the opponent, has moved.
            assert observations[game].sum() == 5 and observations[game, 0].sum() == 1
            ended += 1
    assert ended > 40


def test_the_next_step_begins_the_next_game_unless_told_otherwise() -> None:
    env = OthelloVectorEnv(1, "4x4", color="both")
    assert env.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    _, infos = env.reset(seed=1)
    sides = [int(infos["color"][0])]
    over = np.zeros(1, np.bool_)
    while len(sides) < 4:
        before = over
        observations, rewards, over, _, infos = env.step(first_legal(infos["action_mask"]))
        if before[0]:
            assert not over[0] and rewards[0] == 0 and 4 <= observations.sum() <= 5
            sides.append(int(infos["color"][0]))
    assert sides == [1, 0, 1, 0]


def test_seeds_in_a_row_give_the_learner_both_sides() -> None:
    """Whoever gives each game a seed of its own, or each part of a vector, must not have Black in all of them."""
    env = OthelloEnv("4x4")
    assert [env.reset(seed=seed)[1]["color"] for seed in (0, 1, 2, 3, 2)] == [0, 1, 0, 1, 0]
    assert [env.reset()[1]["color"] for _ in range(3)] == [1, 0, 1]
    vector = gymnasium.make_vec("outflank.env.gym:outflank/Othello-v0", 4, vectorization_mode="sync", variant="4x4")
    assert vector.reset(seed=6)[1]["color"].tolist() == [0, 1, 0, 1]
    vector.close()


def test_a_step_that_is_refused_begins_no_game() -> None:
    env = OthelloVectorEnv(2, "4x4", illegal="raise")
    _, infos = env.reset(seed=1)
    over = np.zeros(2, np.bool_)
    while not over.any() or over.all():
        _, _, over, _, infos = env.step(first_legal(infos["action_mask"]))
    boards, sides = env._duel.seen(), infos["color"]
    for _ in range(2):
        with pytest.raises(ValueError, match="action -1 is not legal"):
            env.step(np.array([-1, -1]))
        assert np.array_equal(env._duel.seen(), boards)
    _, _, _, _, infos = env.step(first_legal(infos["action_mask"]))
    assert infos["color"][over].tolist() == [1 - side for side in sides[over]]


def test_games_that_are_over_are_reset_by_hand_where_that_is_wanted() -> None:
    env = OthelloVectorEnv(3, "4x4", autoreset_mode=AutoresetMode.DISABLED)
    _, infos = env.reset(seed=1)
    over = np.zeros(3, np.bool_)
    while not over.any():
        _, _, over, _, infos = env.step(first_legal(infos["action_mask"]))
    with pytest.raises(ValueError, match="is over: reset it first"):
        env.step(first_legal(infos["action_mask"]))
    observations, infos = env.reset(options={"reset_mask": over})
    assert (observations[over].sum(axis=(1, 2, 3)) <= 5).all()
    assert (observations[~over].sum(axis=(1, 2, 3)) > 5).all()
    env.step(first_legal(infos["action_mask"]))


def test_the_same_seed_gives_the_same_episode() -> None:
    def episode(seed: Any) -> list[Any]:
        env = OthelloVectorEnv(4, "6x6", openings=4)
        observations, infos = env.reset(seed=seed)
        seen = [observations]
        for _ in range(30):
            seen.append(env.step(first_legal(infos["action_mask"]))[0])
            infos = {"action_mask": env._duel.env.masks}
        return seen

    assert np.array_equal(episode(5), episode(5))
    assert not np.array_equal(episode(5), episode(6))
    assert np.array_equal(episode([1, 2, 3, 4]), episode([1, 2, 3, 4]))
    assert not np.array_equal(episode([None] * 4), episode([None] * 4))
    with pytest.raises(ValueError, match="give one seed, or 4, one for each game, not 2"):
        episode([1, 2])


def test_whoever_gives_no_seed_gets_games_of_their_own() -> None:
    def beginning(seed: int | None) -> bytes:
        env = OthelloVectorEnv(30, openings=8)
        return bytes(env.reset(seed=seed)[0].tobytes())

    assert beginning(None) != beginning(None)
    assert beginning(2**63 - 1) == beginning(2**63 - 1)
    alone = [OthelloEnv(openings=12).reset()[0].tobytes() for _ in range(4)]
    assert len(set(alone)) > 1
    greedy = OthelloEnv("4x4", "greedy", color="white")
    greedy.reset(seed=2**63 - 1)


def test_an_illegal_action_loses_or_is_told() -> None:
    env = OthelloVectorEnv(1, color="black")
    env.reset(seed=1)
    _, rewards, over, _, _ = env.step(np.array([0]))
    assert over[0] and rewards[0] == -1
    strict = OthelloVectorEnv(1, color="black", illegal="raise")
    strict.reset(seed=1)
    with pytest.raises(ValueError, match="action 0 is not legal in game 0"):
        strict.step(np.array([0]))


def test_boards_are_rendered(capsys: pytest.CaptureFixture[str]) -> None:
    env = OthelloVectorEnv(2, "4x4", render_mode="ansi", color="black")
    env.reset(seed=1)
    assert env.render() == (str(Position.start(Variant.named("4x4"))),) * 2
    assert OthelloVectorEnv(1).render() is None
    alone = OthelloEnv(render_mode="svg")
    alone.reset(seed=1)
    assert str(alone.render()).startswith("<svg")
    watched = OthelloEnv(render_mode="human", color="black")
    watched.reset(seed=1)
    watched.step(19)
    assert capsys.readouterr().out.count("Black to move") == 2
    with pytest.raises(ValueError, match="render_mode must be one of human, ansi, svg, rgb_array, not 'gif'"):
        OthelloEnv(render_mode="gif")
    with pytest.raises(ValueError, match="color must be one of both, black, white"):
        OthelloEnv(color="red")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="'gredy' is not an agent"):
        OthelloEnv(opponent="gredy")


def test_a_board_in_pixels_has_every_disc_on_its_square() -> None:
    env = OthelloVectorEnv(2, "5x7", render_mode="rgb_array", color="black")
    env.reset(seed=1)
    frames = env.render()
    assert frames is not None and len(frames) == 2
    position, picture = Position.start(Variant.named("5x7")), frames[0]
    assert isinstance(picture, np.ndarray) and picture.dtype == np.uint8
    assert picture.shape[0] * 7 == picture.shape[1] * 5 and picture.shape[2] == 3
    side = picture.shape[0] // 5
    centers = {
        square: int(picture[side * (square // 8) + side // 2, side * (square % 8) + side // 2].sum())
        for square in position.variant.squares
    }
    shades = {mark: {centers[square] for square in centers if position.mark(square) == mark} for mark in "XO-"}
    assert all(len(shade) == 1 for shade in shades.values())
    assert max(shades["X"]) < max(shades["-"]) < max(shades["O"])


# PettingZoo


@pytest.mark.filterwarnings("ignore:Observation space for each agent|Observation is not a NumPy array:UserWarning")
@pytest.mark.parametrize("variant", ["othello", "reversed-6x6", "5x7"])
def test_pettingzoo_s_own_tests_pass(variant: str, capsys: pytest.CaptureFixture[str]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message="Observation space for each agent|Observation is not a NumPy")
        api_test(pettingzoo_env(variant), num_cycles=300)
        seed_test(lambda: pettingzoo_env(variant, openings=4), num_cycles=50)
        render_test(lambda render_mode: pettingzoo_env(variant, render_mode=render_mode), MODES_TESTED)
        assert {"human", "ansi", "rgb_array"} < set(pettingzoo_env(variant).metadata["render_modes"])
    assert "Passed API test" in capsys.readouterr().out


MODES_TESTED = {"svg": lambda result: str(result).startswith("<svg")}


def test_an_aec_game_is_the_game() -> None:
    env = OthelloAEC("6x6", reward="margin")
    env.reset(seed=1)
    game = Game(SIX)
    dice = np.random.default_rng(4)
    for side in env.agent_iter():
        observation, reward, over, _, _ = env.last()
        assert observation is not None
        own, opp = observation["observation"].sum(axis=(1, 2)).tolist()
        color = Color(env.possible_agents.index(side))
        assert own == game.position.count(color) and opp == game.position.count(color.other)
        if over:
            outcome = game.outcome()
            assert outcome is not None and outcome.score is not None
            assert reward == (outcome.score if color is Color.BLACK else -outcome.score)
            env.step(None)
            continue
        legal = np.flatnonzero(observation["action_mask"])
        action = int(dice.choice(legal))
        assert not env.observe(env.possible_agents[color.other])["action_mask"].any()
        env.step(action)
        if action != 36:
            game.push(8 * (action // 6) + action % 6)
    assert game.is_over and env.agents == []


# OpenSpiel's interface


def test_a_state_plays_as_openspiel_s_do() -> None:
    game = SpielGame("6x6")
    state = game.new_initial_state()
    assert (game.num_distinct_actions(), game.observation_tensor_shape(), game.num_players()) == (37, [3, 6, 6], 2)
    assert state.current_player() == 0 and state.legal_actions() == [8, 13, 22, 27]
    assert state.legal_actions(1) == [] and sum(state.legal_actions_mask()) == 4
    assert state.action_to_string(0, 8) == state.action_to_string(8) == "c2"
    assert state.string_to_action("c2") == state.string_to_action(0, "c2") == 8
    before = state.clone()
    child = state.child(8)
    assert state.history() == [] and child.history() == [8]
    state.apply_action(np.int64(8))  # type: ignore[arg-type]
    assert type(state.history()[0]) is int
    assert str(state) == str(child) and state.current_player() == 1
    assert state.full_history() == [(0, 8)] and state.history_str() == "8"
    tensor = np.array(state.observation_tensor(1)).reshape(3, 6, 6)
    assert tensor.sum(axis=(1, 2)).tolist() == [31, 1, 4] and (tensor.sum(axis=0) == 1).all()
    assert np.array(state.observation_tensor(0)).reshape(3, 6, 6)[1].sum() == 4
    assert state.observation_tensor() == state.observation_tensor(1) == state.information_state_tensor(1)
    assert str(game.deserialize_state(state.serialize())) == str(state)
    with pytest.raises(ValueError, match="action 9 of player 0 is not the last one"):
        state.undo_action(0, 9)
    state.undo_action(0, 8)
    assert str(state) == str(before) and state.move_number() == 0 and state.is_initial_state()
    with pytest.raises(ValueError, match="a1 is not legal"):
        state.apply_action(0)
    twin = copy.copy(state)
    twin.apply_action(8)
    assert twin.history() == [8] and state.history() == []
    assert game.action_to_string(0, 36) == "pass" and [str(one) for one in game.new_initial_states()] == [str(state)]


def test_a_state_says_what_is_wrong() -> None:
    game = SpielGame("6x6")
    state: Any = game.new_initial_state()
    for wrong in ("c2", 1.5, None, -1, 37):
        with pytest.raises(ValueError, match="actions go from 0 to 36, not"):
            state.apply_action(wrong)
    with pytest.raises(ValueError, match="actions go from 0 to 36, not foo"):
        game.deserialize_state("8\nfoo\n")
    with pytest.raises(ValueError, match=r"a side is .* or 0 or 1, not 2"):
        state.observation_tensor(2)
    with pytest.raises(ValueError, match="None is not a variant"):
        SpielGame(None)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="games are numbered 0 to 1: there is no game first"):
        BatchEnv(2).position("first")  # type: ignore[arg-type]


def test_openspiel_s_kind_of_game_is_openspiel_s(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    with pytest.raises(ValueError, match=r"OpenSpiel is not installed: pip install 'outflank\[oracle\]'"):
        SpielGame().get_type()


@pytest.mark.parametrize("name", ["othello", "reversed-4x4", "7x5"])
def test_random_states_end_as_the_game_does(name: str) -> None:
    game, dice = SpielGame(name), np.random.default_rng(3)
    passes = 0
    for _ in range(10):
        state = game.new_initial_state()
        while not state.is_terminal():
            assert state.rewards() == [0.0, 0.0] and state.is_player_node()
            action = int(dice.choice(state.legal_actions()))
            passes += action == game.num_distinct_actions() - 1
            state.apply_action(action)
        outcome = state.position.outcome()
        assert outcome is not None and outcome.score is not None
        assert state.returns() == [np.sign(outcome.score), -np.sign(outcome.score)]
        assert state.player_return(1) == -np.sign(outcome.score)
        assert state.current_player() == -4 and state.legal_actions() == []
        assert state.move_number() <= game.max_game_length()
    assert passes or name == "othello"


def test_gymnasium_finds_it_by_name_alone() -> None:
    """Whoever knows the name needs no import of ours, in a process of its own as vectors have them."""
    code = "import gymnasium; print(gymnasium.make('outflank.env.gym:outflank/Othello-v0', variant='6x6').action_space)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == "Discrete(37)\n", done.stderr


# Without the extra


@pytest.mark.parametrize(("name", "package"), [("OthelloVectorEnv", "Gymnasium"), ("pettingzoo_env", "PettingZoo")])
def test_what_is_missing_is_told_with_the_command(name: str, package: str) -> None:
    missing = package.lower()
    code = f"import sys; sys.modules[{missing!r}] = None; from outflank.env import BatchEnv, {name}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stderr.splitlines()[-1].endswith(f"{package} is not installed: pip install 'outflank[rl]'")
