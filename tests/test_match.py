"""Matches, from Python and from the command line."""

import json
import math
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import outflank
from outflank import Limit, match
from outflank.agents.agent import Agent
from outflank.agents.roster import ROSTER, Entry
from outflank.arena.contest import Conditions, Opening, Player
from outflank.arena.match import Count, MatchResult
from outflank.arena.record import Result
from outflank.arena.referee import Forfeit
from outflank.arena.statistics import Sprt
from outflank.arena.store import Store
from outflank.arena.text import duration_text, elo_text, match_line, match_text, signed
from outflank.board.game import Game
from outflank.board.squares import Color
from outflank.board.variant import OTHELLO, Variant
from outflank.cli.match import ProgressLine
from outflank.cli.match import match as command
from outflank.cli.report import report
from outflank.search.limits import Report
from outflank.work.workers import Here, Workers

KEYS = [
    *("players", "games", "wins", "draws", "losses", "score", "score_interval", "elo", "elo_interval", "margin"),
    *("margin_interval", "pentanomial", "superiority", "sprt", "llr", "decision", "forfeits"),
]
FORFEIT_KEYS = ["player", "game", "kind", "reason", "board", "seconds", "printed"]


def asked(capsys: pytest.CaptureFixture[str], a: str = "greedy", b: str = "random", **options: Any) -> dict[str, Any]:
    command(a, b, json=True, jobs=1, **options)
    answer: dict[str, Any] = json.loads(capsys.readouterr().out)
    return answer


def test_the_json_of_a_match(capsys: pytest.CaptureFixture[str]) -> None:
    answer = asked(capsys, games=20, variant="6x6")
    assert list(answer) == KEYS
    assert answer["players"] == ["greedy", "random"]
    assert answer["games"] == answer["wins"] + answer["draws"] + answer["losses"] == 20
    assert answer["score"] == (answer["wins"] + answer["draws"] / 2) / 20
    assert answer["elo"] == pytest.approx(-400 * math.log10(1 / answer["score"] - 1))
    low, high = answer["elo_interval"]
    assert low < answer["elo"] < high
    low, high = answer["margin_interval"]
    assert low < answer["margin"] < high
    low, high = answer["score_interval"]
    assert low < answer["score"] < high
    assert sum(answer["pentanomial"]) == 10
    assert 0 < answer["superiority"] < 1
    assert [answer[key] for key in ("sprt", "llr", "decision")] == [None, None, None]
    assert answer["forfeits"] == []


def test_games_are_rounded_up_to_pairs(capsys: pytest.CaptureFixture[str]) -> None:
    assert asked(capsys, games=3, variant="4x4")["games"] == 4
    assert asked(capsys, games=1, variant="4x4")["games"] == 2


def test_an_infinite_elo_is_null(capsys: pytest.CaptureFixture[str]) -> None:
    answer = asked(capsys, "alphabeta:depth=4", "random", games=24)
    assert (answer["wins"], answer["score"], answer["elo"]) == (24, 1, None)
    assert answer["elo_interval"][1] is None
    assert answer["elo_interval"][0] > 0


def test_the_result_is_the_first_players(capsys: pytest.CaptureFixture[str]) -> None:
    there = asked(capsys, "greedy", "minimax:depth=2", games=12, variant="6x6")
    back = asked(capsys, "minimax:depth=2", "greedy", games=12, variant="6x6")
    assert there["score"] == pytest.approx(1 - back["score"])
    assert there["margin"] == pytest.approx(-back["margin"])


def test_a_player_against_itself_is_even() -> None:
    """Both games of a pair are the same game when nobody throws dice: each pair is split."""
    result = match("alphabeta:depth=1", "alphabeta:depth=1", games=12)
    assert result.pentanomial == (0, 0, 6, 0, 0)
    assert (result.score, result.elo, result.margin) == (0.5, 0, 0)


