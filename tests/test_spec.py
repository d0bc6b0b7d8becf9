"""The spec language: what is written is what is meant, and what cannot be meant is explained in one line."""

import subprocess
import sys
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outflank.agents import roster
from outflank.agents.agent import Agent
from outflank.agents.options import Option, Value
from outflank.agents.roster import ROSTER, Entry, entry_named, register, register_agent
from outflank.agents.simple import RandomPlayer
from outflank.agents.spec import Spec, agent, parse
from outflank.arena.contest import Fixture, Opening, Player
from outflank.arena.match import match
from outflank.arena.table import Table
from outflank.board.game import Game
from outflank.board.squares import PASS, Color
from outflank.board.variant import OTHELLO, Variant
from outflank.errors import MachineError
from outflank.search.limits import Limit, Report

OPTIONS = (
    Option("level", int, 7, "How strong.", least=1, most=20),
    Option("weight", float, 0.5),
    Option("pondering", bool, False),
    Option("heuristic", str, "mobility"),
    Option("style", ("calm", "wild"), "calm"),
)
RICH = ("level", "weight", "pondering", "heuristic", "style", "time", "depth", "nodes", "playouts", "openings")


class Recorder(Agent):
    """Plays the lowest square and remembers what it was told."""

    def __init__(self, *target: str, **options: Value) -> None:
        self.target, self.options = target, options
        self.limits: list[Limit] = []
        self.closed = False

    def choose(self, game: Game, limit: Limit) -> Report:
        self.limits.append(limit)
        return Report(game.position.legal_moves[0])

    def close(self) -> None:
        self.closed = True


@pytest.fixture(autouse=True, scope="module")
def two_more_kinds() -> Iterator[None]:
    register(
        Entry("rich", "Has every kind of option.", Recorder, OPTIONS, limits=("time", "depth", "nodes", "playouts"))
    )
    register(Entry("outside", "Lives elsewhere.", Recorder, limits=("time",), target="command"))
    yield
    del ROSTER["rich"], ROSTER["outside"]


PRINTABLE = st.text(st.characters(exclude_categories=["C", "Z"], include_characters=" "), max_size=30)
SAID = {
    "level": st.integers(1, 20),
    "weight": st.floats(allow_nan=False, allow_infinity=False),
    "pondering": st.booleans(),
    "heuristic": PRINTABLE,
    "style": st.sampled_from(["calm", "wild"]),
    "time": st.floats(0.001, 1e6),
    "depth": st.integers(1, 99),
    "nodes": st.integers(1, 10**15),
    "openings": st.integers(0, 30),
}


@given(said=st.fixed_dictionaries({}, optional=SAID))
def test_a_spec_reads_back_what_it_writes(said: dict[str, Value]) -> None:
    order = entry_named("rich").accepts
    spec = Spec("rich", tuple((name, said[name]) for name in order if name in said))
    assert parse(str(spec)) == spec
    assert str(parse(str(spec))) == str(spec)


@given(target=PRINTABLE.filter(bool), time=st.none() | st.floats(0.001, 1e6))
def test_a_target_reads_back_whatever_is_in_it(target: str, time: float | None) -> None:
    spec = Spec("outside", () if time is None else (("time", time),), target)
    assert parse(str(spec)) == spec


@given(text=st.text(max_size=40) | PRINTABLE.map("rich:".__add__) | PRINTABLE.map("rich:level=".__add__))
def test_any_text_is_a_spec_or_an_error_of_one_line(text: str) -> None:
    try:
        parse(text)
    except ValueError as error:
        assert "\n" not in str(error)
        assert len(str(error)) < 400


def test_options_may_come_in_any_order_and_spacing() -> None:
    assert parse(" RICH : depth = 4 , level=3 ") == parse("rich:level=3,depth=4")
    assert str(parse("rich:depth=4,level=3")) == "rich:level=3,depth=4"


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("random", "random"),
        ("greedy:openings=4", "greedy:openings=4"),
        ("rich:pondering=TRUE", "rich:pondering=yes"),
        ("rich:pondering=no", "rich:pondering=no"),
        ("rich:nodes=1e6", "rich:nodes=1000000"),
        ("rich:weight=1.0", "rich:weight=1"),
        ("rich:heuristic=./mine.py:edges,time=1", "rich:heuristic=./mine.py:edges,time=1"),
        ('rich:heuristic="a,b",level=2', 'rich:level=2,heuristic="a,b"'),
        ("rich:heuristic='a,b'", 'rich:heuristic="a,b"'),
        ("rich:level=7", "rich:level=7"),
    ],
)
def test_each_spec_has_one_spelling(text: str, canonical: str) -> None:
    assert str(parse(text)) == canonical


