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
from outflank.learning.games.scored import ScoredGames
from outflank.learning.games.searcher import GameSearcher
from outflank.learning.games.selfplay import Style
from outflank.learning.patterns.calibration import with_constants
from outflank.learning.patterns.descent import NetworkFit
from outflank.learning.rounds import SelfPlay
from outflank.patterns.explanation import NETWORK_NAME, PatternTables, explain_patterns
from outflank.patterns.network import (
    BIAS,
    CONSTANT,
    FIRST_UNIT,
    HIDDEN,
    INPUTS,
    LAYER_SIZE,
    OUTPUT,
    WIDTH,
    Network,
    row_patterns,
)
from outflank.patterns.shapes import table_shape
from outflank.patterns.weights import SUMS, Evaluation, Evaluations, Weights, evaluation_for
from outflank.search.driver import Stop
from outflank.search.engine.deepening import SURE
from outflank.search.engine.desk import desk_at
from outflank.search.engine.evaluate import evaluate_against, set_root_numbers
from outflank.search.limits import Limit

REVERSED = Variant.named("reversed")


@kernel("int64(uint64, uint64, uint64, int64)")
def against(address: int, own: int, opp: int, alpha: int) -> int:
    desk = desk_at(address)
    set_root_numbers(own, opp, desk)
    return evaluate_against(own, opp, alpha, ZERO, desk)


