"""The solver is right: known values, stored suites, and a plain solver on endings of every board and objective."""

import json
import random
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import naive
import pytest

from outflank.board.game import Game
from outflank.board.position import Position
from outflank.board.squares import square_name
from outflank.board.variant import Variant
from outflank.formats import obf
from outflank.search.driver import Stop
from outflank.search.engine.solver import Question, Solver
from outflank.search.limits import Report

SUITES = Path(__file__).resolve().parent.parent.parent / "shared" / "data" / "suites"
needs_suites = pytest.mark.skipif(not SUITES.is_dir(), reason="the stored test suites are not beside this checkout")


@pytest.fixture(scope="module")
def solver() -> Solver:
    return Solver(32)


@pytest.mark.parametrize(
    ("variant", "score", "raw"),
    [("4x4", -10, -8), ("reversed-4x4", 4, 3), ("4x4-parallel", -4, -3), ("reversed-4x4-parallel", 0, 0)],
)
def test_4x4_is_solved_from_the_start(solver: Solver, variant: str, score: int, raw: int) -> None:
    start = Position.start(Variant.named(variant))
    assert solver.solve(start).score == score
    assert solver.solve(start, Question(raw=True)).score == raw
    assert solver.solve(start, Question(wld=True)).score == (score > 0) - (score < 0)


def plain_score(position: Position, raw: bool = False) -> int:
    """Minimax to the end over the naive rules, with nothing but a memory."""
    board, known = position.variant.board, dict[tuple[int, int], int]()

    def score(own: int, opp: int) -> int:
        if (own, opp) not in known:
            choices = naive.choices(own, opp, board)
            if choices:
                known[own, opp] = max(-score(*naive.play(own, opp, move, board)) for move in choices)
            else:
                margin = naive.count(own) - naive.count(opp) if raw else naive.final_margin(own, opp, board)
                known[own, opp] = position.variant.sign * margin
        return known[own, opp]

    return score(position.own, position.opp)


def ending(variant: Variant, empties: int, dice: random.Random) -> Position:
    game = Game(variant)
    while not game.is_over and game.position.empties > empties:
        game.push(dice.choice(game.position.legal_moves))
    return game.position


@pytest.mark.parametrize("seed", range(60))
def test_endings_of_every_board_agree_with_a_plain_solver(solver: Solver, seed: int) -> None:
    dice = random.Random(seed)
    variant = Variant(
        dice.randint(4, 8),
        dice.randint(4, 8),
        dice.choice(("most", "fewest")),
        dice.choice(("diagonal", "parallel", "mirrored")),
    )
    position = ending(variant, dice.randint(1, 7), dice)
    raw = dice.random() < 0.3
    report = solver.solve(position, Question(raw=raw))
    assert report.score == plain_score(position, raw)
    end = position
    for move in report.pv:
        end = end.play(move)
    assert end.is_over
    if not raw:
        outcome = end.outcome()
        assert outcome is not None and outcome.score is not None
        assert report.score == outcome.score * (1 if position.turn == 0 else -1)


@pytest.mark.parametrize("seed", range(8))
def test_the_table_and_the_sorting_change_nothing(solver: Solver, seed: int) -> None:
    """Nine empties are searched with the table; the plain solver knows nothing of it."""
    position = ending(Variant(5, 5, "fewest" if seed % 2 else "most"), 9, random.Random(seed))
    assert solver.solve(position).score == plain_score(position)


def test_a_small_table_and_two_threads_give_the_same(solver: Solver) -> None:
    for seed in range(6):
        position = ending(Variant.named("reversed" if seed % 2 else "othello"), 14, random.Random(seed))
        scores = {each.solve(position).score for each in (solver, Solver(0.01), Solver(8, threads=2))}
        assert len(scores) == 1