@pytest.mark.parametrize(
    ("text", "target", "time"),
    [
        ("outside:edax -gtp", "edax -gtp", None),
        ('outside:"edax -gtp"', "edax -gtp", None),
        ("outside:'edax -gtp'", "edax -gtp", None),
        ("outside:edax -gtp,time=2", "edax -gtp", 2),
        ('outside:"edax -gtp",time=2', "edax -gtp", 2),
        ('outside:"edax -gtp,time=2"', "edax -gtp,time=2", None),
        ("outside:edax -a,b -l 3", "edax -a,b -l 3", None),
        ("outside:edax -o x=1,y=2,time=2", "edax -o x=1,y=2", 2),
        ('outside:"my engine" "a b"', '"my engine" "a b"', None),
        (r"outside:C:\edax\edax.exe", r"C:\edax\edax.exe", None),
    ],
)
def test_after_the_name_of_an_outside_player_stands_its_command(text: str, target: str, time: float | None) -> None:
    spec = parse(text)
    assert spec.target == target
    assert spec.limit == Limit(time=time)
    assert parse(str(spec)) == spec


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("gredy", "'gredy' is not an agent: did you mean greedy? (`outflank agents` explains them)"),
        ("", "the agent's name is missing: write one such as greedy (`outflank agents` lists them)"),
        ("greedy:depth=3", "greedy has no option 'depth': its options are openings"),
        ("human:level=3", "human has no option 'level': it has none"),
        ("rich:level=strong", "rich: level must be a whole number from 1 to 20, not 'strong'"),
        ("rich:level=2.5", "rich: level must be a whole number from 1 to 20, not '2.5'"),
        ("rich:level=21", "rich: level must be a whole number from 1 to 20, not '21'"),
        ("rich:weight=nan", "rich: weight must be a number, not 'nan'"),
        ("rich:pondering=maybe", "rich: pondering must be yes or no, not 'maybe'"),
        ("rich:style=odd", "rich: style must be one of calm, wild, not 'odd'"),
        ("rich:depth=0", "rich: depth must be a whole number, 1 or more, not '0'"),
        ("rich:time=0", "rich: the time for a move must be more than 0 seconds, not 0.0"),
        ("rich:level=3,level=4", "rich: level is given twice"),
        ("greedy:fast", "greedy: 'fast' is not key=value: its options are openings"),
        ('rich:heuristic= "a', "rich: 'heuristic= \"a' is not key=value: its options are " + ", ".join(RICH)),
        ("greedy:openings=1,", "greedy: '' is not key=value: its options are openings"),
        ("outside:", "outside needs a command: write outside:COMMAND"),
        ("outside", "outside needs a command: write outside:COMMAND"),
        ("greedy\n", "an agent's name is one line of text, not 'greedy\\n'"),
    ],
)
def test_an_error_says_what_to_do(text: str, message: str) -> None:
    with pytest.raises(ValueError) as error:
        parse(text)
    assert str(error.value) == message


def test_a_long_text_is_refused_at_once() -> None:
    for text in ("rich:heuristic=" + " " * 10**6, "outside:" + "," * 10**6):
        with pytest.raises(ValueError, match="is one line of text"):
            parse(text)
    assert parse("outside:" + "," * 4000).target == "," * 4000


def test_an_unknown_name_far_from_all_lists_them() -> None:
    with pytest.raises(ValueError, match="choose from random, greedy"):
        parse("zzzzzzzzzz")


def test_a_player_gets_every_option_of_its_kind() -> None:
    player = agent("rich:level=3,style=wild")
    assert isinstance(player, Recorder)
    assert player.options == {"level": 3, "weight": 0.5, "pondering": False, "heuristic": "mobility", "style": "wild"}
    assert player.spec == "rich:level=3,style=wild"
    outside = agent("outside:edax -gtp")
    assert isinstance(outside, Recorder)
    assert outside.target == ("edax -gtp",)


def recorder_inside(player: Agent) -> Recorder:
    while not isinstance(player, Recorder):
        player = player.player  # type: ignore[attr-defined]
    return player


def test_a_limit_in_the_spec_beats_the_commands() -> None:
    free, bound = agent("rich"), agent("rich:depth=4")
    for player in (free, bound):
        player.choose(Game(), Limit(time=1))
    assert recorder_inside(free).limits == [Limit(time=1)]
    assert recorder_inside(bound).limits == [Limit(depth=4)]
    bound.close()
    assert recorder_inside(bound).closed


