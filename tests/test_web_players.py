"""What a page may name: no file, no command, nobody else's player; and what the server's owner added by name."""

from pathlib import Path

import pytest

from outflank.agents.classic import SearchPlayer
from outflank.agents.roster import ROSTER
from outflank.agents.spec import agent, parse
from outflank.board.game import Game
from outflank.board.position import Position
from outflank.board.variant import Variant
from outflank.heuristics.weighted import WeightedHeuristic
from outflank.search.limits import Limit
from outflank.web import thinking
from outflank.web.faults import without_folders
from outflank.web.players import Players, own_name
from outflank.web.settings import Settings
from outflank.web.weights import Weights

MINE = '''from outflank import heuristic
from outflank.features import mobility


@heuristic
def lively(own, opp, board):
    """Counts moves."""
    return mobility(own, opp, board) - mobility(opp, own, board)
'''


@pytest.fixture
def players() -> Players:
    return Players(Settings())


@pytest.mark.parametrize(
    "name",
    [
        "py:./player.py",
        "py:/etc/passwd",
        "gtp:sh -c id",
        'gtp:"edax -gtp"',
        "nboard:ntest x",
        "alphabeta:heuristic=./mine.py:edges",
        "alphabeta:heuristic=/etc/passwd",
        "alphabeta:heuristic=mine.py",
        "minimax:heuristic='../x.py:f'",
        "self-taught:values=/etc/passwd",
        "self-taught:values=mine.json",
        "corner-shy:weights=mine.json",
        "alphabeta:weights=mine.json",
        "alphabeta:heuristic=mine.json",
        "alphabeta:weights=5",
        "phased:weighting=/etc/passwd",
        "alphazero:weights=/etc/passwd",
        "alphazero:weights=1",
        "mcts:threads=64",
        "mcts:memory=100000",
        "mcts:playouts=1e15",
        "greedy:openings=30",
        "alphabeta:time=1e9",
        "nobody",
        "",
        ":",
        "human:depth=3",
        "x" * 400,
        "alphabeta:heuristic=\x00",
    ],
)
def test_a_page_cannot_name_it(players: Players, name: str) -> None:
    with pytest.raises(ValueError) as refused:
        players.chosen(name)
    assert "/etc/passwd" not in str(refused.value)


@pytest.mark.parametrize(
    "name",
    [
        "human",
        "greedy",
        "alphabeta:heuristic=mobility,depth=4",
        "phased:weighting=100/0.8/1",
        "mini-go:mode=easy",
        "self-taught:values=static",
        "alphazero:weights=none,playouts=100",
        "self-taught:values=learnt",
        "phased:weights=learnt",
    ],
)
def test_a_page_can_name_it(players: Players, name: str) -> None:
    assert players.chosen(name).name == name


def test_every_player_without_a_target_is_on_the_list(players: Players) -> None:
    listed = {one["name"] for one in players.listed()}
    assert listed == {entry.name for entry in ROSTER.values() if not entry.target and entry.name != "human"}


def test_a_player_as_it_is_listed_can_be_chosen(players: Players) -> None:
    """What the roster takes by itself may be more than a page may have: the page then shows and gets less."""
    for one in players.listed():
        for option in one["options"]:
            most = option["most"]
            assert most is None or option["default"] is None or option["default"] <= most, (one["name"], option)
            if option["kind"] in ("int", "float") and option["default"] is not None:
                assert players.chosen(f"{one['name']}:{option['name']}={option['default']:g}")
    assert str(players.chosen("mcts").spec) == "mcts:memory=64"
    assert str(players.chosen("mcts:memory=8").spec) == "mcts:memory=8"


def test_every_difficulty_can_be_chosen(players: Players) -> None:
    for word, spec in thinking.difficulties():
        assert players.chosen(spec).name == spec, word


def test_the_owner_adds_by_name(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(MINE)
    settings = Settings(
        agents={"dragon": f"alphabeta:heuristic={file}:lively,depth=2"}, heuristics={"lively": f"{file}:lively"}
    )
    players = Players(settings)
    dragon, mine = players.chosen("dragon"), players.chosen("minimax:heuristic=lively")
    assert (dragon.name, mine.name) == ("dragon", "minimax:heuristic=lively")
    assert str(dragon.spec) == f"alphabeta:heuristic={file}:lively,depth=2"
    assert str(file) in str(mine.spec)
    assert players.shown(str(mine.spec)) == "minimax:heuristic=lively"
    assert players.shown(str(dragon.spec)) == "dragon"
    assert str(tmp_path) not in str(players.listed()) + str(players.listed_heuristics())


def test_the_owner_cannot_take_a_name_that_is_taken() -> None:
    with pytest.raises(ValueError, match="already"):
        Players(Settings(agents={"greedy": "random"}))


def test_a_file_that_is_not_there_is_named_before_the_server_runs(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"^there is no file .*mine\.py$"):
        Players(Settings(agents={"mine": f"py:{tmp_path / 'mine.py'}"}))


def test_any_number_of_weights_is_tried_on_little_machine_code() -> None:
    """A thousand of them once locked the players for everybody until a restart."""
    weights, position = Weights(), Game.from_transcript("f5d6c3d3c4f4").position
    for number in range(300):
        made = agent(
            f"phased:weighting={number}/1/2,liberty=no,stable={number % 7},phases={'yes' if number % 2 else 'no'}"
        )
        assert isinstance(made, SearchPlayer) and isinstance(made.heuristic, WeightedHeuristic)
        for one in (position, Position.start(Variant.named("reversed-6x6"))):
            lines = made.heuristic.lines(one.own, one.opp, one.variant)
            with weights.lent(made.heuristic, one.variant) as lent:
                value = lent.value(one.own, one.opp, one.variant)
            assert value == pytest.approx(sum(line.share or 0.0 for line in lines))
    assert weights.made == 2, "one for each objective"


def test_players_with_written_weights_play_as_they_would_alone() -> None:
    weights = Weights()
    for spec in ("phased:potential=7,depth=2", "phased:potential=7", "phased:weighting=1/2/3,depth=3"):
        lent, own = weights.player(parse(spec)), agent(spec)
        for game in (Game.from_transcript("f5d6c3"), Game(Variant.named("reversed-6x6"))):
            found, expected = (player.choose(game, Limit(depth=2)) for player in (lent, own))
            assert found.move == expected.move
            assert found.score == pytest.approx(expected.score)
    assert weights.made == 2


def test_a_spec_is_read_once(players: Players, monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = players.chosen("alphabeta:depth=3")
    monkeypatch.setattr("outflank.web.players.parse", None)
    assert players.chosen("alphabeta:depth=3") is chosen


def test_folders_are_never_shown() -> None:
    assert without_folders("py:/home/somebody/players/a.py,time=1") == "py:a.py,time=1"
    assert without_folders("phased:weighting=100/0.8/1") == "phased:weighting=100/0.8/1"
    assert own_name("alphabeta:heuristic=mobility") == "alphabeta"
