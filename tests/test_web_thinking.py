"""The values that an analysis streams: they get better, never worse."""

import pytest

from outflank.board.position import Position
from outflank.search.driver import Interruption
from outflank.search.engine.engine import Hint
from outflank.web import thinking


def hint(move: int, score: float, depth: int, exact: bool = False) -> Hint:
    return Hint(move, score, exact, depth, (move,))


def test_a_slice_that_was_cut_short_does_not_take_back_what_was_known(monkeypatch: pytest.MonkeyPatch) -> None:
    found = iter([(hint(19, 2.0, 8),), (hint(19, 4.0, 15),), (hint(26, 9.0, 10),), (hint(19, 4.0, 15, exact=True),)])
    monkeypatch.setattr(thinking, "values", lambda *_: next(found))
    told = list(thinking.hints(Position.start(), 60.0, Interruption()))
    assert [(each.hints[0].score, each.depth, each.done) for each in told] == [
        (2.0, 8, False),
        (4.0, 15, False),
        (4.0, 15, False),
        (4.0, 15, True),
    ]


def test_an_analysis_ends_with_the_best_that_it_has_told() -> None:
    position = Position.start().play(19).play(18)
    told = list(thinking.hints(position, 0.75, Interruption()))
    assert [each.sureness for each in told] == sorted(each.sureness for each in told)
    assert told[-1].done and told[-1].depth == max(each.depth for each in told)


def test_an_exact_value_is_surer_than_any_depth() -> None:
    estimates = thinking.Hints((hint(1, 0.0, 30), hint(2, 0.0, 30)))
    assert thinking.Hints((hint(1, 0.0, 30, exact=True), hint(2, 0.0, 30))).sureness > estimates.sureness
    assert thinking.Hints(()).sureness < thinking.Hints((hint(1, 0.0, 0),)).sureness
