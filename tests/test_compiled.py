"""Machine code is kept on disk, is never stale, and survives whatever happens to its files."""

import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from outflank.board import compiled, kernels
from outflank.board.upkeep import let_oldest_go

PACKAGE = Path(compiled.__file__).parent.parent
DAY = 86400

TOY = """
from outflank.board.compiled import kernel

def make(number):
    def double(word):
        return word + word
    return kernel("uint64(uint64)", identity=str(number))(double)

toys = [make(number) for number in range(6)]
print(*[toy(21) for toy in toys])
print(*[sum(toy.stats.cache_misses.values()) for toy in toys])
"""
RIGHT = "42 42 42 42 42 42"
COMPILED, LOADED = RIGHT + "\n1 1 1 1 1 1", RIGHT + "\n0 0 0 0 0 0"

PERFT = """
from outflank.board import kernels
print(kernels.perft(0x810000000, 0x1008000000, 2**64 - 1, 7), sum(kernels.perft.stats.cache_misses.values()))
"""


def environment(cache: Path, **more: object) -> dict[str, str]:
    return {**os.environ, "OUTFLANK_CACHE": str(cache), **{name: str(value) for name, value in more.items()}}


def run(script: str, cache: Path, **more: object) -> str:
    """What a script prints in a process of its own, which must end well and complain of nothing."""
    file = cache.parent / f"script-{len(script)}.py"
    file.write_text(script)
    done = subprocess.run([sys.executable, file], env=environment(cache, **more), capture_output=True, text=True)
    assert (done.stderr, done.returncode) == ("", 0)
    return done.stdout.strip()


def files(cache: Path, ending: str) -> list[Path]:
    found = sorted(cache.glob(f"*/*{ending}"))
    assert found, f"no {ending} in {cache}"
    return found


def chosen_folder() -> Path:
    """Where a process that starts now would keep its machine code."""
    return compiled.cache_folder.__wrapped__()


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty place for machine code, which the environment names."""
    monkeypatch.setenv("OUTFLANK_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def together(script: str, cache: Path) -> list[tuple[int | None, str, str]]:
    """How two processes ended that were started at once, and what they printed and complained of."""
    both = [
        subprocess.Popen(
            [sys.executable, "-c", script],
            env=environment(cache),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    said = [process.communicate() for process in both]
    return [(process.returncode, *texts) for process, texts in zip(both, said, strict=True)]


@pytest.fixture(scope="module")
def warm_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the toys were compiled."""
    warm = tmp_path_factory.mktemp("warm") / "cache"
    assert run(TOY, warm) == COMPILED
    return warm


@pytest.fixture(scope="module")
def twice_compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where two processes at once compiled the package's own kernels."""
    cache = tmp_path_factory.mktemp("twice") / "cache"
    for returncode, output, complaint in together(PERFT, cache):
        assert (returncode, output.split()[0], complaint) == (0, "55092", "")
    return cache


# Loading late


@pytest.mark.parametrize(
    "statement", ["import outflank", "from outflank import Variant, Color", "import outflank.cli.main"]
)
def test_numba_is_not_loaded_before_it_is_needed(statement: str, tmp_path: Path) -> None:
    loaded = run(f"{statement}\nimport sys\nprint(*sys.modules)", tmp_path / "cache").split()
    assert "outflank" in loaded
    assert not {"numba", "llvmlite", "numpy"} & set(loaded)


def test_nothing_is_compiled_before_it_is_called(tmp_path: Path) -> None:
    run("from outflank.board import kernels", tmp_path / "cache")
    assert not list((tmp_path / "cache").glob("*/*.nbc"))


def test_kernels_leave_the_interpreter_lock() -> None:
    assert kernels.perft.targetoptions["nogil"] is True  # type: ignore[attr-defined]


# Warm starts


