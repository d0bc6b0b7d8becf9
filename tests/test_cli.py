"""The program as a whole: help at once, errors in one line, clean ends. Each command has a test file of its own."""

import json
import os
import shutil
import signal
import subprocess
import sys
import warnings
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from outflank import __version__
from outflank.board import compiled
from outflank.cli import main, stopping
from outflank.cli.main import app

OUTFLANK = str(Path(sys.executable).with_name("outflank"))
HEAVY = {"numba", "llvmlite", "numpy", "scipy", "matplotlib", "duckdb", "fastapi", "uvicorn", "rich", "cma"}
COMMANDS: list[str] = sorted(typer.main.get_command(app).commands)  # type: ignore[attr-defined]


def outflank(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([OUTFLANK, *arguments], capture_output=True, text=True, timeout=300)


# Help


def test_help_lists_the_commands() -> None:
    done = outflank("--help")
    assert (done.returncode, done.stderr) == (0, "")
    assert {"perft", "warmup"} <= set(COMMANDS)
    for command in COMMANDS:
        assert f"\n  {command} " in done.stdout
    assert outflank("-h").stdout == done.stdout


@pytest.mark.parametrize("group", [(), ("bench",), ("games",), ("data",), ("book",)])
def test_help_says_what_each_command_does_in_a_whole_sentence(group: tuple[str, ...]) -> None:
    listed = outflank(*group, "--help").stdout.partition("Commands:")[2]
    assert listed and "..." not in listed


def test_help_loads_nothing_heavy() -> None:
    done = subprocess.run(
        [sys.executable, "-X", "importtime", OUTFLANK, "--help"], capture_output=True, text=True, timeout=300
    )
    loaded = {line.rsplit("|", 1)[1].strip().split(".")[0] for line in done.stderr.splitlines() if "|" in line}
    assert {"typer", "outflank"} <= loaded
    assert not HEAVY & loaded


def test_no_commands_help_loads_anything_heavy() -> None:
    helps = [[*command.split(), "--help"] for command in (*COMMANDS, "bench page", "games build", "learn challenger")]
    code = (
        "import sys; from typer.testing import CliRunner; from outflank.cli.main import app\n"
        f"for one in {helps}: assert CliRunner().invoke(app, one).exit_code == 0, one\n"
        "print(*{name.partition('.')[0] for name in sys.modules})"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300, check=True)
    loaded = set(done.stdout.split())
    assert "typer" in loaded
    assert not HEAVY & loaded


def test_the_version_says_what_an_issue_needs() -> None:
    done = outflank("--version")
    assert done.returncode == 0
    assert done.stdout.startswith(f"outflank {__version__}, Python 3.")


def test_a_file_given_for_a_name_is_not_said_again_whole() -> None:
    done = outflank("gtp", "a" * 5000)
    assert done.returncode == 2
    assert done.stderr.startswith("outflank: ") and len(done.stderr) < 1000


def test_without_a_command_the_help_is_shown() -> None:
    done = outflank()
    assert done.returncode == 2
    assert done.stdout.startswith("Usage: outflank")
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("command", COMMANDS)
def test_every_commands_help_has_an_example(command: str) -> None:
    shown = CliRunner().invoke(app, [command, "--help"])
    assert shown.exit_code == 0
    assert f"outflank {command}" in shown.output.replace("Usage: root", "")


# Errors


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["castle"], "No such command 'castle'"),
        (["--loud"], "No such option: --loud"),
        (["perft", "3", "--loud"], "No such option: --loud"),
        (["perft"], "Missing argument 'depth': write outflank perft"),
        (["match", "greedy"], "Missing argument 'B': write outflank match A B (--help explains)"),
        (["perft", "deep"], "Invalid value for 'depth'"),
        (["perft", "61"], "Invalid value for 'depth'"),
        (["perft", "3", "--variant"], "--variant"),
        (["perft", "3", "--variant", "chess"], "'chess' is not a variant"),
        (["perft", "3", "--variant", "9x9"], "a board has 4 to 8 rows, not 9"),
        (["perft", "3", "--position", "X" * 63], "63 marks, but 8x8 needs 64 squares"),
        (["perft", "3", "--position", "0" * 64], "'0' at square 1 is not one of X"),
    ],
)
def test_a_wrong_command_line_is_one_line_and_exit_code_2(arguments: list[str], complaint: str) -> None:
    done = outflank(*arguments)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("outflank: ") and complaint in done.stderr
    assert done.stderr.count("\n") == 1 and done.stderr.endswith("\n")


