"""`outflank learn`: a player's weights from its own games, by several methods."""

from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from outflank.board.variant import Variant
from outflank.cli.match import ProgressLine
from outflank.cli.options import ONE_PER_CORE, AsJson, Jobs, On, VariantName, print_json
from outflank.cli.stopping import goes_on_from
from outflank.errors import Fault
from outflank.learning.watch import Watch
from outflank.search.limits import Limit

if TYPE_CHECKING:
    from outflank.arena.match import MatchResult
    from outflank.learning.methods import Learner, Method, Task
    from outflank.learning.run import Budget, Run

NOT_BETTER = 1
"""The exit code where what was learnt is not better than the start."""


def learn(
    method: Annotated[str, typer.Argument(metavar="METHOD", help="challenger, cma, spsa, regression, td, …")] = "",
    rest: Annotated[
        list[str] | None,
        typer.Argument(metavar="TARGET [--OPTION VALUE]…", help="What to learn, and the method's own options."),
    ] = None,
    variant: VariantName = "othello",
    budget: Annotated[
        str, typer.Option("--budget", "-b", help="30m, 2h, or 5000g for games, which is repeatable.")
    ] = "10m",
    jobs: Jobs = ONE_PER_CORE,
    on: On = "",
    seed: Annotated[int, typer.Option(min=0, max=2**31, help="The seed of everything random.")] = 1,
    out: Annotated[Path | None, typer.Option(help="The file to write; default: TARGET-VARIANT.json.")] = None,
    pairs: Annotated[int, typer.Option("--trial", min=0, max=100_000, help="Pairs in the final trial; 0: none.")] = 200,
    match: Annotated[int, typer.Option(min=0, help="Pairs in a final match in the arena; 0: none.")] = 0,
    json: AsJson = False,
) -> None:
    """Learn the weights of a player or a heuristic. TARGET is self-taught, corner-shy, phased, dynamic, engine, a
    heuristic's name, or a weights file to continue from. Without TARGET it lists the methods and their options.

    If stopped, run it again with the same options, or a larger budget, to resume. The result is a weights file
    for any spec that takes one, such as self-taught:values=FILE or alphabeta:heuristic=features,weights=FILE.

    Examples: outflank learn challenger self-taught --variant 6x6 --start random --budget 2000g --out mine.json

    outflank learn regression corner-shy --variant reversed --phases 20,40 --budget 5m --out shy.json
    """
    from outflank.learning.methods import METHODS, Task, method_named
    from outflank.learning.run import Budget

    if not method:
        print("\n\n".join(_described(one) for one in METHODS.values()))
        return
    chosen = method_named(method)
    target, given = _parted(chosen, rest or [])
    if not target and given:
        raise Fault("learn.no-target", targets=chosen.targets)
    if not target:
        print(_described(chosen))
        return
    rules = Variant.named(variant)
    task = Task(chosen.name, target, rules, seed, chosen.read_options(given))
    place = out or Path(f"{Path(target).stem}-{rules.name}.{chosen.ending}")
    if not place.parent.is_dir():
        raise Fault("folder.missing", folder=place.parent, name=place.name)
    if place.suffix != f".{chosen.ending}":
        raise Fault("learn.ending", name=chosen.name, ending=chosen.ending, file=place.name)
    carry_out(task, place, Budget.parse(budget), jobs, on, pairs, match, json)


def carry_out(
    task: "Task",
    place: Path,
    budget: "Budget",
    jobs: int,
    on: str,
    pairs: int = 0,
    match: int = 0,
    json: bool = False,
    folder: Path | None = None,
) -> None:
    """Learns what the task says and writes it; without `pairs` its strength is not measured."""
    from outflank.arena.text import match_text
    from outflank.learning.curves import strength_curve
    from outflank.learning.methods import METHODS
    from outflank.learning.portions import write_text
    from outflank.learning.run import Run
    from outflank.work.places import threads_named

    folder = folder or place.with_name(place.name + ".work")
    screen = Screen(quiet=json)
    with threads_named(on, jobs) as workers, goes_on_from(folder, "learnt"), closing(screen):
        learner = METHODS[task.method].learner(task, folder, workers)
        learner.watch = screen
        run = Run(learner, folder, budget, measuring=pairs > 0)
        _go(run, screen)
        final = run.final(pairs) if pairs else None
        spec = learner.write(run.state, place, run.about(final))
        written = f"written to {place} ({place.stat().st_size / 1e6:.1f} MB)"
        if final:
            picture = place.with_suffix(".svg")
            write_text(picture, strength_curve(f"{task.method} {task.target} {task.variant.name}", run.measures))
            screen.tell(f"{final.games:,} games, {run.seconds:,.0f} s: {final.text}")
            written = f"written to {place} and {picture}"
        screen.tell(f"{written}; play it as {spec}" if spec else written)
        played = _matched(spec, learner, task, match, jobs, on) if match else None
    if json:
        data = played.to_dict() if played else None
        elo = final.elo if final else None
        print_json({**run.about(final), "file": str(place), "spec": spec, "elo": elo, "match": data})
    elif played:
        print(match_text(played, ""))
    if final and final.score <= 0.5:
        raise typer.Exit(NOT_BETTER)


