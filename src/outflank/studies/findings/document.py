"""The findings as a document, with its plots beside it."""

import re
from collections.abc import Sequence
from pathlib import Path

from outflank import __version__
from outflank.studies.findings.evidence import Evidence
from outflank.studies.findings.question import Answer, Question, Table

NAME = "findings.md"
PREFACE = """\
# Findings

The five student reports that Outflank grew from ask questions that their authors could not answer: they had a few \
games, or none. Here we play them out. [The five](the-five.md) introduces the players.

`outflank findings` made this page and its plots, with version {version}, {games} games a match unless a table says \
otherwise, and seed {seed}. It keeps every game in a store and plays only what is missing, so you can stop it at any \
time; `outflank report` shows single matches of the store. To try one question with few games:

```console
$ outflank findings --only depth --games 2 --store small.db --out small
```

Matches are played in pairs: the same opening of eight random plies twice, with colours swapped. A score is the share \
of the points; a draw is half a point. Brackets hold the [95 % interval](arena.md). There are more than a hundred of \
them below, so a few will miss the true value. Players are limited by depth or by simulations, and repeat their games \
from the seed; only limits in seconds depend on the machine.
"""
INTERVAL = re.compile(r" \[[^\]]*\]")


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
    """The whole document: a table of short answers, then what each rests on."""
    both = list(zip(questions, answers, strict=True))
    parts = [PREFACE.format(version=__version__, games=evidence.games, seed=evidence.seed)]
    parts.append("## In short\n")
    parts.append(_table(Table(("question", "answer"), [(_link(one), short(answer)) for one, answer in both])))
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


def _link(question: Question) -> str:
    return f"[{question.asks}](#{_anchor(question.asks)})"


def short(answer: Answer) -> str:
    """The sentence without its intervals, which its own section has."""
    return INTERVAL.sub("", answer.sentence)


def _anchor(heading: str) -> str:
    """The address that a heading gets: words in small letters, joined by hyphens."""
    kept = "".join(character for character in heading.lower() if character.isalnum() or character in " -_")
    return kept.replace(" ", "-")


def _plot_name(question: Question) -> str:
    return f"findings-{question.name}.svg"
