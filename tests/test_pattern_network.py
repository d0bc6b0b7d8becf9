"""The network on top of the pattern sums: what the search makes of it, its file, and its fit."""

import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from outflank.agents.spec import agent
from outflank.board.compiled import kernel, load
from outflank.board.game import Game
from outflank.board.kernels import ZERO
from outflank.board.position import Position
from outflank.board.squares import squares_of
from outflank.board.variant import OTHELLO, Variant
from outflank.cli.main import app
from outflank.learning.games.loops import value_positions
from outflank.learning.games.positions import Positions
from outflank.learning.games.searcher import GameSearcher
from outflank.learning.games.selfplay import Style
from outflank.learning.patterns.calibration import with_constants
from outflank.learning.patterns.descent import NetworkFit
from outflank.learning.rounds import SelfPlay
from outflank.patterns.explanation import NETWORK_NAME, PatternTables, explain_patterns
from outflank.patterns.network import CONSTANT, HIDDEN, INPUTS, LAYER_SIZE, WIDTH, Network
from outflank.patterns.shapes import require_patterns, table_shape
from outflank.patterns.weights import NETWORK, Evaluation, Evaluations, Weights, evaluation_for
from outflank.search.driver import Stop
from outflank.search.engine.deepening import SURE
from outflank.search.engine.desk import desk_at
from outflank.search.engine.evaluate import evaluate_against, set_root_numbers
from outflank.search.limits import Limit

SMALL = Variant.named("6x6")


@kernel("int64(uint64, uint64, uint64, int64)")
def against(address: int, own: int, opp: int, alpha: int) -> int:
    desk = desk_at(address)
    set_root_numbers(own, opp, desk)
    return evaluate_against(own, opp, alpha, ZERO, desk)


def random_network(variant: Variant, seed: int) -> Weights:
    """Weights without sums and with a network that means nothing, but says something of every position."""
    dice, patterns = np.random.default_rng(seed), require_patterns(variant)
    stages, columns = table_shape(variant)
    rows = dice.integers(-20, 21, (patterns.weights, WIDTH)).astype(np.int8)[patterns.canonical()]
    layers = dice.normal(0, 0.3, (stages, LAYER_SIZE)).astype(np.float32)
    layers[:, :WIDTH] = 0.5
    return Weights(variant, np.zeros((stages, columns), np.int16), {}, Network(rows, layers))


def positions_of(variant: Variant, seed: int) -> list[Position]:
    dice, found = random.Random(seed), []
    for _ in range(4):
        position = Position.start(variant)
        while not position.is_over:
            if position.legal_moves:
                found.append(position)
            position = position.play(dice.choice(position.legal_moves or [64]))
    return found


