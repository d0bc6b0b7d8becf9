"""Positions of known value, how far searches are off on them, and the constants that take the bias out."""

import json
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from random import Random

import numpy as np
import pytest
from searching import evaluated
from typer.testing import CliRunner

from outflank.board.position import Position
from outflank.board.squares import Color
from outflank.board.variant import OTHELLO, Variant
from outflank.cli.main import app
from outflank.formats import obf
from outflank.formats.obf import Problem
from outflank.learning.games.known import Known, between, known_in, met, played_in, solved
from outflank.learning.games.loops import deepen_positions, value_positions
from outflank.learning.games.positions import Positions
from outflank.learning.games.searcher import GameSearcher
from outflank.learning.games.selfplay import Style
from outflank.learning.patterns import calibration
from outflank.learning.patterns.accuracy import Searched, accuracies, by_empties, searched
from outflank.learning.patterns.calibration import Cell, constants, with_constants
from outflank.learning.patterns.fit import STEP
from outflank.learning.rounds import SelfPlay
from outflank.learning.watch import Watch
from outflank.patterns.shapes import PARITIES, PLIES_A_STAGE, table_shape
from outflank.patterns.weights import UNITS_A_DISC, Evaluation, Weights, shipped
from outflank.proofs.plain import PlainSolver
from outflank.search.driver import Stop
from outflank.search.engine.deepening import SURE
from outflank.search.engine.searcher import Searcher
from outflank.search.engine.solver import Solver

SMALL = Variant.named("6x6")


def weights_of(variant: Variant) -> Weights:
    found = shipped(variant)
    assert found is not None
    return found


@pytest.fixture(scope="module")
def known() -> Known:
    """Positions of 6x6 self-play at 9 and 10 empties."""
    weights = weights_of(SMALL)
    return solved(met(SMALL, weights, (9, 10), 12, Stop(), 5), Stop())


def test_positions_of_self_play_have_the_scores_that_another_solver_finds(known: Known) -> None:
    assert sorted(known.empties.tolist()) == [9] * 12 + [10] * 12
    solver = PlainSolver(SMALL)
    for problem in known.problems():
        position, score = problem.position, round(problem.best or 0)
        assert position.legal and solver.above(position.own, position.opp, score - 1)
        assert not solver.above(position.own, position.opp, score)


def test_each_depth_has_the_value_of_its_own_search(known: Known) -> None:
    """Deepening from ply to ply, each with what the last one left in the table, finds what a fresh search finds, and a
    move that leads there."""
    player = GameSearcher(SMALL, Evaluation.of(weights_of(SMALL)))

    def fresh(position: Position, depth: int) -> int:
        alone = np.zeros(1, np.int8)
        own, opp = np.array([position.own], np.uint64), np.array([position.opp], np.uint64)
        value_positions(player.ready(Stop())[0], own, opp, depth, SURE, alone)
        return int(alone[0])

    for row in range(0, len(known), 3):
        values, moves = np.zeros((1, 5), np.int8), np.zeros((1, 5), np.uint8)
        address, _ = player.ready(Stop())
        assert deepen_positions(address, known.own[row : row + 1], known.opp[row : row + 1], SURE, values, moves) == 1
        position = Position(int(known.own[row]), int(known.opp[row]), Color.BLACK, SMALL)
        assert values[0].tolist() == [fresh(position, depth) for depth in range(5)]
        for depth in range(1, 5):
            after = position.play(int(moves[0, depth]))
            assert fresh(after, depth - 1) * (-1 if after.turn is Color.WHITE else 1) == values[0, depth]


def test_a_search_to_the_end_is_not_off(known: Known) -> None:
    found = searched(known, Evaluation.of(weights_of(SMALL)), 10, Stop())
    told = list(accuracies(found))
    assert [one.depth for one in told] == list(range(11)) and told[0].positions == len(known)
    assert told[0].mean_error > 0.5 and told[0].best is None
    last = by_empties(found)[9][10]
    assert (last.bias, last.deviation, last.mean_error) == (0, 0, 0)
    assert found.errors[:, 3].mean() == pytest.approx(told[3].bias)


