"""Learning: games of self-play and given ones, their labels, fits that keep what is known, rounds that must win."""

import json
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import naive_learning as naive
import numpy as np
import pytest
from searching import WeightedEngine

from outflank.board.position import Position
from outflank.board.variant import OTHELLO, Variant
from outflank.formats.table import NONE, GameTable
from outflank.learning.curves import error_curves
from outflank.learning.games.labelling import Labelling, Valuing, valuing_tasks, with_theory
from outflank.learning.games.loops import EXACT, NO_VALUE, SEARCHED, STRAYED, UNKNOWN, GamePlan, planned, play_games
from outflank.learning.games.positions import Positions
from outflank.learning.games.scored import ScoredGames
from outflank.learning.games.searcher import GameSearcher
from outflank.learning.games.selfplay import Style
from outflank.learning.methods import METHODS, Task
from outflank.learning.patterns.fit import Fit
from outflank.learning.patterns.margins import differences, fitted, measured
from outflank.learning.portions import done
from outflank.learning.rounds import SelfPlay, Trial
from outflank.learning.run import Budget, Run
from outflank.learning.trials import PairScores, tally
from outflank.learning.watch import Watch
from outflank.patterns.shapes import pattern_set, table_shape
from outflank.patterns.weights import Evaluation, Weights, shipped, whole_row
from outflank.search.driver import Stop
from outflank.search.limits import Limit
from outflank.work.cluster import Cluster
from outflank.work.threads import Threads

SMALL, SMALL_REVERSED = Variant.named("6x6"), Variant.named("reversed-6x6")
VARIANTS = [SMALL, SMALL_REVERSED, OTHELLO, Variant.named("reversed")]
STYLE = Style(depth=2, exact_from=6, fewest=2, most=8, balance=24, strays=60)


def rows(games: ScoredGames) -> list[tuple[list[int], list[int], list[int]]]:
    """Moves, values and kinds of each game as lists as long as the game."""
    found = []
    for moves, values, kinds in zip(games.moves, games.values, games.kinds, strict=True):
        length = int((moves != NONE).sum())
        found.append((moves[:length].tolist(), values[:length].tolist(), kinds[:length].tolist()))
    return found


@pytest.mark.parametrize("variant", VARIANTS, ids=str)
def test_self_play_makes_whole_legal_games(variant: Variant) -> None:
    games = SelfPlay(variant, None, STYLE, 1, 0, 20)(Stop())
    for moves, values, kinds in rows(games):
        game = naive.game_of(moves, variant)
        assert game.is_over
        opening = kinds.count(UNKNOWN)
        assert 2 <= opening <= 8
        assert set(kinds[:opening]) == {UNKNOWN}  # only the random moves of the opening have no value
        assert all((value == NO_VALUE) == (kind == UNKNOWN) for value, kind in zip(values, kinds, strict=True))
    assert (games.kinds == STRAYED).any()
    assert len({tuple(moves) for moves, *_ in rows(games)}) == len(games)


@pytest.mark.parametrize("variant", VARIANTS, ids=str)
def test_the_end_of_self_play_is_exact(variant: Variant) -> None:
    """Values marked exact are the scores of best play, and the moves there are best."""
    games = SelfPlay(variant, None, STYLE, 2, 0, 4)(Stop())
    checked = 0
    for moves, values, kinds in rows(games):
        game = naive.game_of(moves, variant)
        made = [node for node in game.line if node.move != 64]
        for node, value, kind in zip(made, values, kinds, strict=True):
            assert node.parent is not None
            before = node.parent.position
            assert (kind == EXACT) == (before.empties <= 6)
            if kind == EXACT:
                assert naive.solved(before) == value
                assert -naive.solved(node.position) == value or before.turn == node.position.turn
                checked += 1
    assert checked >= 12


