"""`outflank learn patterns engine`, or `outflank train`: the engine's pattern weights, from games.

With self-play it goes in rounds. Given games are labelled and fitted once.
"""

import hashlib
from dataclasses import asdict, replace
from pathlib import Path

from outflank.board.variant import Variant
from outflank.errors import Fault
from outflank.learning.games.files import games_in, paths_in
from outflank.learning.games.labelling import GAMES_A_PORTION as LABELLED_AT_A_TIME
from outflank.learning.games.labelling import Labelling, valuing_tasks
from outflank.learning.games.positions import OF_RESULT, Positions
from outflank.learning.games.scored import ScoredGames
from outflank.learning.games.selfplay import Style
from outflank.learning.methods import Data, State, Task
from outflank.learning.patterns.calibration import calibrated
from outflank.learning.patterns.descent import OF_RESULT as OF_RESULT_IN_NETWORK
from outflank.learning.patterns.descent import NetworkFit
from outflank.learning.patterns.fit import Fit, Stage
from outflank.learning.patterns.margins import with_margins
from outflank.learning.portions import done
from outflank.learning.rounds import Rounds
from outflank.learning.trials import Gate
from outflank.learning.watch import Watch
from outflank.patterns.network import row_patterns
from outflank.patterns.weights import SHIPPED, SUMS, Weights, shipped
from outflank.work.workers import Workers

GIVEN = "given.npz"
"""The file of weights that were fitted to given games."""
RECENT_ROUNDS = 3
"""Rounds whose games are fitted: older ones were played by weaker weights."""
RESULT_ONLY = 1.0
"""The trace of games played without weights: a count of moves is not in discs, only results are."""


def beginning(name: str, variant: Variant) -> Weights | None:
    """The weights to begin with: a file's, those that are shipped, with a network or without, or none."""
    if name == "nothing":
        return None
    found = shipped(variant) if name in (SHIPPED, SUMS) else Weights.load(Path(name))
    if found is not None and found.variant != variant:
        raise Fault("train.from-variant", name=name, variant=found.variant, wanted=variant)
    return found if found is None or name != SUMS else replace(found, network=None)


def finished(
    weights: Weights, given: list[ScoredGames], calibrating: bool, known: list[str], margins: bool, watch: Watch
) -> Weights:
    """Fitted weights with all that is measured on their searches: the constants of `calibration`, then the margins."""
    if calibrating:
        weights = calibrated(weights, known, watch)
    return with_margins(weights, given, watch) if margins else weights