# perft and warmup


def test_too_little_memory_is_one_line(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def greedy(**_: object) -> None:
        raise MemoryError("Unable to allocate 512 TiB")

    monkeypatch.setattr(main, "_run", greedy)
    monkeypatch.setattr(stopping, "listen", lambda: None)
    monkeypatch.setattr(warnings, "showwarning", warnings.showwarning)
    with pytest.raises(SystemExit) as leaving:
        main.main()
    assert leaving.value.code == 2
    assert capsys.readouterr().err == "outflank: there is not enough memory: Unable to allocate 512 TiB\n"


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [(["match", "random", "greedy", "--games", "2", "--variant", "4x4"], ""), (["show", "~/none.txt"], "no such file")],
)
def test_a_user_without_a_home_or_a_name_is_somebody_too(arguments: list[str], complaint: str) -> None:
    """As in many a container."""
    stranger = ["unshare", "--user", "--map-user", "54321"]
    if shutil.which("unshare") is None or subprocess.run([*stranger, "true"], capture_output=True).returncode:
        pytest.skip("nobody without a name can be had here")
    environment = {"OUTFLANK_CACHE": str(compiled.cache_folder().parent), "PATH": os.environ["PATH"]}
    environment |= {"PYTHONPATH": os.pathsep.join(sys.path)}
    command = [*stranger, sys.executable, "-m", "outflank", *arguments]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == (2 if complaint else 0), done.stderr
    assert complaint in done.stderr
    assert "Traceback" not in done.stderr


def test_perft_prints_a_line_a_depth() -> None:
    done = outflank("perft", "6")
    assert (done.returncode, done.stderr) == (0, "")
    counts = [line.split()[:2] for line in done.stdout.splitlines()]
    assert counts == [["1", "4"], ["2", "12"], ["3", "56"], ["4", "244"], ["5", "1,396"], ["6", "8,200"]]


@pytest.mark.parametrize("variant", ["6x6", "reversed-6x6"])
def test_perft_as_json(variant: str) -> None:
    done = outflank("perft", "7", "--variant", variant, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    data = json.loads(done.stdout)
    assert list(data) == ["variant", "depth", "nodes", "seconds", "nodes_per_second"]
    assert (data["variant"], data["depth"], data["nodes"]) == (variant, 7, 47740)
    assert data["nodes_per_second"] == pytest.approx(data["nodes"] / data["seconds"])


def test_perft_from_a_position() -> None:
    white_passes = "-OXX XXXX XXXX XXO- O"
    done = outflank("perft", "2", "--variant", "4x4", f"--position={white_passes}", "--json")
    assert json.loads(done.stdout)["nodes"] == 2


def test_warmup_says_how_many_kernels_are_ready_and_where() -> None:
    done = outflank("warmup")
    assert (done.returncode, done.stderr) == (0, "")
    ready, folder = done.stdout.rstrip(")\n").split("(")
    assert int(ready.split()[0]) >= 20
    assert list(Path(folder).glob("*.nbc"))


# Ends


@pytest.mark.parametrize("arguments", [["perft", "6"], ["perft", "6", "--json"], ["--help"], ["warmup"]])
def test_a_reader_that_goes_away_is_no_error(arguments: list[str]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run([OUTFLANK, *arguments], stdout=writing, stderr=subprocess.PIPE, text=True, timeout=300)
    os.close(writing)
    assert done.stderr == ""
    assert done.returncode == 0


def test_piping_into_head() -> None:
    done = subprocess.run(f"{OUTFLANK} perft 9 | head -1", shell=True, capture_output=True, text=True, timeout=300)
    assert done.stderr == ""
    assert done.stdout.split()[:2] == ["1", "4"]


def test_ctrl_c_stops_a_long_count() -> None:
    process = subprocess.Popen([OUTFLANK, "perft", "60"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline().split()[:2] == ["1", "4"]
    process.send_signal(signal.SIGINT)
    _, complaint = process.communicate(timeout=120)
    assert process.returncode == 130
    assert complaint.strip() in ("", "stopped"), "no traceback"
