"""A board of the page as a thing of its own: taking back, branches, clocks, and that it comes back from its file."""

import json
import random
import time
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outflank.board.game import Game
from outflank.board.position import Position
from outflank.board.squares import Color, square_name
from outflank.board.variant import Variant
from outflank.search.limits import Report
from outflank.web import boards
from outflank.web.boards import HUMAN, Board, Clocks
from outflank.web.notes import Candidate, Note, Review, Thought
from outflank.web.views import state_data


def before_the_pass() -> Board:
    """A move of Black's is about to leave White without one."""
    dice = random.Random(0)
    while True:
        game = Game(Variant.named("6x6"))
        while not game.is_over:
            position = game.position
            if position.turn is Color.BLACK and any(position.play(move).must_pass for move in position.legal_moves):
                return Board(game, (HUMAN, HUMAN))
            game.push(dice.choice(position.legal_moves))


def passing_move(board: Board) -> str:
    position = board.position
    return next(square_name(move) for move in position.legal_moves if position.play(move).must_pass)


def test_a_forced_pass_is_played_and_announced() -> None:
    board = before_the_pass()
    board.move(passing_move(board))
    state = state_data(board)
    assert state.passed == "white"
    assert state.position.turn == "black"
    assert state.nodes[-1].move == "pass"


def test_undo_after_a_pass_gives_the_move_back_to_who_made_it() -> None:
    board = before_the_pass()
    start = board.position
    board.move(passing_move(board))
    board.undo()
    assert board.position == start
    assert board.position.turn is Color.BLACK
    board.redo()
    assert board.position.turn is Color.BLACK
    assert board.position != start


def test_undo_takes_back_the_players_answer_too() -> None:
    board = Board(Game(), (HUMAN, "greedy"))
    board.move("f5")
    board.agent_moved(Report(board.position.legal_moves[0]), "discs", 0.1)
    assert board.position.turn is Color.BLACK
    board.undo()
    assert board.position == Position.start()
    assert board.agent_to_move is None
    board.redo()
    assert len(board.game.moves) == 2


def test_undo_between_two_people_takes_back_one_move() -> None:
    board = Board(Game(), (HUMAN, HUMAN))
    board.move("f5")
    board.move("d6")
    board.undo()
    assert board.game.transcript == "f5"
    assert board.position.turn is Color.WHITE


def test_a_move_in_the_past_makes_a_branch_and_keeps_the_other() -> None:
    board = Board(Game(), (HUMAN, HUMAN))
    for move in ("f5", "d6", "c3"):
        board.move(move)
    board.goto(1)
    board.move("f4")
    assert board.game.transcript == "f5f4"
    assert [board.nodes[1].children[0].move, board.nodes[1].children[1].move] == [43, 29]
    board.goto(3)
    assert board.game.transcript == "f5d6c3"


def test_looking_at_the_past_makes_a_player_wait() -> None:
    board = Board(Game(), (HUMAN, "greedy"))
    board.move("f5")
    board.agent_moved(Report(board.position.legal_moves[0]), "discs", 0.1)
    board.goto(1)
    assert board.agent_to_move is None and board.paused
    board.resume()
    assert board.agent_to_move == "greedy"


def test_a_stale_click_is_refused() -> None:
    board = Board(Game(), (HUMAN, HUMAN))
    board.move("f5", 0)
    with pytest.raises(ValueError, match="moved on"):
        board.move("d6", 0)


def test_nobody_moves_for_a_player() -> None:
    board = Board(Game(), ("greedy", HUMAN))
    with pytest.raises(ValueError, match="greedy plays Black"):
        board.move("f5")


def test_resigning_can_be_taken_back() -> None:
    board = Board(Game(), (HUMAN, "greedy"))
    board.move("f5")
    board.resign()
    outcome = board.game.outcome()
    assert outcome is not None and outcome.winner is Color.WHITE  # the person resigns also while the player thinks
    board.undo()
    assert board.game.outcome() is None
    assert board.game.transcript == "f5"


