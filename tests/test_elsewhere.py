"""Other systems: all but submissions works without what only Unix has (tests/elsewhere hides it)."""

import json
import os
import subprocess
import sys
from pathlib import Path

HIDING = str(Path(__file__).parent / "elsewhere")
PROGRAM = [sys.executable, "-m", "outflank"]


def elsewhere(*command: str, said: str = "") -> "subprocess.CompletedProcess[str]":
    path = os.pathsep.join([HIDING, *filter(None, [os.environ.get("PYTHONPATH")])])
    environment = {**os.environ, "PYTHONPATH": path}
    return subprocess.run(command, input=said, env=environment, capture_output=True, text=True, timeout=300)


def done(*arguments: str, said: str = "") -> str:
    ran = elsewhere(*PROGRAM, *arguments, said=said)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def test_what_is_hidden_is_hidden() -> None:
    code = "import os, select; print(hasattr(os, 'sysconf'), hasattr(select, 'poll')); import fcntl"
    ran = elsewhere(sys.executable, "-c", code)
    assert ran.stdout == "False False\n" and "No module named 'fcntl'" in ran.stderr


def test_a_game_in_the_terminal_and_a_solved_one() -> None:
    assert "Transcript: " in done("play", "engine:level=1", "greedy", "--variant", "4x4", "--seed", "1", said="\n" * 20)
    assert "-10" in done("solve", "-----OX--XO----- X", "--variant", "4x4")


def test_matches_in_processes_and_with_other_programs() -> None:
    engine = f"gtp:{sys.executable} -m outflank gtp --agent greedy --variant 6x6"
    told = json.loads(done("match", engine, "greedy", "--variant", "6x6", "--games", "4", "--jobs", "2", "--json"))
    assert (told["games"], told["forfeits"]) == (4, [])
    assert "greedy" in done("tournament", "greedy", "random", "--variant", "4x4", "--games", "2")


def test_programs_that_ask_us() -> None:
    assert "= D3" in done("gtp", "--agent", "engine:level=1", said="genmove black\nquit\n").upper()
    assert '"id": 7' in done("analysis", said='{"id": 7, "moves": "f5", "depth": 2}\n')


def test_a_server() -> None:
    code = """
from outflank.client import serving
with serving() as server:
    with server.new_board(variant="4x4", white="engine:level=1") as board:
        board.play("b1")
        board.wait()
        print(len(board.moves))
"""
    ran = elsewhere(sys.executable, "-c", code)
    assert (ran.returncode, ran.stdout) == (0, "4\n"), ran.stderr


def test_submissions_say_why_not(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("class AI: ...")
    ran = elsewhere(*PROGRAM, "match", f"py:{tmp_path}/mine.py", "greedy", "--games", "2")
    assert ran.returncode == 2 and "submissions need Linux" in ran.stderr and ran.stderr.count("\n") == 1
