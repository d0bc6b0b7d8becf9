"""DeepMind's OpenSpiel, an independent implementation in C++, sees the same legal moves and the same winners."""

from random import Random

import pytest

from outflank.board.position import Position
from outflank.board.squares import PASS, Color
from outflank.env import SpielGame

pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel is not installed: pip install 'outflank[oracle]'")


@pytest.mark.slow
def test_openspiel_agrees_on_a_thousand_random_games() -> None:
    rng = Random(2024)
    othello = pyspiel.load_game("othello")
    plies = passes = 0
    for _ in range(1000):
        state, position = othello.new_initial_state(), Position.start()
        while not state.is_terminal():
            assert not position.is_over
            ours = list(position.legal_moves) or [PASS]
            assert state.legal_actions() == ours
            assert state.current_player() == position.turn
            move = rng.choice(ours)
            state.apply_action(move)
            position = position.play(move)
            plies, passes = plies + 1, passes + (move == PASS)
        assert position.is_over
        # OpenSpiel tells only win, draw and loss, by the discs on the board.
        difference = position.count(Color.BLACK) - position.count(Color.WHITE)
        winner = (difference > 0) - (difference < 0)
        assert state.returns() == [winner, -winner]
        outcome = position.outcome()
        assert outcome is not None and outcome.score is not None
        assert (outcome.score > 0) - (outcome.score < 0) == winner
    assert plies > 59_000
    assert passes > 100


@pytest.mark.slow
def test_a_state_of_ours_is_one_of_openspiel_s() -> None:
    rng = Random(7)
    theirs, ours = pyspiel.load_game("othello"), SpielGame()
    for asked in ("num_distinct_actions", "observation_tensor_shape", "num_players", "min_utility", "max_game_length"):
        assert getattr(theirs, asked)() == getattr(ours, asked)()
    for _ in range(30):
        state, own = theirs.new_initial_state(), ours.new_initial_state()
        while not state.is_terminal():
            assert state.current_player() == own.current_player()
            assert (
                state.legal_actions() == own.legal_actions() and state.legal_actions_mask() == own.legal_actions_mask()
            )
            assert [state.observation_tensor(side) for side in (0, 1)] == [
                own.observation_tensor(side) for side in (0, 1)
            ]
            action = rng.choice(own.legal_actions())
            mover = state.current_player()
            assert state.action_to_string(mover, action) == own.action_to_string(mover, action)
            state.apply_action(action)
            own.apply_action(action)
        assert own.is_terminal() and state.current_player() == own.current_player()
        assert state.returns() == own.returns() and state.rewards() == own.rewards()
        assert state.history() == own.history() and state.serialize() == own.serialize()
        assert [(one.player, one.action) for one in state.full_history()] == own.full_history()
        assert state.information_state_string(0) == own.information_state_string(0)


@pytest.mark.slow
def test_openspiel_s_algorithms_play_our_games() -> None:
    numpy = pytest.importorskip("numpy")
    from open_spiel.python import rl_environment
    from open_spiel.python.algorithms import mcts, minimax, tabular_qlearner

    game = SpielGame("reversed-4x4")
    value, action = minimax.alpha_beta_search(game, value_function=lambda state: 0.0, maximum_depth=4)
    assert value == 0.0 and action in game.new_initial_state().legal_actions()
    dice = numpy.random.RandomState(1)
    bot = mcts.MCTSBot(game, 2, 30, mcts.RandomRolloutEvaluator(1, dice), random_state=dice)
    state = game.new_initial_state()
    while not state.is_terminal():
        state.apply_action(bot.step(state))
    environment = rl_environment.Environment(game)
    learners = [tabular_qlearner.QLearner(side, game.num_distinct_actions()) for side in (0, 1)]
    step = environment.reset()
    while not step.last():
        step = environment.step([learners[step.observations["current_player"]].step(step).action])
    assert sorted(step.rewards) in ([-1.0, 1.0], [0.0, 0.0])