def test_best_moves_are_counted_where_they_are_known() -> None:
    position = Position.from_text("XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXOOXXXXXO-- X")
    position = Position(position.black, position.white, Color.BLACK)
    scores = {move: Solver(1).solve_all(position).values[move] for move in position.legal_moves}
    suite = Known.of_problems([Problem(position, scores)], OTHELLO)
    assert suite.best[0] == sum(1 << move for move, score in scores.items() if score == max(scores.values()))
    found = searched(suite, Evaluation.of(weights_of(OTHELLO)), 2, Stop())
    assert next(one.best for one in accuracies(found) if one.depth == 2) == 1


def test_games_give_their_exact_positions_by_what_training_holds_out(tmp_path: Path) -> None:
    games = SelfPlay(SMALL, None, Style(1, 6, 2, 6), 1, 0, 60)(Stop())
    games.save(tmp_path / "games-0.npz")
    every, learnt, held = (known_in([str(tmp_path)], SMALL, part) for part in ("all", "learnt", "held out"))
    assert 0 < len(held) < len(learnt) < len(every) <= len(learnt) + len(held)
    assert every.empties.max() <= 6
    solver = Solver(1)
    assert all(solver.solve(problem.position).score == problem.best for problem in held.problems()[:20])
    assert len(every.sampled(7)) == 7 and (every.sampled(7).own == every.sampled(7).own).all()


def test_constants_are_found_from_searches_that_disagree() -> None:
    """Planted: every leaf of an odd number of discs is worth 3 too much to its side to move, an even one 1 too little;
    only positions of 12 empties are known exactly."""
    squares = SMALL.square_count
    true = {empties: 0.3 * empties - 2 for empties in range(12, 26)}
    cells = []
    for empties, value in true.items():
        exact = empties == 12
        for depth in range(1, 7):
            planted = 3 if (squares - empties + depth) % 2 else -1
            said = value + (-1) ** depth * planted - (value if exact else 0)
            cells.append(Cell(empties, depth, said, 100.0, -1 if exact else empties))
    found = constants(cells, SMALL)
    assert found[13:30:2] == pytest.approx(-3, abs=1e-6) and found[12:30:2] == pytest.approx(1, abs=1e-6)


def test_a_constant_is_added_for_either_side_to_move() -> None:
    weights = weights_of(OTHELLO)
    added = np.zeros(65)
    added[21], added[22] = 1.5, -2
    changed = with_constants(weights, added)
    assert (changed.table[:, :-PARITIES] == weights.table[:, :-PARITIES]).all()
    searcher, other = Searcher(1), Searcher(1)
    searcher.prepare(OTHELLO, Evaluation.of(weights))
    other.prepare(OTHELLO, Evaluation.of(changed))
    position, dice = Position.start(), Random(3)
    for _ in range(19):
        position = position.play(dice.choice(position.legal_moves))
        discs = (position.black | position.white).bit_count()
        assert evaluated(other, position) - evaluated(searcher, position) == UNITS_A_DISC * added[discs]


def test_a_game_that_gives_no_exact_score_gives_positions_by_what_training_learns_from(tmp_path: Path) -> None:
    games = SelfPlay(SMALL, None, Style(1, 6, 2, 6), 1, 0, 60)(Stop())
    games.save(tmp_path / "games-0.npz")
    played = played_in([str(tmp_path)], SMALL)
    found = between(played, SMALL, (12, 15), 20, seed=1)
    assert sorted(found.empties.tolist()) == [12] * 20 + [15] * 20
    learnt = Positions.of(games.parted()[0], of_result=1)
    assert {*zip(found.own.tolist(), found.opp.tolist(), strict=True)} <= {
        *zip(learnt.own.tolist(), learnt.opp.tolist(), strict=True)
    }
    assert (between(played, SMALL, (12, 15), 20, seed=1).own == found.own).all()
    assert len(between(played, SMALL, (12,), 10_000, seed=1)) < 60 and not len(between(played, SMALL, (), 20, seed=1))
    assert not len(played_in([], SMALL))


