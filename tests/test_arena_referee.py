"""The referee: rules, limits, forfeits, and what is recorded."""

import json
import math
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outflank.agents.agent import Agent
from outflank.agents.roster import ROSTER, Entry
from outflank.agents.spec import agent
from outflank.arena import referee
from outflank.arena.contest import Fixture, Opening, Player, parse_clock
from outflank.arena.record import record_of
from outflank.arena.table import Table
from outflank.board.game import Game
from outflank.board.squares import PASS, Color
from outflank.board.variant import OTHELLO, Variant
from outflank.search.limits import Clock, Limit, Report

FREE = (Limit(), Limit())


class Scripted(Agent):
    """Plays the lowest square, unless it is told to do something else at one of its moves."""

    def __init__(self, strange: Callable[[Game], Any] | None = None, at: int = 3) -> None:
        self.strange, self.at = strange, at
        self.started: list[tuple[Variant, Color, int]] = []
        self.limits: list[Limit] = []

    def start(self, variant: Variant, color: Color, seed: int) -> None:
        self.started.append((variant, color, seed))

    def choose(self, game: Game, limit: Limit) -> Report:
        self.limits.append(limit)
        if self.strange is not None and len(self.limits) == self.at:
            return self.strange(game)  # type: ignore[no-any-return]
        return Report(game.position.legal_moves[0], score=1.5, depth=2, nodes=7)


def raising(error: BaseException) -> Callable[[Game], Any]:
    def strange(game: Game) -> Any:
        raise error

    return strange


@given(st.integers(0, 2**32 - 1), st.sampled_from(["othello", "reversed", "6x6", "reversed-4x5", "4x4-parallel"]))
def test_a_game_is_legal_and_ends_by_the_rules(seed: int, name: str) -> None:
    variant = Variant.named(name)
    game = Game(variant)
    verdict = referee.play(game, [agent("random"), agent("random")], FREE, seed)
    assert verdict.forfeit is None
    assert game.position.is_over
    assert len(verdict.decisions) == sum(move != PASS for move in game.moves)
    assert Game.from_transcript(game.transcript, variant).position == game.position
    record = record_of(game, Opening(), verdict)
    outcome = game.position.outcome()
    assert outcome is not None
    assert (record.result.winner, record.result.score) == (outcome.winner, outcome.score)


def test_players_are_told_the_variant_their_colour_and_the_seed() -> None:
    black, white = Scripted(), Scripted()
    referee.play(Game(), [black, white], FREE, 99)
    assert black.started == [(OTHELLO, Color.BLACK, 99)]
    assert white.started == [(OTHELLO, Color.WHITE, 99)]


def test_every_move_has_its_score_seconds_and_depth_in_the_game() -> None:
    game = Game.from_transcript("f5d6c3")
    verdict = referee.play(game, [Scripted(), Scripted()], FREE, 0)
    nodes = [node for node in game.line if node.move != PASS]
    assert all(node.seconds is None for node in nodes[:3])
    assert all(
        node.score == 1.5 and node.text == "depth 2" and node.seconds is not None and node.seconds >= 0
        for node in nodes[3:]
    )
    record = record_of(game, Opening(moves="f5d6c3"), verdict)
    assert record.moves.startswith("f5d6c3")
    lists = [json.loads(text) for text in (record.seconds, record.scores, record.depths, record.nodes)]
    assert [len(values) for values in lists] == [len(nodes) - 3] * 4
    assert set(lists[1]) == {1.5}
    assert set(lists[2]) == {2}
    assert set(lists[3]) == {7}
    black, white = record.result.efforts
    assert black.moves + white.moves == len(nodes) - 3
    assert black.depth == 2 * black.moves
    assert black.slowest <= black.seconds


def unsaid(game: Game) -> Report:
    return Report(game.position.legal_moves[0], score=math.inf)


def test_a_record_is_json_whatever_a_player_says() -> None:
    game = Game(Variant.named("4x4"))
    verdict = referee.play(game, [Scripted(unsaid, at=1), Scripted()], FREE, 0)
    scores = json.loads(record_of(game, Opening(), verdict).scores)
    assert scores[0] is None


def odd(move: Any) -> Report:
    """A report with a move that is no number of a square."""
    return Report(move)


def moved_cursor(game: Game) -> Report:
    game.push(game.position.legal_moves[0])
    return Report(game.position.legal_moves[0])


def taken_back(game: Game) -> Report:
    move = game.position.legal_moves[0]
    game.push(move)
    game.pop()
    return Report(move)


