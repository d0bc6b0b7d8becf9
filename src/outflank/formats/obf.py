"""OBF, the format of test suites: a position a line, then the score of each legal move, or one lone score.

`---…OX…--- X; D3:+2; C4:+2;` with `%` before a comment. Scores are the side to move's.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from outflank.board.position import Position
from outflank.board.squares import PASS, parse_square, square_name
from outflank.board.variant import Variant
from outflank.errors import Fault

SCORE = re.compile(r"[+-]?\d{1,4}(?:\.\d{1,4})?")
FILLER = re.compile(r"--\s*:\s*-127")
LONGEST = 4096
"""Characters of a line; a board and a score for each of its moves need a tenth of that."""


@dataclass(frozen=True)
class Problem:
    """A position with what is known of it."""

    position: Position
    scores: dict[int, float] = field(default_factory=dict)
    """The score of each move known, for the side to move."""
    score: float | None = None
    """The position's own score, where that is all that is known."""
    comment: str = ""

    @property
    def best(self) -> float | None:
        """The score of best play."""
        return max(self.scores.values()) if self.scores else self.score


def read(text: str, variant: Variant | None = None) -> list[Problem]:
    """Every position of a text. The variant is needed where the board is not square or fewest discs win."""
    problems = []
    for number, line in enumerate(text.splitlines(), 1):
        content, _, comment = line.partition("%")
        if not content.strip():
            continue
        try:
            problems.append(_problem(content.strip(), comment.strip(), variant))
        except ValueError as error:
            raise Fault("obf.line", line=number, why=error) from None
    if not problems:
        raise Fault("obf.empty")
    return problems


def _problem(line: str, comment: str, variant: Variant | None) -> Problem:
    if len(line) > LONGEST:
        raise Fault("obf.too-long", count=len(line))
    *fields, rest = line.split(";")
    if rest.strip():
        raise Fault("obf.cut-off", text=rest.strip()[:20])
    board, *fields = fields
    position = Position.from_text(board, variant)
    scores: dict[int, float] = {}
    lone: float | None = None
    for entry in map(str.strip, fields):
        if not entry or FILLER.fullmatch(entry):
            continue
        name, colon, value = entry.rpartition(":")
        if not SCORE.fullmatch(value.strip()):
            raise Fault("obf.entry", text=entry[:20])
        if not colon:
            lone = float(value)
            continue
        move = parse_square(name)
        if not (position.must_pass if move == PASS else position.legal >> move & 1):
            raise Fault("obf.illegal", text=name.strip())
        scores[move] = float(value)
    return Problem(position, scores, lone, comment)


def write(problems: Sequence[Problem]) -> str:
    """Positions as OBF, the best move first."""
    return "".join(_line(problem) for problem in problems)


def _line(problem: Problem) -> str:
    fields = [problem.position.text]
    for move, score in sorted(problem.scores.items(), key=lambda item: -item[1]):
        fields.append(f"{'PS' if move == PASS else square_name(move).upper()}:{_score_text(score)}")
    if problem.score is not None:
        fields.append(_score_text(problem.score))
    comment = " ".join(problem.comment.split())
    return "; ".join(fields) + ";" + (f" % {comment}" if comment else "") + "\n"


def _score_text(score: float) -> str:
    text = f"{score:+.4f}".rstrip("0").rstrip(".")
    if not SCORE.fullmatch(text) or float(text) != score:
        raise Fault("obf.score", score=score)
    return text
