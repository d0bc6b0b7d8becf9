"""Questions about whole evaluations against each other: `dynamic`'s cross table, and the three of `self-taught`."""

from collections.abc import Mapping
from functools import partial
from itertools import combinations

from outflank import Color, charts
from outflank.contests import Margins
from outflank.studies.findings.evidence import FEWEST_PAIRS, Evidence, Meeting, Share
from outflank.studies.findings.question import Answer, Question, Table
from outflank.studies.findings.wording import Shares, comparison, discs, listed, score_table, verdict

PARTS = ("parity", "corners", "mobility", "stability")
"""The four of the printed table."""
HEURISTICS = (*PARTS, "static", "combined")


def _dynamic(heuristic: str) -> str:
    return f"dynamic:heuristic={heuristic},depth=3"


CROSS = {(one, other): Meeting(_dynamic(one), _dynamic(other)) for one, other in combinations(HEURISTICS, 2)}

Cross = Mapping[tuple[str, str], Share]
"""The row's share against the column."""


def _both_ways(shares: Cross) -> Cross:
    return {**shares, **{(other, one): share.turned for (one, other), share in shares.items()}}


def ranked(shares: Cross, names: tuple[str, ...]) -> list[tuple[str, float]]:
    """The names by their mean share against the others, best first."""
    means = {
        name: sum(shares[name, other].value for other in names if other != name) / (len(names) - 1) for name in names
    }
    return sorted(means.items(), key=lambda one: -one[1])


@partial(
    Question,
    "cross-table",
    "Which of `dynamic`'s heuristics is best, each against each?",
    'The report on `dynamic` asks "do some heuristics work better than others for Reversi?" and answers from two games'
    " a pair.",
    "Every two of them in `dynamic` at depth 3.",
    tuple(CROSS.values()),
)
def cross_table(evidence: Evidence) -> Answer:
    shares = _both_ways({key: evidence.share(meeting) for key, meeting in CROSS.items()})
    order = ranked(shares, HEURISTICS)
    names = [name for name, _ in order]
    closest = shares[names[0], names[1]]
    lead = verdict(closest, "clearly ahead of", "ranked above but beaten by", "not clearly ahead of")
    undecided = [
        f"{one} and {other}" for one, other in CROSS if not (shares[one, other].better or shares[one, other].worse)
    ]
    sentence = (
        f"The order is {', '.join(f'{name} ({mean:.0f} %)' for name, mean in order)}, by mean score against the"
        f" others; {names[0]} is {lead} {names[1]}, with {closest}, and undecided at 95 % are"
        f" {listed(undecided) if undecided else 'no two'}."
    )
    rows = [
        [name, *("–" if other == name else str(shares[name, other]) for other in names), f"{mean:.0f} %"]
        for name, mean in order
    ]
    plot = charts.cross_table("The row's score against the column", names, shares)
    return Answer(sentence, (Table(("", *names, "mean"), rows),), plot)


STATIC = (
    CROSS["static", "combined"],
    Meeting(_dynamic("combined"), _dynamic("static"), "reversed"),
    Meeting("dynamic:depth=1", "dynamic:heuristic=static,depth=1"),
)


@partial(
    Question,
    "combined-static",
    "How much better is `dynamic`'s combined heuristic than its static table?",
    'The author of `dynamic` played two games, 38–26 and 60–4, and found it "almost laughable".',
    "`dynamic` with the one against `dynamic` with the other.",
    STATIC,
)
def combined_static(evidence: Evidence) -> Answer:
    static, reverse, one_ply = map(evidence.share, STATIC)
    share = static.turned
    won = verdict(share, "The combined one is better", "The static one is better", "Neither is shown to be better")
    sentence = (
        f"{won}: combined scores {share} against static at depth 3, {one_ply} at depth 1, and in Reversed Reversi"
        f" {reverse}."
    )
    shares = [("depth 3", share), ("Reversed Reversi, depth 3", reverse), ("depth 1", one_ply)]
    plot = charts.intervals("Score of combined against static", shares)
    return Answer(sentence, (score_table(evidence, STATIC, "first", "second"),), plot)


PRINTED = {
    ("parity", "corners"): (27, 37),
    ("parity", "mobility"): (14, 50),
    ("parity", "stability"): (26, 38),
    ("corners", "parity"): (53, 11),
    ("corners", "mobility"): (39, 25),
    ("corners", "stability"): (39, 25),
    ("mobility", "parity"): (59, 5),
    ("mobility", "corners"): (29, 35),
    ("mobility", "stability"): (0, 42),
    ("stability", "parity"): (58, 0),
    ("stability", "corners"): (13, 51),
    ("stability", "mobility"): (23, 41),
}
"""The printed cross table, discs of the row first. We take the row for the side that moved first, which it does not
say."""


