"""What the tests of submissions share: the files, the ways to enclose them here, and who is left of them."""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from outflank.agents.agent import Agent
from outflank.agents.sandbox import enclosure, process
from outflank.agents.sandbox.enclosure import Enclosure
from outflank.agents.spec import agent
from outflank.arena import referee
from outflank.board.game import Game
from outflank.board.variant import Variant
from outflank.search.limits import Limit

FILES = Path(__file__).resolve().parent / "submissions"
HOSTILE, HONEST = sorted((FILES / "hostile").glob("*.py")), sorted((FILES / "honest").glob("*.py"))
SIX = Variant.named("6x6")


def needs_enclosure() -> None:
    """Skips a test, and says why, where this machine cannot enclose anything."""
    best = enclosure.strongest()
    if best.missing:
        pytest.skip(f"nothing can be enclosed here: {best.why}")


@contextmanager
def enclosed_by(how: str) -> Iterator[None]:
    """Encloses in one certain way, where that works here."""
    failure = "" if how == "bare" else enclosure._tried(how)
    if failure:
        pytest.skip(f"{how} does not work here: {failure}")
    found = enclosure.strongest
    enclosure.strongest = lambda: Enclosure(how)  # type: ignore[assignment]
    try:
        yield
    finally:
        enclosure.strongest = found


def header(file: Path, name: str) -> str:
    """What a file's first lines say of it: `# forfeits: time`."""
    mark = f"# {name}: "
    return next((line.removeprefix(mark) for line in file.read_text().splitlines()[:3] if line.startswith(mark)), "")


def game_of(file: Path, options: str = "time=60", opponent: str = "random") -> tuple[Game, referee.Verdict, Agent]:
    """A game of the player in a file against another, on 6x6, with all of it closed."""
    player, other = agent(f'py:"{file}",{options}'), agent(opponent)
    game = Game(SIX)
    try:
        verdict = referee.play(game, [player, other], [Limit(), Limit()], 1)
    finally:
        player.close()
        other.close()
    return game, verdict, player


def never_still(monkeypatch: pytest.MonkeyPatch) -> None:
    """A loss by time is one, also where this process stood still meanwhile: that it is none is another test's."""
    for module in (process, referee):
        monkeypatch.setattr(module, "stood_still", lambda: 0.0)


def left_behind(seconds: float = 60.0) -> list[str]:
    """Guards and guests of this process that still run after a while, by their command."""
    until = time.monotonic() + seconds
    while (found := _running()) and time.monotonic() < until:
        time.sleep(0.02)
    return found


def _running() -> list[str]:
    parents: dict[int, int] = {}
    commands: dict[int, str] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                command = (entry / "cmdline").read_text().split("\0")
                state, parent = (entry / "stat").read_text().rpartition(")")[2].split()[:2]
            except OSError:
                continue
            number = int(entry.name)
            parents[number] = int(parent)
            # By its argument: others on this machine may run submissions of another Outflank.
            if number != os.getpid() and str(enclosure.SOURCES) in command and state != "Z":
                commands[number] = " ".join(command)[:300]
    above = set(_line(os.getpid(), parents)[1:])

    def is_ours(number: int) -> bool:
        """Below us, or left alone by whoever started it. What is below another process is at work for that one: the
        tests of other files run beside us."""
        line = _line(number, parents)
        return os.getpid() in line or [one for one in line if one not in above][-1] in commands

    return [command for number, command in commands.items() if is_ours(number)]


def _line(number: int, parents: dict[int, int]) -> list[int]:
    """A process, its parent, and so on."""
    line = [number]
    while line[-1] in parents:
        line.append(parents[line[-1]])
    return [one for one in line if one in parents]
