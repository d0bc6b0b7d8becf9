"""`outflank train`: from games, by self-play, margins and pictures, and what it says of wrong arguments."""

from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from outflank.board.variant import OTHELLO, Variant
from outflank.cli.main import app
from outflank.learning.games.scored import ScoredGames
from outflank.learning.games.selfplay import Style
from outflank.learning.patterns import calibration
from outflank.learning.patterns.fit import STEP
from outflank.learning.portions import done
from outflank.learning.rounds import SelfPlay
from outflank.patterns.weights import Weights, shipped
from outflank.search.driver import Stop
from outflank.work.threads import Threads

SMALL = Variant.named("6x6")
QUICK = ("--depth", "1", "--exact", "4", "--iterations", "3", "--no-margins", "--no-calibrate")


def train(*arguments: str) -> str:
    done = CliRunner().invoke(app, ["train", *arguments])
    assert done.exit_code == 0, done.output + str(done.exception)
    return done.output


def refused(*arguments: str) -> str:
    done = CliRunner().invoke(app, ["train", *arguments])
    assert isinstance(done.exception, ValueError), done.output  # the program makes one line and exit code 2 of it
    return str(done.exception)


def test_rounds_of_self_play_make_weights_with_their_history(tmp_path: Path) -> None:
    out = tmp_path / "w.npz"
    command = ("--self-play", "--variant", "6x6", "--games", "1600", "--pairs", "60", *QUICK, "--out", str(out))
    begin = tmp_path / "begin.npz"
    nothing = Weights(SMALL, np.zeros_like(_shape(SMALL)), {})
    nothing.save(begin)  # to see no difference anywhere is worse than anything that was learnt
    said = train(*command, "--rounds", "1", "--from", str(begin))
    assert "round 1: 1,600 games" in said and "kept" in said
    made = Weights.load(out)
    assert made.variant == SMALL and made.table.any()
    assert made.provenance["rounds"][0]["games"] == 1600
    assert made.provenance["settings"]["depth"] == 1
    again = train(*command, "--rounds", "2", "--from", str(begin))  # goes on after the first round
    assert again.startswith("going on after 1,600 games") and "round 2: 1,600 games" in again
    assert Weights.load(out).provenance["rounds"][0] == made.provenance["rounds"][0]
    assert "holds a run with round 1600, not 300" in refused(
        *("300" if argument == "1600" else argument for argument in command), "--rounds", "1", "--from", str(begin)
    )


def _shape(variant: Variant) -> np.ndarray:
    from outflank.patterns.shapes import table_shape

    return np.zeros(table_shape(variant), np.int16)


@pytest.mark.slow
def test_given_games_and_self_play_are_fitted_together(tmp_path: Path) -> None:
    own = SelfPlay(OTHELLO, None, Style(1, 4, 4, 10), 1, 0, 60)(Stop())
    own.save(tmp_path / "games-0.npz")
    np.savez(tmp_path / "moves.npz", moves=own.moves[:, :60])
    out = tmp_path / "w.npz"
    said = train(str(tmp_path / "moves.npz"), str(tmp_path), *QUICK, "--share", "0.1", "--out", str(out))
    assert said.startswith("120 games, ")
    made = Weights.load(out)
    before = shipped(OTHELLO)
    assert before is not None
    assert made.provenance["sources"] == ["moves.npz", tmp_path.name]
    assert made.provenance["labelling"]["weights"] == before.digest
    assert len(made.provenance["held_out"]) >= 29
    assert (made.table != before.table).any()
    portions = list((tmp_path / "w.npz.work").rglob("games-*.npz"))
    assert len(portions) == 1  # kept for the next run
    train(str(tmp_path / "moves.npz"), str(tmp_path), *QUICK, "--share", "0.1", "--out", str(tmp_path / "again.npz"))
    assert (Weights.load(tmp_path / "again.npz").table == made.table).all()
    train(str(tmp_path), *QUICK, "--trace", "0", "--out", str(tmp_path / "searched.npz"))
    train(str(tmp_path), *QUICK, "--trace", "1", "--out", str(tmp_path / "results.npz"))
    searched, results = (Weights.load(tmp_path / f"{name}.npz") for name in ("searched", "results"))
    assert (searched.provenance["trace"], results.provenance["trace"]) == (0, 1)
    middle = (searched.table != results.table)[10]
    assert middle.any() and (searched.table == results.table)[-2:].all()  # exact scores have no trace


