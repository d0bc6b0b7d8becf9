"""The findings as a document, with its plots beside it."""

from collections.abc import Sequence
from pathlib import Path

from outflank import __version__
from outflank.studies.findings.evidence import Evidence
from outflank.studies.findings.question import Answer, Question, Table

NAME = "findings.md"
PREFACE = """\
# Findings

The five student reports that Outflank grew from ask questions that their authors could not answer: they had a \
few games, or none. Here each is played out. What the players are is told in [the-five.md](the-five.md).

`outflank findings` made this page and its plots, with version {version}, {games} games a meeting unless a table says \
otherwise, and seed {seed}. It keeps every game in a store and plays only what is missing there, so it may be stopped \
at any moment; `outflank report` shows single meetings of the store. One question, in small:

```console
$ outflank findings --only depth --games 2 --store small.db --out small
```

Meetings are played in pairs, the same opening of eight random plies twice with the colours swapped. A score is the \
share of the points, a draw being half; what stands in brackets behind a number is the interval that holds the truth \
with 95 % likelihood, from the spread of whole pairs. There are more than a hundred of them below, so a few will miss \
it. Players are limited by depth or by simulations and repeat their games from the seed; only where seconds are named \
does the machine matter.
"""


def write(questions: Sequence[Question], evidence: Evidence, folder: Path) -> Path:
    """Writes the document and its plots into a folder; returns where it is."""
    answers = [question.answered(evidence) for question in questions]
    for question, answer in zip(questions, answers, strict=True):
        if answer.plot:
            (folder / _plot_name(question)).write_text(answer.plot, encoding="utf-8")
    path = folder / NAME
    path.write_text(text(questions, answers, evidence), encoding="utf-8")
    return path


def text(questions: Sequence[Question], answers: Sequence[Answer], evidence: Evidence) -> str:
    """The whole document: every answer in a sentence, then what each rests on."""
    both = list(zip(questions, answers, strict=True))
    parts = [PREFACE.format(version=__version__, games=evidence.games, seed=evidence.seed)]
    parts.append("## In short\n")
    parts.append("\n".join(f"- [{one.asks}](#{_anchor(one.asks)}) {answer.sentence}" for one, answer in both) + "\n")
    parts += [_section(one, answer) for one, answer in both]
    return "\n".join(parts)


def _section(question: Question, answer: Answer) -> str:
    parts = [f"## {question.asks}\n", f"{question.asked} {question.method}\n", f"**{answer.sentence}**\n"]
    parts += [_table(table) for table in answer.tables]
    if answer.plot:
        parts.append(f"![{question.asks}]({_plot_name(question)})\n")
    return "\n".join(parts)


def _table(table: Table) -> str:
    lines = [list(table.heading), ["---"] * len(table.heading), *map(list, table.rows)]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines) + "\n"


def _anchor(heading: str) -> str:
    """The address that a heading gets: words in small letters, joined by hyphens."""
    kept = "".join(character for character in heading.lower() if character.isalnum() or character in " -_")
    return kept.replace(" ", "-")


def _plot_name(question: Question) -> str:
    return f"findings-{question.name}.svg"