def test_same_seed_same_match_and_other_seed_another() -> None:
    one = match("random", "random", games=20, variant="4x4", seed=1)
    assert match("random", "random", games=20, variant="4x4", seed=1) == one
    assert match("random", "random", games=20, variant="4x4", seed=2) != one


def test_a_limit_is_no_number() -> None:
    with pytest.raises(ValueError, match=r"a limit is a Limit, such as Limit\(time=1\), not 3"):
        match("greedy", "random", games=2, variant="4x4", limit=3)  # type: ignore[arg-type]


def test_match_is_public() -> None:
    assert outflank.match is match
    assert "match" in outflank.__all__
    result = match("greedy", "random", games=4, variant=Variant.named("4x4"), limit=Limit(depth=1))
    assert isinstance(result, MatchResult)


def test_both_games_of_a_pair_have_the_same_opening_and_swapped_colours(tmp_path: Path) -> None:
    path = tmp_path / "games.db"
    match("greedy", "random", games=10, variant="6x6", store=path, seed=3)
    with Store.existing(path) as store:
        games = list(store.games(store.events()[-1].contest))
    openings: dict[int, set[Opening]] = {}
    for game in games:
        openings.setdefault(game.at.pair, set()).add(game.record.opening)
        assert game.record.moves.startswith(game.record.opening.moves)
    assert all(len(found) == 1 for found in openings.values())
    assert len({found.pop() for found in openings.values()}) == 5
    assert sorted((game.at.pair, game.at.first_color) for game in games) == [
        (pair, color) for pair in range(5) for color in Color
    ]
    assert len({game.seed for game in games}) == 10


class Cheat(Agent):
    """Plays the lowest square, and on its third move something else."""

    def __init__(self) -> None:
        self.moves = 0

    def start(self, variant: Variant, color: Color, seed: int) -> None:
        self.moves = 0
        self.color = color

    def choose(self, game: Game, limit: Limit) -> Report:
        self.moves += 1
        if self.moves == 3 and self.color is Color.WHITE:
            raise ZeroDivisionError("oh")
        return Report(game.position.legal_moves[0] if self.moves < 3 else 64)