def test_a_kernel_that_is_ready_waits_for_no_compile() -> None:
    compiled.load(kernels.flips)
    compiling, ended = threading.Event(), threading.Event()

    def compile_something() -> None:
        with compiled._compiling:
            compiling.set()
            ended.wait(120)

    other = threading.Thread(target=compile_something)
    other.start()
    compiling.wait(60)
    mine = threading.Thread(target=compiled.load, args=(kernels.flips,))
    mine.start()
    mine.join(60)
    waits = mine.is_alive()
    ended.set()
    other.join()
    assert not waits


def test_the_second_start_compiles_nothing(warm_cache: Path) -> None:
    before = {file: file.stat().st_mtime_ns for file in files(warm_cache, ".nb?")}
    assert run(TOY, warm_cache) == LOADED
    assert {file: file.stat().st_mtime_ns for file in files(warm_cache, ".nb?")} == before


def test_the_cache_is_where_the_environment_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OUTFLANK_CACHE", str(tmp_path / "mine"))
    assert chosen_folder().parent == tmp_path / "mine"
    monkeypatch.delenv("OUTFLANK_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert chosen_folder().parent == tmp_path / "xdg" / "outflank"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert chosen_folder().parent == tmp_path / ".cache" / "outflank"


# Never stale


@pytest.fixture
def copied_package(tmp_path: Path) -> Path:
    copy = tmp_path / "copy" / "outflank"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    return copy


CONSTANTS = {
    "board/kernels.py": ("(0, 1, 2, 4, 7, 8)", "(0, 1, 2, 4, 7, 9)"),
    "board/vectors.py": ('"""', '"""Changed. '),
    "board/compiled.py": ('"""', '"""Changed. '),
    # None of these define a kernel.
    "patterns/shapes.py": ("SHORTEST_DIAGONAL = 4", "SHORTEST_DIAGONAL = 5"),
    "patterns/guides.py": ("UNITS = ", "UNITS = 2 * "),
    "board/variant.py": ("LARGEST = 4, 8", "LARGEST = 4, 7"),
}


@pytest.mark.parametrize("name", CONSTANTS)
def test_what_kernels_read_has_another_cache_folder_when_it_changes(name: str, copied_package: Path) -> None:
    before = compiled.digest_of(copied_package)
    source, (old, new) = copied_package / name, CONSTANTS[name]
    text = source.read_text()
    assert old in text
    source.write_text(text.replace(old, new, 1))
    assert compiled.digest_of(copied_package) != before
    source.write_text(text)
    assert compiled.digest_of(copied_package) == before


@pytest.mark.parametrize("room", ["cli", "web", "arena", "agents", "protocols"])
def test_rooms_without_kernels_may_change_without_a_compile(room: str, copied_package: Path) -> None:
    before = compiled.digest_of(copied_package)
    for source in (copied_package / room).rglob("*.py"):
        source.write_text("# changed\n" + source.read_text())
    (copied_package / room / "README.md").write_text("changed")
    assert compiled.digest_of(copied_package) == before


def test_a_constant_two_imports_away_is_compiled_anew(copied_package: Path, tmp_path: Path) -> None:
    (copied_package / "board" / "nearer.py").write_text("from .farther import STEP\n")
    kernel = "@kernel('int64(int64)')\ndef outer(n): return n + STEP\n"
    imports = "from outflank.board.compiled import kernel\nfrom outflank.board.nearer import STEP\n"
    (copied_package / "board" / "outer.py").write_text(imports + kernel)
    answers = []
    for step in (1, 2):
        (copied_package / "board" / "farther.py").write_text(f"STEP = {step}\n")
        ask = "from outflank.board.outer import outer; print(outer(0))"
        answers.append(run(ask, tmp_path / "cache", PYTHONPATH=copied_package.parent))
    assert answers == ["1", "2"]


def test_the_cache_folder_is_named_by_the_package(cache: Path) -> None:
    assert chosen_folder() == cache / compiled.digest_of(PACKAGE)


def test_a_change_is_seen_through_another_file_that_had_it_inlined(copied_package: Path, tmp_path: Path) -> None:
    head = "from outflank.board.compiled import kernel\n"
    outer = "from outflank.board.inner import inner\n@kernel('int64(int64)')\ndef outer(n): return 10 * inner(n)\n"
    (copied_package / "board" / "outer.py").write_text(head + outer)
    answers = []
    for step in (1, 2):
        inner = f"@kernel('int64(int64)')\ndef inner(n): return n + {step}\n"
        (copied_package / "board" / "inner.py").write_text(head + inner)
        ask = "from outflank.board.outer import outer; print(outer(0))"
        answers.append(run(ask, tmp_path / "cache", PYTHONPATH=copied_package.parent))
    assert answers == ["10", "20"]


# Damage


def truncate(file: Path) -> None:
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])