def self_play(spec: str, seed: int) -> list[int]:
    game = Game()
    sides = {color: agent(spec) for color in Color}
    for color, player in sides.items():
        player.start(OTHELLO, color, seed)
    while not game.is_over:
        game.push(sides[game.position.turn].choose(game, Limit()).move)
    return game.moves


def test_random_openings_are_a_players_first_moves_and_follow_the_seed() -> None:
    games = {tuple(self_play("greedy:openings=3", seed)) for seed in range(12)}
    assert len({game[:6] for game in games}) > 6
    assert self_play("greedy:openings=3", 5) == self_play("greedy:openings=3", 5)
    assert self_play("greedy:openings=0", 1) == self_play("greedy", 2)


def test_after_its_random_opening_a_player_plays_as_it_does() -> None:
    game, plain = Game(), agent("greedy")
    player = agent("greedy:openings=2")
    player.start(OTHELLO, Color.BLACK, 3)
    for own_move in range(20):
        report = player.choose(game, Limit())
        if own_move >= 2:
            assert report.move == plain.choose(game, Limit()).move
        game.push(report.move)
        game.push(game.position.legal_moves[-1])
        if game.is_over or game.position.turn is not Color.BLACK:
            break
    assert own_move > 4


def test_random_openings_begin_where_the_match_does() -> None:
    player = agent("rich:openings=1")
    game = Game.from_transcript("d3c3c4c5")
    player.start(OTHELLO, Color.BLACK, 0)
    player.choose(game, Limit())
    assert not recorder_inside(player).limits
    game.push(game.position.legal_moves[0])
    game.push(game.position.legal_moves[0])
    assert PASS not in game.moves
    player.choose(game, Limit())
    assert recorder_inside(player).limits
    game.goto(game.root)
    player.choose(game, Limit())
    assert len(recorder_inside(player).limits) == 1


def test_a_name_is_registered_once() -> None:
    with pytest.raises(ValueError, match="already"):
        register(Entry("greedy", "Another.", Recorder))
    with pytest.raises(ValueError, match="lower-case letters"):
        Entry("Not A Name", "", Recorder)


def test_a_player_of_ones_own_goes_by_a_name() -> None:
    try:
        register_agent("mine", Recorder)
        assert isinstance(agent("mine"), Recorder)
        register_agent("mine", RandomPlayer)  # a notebook's cell is run again
        assert isinstance(agent("mine"), RandomPlayer)
        result = match("mine:depth=2", "greedy", games=4, variant="4x4", seed=1)
        assert (result.games, result.players[0], result.forfeits) == (4, "mine:depth=2", ())
    finally:
        del ROSTER["mine"]
    with pytest.raises(ValueError, match="there is already an agent called 'greedy'"):
        register_agent("greedy", Recorder)
    with pytest.raises(ValueError, match="not by Recorder: `register_agent` gives a name to one of your own"):
        match(Recorder(), "greedy")  # type: ignore[arg-type]


def test_a_process_that_lacks_a_player_forfeits_nothing() -> None:
    """What `register_agent` names is not known to processes of their own: the game is not played, and it is said."""
    players = Player("mine"), Player("greedy")
    fixture = Fixture(*players, 0, Color.BLACK, Variant.named("4x4"), Opening(), Limit(), 1)
    with pytest.raises(MachineError, match=r"'mine' is not an agent: .* play with jobs=1"):
        Table().play(fixture)


def test_every_entry_can_be_loaded_and_explains_itself() -> None:
    for entry in list(ROSTER.values()):
        assert entry.summary.endswith(".")
        for option in entry.accepts.values():
            assert option.help or entry.name == "rich", f"{entry.name}: {option.name}"
            if option.default is not None and option.kind is not str:
                assert option.read(str(option.default)) == option.default
        if isinstance(entry.make, str):
            module, _, name = entry.make.partition(":")
            assert callable(getattr(__import__(module, fromlist=[name]), name))
    assert roster.STRONGEST in ROSTER


def test_a_person_can_be_named_but_not_made() -> None:
    assert str(parse("human")) == "human"
    with pytest.raises(ValueError, match="outflank play"):
        agent("human")


def test_naming_a_player_does_not_load_numba() -> None:
    code = (
        "import sys; from outflank.agents.spec import parse; parse('greedy:openings=2');"
        "from outflank.agents.roster import ROSTER; assert ROSTER; print('numba' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "False\n"
