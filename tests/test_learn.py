"""Learning weights: what a target is, what each method finds, and that a run can be stopped, repeated and believed."""

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from outflank.agents.spec import agent
from outflank.board.game import Game
from outflank.board.position import Position
from outflank.board.squares import PASS
from outflank.board.variant import Variant
from outflank.cli.learn import learn
from outflank.formats.table import NONE
from outflank.heuristics import learnt
from outflank.heuristics.explanation import explain
from outflank.heuristics.heuristic import sample_positions
from outflank.heuristics.named import NAMED, find
from outflank.heuristics.phases import matrices_of, square_table
from outflank.heuristics.weighted import WeightedHeuristic
from outflank.learning.curves import strength_curve
from outflank.learning.games.positions import Positions
from outflank.learning.methods import METHODS, State, Task, method_named
from outflank.learning.portions import write_text
from outflank.learning.run import Budget, Measure, Run
from outflank.learning.weights.fit import fitted
from outflank.learning.weights.games import Contests, OwnGames, balanced_openings, random_games, random_openings
from outflank.learning.weights.learner import WeightLearner, spec_with
from outflank.learning.weights.linear import Adjustable, symmetry_classes
from outflank.learning.weights.target import PLAYERS, Target
from outflank.learning.weights.temporal import lambda_returns
from outflank.patterns.weights import write_tables
from outflank.search.driver import Stop
from outflank.search.limits import UNLIMITED
from outflank.work.cluster import Cluster
from outflank.work.threads import Threads

SMALL = Variant.named("6x6")
REVERSED_SMALL = Variant.named("reversed-6x6")


def run_of(
    method: str,
    folder: Path,
    budget: str,
    variant: Variant = SMALL,
    target: str = "self-taught",
    seed: int = 1,
    jobs: int = 1,
    **options: Any,
) -> Run:
    chosen = METHODS[method]
    task = Task(method, target, variant, seed, chosen.read_options(options))
    return Run(chosen.learner(task, folder, Threads(jobs)), folder, Budget.parse(budget))


def state_after(run: Run) -> State:
    for _ in run.steps():
        pass
    return run.state


# Targets: a heuristic as parameters, and back


@pytest.mark.parametrize(("side", "classes"), [(8, 10), (6, 6), (7, 10), (4, 3)])
def test_the_symmetries_of_a_square_board_leave_so_many_classes(side: int, classes: int) -> None:
    found = symmetry_classes(side, side)
    assert len(found) == classes
    assert sum(one.bit_count() for one in found) == side * side
    board = Variant(side, side).board
    assert sum(found) == board


def test_an_oblong_board_has_fewer_symmetries() -> None:
    assert len(symmetry_classes(4, 6)) == 6
    assert len(symmetry_classes(5, 7)) == 12


@pytest.mark.parametrize(
    ("target", "variant", "phases"),
    [
        ("self-taught", "othello", None),
        ("self-taught", "reversed-6x6", None),
        ("self-taught", "6x6", (20, 40)),
        ("corner-shy", "reversed", (20, 40)),
        ("corner-shy", "6x6", None),
        ("phased", "reversed", None),
        ("dynamic", "othello", (30,)),
        ("features", "reversed-5x7", None),
        ("squares", "6x6", ()),
        ("stability", "othello", None),
    ],
)
def test_a_target_begins_as_the_heuristic_it_is_made_of(
    target: str, variant: str, phases: tuple[int, ...] | None
) -> None:
    """In all three forms: the named one, weights in memory, and the heuristic that is written to a file."""
    rules = Variant.named(variant)
    model = Target.named(target, rules, phases=phases).model
    named = NAMED[PLAYERS[target][0] if target in PLAYERS else {"squares": "static"}.get(target, target)]
    adjustable = Adjustable(model.columns)
    adjustable.set(model.weights(model.start))
    written = learnt.from_data(json.loads(json.dumps(model.data(model.start))))
    for own, opp in sample_positions(rules):
        value = named.value(own, opp, rules)
        assert adjustable.value(own, opp, rules) == pytest.approx(value, rel=1e-9, abs=1e-9)
        assert written.value(own, opp, rules) == pytest.approx(value, rel=2e-3, abs=0.5)


