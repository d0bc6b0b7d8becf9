"""The review of a game: what each move cost against an exact judge."""

import random

from hypothesis import given
from hypothesis import strategies as st

from outflank.board.game import Game
from outflank.board.position import Position
from outflank.board.squares import PASS, Color
from outflank.board.variant import Variant
from outflank.library.review import MARKS, Judgement, Reviewed, review
from outflank.search.engine.solver import Solver

SOLVER = Solver(4)


def exact(position: Position) -> Judgement:
    report = SOLVER.solve_all(position)
    return Judgement(report.values, frozenset(report.values), {report.move: report.pv}, position.empties)


@given(st.integers(0, 2**32), st.sampled_from(["4x4", "reversed-4x4"]))
def test_losses_lead_from_the_first_value_to_the_result(seed: int, name: str) -> None:
    dice = random.Random(seed)
    game = Game(Variant.named(name))
    while not game.is_over:
        game.push(dice.choice(game.position.legal_moves))
    found = list(review(game.line, exact))
    assert [one.node for one in found] == [node for node in reversed(game.line) if node.move != PASS]
    lost = {color: sum(one.loss for one in found if one.node.mover is color) for color in Color}
    outcome = game.outcome()
    assert outcome is not None and outcome.score is not None
    first = found[-1]
    value = first.value if first.node.mover is Color.BLACK else -first.value
    assert value - lost[Color.BLACK] + lost[Color.WHITE] == outcome.score
    assert found[0].black == outcome.score
    assert all(one.exact and one.loss >= 0 for one in found)


def test_a_move_is_named_by_what_it_lost() -> None:
    node = Game.from_transcript("f5").node

    def marked(loss: float, in_discs: bool = True) -> str | None:
        return Reviewed(node, 0.0, -loss, 19, (19,), False, 8, in_discs).mark

    assert [marked(0.0), marked(2.9), marked(3), marked(6), marked(10), marked(40)] == [
        None,
        None,
        "inaccuracy",
        "mistake",
        "blunder",
        "blunder",
    ]
    assert marked(40, in_discs=False) is None
    assert [least for least, _ in MARKS] == sorted((least for least, _ in MARKS), reverse=True)


def test_a_better_move_than_the_best_is_no_gain() -> None:
    node = Game.from_transcript("f5").node
    assert Reviewed(node, 1.0, 3.0, 19, (19,), False, 8, True).loss == 0


def test_what_the_judge_does_not_know_is_left_out() -> None:
    game = Game.from_transcript("f5d6c3")
    assert list(review(game.line, lambda _: Judgement({}))) == []
