"""Tournaments: formats, tables, the course's points, and a store that survives everything."""

import csv
import io
import json
import os
import random
import re
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from killing import killed_in_a_contest

from outflank.agents.agent import Agent
from outflank.agents.roster import ROSTER, Entry
from outflank.arena.contest import Conditions, Player
from outflank.arena.openings import openings_named
from outflank.arena.record import Effort, Result
from outflank.arena.referee import Forfeit
from outflank.arena.standings import standings
from outflank.arena.store import Store
from outflank.arena.text import standings_text
from outflank.arena.tournament import Plan, Tournament, tournament
from outflank.board.game import Game
from outflank.board.squares import Color
from outflank.board.variant import Variant
from outflank.cli.report import report
from outflank.cli.tournament import tournament as command
from outflank.search.limits import Limit, Report
from outflank.work.workers import Here

PLAYERS = ["random", "greedy", "alphabeta:depth=1", "minimax:depth=2"]
A, B, C = Player("a"), Player("b"), Player("c")
BLACK, WHITE = Color


def asked(capsys: pytest.CaptureFixture[str], players: list[str] | None = None, **options: Any) -> dict[str, Any]:
    command(PLAYERS if players is None else players, json=True, jobs=1, **options)
    answer: dict[str, Any] = json.loads(capsys.readouterr().out)
    return answer


def games_of(path: Path) -> list[tuple[str, str, int, int]]:
    """Every stored game by its place in the schedule."""
    with Store.existing(path) as store:
        return sorted(
            (one.first.spec, one.second.spec, one.pair, int(one.first_color))
            for contest in {event.contest for event in store.events()}
            for one in store.results(contest)
        )


def schedule(players: list[str], pairs: int) -> list[tuple[str, str, int, int]]:
    """Every game of a round robin."""
    ordered = sorted(players)
    return sorted(
        (first, second, pair, color)
        for index, first in enumerate(ordered)
        for second in ordered[index + 1 :]
        for pair in range(pairs)
        for color in (0, 1)
    )


# The table


def won(color: Color, score: int = 10) -> Result:
    return Result(color, score if color is BLACK else -score, None, (Effort(3, 0.6, 0.3, 6.0), Effort(3, 0.3, 0.2, 0)))


def test_the_table_of_three_players() -> None:
    played = {
        (A, B): {(0, BLACK): won(BLACK), (0, WHITE): won(WHITE, 20)},
        (A, C): {(0, BLACK): won(BLACK), (0, WHITE): Result(None, 0)},
        (B, C): {(0, BLACK): Result(WHITE, None, Forfeit(BLACK, "time: 9 s")), (0, WHITE): won(WHITE)},
    }
    table = standings("round-robin", "othello", [C, B, A], played, 6, anchor=C)
    first = table.rows[0]
    assert (first.rank, first.wins, first.draws, first.losses, first.points) == (1, 3, 1, 0, 3.5)
    assert first.margins.mean == pytest.approx((10 + 20 + 10 + 0) / 4)
    by_name = {row.player: row for row in table.rows}
    assert by_name[C].rating.value == 0
    assert by_name[B].forfeits == 1
    assert by_name[B].margins.games == 3
    # Black's six plies of depth in three moves, White's none: A had Black twice and White once in games with effort.
    assert (by_name[A].moves, by_name[A].slowest) == (9, 0.3)
    assert by_name[A].seconds_a_move == pytest.approx((0.6 + 0.3 + 0.6) / 9)
    assert by_name[A].depth == pytest.approx(12 / 9)
    here, there = [row.player for row in table.rows].index(A), [row.player for row in table.rows].index(B)
    assert table.cross[here][there] == (2, 2)
    assert table.cross[there][here] == (0, 2)
    assert table.cross[here][here] is None
    # 37-27 and 42-22; the forfeited game of the others has no discs.
    assert (table.discs[here][there], table.discs[there][here]) == ((79, 49), (49, 79))
    last = [row.player for row in table.rows].index(C)
    assert (table.discs[there][last], table.discs[last][last]) == ((37, 27), None)
    fewest = standings("round-robin", "reversed", [C, B, A], played, 6)
    order = [row.player for row in fewest.rows]
    assert fewest.discs[order.index(A)][order.index(B)] == (49, 79), "who wins has fewer"
    text = standings_text(table)
    assert "79-49" in text
    assert re.search(r"total$", text, re.MULTILINE)
    assert "148-108" in text, "in all: 37-27, 42-22, 37-27 and 32-32"
    assert [(one.player, one.opponent, one.game) for one in table.forfeits] == [("b", "c", 0)]


