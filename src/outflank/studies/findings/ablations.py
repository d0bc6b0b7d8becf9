"""Questions of the kind "does this part help?": a player against itself with that part left out or changed."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from outflank import charts
from outflank.studies.findings.evidence import Evidence, Meeting, Share
from outflank.studies.findings.question import Answer, Question
from outflank.studies.findings.wording import code, compared, listed, point, score_table, share_of, shares_of, verdict


@dataclass(frozen=True)
class Change:
    """A changed player: what it lacks, in words, and its spec."""

    lacks: str
    spec: str


def with_and_without(
    name: str,
    asks: str,
    asked: str,
    whole: str,
    changes: tuple[Change, ...],
    say: Callable[[Mapping[str, Share]], str],
    variant: str = "othello",
) -> Question:
    """A question that a player answers by playing itself with something changed; `say` gets the whole player's share
    against each changed one."""
    meetings = tuple(Meeting(whole, change.spec, variant) for change in changes)

    def answer(evidence: Evidence) -> Answer:
        shares = shares_of(evidence, dict(zip((change.lacks for change in changes), meetings, strict=True)))
        title = f"Score of {whole} against itself …"
        return compared(evidence, say(shares), title, shares, meetings, ("whole", "changed"))

    return Question(name, asks, asked, f"{code(whole)} against itself, changed.", meetings, answer)


def _each_term(shares: Mapping[str, Share]) -> str:
    """What every change costs the player, those that cost it something apart from those that improve it."""
    groups: dict[str, list[str]] = {}
    for label, share in shares.items():
        said = verdict(share, "it is weaker", "it is stronger", "no difference is shown")
        groups.setdefault(said, []).append(f"{label} (the whole scores {share})")
    return "; ".join(f"{said} {listed(parts)}" for said, parts in groups.items()) + "."


def _potential(shares: Mapping[str, Share]) -> str:
    without, added, shallow = shares.values()
    works = verdict(without, "It works", "It does harm", "No difference is shown")
    sign = verdict(added, "worse than", "better than", "not distinguishable from")
    return (
        f"{works}: with potential liberty `phased` scores {without} against itself without it at depth 4, and"
        f" {shallow} at depth 2; counted as printed, added instead of taken off, it is {sign} ours, which scores"
        f" {added} against it."
    )


POTENTIAL = {
    "without it, depth 4": Meeting("phased:depth=4", "phased:potential=no,depth=4", share=2.0),
    "with it added, depth 4": Meeting("phased:depth=4", "phased:potential=10/15/15,depth=4"),
    "without it, depth 2": Meeting("phased:depth=2", "phased:potential=no,depth=2", share=2.0),
}


def _potential_answer(evidence: Evidence) -> Answer:
    shares = shares_of(evidence, POTENTIAL)
    title = "Score of phased against itself …"
    return compared(evidence, _potential(shares), title, shares, POTENTIAL.values(), ("with", "changed"))


POTENTIAL_LIBERTY = Question(
    "potential-liberty",
    "Does `phased`'s potential liberty work?",
    'Its author calls it "a magical parameter" and does not know how it works, only that it does.',
    "`phased` against itself without the term, and against itself with the sign that the report prints.",
    tuple(POTENTIAL.values()),
    _potential_answer,
)

WEIGHTS_ONLY = with_and_without(
    "weights-only",
    "What do `phased`'s other terms add to its square weights, and what do its phases?",
    'The author of `phased` began with the weights alone, "but it doesn\'t work well", and then let the weights change'
    " with the phase.",
    "phased:depth=4",
    (
        Change("with weights only", "phased:liberty=no,stable=no,potential=no,depth=4"),
        Change("without phases", "phased:phases=no,depth=4"),
        Change("without weights", "phased:weighting=no,depth=4"),
        Change("without liberty", "phased:liberty=no,depth=4"),
        Change("without stable discs", "phased:stable=no,depth=4"),
    ),
    _each_term,
)

TERMS_OF_CORNER_SHY = with_and_without(
    "corner-shy-terms",
    "What are `corner-shy`'s stable, frontier and mobility terms worth in Reversed Reversi?",
    "`corner-shy` adds them to its matrix, wants many frontier and few stable discs, and its author never measured them"
    " one by one.",
    "corner-shy:depth=4",
    (
        Change("without stable discs", "corner-shy:stable=0,depth=4"),
        Change("without frontier discs", "corner-shy:frontier=0,depth=4"),
        Change("without remaining moves", "corner-shy:moves=0,depth=4"),
        Change("with the matrix alone", "corner-shy:stable=0,frontier=0,moves=0,depth=4"),
        Change("without the matrix", "corner-shy:squares=0,depth=4"),
    ),
    _each_term,
    "reversed",
)

CORNER = -100.0
CORNERS = (-1000, -300, -200, -50, 0, 100)
CORNER_MEETINGS = tuple(
    Meeting(f"corner-shy:corner={corner},depth=4", "corner-shy:depth=4", "reversed") for corner in CORNERS
)


def _corner_answer(evidence: Evidence) -> Answer:
    shares = {corner: share_of(evidence, meeting) for corner, meeting in zip(CORNERS, CORNER_MEETINGS, strict=True)}
    lowest = shares[min(CORNERS)]
    as_low = verdict(lowest, "Lower is better still", "Too low is bad", "Lower than ours makes no clear difference")
    high = shares[max(CORNERS)]
    valued = verdict(high, "pays", "loses", "costs nothing that this shows")
    clear = [str(corner) for corner, share in shares.items() if share.better]
    sentence = (
        f"{as_low}: a corner of {min(CORNERS)} scores {lowest} against our −100, and one of 0 {shares[0]}; a corner"
        f" that counts for its owner, {max(CORNERS):+d}, {valued}, with {high}. Clearly better than −100 is"
        f" {listed(clear)} of the six values tried."
    )
    points = [(float(corner), point(share)) for corner, share in shares.items()]
    points.append((CORNER, charts.Point(50, 50, 50)))
    rows = [(code(one.first), code(one.second), one) for one in CORNER_MEETINGS]
    return Answer(
        sentence.replace("-", "−"),
        (score_table(evidence, rows, ("corner", "against")),),
        charts.curves(
            "Score against corner-shy with its corner at -100",
            "the square value of a corner",
            {"corner-shy": sorted(points, key=lambda one: one[0])},
            even=True,
        ),
    )


CORNER_WEIGHT = Question(
    "corner-weight",
    "What does the corner weight do in Reversed Reversi?",
    'The author of `corner-shy` found that the corners were "supposed to be as low as possible".',
    "`corner-shy` with other values of the corner against itself with −100, at depth 4.",
    CORNER_MEETINGS,
    _corner_answer,
)