@pytest.fixture
def cheat(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(ROSTER, "cheat", Entry("cheat", "Tests.", Cheat))


def test_forfeits_are_losses_listed_apart_and_left_out_of_the_margin(
    cheat: None, capsys: pytest.CaptureFixture[str]
) -> None:
    answer = asked(capsys, "greedy", "cheat", games=4)
    assert (answer["wins"], answer["score"], answer["margin"]) == (4, 1, None)
    assert answer["margin_interval"] == [None, None]
    assert [(one["player"], one["game"]) for one in answer["forfeits"]] == [(1, 0), (1, 1), (1, 2), (1, 3)]
    assert [list(one) for one in answer["forfeits"]] == [FORFEIT_KEYS] * 4
    assert [one["kind"] for one in answer["forfeits"]] == ["crash", "illegal move"] * 2
    assert [one["board"][-1] for one in answer["forfeits"]] == ["O", "X"] * 2, "the side that was to move"
    assert all(one["seconds"] >= 0 for one in answer["forfeits"])
    # The first player has Black in the even games.
    assert answer["forfeits"][0]["reason"] == "crash: ZeroDivisionError: oh"
    assert answer["forfeits"][1]["reason"].startswith("illegal move: pass is not legal")
    mirrored = asked(capsys, "cheat", "greedy", games=2)
    assert [(one["player"], one["game"]) for one in mirrored["forfeits"]] == [(0, 0), (0, 1)]
    assert mirrored["losses"] == 2
    command("greedy", "cheat", games=2, jobs=1)
    text = capsys.readouterr().out
    assert "forfeits     2" in text
    assert "game 0: cheat, crash: ZeroDivisionError: oh" in text


def test_the_sprt_stops_a_match_that_is_clear(capsys: pytest.CaptureFixture[str]) -> None:
    answer = asked(capsys, "alphabeta:depth=2", "random", variant="6x6", sprt="0,10")
    assert (answer["sprt"], answer["decision"]) == ("0,10", "H1")
    assert answer["llr"] > 2.85
    assert answer["games"] < 200
    command("random", "alphabeta:depth=2", variant="6x6", sprt="0,10", jobs=1)
    text = capsys.readouterr().out
    assert "H0 accepted" in text
    assert "SPRT 0,10" in text


def result_of(points: float) -> Result:
    """A game that brought Black so many points."""
    return Result({0: Color.WHITE, 0.5: None, 1: Color.BLACK}[points], int(20 * points - 10))


def test_pairs_are_counted_in_the_order_of_the_schedule() -> None:
    """However games come in, a sequential test sees the same sequence and stops at the same pair."""
    sequence = [(1.0, 0.0)] * 40 + [(0.0, 1.0)] * 100  # each won by the first player twice, then lost twice
    games = [(pair, color, result_of(points[color])) for pair, points in enumerate(sequence) for color in Color]
    forward, backward = Count(Sprt(0, 50)), Count(Sprt(0, 50))
    for pair, color, result in games:
        forward.add(pair, color, result)
    for pair, color, result in reversed(games):
        backward.add(pair, color, result)
    assert forward.decision == backward.decision == "H1"
    assert forward.tally == backward.tally
    assert forward.tally.games < 80


def test_without_a_test_every_whole_pair_counts_in_whatever_order_it_ends() -> None:
    count = Count()
    for pair in (3, 1):
        for color in Color:
            count.add(pair, color, Result(None, None, Forfeit(Color.BLACK, f"time: in pair {pair}")))
    assert count.tally.games == 4
    assert [forfeit.game for forfeit in count.result(("a", "b")).forfeits] == [2, 3, 6, 7]


def test_half_a_pair_does_not_count() -> None:
    count = Count()
    count.add(0, Color.BLACK, result_of(1))
    assert count.result(("a", "b")) == MatchResult(("a", "b"))
    count.add(0, Color.WHITE, result_of(1))
    assert count.result(("a", "b")).games == 2


class Watched(Here):
    """Plays in this process and notes what it was given."""

    def __init__(self) -> None:
        super().__init__()
        self.given: list[int] = []

    def run(self, tasks: Any, keep: Any = None, stop: Any = None) -> Any:
        def noted() -> Any:
            for fixture, play in tasks:
                self.given.append(2 * fixture.pair + fixture.first_color)
                yield fixture, play

        return super().run(noted(), keep, stop)


def test_a_store_is_gone_on_with_and_a_longer_match_plays_only_the_rest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "games.db"
    given: list[list[int]] = []

    def watched(on: str, jobs: int) -> Workers:
        runner = Watched()
        given.append(runner.given)
        return runner

    monkeypatch.setattr("outflank.arena.match.workers_named", watched)
    short = match("greedy", "random", games=6, variant="4x4", store=path)
    assert match("greedy", "random", games=6, variant="4x4", store=path) == short
    long = match("greedy", "random", games=10, variant="4x4", store=path)
    match("greedy", "random", games=10, variant="4x4", store=path, seed=5)
    assert given == [[0, 1, 2, 3, 4, 5], [], [6, 7, 8, 9], list(range(10))]
    assert long == match("greedy", "random", games=10, variant="4x4")
    assert match("greedy", "random", games=6, variant="4x4", store=path) == short


def test_the_report_of_a_store_is_what_the_match_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = str(tmp_path / "games.db")
    answer = asked(capsys, games=10, variant="4x4", store=path, sprt="0,10")
    report(path, json=True)
    assert json.loads(capsys.readouterr().out) == answer
    command("greedy", "random", games=10, variant="4x4", store=path, sprt="0,10", jobs=1)
    text = capsys.readouterr().out
    report(path)
    assert capsys.readouterr().out == text
    report(path, csv=True)
    header, row = capsys.readouterr().out.splitlines()
    assert header.startswith(
        "player,opponent,games,wins,draws,losses,score,score_low,score_high,elo,elo_low,elo_high,margin"
    )
    assert row.startswith(f"greedy,random,10,{answer['wins']},")
    asked(capsys, games=4, variant="4x4", store=path)
    report(path)
    assert "This is event 2; --event shows another: 1 (match)" in capsys.readouterr().out
    report(path, event=1, json=True)
    assert json.loads(capsys.readouterr().out) == answer


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["greedy", "nobody"], "'nobody' is not an agent"),
        (["greedy", "human"], "a person cannot play here"),
        (["greedy", "random", "--games", "0"], "1 game or more"),
        (["greedy", "random", "--openings", "x:y"], "neither a kind of opening nor a file"),
        (["greedy", "random", "--clock", "1:00"], "write a clock in seconds"),
        (["greedy", "random", "--time", "0"], "more than 0 seconds"),
        (["greedy", "random", "--sprt", "10"], "two Elo differences"),
        (["greedy", "random", "--jobs", "0"], "--jobs must be 1 or more"),
        (["greedy", "random", "--variant", "9x9"], "4 to 8 rows"),
        (["greedy", "alphabeta:heuristic=./nowhere.py:edges"], "nowhere.py"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(arguments: list[str], said: str, refused: Callable[..., str]) -> None:
    assert said in refused("match", *arguments)


def test_there_is_no_progress_line_in_a_pipe(capsys: pytest.CaptureFixture[str]) -> None:
    command("greedy", "random", games=4, variant="4x4", jobs=1)
    out, err = capsys.readouterr()
    assert err == ""
    assert "\r" not in out


def test_the_progress_line_of_a_terminal(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setattr("outflank.cli.match.REFRESH_SECONDS", 0.0)
    monkeypatch.setenv("COLUMNS", "200")
    line = ProgressLine()
    result = match("greedy", "random", games=10, variant="4x4", sprt="0,10")
    line.show(lambda: match_line(result), 10, 100)
    time.sleep(0.01)
    line.show(lambda: match_line(result), 20, 90)
    line.clear()
    shown = capsys.readouterr().err
    last = shown.split("\r\x1b[K")[-2]
    assert re.fullmatch(
        r"10 games, \+\d+ =\d+ -\d+, [\d.]+ %, Elo \S+ \[\S+, \S+\], margin \S+ \[\S+, \S+\], LLR [+-][\d.]+,"
        r" [\d.e+]+ games/s, \d+:\d\d left",
        last,
    )
    assert shown.endswith("\r\x1b[K")


def test_a_narrow_terminal_sees_all_of_the_progress(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setattr("outflank.cli.match.REFRESH_SECONDS", 0.0)
    monkeypatch.setenv("COLUMNS", "60")
    line = ProgressLine()
    result = match("greedy", "random", games=10, variant="4x4", sprt="0,10")
    line.show(lambda: match_line(result), 10, 100)
    time.sleep(0.01)
    capsys.readouterr()
    line.show(lambda: match_line(result), 20, 90)
    line.clear()
    first, last = capsys.readouterr().err.split("\r\x1b[K")[1:]
    lines = first.replace("\x1b[A\x1b[K", "").split("\n")
    assert all(len(one) < 60 for one in lines)
    assert re.fullmatch(
        r"10 games, \+.*, Elo \S+ \[\S+, \S+\], margin \S+ \[\S+, \S+\], LLR \S+, \S+ games/s, \d+:\d\d left",
        " ".join(lines),
    )
    assert last == "\x1b[A\x1b[K" * (len(lines) - 1), "all of its lines are taken away again"


def test_what_happened_again_and_again_is_told_once() -> None:
    count = Count()
    for pair in range(50):
        for color in Color:
            count.add(pair, color, Result(color.other, None, Forfeit(color, "crash: SyntaxError: invalid syntax")))
    text = match_text(count.result(("mine", "theirs")))
    assert text.count("SyntaxError") == 1
    assert "100 games (0, 1, 2, 3, …): mine, crash: SyntaxError: invalid syntax" in text
    assert "margin       none: every game was forfeited" in text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(7.62e-6, "8 µs"), (0.000211, "0.21 ms"), (0.0179, "18 ms"), (0.9999, "1 s"), (1.34, "1.3 s"), (75.0, "75 s")],
)
def test_times_are_told_in_units_that_people_think_in(seconds: float, text: str) -> None:
    assert duration_text(seconds) == text


def test_nothing_has_no_sign_of_its_own() -> None:
    assert [signed(value) for value in (-0.4, 0.4, -0.6)] == ["+0", "+0", "-1"]
    assert elo_text(None, (None, None), 0.0) == "-∞ [-∞, +∞]"


def test_a_match_in_words() -> None:
    count = Count()
    for pair in range(4):
        for color in Color:
            count.add(pair, color, Result(color, 10 if color is Color.BLACK else -10))
    count.add(4, Color.BLACK, Result(Color.WHITE, None, Forfeit(Color.BLACK, "time: 2 s")))
    count.add(4, Color.WHITE, Result(None, 0))
    text = match_text(count.result(("mine", "theirs")))
    assert "mine against theirs: 10 games" in text
    assert "85.0 %  (8 won, 1 drawn, 1 lost)" in text
    assert "margin       +8.9 [" in text
    assert "pairs        0 1 0 0 4" in text
    assert "game 8: mine, time: 2 s" in text


def test_conditions_survive_their_text() -> None:
    conditions = Conditions(OTHELLO, Limit(time=1.5, nodes=100), "random:8", 9)
    assert Conditions.from_text(conditions.to_text()) == conditions


def test_a_player_is_named_by_its_canonical_spec() -> None:
    assert Player.named("alphabeta: depth=2 ").spec == "alphabeta:depth=2"


def test_ctrl_c_stops_cleanly_and_loses_nothing(tmp_path: Path) -> None:
    """At a terminal Ctrl-C reaches the program and all its workers."""
    path = tmp_path / "games.db"
    program = [str(Path(sys.executable).parent / "outflank")]
    settings = ["match", "alphabeta:depth=3", "mcts:playouts=200", "--games", "4000", "--json", "--store", str(path)]
    running = subprocess.Popen(
        [*program, *settings, "--jobs", "2"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
    )
    until = time.monotonic() + 300
    while stored(path) < 5 and running.poll() is None and time.monotonic() < until:
        time.sleep(0.05)
    os.killpg(running.pid, signal.SIGINT)
    out, err = running.communicate(timeout=120)
    assert running.returncode == 130, err
    answer = json.loads(out)
    assert b"Traceback" not in err
    assert b"run the same command to resume" in err
    assert stored(path) >= answer["games"] > 0
    with Store.existing(path) as store:
        numbers = [one.number for one in store.results(store.events()[-1].contest)]
    assert len(numbers) == len(set(numbers))


def test_a_seed_may_be_numpy_s() -> None:
    seeds = np.int64(3), 3
    played = [outflank.match("greedy", "random", games=6, variant="4x4", seed=seed) for seed in seeds]
    assert played[0].pentanomial == played[1].pentanomial and played[0].margin == played[1].margin
    tables = [outflank.tournament(["greedy", "random"], games=2, variant="4x4", seed=seed) for seed in seeds]
    wins = [[(row.player, row.wins, row.margins) for row in table.rows] for table in tables]
    assert wins[0] == wins[1]


def stored(path: Path) -> int:
    """How many games a store has by now."""
    if not path.exists():
        return 0
    try:
        with Store(path) as store:
            events = store.events()
            return len(store.results(events[-1].contest)) if events else 0
    except ValueError:
        return 0