def test_the_course_gives_five_points_and_takes_five() -> None:
    played = {
        (A, B): {(0, BLACK): won(BLACK), (0, WHITE): won(BLACK)},
        (A, C): {(0, BLACK): won(BLACK), (0, WHITE): Result(None, 0)},
        (B, C): {(0, BLACK): won(BLACK), (0, WHITE): Result(None, 0)},
    }
    table = standings("round-robin", "reversed", [A, B, C], played, 6, course=True)
    points = {row.player: (row.course_points, row.rank) for row in table.rows}
    assert points == {A: (5, 1), B: (5, 1), C: (-10, 3)}


# The command


def test_a_round_robin_plays_every_pair_and_rates_the_stronger_higher(capsys: pytest.CaptureFixture[str]) -> None:
    answer = asked(capsys, games=20, variant="6x6", anchor="random")
    assert (answer["format"], answer["variant"], answer["anchor"]) == ("round-robin", "6x6", "random")
    assert answer["games"] == answer["scheduled"] == 120
    assert [row["rank"] for row in answer["players"]] == [1, 2, 3, 4]
    names = [row["player"] for row in answer["players"]]
    assert set(names[2:]) == {"random", "greedy"}
    anchored = answer["players"][names.index("random")]
    assert (anchored["rating"], anchored["rating_interval"]) == (0, [0, 0])
    for row in answer["players"]:
        assert row["games"] == row["wins"] + row["draws"] + row["losses"] == 60
        assert row["seconds_a_move"] > 0
    assert answer["players"][names.index("minimax:depth=2")]["depth"] == pytest.approx(2, abs=0.3)
    assert answer["players"][names.index("random")]["depth"] is None
    for here in range(4):
        for there in range(4):
            cell = answer["cross"][here][there]
            assert cell is None if here == there else cell[1] == 20
            if cell:
                assert cell[0] + answer["cross"][there][here][0] == 20
    assert len(answer["meetings"]) == 6
    for meeting in answer["meetings"]:
        here, there = meeting["players"]
        assert here < there
        assert [meeting["points"], meeting["games"]] == answer["cross"][here][there]
        assert sum(meeting["pentanomial"]) == 10
        assert sum(count * half for half, count in enumerate(meeting["pentanomial"])) / 2 == meeting["points"]
        low, high = meeting["score_interval"]
        assert low < meeting["points"] / 20 < high or meeting["points"] in (0, 20)
        assert (meeting["superiority"] > 0.5) == (meeting["points"] > 10)
    assert answer["forfeits"] == []


@pytest.mark.parametrize(("form", "most"), [("gauntlet", 3), ("swiss", 4), ("ladder", 6)])
def test_the_other_formats(capsys: pytest.CaptureFixture[str], form: str, most: int) -> None:
    answer = asked(capsys, form=form, games=2, variant="4x4")
    assert answer["format"] == form
    assert 2 * 3 <= answer["games"] <= answer["scheduled"] == 2 * most
    if form == "gauntlet":
        met = [row["player"] for row in answer["players"]].index("random")
        assert sum(cell is not None for cell in answer["cross"][met]) == 3