class Patterns(Rounds):
    """The weights of the engine's patterns; given games are one step."""

    target, kind, games = "engine", Weights, ScoredGames
    games_a_portion, pairs_a_portion, numbered_on = 500, 50, False

    def __init__(self, task: Task, folder: Path, workers: Workers) -> None:
        super().__init__(task, folder, workers)
        self.given = paths_in(str(task.options["games"]))
        self.start = beginning(str(task.options["start"]) or ("shipped" if self.given else "nothing"), task.variant)
        if self.start is not None and not self.given and not self._passes:
            self.start = replace(self.start, network=None)  # a round fits sums, which must win against sums
        self._games = games_in(self.given, task.variant)
        if self._passes and self.start is None:
            raise Fault("train.network-alone")
        if self._passes:
            row_patterns(task.variant)  # an error before anything is labelled

    def settings(self) -> Data:
        """Weights and games by their content: where they lie makes no difference."""
        digest = hashlib.sha256()
        for games, _ in self._games:
            digest.update(games.moves)
            digest.update(games.values)
        known = {"start": self._start_name or "nothing", "games": digest.hexdigest()[:12] if self.given else ""}
        return {**super().settings(), **known}

    @property
    def _start_name(self) -> str | None:
        return None if self.start is None else self.start.digest

    def style(self, learning: bool) -> Style:
        how = Style.learning if learning else Style.trial
        return how(self.task.variant, self.number("depth"), self.number("exact"))

    def seed(self, purpose: int, number: int = 0) -> int:
        return self.task.seed * 1000 + number

    def ended(self, state: State) -> str:
        return "the games are fitted" if self.given and state.step else ""

    def step(self, state: State, room: int | None) -> State:
        return self._fit_given(state) if self.given else super().step(state, room)

    def fitted(self, state: State, champion: Weights | None) -> Weights:
        number = state.step + 1
        rounds = range(max(number - RECENT_ROUNDS, 0) + 1, number + 1)
        kept = (one["round"] for one in state.data["rounds"] if one["kept"])
        without = 0 if self.start is not None else min(kept, default=number)  # the last round played without weights
        parts = [
            Positions.parted(games, RESULT_ONLY if which <= without else self.real("trace"), 0)
            for which, games in zip(rounds, self.games_of(rounds), strict=True)
        ]
        fit = self._fit_network if self._passes else self._fit
        return fit(champion, *(Positions.joined([part[side] for part in parts]) for side in (0, 1)))

    def went(self, number: int, games: int, after: int, new: Weights, gate: Gate) -> tuple[str, Data]:
        positions = (new.provenance["network"] if self._passes else new.provenance)["positions"]
        made = {
            "round": number,
            "games": games,
            "score": gate.tally.score,
            "interval": gate.data["interval"],
            "pairs": sum(gate.pairs),
            "superiority": gate.data["superiority"],
            "kept": gate.kept,
        }
        return f"{positions:,} positions", made

    def write(self, state: State, path: Path, about: Data) -> str:
        weights = self.champion(state)
        if weights is None:
            raise Fault("train.no-round-won")
        measured = {key: about[key] for key in ("budget", "against_the_start") if "against_the_start" in about}
        how = self._of_given(weights, about) if self.given else self._of_rounds(weights, state, about)
        made = Weights(self.task.variant, weights.table, {**how, **measured}, weights.network)
        options = self.task.options
        given = [games for games, _ in self._games]
        calibrating, known = bool(options["calibrate"]), paths_in(str(options["known"]))
        finished(made, given, calibrating, known, bool(options["margins"]), self.watch).save(path)
        return ""

    def _fit(self, begin: Weights | None, learnt: Positions, held: Positions) -> Weights:
        fit = Fit(learnt, held, self.task.variant, self.number("iterations"), begin)
        stages = []
        for stage in self.watched("stages", fit.stages(), 1, fit.stage_count):
            stages.append(asdict(stage))
            self.watch.tell(_stage_text(stage))
        return fit.weights({"positions": len(learnt), "held_out": stages})

    @property
    def _passes(self) -> int:
        """Passes of a network's fit; 0 where the patterns' weights are fitted."""
        return self.number("network")

    def _fit_network(self, begin: Weights | None, learnt: Positions, held: Positions) -> Weights:
        """The weights to begin with, which stay as they are, and a network on top of them."""
        assert begin is not None
        fit = NetworkFit(learnt, held, replace(begin, network=None), self._passes)
        before = fit.error()
        for error in self.watched("parts", fit.parts(), 1, fit.part_count):
            self.watch.tell(f"network: root mean square {error:.3f} on the way")
        after = fit.error()
        self.watch.tell(f"network: root mean square {after:.3f} on positions held out, without it {before:.3f}")
        how = {"passes": self._passes, "positions": len(learnt), "without": round(before, 4), "with": round(after, 4)}
        return replace(begin, provenance={**begin.provenance, "network": how}, network=fit.network())

    @property
    def _labelling(self) -> Labelling:
        share = round(1000 * self.real("share"))
        return Labelling(self.number("exact"), self.number("depth"), share)

    def _fit_given(self, state: State) -> State:
        learnt, held = [Positions.none()], [Positions.none()]
        count = sum(len(games) for games, _ in self._games)
        for games, own in self._games:
            tasks = {} if own else valuing_tasks(games, self.start, self._labelling, self.folder)
            labelled = [games] if own else done(self.workers, tasks, ScoredGames)
            for portion in self.watched("games labelled", labelled, LABELLED_AT_A_TIME, len(games)):
                of_result = OF_RESULT_IN_NETWORK if self._passes else OF_RESULT
                one, other = Positions.parted([portion], self.real("trace"), 0 if own else of_result)
                learnt.append(one)
                held.append(other)
        together = Positions.joined(learnt)
        if not len(together):
            raise Fault("train.no-finished-game")
        self.watch.tell(f"{count:,} games, {len(together):,} positions")
        fit = self._fit_network if self._passes else self._fit
        fit(self.start, together, Positions.joined(held)).save(self.folder / GIVEN)
        return state.after(games=count, champion=GIVEN)

    def _of_rounds(self, weights: Weights, state: State, about: Data) -> Data:
        """How weights from self-play came about."""
        options = self.task.options
        settings = {
            "variant": self.task.variant.name,
            "games": options["round"],
            "depth": options["depth"],
            "exact_from": options["exact"],
            "pairs": options["gate"],
            "trace": options["trace"],
            "seed": self.task.seed,
            "iterations": options["iterations"],
            "begin": self._start_name,
        }
        rounds = state.data["rounds"]
        how = {"sources": ["self-play"], "settings": settings, "rounds": rounds, "version": about["version"]}
        return self._with(weights, how)

    def _of_given(self, weights: Weights, about: Data) -> Data:
        """How weights from given games came about; a network's are those it begins with, and more."""
        if self._passes:
            labelling = {**asdict(self._labelling), "weights": self._start_name}
            sources = [Path(path).name for path in self.given]
            games = sum(len(games) for games, _ in self._games)
            more = {"sources": sources, "games": games, "labelling": labelling, "trace": self.task.options["trace"]}
            return self._with(weights, {**more, "version": about["version"]})
        return {
            "sources": [Path(path).name for path in self.given],
            "games": sum(len(games) for games, _ in self._games),
            "positions": weights.provenance["positions"],
            "labelling": {**asdict(self._labelling), "weights": self._start_name},
            "trace": self.task.options["trace"],
            "iterations": self.task.options["iterations"],
            "version": about["version"],
            "held_out": weights.provenance["held_out"][::-1],
        }

    def _with(self, weights: Weights, how: Data) -> Data:
        """What the weights say of themselves, and how what was fitted came about: they, or a network on top."""
        if not self._passes:
            return {**weights.provenance, **how}
        return {**weights.provenance, "network": {**weights.provenance.get("network", {}), **how}}


def _stage_text(stage: Stage) -> str:
    return (
        f"{stage.discs:>3} discs  {stage.positions:>9,} positions, {stage.held_out:>7,} held out:"
        f"  mean error {stage.mean_error:5.2f}"
        f"  root mean square {stage.root_mean_square:5.2f}  of {stage.spread:5.2f}"
    )