@pytest.mark.parametrize(
    ("strange", "reason"),
    [
        (lambda game: Report(63), "illegal move: h8 is not legal: White would turn no discs there"),
        (lambda game: Report(PASS), "illegal move: pass is not legal"),
        (lambda game: Report(-1), "illegal move"),
        (lambda game: Report(1000), "illegal move"),
        (lambda game: odd(None), "illegal move: None is not a square"),
        (lambda game: odd("d3"), "illegal move: 'd3' is not a square"),
        (lambda game: odd(19.0), "illegal move: 19.0 is not a square"),
        (lambda game: None, "no answer: it returned nothing"),
        (lambda game: 19, "crash: it answered with int"),
        (moved_cursor, "forbidden: it changed the game"),
        (raising(KeyError("x")), "crash: KeyError: 'x'"),
        (raising(SystemExit(3)), "crash: SystemExit: 3"),
        (raising(RecursionError()), "crash: RecursionError"),
        (raising(MemoryError()), "memory"),
        (raising(TimeoutError("no answer")), "time: no answer"),
        (raising(ValueError("line one\nline two")), "crash: ValueError: line one line two"),
    ],
)
def test_whoever_breaks_the_rules_forfeits(strange: Callable[[Game], Any], reason: str) -> None:
    game = Game()
    verdict = referee.play(game, [Scripted(), Scripted(strange)], FREE, 0)
    assert verdict.forfeit is not None
    assert verdict.forfeit.color is Color.WHITE
    assert verdict.forfeit.reason.startswith(reason)
    assert len(verdict.decisions) == 5
    outcome = game.outcome()
    assert outcome is not None
    assert outcome.winner is Color.BLACK
    result = record_of(game, Opening(), verdict).result
    assert result.points(Color.BLACK) == 1
    assert result.points(Color.WHITE) == 0
    assert result.margin(Color.BLACK) is None
    assert result.margin(Color.WHITE) is None


def test_a_player_may_try_moves_on_the_game_if_it_takes_them_back() -> None:
    game = Game()
    assert referee.play(game, [Scripted(), Scripted(taken_back)], FREE, 0).forfeit is None


def test_a_reason_is_never_longer_than_a_table_can_hold() -> None:
    verdict = referee.play(Game(), [Scripted(raising(ValueError("x" * 10**6)), at=1), Scripted()], FREE, 0)
    assert verdict.forfeit is not None
    assert len(verdict.forfeit.reason) < 400


def test_ctrl_c_is_nobodys_forfeit() -> None:
    with pytest.raises(KeyboardInterrupt):
        referee.play(Game(), [Scripted(raising(KeyboardInterrupt())), Scripted()], FREE, 0)