def test_every_parameter_changes_the_value_as_its_heuristic_says() -> None:
    """Set at random, weights in memory and the heuristic written from them agree, `self-taught`'s linked bonus too."""
    for target, variant, phases, free in (
        ("self-taught", SMALL, None, ""),
        ("self-taught", REVERSED_SMALL, None, "all"),
        ("self-taught", SMALL, (20, 40), ""),
        ("corner-shy", REVERSED_SMALL, (20, 40), ""),
    ):
        model = Target.named(target, variant, free, phases).model
        adjustable = Adjustable(model.columns)
        vector = np.array([float(f"{value:.3g}") for value in np.random.default_rng(5).standard_normal(len(model))])
        adjustable.set(model.weights(vector))
        heuristic = model.heuristic_of(vector)
        for own, opp in sample_positions(variant):
            value = heuristic.value(own, opp, variant)
            assert adjustable.value(own, opp, variant) == pytest.approx(value, rel=1e-9, abs=1e-9)
        corners = 0x21, 0x21 << 40  # both sides have some: `self-taught`'s rule
        value = heuristic.value(*corners, variant)
        assert adjustable.value(*corners, variant) == pytest.approx(value, rel=1e-9, abs=1e-9)


def test_a_piece_value_is_kept_where_the_corners_it_is_linked_to_count_nothing() -> None:
    """The value for corners that both sides have is a multiple of a piece value, whatever a corner's weight."""
    model = Target.named("self-taught", SMALL, "all").model
    both = 0x21, 0x21 << 40
    for vector in (np.zeros(len(model)), np.arange(len(model), dtype=float)):
        vector[[one.name for one in model.parameters].index("corners")] = 0.0
        adjustable = Adjustable(model.columns)
        adjustable.set(model.weights(vector))
        heuristic = model.heuristic_of(vector)
        for own, opp in (both, *sample_positions(SMALL)):
            assert heuristic.value(own, opp, SMALL) == pytest.approx(adjustable.value(own, opp, SMALL), abs=1e-4)


def test_a_step_is_as_long_for_a_phase_that_counts_by_ones_as_for_one_that_counts_by_hundreds(tmp_path: Path) -> None:
    """`phased` weighs squares by 100 in the opening and by 0.8 in the middle: a unit moves each phase's own values."""
    learner = run_of("spsa", tmp_path, "1g", Variant(), "phased").learner
    assert isinstance(learner, WeightLearner)
    model, units = learner.model, learner.units
    corner = {one.phase: units[at] for at, one in enumerate(model.parameters) if one.name.startswith("weighting a1")}
    assert corner[0] > 20 * corner[1]
    columns, phases = learner._sample
    for phase in range(3):
        rows = columns[phases == phase]
        values = (rows * model.weights(model.start)[phase]).sum(axis=1).std()
        changed = (rows * model.weights(model.start + 0.3 * units)[phase]).sum(axis=1).std()
        assert 0.5 * values < changed < 2 * values


def test_shipped_weights_are_a_target_by_their_name() -> None:
    target = Target.named("learnt-self-taught@6x6", SMALL)
    assert (target.name, target.free) == ("self-taught", "tables")
    shipped = learnt.shipped_as("learnt-self-taught@6x6")
    assert target.model.start[0] == matrices_of(shipped.terms[-1].feature)[0][0][0]


def test_tables_alone_are_learnt_for_self_taught_and_everything_for_the_others() -> None:
    assert [one.name for one in Target.named("self-taught", SMALL).model.parameters] == [
        f"piece values {square}" for square in ("a1", "b1", "c1", "b2", "c2", "c3")
    ]
    assert len(Target.named("self-taught", SMALL, "all").model) == 6 + 3
    assert len(Target.named("corner-shy", Variant(), phases=(20, 40)).model) == 3 * (10 + 3)
    assert len(Target.named("corner-shy", Variant(), "weights").model) == 4


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("nobody",), "'nobody' cannot be learnt: write self-taught"),
        (("mobility", SMALL, "tables"), "mobility has no table of squares to learn: its terms are mobility, potential"),
        (("phased", SMALL, "some"), "--free must be one of tables, weights, all, not 'some'"),
        (("phased", SMALL, "", (40, 20)), "--phases must be rising numbers of discs such as 20,40, not 40,20"),
        (("no.json",), "there is no file no.json"),
    ],
)
def test_what_cannot_be_a_target_says_so(arguments: tuple[Any, ...], message: str) -> None:
    name, *rest = arguments
    with pytest.raises(ValueError, match=message):
        Target.named(name, *(rest or [SMALL]))


# Games


@pytest.mark.parametrize(("target", "variant", "depth"), [("self-taught", "6x6", 3), ("phased", "reversed", 2)])
def test_compiled_games_are_those_that_the_players_play(target: str, variant: str, depth: int) -> None:
    rules = Variant.named(variant)
    chosen = Target.named(target, rules)
    openings = random_openings(rules, 3, 0, 3)
    played = OwnGames(chosen, chosen.model.start, depth, 0, openings, 0)(Stop())
    heuristic = PLAYERS[target][0]
    player = agent(f"alphabeta:heuristic={heuristic},depth={depth}")
    for opening, row in zip(openings, played.moves, strict=True):
        game = Game(rules)
        for square in opening[opening != NONE]:
            game.push(int(square))
        player.start(rules, game.position.turn, 0)
        while not game.is_over:
            game.push(player.choose(game, UNLIMITED).move)
        assert [move for move in game.moves if move != PASS] == row[row != NONE].tolist()