def random_network(variant: Variant, seed: int) -> Weights:
    """Weights without sums and with a network that means nothing, but says something of every position."""
    dice, patterns = np.random.default_rng(seed), row_patterns(variant)
    stages, columns = table_shape(variant)
    rows = dice.uniform(-0.15, 0.15, (patterns.weights, WIDTH))[patterns.canonical()]
    layers = dice.normal(0, 0.3, (stages, LAYER_SIZE))
    layers[:, :WIDTH] = 0.5
    layers[:, FIRST_UNIT + WIDTH * HIDDEN : BIAS] /= 8
    return Weights(variant, np.zeros((stages, columns), np.int16), {}, Network.rounded(rows, layers))


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
    sums, layer = np.zeros(WIDTH), network.layers[(len(own) + len(opp) - 4) // 2].astype(int)
    for pattern, place in row_patterns(variant).places:
        digits = [1 if square in own else 2 if square in opp else 0 for square in place]
        sums += network.rows[pattern.offset + sum(digit * 3**k for k, digit in enumerate(digits))]
    empty = set(variant.squares) - own - opp

    def moves(side: Position) -> int:
        return len([move for move in side.legal_moves if move != 64])

    def beside(discs: set[int]) -> int:
        return sum(any(abs(a // 8 - b // 8) <= 1 and abs(a % 8 - b % 8) <= 1 for b in discs) for a in empty)

    other = Position(position.black, position.white, position.turn.other, variant)
    counts = [moves(position), moves(other), beside(opp), beside(own)]
    # Of a product the upper 16 bits are kept.
    inputs = [*(min(max(int(one), 0), 256) << 5 for one in sums + layer[:WIDTH]), *(one << 9 for one in counts)]
    value = int(layer[CONSTANT])
    for unit in range(HIDDEN):
        products = [inputs[k] * int(layer[WIDTH + HIDDEN * k + unit]) >> 16 for k in range(INPUTS)]
        before = int(layer[BIAS + unit]) + sum(products)
        value += (min(max(before, 0), 1024) << 4) * int(layer[OUTPUT + unit]) >> 16
    return 8 * value / 2048


def searched(weights: Weights, positions: list[Position]) -> list[int]:
    """What a search of no plies says: the whole evaluation."""
    player = GameSearcher(weights.variant, Evaluation.of(weights))
    address, _ = player.ready(Stop())
    values = np.empty(len(positions), np.int8)
    own, opp = (np.array([getattr(one, side) for one in positions], np.uint64) for side in ("own", "opp"))
    value_positions(address, own, opp, 0, SURE, values)
    return values.tolist()


@pytest.mark.parametrize("name", ["othello", "reversed"])
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
        for alpha in (-4, 0, 4):
            assert abs(against(address, position.own, position.opp, alpha) - share) < 0.51
        for alpha in (-5, 5):
            assert against(address, position.own, position.opp, alpha) == 0


def test_othello_is_played_with_a_network() -> None:
    assert evaluation_for(OTHELLO).rows is not None  # type: ignore[union-attr]
    alone = Evaluations(SUMS)
    assert alone.fitting(OTHELLO).rows is None and alone.fitting(OTHELLO) is alone.fitting(OTHELLO)  # type: ignore[union-attr]
    small = Variant.named("6x6")
    assert alone.fitting(small) is evaluation_for(small)
    game, limit = Game.from_transcript("f5d6c3d3c4f4f6"), Limit(depth=10)  # the network speaks from 20 discs on
    found, without = (agent(f"engine:weights={name}").choose(game, limit) for name in ("shipped", "sums"))
    assert found.move in game.position.legal_moves
    assert (found.score, found.nodes) != (without.score, without.nodes)


def test_a_network_does_not_see_colours_or_symmetries() -> None:
    weights = random_network(OTHELLO, 4)
    for position in positions_of(OTHELLO, 2)[::9]:
        images = [position.symmetry(which) for which in OTHELLO.symmetries]
        exchanged = Position(position.white, position.black, position.turn.other)
        assert len(set(searched(weights, [*images, exchanged]))) == 1


def test_an_explanation_adds_the_share_of_the_network() -> None:
    weights = random_network(REVERSED, 5)
    tables = PatternTables._of("mine", weights)
    for position in positions_of(REVERSED, 3)[::7]:
        shown = explain_patterns(position, tables)
        assert shown.shares[-1].squares == NETWORK_NAME
        assert shown.value == pytest.approx(naive_share(weights, position), abs=1e-9)


def test_a_network_travels_in_the_file_of_its_weights(tmp_path: Path) -> None:
    weights = random_network(REVERSED, 6)
    weights.save(tmp_path / "w.npz")
    again = Weights.load(tmp_path / "w.npz")
    assert again.network is not None and weights.network is not None
    assert (again.network.rows == weights.network.rows).all()
    assert (again.network.layers == weights.network.layers).all()
    assert again.digest == weights.digest != replace(weights, network=None).digest
    assert with_constants(again, np.ones(65)).network is again.network
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
    SelfPlay(REVERSED, None, Style(1, 6, 2, 6), 1, 0, 200)(Stop()).save(tmp_path / "games-0.npz")
    options = ("--variant", "reversed", "--from", "shipped", "--network", "2", "--no-calibrate", "--no-margins")
    out = tmp_path / "w.npz"
    said = train(str(tmp_path), *options, "--out", str(out))
    assert "on positions held out, without it" in said
    made, before = Weights.load(out), Weights.load(Path("src/outflank/patterns/data/reversed.npz"))
    assert (made.table == before.table).all() and made.network is not None
    assert made.provenance["network"]["passes"] == 2 and made.provenance["spreads"] == before.provenance["spreads"]
    train(str(tmp_path), *options, "--out", str(tmp_path / "again.npz"))
    assert Weights.load(tmp_path / "again.npz").digest == made.digest
    np.savez(tmp_path / "moves.npz", moves=np.zeros((1, 60), np.uint8))
    for asked, why in (
        (["--self-play"], "a network is fitted on top of weights"),
        ([str(tmp_path / "moves.npz"), "--variant", "6x6"], "there is no network for 6x6"),
    ):
        refused = CliRunner().invoke(app, ["train", *asked, "--network", "1", "--out", str(out)])
        assert why in str(refused.exception)


def test_a_round_of_self_play_fits_a_network_to_games_that_were_played_with_one(tmp_path: Path) -> None:
    before = random_network(REVERSED, 7)
    before.save(tmp_path / "start.npz")
    size = ("--rounds", "1", "--games", "60", "--pairs", "4", "--depth", "1", "--exact", "4", "--jobs", "1")
    bare = ("--variant", "reversed", "--no-calibrate", "--no-margins")
    out, start = tmp_path / "w.npz", ("--from", str(tmp_path / "start.npz"))
    said = train("--self-play", "--network", "1", *start, *size, *bare, "--out", str(out))
    assert "round 1: 60 games" in said and "on positions held out, without it" in said
    folder = tmp_path / "w.npz.work" / "round-01"
    played = ScoredGames.load(folder / "games-000000000.npz")
    again = SelfPlay(REVERSED, before, Style.learning(REVERSED, 1, 4), 1001, 0, 60)(Stop())
    assert (played.moves == again.moves).all() and (played.values == again.values).all()
    new = Weights.load(folder.with_suffix(".npz"))
    assert (new.table == before.table).all() and new.network is not None and new.digest != before.digest
    assert Weights.load(out).provenance["network"]["settings"]["depth"] == 1
