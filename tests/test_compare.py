"""`tests/compare.py`: what it makes of times, and that its commands are there in this checkout."""

from pathlib import Path

import pytest
from compare import Compared, Task, Times, cost, tasks
from typer.testing import CliRunner

from outflank.cli.main import app

SOURCE = Path(__file__).resolve().parent.parent / "src"


def test_the_start_is_taken_off_and_the_best_runs_are_compared() -> None:
    old, new = Times([3.0, 5.0], [1.5, 1.0], 100), Times([2.0, 1.5], [0.5, 0.5], 100)
    found = Compared(Task("any", [], []), old, new)
    assert (old.best, new.best) == (2.0, 1.0)
    assert found.ratio == 0.5 and found.spread == (0.25, 0.75)
    assert "0.500  0.250 to 0.750" in found.row() and "the same nodes" in found.row()
    assert "0.5000 times the nodes" in Compared(Task("any", [], []), old, Times([2.0], [1.0], 50)).row()


def test_a_missing_suite_is_left_out_and_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "fforum-20-39.obf").write_text("one\n" * 30)
    found = {task.name: task for task in tasks(tmp_path, tmp_path, long=True)}
    assert "FFO #20–39" in found and "FFO #40–49" not in found
    assert "FFO #40–49 is left out" in capsys.readouterr().err
    assert Path(found["FFO #20–39"].work[1]).read_text() == "one\n" * 20


def test_every_task_is_a_command_here(tmp_path: Path) -> None:
    for task in tasks(tmp_path, tmp_path, long=True):
        shown = CliRunner().invoke(app, task.idle)
        assert shown.exit_code == 0, shown.output


def test_a_command_is_measured_in_a_process_of_its_own() -> None:
    for form in (["--json"], []):
        seconds, nodes = cost(SOURCE, ["move", "--agent", "greedy", *form])
        assert seconds > 0 and nodes == 4
    with pytest.raises(SystemExit, match="ended with 2"):
        cost(SOURCE, ["move", "--agent", "nobody"])