@needs_suites
@pytest.mark.parametrize(("variant", "column"), [("othello", "normal_raw"), ("reversed", "misere_raw")])
def test_every_move_of_the_suite_of_both_objectives(solver: Solver, variant: str, column: str) -> None:
    for row in json.loads((SUITES / "both-objectives.json").read_text())["rows"]:
        position = Position.from_text(f"{row['board']} {row['side']}", Variant.named(variant))
        if position.legal_moves:
            values = solver.solve_all(position, Question(raw=True)).values
            assert {square_name(move): value for move, value in values.items()} == row[column]


@needs_suites
def test_ffo_1_to_19(solver: Solver) -> None:
    for problem in obf.read((SUITES / "fforum-1-19.obf").read_text()):
        report = solver.solve(problem.position)
        assert report.score == problem.best
        assert problem.scores[report.move] == problem.best


@needs_suites
@pytest.mark.slow
@pytest.mark.parametrize("name", ["fforum-20-39", "hard-20"])
def test_the_hard_suites(name: str) -> None:
    solver = Solver(256)
    for problem in obf.read((SUITES / f"{name}.obf").read_text()):
        assert solver.solve(problem.position).score == problem.best


def test_a_stopped_search_still_has_a_legal_move_and_a_sound_table(solver: Solver) -> None:
    position = ending(Variant(), 36, random.Random(1))  # for years: also a stop that comes late comes before its end
    for delay in (0.0, 0.01, 0.05):
        stop = Stop()
        timer = threading.Timer(delay, stop.set)
        timer.start()
        report = solver.solve(position, stop=stop)
        timer.join()
        assert report.move in position.legal_moves
        assert not report.exact
    later = ending(Variant(), 12, random.Random(1))
    assert solver.solve(later).score == Solver(8).solve(later).score


def test_a_stopped_search_has_the_best_line_so_far(solver: Solver) -> None:
    position, stop, heard = ending(Variant(), 26, random.Random(2)), Stop(), list[Report]()

    def hear(report: Report) -> None:
        heard.append(report)
        if len(heard) == 4:
            stop.set()

    report = solver.solve(position, stop=stop, progress=hear)
    assert [each.depth for each in heard] == [3, 5, 7, 9]
    assert not report.exact and report.score is not None
    assert (report.move, report.score, report.depth) == (heard[-1].move, heard[-1].score, 9)
    assert len(report.pv) > 1 and report.pv == heard[-1].pv
    for move in report.pv:
        assert move in position.legal_moves or position.must_pass
        position = position.play(move)


def test_all_moves_stopped_have_the_values_proven_so_far(solver: Solver) -> None:
    position, stop = ending(Variant(), 9, random.Random(3)), Stop()
    whole = solver.solve_all(position)
    assert whole.exact and set(whole.values) == set(position.legal_moves) and len(whole.values) > 3

    def hear(report: Report) -> None:
        if len(report.values) == 2:
            stop.set()

    part = solver.solve_all(position, stop=stop, progress=hear)
    assert not part.exact
    assert part.score == whole.score
    assert len(part.values) == 2 and part.values.items() <= whole.values.items()


def test_a_finished_game_has_its_score(solver: Solver) -> None:
    full = Position.from_text("X" * 40 + "O" * 24 + " X")
    assert solver.solve(full).score == 16
    assert solver.solve(full).pv == ()


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    program = "from outflank.cli.main import main; main()"
    return subprocess.run([sys.executable, "-c", program, "solve", *arguments], capture_output=True, text=True)


BOARD = "XXXXXXXXXOOOOOOXXOOOOOOXXOOXOOOXXOOOXOOXXOOOOOOXXXXXXXX-XXXXXX-- O"


def test_the_command_prints_an_object_a_line(tmp_path: Path) -> None:
    suite = tmp_path / "suite.obf"
    suite.write_text(f"{BOARD};\n{BOARD.replace(' O', ' X')};\n")
    done = run(str(suite), "--json", "--all-moves")
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [set(row) >= {"position", "move", "score", "exact", "nodes", "seconds", "pv"} for row in rows] == [True] * 2
    assert rows[0]["score"] == plain_score(Position.from_text(BOARD))