def test_a_game_depends_on_its_number_alone() -> None:
    whole = SelfPlay(SMALL, None, STYLE, 3, 0, 12)(Stop())
    again = SelfPlay(SMALL, None, STYLE, 3, 0, 12)(Stop())
    other = SelfPlay(SMALL, None, STYLE, 4, 0, 12)(Stop())
    assert (whole.moves == again.moves).all() and (whole.values == again.values).all()
    assert (whole.moves != other.moves).any()


@pytest.mark.parametrize("variant", [SMALL, SMALL_REVERSED], ids=str)
@pytest.mark.parametrize("trace", [0.0, 0.7, 1.0])
def test_labels_are_those_of_the_plain_reference(variant: Variant, trace: float) -> None:
    games = SelfPlay(variant, None, STYLE, 5, 0, 30)(Stop())
    found = Positions.of(games, trace, of_result=0.25)
    expected = [
        each for moves, values, kinds in rows(games) for each in naive.labels(moves, values, kinds, variant, trace)
    ]
    assert [(own, opp) for own, opp, _ in expected] == list(zip(found.own.tolist(), found.opp.tolist(), strict=True))
    np.testing.assert_allclose(found.margin, [label for *_, label in expected], atol=1e-4)
    kinds_met = np.concatenate([kinds for *_, kinds in rows(games)])
    by_kind = {UNKNOWN: 0.25, SEARCHED: 0.6, STRAYED: 0.6, EXACT: 1.0}
    np.testing.assert_allclose(found.importance, [by_kind[kind] for kind in kinds_met])


def test_random_openings_teach_nothing_where_results_do_not_count() -> None:
    games = SelfPlay(SMALL, None, STYLE, 6, 0, 10)(Stop())
    assert len(Positions.of(games, of_result=0)) == int((games.kinds != UNKNOWN).sum())


@pytest.mark.parametrize("variant", VARIANTS, ids=str)
def test_given_games_are_solved_backwards(variant: Variant) -> None:
    """Random games are full of mistakes: each late position gets its own exact score, earlier ones a search's."""
    played = SelfPlay(variant, None, replace(STYLE, strays=1000), 7, 0, 6)(Stop())
    bare = ScoredGames.unscored(GameTable(played.moves, variant))
    valued = Valuing(bare, None, Labelling(exact_from=7, depth=2, share=400), 1)(Stop())
    changes = 0
    for moves, values, kinds in rows(valued):
        made = [node for node in naive.game_of(moves, variant).line if node.move != 64]
        for ply, node in enumerate(made):
            assert node.parent is not None
            before = node.parent.position
            if before.empties <= 7:
                assert kinds[ply] == EXACT
                assert values[ply] == naive.solved(before)
                changes += ply > 0 and kinds[ply - 1] == EXACT and abs(values[ply]) != abs(values[ply - 1])
            else:
                assert kinds[ply] in (UNKNOWN, SEARCHED)
    assert changes  # the games do have mistakes in them
    share = (valued.kinds == SEARCHED).sum() / (bare.moves != NONE).sum()
    assert 0.15 < share < 0.45


def test_a_search_of_given_games_says_what_the_engine_says() -> None:
    played = SelfPlay(SMALL, None, STYLE, 8, 0, 3)(Stop())
    bare = ScoredGames.unscored(GameTable(played.moves, SMALL))
    weights = tiny_weights(SMALL)
    valued = Valuing(bare, weights, Labelling(exact_from=0, depth=1, share=1000), 1)(Stop())
    engine = WeightedEngine(weights)
    for moves, values, _ in rows(valued):
        made = [node for node in naive.game_of(moves, SMALL).line if node.move != 64]
        for node, value in zip(made[:20], values, strict=False):
            assert node.parent is not None
            hints = engine.hints(node.parent.position, Limit(depth=1))
            assert max(hint.score for hint in hints) == value