class Screen(Watch):
    """Shows a run: what is to be read in lines, and between them how far it is, where there is a terminal."""

    def __init__(self, quiet: bool = False) -> None:
        self._quiet, self._line = quiet, ProgressLine()

    def progress(self, what: str, done: int, of: int) -> None:
        self.show(f"{what} {done:,} of {of:,}", done, of - done)
        if done >= of:
            self.close()

    def show(self, text: str, played: int, left: int) -> None:
        self._line.show(lambda: text, played, left)

    def tell(self, line: str) -> None:
        self._line.clear()
        if not self._quiet:
            print(line, flush=True)

    def close(self) -> None:
        """Takes the line away; the next one has a pace of its own."""
        self._line.clear()
        self._line = ProgressLine()


def _go(run: "Run", screen: Screen) -> None:
    """Learns, telling how it goes."""
    told = len(run.measures)
    if run.state.step:
        screen.tell(f"going on after {run.state.games:,} games and {run.seconds:,.0f} s")
    for state in run.steps():
        left = round(state.games * (1 / run.spent - 1)) if 0 < run.spent < 1 else 0
        screen.show(f"{100 * min(run.spent, 1):.0f} %  {state.games:,} games  {state.note}", state.games, left)
        if len(run.measures) > told:
            told = len(run.measures)
            measure = run.measures[-1]
            screen.tell(f"{measure.games:>9,} games  {measure.text}  {measure.note}")
        elif state.note and (run.spent >= 1 or not run.measuring):  # no measurement tells it
            screen.tell(state.note)
    if why := run.learner.ended(run.state):
        screen.tell(why)


def _matched(spec: str, learner: "Learner", task: "Task", pairs: int, jobs: int, on: str) -> "MatchResult | None":
    """What was learnt against the start, in the arena and at the learner's depth."""
    from outflank.arena.match import match as arena_match

    start = learner.spec_of_start()
    if not start:
        return None
    depth = task.options.get("depth")
    limit = Limit(depth=int(depth)) if depth else Limit()
    return arena_match(spec, start, 2 * pairs, task.variant, limit, jobs=jobs, seed=task.seed, on=on)


def _parted(method: "Method", words: list[str]) -> tuple[str, dict[str, str]]:
    """The target, and the method's options: `--name value`, `--name=value`, or the name alone for yes."""
    known = {option.name for option in method.options}
    flags = {option.name for option in method.options if option.kind is bool}
    target, given = "", {}
    waiting = list(words)
    while waiting:
        word = waiting.pop(0)
        if word.startswith("-") and not word.startswith("--"):
            raise Fault("learn.no-option", name=method.name, word=word, flags=method.flags)
        if not word.startswith("--"):
            if target:
                raise Fault("learn.two-targets", target=target, word=word)
            target = word
            continue
        name, equals, value = word[2:].partition("=")
        if name in flags and not equals:
            value = "yes"
        elif name.removeprefix("no-") in flags and not equals:
            name, value = name.removeprefix("no-"), "no"
        elif not equals:
            if not waiting and name in known:
                raise Fault("option.no-value", name=name)
            if not waiting:
                method.read_options({name: ""})  # says that there is no such option
            value = waiting.pop(0)
        given[name] = value
    return target, given


def _described(method: "Method") -> str:
    lines = [f"{method.name}: {method.summary}", f"  learns {method.targets}"]
    width = max(len(option.name) for option in method.options)
    for option in method.options:
        default = "" if option.default in (None, "") or option.default is False else f" ({option.default})"
        lines.append(f"  --{option.name:<{width}}  {option.help}{default}")
    return "\n".join(lines)
