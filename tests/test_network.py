"""A tree search with somebody's own evaluator: the compiled tree is the plain one's, and batches lose nothing."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gridboard
import naive_montecarlo
import naive_network as naive
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from strategies import played_positions, words
from test_montecarlo import compiled_tree, plain_tree, root_visits

from outflank.agents.network import NetworkPlayer
from outflank.agents.spec import agent
from outflank.arena.contest import Player
from outflank.board.game import Game
from outflank.board.position import Position
from outflank.board.squares import Color
from outflank.board.variant import OTHELLO, REVERSED, Variant
from outflank.env import BatchEnv
from outflank.heuristics.files import run_file
from outflank.search.limits import Limit
from outflank.search.montecarlo.network import NetworkOptions, NetworkSearch

SMALL = Variant.named("6x6")
VARIANTS = [SMALL, Variant.named("reversed-5x7"), Variant.named("4x4"), OTHELLO, REVERSED]


def opinion(own: int, opp: int) -> tuple[list[float], float]:
    """Something to say of every position, without sense."""
    dice = naive_montecarlo.Dice(naive_montecarlo.mix(own) ^ opp)
    logits = [float(np.float32(dice.below(4001) / 1000 - 2)) for _ in range(64)]
    return logits, float(np.float32(dice.below(2401) / 1000 - 1.2))


def words_of(planes: Any) -> list[int]:
    rows, columns = planes.shape[-2:]
    squares = [8 * row + column for row in range(rows) for column in range(columns)]
    return [sum(1 << squares[number] for number in np.flatnonzero(plane)) for plane in planes]


def by_opinion(variant: Variant, seen: list[int] | None = None) -> Any:
    """An evaluator that knows no more than the arrays it is given."""
    board = gridboard.grid(variant.rows, variant.columns)

    def evaluate(observations: Any, masks: Any) -> tuple[Any, Any]:
        if seen is not None:
            seen.append(len(observations))
        logits, values = np.full(masks.shape, np.nan, np.float32), np.empty(len(masks))
        for row, planes in enumerate(observations):
            own, opp = words_of(planes)
            legal = gridboard.moves(own, opp, board)
            numbers = [variant.columns * (square // 8) + square % 8 for square in legal]
            assert sorted(numbers) == np.flatnonzero(masks[row]).tolist()
            said, values[row] = opinion(own, opp)
            logits[row, numbers] = [said[square] for square in legal]
        return logits, values

    return evaluate


def null(observations: Any, masks: Any) -> tuple[Any, Any]:
    return np.zeros(masks.shape, np.float32), np.zeros(len(masks), np.float32)


def reference(search: NetworkSearch, position: Position) -> naive.Search:
    variant, chosen = position.variant, search.options
    return naive.Search(
        position.own,
        position.opp,
        gridboard.grid(variant.rows, variant.columns),
        variant.reversed,
        naive_montecarlo.Dice(search._random_state(position, 0)),
        chosen.c,
        doubt=chosen.doubt,
        opinion=opinion,
        batch=chosen.batch,
    )


@settings(max_examples=60)
@given(
    played_positions(st.sampled_from(VARIANTS)),
    st.builds(
        NetworkOptions,
        c=st.sampled_from([0.0, 0.7, 1.5, 4.0]),
        doubt=st.sampled_from([0.0, 0.2, 1.0]),
        batch=st.sampled_from([1, 2, 5, 16]),
        memory=st.just(8.0),
    ),
    st.integers(1, 60),
    words,
)
def test_the_tree_is_the_reference_s(position: Position, options: NetworkOptions, playouts: int, seed: int) -> None:
    assume(position.legal)
    search = NetworkSearch(by_opinion(position.variant), options, seed)
    report = search.run(position, Limit(playouts=playouts))
    truth = reference(search, position)
    assert truth.run(playouts) == report.nodes == search.simulations
    assert search.batches == truth.asked
    assert compiled_tree(search) == plain_tree(truth.root)
    assert report.move in position.legal_moves


@pytest.mark.parametrize("batch", [1, 8, 64])
def test_no_visit_is_lost_and_no_loss_stays_lent(batch: int) -> None:
    """With every position even, all sums are zero once nothing waits."""
    search = NetworkSearch(null, NetworkOptions(batch=batch, memory=32))
    report = search.run(Position.start(), Limit(playouts=1000))
    assert report.nodes == 1000 == root_visits(search) == sum(one.visits for one in search.candidates())
    assert search.visits().sum() == 1000 and set(np.flatnonzero(search.visits())) == {19, 26, 37, 44}
    assert not search._nodes["total"].any()


def test_a_batch_is_as_large_as_it_may_be() -> None:
    seen: list[int] = []
    search = NetworkSearch(by_opinion(OTHELLO, seen), NetworkOptions(batch=16, memory=8))
    report = search.run(Position.start(), Limit(playouts=400))
    assert seen[0] == 1 and max(seen) == 16 and len(seen) == search.batches
    assert sum(seen) - 1 == report.nodes == 400
    assert sum(one == 16 for one in seen) > 10
    assert f"{search.batches} batches" in report.text


@pytest.mark.parametrize("variant", [SMALL, Variant.named("reversed-6x6")], ids=str)
def test_a_proof_beats_every_evaluator(variant: Variant) -> None:
    from naive_learning import solved

    proven = 0
    for seed in range(4):
        position, dice = Position.start(variant), np.random.default_rng(seed)
        while position.empties > 6 and not position.is_over:
            moves = position.legal_moves or (64,)
            position = position.play(int(dice.choice(moves)))
        if position.legal:
            search = NetworkSearch(by_opinion(variant), NetworkOptions(batch=4, memory=8))
            report = search.run(position, Limit(playouts=20_000))
            assert report.exact and report.score == np.sign(solved(position))
            proven += 1
    assert proven >= 2


def test_the_search_goes_where_the_network_points() -> None:
    def leaning(observations: Any, masks: Any) -> tuple[Any, Any]:
        logits = np.zeros(masks.shape)
        logits[:, 26] = 3.0
        return logits, np.zeros((len(masks), 1))  # as many networks give them

    search = NetworkSearch(leaning, NetworkOptions(memory=8))
    report = search.run(Position.start(), Limit(playouts=300))
    assert report.move == 26 and search.visits()[26] > 200
    assert search.priors()[26] == pytest.approx(np.exp(3) / (np.exp(3) + 3), abs=1e-3)


def test_a_value_is_the_side_to_move_s() -> None:
    """An evaluator that likes to have more discs: the first move that is searched one ply deep turns most of them."""

    def greedy(observations: Any, masks: Any) -> tuple[Any, Any]:
        own, opp = observations.sum(axis=(2, 3)).T
        return np.zeros(masks.shape), (own - opp) / 64

    position = Position.start().play("f5").play("f6").play("e6").play("f4")
    search = NetworkSearch(greedy, NetworkOptions(batch=1, memory=8))
    search.run(position, Limit(playouts=len(position.legal_moves)))
    for one in search.candidates():
        after = position.play(one.move)
        if one.visits == 1:
            assert one.value == pytest.approx((after.opp.bit_count() - after.own.bit_count()) / 64, abs=0.01)


def test_the_tree_is_kept_and_the_same_seed_gives_the_same_search() -> None:
    def played() -> list[tuple[int, str]]:
        search = NetworkSearch(by_opinion(SMALL), NetworkOptions(batch=8, memory=8), seed=3)
        position, found = Position.start(SMALL), []
        for _ in range(6):
            report = search.run(position, Limit(playouts=100))
            found.append((report.move, report.text))
            answer = position.play(report.move)
            reply = answer.legal_moves[0]
            search.follow([report.move, reply])
            position = answer.play(reply)
        return found

    first = played()
    assert first == played()
    assert any("kept" in text for _, text in first)


def test_noise_moves_the_root_s_chances_only() -> None:
    options = NetworkOptions(noise=0.5, concentration=0.5, memory=8)
    search = NetworkSearch(null, options, seed=1)
    search.run(Position.start(), Limit(playouts=50))
    priors = search.priors()
    assert sum(priors.values()) == pytest.approx(1, abs=1e-3)
    assert max(priors.values()) > 0.3 and min(priors.values()) >= 0.124
    again = NetworkSearch(null, options, seed=1)
    again.run(Position.start(), Limit(playouts=50))
    assert again.priors() == priors
    below = search.candidates()[0].node
    assert len({search._link(one.node) >> 50 for one in search.candidates(below)}) == 1


def test_a_full_tree_goes_on_without_growing() -> None:
    search = NetworkSearch(null, NetworkOptions(batch=16, memory=0.1))
    report = search.run(Position.start(), Limit(playouts=3000))
    assert report.nodes == 3000 and "tree full" in report.text
    assert not search._nodes["total"].any()


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (lambda planes, masks: (np.zeros((len(masks), 64)), np.zeros(len(masks))), r"of shape \(1, 65\)"),
        (lambda planes, masks: (np.zeros(masks.shape), np.zeros(3)), "and 1 values, not"),
        (lambda planes, masks: np.zeros(len(masks)), "two arrays, logits and values, not ndarray"),
        (lambda planes, masks: ("logits", "values"), "arrays of numbers, logits and values: could not convert"),
        (lambda planes, masks: ([[1], [2, 3]], [0]), "arrays of numbers, logits and values: setting an array"),
        (lambda planes, masks: (np.full(masks.shape, np.nan), np.zeros(len(masks))), "not a number"),
        (lambda planes, masks: (np.full(masks.shape, -np.inf), np.zeros(len(masks))), "not a number"),
    ],
)
def test_wrong_answers_are_told(answer: Callable[..., Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        NetworkSearch(answer, NetworkOptions(memory=1)).run(Position.start(), Limit(playouts=10))


def test_after_a_failure_the_search_starts_anew() -> None:
    calls = 0

    def fails(observations: Any, masks: Any) -> tuple[Any, Any]:
        nonlocal calls
        calls += 1
        if calls == 5:
            raise RuntimeError("out of memory")
        values = np.zeros(len(masks))
        return np.zeros(masks.shape), values + np.nan if calls == 9 else values

    search = NetworkSearch(fails, NetworkOptions(batch=4, memory=8))
    with pytest.raises(RuntimeError, match="out of memory"):
        search.run(Position.start(), Limit(playouts=100))
    with pytest.raises(ValueError, match="not a number"):
        search.run(Position.start(), Limit(playouts=100))
    assert search.run(Position.start(), Limit(playouts=100)).nodes == 100
    assert not search._nodes["total"].any()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"batch": 0}, "batch must be 1 or more"),
        ({"noise": 1.5}, "the noise must be a share from 0 to 1"),
        ({"concentration": 0}, "greater than 0"),
        ({"threads": 2}, "uses one thread, not 2"),
    ],
)
def test_wrong_options_are_told(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        NetworkOptions(**options)


def test_visits_and_priors_need_a_search() -> None:
    for asked in (NetworkSearch.visits, NetworkSearch.priors):
        with pytest.raises(ValueError, match="nothing has been searched yet"):
            asked(NetworkSearch(null))


def test_a_seed_may_be_numpy_s() -> None:
    options = NetworkOptions(noise=0.5, memory=1)
    one, other = NetworkSearch(null, options, np.int64(-7)), NetworkSearch(null, options, -7)
    for search in (one, other):
        search.run(Position.start(), Limit(playouts=50))
    assert one.visits().tolist() == other.visits().tolist()


# As a player, from a file

PLAIN = """\
import numpy as np

