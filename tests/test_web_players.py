"""What a page may name: no file, no command, nobody else's player; and what the server's owner added by name."""

from pathlib import Path

import pytest

from outflank.agents.roster import ROSTER
from outflank.web import thinking
from outflank.web.players import Players, own_name, without_folders
from outflank.web.settings import Settings

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
        players.checked(name)
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
    assert players.checked(name) == name


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
                assert players.checked(f"{one['name']}:{option['name']}={option['default']:g}")
    assert players.spec(players.checked("mcts")) == "mcts:memory=64"
    assert players.spec(players.checked("mcts:memory=8")) == "mcts:memory=8"


def test_every_difficulty_can_be_chosen(players: Players) -> None:
    for word, spec in thinking.difficulties():
        assert players.checked(spec) == spec, word


def test_the_owner_adds_by_name(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(MINE)
    settings = Settings(
        agents={"dragon": f"alphabeta:heuristic={file}:lively,depth=2"}, heuristics={"lively": f"{file}:lively"}
    )
    players = Players(settings)
    assert players.checked("dragon") == "dragon"
    assert players.spec("dragon") == f"alphabeta:heuristic={file}:lively,depth=2"
    assert players.checked("minimax:heuristic=lively") == "minimax:heuristic=lively"
    assert str(file) in players.spec("minimax:heuristic=lively")
    assert players.shown(players.spec("minimax:heuristic=lively")) == "minimax:heuristic=lively"
    assert players.shown(players.spec("dragon")) == "dragon"
    assert str(tmp_path) not in str(players.listed()) + str(players.listed_heuristics())


def test_the_owner_cannot_take_a_name_that_is_taken() -> None:
    with pytest.raises(ValueError, match="already"):
        Players(Settings(agents={"greedy": "random"}))


def test_too_many_different_players_are_refused(players: Players, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("outflank.web.players.MOST_SPECS", 3)
    for depth in (1, 2, 3):
        players.checked(f"alphabeta:depth={depth}")
    with pytest.raises(ValueError, match="too many"):
        players.checked("alphabeta:depth=4")
    assert players.checked("alphabeta:depth=2")


def test_folders_are_never_shown() -> None:
    assert without_folders("py:/home/somebody/players/a.py,time=1") == "py:a.py,time=1"
    assert without_folders("phased:weighting=100/0.8/1") == "phased:weighting=100/0.8/1"
    assert own_name("alphabeta:heuristic=mobility") == "alphabeta"
