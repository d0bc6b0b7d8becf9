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

The five student reports that Outflank grew from ask questions that their authors could not answer with the few games \
they had. Here we play them out. [The five](the-five.md) introduces the players.

`outflank findings` wrote this page (version {version}, seed {seed}). Matches have {games} games unless a table says \
otherwise, in pairs: one opening of eight random plies, played twice with colours swapped. A score is the first \
player's share of the points, with its [95 % interval](arena.md#what-the-numbers-mean) in brackets; of more than a \
hundred intervals a few will miss. Games limited by depth or simulations repeat from the seed; those limited by \
seconds depend on the machine.

```console
$ outflank findings --only depth --games 2 --store small.db --out small
```

The store keeps every game: a second run plays only what is missing, and `outflank report` shows single matches.
"""
NEXT = "Next: [the five](the-five.md), [the arena](arena.md), [write a heuristic](heuristics.md).\n"
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
    """The whole document: a table of answers, then the results that each rests on."""
    both = list(zip(questions, answers, strict=True))
    parts = [PREFACE.format(version=__version__, games=evidence.games, seed=evidence.seed)]
    parts.append("## In short\n")
    parts.append(_table(Table(("question", "answer"), [(_link(one), short(answer)) for one, answer in both])))
    parts += [_section(one, answer) for one, answer in both]
    return "\n".join([*parts, NEXT])


def _section(question: Question, answer: Answer) -> str:
    parts = [f"## {question.asks}\n", f"{question.asked} {question.method}\n"]
    parts += [_table(table) for table in answer.tables]
    if answer.plot:
        parts.append(f"![Plot]({_plot_name(question)})\n")
    return "\n".join(parts)


def _table(table: Table) -> str:
    heading, *rows = (f"| {' | '.join(cells)} |\n" for cells in (table.heading, *table.rows))
    return heading + "|---" * len(table.heading) + "|\n" + "".join(rows)


def _link(question: Question) -> str:
    return f"[{question.asks}](#{_anchor(question.asks)})"


def short(answer: Answer) -> str:
    """The sentence without its intervals: the tables of its section have them."""
    return INTERVAL.sub("", answer.sentence)


def _anchor(heading: str) -> str:
    """The address that a heading gets: words in small letters, joined by hyphens."""
    kept = "".join(character for character in heading.lower() if character.isalnum() or character in " -_")
    return kept.replace(" ", "-")


def _plot_name(question: Question) -> str:
    return f"findings-{question.name}.svg"
