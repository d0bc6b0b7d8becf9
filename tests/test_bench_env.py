"""`outflank bench env` measures; here it only has to tell what it measured, and what it could not."""

import json
import sys

from typer.testing import CliRunner

from outflank.cli.main import app

QUICK = ["bench", "env", "--games", "16", "--seconds", "0.01", "--rounds", "1"]


def test_steps_and_simulations_are_told() -> None:
    done = CliRunner().invoke(app, [*QUICK, "--json"])
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert set(found["steps"]) == {"othello", "reversed", "6x6", "reversed-5x7"}
    rates = [*found["steps"].values(), found["threaded"], found["guided"], found["network"]]
    assert all(rate["clock"] > 0 and rate["processor"] > 0 for rate in rates)
    assert 200 < found["bytes_per_game"] < 300 and found["pgx"] is None and found["pgx_ratio"] is None


def test_a_python_without_pgx_is_told_in_one_line() -> None:
    for python, message in (
        (sys.executable, "has no pgx: ModuleNotFoundError"),
        ("/none", "/none could not be started"),
    ):
        done = CliRunner().invoke(app, [*QUICK, "--python", python])
        assert done.exit_code != 0
        assert message in str(done.exception) + done.output