def naive_share(weights: Weights, position: Position) -> float:
    """The network's share, unit by unit, from the squares alone."""
    network, variant = weights.network, position.variant
    assert network is not None
    own, opp = set(squares_of(position.own)), set(squares_of(position.opp))
    sums = np.zeros(WIDTH)
    for pattern, place in require_patterns(variant).places:
        digits = [1 if square in own else 2 if square in opp else 0 for square in place]
        sums += network.rows[pattern.offset + sum(digit * 3**k for k, digit in enumerate(digits))]
    layer = network.layers[(len(own) + len(opp) - 4) // 2].astype(float)
    empty = set(variant.squares) - own - opp

    def moves(side: Position) -> int:
        return len([move for move in side.legal_moves if move != 64])

    def beside(discs: set[int]) -> int:
        return sum(any(abs(a // 8 - b // 8) <= 1 and abs(a % 8 - b % 8) <= 1 for b in discs) for a in empty)

    other = Position(position.black, position.white, position.turn.other, variant)
    counts = [moves(position), moves(other), beside(opp), beside(own)]
    inputs = [*np.clip(sums / 128 + layer[:WIDTH], 0, 1), *counts]
    value = layer[CONSTANT]
    for unit in range(HIDDEN):
        at = WIDTH + INPUTS * HIDDEN
        before = layer[at + unit] + sum(inputs[k] * layer[WIDTH + HIDDEN * k + unit] for k in range(INPUTS))
        value += layer[at + HIDDEN + unit] * min(max(before, 0.0), 1.0)
    return float(8 * value)


def searched(weights: Weights, positions: list[Position]) -> list[int]:
    """What a search of no plies says: the whole evaluation."""
    player = GameSearcher(weights.variant, Evaluation.of(weights))
    address, _ = player.ready(Stop())
    values = np.empty(len(positions), np.int8)
    own, opp = (np.array([getattr(one, side) for one in positions], np.uint64) for side in ("own", "opp"))
    value_positions(address, own, opp, 0, SURE, values)
    return values.tolist()


@pytest.mark.parametrize("name", ["othello", "6x6", "5x7"])
def test_a_search_reads_the_network_as_it_is_written_down(name: str) -> None:
    weights = random_network(Variant.named(name), 3)
    positions = positions_of(weights.variant, 1)
    shares = [naive_share(weights, one) for one in positions]
    assert np.std(shares) > 1
    for found, share in zip(searched(weights, positions), shares, strict=True):
        assert abs(found - share) < 0.51


def test_the_network_is_asked_only_near_the_bound() -> None:
    load(against)
    weights = random_network(OTHELLO, 3)
    player = GameSearcher(OTHELLO, Evaluation.of(weights))
    address, _ = player.ready(Stop())
    for position in positions_of(OTHELLO, 1)[::7]:
        share = naive_share(weights, position)
        for alpha in (-6, 0, 6):
            assert abs(against(address, position.own, position.opp, alpha) - share) < 0.51
        for alpha in (-7, 7):
            assert against(address, position.own, position.opp, alpha) == 0


def test_the_shipped_network_plays_where_there_is_one() -> None:
    networked = Evaluations(NETWORK)
    assert networked.fitting(OTHELLO).rows is not None and evaluation_for(OTHELLO).rows is None  # type: ignore[union-attr]
    assert networked.fitting(SMALL) is evaluation_for(SMALL)
    game, limit = Game.from_transcript("f5d6c3d3c4f4f6"), Limit(depth=5)
    found, without = (agent(f"engine:{option}").choose(game, limit) for option in ("weights=network", "level=20"))
    assert found.move in game.position.legal_moves
    assert (found.score, found.nodes) != (without.score, without.nodes)


def test_a_network_does_not_see_colours_or_symmetries() -> None:
    weights = random_network(OTHELLO, 4)
    for position in positions_of(OTHELLO, 2)[::9]:
        images = [position.symmetry(which) for which in OTHELLO.symmetries]
        exchanged = Position(position.white, position.black, position.turn.other)
        assert len(set(searched(weights, [*images, exchanged]))) == 1


def test_an_explanation_adds_the_share_of_the_network() -> None:
    weights = random_network(SMALL, 5)
    tables = PatternTables._of("mine", weights)
    for position in positions_of(SMALL, 3)[::7]:
        shown = explain_patterns(position, tables)
        assert shown.shares[-1].squares == NETWORK_NAME
        assert shown.value == pytest.approx(naive_share(weights, position), abs=1e-3)


def test_a_network_travels_in_the_file_of_its_weights(tmp_path: Path) -> None:
    weights = random_network(SMALL, 6)
    weights.save(tmp_path / "w.npz")
    again = Weights.load(tmp_path / "w.npz")
    assert again.network is not None and weights.network is not None
    assert (again.network.rows == weights.network.rows).all()
    assert (again.network.layers == weights.network.layers).all()
    assert again.digest == weights.digest != replace(weights, network=None).digest
    assert with_constants(again, np.ones(37)).network is again.network
    replace(weights, network=Network(weights.network.rows, weights.network.layers[1:])).save(tmp_path / "w.npz")
    with pytest.raises(ValueError, match="does not fit the patterns"):
        Weights.load(tmp_path / "w.npz")


def test_a_fit_learns_what_patterns_mean_together() -> None:
    """Whether one side has more of the upper and of the lower edge: no sum of what each edge is worth says that."""
    games = SelfPlay(OTHELLO, None, Style(1, 4, 4, 10), 1, 0, 600)(Stop())
    learnt, held = (Positions.of(part, of_result=1) for part in games.parted())

    def labelled(positions: Positions) -> Positions:
        ahead = []
        for edge in (np.uint64(0xFF), np.uint64(0xFF << 56)):
            own, opp = (np.bitwise_count(side & edge).astype(int) for side in (positions.own, positions.opp))
            ahead.append(np.sign(own - opp))
        margin = (6 * ahead[0] * ahead[1]).astype(np.float32)
        return replace(positions, margin=margin, importance=np.ones(len(positions), np.float32))

    nothing = Weights(OTHELLO, np.zeros(table_shape(OTHELLO), np.int16), {})
    fit = NetworkFit(labelled(learnt), labelled(held), nothing, 4)
    before = fit.error()
    assert len(list(fit.parts())) == fit.part_count
    assert fit.error() < 0.9 * before
    made = fit.network()
    assert made.rows.any() and not made.layers[0].any(), "stages that nobody learnt say nothing"


def train(*arguments: str) -> str:
    done = CliRunner().invoke(app, ["train", *arguments])
    assert done.exit_code == 0, done.output + str(done.exception)
    return done.output


def test_the_command_fits_a_network_and_keeps_the_sums(tmp_path: Path) -> None:
    SelfPlay(SMALL, None, Style(1, 6, 2, 6), 1, 0, 200)(Stop()).save(tmp_path / "games-0.npz")
    options = ("--variant", "6x6", "--from", "shipped", "--network", "2", "--no-calibrate", "--no-margins")
    out = tmp_path / "w.npz"
    said = train(str(tmp_path), *options, "--out", str(out))
    assert "on positions held out, without it" in said
    made, before = Weights.load(out), Weights.load(Path("src/outflank/patterns/data/6x6.npz"))
    assert (made.table == before.table).all() and made.network is not None
    assert made.provenance["network"]["passes"] == 2 and made.provenance["spreads"] == before.provenance["spreads"]
    train(str(tmp_path), *options, "--out", str(tmp_path / "again.npz"))
    assert Weights.load(tmp_path / "again.npz").digest == made.digest
    refused = CliRunner().invoke(app, ["train", "--self-play", "--network", "1", "--out", str(out)])
    assert "a network is fitted to given games" in str(refused.exception)