def test_a_contest_counts_both_games_of_a_pair_from_the_first_ones_view() -> None:
    """Against itself a pair cancels out; against a player that wants to lose it wins both."""
    chosen = Target.named("self-taught", SMALL, "all")
    start, openings = chosen.model.start, random_openings(SMALL, 1, 0, 20)
    against = ((start, start), (start, -start), (-start, start))
    same, better, worse = Contests(chosen, against, 2, openings)(Stop())
    assert all(one == -other for one, other in same)
    assert sum(one + other for one, other in better) > 20 * 10
    assert [(-one, -other) for one, other in worse] == [(other, one) for one, other in better]


def test_openings_follow_from_their_numbers() -> None:
    many = random_openings(SMALL, 7, 0, 30)
    assert (random_openings(SMALL, 7, 10, 5) == many[10:15]).all()
    assert len({row.tobytes() for row in many}) > 25
    for row in balanced_openings(SMALL, 1, 2):
        game = Game(SMALL)
        for square in row[row != NONE]:
            game.push(int(square))
        assert not game.is_over


# Weights files


def shy_file(tmp_path: Path) -> Path:
    model = Target.named("corner-shy", REVERSED_SMALL, phases=(20, 40)).model
    path = tmp_path / "shy.json"
    learnt.save(model.data(model.start + 1, {"method": "challenger", "target": "corner-shy"}), path)
    return path


