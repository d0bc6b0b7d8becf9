"""AlphaZero's way of learning: games of guided searches, fits to them, generations that must win, and their command."""

import json
import math
import re
import subprocess
import sys
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import gridboard
import naive_guided as naive
import naive_montecarlo
import numpy as np
import pytest
from naive_learning import score, solved
from test_guided import SMALL, SMALL_REVERSED, VARIANTS, any_guide

from outflank.arena.statistics import superiority
from outflank.board.memory import stack_words
from outflank.board.position import Position
from outflank.board.squares import Color
from outflank.board.variant import Variant
from outflank.learning.alphazero import loops
from outflank.learning.alphazero.fit import GuideFit, Lessons
from outflank.learning.alphazero.games import GuidedGames, Manner
from outflank.learning.alphazero.learner import AlphaZero
from outflank.learning.curves import ladder_curves
from outflank.learning.methods import METHODS, State, Task
from outflank.learning.rounds import SelfPlay, Trial
from outflank.learning.run import Budget, Run
from outflank.learning.trials import tally
from outflank.patterns.guides import Guide, shipped_tables
from outflank.patterns.shapes import require_patterns
from outflank.search.driver import Stop
from outflank.search.montecarlo.guided_kernels import RESULT_RANGE
from outflank.work.threads import Threads

SHORT = Manner(thorough=24, quick=6, share=400, most=3, sampled=12, noise=0.25)


def positions(games: GuidedGames, variant: Variant) -> list[Position]:
    return [Position(int(own), int(opp), Color.BLACK, variant) for own, opp in zip(games.own, games.opp, strict=True)]


def rows_of(games: GuidedGames) -> list[Any]:
    return [tuple(np.nonzero(games.game == number)[0]) for number in np.unique(games.game)]


def followers(position: Position) -> dict[tuple[int, int], bool]:
    """The positions in which somebody moves next, and whether it is the other side."""
    found = {}
    for move in position.legal_moves:
        after = position.play(move)
        found[(after.opp, after.own) if after.must_pass else (after.own, after.opp)] = not after.must_pass
    return found


@pytest.mark.parametrize("variant", VARIANTS, ids=str)
@pytest.mark.parametrize("guided", [False, True])
def test_self_play_makes_whole_games(variant: Variant, guided: bool) -> None:
    """Each position follows from the one before by a legal move, and the last one's game ends with the result."""
    games = SelfPlay(variant, any_guide(variant) if guided else None, SHORT, 1, 0, 6)(Stop())
    assert len(np.unique(games.game)) == 6
    for rows in rows_of(games):
        line = [positions(games, variant)[row] for row in rows]
        assert variant.square_count - line[0].empties - 4 <= 3, "an opening has three random plies at most"
        for before, after in pairwise(line):
            assert (after.own, after.opp) in followers(before)
        ends = [line[-1].play(move) for move in line[-1].legal_moves]
        results = {-int(np.sign(score(end))) for end in ends if end.is_over}
        assert int(games.result[rows[-1]]) in results
        for row, position in zip(rows, line, strict=True):
            assert games.moves[row] in (0, len(position.legal_moves))
            assert abs(games.result[row]) <= 1


def test_results_are_seen_by_the_side_to_move() -> None:
    """From one position to the next the result's sign changes, unless the same side moves again."""
    games = SelfPlay(SMALL, None, SHORT, 2, 0, 20)(Stop())
    line, changes = positions(games, SMALL), 0
    for rows in rows_of(games):
        for row, after in pairwise(rows):
            changed = followers(line[row])[line[after].own, line[after].opp]
            assert games.result[after] == (-games.result[row] if changed else games.result[row])
            changes += changed
    assert changes > 100 and games.result.any()


def test_visits_are_those_of_thorough_searches() -> None:
    games = SelfPlay(SMALL, any_guide(SMALL), SHORT, 3, 0, 12)(Stop())
    ends = np.cumsum(games.moves, dtype=np.int64)
    thorough = np.nonzero(games.moves)[0]
    assert 0.2 < len(thorough) / (games.kind != loops.RESULT_ONLY).sum() < 0.6
    for row in thorough:
        counts = games.counts[ends[row] - games.moves[row] : ends[row]]
        if games.kind[row] == loops.PROVEN:
            assert set(counts) <= {0, 1} and counts.any()
        else:
            assert counts.sum() == SHORT.thorough
    assert len(games.counts) == ends[-1]


