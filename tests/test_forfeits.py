"""What is told of a player's own fault: its kind, the position, the seconds, and the last lines that it printed."""

import json
import sqlite3
from pathlib import Path

import pytest
import typer
from enclosed import FILES, game_of, needs_enclosure, never_still
from hypothesis import given
from hypothesis import strategies as st

from outflank.agents.sandbox import wire
from outflank.arena import store as room
from outflank.arena.contest import Player
from outflank.arena.match import match
from outflank.arena.referee import KINDS
from outflank.arena.report.data import overview
from outflank.arena.store import Store
from outflank.board.position import Position
from outflank.board.squares import Color
from outflank.board.variant import Variant
from outflank.cli.check import check

FOUR = Variant.named("4x4")
FAULTS = {
    "illegal move": "return 'A1'",
    "time": "exec('while True: pass')",
    "memory": "self.kept = bytearray(10**10)",
    "crash": "1 / 0",
    "no answer": "return None",
    "forbidden": "__import__('socket').socket()",
}
PLAYER = """
class AIPlayer:
    def __init__(self, color):
        self.color = color

    def get_move(self, board):
        print("discs:", board.count("X") + board.count("O"))
        if board.count("X") + board.count("O") > 4:
            {fault}
        return sorted(board.get_legal_actions(self.color))[0]
"""


def player(folder: Path, fault: str) -> Path:
    file = folder / f"{fault.replace(' ', '_')}.py"
    file.write_text(PLAYER.format(fault=FAULTS[fault]))
    return file


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_of_fault_is_kept_with_where_it_happened(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    needs_enclosure()
    never_still(monkeypatch)
    spec = f'py:"{player(tmp_path, kind)}",time={3 if kind == "time" else 60}'
    result = match(spec, "greedy", games=2, variant="4x4", openings="start", store=tmp_path / "games.db")
    with Store.existing(tmp_path / "games.db") as store:
        games = list(store.games(store.event().contest))
        told = overview(store, store.event()).summary["forfeits"]
    assert [one.kind for one in result.forfeits] == [kind] * 2
    for game, forfeit, shown in zip(games, result.forfeits, told, strict=True):
        before = Position.from_text(forfeit.board or "", FOUR)
        color = game.at.first_color
        assert before.turn is color
        assert before.count(Color.BLACK) + before.count(Color.WHITE) == 4 + len(game.record.moves) // 2 > 4
        assert forfeit.seconds is not None and (forfeit.seconds >= 3 if kind == "time" else forfeit.seconds < 60)
        assert f"discs: {4 + len(game.record.moves) // 2}" in forfeit.printed.splitlines(), (
            "also of a process that died"
        )
        assert forfeit.reason.startswith(f"{kind}: ")
        assert {name: shown[name] for name in game.at.result.forfeit.account} == game.at.result.forfeit.account  # type: ignore[union-attr]
    if kind == "crash":
        assert result.forfeits[0].printed.splitlines()[-1] == "ZeroDivisionError: division by zero"


def test_a_process_that_is_killed_has_told_its_last_lines(tmp_path: Path) -> None:
    needs_enclosure()
    file = tmp_path / "segfault.py"
    file.write_text(PLAYER.format(fault="__import__('ctypes').string_at(0)"))
    _, verdict, _ = game_of(file)
    assert verdict.forfeit is not None
    assert (verdict.forfeit.kind, verdict.forfeit.printed.splitlines()[-1]) == ("crash", "discs: 6")


def test_who_prints_without_end_loses_nothing_by_it_and_little_is_kept(tmp_path: Path) -> None:
    needs_enclosure()
    _, verdict, noisy = game_of(FILES / "honest" / "noisy_player.py")
    assert verdict.forfeit is None
    assert set(noisy.printed) == {"…", "x", "y", "\n"} or set(noisy.printed) == {"…", "y"}
    assert len(noisy.printed) <= wire.PRINTED + 1


@given(st.text())
def test_what_was_printed_is_shown_in_a_few_printable_lines(text: str) -> None:
    kept = wire.last_lines(text * 50)
    assert len(kept) <= wire.PRINTED + 1
    assert kept.count("\n") < wire.PRINTED_LINES
    assert all(mark.isprintable() or mark == "\n" for mark in kept)


def test_the_last_lines_are_kept() -> None:
    lines = [f"line {number}\t{number}" for number in range(100)]
    assert wire.last_lines("\n".join(lines)).splitlines() == [
        line.expandtabs(4) for line in lines[-wire.PRINTED_LINES :]
    ]
    assert wire.last_lines("a\x1b[31m\x00b") == "a?[31m?b"


def test_a_store_of_before_has_forfeits_without_their_account(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As a store of version 3 has them, whose games had no columns for it."""
    path = tmp_path / "games.db"
    with monkeypatch.context() as before:
        before.setattr(room, "MIGRATIONS", room.MIGRATIONS[:3])
        Store(path).close()
    with sqlite3.connect(path) as database:
        database.execute("INSERT INTO players VALUES (1, 'a', ''), (2, 'b', '')")
        database.execute("INSERT INTO contests VALUES (1, '{}', NULL)")
        values = (
            1,
            1,
            1,
            2,
            0,
            0,
            1,
            None,
            0,
            "crash: oh",
            *(0,) * 8,
            "",
            "",
            "",
            *("[]",) * 4,
            "4x4",
            "{}",
            1,
            "0",
            0,
        )
        database.execute(f"INSERT INTO games VALUES ({', '.join('?' * len(values))})", values)
    with Store.existing(path) as store:
        ((one,), (whole,)) = store.results(1), list(store.games(1))
        assert (one.first, one.result.winner) == (Player("a"), Color.WHITE)
    assert one.result.forfeit is not None and whole.at == one
    assert (one.result.forfeit.kind, one.result.forfeit.color) == ("crash", Color.BLACK)
    assert (one.result.forfeit.board, one.result.forfeit.seconds, one.result.forfeit.printed) == (None, None, "")


def test_a_check_tells_the_kind_of_fault_and_what_was_printed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    needs_enclosure()
    file = str(player(tmp_path, "no answer"))
    with pytest.raises(typer.Exit):
        check(file, variant="4x4", json=True)
    wrong = [case for case in json.loads(capsys.readouterr().out)["cases"] if not case["ok"]]
    assert {case["fault"] for case in wrong} == {"no answer"}
    assert all(case["printed"].splitlines()[-1].startswith("discs: ") for case in wrong)
    with pytest.raises(typer.Exit):
        check(file, variant="4x4")
    assert "The last thing it printed:\ndiscs: " in capsys.readouterr().out