def test_a_file_can_be_read_by_people_and_by_every_spec(tmp_path: Path) -> None:
    path = shy_file(tmp_path)
    text = path.read_text()
    assert "[-99.0, 9.0, -11.0, -11.0, 9.0, -99.0]" in text
    heuristic = find(str(path))
    assert isinstance(heuristic, WeightedHeuristic)
    assert heuristic.phases == (20, 40)
    assert len(matrices_of(heuristic.terms[0].feature)) == 3
    for spec in (f"alphabeta:heuristic=corner-shy,weights={path},depth=2", f"minimax:heuristic={path},depth=1",
                 f"corner-shy:weights={path},depth=1"):  # fmt: skip
        assert agent(spec).choose(Game(REVERSED_SMALL), UNLIMITED).move in Position.start(REVERSED_SMALL).legal_moves
    shown = explain(Position.start(REVERSED_SMALL), heuristic)
    assert [line.name for line in shown.lines] == ["squares", "stable", "frontier", "moves"]
    assert shown.phase == 0


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": "other"}, "is not a weights file: `outflank learn` writes one"),
        ({"version": 7}, "this version of Outflank reads format version 1, not 7"),
        ({"heuristic": "nobody"}, "'nobody' is not a heuristic"),
        ({"variant": "9x9"}, "a board has 4 to 8 rows, not 9"),
        ({"phases": [40, 20]}, '"phases" must be rising numbers of discs, of 64, not'),
        ({"terms": {}}, '"terms" is missing'),
        ({"terms": {"luck": {"weights": [1]}}}, "corner-shy has no term 'luck': its terms are squares, stable"),
        ({"terms": {"moves": {"weights": [1, 2]}}}, r"moves needs 1 or 3 weights, numbers up to 1e\+12, not \[1, 2\]"),
        ({"terms": {"moves": {"weights": ["x"]}}}, "moves needs 1 or 3 weights, numbers up to"),
        ({"terms": {"moves": {"weights": [1e300]}}}, r"numbers up to 1e\+12, not \[1e\+300\]"),
        ({"terms": {"moves": {"weights": [10**400]}}}, r"numbers up to 1e\+12, not"),
        ({"phases": [True]}, '"phases" must be rising numbers of discs'),
        ({"heuristic": ["phased"]}, r"\['phased'\] is not a heuristic"),
        ({"heuristic": {}}, "{} is not a heuristic"),
        ({"about": "me"}, "\"about\" must be an object, not 'me'"),
        ({"terms": {"squares": {"squares": [[10**400] * 6] * 6}}}, r"square values must not exceed 1e\+12"),
        ({"terms": {"squares": {"squares": [[[1]], 2]}}}, "square values must be rows of equal length"),
        ({"terms": {"moves": 8}}, 'moves must be an object with "weights", not 8'),
        ({"terms": {"moves": {"squares": [[1]]}}}, "moves has no table of squares"),
        ({"terms": {"squares": {"squares": [1, 2]}}}, "square values must be rows of equal length"),
        ({"terms": {"squares": {"squares": [[1, 2], [3, 4]]}}}, "square values need 4 to 8 rows and columns"),
    ],
)
def test_a_damaged_file_says_in_one_line_what_is_wrong(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    path = shy_file(tmp_path)
    path.write_text(json.dumps({**json.loads(path.read_text()), **change}))
    with pytest.raises(ValueError, match=message) as caught:
        find(str(path))
    assert "\n" not in str(caught.value)


def test_json_a_hundred_thousand_deep_is_no_weights_file(tmp_path: Path) -> None:
    path = tmp_path / "deep.json"
    path.write_text("[" * 100_000)
    with pytest.raises(ValueError, match="is not a weights file: it is not JSON"):
        find(str(path))


def test_a_file_that_names_the_wrong_player_is_learnt_as_the_heuristic_it_holds(tmp_path: Path) -> None:
    path = shy_file(tmp_path)
    for about in ({"target": "phased"}, {"target": ["x"]}, {}):
        path.write_text(json.dumps({**json.loads(path.read_text()), "about": about}))
        assert Target.named(str(path), REVERSED_SMALL).name == "corner-shy"
        assert spec_with("corner-shy", path) == f"corner-shy:weights={path}"


def test_a_spec_of_an_odd_path_can_be_played(tmp_path: Path) -> None:
    folder = tmp_path / "my weights, all"
    folder.mkdir()
    path = shy_file(folder)
    for target in ("corner-shy", "else"):
        spec = spec_with(target, path)
        assert f'"{path}"' in spec
        assert agent(f"{spec},depth=1").choose(Game(REVERSED_SMALL), UNLIMITED).move is not None


def test_weights_that_are_no_numbers_any_more_end_in_one_line() -> None:
    """A search on them would find no move, and the compiled game go astray."""
    chosen = Target.named("self-taught", SMALL)
    for wrong in (np.nan, np.inf, 1e200):
        with pytest.raises(ValueError, match="smaller steps"):
            Contests(chosen, [(np.full(6, wrong), np.zeros(6))], 2, random_openings(SMALL, 1, 0, 1))(Stop())


def test_a_full_disk_is_named_by_the_file_that_found_no_room(tmp_path: Path) -> None:
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("there is no /dev/full here")
    link = tmp_path / "state.json"
    link.symlink_to(full)
    data = Target.named("self-taught", SMALL).model.data(np.zeros(6))
    writers: list[Callable[[], None]] = [
        lambda: write_text(link, "x" * 100_000),
        lambda: learnt.save(data, link),
        lambda: write_tables(link, {}, moves=np.zeros(9)),
    ]
    for write in writers:
        with pytest.raises(OSError, match=r"state.json: no space left on device"):
            write()
    assert [one.name for one in tmp_path.iterdir()] == ["state.json"]


def test_weights_of_another_heuristic_are_refused(tmp_path: Path) -> None:
    path = shy_file(tmp_path)
    for spec, message in (
        (f"alphabeta:heuristic=phased,weights={path}", "holds weights of corner-shy: write heuristic=corner-shy"),
        (f"phased:weights={path}", "phased: .* holds weights of corner-shy, not of phased"),
        (f"self-taught:values={path}", "self-taught: .* holds weights of corner-shy, not of evaluation-3"),
        (f"corner-shy:weights={path},stable=3", "corner-shy: weights=.* already sets stable: give only one of the two"),
        ("dynamic:weights=nowhere.json", "there is no file nowhere.json"),
    ):
        with pytest.raises(ValueError, match=message):
            agent(spec)


def test_tables_that_change_with_the_phase_are_one_feature() -> None:
    quarter = [[[float(phase)] * 6 for _ in range(6)] for phase in range(3)]
    tables = [tuple(map(tuple, table)) for table in quarter]
    feature = square_table(tables, (20, 40))
    assert matrices_of(feature) == tuple(tables)
    for discs, value in ((10, 0.0), (11, 0.0), (12, 1.0), (22, 1.0), (23, 2.0)):
        squares = [square for square in range(64) if SMALL.board >> square & 1][:discs]
        own = sum(1 << square for square in squares)
        assert feature(own, 0, SMALL.board) == value * discs


# Methods


@pytest.mark.parametrize(
    ("method", "budget", "options"),
    [
        ("challenger", "4000g", {"honest": "yes"}),
        ("cma", "4000g", {}),
        ("spsa", "4000g", {}),
        ("regression", "1000g", {"round": "500", "exact": "6"}),
        ("regression", "1000g", {"round": "500", "fit": "squares"}),
        ("td", "4000g", {}),
    ],
)
@pytest.mark.parametrize("variant", ["6x6", pytest.param("reversed-6x6", marks=pytest.mark.slow)])
def test_each_method_improves_random_weights_in_seconds(
    method: str, budget: str, options: dict[str, Any], variant: str, tmp_path: Path
) -> None:
    run = run_of(method, tmp_path, budget, Variant.named(variant), start="random", **options)
    state_after(run)
    final = run.final(200)
    assert final.superiority > 0.99, final.text
    assert final.score > 0.55


def test_challenger_learning_beats_its_random_start_with_confidence_and_repeatably(tmp_path: Path) -> None:
    """The wish of `self-taught`, honestly tested: 6,000 games on 6x6 from random piece values."""
    results = []
    for number, jobs in enumerate((1, 3)):
        run = run_of("challenger", tmp_path / str(number), "6000g", honest="yes", start="random", jobs=jobs)
        state_after(run)
        final = run.final(200)
        assert final.superiority > 0.99
        assert final.interval[0] > 0.6
        results.append((run.state, final.pairs, run.about(final)))
    assert results[0] == results[1]


def test_003s_own_rule_replaces_the_winner_after_two_wins_and_ends_when_nobody_wins(tmp_path: Path) -> None:
    run = run_of("challenger", tmp_path, "100000g", start="random", tries="30", seed=4)
    before = run.state
    winners = [before.data["vector"]]
    for state in run.steps():
        if state.data["vector"] != winners[-1]:
            winners.append(state.data["vector"])
            pair = Contests(
                Target.named("self-taught", SMALL), [(winners[-1], winners[-2])], 2, np.full((1, 64), NONE, np.uint8)
            )(Stop())[0][0]
            assert pair[0] > 0 and pair[1] > 0
    assert len(winners) == run.state.data["replaced"] + 1 > 3
    assert run.learner.ended(run.state) == "no challenger won in 30 tries"
    assert run.state.games == 2 * run.state.data["tries"]


@pytest.mark.parametrize(
    ("method", "options"),
    [
        ("challenger", {}),
        ("challenger", {"honest": "yes", "pairs": "16"}),
        ("cma", {}),
        ("spsa", {}),
        ("regression", {"round": "200", "exact": "4"}),
        ("td", {}),
    ],
)
def test_a_run_that_was_interrupted_ends_as_one_that_was_not(
    method: str, options: dict[str, Any], tmp_path: Path
) -> None:
    whole = run_of(method, tmp_path / "whole", "1200g", start="random", **options)
    state_after(whole)
    for pause in (1, 3):
        parts = run_of(method, tmp_path / "parts", "1200g", start="random", **options)
        for number, _ in enumerate(parts.steps(), 1):
            if number == pause:
                break
    parts = run_of(method, tmp_path / "parts", "1200g", start="random", **options)
    assert parts.state.step > 0
    state_after(parts)
    assert parts.state == whole.state
    assert [one.pairs for one in parts.measures] == [one.pairs for one in whole.measures]


def test_a_larger_budget_goes_on_where_the_smaller_one_ended(tmp_path: Path) -> None:
    state_after(run_of("spsa", tmp_path / "a", "300g"))
    longer = run_of("spsa", tmp_path / "a", "900g")
    assert longer.state.games >= 300
    assert state_after(longer) == state_after(run_of("spsa", tmp_path / "b", "900g"))


def test_a_folder_of_another_run_is_refused(tmp_path: Path) -> None:
    run_of("spsa", tmp_path, "10g")
    with pytest.raises(ValueError, match="holds a run with seed 1, not 2: name another --out"):
        run_of("spsa", tmp_path, "10g", seed=2)
    (tmp_path / "settings.json").write_text("{")
    with pytest.raises(ValueError, match=r"settings.json is damaged: remove its folder to start again"):
        run_of("spsa", tmp_path, "10g")


def test_learning_goes_on_from_a_file_with_the_same_parameters_free(tmp_path: Path) -> None:
    run = run_of("spsa", tmp_path / "work", "200g")
    state_after(run)
    path = tmp_path / "mine.json"
    spec = run.learner.write(run.state, path, run.about(run.final(4)))
    assert spec == f"self-taught:values={path}"
    assert json.loads(path.read_text())["about"]["target"] == "self-taught"
    again = Target.named(str(path), SMALL)
    assert (again.name, again.free) == ("self-taught", "tables")
    assert again.model.start == pytest.approx(np.array(run.state.data["vector"]), rel=1e-3, abs=1e-3)


# Regression


@pytest.mark.parametrize("kind", ["logistic", "squares"])
@pytest.mark.parametrize("target", ["corner-shy", "self-taught"])
def test_regression_recovers_the_weights_that_made_the_results(kind: Any, target: str) -> None:
    """Positions of random games; results drawn by chance from the values of known weights."""
    chosen = Target.named(target, SMALL, phases=(40,) if target == "corner-shy" else None)
    model, dice = chosen.model, np.random.default_rng(3)
    positions = Positions.of(random_games(chosen, 3000, 1), of_result=1.0)
    truth = dice.uniform(0.5, 2.0, len(model)) * dice.choice([-1, 1], len(model))
    columns, phases = model.columns.of(positions.own, positions.opp), model.phases_of(positions.own, positions.opp)
    values = (columns * model.weights(truth)[phases]).sum(axis=1)
    if kind == "logistic":
        margins = np.where(dice.random(len(values)) < 1 / (1 + np.exp(-0.2 * values)), 1.0, -1.0)
    else:
        margins = values + dice.normal(0, 5, len(values))
    made = Positions(positions.own, positions.opp, margins.astype(np.float32), positions.discs, positions.importance)
    found, _ = fitted(model, made, kind, 1e-3, float(values.std()))
    assert found == pytest.approx(truth, abs=0.25)


def test_games_from_a_file_are_fitted_once(tmp_path: Path) -> None:
    chosen = Target.named("features", SMALL)
    openings = random_openings(SMALL, 1, 0, 200)
    games = OwnGames(chosen, chosen.model.start, 2, 20, openings, 1)(Stop())
    transcripts = tmp_path / "games.txt"
    lines = []
    for row in games.moves:
        game = Game(SMALL)
        for square in row[row != NONE]:
            game.push(int(square))
        lines.append(game.transcript)
    transcripts.write_text("\n".join(lines) + "\n")
    run = run_of("regression", tmp_path / "work", "10m", target="features", start="nothing", games=str(transcripts))
    state = state_after(run)
    assert (state.step, state.games) == (1, 200)
    assert run.learner.ended(state) == "the games are fitted"
    assert run.final(100).score > 0.8
    games.save(tmp_path / "x.npz")
    with pytest.raises(ValueError, match="holds games of 6x6, not of othello"):
        run_of("regression", tmp_path / "o", "1m", Variant(), games=str(tmp_path / "x.npz"))


# Temporal differences


def test_a_lambda_return_lies_between_the_next_value_and_the_result() -> None:
    chosen = Target.named("self-taught", SMALL)
    positions = Positions.of(random_games(chosen, 20, 2), trace=1.0, of_result=1.0)
    chances = np.random.default_rng(1).random(len(positions))
    results = (positions.margin > 0) + 0.5 * (positions.margin == 0)
    assert lambda_returns(positions, chances, 1.0) == pytest.approx(results)
    nearest, half = lambda_returns(positions, chances, 0.0), lambda_returns(positions, chances, 0.5)
    ends = np.nonzero(np.append(np.diff(positions.discs.astype(int)) <= 0, True))[0]
    assert len(ends) == 20
    for at in range(len(chances)):
        if at in ends:
            assert nearest[at] == half[at] == results[at]
            continue
        follows = Position(int(positions.own[at]), int(positions.opp[at]), variant=SMALL)
        after = [follows.play(move) for move in follows.legal_moves]
        passed = any((one.own, one.opp) == (int(positions.opp[at + 1]), int(positions.own[at + 1])) for one in after)
        sign = 1 if passed else -1
        assert nearest[at] - 0.5 == pytest.approx(sign * (chances[at + 1] - 0.5))
        expected = 0.5 * sign * (chances[at + 1] - 0.5) + 0.5 * sign * (half[at + 1] - 0.5)
        assert half[at] - 0.5 == pytest.approx(expected)


# The command


@pytest.mark.parametrize(
    ("text", "games", "seconds"),
    [("500g", 500, None), ("1e4g", 10000, None), ("30m", None, 1800), ("2h", None, 7200), ("90", None, 90)],
)
def test_a_budget_is_a_time_or_a_number_of_games(text: str, games: int | None, seconds: float | None) -> None:
    assert Budget.parse(text) == Budget(games, seconds)


@pytest.mark.parametrize("text", ["", "0g", "-5m", "ten", "5y", "1e99g"])
def test_other_budgets_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"write a budget as a time \(30m, 2h\) or as games \(5000g\), not"):
        Budget.parse(text)