def test_proven_positions_have_the_result_of_best_play() -> None:
    games = SelfPlay(SMALL_REVERSED, any_guide(SMALL_REVERSED), replace(SHORT, thorough=400, share=1000), 4, 0, 3)(
        Stop()
    )
    checked = 0
    for row, position in enumerate(positions(games, SMALL_REVERSED)):
        if games.kind[row] == loops.PROVEN and position.empties <= 6:
            assert games.worth[row] == RESULT_RANGE * np.sign(solved(position))
            checked += 1
    assert checked >= 6


def test_a_game_depends_on_its_number_alone() -> None:
    whole = SelfPlay(SMALL, any_guide(SMALL), SHORT, 5, 0, 8)(Stop())
    part = SelfPlay(SMALL, any_guide(SMALL), SHORT, 5, 5, 3)(Stop())
    other = SelfPlay(SMALL, any_guide(SMALL), SHORT, 6, 0, 8)(Stop())
    later = whole.game >= 5
    assert (whole.own[later] == part.own).all() and (whole.worth[later] == part.worth).all()
    assert len(other) != len(whole) or (other.own != whole.own).any()


def test_games_survive_their_file(tmp_path: Path) -> None:
    games = SelfPlay(SMALL, None, SHORT, 7, 3, 2)(Stop())
    games.save(tmp_path / "games.npz")
    found = GuidedGames.load(tmp_path / "games.npz")
    for column in ("own", "opp", "game", "kind", "result", "worth", "moves", "counts"):
        assert (getattr(found, column) == getattr(games, column)).all()


def test_noise_changes_what_is_looked_at() -> None:
    """Without noise every search of the start spreads its visits alike (over moves that are alike); with noise not."""

    def first_visits(noise: float) -> set[tuple[int, ...]]:
        manner = Manner(thorough=30, quick=30, share=1000, noise=noise)
        games = SelfPlay(SMALL, any_guide(SMALL), manner, 8, 0, 20)(Stop())
        ends = np.cumsum(games.moves, dtype=np.int64)
        starts = [rows[0] for rows in rows_of(games)]
        return {tuple(sorted(games.counts[ends[row] - games.moves[row] : ends[row]])) for row in starts}

    assert len(first_visits(0.0)) <= 3
    assert len(first_visits(0.5)) > 8


def test_dirichlet_noise_has_the_right_spread() -> None:
    """A gamma variate's mean and variance are its shape."""
    from outflank.board.compiled import kernel, uint64

    @kernel("void(float64, uint64, float64[::1])", identity="test")
    def fill(shape: float, seed: int, found: Any) -> None:
        dice = stack_words(1)
        dice[uint64(0)] = seed
        for index in range(found.size):
            found[index] = loops.gamma_variate(shape, dice)

    for shape in (0.3, 1.0, 2.5):
        found = np.empty(40_000)
        fill(shape, 7, found)
        assert found.mean() == pytest.approx(shape, rel=0.05)
        assert found.var() == pytest.approx(shape, rel=0.1)


def test_pairs_share_their_opening_and_exchange_colours() -> None:
    games, scores = Manner.trial(SMALL, 60).played(SMALL, (None, any_guide(SMALL)), 9, 0, 24, Stop())
    starts = [(int(games.own[rows[0]]), int(games.opp[rows[0]])) for rows in rows_of(games)]
    assert starts[::2] == starts[1::2] and len(set(starts)) > 6
    # The player that makes sense moves first in one game of a pair and second in the other, and wins mostly.
    assert scores[::2].sum() > 0 > scores[1::2].sum()


# Fits


def made_up(variant: Variant, guide: Guide, games: int) -> GuidedGames:
    """Positions of random games whose results and visits follow a known guide exactly."""
    played: GuidedGames = SelfPlay(
        variant, None, replace(SHORT, thorough=8, quick=2, share=1000, most=20), 11, 0, games
    )(Stop())
    worth, counts = [], []
    for own, opp, moves in zip(played.own.tolist(), played.opp.tolist(), played.moves.tolist(), strict=True):
        worth.append(round(RESULT_RANGE * naive.worth(guide, own, opp)))
        if moves:
            board = gridboard.grid(variant.rows, variant.columns)
            search = naive.Search(own, opp, board, variant.reversed, naive_montecarlo.Dice(1), guide=guide)
            counts += [round(60_000 * chance) for chance in search.chances(own, opp)]
    kind = np.full_like(played.kind, loops.PROVEN)
    return replace(played, worth=np.array(worth, np.int16), kind=kind, counts=np.array(counts, np.uint16))