def flip_one_byte(file: Path) -> None:
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 0xFF
    file.write_bytes(content)


def zero_a_block(file: Path) -> None:
    content = file.read_bytes()
    middle = len(content) // 2
    file.write_bytes(content[:middle] + bytes(1024) + content[middle + 1024 :])


def empty(file: Path) -> None:
    file.write_bytes(b"")


def garble(file: Path) -> None:
    file.write_bytes(b"not a cache file\n")


DAMAGES: list[Callable[[Path], None]] = [truncate, flip_one_byte, zero_a_block, empty, garble, Path.unlink]


def damage_all(damaged: list[Path]) -> None:
    """Every kind of damage, each to another file."""
    for index, file in enumerate(damaged):
        DAMAGES[index % len(DAMAGES)](file)


@pytest.mark.parametrize("ending", [".nbc", ".nbi"])
def test_damaged_files_are_compiled_anew_without_a_word(ending: str, warm_cache: Path, tmp_path: Path) -> None:
    cache = Path(shutil.copytree(warm_cache, tmp_path / "cache"))
    assert len(files(cache, ending)) == len(DAMAGES)
    damage_all(files(cache, ending))
    assert run(TOY, cache).splitlines()[0] == RIGHT
    assert run(TOY, cache) == LOADED


def test_damaged_kernels_of_the_package_still_count_right(twice_compiled: Path, tmp_path: Path) -> None:
    cache = Path(shutil.copytree(twice_compiled, tmp_path / "cache"))
    damage_all(files(cache, ".nb?"))
    assert run(PERFT, cache).startswith("55092 ")
    assert run(PERFT, cache) == "55092 0"


def test_without_a_writable_cache_kernels_are_compiled_for_this_process(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "temporary").mkdir()
    script = TOY + "from outflank.board.compiled import cache_folder\nprint(cache_folder())"
    done = subprocess.run(
        [sys.executable, "-c", script],
        env=environment(tmp_path / "file" / "cache", TMPDIR=tmp_path / "temporary"),
        capture_output=True,
        text=True,
    )
    values, _, folder = done.stdout.splitlines()
    assert (values, done.stderr, done.returncode) == (RIGHT, "", 0)
    assert Path(folder).is_relative_to(tmp_path / "temporary")
    assert list((tmp_path / "temporary").iterdir()) == [], "the folder is removed at the end"


def test_a_full_disk_is_a_warning_and_no_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(compiled, "cache_folder", lambda: tmp_path)
    monkeypatch.setattr(compiled._SealedFiles, "_save_data", full)

    @compiled.kernel("uint64(uint64)")
    def triple(word: int) -> int:
        return 3 * word

    with pytest.warns(UserWarning, match="No space left on device.*set OUTFLANK_CACHE"):
        assert triple(14) == 42


# Other machines