def test_course_mode_plays_two_games_from_the_start(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "class.db"
    answer = asked(capsys, course=True, variant="reversed-6x6", store=str(path))
    assert answer["games"] == 12
    assert sum(row["course_points"] for row in answer["players"]) == 0
    points = [row["course_points"] for row in answer["players"]]
    assert points == sorted(points, reverse=True)
    for row in answer["players"]:
        assert row["course_points"] == 5 * (row["wins"] - row["losses"])
    with Store.existing(path) as store:
        games = list(store.games(store.events()[-1].contest))
    assert all(game.record.opening.moves == "" for game in games)


def test_a_player_added_later_plays_only_its_missing_pairs(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "class.db"
    asked(capsys, PLAYERS[:3], course=True, variant="4x4", store=str(path))
    before = games_of(path)
    assert before == schedule(PLAYERS[:3], 1)
    with Store.existing(path) as store:
        ended = {game.ended for game in store.games(1)}
    asked(capsys, PLAYERS, course=True, variant="4x4", store=str(path))
    assert games_of(path) == schedule(PLAYERS, 1)
    with Store.existing(path) as store:
        new = [game for game in store.games(1) if game.ended not in ended]
    assert len(new) == 6
    assert all("minimax:depth=2" in (game.at.first.spec, game.at.second.spec) for game in new)
    # And by --resume, which needs no settings.
    answer = asked(capsys, ["corner-shy:depth=1"], resume=str(path))
    assert answer["course"]
    assert games_of(path) == schedule([*PLAYERS, "corner-shy:depth=1"], 1)


def test_the_order_in_which_players_are_named_does_not_matter(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "games.db"
    one = asked(capsys, PLAYERS, games=4, variant="4x4", store=str(path))
    other = asked(capsys, PLAYERS[::-1], games=4, variant="4x4", store=str(path))
    assert len(games_of(path)) == one["games"] == 24
    assert one["players"] == other["players"]


def test_a_tournament_from_a_file(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "cup.toml"
    file.write_text(
        'players = ["random", "greedy", "mcts"]\nvariant = "4x4"\ngames = 4\nplayouts = 20\nanchor = "greedy"\n'
        'openings = "random:2"\nseed = 3\n'
    )
    answer = asked(capsys, [str(file)])
    assert (answer["variant"], answer["games"], answer["anchor"]) == ("4x4", 12, "greedy")
    assert asked(capsys, [str(file)], games=2)["games"] == 6
    file.write_text('players = ["random", "greedy"]\nboard = "4x4"\n')
    with pytest.raises(ValueError, match="no setting 'board'"):
        command([str(file)])
    file.write_text('players = ["random", "greedy"]\ngames = "4"\n')
    with pytest.raises(ValueError, match="games cannot be '4'"):
        command([str(file)])
    file.write_text("players = [1, 2]\n")
    with pytest.raises(ValueError, match="list of texts"):
        command([str(file)])
    file.write_text("players = [\n")
    with pytest.raises(ValueError, match=r"cup\.toml"):
        command([str(file)])


def test_one_text_is_one_player_and_not_its_letters() -> None:
    with pytest.raises(ValueError, match="2 players or more"):
        tournament("greedy")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["greedy"], "2 players or more"),
        (["greedy", "greedy"], "named twice"),
        (["greedy", "random", "--format", "knock-out"], "one of round-robin, gauntlet, swiss, ladder"),
        (["greedy", "random", "--games", "0"], "1 game or more"),
        (["greedy", "random", "--anchor", "mcts"], "not one of the players"),
        (["greedy", "random", "--course", "--games", "4"], "course mode"),
        (["greedy", "random", "--course", "--format", "swiss"], "course mode"),
        (["--resume", "nowhere.db"], "no store nowhere.db"),
        (["--resume", "nowhere.db", "--games", "4"], "leave out --games"),
        ([""], "the agent's name is missing"),
        (["nowhere.toml"], "there is no file or folder nowhere.toml"),
        (["/nowhere/at/all"], "there is no file or folder /nowhere/at/all"),
        (["/nowhere/at/all", "greedy"], "there is no file or folder /nowhere/at/all"),
        (["greedy", "nobody", "--store", "made-for-nothing.db"], "'nobody' is not an agent"),
        (["greedy", "alphabeta:heuristic=./nowhere.py:edges"], "nowhere.py"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(arguments: list[str], said: str, refused: Callable[..., str]) -> None:
    assert said in refused("tournament", *arguments)
    assert not Path("made-for-nothing.db").exists()


class Quitter(Agent):
    """Always fails."""

    def choose(self, game: Game, limit: Limit) -> Report:
        raise MemoryError


def test_the_report_of_a_store_is_what_the_tournament_printed(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(ROSTER, "quitter", Entry("quitter", "Tests.", Quitter))
    path = str(tmp_path / "games.db")
    players = ["greedy", "quitter", "random"]
    answer = asked(capsys, players, games=4, variant="4x4", store=path)
    assert {(one["player"], one["reason"]) for one in answer["forfeits"]} == {("quitter", "memory")}
    assert len(answer["forfeits"]) == 8
    report(path, json=True)
    assert json.loads(capsys.readouterr().out) == answer
    command(players, games=4, variant="4x4", store=path, jobs=1)
    text = capsys.readouterr().out
    assert "    8 games: quitter, memory" in text
    assert "4/4" in text
    report(path)
    assert capsys.readouterr().out == text
    report(path, csv=True)
    rows = list(csv.reader(io.StringIO(capsys.readouterr().out)))
    assert [row[1] for row in rows[1:]] == [row["player"] for row in answer["players"]]
    assert rows[0][-3:] == [f"against {row['player']}" for row in answer["players"]]
    with pytest.raises(ValueError, match="not both"):
        report(path, json=True, csv=True)
    with pytest.raises(ValueError, match="has no event 7: it has 1"):
        report(path, event=7)


def test_openings_of_a_file_are_not_needed_to_go_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, path = tmp_path / "lines.txt", str(tmp_path / "games.db")
    file.write_text("f5d6c3\nf5f6e6\n")
    asked(capsys, ["random", "greedy"], games=4, openings=str(file), store=path)
    file.unlink()
    assert asked(capsys, ["alphabeta:depth=1"], resume=path)["games"] == 12
    with Store.existing(Path(path)) as store:
        openings = {game.record.opening.moves for game in store.games(1)}
    assert openings == {"f5d6c3", "f5f6e6"}


def test_openings_of_another_judge_are_not_mixed_in() -> None:
    openings = openings_named("balanced:2", Variant.named("4x4"), 0)
    conditions = Conditions(Variant.named("4x4"), Limit(), "balanced:2 by somebody else", 0)
    with Store() as store, Here() as runner, pytest.raises(ValueError, match="somebody else"):
        Tournament(Plan((Player("greedy"), Player("random"))), conditions, openings, store).play(runner)


# Killed


def outflank(*arguments: str) -> subprocess.Popen[bytes]:
    program = str(Path(sys.executable).parent / "outflank")
    return subprocess.Popen([program, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def stored(path: Path) -> int:
    """How many games a store has by now."""
    try:
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as database:
            return int(database.execute("SELECT count(*) FROM games").fetchone()[0])
    except sqlite3.OperationalError:
        return 0  # not there yet, or just being made


def gone(pid: int, patience: float = 60.0) -> bool:
    """Whether a process ends soon; one that nobody waits for may stay as a zombie."""
    until = time.monotonic() + patience
    while time.monotonic() < until:
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except FileNotFoundError:
            return True
        if state == "Z":
            return True
        time.sleep(0.02)
    return False


def killed_again_and_again(path: Path, arguments: list[str], total: int, jobs: list[int], dice: random.Random) -> int:
    """Runs a tournament once with each number of jobs, kills it at random moments, and at last runs it to its end.
    How often it was killed in its work."""
    struck = 0
    for number in jobs:
        target, calls = dice.randrange(1, max(total // (len(jobs) + 2), 2)), dice.randrange(2000)
        code, workers = killed_in_a_contest(target, calls, [*arguments, "--jobs", str(number)], path.parent)
        struck += code == -signal.SIGKILL
        assert all(gone(worker) for worker in workers), "a worker has outlived its tournament"
        now = games_of(path)
        assert len(now) == len(set(now))
    last = outflank(*arguments, "--jobs", "1")
    _, err = last.communicate(timeout=600)
    assert last.returncode == 0, err
    return struck


def moves_of(path: Path) -> dict[tuple[str, str, int, int], str]:
    with Store.existing(path) as store:
        return {
            (game.at.first.spec, game.at.second.spec, game.at.pair, int(game.at.first_color)): game.record.moves
            for game in store.games(store.events()[-1].contest)
        }


def test_a_tournament_killed_at_random_moments_ends_with_exactly_its_games(tmp_path: Path) -> None:
    players = [*PLAYERS, "minimax:heuristic=mobility,depth=1"]
    settings = ["tournament", *players, "--games", "20", "--variant", "6x6", "--seed", "8"]
    path = tmp_path / "killed.db"
    arguments = [*settings, "--store", str(path)]
    assert killed_again_and_again(path, arguments, 200, [2, 1, 1], random.Random(6)) == 3
    assert games_of(path) == schedule(players, 10)
    with Store(tmp_path / "quiet.db") as store, Here() as runner:
        openings = openings_named("", Variant.named("6x6"), 8)
        conditions = Conditions(Variant.named("6x6"), Limit(), openings.name, 8)
        Tournament(Plan(tuple(map(Player, players)), games=20), conditions, openings, store).play(runner)
    assert moves_of(path) == moves_of(tmp_path / "quiet.db")


@pytest.mark.slow
def test_twenty_players_killed_ten_times(tmp_path: Path) -> None:
    heuristics = ["discs", "parity", "mobility", "corners", "stability", "static", "combined"]
    players = ["random", "greedy", "phased:depth=1", "self-taught:depth=1", "corner-shy:depth=1", "dynamic:depth=1"]
    players += [f"minimax:heuristic={name},depth={depth}" for name in heuristics for depth in (1, 2)]
    assert len(players) == 20
    path = tmp_path / "killed.db"
    arguments = ["tournament", *players, "--games", "4", "--variant", "6x6", "--store", str(path)]
    assert killed_again_and_again(path, arguments, 760, [2] * 10, random.Random(20)) >= 8
    canonical = [str(Player.named(player)) for player in players]
    assert games_of(path) == schedule(canonical, 2)
    assert len(games_of(path)) == 2 * 2 * 190


def test_ctrl_c_shows_the_table_so_far_and_the_store_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "games.db"
    running = subprocess.Popen(
        [
            *(str(Path(sys.executable).parent / "outflank"), "tournament", "random", "mcts:playouts=300", "greedy"),
            *("--games", "2000", "--store", str(path), "--jobs", "2", "--json"),
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    while running.poll() is None and stored(path) < 3:
        time.sleep(0.05)
    os.killpg(running.pid, signal.SIGINT)
    out, err = running.communicate(timeout=120)
    assert running.returncode == 130, err
    assert b"Traceback" not in err
    answer = json.loads(out)
    assert 3 <= answer["games"] < 6000
    assert stored(path) == answer["games"]


def test_who_has_not_moved_has_no_slowest_move() -> None:
    table = standings("round-robin", "4x4", [Player("greedy"), Player("random")], {}, 2)
    assert [row.to_dict(False)["slowest_move"] for row in table.rows] == [None, None]