def _as_row(evidence: Evidence, row: str, column: str) -> Margins:
    """The margins of the row's heuristic when it has Black."""
    color, pair = (Color.BLACK, (row, column)) if (row, column) in CROSS else (Color.WHITE, (column, row))
    margins = Margins()
    for (_, first), result in evidence[CROSS[pair]].results.items():
        if first is color and (margin := result.margin(Color.BLACK)) is not None:
            margins.add([margin])
    return margins


def _total(name: str) -> int:
    """A heuristic's discs won minus lost in the printed table."""
    return sum(
        own - other if row == name else other - own if column == name else 0
        for (row, column), (own, other) in PRINTED.items()
    )


@partial(
    Question,
    "printed-table",
    "Does `dynamic`'s printed table hold?",
    "The report on `dynamic` prints a table of twelve games between its four heuristics and draws its weights from it.",
    "Its games beside the mean of ours with the same heuristic on the move first (the row has Black), `dynamic` at"
    " depth 3; the report does not say its depth, and does not give empty squares to the winner, as we do.",
    tuple(CROSS[key] for key in combinations(PARTS, 2)),
)
def printed_table(evidence: Evidence) -> Answer:
    rows, agree, opposed = [], 0, []
    for (row, column), (own, other) in PRINTED.items():
        margins = _as_row(evidence, row, column)
        low, high = margins.interval if margins.games >= FEWEST_PAIRS else (None, None)
        printed = own - other
        same = margins.mean is not None and margins.mean * printed > 0
        agree += same
        if (low is not None and low > 0 > printed) or (high is not None and high < 0 < printed):
            opposed.append(f"{row} against {column}")
        rows.append(
            (row, column, f"{own}–{other}", f"{printed:+d}".replace("-", "−"), discs(margins), "yes" if same else "no")
        )
    clearly = f"clearly the other way is {listed(opposed)}" if opposed else "none is clearly the other way"
    printed_order = sorted(PARTS, key=lambda name: -_total(name))
    shares = _both_ways({key: evidence.share(CROSS[key]) for key in combinations(PARTS, 2)})
    ours = [name for name, _ in ranked(shares, PARTS)]
    sentence = (
        f"Of its twelve games {agree} point the way that ours do on average, and {clearly}; by discs its order is"
        f" {', '.join(printed_order)}, by score ours is {', '.join(ours)}."
    )
    return Answer(sentence, (Table(("row", "column", "printed", "margin", "ours (95 %)", "same way"), rows),))


BOARDS = ("6x6-mirrored", "othello")
EVALUATIONS = ("1", "2", "3")


def _self_taught(evaluation: str) -> str:
    return f"self-taught:evaluation={evaluation},values=self-taught,depth=4"


def _label(one: str, other: str, board: str) -> str:
    return f"#{one} against #{other}, {board}"


def _board(variant: str) -> str:
    return "6x6, its own board," if variant == BOARDS[0] else "8x8"


THREE = {
    _label(one, other, board): Meeting(_self_taught(one), _self_taught(other), board, share=2.0)
    for board in BOARDS
    for one, other in combinations(EVALUATIONS, 2)
}


@comparison(
    "evaluations",
    "Which of `self-taught`'s three evaluations is best?",
    'The author of `self-taught` does not "know how to tell which one is the best", only that all of them win.',
    "`self-taught` at depth 4 with each against each.",
    "The evaluations of self-taught",
    ("first", "second"),
    THREE,
)
def evaluations(found: Shares) -> str:
    parts = []
    for board in BOARDS:
        shares = _both_ways({pair: found[_label(*pair, board)] for pair in combinations(EVALUATIONS, 2)})
        (best, _), (second, _), (last, _) = ranked(shares, EVALUATIONS)
        lead = verdict(shares[best, second], "clearly", "not", "not clearly")
        parts.append(
            f"on {_board(board)} #{best} comes first, {lead} ahead of"
            f" #{second} ({shares[best, second]}), and scores {shares[best, last]} against #{last}"
        )
    return "; ".join(parts) + "."


RULE = tuple(THREE[_label("2", "3", board)] for board in BOARDS)


@partial(
    Question,
    "both-have-corners",
    "Does `self-taught`'s rule for when both sides have corners help?",
    'The author of `self-taught` is "slightly confused about why this modification works": it had more discs at the'
    " end, but computers played both colours.",
    "`self-taught` at depth 4: evaluation 3, which has the rule, and evaluation 2, which differs by nothing else.",
    RULE,
)
def both_have_corners(evidence: Evidence) -> Answer:
    parts = []
    for meeting in RULE:
        share = evidence.share(meeting).turned
        said = verdict(share, "it helps", "it does harm", "it makes no difference that this shows")
        parts.append(
            f"on {_board(meeting.variant)} {said}: with the rule (#3) it scores {share} against itself without (#2)"
        )
    return Answer("; ".join(parts) + ".", (score_table(evidence, RULE, "without", "with"),))