def test_a_fit_recovers_what_a_known_guide_would_say() -> None:
    """On games it has not seen it comes much nearer to the truth than knowing nothing, value and policy alike."""
    patterns = require_patterns(SMALL)
    truth = any_guide(SMALL, 3)
    simple = [np.zeros_like(truth.values) for _ in range(2)]
    for table, source in zip(simple, (truth.values, truth.policies), strict=True):
        for pattern in patterns.patterns:
            if pattern.size <= 3**6:  # the small patterns only: what few games can show
                part = slice(pattern.offset, pattern.offset + pattern.size)
                table[:, part] = source[0, part]
    games = made_up(SMALL, Guide(SMALL, simple[0], simple[1], {}), 70)
    lessons = Lessons(games, SMALL)
    nothing, fitted = (GuideFit(lessons, None, 1, passes=passes).fitted(1).provenance for passes in (0, 12))
    target = lessons.targets[lessons.held].astype(float)
    least = -np.mean(target * np.log(target) + (1 - target) * np.log(1 - target))
    assert nothing["value_loss"] == pytest.approx(math.log(2), abs=1e-4)
    assert fitted["value_loss"] - least < 0.6 * (nothing["value_loss"] - least)
    assert fitted["policy_loss"] < 0.6 * nothing["policy_loss"]


def test_a_fit_does_not_depend_on_the_number_of_jobs() -> None:
    games = SelfPlay(SMALL, None, SHORT, 12, 0, 40)(Stop())
    one, two = (GuideFit(Lessons(games, SMALL), None, 1).fitted(jobs) for jobs in (1, 2))
    assert one.digest == two.digest
    assert GuideFit(Lessons(games, SMALL), None, 2).fitted(1).digest != one.digest


def test_symmetric_positions_get_the_same_value() -> None:
    from outflank.board.kernels import symmetry

    games = SelfPlay(SMALL, None, SHORT, 13, 0, 40)(Stop())
    guide = GuideFit(Lessons(games, SMALL), None, 1).fitted(1)
    own, opp = int(games.own[200]), int(games.opp[200])
    values = {naive.worth(guide, symmetry(own, which, 6, 6), symmetry(opp, which, 6, 6)) for which in range(8)}
    assert len(values) == 1 and values != {0.0}


# Learning


def task(variant: Variant = SMALL, seed: int = 1, **options: int) -> Task:
    chosen = {option.name: option.default for option in METHODS["alphazero"].options}
    small = {"round": 300, "playouts": 60, "quick": 12, "gate": 20, "gate-playouts": 40, "window": 3}
    return Task("alphazero", "patterns", variant, seed, {**chosen, **small, **options})


def learnt(folder: Path, games: int, chosen: Task) -> Run:
    run = Run(AlphaZero(chosen, folder, Threads(2)), folder, Budget(games=games))
    for _ in run.steps():
        pass
    return run


@pytest.mark.parametrize("variant", [SMALL, SMALL_REVERSED], ids=str)
def test_learning_beats_knowing_nothing(variant: Variant, tmp_path: Path) -> None:
    run = learnt(tmp_path, 600, task(variant))
    assert run.state.data["champion"]
    assert run.final(40).superiority > 0.99


@pytest.mark.parametrize("variant", [SMALL, SMALL_REVERSED], ids=str)
@pytest.mark.parametrize("part", ["values", "policies"])
def test_the_search_is_weaker_without_what_was_learnt(variant: Variant, part: str) -> None:
    """Value and policy both win games: a search that ignored one of them would only draw this match."""
    tables = shipped_tables(variant)
    assert tables is not None
    without = replace(tables.guide, **{part: np.zeros_like(tables.guide.values)})
    match = tally([Trial(variant, tables.guide, without, Manner.trial(variant, 30), 99, 0, 100)(Stop())])
    assert superiority(match.counts) > 0.99