def test_a_clock_runs_from_the_first_move_and_ends_the_game(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [1000.0]
    monkeypatch.setattr(boards, "time", SimpleNamespace(monotonic=lambda: now[0]))
    board = Board(Game(), (HUMAN, HUMAN), Clocks(60, 1))
    board.move("f5")
    assert board.clocks is not None and board.clocks.left == [60, 60]
    now[0] += 10
    board.move("d6")
    assert board.clocks.left[Color.WHITE] == 51
    now[0] += 100
    assert board.flag()
    outcome = board.game.outcome()
    assert outcome is not None and outcome.winner is Color.WHITE and "time" in outcome.reason
    board.undo()
    assert board.clocks.left == [60, 60] and board.game.outcome() is None


def test_undo_gives_the_time_back() -> None:
    board = Board(Game(), (HUMAN, HUMAN), Clocks(60, 0))
    board.move("f5")
    assert board.clocks is not None
    board.clocks.since = time.monotonic() - 10
    board.move("d6")
    board.undo()
    assert board.clocks.left == [60, 60]


@given(st.data())
def test_a_board_comes_back_from_its_file_as_it_was(data: st.DataObject) -> None:
    variant = Variant.named(data.draw(st.sampled_from(["othello", "reversed-6x6", "4x4", "5x7-parallel"])))
    clocks = Clocks(60, 1) if data.draw(st.booleans()) else None
    board = Board(Game(variant), (HUMAN, data.draw(st.sampled_from([HUMAN, "greedy"]))), clocks)
    for _ in range(data.draw(st.integers(0, 25))):
        step = data.draw(st.sampled_from(["move", "move", "move", "undo", "goto", "resign", "review"]))
        if step == "move" and not board.game.is_over:
            move = data.draw(st.sampled_from(board.position.legal_moves))
            if board.players[board.position.turn] == HUMAN:
                board.move(square_name(move))
            else:
                board.agent_moved(Report(move, 1.5, 3), "discs", 0.25)
        elif step == "undo" and board.can_undo:
            board.undo()
        elif step == "goto":
            board.goto(data.draw(st.integers(0, len(board.nodes) - 1)))
        elif step == "resign" and not board.game.is_over:
            board.resign()
        elif step == "review":
            board.reviewed(board.nodes[-1], Review(1.0, 0.5, "d3", ("d3", "c4"), True, 8, "discs", None, -0.5))
    again = Board.from_data(json.loads(json.dumps(board.data())))
    # Clocks count on while we compare, so they are compared apart.
    one, two = (state_data(each).model_dump(exclude={"clock", "revision"}) for each in (board, again))
    assert one == two
    assert [node.latest and board.id_of(node.latest) for node in board.nodes] == [
        node.latest and again.id_of(node.latest) for node in again.nodes
    ]
    if board.clocks is not None:
        assert again.clocks is not None and again.clocks.left == board.clocks.left
    assert board.notes.get(0, Note()) == again.notes.get(0, Note())


def test_a_player_sees_the_game_as_it_was_when_asked() -> None:
    board = Board(Game(), (HUMAN, HUMAN))
    for move in ("f5", "d6", "c3"):
        board.move(move)
    seen = board.game.so_far()
    board.undo()
    assert seen.transcript == "f5d6c3"
    assert seen.position.turn is Color.WHITE


@pytest.mark.parametrize("symmetry", range(8))
def test_a_turned_board_keeps_its_branches_its_reviews_and_its_place(symmetry: int) -> None:
    board = Board(Game.from_transcript("f5d6c3d3c4"), (HUMAN, HUMAN))
    board.goto(2)
    board.move("c5")
    board.reviewed(board.game.node, Review(-2.0, 3.0, "c3", ("c3", "d3", "pass"), False, 9, "discs", "mistake", 2.0))
    before = state_data(board)
    positions = [node.position for node in board.nodes]
    board.turn(board.turned(symmetry))
    after = state_data(board)
    assert [node.position for node in board.nodes] == [each.symmetry(symmetry) for each in positions]
    assert [node.parent for node in after.nodes] == [node.parent for node in before.nodes]
    assert (after.cursor, after.line) == (before.cursor, before.line)
    found = board.notes[board.cursor].review
    assert found is not None and found.loss == 3.0 and found.best_line[2] == "pass"
    assert found.best == after.nodes[3].move and found.best_line[1] == after.nodes[4].move
    assert board.changed == set(range(len(board.nodes)))


def test_a_half_turn_is_all_that_an_oblong_board_can_make() -> None:
    board = Board(Game(Variant.named("6x8")), (HUMAN, HUMAN))
    board.move(square_name(board.position.legal_moves[0]))
    board.turn(board.turned(3))
    with pytest.raises(ValueError, match="symmetries 0 to 3"):
        board.turn(board.turned(5))


def test_what_a_player_thought_is_kept_and_turned_with_the_board() -> None:
    board = Board(Game(), ("greedy", HUMAN))
    d3, c4 = 19, 26
    board.agent_moved(
        Report(d3, 0.0, pv=(d3, 18), nodes=7, values={d3: 0.0, c4: -0.5}, visits={d3: 3, c4: 4}), "wins", 0
    )
    thought = Thought(7, None, ("d3", "c3"), (Candidate("c4", -0.5, 4), Candidate("d3", 0.0, 3)))
    kept = Board.from_data(json.loads(json.dumps(board.data())))
    assert kept.notes[1].thought == thought
    kept.turn(kept.turned(1))
    turned = kept.notes[1].thought
    assert turned is not None
    assert turned.pv[0] == turned.candidates[1].move == square_name(kept.nodes[1].move or 0) != "d3"


def test_what_is_kept_from_before_there_were_thoughts_can_be_read() -> None:
    board = Board(Game(), (HUMAN, HUMAN))
    board.move("d3")
    data = json.loads(json.dumps(board.data()))
    del data["pace"]
    assert len(data["nodes"][1][6]) == 6
    assert Board.from_data(data).notes[1].thought is None


def test_after_a_swap_of_sides_each_player_has_the_time_that_it_used() -> None:
    board = Board(Game(), (HUMAN, "greedy"))
    board.move("d3")
    board.agent_moved(Report(18), "discs", 5.0)
    board.seat("greedy", HUMAN)
    board.agent_moved(Report(board.position.legal_moves[0]), "discs", 7.0)
    totals = state_data(board).totals
    assert (totals["black"].seconds, totals["black"].moves) == (12.0, 2)
    assert totals["white"].moves == 1 and totals["white"].seconds < 5.0
