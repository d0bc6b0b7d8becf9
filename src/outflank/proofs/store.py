"""The answers that a proof has so far: one SQLite file, written as they come, so that a killed run continues from
there."""

import zlib

from outflank.proofs.tasks import Answer
from outflank.work.kept import KeptFile

APPLICATION = 0x4F757450
"""Marks the file as ours: "OutP"."""
Key = tuple[int, int, int]
"""A position, the side to move first, and what is asked: does it get at least so much?"""
GUESS: Key = (0, 0, 0)
"""The key of the first guess: no position has no discs."""

SCHEMA = """
CREATE TABLE answers (
    own INTEGER NOT NULL,
    opp INTEGER NOT NULL,
    least INTEGER NOT NULL,
    holds INTEGER NOT NULL,
    moves BLOB NOT NULL,
    nodes INTEGER NOT NULL,
    seconds REAL NOT NULL,
    PRIMARY KEY (own, opp, least)
) WITHOUT ROWID;
"""


class Store(KeptFile):
    """Answers by their questions. A second one to the same question changes nothing."""

    application, schema = APPLICATION, SCHEMA

    def keep(self, answers: list[tuple[Key, Answer]]) -> None:
        """Keeps answers, all or none of them."""
        rows = [
            (*map(_signed, key), answer.holds, zlib.compress(answer.moves), answer.nodes, answer.seconds)
            for key, answer in answers
        ]
        self._insert("INSERT OR IGNORE INTO answers VALUES (?, ?, ?, ?, ?, ?, ?)", rows)

    def holding(self) -> dict[Key, bool]:
        """Every answer, without its proof."""
        rows = self._base.execute("SELECT own, opp, least, holds FROM answers")
        return {(own % (1 << 64), opp % (1 << 64), least): bool(holds) for own, opp, least, holds in rows}

    def moves(self, key: Key) -> bytes:
        """The proof of an answer."""
        found = self._base.execute(
            "SELECT moves FROM answers WHERE own = ? AND opp = ? AND least = ?", tuple(map(_signed, key))
        ).fetchone()
        return zlib.decompress(found[0])

    def effort(self) -> tuple[int, int, float]:
        """The questions answered, and the nodes and seconds of work that they took."""
        count, nodes, seconds = self._base.execute(
            "SELECT count(*), coalesce(sum(nodes), 0), coalesce(sum(seconds), 0) FROM answers"
        ).fetchone()
        return count, nodes, seconds


def _signed(word: int) -> int:
    """SQLite's numbers have a sign."""
    return word - (1 << 64) if word >= 1 << 63 else word