def evaluate(planes, masks):
    assert planes.shape[1] == 2
    return np.zeros(masks.shape), np.zeros(len(masks))

def corners(planes, masks):
    logits = np.zeros(masks.shape)
    logits[:, [0, 7, 56, 63]] = 9.0
    return logits, np.zeros(len(masks))

def load(path):
    favourite = int(open(path).read())
    def chosen(planes, masks):
        logits = np.zeros(masks.shape)
        logits[:, favourite] = 5.0
        return logits, np.zeros(len(masks))
    return chosen

def fails(planes, masks):
    return np.zeros(3) + np.zeros(4), 0

nothing = 3

def none(path):
    return None
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "net.py"
    path.write_text(PLAIN)
    return path


def test_a_file_is_a_player(file: Path) -> None:
    player = agent(f"puct:{file},batch=4,playouts=60,memory=8")
    report = player.choose(Game(OTHELLO), Limit())
    assert report.nodes == 60 and report.move in Position.start().legal_moves
    named = agent(f"puct:{file}:corners,playouts=30,memory=8")
    edge = Position.from_text("-" + "O" * 6 + "X" + "-" * 55 + "O X")
    assert named.choose(Game(edge), Limit()).move == 0


def test_weights_are_loaded_by_the_file(file: Path) -> None:
    (file.parent / "weights.txt").write_text("26")
    spec = f"puct:{file},weights={file.parent / 'weights.txt'},playouts=60,memory=8"
    assert agent(spec).choose(Game(OTHELLO), Limit()).move == 26
    before = Player.named(spec)
    (file.parent / "weights.txt").write_text("44")
    assert agent(spec).choose(Game(OTHELLO), Limit()).move == 44
    assert Player.named(spec).fingerprint != before.fingerprint  # other weights are another player


