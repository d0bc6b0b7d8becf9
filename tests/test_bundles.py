"""Players of several files: a folder or a zip, of which the player sees its own files and nobody else's."""

import os
import tracemalloc
import zipfile
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from enclosed import game_of, needs_enclosure

from outflank.agents import bundle
from outflank.agents.bundle import Bundle, gathered
from outflank.agents.sandbox.interfaces import NotAPlayerError, examine
from outflank.arena.contest import Player
from outflank.errors import Fault

MAIN = """
from Chessboard import moves

class AI:
    def __init__(self, chessboard_size, color, time_out):
        self.color = color
        self.candidate_list = []

    def go(self, chessboard):
        self.candidate_list = moves(chessboard, self.color)
"""
HELPER = """
from tools.directions import DIRECTIONS

def moves(board, color):
    size = len(board)
    inside = lambda row, column: 0 <= row < size and 0 <= column < size
    found = []
    for row in range(size):
        for column in range(size):
            if board[row][column]:
                continue
            for down, right in DIRECTIONS:
                at, to = row + down, column + right
                while inside(at, to) and board[at][to] == -color:
                    at, to = at + down, to + right
                if inside(at, to) and board[at][to] == color and (at, to) != (row + down, column + right):
                    found.append((row, column))
                    break
    return found
"""
DIRECTIONS = "DIRECTIONS = [(a, b) for a in (-1, 0, 1) for b in (-1, 0, 1) if a or b]\n"
FILES = {"Chessboard.py": HELPER, "player.py": MAIN, "tools/__init__.py": "", "tools/directions.py": DIRECTIONS}


def laid_out(folder: Path, files: dict[str, str] = FILES) -> Path:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


def zipped(path: Path, files: dict[str, str] = FILES, top: str = "") -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(top + name, text)
    return path


def agent_inside(player: Any) -> Any:
    return getattr(player, "player", player)


def test_a_folder_and_a_zip_play_with_their_helper_modules(tmp_path: Path) -> None:
    needs_enclosure()
    for place in (laid_out(tmp_path / "wang"), zipped(tmp_path / "wang.zip", top="my work/")):
        _, verdict, player = game_of(place)
        assert verdict.forfeit is None
        assert agent_inside(player).interface == "AI"


def test_files_of_a_package_import_each_other(tmp_path: Path) -> None:
    needs_enclosure()
    package = FILES | {
        "__init__.py": "",
        "player.py": "from . import Chessboard\n" + MAIN.replace("from Chessboard", "from .Chessboard"),
        "Chessboard.py": HELPER.replace("from tools", "from .tools"),
    }
    _, verdict, _ = game_of(laid_out(tmp_path, package))
    assert verdict.forfeit is None


def in_bytes(path: Path, files: dict[str, str], encoding: str) -> Path:
    """A zip with names as a system writes them that does not say how."""
    written = {name: name.encode(encoding) for name in files}
    held = {name: letter * len(written[name]) for letter, name in zip("QVZ", files, strict=True)}
    content = zipped(path, {held[name]: text for name, text in files.items()}).read_bytes()
    for name in files:
        content = content.replace(held[name].encode(), written[name])
    path.write_bytes(content)
    return path


@pytest.mark.parametrize("encoding", ["gbk", "utf-8"])
def test_a_zip_whose_names_are_chinese_has_them(tmp_path: Path, encoding: str) -> None:
    files = {"作业/主程序.py": MAIN, "作业/棋盘规则.py": HELPER, "作业/权重表格.txt": "1"}
    found = gathered(in_bytes(tmp_path / "work.zip", files, encoding))
    assert set(found.files) == {"主程序.py", "棋盘规则.py", "权重表格.txt"}
    (tmp_path / "packed.zip").write_bytes(found.packed())
    assert gathered(tmp_path / "packed.zip") == found


def test_python_is_python_in_capitals(tmp_path: Path) -> None:
    (tmp_path / "AI.PY").write_text(MAIN)
    assert set(gathered(tmp_path / "AI.PY").files) == {"AI.py"}
    assert set(gathered(zipped(tmp_path / "a.zip", {"work/AI.Py": MAIN})).files) == {"AI.py"}


