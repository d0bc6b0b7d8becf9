"""The two simplest players."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outflank.agents.spec import agent
from outflank.board.game import Game
from outflank.board.squares import Color, square_name
from outflank.board.variant import OTHELLO, Variant
from outflank.search.limits import Limit


def random_moves(seed: int, color: Color = Color.BLACK, moves: int = 8) -> list[int]:
    player = agent("random")
    player.start(OTHELLO, color, seed)
    return [player.choose(Game(), Limit()).move for _ in range(moves)]


def test_random_repeats_itself_by_its_seed() -> None:
    assert random_moves(1) == random_moves(1)
    assert random_moves(1) != random_moves(2)


def test_two_random_players_of_one_game_throw_different_dice() -> None:
    assert random_moves(1, moves=30) != random_moves(1, Color.WHITE, moves=30)


def test_random_plays_every_legal_move_about_as_often() -> None:
    count = Counter(random_moves(7, moves=4000))
    assert set(count) == set(Game().position.legal_moves)
    assert all(850 < times < 1150 for times in count.values())  # five standard deviations


@given(data=st.data(), name=st.sampled_from(["othello", "reversed", "6x6", "reversed-5x7", "4x4-parallel"]))
def test_greedy_is_best_off_in_discs_right_after_its_move(data: st.DataObject, name: str) -> None:
    game = Game(Variant.named(name))
    for _ in range(data.draw(st.integers(0, 25))):
        if game.is_over:
            break
        game.push(data.draw(st.sampled_from(game.position.legal_moves)))
    if game.is_over:
        return
    mover = game.position.turn
    after = {}
    for move in game.position.legal_moves:
        board = game.position.play(move)
        after[move] = game.variant.sign * (board.count(mover) - board.count(mover.other))
    report = agent("greedy").choose(game, Limit())
    best = max(after.values())
    assert report.move == min(move for move in after if after[move] == best)
    assert report.score == best
    assert report.values == after
    assert (report.depth, report.nodes, report.pv) == (1, len(after), (report.move,))
    assert report.seconds > 0


@pytest.mark.parametrize(("variant", "move", "score"), [("othello", "e3", 6), ("reversed", "a3", -2)])
def test_greedy_takes_most_discs_or_fewest(variant: str, move: str, score: int) -> None:
    report = agent("greedy").choose(Game.from_transcript("d3c3c4c5b4", Variant.named(variant)), Limit())
    assert (square_name(report.move), report.score) == (move, score)
