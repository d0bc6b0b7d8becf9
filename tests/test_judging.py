"""The judge of moves: what each move of a game cost, the values of its positions, and where it turned."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outflank.board.game import Game
from outflank.board.position import Position
from outflank.board.squares import PASS, Color
from outflank.board.variant import Variant
from outflank.library import judging
from outflank.library.judging import MARKS, Cost, GameValues, Judge, JudgedMove, review, turning_point
from outflank.search.engine.engine import Hint
from outflank.search.engine.solver import Solver
from outflank.search.limits import Report

SOLVER = Solver(4)


BLACK, WHITE = Color


def random_game(name: str, seed: int) -> Game:
    dice, game = random.Random(seed), Game(Variant.named(name))
    while not game.is_over:
        game.push(dice.choice(game.position.legal_moves))
    return game


def exact(position: Position) -> list[Hint]:
    values = SOLVER.solve_all(position).values
    return [Hint(move, value, True, position.empties, (move,)) for move, value in values.items()]


@given(st.integers(0, 2**32), st.sampled_from(["4x4", "reversed-4x4"]))
def test_losses_lead_from_the_first_value_to_the_result(seed: int, name: str) -> None:
    game = random_game(name, seed)
    found = list(review(game.line, exact))
    assert [one.node for one in found] == [node for node in reversed(game.line) if node.move != PASS]
    lost = {color: sum(one.loss for one in found if one.mover is color) for color in Color}
    outcome = game.outcome()
    assert outcome is not None and outcome.score is not None
    first = found[-1]
    value = first.value if first.mover is Color.BLACK else -first.value
    assert value - lost[Color.BLACK] + lost[Color.WHITE] == outcome.score
    assert found[0].black == outcome.score
    assert all(one.exact and one.loss >= 0 for one in found)


@given(st.integers(0, 2**32), st.sampled_from(["4x4", "reversed-4x4"]))
def test_positions_valued_one_by_one_give_the_same_costs(seed: int, name: str) -> None:
    """What is proven does not depend on how it was asked."""
    game = random_game(name, seed)
    reviewed = list(review(game.line, exact))[::-1]
    moves = [one.node.move or 0 for one in reviewed]
    costs = Judge(hash_mb=1).game(game).costs([one.mover for one in reviewed], moves)
    assert costs == [Cost(one.mover, one.value, one.played, True) for one in reviewed]


def test_a_move_is_named_by_what_it_lost() -> None:
    marks = [Cost(BLACK, 0.0, -loss, False).mark for loss in (0.0, 2.9, 3, 6, 10, 40)]
    assert marks == [None, None, "inaccuracy", "mistake", "blunder", "blunder"]
    assert [least for least, _ in MARKS] == sorted((least for least, _ in MARKS), reverse=True)


def test_a_better_move_than_the_best_is_no_gain() -> None:
    assert Cost(BLACK, 1.0, 3.0, False).loss == 0


def test_what_the_search_does_not_know_is_left_out() -> None:
    game = Game.from_transcript("f5d6c3")
    assert list(review(game.line, lambda _: [])) == []


def test_of_equal_moves_the_lowest_square_is_the_best_and_nothing_is_lost() -> None:
    game = Game.from_transcript("f5")
    hints = [Hint(move, 1.0, move == 37, move, (move,)) for move in (44, 37, 26, 19)]
    (found,) = review(game.line, lambda _: hints)
    assert found == JudgedMove(BLACK, 1.0, 1.0, False, game.node, 19, (19,), 19)
    assert found.loss == 0


# The turning point


def test_the_turning_point_is_the_costliest_move_that_gave_the_game_away() -> None:
    slip, gift, worse = Cost(BLACK, 2, 1, True), Cost(BLACK, 1, -3, True), Cost(BLACK, -3, -30, True)
    moves = [slip, Cost(WHITE, -1, -1, True), gift, None, worse, Cost(WHITE, 30, 20, True)]
    assert turning_point(moves, WHITE) == 2, "the fifth move cost more, but the game was lost already"
    assert turning_point([slip, worse], WHITE) == 1, "nothing gave it away: the costliest"
    assert turning_point(moves, BLACK) == 5
    assert turning_point(moves, None) is None
    assert turning_point([Cost(BLACK, 1, 1, True)], WHITE) is None


def test_a_small_loss_turns_a_game_only_where_it_is_proven() -> None:
    assert turning_point([Cost(BLACK, 1, -1, False)], WHITE) is None
    assert turning_point([Cost(BLACK, 1, -1, True)], WHITE) == 0
    assert turning_point([Cost(BLACK, 1, -2, False)], WHITE) == 0


# Positions


def test_a_cost_is_what_is_lost_from_one_position_to_the_next() -> None:
    judged = GameValues((2.0, -3.0, -2.0, 0.0, None), (10, 20, 30, 40), 1)
    costs = judged.costs((BLACK, WHITE, WHITE, BLACK), (11, 20, 31, 40))
    assert costs == [Cost(BLACK, 2, -3, False), Cost(WHITE, 3, 3, True), Cost(WHITE, 2, 0, True), None]
    assert GameValues.from_text(judged.to_text()) == judged


def test_near_the_end_the_solver_answers_and_before_that_the_search_once_a_position() -> None:
    game = random_game("4x4", 5)
    asked = []

    def search(position: Position) -> Report:
        asked.append(position)
        return Report(position.legal_moves[0], 0.25)

    judge = Judge(search, 6, 1)
    found = judge.game(game)
    before = [one.position for one in [game.root, *game.line] if one.position.legal_moves]
    assert asked == [position for position in before if position.empties > 6]
    assert found.exact_from == len(asked) and set(found.values[: len(asked)]) <= {0.2, -0.2}
    assert judge.game(game) == found and len(asked) == found.exact_from
    outcome = game.outcome()
    assert outcome is not None and found.values[-1] == outcome.score


def test_a_judge_that_remembers_too_much_forgets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judging, "REMEMBERED", 2)
    asked = []

    def search(position: Position) -> Report:
        asked.append(position)
        return Report(position.legal_moves[0], 0.0)

    judge, start = Judge(search, hash_mb=1), Position.start()
    for move in (None, 19, 26, None):
        judge.position(start if move is None else start.play(move))
    assert len(asked) == 4 and asked[0] == asked[-1] == start


def test_the_value_of_a_move_is_what_it_leaves() -> None:
    """Also where it ends the game, or leaves the other side nothing but a pass."""
    judge, followed = Judge(hash_mb=1), set()
    for seed in range(20):
        for node in [one for one in random_game("4x4", seed).line if one.position.legal_moves][-3:]:
            position = node.position
            assert {move: judge.move(position, move) for move in position.legal_moves} == SOLVER.solve_all(
                position
            ).values
            after = [position.play(move) for move in position.legal_moves]
            followed |= {"end" if one.is_over else "pass" if one.must_pass else "move" for one in after}
    assert followed == {"end", "pass", "move"}
