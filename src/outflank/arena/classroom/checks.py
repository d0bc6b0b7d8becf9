"""The usability check of a whole class: each submission once, kept in the store by its content."""

import json
from collections.abc import Callable, Iterable
from contextlib import closing
from dataclasses import asdict, dataclass
from typing import Any

from outflank import __version__
from outflank.arena import usability
from outflank.arena.contest import Player, limit_data
from outflank.arena.store import Store
from outflank.board.variant import Variant
from outflank.search.limits import Limit
from outflank.work.stop import Stop
from outflank.work.workers import Finished, Here, Workers


@dataclass(frozen=True)
class Checked:
    """What came of a check, as it is kept."""

    score: int
    passed: int
    boards: int
    interface: str | None
    can_play: bool
    """Whether it found a move on any board on which there is one."""
    problems: list[tuple[str, str]]
    """The kind of board, and what is wrong with the answer; each problem once."""
    trace: str
    start_seconds: float | None
    slowest_seconds: float
    memory_megabytes: float | None
    printed: str = ""
    """The last lines before its first problem; a check that an older version has kept knows of none."""
    engine: str = ""
    """What of Outflank's own players and searches it imports."""

    @classmethod
    def of(cls, result: usability.Usability) -> "Checked":
        problems = {case.problem: case.board.kind for case in reversed(result.cases) if case.problem}
        return cls(
            result.score,
            result.passed,
            len(result.cases),
            result.interface,
            any(not case.problem and case.board.position.legal for case in result.cases),
            [(kind, problem) for problem, kind in reversed(problems.items())],
            result.trace,
            result.start_seconds,
            result.slowest,
            result.memory_megabytes,
            result.printed,
            result.engine,
        )

    @property
    def was_late(self) -> bool:
        """Whether it was asked and did not answer in time; one that never got ready was not asked."""
        return self.slowest_seconds > 0 and any(problem.startswith("time") for _, problem in self.problems)

    @property
    def summary(self) -> str:
        """In one line."""
        if not self.problems:
            return "in order"
        return f"{self.passed} of {self.boards} boards in order; {self.problems[0][1]}"


@dataclass(frozen=True)
class Check:
    """One check, for whichever worker."""

    player: Player
    variant: Variant
    limit: Limit
    wish: usability.Wish
    long = True

    def __call__(self, stop: Stop) -> Checked:
        return Checked.of(usability.check(self.player.spec, self.variant, self.limit, self.wish))

    def __str__(self) -> str:
        return f"the check of {self.player}"


def checked(
    players: Iterable[Player],
    variant: Variant,
    limit: Limit,
    store: Store,
    workers: Workers,
    wish: usability.Wish = usability.COUNTS[0],
    progress: Callable[[int, int], None] | None = None,
) -> dict[Player, Checked]:
    """The check of each player; what the store has of the same content is not done again.

    Who was late is checked once more, alone: that others were checked at the same time is not the player's fault.
    """
    about: dict[str, Any] = {"variant": variant.name, "limit": limit_data(limit), "version": __version__}
    if wish != usability.COUNTS[0]:
        about["boards"] = wish if isinstance(wish, int) else [position.text for position in wish]
    how = json.dumps(about, sort_keys=True)
    wanted = list(dict.fromkeys(players))
    known = {player: _read(text) for player, text in store.checks(how).items() if player in wanted}
    late: list[Player] = []
    total, begun = len(wanted) - len(known), len(known)

    def keep(finished: Finished[Player, Checked]) -> None:
        store.note_checks(how, [(player, json.dumps(asdict(result))) for player, result in finished])

    def keep_sure(finished: Finished[Player, Checked]) -> None:
        keep([(player, result) for player, result in finished if not result.was_late])

    def tasks(chosen: list[Player]) -> list[tuple[Player, Check]]:
        return [(player, Check(player, variant, limit, wish)) for player in chosen]

    def done() -> None:
        if progress is not None:
            progress(len(known) - begun, total - len(known) + begun)

    with closing(workers.run(tasks([player for player in wanted if player not in known]), keep_sure)) as batches:
        for finished in batches:
            known |= {player: result for player, result in finished if not result.was_late}
            late += [player for player, result in finished if result.was_late]
            done()
    with Here() as alone:
        for finished in alone.run(tasks(late), keep):
            known |= dict(finished)
            done()
    return known


def _read(text: str) -> Checked:
    data = json.loads(text)
    return Checked(**data | {"problems": [(kind, problem) for kind, problem in data["problems"]]})