EVERY_KERNEL = """
import numpy as np
from outflank.board import kernels
own, opp, board = 0x810000000, 0x1008000000, 2**64 - 1
margins = np.zeros(200, np.int64)
kernels.random_playouts(own, opp, board, margins, 1)
print(kernels.perft(own, opp, board, 8), margins.tolist())
own, opp = 0x00003C3E1E0F0783, 0xFF7FC0C1E0F0F87C
print(kernels.stable_discs(own, opp, board), kernels.stable_discs(opp, own, board), kernels.frontier(own, opp, board))
print(kernels.canonical(own, opp, 8, 8), kernels.hash64(own, opp), kernels.final_margin(own, opp, board))
"""


def test_a_processor_without_vectors_computes_the_same(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plain = run(EVERY_KERNEL, tmp_path / "cache", NUMBA_CPU_NAME="generic", NUMBA_CPU_FEATURES="")
    assert plain.startswith("390216 [")
    exec(EVERY_KERNEL, {})
    assert capsys.readouterr().out.strip() == plain


# Several versions and several processes


def make_old(folder: Path, days: float) -> None:
    then = time.time() - days * DAY
    os.utime(folder, (then, then))


def test_folders_unused_for_two_weeks_are_removed(cache: Path) -> None:
    for name, days in (("old", 15), ("recent", 13)):
        (cache / name).mkdir(parents=True)
        (cache / name / "kernel.nbc").touch()
        make_old(cache / name, days)
    (cache / "note.txt").touch()
    mine = chosen_folder()
    assert {path.name for path in cache.iterdir()} == {mine.name, "recent", "note.txt"}


def test_using_a_folder_keeps_it(cache: Path) -> None:
    mine = chosen_folder()
    (mine / "kernel.nbc").touch()
    make_old(mine, 100)
    assert chosen_folder() == mine
    assert (mine / "kernel.nbc").exists()
    assert time.time() - mine.stat().st_mtime < DAY


def test_two_processes_may_compile_at_once_into_an_empty_cache(twice_compiled: Path) -> None:
    assert run(PERFT, twice_compiled) == "55092 0"


def test_a_warm_up_imports_every_module_that_defines_kernels(tmp_path: Path) -> None:
    """Seen from the other side: all modules imported, no kernel is at home elsewhere."""
    script = """
import importlib, pkgutil, outflank
from outflank.board import compiled
from outflank.board.sources import Sources
for found in pkgutil.walk_packages(outflank.__path__, "outflank."):
    if not found.name.startswith(("outflank.agents.sandbox", "outflank.__main__")):
        importlib.import_module(found.name)
homes = {kernel.py_func.__module__ for kernel in compiled._kernels}
print(*sorted(homes ^ set(Sources(compiled.PACKAGE).users(compiled.__name__, ["kernel"]))))
"""
    makes_them_on_demand = {"outflank.board.timing", "outflank.heuristics.phases", "outflank.learning.weights.linear"}
    assert set(run(script, tmp_path / "cache").split()) == makes_them_on_demand


@pytest.mark.slow
def test_two_warm_ups_at_once(tmp_path: Path) -> None:
    warm_up = "from outflank.board.warming import Share; from outflank.work.stop import Stop; Share()(Stop())"
    first, second = together(warm_up, tmp_path / "cache")
    assert first == second
    assert (first[0], first[2]) == (0, "")
    assert run(PERFT, tmp_path / "cache") == "55092 0"


def test_of_functions_made_at_run_time_those_compiled_first_go(tmp_path: Path) -> None:
    kernels = {f"kernels.flips-outflank.board.kernels-120.py311.{end}" for end in ("nbi", "1.nbc")}
    sums = [{f"features.sum-x-{number:016x}.py311.{end}" for end in ("nbi", "1.nbc")} for number in range(5)]
    for age, names in enumerate([*sums, kernels]):
        for name in names:
            (tmp_path / name).write_bytes(b"code")
            os.utime(tmp_path / name, (100 - age, 100 - age))
    assert let_oldest_go(tmp_path, 5) == 0
    assert let_oldest_go(tmp_path, 2) == 3
    assert {file.name for file in tmp_path.iterdir()} == sums[0] | sums[1] | kernels