def test_the_player_keeps_its_tree(file: Path) -> None:
    players = [agent(f"puct:{file},playouts=100,batch=8,memory=8") for _ in range(2)]
    game = Game(SMALL)
    for color, player in zip(Color, players, strict=True):
        player.start(SMALL, color, 1)
    kept = 0
    for _ in range(8):
        report = players[game.position.turn].choose(game, Limit())
        kept += "kept" in report.text
        game.push(report.move)
    assert kept >= 4


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("", "weights=none.npz", "there is no file none.npz"),
        (":other", "", "has no function other: write `def other"),
        (":nothing", "", "has no function nothing"),
        (":none", "weights=net.py", "none does not return a function of planes and masks"),
        (":fails", "", r"net.py:\d+: ValueError: operands could not be broadcast together"),
    ],
)
def test_what_is_wrong_with_a_file_is_told_in_one_line(
    file: Path, name: str, options: str, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(file.parent)
    with pytest.raises(ValueError, match=message) as caught:
        agent(f"puct:net.py{name},{options}".rstrip(",")).choose(Game(OTHELLO), Limit(playouts=5))
    assert "\n" not in str(caught.value)


def test_a_missing_file_is_told() -> None:
    with pytest.raises(ValueError, match=r"there is no file gone\.py"):
        agent("puct:gone.py")
    with pytest.raises(ValueError, match="puct needs a file"):
        agent("puct")


def test_the_roster_s_defaults_are_the_search_s(file: Path) -> None:
    player = agent(f"puct:{file}")
    assert isinstance(player, NetworkPlayer) and player.search.options == NetworkOptions()


EXAMPLE = Path(__file__).resolve().parent.parent / "examples" / "network.py"


def test_the_example_s_network_learns() -> None:
    """From the same few games again and again: it knows who won them, and what the search preferred."""
    example: Any = run_file(EXAMPLE)
    env = BatchEnv(8, SMALL, autoreset=False, openings=4)
    network = example.Network(env.observations[0].size, env.actions)
    planes, policies, results = example.play(env, example.by_search(network, 16, 1))
    searched = policies.sum(axis=1) > 0
    assert searched.mean() > 0.9 and np.allclose(policies[searched].sum(axis=1), 1)

    def closeness() -> float:
        chances = example.softmax(network.evaluate(planes, None)[0])
        return float((np.minimum(chances, policies).sum(axis=1))[searched].mean())

    before = closeness()
    errors = [network.learn(planes, policies, results, 3e-3) for _ in range(60)]
    assert errors[0] > 0.8 and errors[-1] < 0.4
    assert before < 0.2 and closeness() > 0.5


def test_the_example_plays_in_the_arena(tmp_path: Path) -> None:
    budget = ["--random", "100", "--rounds", "2", "--games", "4", "--playouts", "8", "--match", "4"]
    command = [sys.executable, str(EXAMPLE), *budget, "--out", str(tmp_path / "net.npz")]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    said = [line.partition(":")[0] for line in done.stdout.splitlines()]
    assert said == ["100 random games", "round 1", "round 2", "4 games against mcts"]
    trained = f"puct:{EXAMPLE},weights={tmp_path / 'net.npz'},playouts=20,memory=8"
    assert agent(trained).choose(Game(SMALL), Limit()).nodes == 20
    with pytest.raises(ValueError, match=r"network\.py:\d+: ValueError: the network was trained on another board"):
        agent(trained).choose(Game(OTHELLO), Limit())
