"""What a page may name: no file, no command, nobody else's player; and what the server's owner added by name."""

from pathlib import Path

import pytest

from outflank.agents.roster import ROSTER
from outflank.web import thinking
from outflank.web.faults import without_folders
from outflank.web.players import MOST_WEIGHTS, WEIGHTS_OF_ONE_ADDRESS, Players, own_name
from outflank.web.settings import Settings

MINE = '''from outflank import heuristic
from outflank.features import mobility


@heuristic
def lively(own, opp, board):
    """Counts moves."""
    return mobility(own, opp, board) - mobility(opp, own, board)
'''

HERE = "127.0.0.1"


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
        players.chosen(name, HERE)
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
    assert players.chosen(name, HERE).name == name


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
                assert players.chosen(f"{one['name']}:{option['name']}={option['default']:g}", HERE)
    assert str(players.chosen("mcts", HERE).spec) == "mcts:memory=64"
    assert str(players.chosen("mcts:memory=8", HERE).spec) == "mcts:memory=8"


def test_every_difficulty_can_be_chosen(players: Players) -> None:
    for word, spec in thinking.difficulties():
        assert players.chosen(spec, HERE).name == spec, word


def test_the_owner_adds_by_name(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(MINE)
    settings = Settings(
        agents={"dragon": f"alphabeta:heuristic={file}:lively,depth=2"}, heuristics={"lively": f"{file}:lively"}
    )
    players = Players(settings)
    dragon, mine = players.chosen("dragon", HERE), players.chosen("minimax:heuristic=lively", HERE)
    assert (dragon.name, mine.name) == ("dragon", "minimax:heuristic=lively")
    assert str(dragon.spec) == f"alphabeta:heuristic={file}:lively,depth=2"
    assert str(file) in str(mine.spec)
    assert players.shown(str(mine.spec)) == "minimax:heuristic=lively"
    assert players.shown(str(dragon.spec)) == "dragon"
    assert str(tmp_path) not in str(players.listed()) + str(players.listed_heuristics())


def test_the_owner_cannot_take_a_name_that_is_taken() -> None:
    with pytest.raises(ValueError, match="already"):
        Players(Settings(agents={"greedy": "random"}))


def test_who_tries_thousands_of_players_keeps_nobody_from_trying_another(players: Players) -> None:
    for number in range(3000):
        players.chosen(f"mcts:c={number}", f"{HERE} cookie-{number}")
    assert players.chosen("mcts:c=0.5", "10.0.0.9").name == "mcts:c=0.5"
    for number in range(WEIGHTS_OF_ONE_ADDRESS):
        players.chosen(f"phased:weighting={number}", f"{HERE} cookie-{number}")
    with pytest.raises(ValueError, match="too many"):
        players.chosen("phased:weighting=0.5", f"{HERE} another")
    assert players.chosen("phased:weighting=7,depth=3", HERE), "these weights were compiled before"
    assert players.chosen("phased:weighting=0.5", "10.0.0.9")


def test_the_weights_that_all_addresses_have_compiled_have_an_end(players: Players) -> None:
    for number in range(MOST_WEIGHTS):
        players.chosen(f"phased:weighting={number}", f"10.0.0.{number // WEIGHTS_OF_ONE_ADDRESS}")
    with pytest.raises(ValueError, match="too many"):
        players.chosen("phased:weighting=0.5", HERE)


def test_a_spec_is_read_once(players: Players, monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = players.chosen("alphabeta:depth=3", HERE)
    monkeypatch.setattr("outflank.web.players.parse", None)
    assert players.chosen("alphabeta:depth=3", HERE) is chosen


def test_folders_are_never_shown() -> None:
    assert without_folders("py:/home/somebody/players/a.py,time=1") == "py:a.py,time=1"
    assert without_folders("phased:weighting=100/0.8/1") == "phased:weighting=100/0.8/1"
    assert own_name("alphabeta:heuristic=mobility") == "alphabeta"