class Hourglass:
    """A clock that only players move."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 0.0
        monkeypatch.setattr(referee, "time", SimpleNamespace(perf_counter=lambda: self.now))


class Slow(Scripted):
    """Takes its time."""

    def __init__(self, hourglass: Hourglass, seconds: Callable[[int], float]) -> None:
        super().__init__()
        self.hourglass, self.seconds = hourglass, seconds

    def choose(self, game: Game, limit: Limit) -> Report:
        self.hourglass.now += self.seconds(len(self.limits))
        return super().choose(game, limit)


@pytest.mark.parametrize(("over", "forfeits"), [(0.0, False), (0.19, False), (0.21, True)])
def test_a_move_over_its_time_and_the_tolerance_forfeits(
    monkeypatch: pytest.MonkeyPatch, over: float, forfeits: bool
) -> None:
    hourglass = Hourglass(monkeypatch)
    late = Slow(hourglass, lambda move: 1 + over if move == 4 else 0.5)
    game = Game()
    verdict = referee.play(game, [late, Scripted()], [Limit(time=1), Limit(time=1)], 0)
    assert (verdict.forfeit is not None) == forfeits
    if verdict.forfeit:
        lost = referee.Forfeit(Color.BLACK, "time: 1.21 s for a move of 1 s", game.position.text, 1.21)
        assert (verdict.forfeit, verdict.forfeit.kind) == (lost, "time")
        assert len(late.limits) == 5


def test_the_clock_runs_down_and_is_shown_to_the_player(monkeypatch: pytest.MonkeyPatch) -> None:
    black = Slow(Hourglass(monkeypatch), lambda move: 2.0)
    referee.play(Game(), [black, Scripted()], [Limit(clock=Clock(60, 0.5))] * 2, 0)
    assert [limit.clock for limit in black.limits[:3]] == [Clock(60, 0.5), Clock(58.5, 0.5), Clock(57, 0.5)]


def test_a_clock_that_runs_out_forfeits_and_the_tolerance_is_not_given_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    black = Slow(Hourglass(monkeypatch), lambda move: 1.0 if move < 5 else 0.15)
    verdict = referee.play(Game(), [black, Scripted()], [Limit(clock=Clock(5, 0))] * 2, 0)
    assert verdict.forfeit is not None
    assert verdict.forfeit.reason.startswith("time: its clock ran out")
    assert len(black.limits) == 7  # five seconds, 0.15 over, 0.30 over
    assert black.limits[6].clock == Clock(0, 0)


@pytest.mark.parametrize(
    ("text", "clock"), [("60", Clock(60, 0)), ("60+0.5", Clock(60, 0.5)), ("0.1+0", Clock(0.1, 0))]
)
def test_a_clock_is_written_as_seconds(text: str, clock: Clock) -> None:
    assert parse_clock(text) == clock


@pytest.mark.parametrize("text", ["", "1:00", "-5", "0", "60+", "60+-1", "inf", "nan", "x+y"])
def test_what_is_no_clock_is_explained(text: str) -> None:
    if text == "60+":
        assert parse_clock(text) == Clock(60, 0)
        return
    with pytest.raises(ValueError, match="60"):
        parse_clock(text)


def fixture(black: str, white: str, limit: Limit | None = None, variant: Variant = OTHELLO) -> Fixture:
    return Fixture(Player(black), Player(white), 0, Color.BLACK, variant, Opening(), limit or Limit(), 1)


class Kept(Scripted):
    """Remembers every instance."""

    made: list["Kept"]
    fails = False

    def __init__(self) -> None:
        super().__init__()
        Kept.made.append(self)
        self.closed = False

    def choose(self, game: Game, limit: Limit) -> Report:
        if Kept.fails:
            raise ValueError("out of order")
        return super().choose(game, limit)

    def close(self) -> None:
        self.closed = True


@pytest.fixture
def kept(monkeypatch: pytest.MonkeyPatch) -> type[Kept]:
    Kept.made, Kept.fails = [], False
    monkeypatch.setitem(ROSTER, "kept", Entry("kept", "Tests.", Kept, limits=("time", "depth")))
    return Kept


def test_a_limit_in_the_spec_beats_the_matchs_and_is_what_the_referee_enforces(
    monkeypatch: pytest.MonkeyPatch, kept: type[Kept]
) -> None:
    seen: list[Any] = []
    monkeypatch.setattr(referee, "play", lambda game, players, limits, seed: seen.append(limits))
    with pytest.raises(AttributeError):
        Table().play(fixture("kept:depth=3", "kept", Limit(time=5)))
    assert seen == [[Limit(depth=3), Limit(time=5)]]


def test_players_keep_their_seats_and_each_colour_has_its_own(kept: type[Kept]) -> None:
    table = Table()
    for _ in range(3):
        table.play(fixture("kept", "kept", variant=Variant.named("4x4")))
    assert len(kept.made) == 2
    assert [len(player.started) for player in kept.made] == [3, 3]
    table.close()
    assert all(player.closed for player in kept.made)


def test_a_player_that_forfeits_is_made_anew(kept: type[Kept]) -> None:
    table = Table()
    kept.fails = True
    record = table.play(fixture("kept", "greedy"))
    assert record.result.forfeit is not None
    kept.fails = False
    assert table.play(fixture("kept", "greedy")).result.forfeit is None
    assert len(kept.made) == 2
    assert kept.made[0].closed


def test_a_player_that_cannot_be_made_forfeits() -> None:
    record = Table().play(fixture("greedy", "alphabeta:heuristic=./nowhere.py:edges"))
    assert record.result.forfeit is not None
    assert record.result.forfeit.color is Color.WHITE
    assert "nowhere.py" in record.result.forfeit.reason
    assert record.result.winner is Color.BLACK
    assert record.result.score is None


def test_only_so_many_players_stay_seated(kept: type[Kept], monkeypatch: pytest.MonkeyPatch) -> None:
    table = Table()
    for depth in range(1, 11):
        table.play(fixture(f"kept:depth={depth}", "greedy", variant=Variant.named("4x4")))
    assert sum(not player.closed for player in kept.made) <= 8