def test_known_scores_of_wthor_come_first() -> None:
    """TheoreticalScore is Black's score under best play from TheoreticalEmpties on."""
    played = SelfPlay(OTHELLO, None, STYLE, 9, 0, 8)(Stop())
    tags = {"TheoreticalScore": ["+6"] * 7 + ["-64"], "TheoreticalEmpties": ["24"] * 8}
    table = GameTable(played.moves, OTHELLO, tags)
    known = with_theory(table)
    assert (known.kinds[:7, 36] == EXACT).all() and int((known.kinds == EXACT).sum()) == 7  # -64 may mean "not known"
    signs = np.where(table.movers[:7, 36] == 0, 1, -1)
    assert (known.values[:7, 36] == 6 * signs).all()
    valued = Valuing(known, None, Labelling(exact_from=5, depth=1, share=1000), 1)(Stop())
    assert (valued.values[:7, 36] == 6 * signs).all()


def tiny_weights(variant: Variant, seed: int = 1) -> Weights:
    patterns = pattern_set(variant.rows, variant.columns)
    assert patterns is not None
    dice = np.random.default_rng(seed)
    table = dice.integers(-60, 60, table_shape(variant)).astype(np.int16)
    return Weights(variant, np.ascontiguousarray(table[:, whole_row(patterns.canonical(), table)]), {})


@pytest.mark.parametrize("variant", [SMALL, OTHELLO], ids=str)
def test_weights_are_stored_small_and_come_back_whole(variant: Variant, tmp_path: Path) -> None:
    made = tiny_weights(variant)
    made.save(tmp_path / "w.npz")
    again = Weights.load(tmp_path / "w.npz")
    assert (again.table == made.table).all()
    assert again.digest == made.digest != tiny_weights(variant, 2).digest
    extreme = Weights(variant, made.table.copy(), {})
    extreme.table[::2] = 32_000
    extreme.table[1::2] = -32_000
    extreme.save(tmp_path / "w.npz")
    assert (Weights.load(tmp_path / "w.npz").table == extreme.table).all()


def test_a_fit_recovers_the_weights_that_made_the_labels() -> None:
    """Labels made by known weights are foretold on games that were held out, by their stage's weights."""
    truth = tiny_weights(SMALL)
    patterns = pattern_set(6, 6)
    assert patterns is not None
    games = SelfPlay(SMALL, None, STYLE, 10, 0, 4000)(Stop())
    learnt, held = Positions.parted([games], of_result=1)
    shared = truth.table[0]  # one row for all stages: neighbours help each other

    def labelled(positions: Positions) -> Positions:
        from outflank.learning.patterns.fit import sums_of, weight_indices

        values = sums_of(weight_indices(patterns, positions.own, positions.opp), shared.astype(np.float32) / 128)
        return replace(positions, margin=values, importance=np.full(len(values), 50, np.float32))

    fit = Fit(labelled(learnt), labelled(held), SMALL, 40)
    stages = {stage.discs: stage for stage in fit.stages()}
    assert len(learnt) > 10 * len(held) > 10_000
    assert stages[20].root_mean_square < 0.25 * stages[20].spread
    begun = Fit(labelled(learnt), labelled(held), SMALL, 1, replace(truth, table=np.tile(shared, (17, 1))))
    assert max(stage.root_mean_square for stage in begun.stages()) < 0.01  # nothing to learn: it stays where it began


def test_games_are_held_out_whole() -> None:
    games = SelfPlay(SMALL, None, STYLE, 11, 0, 400)(Stop())
    learnt, held = games.parted()
    assert len(learnt) + len(held) == 400
    assert 5 <= len(held) <= 40
    again, _ = games.rows(0, 100).parted()
    kept = {moves.tobytes() for moves in learnt.moves}
    assert {moves.tobytes() for moves in again.moves} <= kept  # whether a game is held out depends on it alone