def test_a_lone_file_sees_nothing_of_the_file_beside_it(tmp_path: Path) -> None:
    needs_enclosure()
    laid_out(tmp_path)
    _, verdict, _ = game_of(tmp_path / "player.py")
    assert verdict.forfeit is not None
    assert "No module named 'Chessboard'" in verdict.forfeit.reason


def test_an_error_in_a_helper_is_told_with_its_file(tmp_path: Path) -> None:
    needs_enclosure()
    laid_out(tmp_path, FILES | {"Chessboard.py": HELPER.replace("size = len(board)", "size = 1 // 0")})
    _, verdict, _ = game_of(tmp_path)
    assert verdict.forfeit is not None
    assert "ZeroDivisionError" in verdict.forfeit.reason
    assert "(Chessboard.py, line 5)" in verdict.forfeit.reason


def test_a_module_of_ones_own_goes_before_the_courses(tmp_path: Path) -> None:
    needs_enclosure()
    files = {"board.py": HELPER, "ai.py": MAIN.replace("Chessboard", "board")}
    _, verdict, _ = game_of(laid_out(tmp_path, FILES | files | {"player.py": ""}))
    assert verdict.forfeit is None


def test_identity_is_the_content_of_all_files(tmp_path: Path) -> None:
    folder, other = laid_out(tmp_path / "one"), zipped(tmp_path / "another.zip", top="x/")
    first = Player.named(f"py:{folder}").fingerprint
    assert first == Player.named(f"py:{other}").fingerprint
    (folder / "tools" / "directions.py").write_text(DIRECTIONS + "\n")
    assert Player.named(f"py:{folder}").fingerprint != first
    lone = tmp_path / "a.py"
    lone.write_text(MAIN)
    assert Bundle({"b.py": MAIN.encode()}).fingerprint == Player.named(f"py:{lone}").fingerprint


def test_what_is_packed_is_the_same_player(tmp_path: Path) -> None:
    found = gathered(laid_out(tmp_path / "one"))
    (tmp_path / "packed").write_bytes(found.packed())
    assert gathered(tmp_path / "packed") == found


def test_odd_files_are_named_and_left_out(tmp_path: Path) -> None:
    secret = tmp_path / "secret.py"
    secret.write_text("PASSWORD = 1")
    folder = laid_out(tmp_path / "one")
    (folder / "out.py").symlink_to(secret)
    (folder / "zero.py").symlink_to("/dev/zero")
    (folder / "away").symlink_to(tmp_path)
    (folder / "round.py").symlink_to("round.py")
    (folder / "inside.py").symlink_to("player.py")
    (folder / "new\nline.py").write_text("")
    (folder / "large.py").write_bytes(b"#" * (1 << 20) + b"#")
    (folder / ".DS_Store").write_text("")
    (folder / "__pycache__").mkdir()
    os.mkfifo(folder / "pipe.py")
    Path(os.fsdecode(os.fsencode(folder) + b"/\xff.py")).write_text("")
    found = gathered(folder)
    assert set(found.files) == {*FILES, "inside.py"}
    reasons = dict(line.split(": ", 1) for line in found.left_out)
    assert reasons.pop("large.py") == "it has 1.0 MB"
    assert reasons.pop("pipe.py") == "it is not a file"
    assert {"out.py", "zero.py", "away", "round.py", "new?line.py", "?.py"} == set(reasons)
    assert "out of the folder" in reasons["out.py"]