def test_killed_and_resumed_it_learns_the_same(tmp_path: Path) -> None:
    chosen = task(round=100, window=2)
    whole = learnt(tmp_path / "whole", 300, chosen)
    # Killed in the third generation, when some of its games are played: the state is the second's.
    part = learnt(tmp_path / "part", 200, chosen)
    learner = AlphaZero(chosen, tmp_path / "part", Threads(1))
    learner.play(learner.champion(part.state), 3, 200, 50)
    for file in learner.folder_of(3).iterdir():
        file.rename(file.with_name("games-000000200.npz.part"))  # as a write that was cut short
    resumed = learnt(tmp_path / "part", 300, chosen)
    assert resumed.state == whole.state
    champions = [
        Guide.load(tmp_path / name / run.state.data["champion"]) for name, run in (("whole", whole), ("part", resumed))
    ]
    assert champions[0].digest == champions[1].digest
    folders = {path.name for path in (tmp_path / "part").iterdir() if path.is_dir()}
    assert folders == {"round-02", "round-03"}, "games that nothing needs any more are gone"


def test_a_guide_that_does_not_win_is_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = task(round=150)
    first = learnt(tmp_path, 150, chosen)
    assert first.state.data["champion"] == "round-01.npz"
    worse = GuideFit.fitted

    def spoilt(self: GuideFit, jobs: int) -> Guide:
        guide = worse(self, jobs)
        return Guide(guide.variant, -guide.values, guide.policies, guide.provenance)

    monkeypatch.setattr(GuideFit, "fitted", spoilt)
    second = learnt(tmp_path, 300, chosen)
    assert second.state.data["champion"] == "round-01.npz"
    assert [one["kept"] for one in second.state.data["rounds"]] == [True, False]


def test_targets_and_boards_it_cannot_learn(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="alphazero learns 'patterns'"):
        AlphaZero(replace(task(), target="squares"), tmp_path, Threads(1))
    with pytest.raises(ValueError, match="there are no patterns for 4x5"):
        AlphaZero(task(Variant.named("4x5")), tmp_path, Threads(1))
    learner = AlphaZero(task(), tmp_path, Threads(1))
    with pytest.raises(ValueError, match="no generation beat random play"):
        learner.write(State(learner.begin()), tmp_path / "none.npz", {})


def test_the_ladder_is_drawn_from_what_the_file_says(tmp_path: Path) -> None:
    ladder = [{"games": 0, "pairs": [20, 0, 0, 0, 0]}, {"games": 500, "pairs": [5, 0, 10, 0, 5]}]
    guide = replace(any_guide(SMALL), provenance={"ladder": [*ladder, {"games": 900, "pairs": []}]})
    picture = ladder_curves({"mine": guide})
    heights = [float(dot) for dot in re.findall(r'<circle [^>]*cy="([0-9.]+)"', picture)]
    assert len(heights) == 3 and heights[0] > heights[1] == heights[2], "0 %, then 50 %, then the last one itself"
    with pytest.raises(ValueError, match="does not record how it was learnt"):
        ladder_curves({"mine": any_guide(SMALL)})


def outflank(*words: str, cwd: Path) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([sys.executable, "-m", "outflank", *words], cwd=cwd, capture_output=True, text=True)


def test_the_command_learns_and_its_file_plays(tmp_path: Path) -> None:
    small = ("--round", "150", "--playouts", "30", "--quick", "8", "--gate", "10", "--gate-playouts", "20")
    words = ("learn", "alphazero", "patterns", *small, "--variant", "6x6", "--trial", "10", "--out", "mine.npz")
    done = outflank(*words, "--budget", "300g", "--jobs", "1", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    about = json.loads(done.stdout)
    assert about["games"] == 300 and about["spec"] == "alphazero:weights=mine.npz"
    guide = Guide.load(tmp_path / "mine.npz")
    assert [one["generation"] for one in guide.provenance["generations"]] == [1, 2]
    drawn = outflank("train", "--curves", "mine.npz", "--out", "ladder.svg", cwd=tmp_path)
    assert drawn.returncode == 0 and (tmp_path / "ladder.svg").read_text().startswith("<svg")
    move = outflank("move", "--agent", about["spec"], "--variant", "6x6", "--playouts", "20", "--json", cwd=tmp_path)
    assert json.loads(move.stdout)["nodes"] == 20
    wrong = outflank("learn", "alphazero", "squares", "--variant", "6x6", "--out", "w.npz", cwd=tmp_path)
    assert wrong.returncode == 2 and wrong.stderr.count("\n") == 1 and "patterns" in wrong.stderr
    other = outflank("move", "--agent", about["spec"], cwd=tmp_path)
    assert other.returncode == 2 and "was learnt for 6x6" in other.stderr