def test_what_was_scored_is_read_back_and_damage_is_one_line(tmp_path: Path) -> None:
    games = SelfPlay(SMALL_REVERSED, None, STYLE, 12, 0, 5)(Stop())
    games.save(tmp_path / "g.npz")
    again = ScoredGames.load(tmp_path / "g.npz")
    assert again.variant == SMALL_REVERSED
    assert all((getattr(again, part) == getattr(games, part)).all() for part in ("moves", "values", "kinds"))
    with pytest.raises(ValueError, match="there is no file"):
        ScoredGames.load(tmp_path / "none.npz")
    (tmp_path / "g.npz").write_bytes(b"PK\x03\x04 nothing")
    with pytest.raises(ValueError, match="not a file of games with values"):
        ScoredGames.load(tmp_path / "g.npz")
    about = np.array(json.dumps({"format": 1, "variant": "6x6"}))
    np.savez(tmp_path / "g.npz", moves=games.moves, values=games.values, kinds=games.values, about=about)
    with pytest.raises(ValueError, match="its arrays are not those"):
        ScoredGames.load(tmp_path / "g.npz")


def test_the_two_games_of_a_pair_share_their_opening() -> None:
    players = [GameSearcher(SMALL, Evaluation.of(tiny_weights(SMALL, seed))) for seed in (1, 2)]
    plan = planned(GamePlan, Style.trial(SMALL, 2, 6), SMALL, seed=1, first=4, paired=True)
    moves, values, kinds = (np.empty((20, 64), kind) for kind in (np.uint8, np.int8, np.uint8))
    scores = np.empty(20, np.int64)
    stop = Stop()
    (one, sure_one), (other, sure_other) = (player.ready(stop) for player in players)
    play_games(one, other, sure_one, sure_other, plan.address, moves, values, kinds, scores)
    openings = [moves[row][(kinds[row] == UNKNOWN) & (moves[row] != NONE)].tolist() for row in range(20)]
    assert openings[::2] == openings[1::2]
    assert len(set(map(tuple, openings))) > 5
    assert (moves[::2] != moves[1::2]).any()  # the players are exchanged
    pairs = Trial(SMALL, tiny_weights(SMALL, 1), tiny_weights(SMALL, 2), Style.trial(SMALL, 2, 6), 1, 2, 10)(Stop())
    assert pairs == [(one, -other) for one, other in scores.reshape(-1, 2).tolist()]


def test_a_trial_finds_the_better_weights() -> None:
    """The shipped weights beat weights that see everything the other way round, and lose from the other side."""
    good = shipped(OTHELLO)
    assert good is not None
    bad = Weights(OTHELLO, -good.table, {})
    style = Style.trial(OTHELLO, 3, 8)
    forward = tally([Trial(OTHELLO, good, bad, style, 1, 0, 8)(Stop())])
    backward = tally([Trial(OTHELLO, bad, good, style, 1, 0, 8)(Stop())])
    assert forward.score is not None and forward.score > 0.9
    assert backward.score is not None and backward.score < 0.1


def training(folder: Path, rounds: int, jobs: int = 1, watch: Watch | None = None, **changed: Any) -> Run:
    """Pattern training by self-play in a folder."""
    method = METHODS["patterns"]
    given = {
        "round": 120,
        "depth": 1,
        "exact": 4,
        "gate": 6,
        "iterations": 3,
        "margins": "no",
        "calibrate": "no",
        **changed,
    }
    options = method.read_options({name: str(value) for name, value in given.items()})
    learner = method.learner(Task("patterns", "engine", SMALL_REVERSED, 1, options), folder, Threads(jobs))
    learner.watch = watch or Watch()
    return Run(learner, folder, Budget(games=rounds * int(given["round"])), measuring=False)


def rounds_of(run: Run) -> list[dict[str, Any]]:
    for _ in run.steps():
        pass
    found: list[dict[str, Any]] = run.state.data["rounds"]
    return found


