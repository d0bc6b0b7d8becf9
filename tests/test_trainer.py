"""The trainer: what makes an exercise, how the shipped ones were made, and what a visitor gets next."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from serving import Board, Server, running_server

from outflank import Game, Position, Variant
from outflank.board.squares import square_name
from outflank.board.variant import OTHELLO
from outflank.datasets.exercises import Found, Seeking
from outflank.library.book.file import shipped as book_of
from outflank.library.exercises import SHIPPED, Exercise, exercise_of, read, shipped, written
from outflank.library.openings import moves_in_openings, openings
from outflank.search.driver import Stop
from outflank.search.engine.solver import Solver
from outflank.web.training import STEPS, Trainer

LARGEST = 1_000_000  # bytes


def test_the_shipped_exercises_have_one_clear_best_move_of_several() -> None:
    assert SHIPPED.stat().st_size < LARGEST
    kinds = Counter((one.kind, one.position.variant.objective) for one in shipped().values())
    assert set(kinds) == {(kind, goal) for kind in ("games", "endings") for goal in ("most", "fewest")}
    for one in shipped().values():
        assert exercise_of(one.kind, one.position, dict(one.values), one.exact) == one
        assert {move for move, _ in one.values} == set(one.position.legal_moves)


def test_shipped_endings_are_as_the_solver_says() -> None:
    endings = [one for one in shipped().values() if one.kind == "endings" and one.position.empties <= 8][:10]
    solver = Solver(8.0)
    assert len(endings) == 10
    for one in endings:
        assert one.exact and solver.solve_all(one.position).values == dict(one.values)


@pytest.mark.parametrize(("kind", "games"), [("games", 40), ("endings", 60)])
def test_a_portion_follows_from_its_task_alone_and_reads_as_written(kind: Any, games: int, tmp_path: Path) -> None:
    seeking = Seeking(Variant.named("reversed"), kind, 0, games, 7)
    found = seeking(Stop())
    assert found == seeking(Stop())
    assert found.exercises
    found.save(tmp_path / "portion.tsv")
    assert Found.load(tmp_path / "portion.tsv") == found


def test_no_exercise_where_two_moves_are_about_as_good() -> None:
    position = Position.start()
    moves = position.legal_moves
    assert exercise_of("games", position, dict.fromkeys(moves, 1.0), False) is None
    values = {move: -4.0 * number for number, move in enumerate(moves)}
    found = exercise_of("games", position, values, False)
    assert found is not None and found.best == moves[0]
    assert exercise_of("games", position, values | {moves[1]: -2.5}, False) is None
    assert exercise_of("endings", position, values | {moves[1]: -2.5}, True) is not None
    assert read(written([found, found])) == [found]


def test_a_line_that_is_no_exercise_is_refused() -> None:
    with pytest.raises(ValueError, match="not a line of exercises"):
        Exercise.from_line("games\tothello\tnothing")


# What comes next


def asked(trainer: Trainer, visitor: str = "somebody") -> Exercise:
    found = trainer.next(visitor, lambda one: one.kind == "endings")
    assert found is not None
    return found


def test_what_is_missed_comes_back_and_each_time_it_is_found_later(tmp_path: Path) -> None:
    trainer = Trainer(tmp_path)
    missed = asked(trainer)
    trainer.answer("somebody", missed, False)
    for step in STEPS:
        for _ in range(step):
            other = asked(trainer)
            assert other.id != missed.id
            trainer.answer("somebody", other, True)
        assert asked(trainer) == missed
        trainer.answer("somebody", missed, True)
    assert trainer.due("somebody") == {}


def test_a_streak_ends_with_a_miss_and_all_is_kept(tmp_path: Path) -> None:
    trainer = Trainer(tmp_path)
    for right in (True, True, True, False, True):
        trainer.answer("somebody", asked(trainer), right)
    trainer.close()
    again = Trainer(tmp_path)
    assert again.record("somebody") == (5, 4, 1, 3)
    assert again.record("somebody else") == (0, 0, 0, 0)


def test_nothing_comes_twice_before_everything_has_come(tmp_path: Path) -> None:
    trainer = Trainer(tmp_path)
    wanted = [one.id for one in shipped().values() if one.kind == "endings"]
    seen = []
    for _ in wanted:
        seen.append(asked(trainer).id)
        trainer.answer("somebody", asked(trainer), True)
    assert sorted(seen) == sorted(wanted)
    assert asked(trainer).id == seen[0]
    assert [asked(trainer, who).id for who in "abcdef"] != [seen[0]] * 6, "everybody has an order of his own"


# Over HTTP


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Any:
    with running_server(tmp_path_factory.mktemp("trainer")) as running:
        yield running


@pytest.mark.parametrize("objective", ["most", "fewest"])
def test_an_exercise_is_asked_answered_and_kept(server: Server, objective: str) -> None:
    given = server.post("/api/trainer/next", kind="endings", objective=objective, fewest=4, most=8)
    exercise = given["exercise"]
    assert exercise["position"]["objective"] == objective and 4 <= exercise["position"]["empties"] <= 8
    known = shipped()[exercise["id"]]
    worst = min(dict(known.values), key=lambda move: dict(known.values)[move])
    answered = server.post("/api/trainer/answer", id=exercise["id"], move=square_name(worst))
    assert not answered["right"] and answered["best"] == square_name(known.best)
    assert answered["record"]["streak"] == 0 and answered["record"]["again"] > given["record"]["again"]
    answered = server.post("/api/trainer/answer", id=exercise["id"], move=answered["best"])
    assert answered["right"] and answered["record"]["streak"] == 1


def test_what_cannot_be_answered_is_refused(server: Server) -> None:
    exercise = server.post("/api/trainer/next", kind="games")["exercise"]
    for data, status in (({"id": "nothing", "move": "a1"}, 404), ({"id": exercise["id"], "move": "zz"}, 400)):
        assert server.http.post("/api/trainer/answer", json=data).status_code == status


def test_an_opening_is_answered_by_its_names_where_there_is_no_library(server: Server) -> None:
    began = server.post("/api/trainer/opening", moves="", move="f5")
    assert began["right"] and began["moves"] == f"f5{began['reply']}" and not began["over"]
    wrong = server.post("/api/trainer/opening", moves="f5d6", move="g5")
    assert not wrong["right"] and "c3" in wrong["expected"] and (wrong["reply"], wrong["moves"]) == (None, "f5d6")
    assert wrong["record"]["streak"] == 0
    first = server.post("/api/trainer/opening", moves="")
    assert first["right"] is None and len(first["moves"]) == 2


def test_an_opening_of_reversed_reversi_is_answered_by_the_book(server: Server) -> None:
    mine = server.post("/api/trainer/opening", variant="reversed", moves="", side="black")
    assert (mine["moves"], mine["reply"], mine["over"], mine["source"]) == ("", None, False, "book")
    book = book_of(Variant.named("reversed"))
    assert book is not None
    start = Position.start(Variant.named("reversed"))
    best = square_name(book.moves(start)[0].move)
    began = server.post("/api/trainer/opening", variant="reversed", moves="", move=best, side="black")
    assert began["right"] and began["moves"] == f"{best}{began['reply']}" and began["source"] == "book"
    after = Game.from_transcript(best, Variant.named("reversed")).position
    worst = [one for one in book.moves(after) if one.worth.value < book.moves(after)[0].worth.value - 1]
    legal = {square_name(move) for move in after.legal_moves}
    bad = {square_name(one.move) for one in worst} or legal - {square_name(one.move) for one in book.moves(after)}
    for move in sorted(bad)[:1]:
        wrong = server.post("/api/trainer/opening", variant="reversed", moves=best, move=move, side="white")
        assert wrong["right"] is False and move not in wrong["expected"] and wrong["expected"]


def test_where_the_named_lines_end_the_book_goes_on(server: Server) -> None:
    book = book_of(OTHELLO)
    assert book is not None
    ends = (one.line for one in openings() if not moves_in_openings(Game.from_transcript(one.line).position))
    line = next(end for end in ends if book.moves(Game.from_transcript(end).position))
    answer = server.post("/api/trainer/opening", moves=line)
    known = {square_name(one.move) for one in book.moves(Game.from_transcript(line).position)}
    assert answer["reply"] in known


def test_own_mistakes_become_exercises(server: Server) -> None:
    """A shipped ending, turned, in which somebody plays the worst move."""
    clear = (one for one in shipped().values() if one.kind == "endings" and one.values[0][1] - one.values[1][1] >= 4)
    ending = next(clear).position.symmetry(1)
    identity = server.new_board(black="human", white="human", start=ending.text)
    with server.board(identity) as board:
        values = {hint["move"]: hint["score"] for hint in _hints(board)}
        board.play(min(values, key=lambda move: values[move]))
        board.say("review", seconds=10.0)
        while not board.receive("review")["done"]:
            pass
    assert server.post("/api/trainer/mistakes") == {"new": 1, "more": False}
    assert server.post("/api/trainer/mistakes") == {"new": 0, "more": False}, "once"
    goal = ending.variant.objective
    own = server.post("/api/trainer/next", kind="mistakes", objective=goal)["exercise"]
    assert own["position"]["board"] == ending.text[:-2]


def _hints(board: Board) -> list[dict[str, Any]]:
    board.say("analyse", seconds=60.0)
    while not (found := board.receive("hints"))["done"]:
        pass
    return list(found["hints"])