def test_a_few_games_do_not_decide_a_calibration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two games of a poor player: positions of self-play make up for what they lack."""
    for name, value in (("SOLVED", (12, 13, 14)), ("SOLVED_EACH", 40), ("MET_EACH", 6)):
        monkeypatch.setattr(calibration, name, value)
    SelfPlay(SMALL, None, Style(1, 6, 2, 6), 1, 0, 2)(Stop()).save(tmp_path / "games-0.npz")
    weights = weights_of(SMALL)
    made = calibration.calibrated(weights, [str(tmp_path)], Watch())
    assert made.provenance["calibration"]["positions"] >= 120
    factor = made.provenance["calibration"]["stretched"]
    assert 0.8 < factor < 1.25
    before, after = (one.provenance["spreads"] for one in (weights, made))
    assert after[0] == pytest.approx(before[0] + np.log(factor), abs=1e-4) and after[1:] == before[1:]


def test_the_smallest_board_can_be_calibrated() -> None:
    """On 5x5 all of the positions that are measured are solved."""
    variant = Variant.named("5x5")
    weights = Weights(variant, np.zeros(table_shape(variant), np.int16), {})
    assert calibration.calibrated(weights, [], Watch()).provenance["calibration"]["positions"] > 0


def searches_that_say(factor: float) -> Searched:
    """Of positions of 20 and 21 empties: so much of the truth, and from each number of empties something of its own."""
    dice = np.random.default_rng(4)
    empties, true = np.repeat([20, 21], 400), dice.normal(0, 8, 800).astype(np.float32)
    own = np.array([(1 << 64 - int(each)) - 1 for each in empties], np.uint64)
    nothing = np.zeros(800, np.uint64)
    said = factor * true[:, None] + np.where(empties == 20, 3, -5)[:, None] + dice.normal(0, 1, (800, 11))
    said[:, 1:6] = dice.normal(0, 5, (800, 5))  # a few plies tell little, and do not count
    return Searched(Known(OTHELLO, own, nothing, true, nothing), said, np.zeros((800, 11), np.uint8), 0)


@pytest.mark.parametrize("factor", [0.8, 0.9, 1.0])
def test_what_searches_lack_is_found(factor: float) -> None:
    assert calibration.lacking(searches_that_say(factor)) == pytest.approx(1 / factor, rel=0.04)


def test_positions_count_by_what_was_said_of_them() -> None:
    found = searches_that_say(1.0)
    near = calibration.balanced(found)
    assert 0 < len(near.known) < len(found.known) and abs(near.values[:, -1]).max() <= calibration.BALANCED
    assert abs(near.known.value).max() > calibration.BALANCED - 5


def test_weights_are_stretched_with_their_network_and_their_constants() -> None:
    weights = weights_of(OTHELLO)
    wide = calibration.stretched(weights, 1.25)
    assert (abs(wide.table - 1.25 * weights.table) <= STEP / 2).all()
    assert (wide.table[:, -PARITIES:] == np.rint(1.25 * weights.table[:, -PARITIES:])).all()
    steps = np.diff(wide.table[:, :-PARITIES].astype(np.int64), axis=0)
    assert (steps % STEP == 0).all()
    searcher, other = Searcher(1), Searcher(1)
    searcher.prepare(OTHELLO, Evaluation.of(weights))
    other.prepare(OTHELLO, Evaluation.of(wide))
    position, dice = Position.start(), Random(3)
    assert weights.network is not None and wide.network is not None
    for _ in range(30):
        position = position.play(dice.choice(position.legal_moves))
        assert evaluated(other, position) == pytest.approx(1.25 * evaluated(searcher, position), abs=2 * UNITS_A_DISC)
        stage = ((position.black | position.white).bit_count() - 4) // PLIES_A_STAGE
        shares = [one.share(OTHELLO, stage, position.own, position.opp) for one in (weights.network, wide.network)]
        assert shares[1] == pytest.approx(1.25 * shares[0], abs=0.05)


def test_calibration_takes_a_planted_bias_away(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("SOLVED", (12, 13, 14)), ("SOLVED_EACH", 40), ("MET_EACH", 12)):
        monkeypatch.setattr(calibration, name, value)
    monkeypatch.setattr(calibration, "lacking", lambda _: 1.0)  # of so few positions it is a matter of chance
    weights = replace(weights_of(SMALL), provenance={})  # as a fit leaves them: nothing is foretold yet
    planted = np.zeros(SMALL.square_count + 1)
    planted[1::2] = 8
    biased = with_constants(weights, planted)
    told: list[str] = []

    class Heard(Watch):
        def tell(self, line: str) -> None:
            told.append(line)

    made = calibration.calibrated(biased, [], Heard())
    assert (abs(made.table - weights.table)[:, :-PARITIES] <= STEP / 2).all()
    exact = solved(met(SMALL, weights, (14,), 60, Stop(), 6), Stop())
    before, after = (list(accuracies(searched(exact, Evaluation.of(one), 6, Stop()))) for one in (biased, made))
    jumps = [[abs(one.bias - next_.bias) for one, next_ in pairwise(each[1:])] for each in (before, after)]
    assert min(jumps[0]) > 4 and max(jumps[1]) < 2
    assert "bias" in told[-1]
    assert [one["depth"] for one in made.provenance["calibration"]["held_out"]] == list(range(11))


def values(*arguments: str) -> str:
    done = CliRunner().invoke(app, ["bench", "values", *arguments])
    assert done.exit_code == 0, done.output + str(done.exception)
    return done.output


def test_its_own_positions_are_the_same_whatever_is_measured(tmp_path: Path) -> None:
    """Positions that an evaluation chose itself would flatter it."""
    weights = weights_of(SMALL)
    Weights(SMALL, -weights.table, {}).save(tmp_path / "other.npz")
    kept = [tmp_path / "shipped.obf", tmp_path / "other.obf"]
    for file, measured in zip(kept, ("shipped", str(tmp_path / "other.npz")), strict=True):
        small = ("--variant", "6x6", "--empties", "8", "--positions", "6", "--depth", "1")
        values(*small, "--weights", measured, "--keep", str(file))
    assert kept[0].read_text() == kept[1].read_text()


def test_the_command_reads_suites_and_writes_its_own(tmp_path: Path) -> None:
    kept = tmp_path / "kept.obf"
    said = values("--variant", "6x6", "--empties", "8-9", "--positions", "4", "--depth", "3", "--keep", str(kept))
    assert said.splitlines()[0].split() == ["depth", "bias", "spread", "error", "best"]
    assert "8 positions, " in said and len(obf.read(kept.read_text())) == 8
    again = json.loads(values(str(kept), "--variant", "6x6", "--depth", "9", "--json"))
    assert again["positions"] == 8 and set(again["empties"]) == {"8", "9"}
    assert again["depths"][9]["mean_error"] == 0
    nine = json.loads(values(str(kept), "--variant", "6x6", "--depth", "2", "--empties", "9", "--json"))
    assert nine["positions"] == 4
    none = CliRunner().invoke(app, ["bench", "values", str(kept), "--variant", "6x6", "--empties", "20"])
    assert "there are no such positions of known value" in str(none.exception)


def test_a_small_board_is_asked_about_fewer_empties() -> None:
    said = json.loads(values("--variant", "4x4", "--positions", "2", "--depth", "1", "--json"))
    assert set(said["empties"]) == {"6", "7", "8"}


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("--empties", "many"), "'many' is not a number of empties"),
        (("--variant", "5x5", "--empties", "30"), "games on 5x5 come to no positions with 30 empties"),
        (("nowhere.obf",), "nowhere.obf: no such file"),
        (("--weights", "nowhere.npz"), "there is no weights file nowhere.npz"),
    ],
)
def test_what_cannot_be_measured_is_said_in_one_line(arguments: tuple[str, ...], complaint: str) -> None:
    done = CliRunner().invoke(app, ["bench", "values", *arguments])
    assert isinstance(done.exception, ValueError | OSError) and complaint in str(done.exception)
    assert "\n" not in str(done.exception)