def test_the_command_says_right_and_wrong(tmp_path: Path) -> None:
    score = plain_score(Position.from_text(BOARD))
    suite = tmp_path / "suite.obf"
    suite.write_text(f"{BOARD}; {score:+};\n")
    assert "right" in run(str(suite)).stdout
    suite.write_text(f"{BOARD}; {score + 2:+};\n")
    wrong = run(str(suite))
    assert "wrong" in wrong.stdout
    assert wrong.returncode == 1


@pytest.mark.parametrize(
    "arguments",
    [
        ("nothing.obf",),
        ("/",),
        ("XO",),
        (BOARD, "--variant", "6x6"),
        (BOARD, "--threads", "0"),
        (BOARD, "--hash", "0"),
        (BOARD, "--hash", "inf"),
        (BOARD, "--hash", "1000000"),
    ],
)
def test_bad_input_is_one_line(arguments: tuple[str, ...]) -> None:
    done = run(*arguments)
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1


def test_a_table_larger_than_the_memory_is_refused_before_it_is_filled() -> None:
    with pytest.raises(ValueError, match=r"a table of 1e\+06 MB does not fit into this machine's memory of \d+ MB"):
        Solver(1_000_000)


TELLS_OF_A_PASS = """
from outflank.cli.main import main
from outflank.search.engine.solver import Solver
after_a_pass = Solver._after
def told(*arguments):
    print("searched", flush=True)
    return after_a_pass(*arguments)
Solver._after = told
main()
"""


def test_ctrl_c_stops_a_long_solve() -> None:
    start = Position.start(Variant.named("6x6")).text
    child = subprocess.Popen(
        [sys.executable, "-c", TELLS_OF_A_PASS, "solve", start],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert child.stdout is not None
    while (line := child.stdout.readline()) != "searched\n":  # it has searched to some depth, and goes on
        assert line, child.communicate()
    child.send_signal(2)
    _, errors = child.communicate(timeout=120)
    assert child.returncode == 130
    assert "Traceback" not in errors


INTERRUPTED_AFTER_FOUR_PASSES = """
import os, signal, sys
from outflank.cli.main import main
from outflank.search.engine.solver import Solver
after_a_pass, passes = Solver._after, []
def interrupted(*arguments):
    passes.append(after_a_pass(*arguments))
    if len(passes) == 4:
        os.kill(os.getpid(), signal.SIGINT)
    return passes[-1]
Solver._after = interrupted
main()
"""


@pytest.mark.parametrize("form", ["text", "json"])
def test_ctrl_c_shows_the_best_line_so_far(form: str) -> None:
    start = Position.start(Variant.named("6x6")).text
    command = [sys.executable, "-c", INTERRUPTED_AFTER_FOUR_PASSES, "solve", start, *["--json"] * (form == "json")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 130 and done.stderr.split() == ["stopped"]
    if form == "json":
        row = json.loads(done.stdout)
        assert row["exact"] is False and row["move"] == row["pv"][0]
    else:
        _, row, total = done.stdout.splitlines()
        assert row.split()[2].endswith("?") and row.split()[3] == row.split()[7]
        assert total.startswith("0 of 1 solved")


def test_mirrored_moves_are_solved_once_and_have_one_value(monkeypatch: pytest.MonkeyPatch) -> None:
    start = Position.start(Variant.named("4x4"))
    solver = Solver(1)
    asked: list[Position] = []
    solve = solver.solve

    def heard(position: Position, *rest: Any) -> Report:
        asked.append(position)
        return solve(position, *rest)

    monkeypatch.setattr(solver, "solve", heard)
    report = solver.solve_all(start)
    assert report.values == dict.fromkeys(start.legal_moves, -10.0)
    assert asked == [start]
