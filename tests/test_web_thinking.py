"""The values that an analysis streams: they get better, never worse."""

import pytest

from outflank.board.position import Position
from outflank.board.variant import OTHELLO, Variant
from outflank.library.book.file import shipped
from outflank.search.driver import Interruption, interruptible
from outflank.search.engine.engine import Hint
from outflank.search.limits import Report
from outflank.web import thinking


def hint(move: int, score: float, depth: int, exact: bool = False) -> Hint:
    return Hint(move, score, exact, depth, (move,))


def test_a_slice_that_was_cut_short_does_not_take_back_what_was_known(monkeypatch: pytest.MonkeyPatch) -> None:
    found = iter([(hint(19, 2.0, 8),), (hint(19, 4.0, 15),), (hint(26, 9.0, 10),), (hint(19, 4.0, 15, exact=True),)])
    monkeypatch.setattr(thinking, "values", lambda *_: next(found))
    told = list(thinking.hints(Position.start(Variant.named("6x6")), 60.0, Interruption()))
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


def test_a_move_is_judged_also_where_its_time_passed_before_anything_was_looked_at() -> None:
    given: list[float] = []

    def values(_: Position, seconds: float, level: int | None) -> tuple[Hint, ...]:
        given.append(seconds)
        return (hint(19, 2.0, 8),) if seconds > 1 else ()

    assert thinking.judged(Position.start(), 0.5, values) == (hint(19, 2.0, 8),)
    assert given == [0.5, 1.0, 2.0]
    stop = Interruption()
    stop.set()
    with interruptible(stop):
        assert thinking.judged(Position.start(), 0.5, values) == ()


def test_an_exact_value_is_surer_than_any_depth() -> None:
    estimates = thinking.Hints((hint(1, 0.0, 30), hint(2, 0.0, 30)))
    assert thinking.Hints((hint(1, 0.0, 30, exact=True), hint(2, 0.0, 30))).sureness > estimates.sureness
    assert thinking.Hints(()).sureness < thinking.Hints((hint(1, 0.0, 0),)).sureness


@pytest.mark.parametrize(("variant", "value"), [("4x4", -10.0), ("reversed-4x4", 4.0)])
def test_every_move_of_the_smallest_board_has_its_true_value_at_once(variant: str, value: float) -> None:
    first = next(thinking.hints(Position.start(Variant.named(variant)), 60.0, Interruption()))
    assert first.done and all(each.exact for each in first.hints)
    assert first.hints[0].score == value


def test_a_solved_board_is_known_to_be_solved_from_its_first_move_on() -> None:
    """The certificate of 5x6 has the best line, to its end and at every step of it; whatever a search thinks so far."""
    position, line, sign = Position.start(Variant.named("reversed-5x6")), list[int](), 1
    while position.empties > 14 and len(line) < 8:
        guesses = tuple(hint(move, 9.0, 6) for move in position.legal_moves)
        best, *others = thinking.with_proof(position, guesses)
        assert (best.score, best.exact) == (4.0 * sign, True)
        assert {each.move for each in (best, *others)} == set(position.legal_moves)
        assert all(each.score == best.score for each in others), "no other is better"
        same = position.play(best.move).canonical()
        assert all(each.exact for each in others if position.play(each.move).canonical() == same), (
            "and mirrored ones are"
        )
        assert not all(each.exact for each in others) or len(line) != 1, "what is not proved stays an estimate"
        end = position
        for move in best.pv:
            end = end.play(move)
        outcome = end.outcome()
        assert outcome is not None and outcome.score == 4
        line.append(best.move)
        position, sign = position.play(best.move), -sign
    assert thinking.with_proof(position, ()) == ()


def test_a_board_that_is_not_solved_keeps_its_estimates() -> None:
    guesses = (hint(19, 2.0, 8), hint(26, 1.0, 8))
    assert thinking.with_proof(Position.start(), guesses) == guesses


def test_values_of_the_book_are_marked_until_a_search_has_looked_further() -> None:
    book, position = shipped(OTHELLO), Position.start().play("f5")
    assert book is not None
    guesses = tuple(hint(move, 30.0, 8) for move in position.legal_moves)
    told = thinking.with_book(position, guesses)
    assert [(each.move, each.score, each.book) for each in told] == [
        (each.move, each.worth.value, True) for each in book.moves(position)
    ]
    assert all(each.pv[0] == each.move for each in told) and len(told[0].pv) > 1
    assert next(thinking.hints(position, 60.0, Interruption())).hints[0].book
    further = tuple(hint(move, 30.0, 40) for move in position.legal_moves)
    assert thinking.with_book(position, further) == further
    proven = tuple(hint(move, 30.0, 8, exact=True) for move in position.legal_moves)
    assert thinking.with_book(position, proven) == proven
    outside = Position.start(Variant.named("5x5"))
    assert thinking.with_book(outside, guesses) == guesses


def test_points_at_two_depths_do_not_compare_and_discs_do() -> None:
    """A heuristic in phases has other weights at half the depth, and values a hundred times as large."""
    report = Report(19, 316.0, 8)
    rated = [
        report,
        Report(26, 295.0, 8),
        Report(34, 15_000.0, 4),
        Report(37, None, 0),
        Report(44, 12.0, 8, decided=True),
    ]
    assert thinking.compared(report, rated, "points") == {19: 316.0, 26: 295.0}
    assert thinking.compared(report, rated, "discs") == {19: 316.0, 26: 295.0, 34: 15_000.0}
