"""What a question is, and what an answer is."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from outflank.studies.findings.evidence import FEWEST_PAIRS, Evidence, Meeting

TOO_FEW = "These are too few games to tell."


@dataclass(frozen=True)
class Table:
    """Rows under a heading, all of them text."""

    heading: Sequence[str]
    rows: Sequence[Sequence[str]]


@dataclass(frozen=True)
class Answer:
    """The answer to a question: a sentence, and the results that it rests on."""

    sentence: str
    """Made to begin with a capital letter."""
    tables: tuple[Table, ...] = ()
    plot: str = ""
    """A picture (SVG)."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "sentence", self.sentence[:1].upper() + self.sentence[1:])


@dataclass(frozen=True)
class Question:
    """A question of one of the reports. Its answer follows from the evidence alone."""

    name: str
    asks: str
    """The question."""
    asked: str
    """Which report asks it, and in which words."""
    method: str
    """How it is played out."""
    meetings: tuple[Meeting, ...]
    answer: Callable[[Evidence], Answer]

    def answered(self, evidence: Evidence) -> Answer:
        """The answer, with a warning where it rests on too few games."""
        answer = self.answer(evidence)
        fewest = min((sum(evidence[meeting].tally.counts) for meeting in self.meetings), default=FEWEST_PAIRS)
        if fewest >= FEWEST_PAIRS:
            return answer
        return replace(answer, sentence=f"{answer.sentence} {TOO_FEW}")

    def to_dict(self, evidence: Evidence) -> dict[str, Any]:
        """What `outflank findings --json` prints for it."""
        answer = self.answered(evidence)
        outcomes = [evidence[meeting] for meeting in self.meetings]
        return {
            "name": self.name,
            "question": self.asks,
            "asked": self.asked,
            "answer": answer.sentence,
            "games": sum(outcome.tally.games for outcome in outcomes),
            "tables": [asdict(table) for table in answer.tables],
        }
