"""The players by Monte Carlo: `mcts`, `montecarlo` and `mini-go`."""

import pytest

from outflank.agents.agent import Agent
from outflank.agents.mcts import MonteCarloPlayer
from outflank.agents.mini_go import PLAYOUTS
from outflank.agents.spec import agent
from outflank.board.game import Game
from outflank.board.squares import Color
from outflank.board.variant import OTHELLO, REVERSED, Variant
from outflank.search.limits import Limit
from outflank.search.montecarlo.search import Options

MIDDLE = "f5d6c3d3c4f4f6f3e6e7"


def play(black: Agent, white: Agent, variant: Variant = OTHELLO, seed: int = 0, limit: Limit | None = None) -> Game:
    game = Game(variant)
    players = (black, white)
    for color, player in zip(Color, players, strict=True):
        player.start(variant, color, seed)
    while not game.is_over:
        report = players[game.position.turn].choose(game, limit or Limit())
        game.push(report.move, report.score)
    return game


def points(player: Agent, other: Agent, games: int, variant: Variant) -> float:
    """What a player scores, colours alternating."""
    total = 0.0
    for seed in range(games):
        color = Color(seed % 2)
        game = play(*((player, other) if color is Color.BLACK else (other, player)), variant, seed)
        outcome = game.outcome()
        assert outcome is not None
        total += 0.5 if outcome.winner is None else float(outcome.winner is color)
    return total


@pytest.mark.parametrize("variant", [OTHELLO, REVERSED], ids=str)
@pytest.mark.parametrize("spec", ["mcts:playouts=200", "montecarlo:playouts=200", "mini-go:mode=normal"])
def test_monte_carlo_beats_random(spec: str, variant: Variant) -> None:
    assert points(agent(spec), agent("random"), 20, variant) >= 19


@pytest.mark.parametrize(
    "spec",
    [
        "mcts:playouts=300,c=1.4",
        "mcts:playouts=300,reward=margin,final=value,reuse=no",
        "mcts:playouts=100,tree=no,spread=ucb,proven=no",
        "montecarlo:playouts=100,cut=20",
        "mini-go:playouts=150",
        "mini-go:mode=easy,cut=0,draw=half,reuse=yes",
    ],
)
def test_a_game_is_repeated_by_its_seed(spec: str) -> None:
    player, other = agent(spec), agent(spec)
    first = play(player, other, seed=4)
    assert play(player, other, seed=4).moves == first.moves
    assert play(agent(spec), agent(spec), seed=4).moves == first.moves
    assert play(player, other, seed=5).moves != first.moves


def test_the_tree_is_kept_through_a_game() -> None:
    player = agent("mcts:playouts=2000,c=0.3")
    other = agent("mcts:playouts=2000,c=0.3")
    game = Game(OTHELLO)
    for color, one in ((Color.BLACK, player), (Color.WHITE, other)):
        one.start(OTHELLO, color, 1)
    kept = 0
    for ply in range(20):
        report = (player, other)[game.position.turn].choose(game, Limit())
        assert ply > 1 or "kept" not in report.text, "the first search of a game has nothing to keep"
        kept += "kept" in report.text
        game.push(report.move)
    assert kept == 18


def test_after_taking_back_the_same_question_has_the_same_answer() -> None:
    player = agent("mcts:playouts=500")
    player.start(OTHELLO, Color.BLACK, 3)
    game = Game(OTHELLO)
    first = player.choose(game, Limit())
    game.push(first.move)
    game.push(game.position.legal_moves[0])
    player.choose(game, Limit())
    game.pop()
    game.pop()
    again = player.choose(game, Limit())
    assert (again.move, again.score, again.pv) == (first.move, first.score, first.pv)


def test_a_limit_in_the_spec_beats_the_one_given() -> None:
    game = Game(OTHELLO)
    assert agent("mcts:playouts=70").choose(game, Limit(playouts=5000)).nodes == 70
    assert agent("mcts").choose(game, Limit(playouts=500)).nodes == 500
    assert agent("mcts").choose(game, Limit()).nodes == 10_000


def test_the_roster_s_defaults_are_the_search_s() -> None:
    for spec, expected in (
        ("mcts", Options()),
        ("montecarlo", Options(tree=False, final="value", memory=1.0)),
        ("mini-go", Options(c=0.1, cut=32, draw="loss", reuse=False, proven=False, playouts=1000)),
    ):
        player = agent(spec)
        assert isinstance(player, MonteCarloPlayer) and player.search.options == expected


# mini-go


@pytest.mark.parametrize("mode", PLAYOUTS)
def test_a_mode_of_mini_go_is_its_number_of_playouts(mode: str) -> None:
    game = Game(OTHELLO)
    assert agent(f"mini-go:mode={mode}").choose(game, Limit()).nodes == PLAYOUTS[mode]  # type: ignore[index]
    assert agent(f"mini-go:mode={mode},playouts=7").choose(game, Limit()).nodes == 7


def test_mini_go_plays_its_normal_mode_unless_told() -> None:
    game = Game(OTHELLO)
    assert agent("mini-go").choose(game, Limit()).nodes == PLAYOUTS["normal"]
    assert agent("mini-go").choose(game, Limit(playouts=7)).nodes == 7
    assert agent("mini-go:playouts=9").choose(game, Limit(playouts=7)).nodes == 9


def test_a_mode_of_mini_go_keeps_to_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """So many playouts that no machine makes them before it is told that its time is up, however late."""
    monkeypatch.setitem(PLAYOUTS, "hard", 10**12)
    assert agent("mini-go:mode=hard").choose(Game(OTHELLO), Limit(time=0.0021)).nodes < PLAYOUTS["hard"]


def test_mini_go_shows_the_time_of_the_step_and_of_the_game() -> None:
    player = agent("mini-go")
    game = Game.from_transcript(MIDDLE)
    player.start(OTHELLO, game.position.turn, 1)
    first = player.choose(game, Limit())
    second = player.choose(game, Limit())
    assert first.text.startswith(f"step time {first.seconds:.4f} s, total {first.seconds:.4f} s; ")
    assert f"total {first.seconds + second.seconds:.4f} s" in second.text
    player.start(OTHELLO, game.position.turn, 1)
    third = player.choose(game, Limit())
    assert f"total {third.seconds:.4f} s" in third.text


@pytest.mark.parametrize("spec", ["mcts:playouts=300", "montecarlo:playouts=300", "mini-go:mode=easy"])
def test_mirrored_moves_have_one_value(spec: str) -> None:
    """What was found of any of them counts for all; chance alone would make them differ."""
    game = Game()
    report = agent(spec).choose(game, Limit())
    assert set(report.values) == set(game.position.legal_moves)
    assert len(set(report.values.values())) == 1
    assert report.score == report.values[report.move]