def test_margins_alone_are_measured_anew(tmp_path: Path) -> None:
    begin, out = tmp_path / "begin.npz", tmp_path / "w.npz"
    Weights(SMALL, _shape(SMALL) + np.int16(3), {"note": "kept"}).save(begin)
    said = train("--variant", "6x6", "--from", str(begin), "--no-calibrate", "--out", str(out))
    assert "margins: " in said
    made = Weights.load(out)
    assert made.provenance["note"] == "kept"
    assert len(made.provenance["spreads"]) == 5


def test_a_calibration_alone_stretches_the_weights_and_changes_the_constants(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in (("SOLVED", (11, 12)), ("SOLVED_EACH", 12), ("MET_EACH", 6)):
        monkeypatch.setattr(calibration, name, value)
    games = SelfPlay(SMALL, None, Style(1, 6, 2, 6), 1, 0, 40)(Stop())
    games.save(tmp_path / "games-0.npz")
    out, before = tmp_path / "w.npz", shipped(SMALL)
    assert before is not None
    said = train("--variant", "6x6", "--from", "shipped", "--known", str(tmp_path), "--no-margins", "--out", str(out))
    assert "calibration: " in said and "depth 10  bias" in said
    made = Weights.load(out)
    factor = made.provenance["calibration"]["stretched"]
    assert (abs(made.table - factor * before.table)[:, :-2] <= STEP / 2 + 1).all()
    assert (made.table[:, -2:] != np.rint(factor * before.table[:, -2:])).any()
    spreads, stretched = before.provenance["spreads"], made.provenance["spreads"]
    assert stretched == [pytest.approx(spreads[0] + np.log(factor), abs=1e-4), *spreads[1:]]
    assert made.provenance["calibration"]["positions"] > 24  # the games' own exact positions are among them
    assert "there is nothing to do" in refused(
        "--variant", "6x6", "--from", "shipped", "--no-margins", "--no-calibrate", "--out", str(out)
    )


def test_the_errors_are_drawn(tmp_path: Path) -> None:
    weights = tmp_path / "w.npz"
    Weights(SMALL, _shape(SMALL), {"held_out": [{"discs": 4, "root_mean_square": 2.0}]}).save(weights)
    train("--curves", str(weights), "--out", str(tmp_path / "errors.svg"))
    assert (tmp_path / "errors.svg").read_text().startswith("<svg")


@pytest.fixture(scope="module")
def odd_files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Files that are not what they are given for."""
    folder = tmp_path_factory.mktemp("odd")
    Weights(SMALL, _shape(SMALL), {}).save(folder / "six.npz")
    SelfPlay(SMALL, None, Style(1, 4, 2, 4), 1, 0, 2)(Stop()).save(folder / "games-0.npz")
    untested = {"discs": 4, "root_mean_square": 0.0}
    Weights(SMALL, _shape(SMALL), {"held_out": [untested]}).save(folder / "untested.npz")
    Weights(SMALL, _shape(SMALL), {"held_out": [7]}).save(folder / "odd.npz")
    np.savez(folder / "pickled.npz", moves=np.array([{}], object))
    np.savez(folder / "nameless.npz", about=np.array('{"format": 3}'), changes=_shape(SMALL))
    for name, settings in (("cut", '{"vari'), ("list", "[]")):
        (folder / f"{name}.npz.work").mkdir()
        (folder / f"{name}.npz.work" / "settings.json").write_text(settings)
    return folder


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ((), "name games to learn from, or --self-play"),
        (("--self-play",), "name the weights file to write with --out"),
        (("--self-play", "--out", "no/such/folder/w.npz"), "there is no folder no/such/folder"),
        (("--self-play", "--variant", "4x4", "--games", "5", "--out", "{}/w.npz"), "there are no patterns for 4x4"),
        (("--self-play", "--variant", "hexagonal", "--out", "{}/w.npz"), "hexagonal"),
        (("--self-play", "x.npz", "--out", "{}/w.npz"), "--self-play makes its own games"),
        (("nowhere.npz", "--out", "{}/w.npz"), "there is no file nowhere.npz"),
        (("--from", "nowhere.npz", "--out", "{}/w.npz"), "there is no weights file nowhere.npz"),
        (("--from", "{}/six.npz", "--out", "{}/w.npz"), "holds weights for 6x6, not for othello"),
        (("{}/games-0.npz", "--out", "{}/w.npz"), "holds games of 6x6, not of othello"),
        (("{}/six.npz", "--out", "{}/w.npz"), "is not a file of games"),
        (("{}/pickled.npz", "--out", "{}/w.npz"), "pickled.npz is not a file of games"),
        (("--self-play", "--out", "{}"), "is a folder: name the weights file in it"),
        (("--curves",), "--curves takes weights files"),
        (("--curves", "{}/untested.npz", "--out", "{}/errors.svg"), "nothing was held out"),
        (("--curves", "{}/odd.npz", "--out", "{}/errors.svg"), "does not record how well it was fitted"),
        (("--from", "{}/nameless.npz", "--out", "{}/w.npz"), "has no tables made by `outflank train`"),
        (("--self-play", "--out", "{}/cut.npz"), "cut.npz.work/settings.json is damaged: remove its folder"),
        (("--self-play", "--out", "{}/list.npz"), "list.npz.work/settings.json is damaged: remove its folder"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(
    arguments: tuple[str, ...], complaint: str, odd_files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(odd_files)
    said = refused(*(argument.replace("{}", str(odd_files)) for argument in arguments))
    assert complaint in said and "\n" not in said


@pytest.mark.parametrize("name", ["6x6", "reversed-6x6"])
def test_the_games_of_a_trial_do_not_repeat(name: str) -> None:
    """Each pair counts as one more trial: pairs that are played twice would make the interval too narrow."""
    variant = Variant.named(name)
    games = SelfPlay(variant, None, Style.trial(variant, 1, 2), 1001, 0, 300)(Stop())
    assert len({tuple(row) for row in games.moves.tolist()}) >= 295


def test_a_broken_portion_says_what_to_do(tmp_path: Path) -> None:
    file = tmp_path / "games-0.npz"
    file.write_bytes(b"PK")
    with pytest.raises(ValueError, match=r"is not a file of games with values: remove that file to have it made again"):
        list(done(Threads(1), {file: SelfPlay(SMALL, None, Style(1, 4, 2, 4), 1, 0, 2)}, ScoredGames))


def test_it_is_the_short_name_of_learning_patterns(tmp_path: Path) -> None:
    """The same weights by both commands; `learn` says what they are worth against the start, too."""
    train("--self-play", "--variant", "6x6", "--games", "60", "--pairs", "2", "--rounds", "2", "--from", "shipped",
          *QUICK, "--out", str(tmp_path / "short.npz"))  # fmt: skip
    words = ["learn", "patterns", "engine", "--variant", "6x6", "--round", "60", "--gate", "2", "--start", "shipped",
             *QUICK, "--budget", "120g", "--trial", "2", "--out", str(tmp_path / "long.npz")]  # fmt: skip
    done = CliRunner().invoke(app, words)
    assert done.exit_code in (0, 1), done.output + str(done.exception)
    short, long = (Weights.load(tmp_path / f"{name}.npz") for name in ("short", "long"))
    assert (short.table == long.table).all()
    assert long.provenance.pop("against_the_start")["pairs"] and long.provenance.pop("budget") == "120 games"
    assert short.provenance == long.provenance
    assert (tmp_path / "long.svg").exists() and not (tmp_path / "short.svg").exists()