def test_a_zip_writes_nowhere_and_swallows_no_memory(tmp_path: Path) -> None:
    path = zipped(tmp_path / "evil.zip", FILES | {"../up.py": "", "/root.py": "", "big.py": "#" * (3 << 20)})
    with zipfile.ZipFile(path, "a") as archive:
        link = zipfile.ZipInfo("link.py")
        link.external_attr = 0o120777 << 16
        archive.writestr(link, "/etc/passwd")
    found = gathered(path)
    assert set(found.files) == set(FILES)
    assert len(found.left_out) == 4
    with zipfile.ZipFile(tmp_path / "bomb.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("ai.py", MAIN)
        for number in range(3):
            archive.writestr(f"{number}.bin", bytes(4 << 20))
    with pytest.raises(ValueError, match="larger than 8 MB"):
        gathered(tmp_path / "bomb.zip")
    with zipfile.ZipFile(tmp_path / "large.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(50):
            archive.writestr(f"{number}.bin", bytes(4 << 20))
    tracemalloc.start()
    try:
        with pytest.raises(ValueError, match="larger than 8 MB"):
            gathered(tmp_path / "large.zip")
        assert tracemalloc.get_traced_memory()[1] < 40 << 20, "what is too much is not unpacked"
    finally:
        tracemalloc.stop()
    (tmp_path / "broken.zip").write_bytes((tmp_path / "bomb.zip").read_bytes()[3000:])
    with pytest.raises(ValueError, match=r"its zip file cannot be read|no Python file"):
        gathered(tmp_path / "broken.zip")


@pytest.mark.parametrize("kind", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_damaged_zip_is_told_whatever_is_damaged(tmp_path: Path, kind: int) -> None:
    path = tmp_path / "damaged.zip"
    with zipfile.ZipFile(path, "w", kind) as archive:
        archive.writestr("a/main.py", MAIN * 20)
        archive.writestr("a/x.bin", bytes(999))
    whole = path.read_bytes()
    for at in range(len(whole)):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 0xFF]) + whole[at + 1 :])
        with suppress(Fault):
            gathered(path)


def test_a_zip_with_too_long_a_list_of_files_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = zipped(tmp_path / "long.zip", FILES)
    with path.open("ab") as file:
        file.truncate(bundle.LARGEST_ZIP + 1)
    monkeypatch.setattr(zipfile, "ZipFile", None)
    with pytest.raises(Fault, match="larger than 8 MB"):
        gathered(path)


def test_a_folder_with_one_zip_in_it_is_that_zip(tmp_path: Path) -> None:
    (tmp_path / "Wang_12_file").mkdir()
    zipped(tmp_path / "Wang_12_file" / "homework.zip")
    assert set(gathered(tmp_path / "Wang_12_file").files) == set(FILES)


AN_AI = b"class AI:\n    def go(self, board): pass\n"


@pytest.mark.parametrize(
    ("files", "main"),
    [
        ({"x.py": b"import y\n" + AN_AI, "y.py": AN_AI}, "x.py"),
        ({"a.py": AN_AI, "Main.py": AN_AI, "b.py": AN_AI}, "Main.py"),
        ({"base.py": AN_AI.replace(b"AI", b"Base"), "z.py": b"from base import Base\nclass AI(Base): pass"}, "z.py"),
        ({"a.py": b"import os\nprint(", "b.py": AN_AI}, "b.py"),
        ({"src/a.py": AN_AI, "test.py": b"import os"}, "src/a.py"),
    ],
)
def test_the_main_file_is_the_one_with_the_player(files: dict[str, bytes], main: str) -> None:
    found = examine(files, "")
    assert (found.main, found.class_name, found.interface) == (main, "AI", "AI")


@pytest.mark.parametrize(
    ("files", "why"),
    [
        ({"x.py": AN_AI, "y.py": AN_AI}, r"several of its files have a player \(x.py, y.py\)"),
        ({"x.py": b"import y\n" + AN_AI, "y.py": b"import os"}, r"`import os` \(y.py, line 1\)"),
        ({"x.py": b"", "y.py": b""}, "no class AI"),
    ],
)
def test_what_is_wrong_with_the_files_is_said(files: dict[str, bytes], why: str) -> None:
    with pytest.raises(NotAPlayerError, match=why):
        examine(files, "")


def test_a_broken_file_is_told_where_no_other_has_a_player() -> None:
    with pytest.raises(SyntaxError):
        examine({"x.py": b"class AI:\n    def go(self", "y.py": b""}, "")