def test_a_training_stopped_anywhere_goes_on_as_if_it_had_not_been(tmp_path: Path) -> None:
    whole = training(tmp_path / "whole", 2, jobs=2)
    wanted = rounds_of(whole)
    assert [played["round"] for played in wanted] == [1, 2]

    class KilledError(Exception):
        pass

    class Killing(Watch):
        """Ends a run at its first sign of progress that earlier runs did not come to."""

        def __init__(self, after: int) -> None:
            self.left = after

        def progress(self, what: str, done: int, of: int) -> None:
            self.left -= 1
            if self.left < 0:
                raise KilledError

    found, steps = None, 0
    while found is None:
        try:
            run = training(tmp_path / "parts", 2, watch=Killing(steps))
            found = rounds_of(run)
        except KilledError:
            steps += 1
    assert steps > 5
    assert found == wanted
    for name in ("round-01.npz", "round-02.npz"):
        assert (tmp_path / "parts" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()


def test_another_training_needs_another_folder(tmp_path: Path) -> None:
    training(tmp_path, 1)
    training(tmp_path, 2)
    with pytest.raises(ValueError, match="holds a run with round 120, not 121"):
        training(tmp_path, 1, round=121)
    tiny_weights(SMALL_REVERSED).save(tmp_path / "w.npz")
    with pytest.raises(ValueError, match="holds a run with start nothing"):
        training(tmp_path, 1, start=tmp_path / "w.npz")
    (tmp_path / "settings.json").write_text('{"variant": "6x6", "games": 120, "begin": null}')
    with pytest.raises(ValueError, match="was made by another version: name another --out, or remove that folder"):
        training(tmp_path, 1)


def test_games_that_changed_are_other_games(tmp_path: Path) -> None:
    file = tmp_path / "games-0.npz"
    SelfPlay(SMALL_REVERSED, None, STYLE, 1, 0, 3)(Stop()).save(file)
    training(tmp_path / "work", 1, games=file)
    SelfPlay(SMALL_REVERSED, None, STYLE, 2, 0, 3)(Stop()).save(file)
    with pytest.raises(ValueError, match="holds a run with games"):
        training(tmp_path / "work", 1, games=file)


def test_a_round_is_kept_only_if_it_wins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The verdict is the trial's; the next round plays with the winner."""
    champions = []
    results = iter([[(2, 2)], [(-2, -2)], [(2, -2)]])

    def portion(trial: Trial, stop: Stop) -> PairScores:
        champions.append(None if trial.old is None else trial.old.digest)
        return next(results) * trial.pairs

    monkeypatch.setattr(Trial, "__call__", portion)
    run = training(tmp_path, 3, round=40)
    assert [each["kept"] for each in rounds_of(run)] == [True, False, False]
    first = Weights.load(tmp_path / "round-01.npz")
    assert champions == [None, first.digest, first.digest]
    assert run.state.data["champion"] == "round-01.npz"


@dataclass(frozen=True)
class Number:
    """A portion that is easy to look at."""

    value: int

    def save(self, path: Path) -> None:
        path.write_text(str(self.value))

    @classmethod
    def load(cls, path: Path) -> "Number":
        return cls(int(path.read_text()))


def test_portions_that_are_there_are_not_made_again(tmp_path: Path) -> None:
    made = []

    def task(number: int) -> Any:
        def make(stop: Stop) -> Number:
            made.append(number)
            if number == 2 and len(made) == 3:
                raise OSError("the disk is full")
            return Number(number)

        return make

    tasks = {tmp_path / f"{number}.json": task(number) for number in range(4)}
    with pytest.raises(OSError, match="full"):
        list(done(Threads(1), tasks, Number))
    assert [portion.value for portion in done(Threads(1), tasks, Number)] == [0, 1, 2, 3]
    assert made.count(0) == made.count(1) == 1


def test_portions_behind_a_slow_one_are_kept_when_something_ends_the_work(tmp_path: Path) -> None:
    def slow(stop: Stop) -> Number:
        while not stop.is_set:
            time.sleep(0.001)
        return Number(0)

    def full(stop: Stop) -> Number:
        raise OSError("the disk is full")

    quick = [lambda _, number=number: Number(number) for number in range(3)]
    tasks: dict[Path, Any] = {tmp_path / f"{number}.json": task for number, task in enumerate([slow, *quick, full])}
    with pytest.raises(OSError, match="full"):
        list(done(Threads(2), tasks, Number))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["1.json", "2.json", "3.json"]


@pytest.mark.slow
def test_a_cluster_makes_the_same_portions(tmp_path: Path) -> None:
    pytest.importorskip("ray")
    tasks = {f"{first:03}.npz": SelfPlay(SMALL, tiny_weights(SMALL), STYLE, 16, first, 20) for first in (0, 20, 40)}
    here, there = (
        list(done(workers, {tmp_path / on / name: task for name, task in tasks.items()}, ScoredGames))
        for on, workers in (("", Threads(2)), ("ray", Cluster("ray")))
    )
    assert [(part.moves.tolist(), part.values.tolist()) for part in here] == [
        (part.moves.tolist(), part.values.tolist()) for part in there
    ]
    assert len(list((tmp_path / "ray").iterdir())) == 3


def test_values_of_other_settings_have_files_of_their_own(tmp_path: Path) -> None:
    games = SelfPlay(SMALL, None, STYLE, 13, 0, 3)(Stop())
    how = Labelling(4, 1, 100)
    names = {
        next(iter(valuing_tasks(games, weights, each, tmp_path)))
        for weights, each in ((None, how), (None, replace(how, depth=2)), (tiny_weights(SMALL), how))
    }
    assert len(names) == 3


def test_margins_follow_the_spread_that_was_measured() -> None:
    weights = tiny_weights(SMALL)
    games = SelfPlay(SMALL, None, STYLE, 14, 0, 60)(Stop())
    positions = Positions.of(games, of_result=1)
    found = dict(measured(positions, SMALL, Evaluation.of(weights), Stop(), each=30, solved_from=8))
    together = {key: values for part in found.values() for key, values in part.items()}
    assert (8, 8, 4) in together and (12, 12, 6) not in together  # to the end only where it is near
    assert (12, 2, 0) in together and (12, 1, 0) in together  # one ply and two are foretold by the evaluation alone
    assert (12, 0, 0) not in together
    coefficients, off = fitted(together)
    assert len(coefficients) == 5 and off < 2
    with pytest.raises(ValueError, match="margins need 25 or more positions"):
        fitted({(8, 8, 4): [1, 2]})


def test_differences_are_of_searches_at_both_depths() -> None:
    weights = tiny_weights(SMALL)
    games = SelfPlay(SMALL, None, STYLE, 15, 0, 8)(Stop())
    positions = Positions.of(games, of_result=1)
    there = np.flatnonzero(positions.discs == 30)[:3]
    own, opp = positions.own[there], positions.opp[there]
    found = differences(own, opp, SMALL, Evaluation.of(weights), 3, 6, Stop())
    engine = WeightedEngine(weights)
    for index in range(3):
        position = Position(int(own[index]), int(opp[index]), variant=SMALL)
        exact = naive.solved(position)
        deep = max(hint.score for hint in engine.hints(position, Limit(depth=2)))
        assert found[6, 6, 2][index] == exact - deep


def test_the_curves_are_drawn_from_what_the_files_say(tmp_path: Path) -> None:
    stages = [{"discs": discs, "root_mean_square": 8 - discs / 10} for discs in range(4, 37, 2)]
    weights = replace(tiny_weights(SMALL), provenance={"held_out": stages})
    picture = error_curves({"a<b": weights, "other": weights})
    assert picture.count("<polyline") == 2 and "a&lt;b" in picture
    assert len(picture.split('points="')[1].split('"')[0].split()) == len(stages)
    with pytest.raises(ValueError, match="does not record how well"):
        error_curves({"x": tiny_weights(SMALL)})
