"""DeepMind's OpenSpiel, an independent implementation in C++, sees the same legal moves and the same winners."""

from random import Random

import pytest

from outflank.board.position import Position
from outflank.board.squares import PASS, Color

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