def test_a_time_budget_ends(tmp_path: Path) -> None:
    run = run_of("spsa", tmp_path, "1s")
    state_after(run)
    assert run.seconds >= 1
    assert "seconds" in run.about(run.final(4))


def outflank(*words: str, folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "outflank", *words]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, env=environment())


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parent.parent / "src")}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["challengr", "phased"], "'challengr' is not a method of learning: did you mean challenger?"),
        (["spsa", "nobody"], "'nobody' cannot be learnt"),
        (["spsa", "phased", "--dept", "3"], "spsa has no option --dept: its options are --depth, --start"),
        (["spsa", "phased", "--depth", "0"], "--depth must be a whole number from 1 to 12, not '0'"),
        (["spsa", "phased", "--depth"], "--depth needs a value"),
        (["spsa", "phased", "-z"], "spsa has no option -z: its options are --depth"),
        (["spsa", "--depth", "3"], "name what to learn after the method: self-taught, corner-shy"),
        (["challenger", "phased", "--draw", "none"], "--draw must be one of usual, anew, near, not 'none'"),
        (["spsa", "phased", "dynamic"], "one target at a time: phased or dynamic"),
        (["spsa", "phased", "--budget", "long"], "write a budget as a time"),
        (["spsa", "phased", "--out", "no/where.json"], "there is no folder no to write where.json into"),
        (["spsa", "phased", "--out", "where.npz"], "spsa writes a .json file"),
        (["spsa", "phased", "--variant", "9x9"], "a board has 4 to 8 rows, not 9"),
        (["spsa", "phased", "--phases", "a,b"], "--phases must be disc counts such as 20,40, or none, not 'a,b'"),
        (["regression", "phased", "--games", "none.txt"], "none.txt"),
        (["challenger", "phased", "--sprt", "5"], "--sprt takes two Elo differences such as 0,10, not '5'"),
    ],
)
def test_bad_input_is_answered_in_one_line(
    words: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    method, *rest = words
    given = {
        rest[at][2:]: rest[at + 1] for at in range(len(rest) - 1) if rest[at] in ("--budget", "--out", "--variant")
    }
    for name, value in given.items():
        rest.remove(f"--{name}")
        rest.remove(value)
    place = {"out": Path(given.pop("out"))} if "out" in given else {}
    with pytest.raises((ValueError, OSError), match=re.escape(message)) as caught:
        learn(method, rest, **given, **place)  # type: ignore[arg-type]
    assert "\n" not in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_the_command_ends_with_code_2_for_bad_input(tmp_path: Path) -> None:
    done = outflank("learn", "spsa", "nobody", "--depth", "2", folder=tmp_path)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "'nobody' cannot be learnt" in done.stderr


def test_without_a_target_the_methods_and_their_options_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    learn()
    everything = capsys.readouterr().out
    assert all(f"{name}: " in everything for name in METHODS)
    for part in everything.split("\n\n"):
        helps = [re.match(r"  --[\w-]+ +", line) for line in part.splitlines()[2:]]
        assert len({found.end() for found in helps if found}) == 1, "the explanations stand under each other"
    learn("td")
    one = capsys.readouterr().out
    assert "--lambda" in one and "--tries" not in one


KILLED_AFTER_300_GAMES = """
import json, os, signal, threading
from outflank.cli.main import main
from outflank.learning import run
write = run.write_text

def killed(path, text):
    write(path, text)
    if path.name == "state.json" and json.loads(text)["state"]["games"] > 300:
        threading.Timer(0.002, os.kill, (os.getpid(), signal.SIGKILL)).start()

run.write_text = killed
main()
"""
"""Kills itself in the middle of its work: from outside one may look too late, on a machine that stalls."""


def test_a_killed_command_goes_on_and_writes_the_same_file(tmp_path: Path) -> None:
    words = ["learn", "challenger", "self-taught", "--variant", "6x6", "--start", "random", "--budget", "3000g",
             "--trial", "50", "--seed", "5"]  # fmt: skip
    whole = outflank(*words, "--out", "whole.json", folder=tmp_path)
    assert whole.returncode in (0, 1), whole.stderr
    command = [sys.executable, "-c", KILLED_AFTER_300_GAMES, *words, "--out", "parts.json"]
    running = subprocess.run(command, cwd=tmp_path, stdout=subprocess.DEVNULL, env=environment())
    assert running.returncode == -signal.SIGKILL
    assert not (tmp_path / "parts.json").exists(), "it was over before it could be killed"
    again = outflank(*words, "--out", "parts.json", folder=tmp_path)
    assert "going on after" in again.stdout
    assert (tmp_path / "parts.json").read_bytes() == (tmp_path / "whole.json").read_bytes()
    assert (tmp_path / "parts.svg").read_text().startswith("<svg")


def test_the_result_says_what_it_is_worth_and_how_to_play_it(tmp_path: Path) -> None:
    words = ["learn", "spsa", "features", "--variant", "6x6", "--start", "nothing", "--budget", "2000g", "--depth", "1",
             "--trial", "50", "--match", "10", "--jobs", "1", "--json"]  # fmt: skip
    done = outflank(*words, "--out", "mine.json", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["spec"] == "alphabeta:heuristic=features,weights=mine.json"
    assert told["games"] >= 2000 and told["against_the_start"]["score"] > 0.6
    assert told["match"]["games"] == 20
    shown = outflank("explain", "--heuristic", "mine.json", "--variant", "6x6", folder=tmp_path)
    assert shown.returncode == 0 and "mobility" in shown.stdout
    listed = outflank("heuristics", "mine.json", "--svg", "mine-tables.svg", folder=tmp_path)
    assert listed.returncode == 0, listed.stderr
    assert "Learnt for 6x6 by spsa." in listed.stdout
    assert (tmp_path / "mine-tables.svg").read_text().count("<rect") == 1 + 36


def test_a_result_that_says_little_has_a_wide_interval() -> None:
    assert Measure(1, 100, 1.0, [1, 0, 0, 0, 1], 0.0).text.endswith("Elo +0 [-604, +604]")
    assert Measure(1, 100, 1.0, [0, 0, 0, 0, 20], 9.0).text.endswith("Elo +∞ [+338, +∞]")


def test_whoever_stops_the_last_trial_is_told_that_nothing_is_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def stopped(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Run, "final", stopped)
    with pytest.raises(KeyboardInterrupt):
        learn("spsa", ["self-taught"], "6x6", "100g", jobs=1, out=tmp_path / "mine.json")
    assert "mine.json.work: run the same command to resume" in capsys.readouterr().err


def test_a_plot_shows_every_measurement() -> None:
    measures = [Measure(1, 100, 1.0, [0, 0, 10, 0, 10], 3.0), Measure(2, 200, 2.0, [0, 0, 0, 0, 20], 9.0)]
    assert strength_curve("a title", measures).count("<circle") == 3


def test_methods_are_named() -> None:
    assert {"challenger", "cma", "spsa", "regression", "td"} <= METHODS.keys()
    with pytest.raises(ValueError, match="choose from challenger, cma"):
        method_named("xyz")


# What is shipped

DOCUMENT = Path(__file__).resolve().parent.parent / "docs" / "learning.md"


def documented_tasks() -> dict[tuple[str, str], tuple[Task, str]]:
    """What the document's commands learn, and in how many games."""
    found = {}
    for method, target, rest in re.findall(r"^outflank learn (\w+) (\S+) (.+)$", DOCUMENT.read_text(), re.MULTILINE):
        given = dict(re.findall(r"--(\S+) (\S+)", rest))
        variant, budget = Variant.named(given.pop("variant", "othello")), given.pop("budget")
        found[target, variant.name] = Task(method, target, variant, 1, METHODS[method].read_options(given)), budget
    return found


def test_every_shipped_file_is_made_by_a_documented_command() -> None:
    documented = documented_tasks()
    assert documented.keys() == learnt.shipped().keys()
    for place, (task, budget) in documented.items():
        about = json.loads(learnt.shipped()[place].read_text())["about"]
        told = {**task.to_dict(), "budget": str(Budget.parse(budget))}
        assert {name: about.get(name) for name in told} == told
        assert "from" not in about


@pytest.mark.slow
def test_the_shipped_values_of_6x6_are_learnt_again_byte_for_byte(tmp_path: Path) -> None:
    task, budget = documented_tasks()["self-taught", "6x6"]
    with Threads(2) as workers:
        learner = METHODS[task.method].learner(task, tmp_path, workers)
        run = Run(learner, tmp_path, Budget.parse(budget))
        state_after(run)
        learner.write(run.state, tmp_path / "again.json", run.about(run.final()))
    assert (tmp_path / "again.json").read_text() == learnt.shipped()["self-taught", "6x6"].read_text()


@pytest.mark.slow
def test_a_cluster_learns_the_same(tmp_path: Path) -> None:
    pytest.importorskip("ray")
    here = run_of("spsa", tmp_path / "here", "300g")
    chosen = METHODS["spsa"]
    task = Task("spsa", "self-taught", SMALL, 1, chosen.read_options({}))
    with Cluster("ray") as workers:
        there = Run(chosen.learner(task, tmp_path / "there", workers), tmp_path / "there", Budget(games=300))
        assert state_after(there) == state_after(here)
