"""Questions of the kind "does this part help?": a player against itself with that part left out or changed."""

from collections.abc import Mapping
from functools import partial

from outflank import charts
from outflank.studies.findings.evidence import Evidence, Meeting
from outflank.studies.findings.question import Answer, Question
from outflank.studies.findings.wording import Shares, code, comparison, listed, score_table, verdict


def each_change(
    name: str, asks: str, asked: str, whole: str, changed: Mapping[str, str], variant: str = "othello"
) -> Question:
    """The question what each of some changes does to a player, which meets itself with the change."""

    def say(shares: Shares) -> str:
        groups: dict[str, list[str]] = {}
        for label, share in shares.items():
            said = verdict(share, "it is weaker", "it is stronger", "no difference is shown")
            groups.setdefault(said, []).append(label)
        return "; ".join(f"{said} {listed(parts)}" for said, parts in groups.items()) + "."

    meetings = {lacks: Meeting(whole, spec, variant) for lacks, spec in changed.items()}
    title, method = (
        f"Score of {whole} against itself …",
        f"{code(whole)} against itself, changed: scores of the unchanged player.",
    )
    return comparison(name, asks, asked, method, title, "changed", meetings)(say)


@comparison(
    "potential-liberty",
    "Does `phased`'s potential liberty work?",
    'Its author calls it "a magical parameter" and does not know how it works, only that it does.',
    "`phased` against itself without the term, and with it added, as the report prints, instead of subtracted.",
    "Score of phased against itself …",
    "changed",
    {
        "without it, depth 4": Meeting("phased:depth=4", "phased:potential=no,depth=4", share=2.0),
        "with it added, depth 4": Meeting("phased:depth=4", "phased:potential=10/15/15,depth=4"),
        "without it, depth 2": Meeting("phased:depth=2", "phased:potential=no,depth=2", share=2.0),
    },
)
def potential_liberty(shares: Shares) -> str:
    without, added, shallow = shares.values()
    works = verdict(without, "It works", "It does harm", "No difference is shown")
    sign = verdict(added, "worse than", "better than", "not distinguishable from")
    return (
        f"{works}: with it `phased` scores {without} at depth 4 and {shallow} at depth 2. Added as printed, it is"
        f" {sign} ours, which scores {added}."
    )


weights_only = each_change(
    "weights-only",
    "Which of `phased`'s other terms help?",
    'The author began with the weights alone, "but it doesn\'t work well", and then let them change with the phase.',
    "phased:depth=4",
    {
        "with weights only": "phased:liberty=no,stable=no,potential=no,depth=4",
        "without phases": "phased:phases=no,depth=4",
        "without weights": "phased:weighting=no,depth=4",
        "without liberty": "phased:liberty=no,depth=4",
        "without stable discs": "phased:stable=no,depth=4",
    },
)

corner_shy_terms = each_change(
    "corner-shy-terms",
    "Which of `corner-shy`'s terms help in Reversed Reversi?",
    "It wants many frontier and few stable discs; its author never measured the terms one by one.",
    "corner-shy:depth=4",
    {
        "without stable discs": "corner-shy:stable=0,depth=4",
        "without frontier discs": "corner-shy:frontier=0,depth=4",
        "without remaining moves": "corner-shy:moves=0,depth=4",
        "with the matrix alone": "corner-shy:stable=0,frontier=0,moves=0,depth=4",
        "without the matrix": "corner-shy:squares=0,depth=4",
    },
    "reversed",
)

CORNER = -100.0
CORNERS = {
    corner: Meeting(f"corner-shy:corner={corner},depth=4", "corner-shy:depth=4", "reversed")
    for corner in (-1000, -300, -200, -50, 0, 100)
}


@partial(
    Question,
    "corner-weight",
    "What should a corner be worth in Reversed Reversi?",
    'The author of `corner-shy` found that the corners were "supposed to be as low as possible".',
    "`corner-shy:corner=N,depth=4` against `corner-shy:depth=4`, whose corner is −100.",
    tuple(CORNERS.values()),
)
def corner_weight(evidence: Evidence) -> Answer:
    shares = {corner: evidence.share(meeting) for corner, meeting in CORNERS.items()}
    lowest, high = shares[min(CORNERS)], shares[max(CORNERS)]
    as_low = verdict(lowest, "Lower is better still", "Too low is bad", "Lower than ours makes no clear difference")
    clear = [str(corner) for corner, share in shares.items() if share.better]
    sentence = (
        f"{as_low}: against −100 a corner of {min(CORNERS)} scores {lowest}, one of 0 {shares[0]}, and one of"
        f" {max(CORNERS):+d}, which counts for its owner, {high}. Clearly better than −100: {listed(clear)}."
    )
    points: list[tuple[float, charts.Point]] = [*shares.items(), (CORNER, charts.Point(50, 50, 50))]
    plot = charts.curves(
        "Score against corner-shy with its corner at -100",
        "the square value of a corner",
        {"corner-shy": sorted(points, key=lambda one: one[0])},
        even=True,
    )
    table = score_table(evidence, {f"{corner:+d}".replace("-", "−"): one for corner, one in CORNERS.items()}, "corner")
    return Answer(sentence.replace("-", "−"), (table,), plot)
