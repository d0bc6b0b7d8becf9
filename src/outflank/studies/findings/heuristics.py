"""Questions about whole evaluations against each other: `dynamic`'s cross table, and the three of `self-taught`."""

from collections.abc import Mapping
from functools import partial
from itertools import combinations

from outflank import Color, charts
from outflank.contests import Margins
from outflank.studies.findings.evidence import FEWEST_PAIRS, Evidence, Meeting, Share
from outflank.studies.findings.question import Answer, Question, Table
from outflank.studies.findings.wording import Shares, comparison, discs_between, listed, score_table, verdict

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
    "Which of `dynamic`'s heuristics is best?",
    'Its report asks "do some heuristics work better than others for Reversi?" and answers from two games a pair.',
    "`dynamic` at depth 3; scores of the row against the column.",
    tuple(CROSS.values()),
)
def cross_table(evidence: Evidence) -> Answer:
    shares = _both_ways({key: evidence.share(meeting) for key, meeting in CROSS.items()})
    order = ranked(shares, HEURISTICS)
    names = [name for name, _ in order]
    undecided = [
        f"{one} and {other}" for one, other in CROSS if not (shares[one, other].better or shares[one, other].worse)
    ]
    by_mean = ", ".join(f"{name} ({mean:.0f} %)" for name, mean in order)
    sentence = f"By mean score: {by_mean}." + f" Too close to call: {listed(undecided)}." * bool(undecided)
    rows = [
        [name, *(str(shares[name, other]) if place < names.index(other) else "" for other in names), f"{mean:.0f} %"]
        for place, (name, mean) in enumerate(order)
    ]
    plot = charts.cross_table("The row's score against the column", names, shares)
    return Answer(sentence, (Table(("", *names, "mean"), rows),), plot)


STATIC = {
    "static against combined, depth 3": CROSS["static", "combined"],
    "combined against static, depth 3, Reversed Reversi": Meeting(_dynamic("combined"), _dynamic("static"), "reversed"),
    "combined against static, depth 1": Meeting("dynamic:depth=1", "dynamic:heuristic=static,depth=1"),
}


@partial(
    Question,
    "combined-static",
    "Is `dynamic`'s combined heuristic better than its static table?",
    'Its author played two games, 38–26 and 60–4, and found it "almost laughable".',
    "`dynamic` with one against `dynamic` with the other.",
    tuple(STATIC.values()),
)
def combined_static(evidence: Evidence) -> Answer:
    static, reverse, one_ply = map(evidence.share, STATIC.values())
    share = static.turned
    won = verdict(share, "The combined one is better", "The static one is better", "Neither is shown to be better")
    sentence = f"{won}: combined scores {share}, at depth 1 {one_ply}, in Reversed Reversi {reverse}."
    shares = [("depth 3", share), ("Reversed Reversi, depth 3", reverse), ("depth 1", one_ply)]
    plot = charts.intervals("Score of combined against static", shares)
    return Answer(sentence, (score_table(evidence, STATIC, "heuristics"),), plot)


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
    "The report has twelve games between four heuristics and draws its weights from them.",
    "Its discs beside our mean margin for Black at depth 3. The report does not say its depth, and does not give empty"
    " squares to the winner, as we do.",
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
        rows.append((row, column, f"{own}–{other}", discs_between(margins)))
    clearly = f"clearly the other way: {listed(opposed)}" if opposed else "none clearly the other way"
    printed_order = sorted(PARTS, key=lambda name: -_total(name))
    shares = _both_ways({key: evidence.share(CROSS[key]) for key in combinations(PARTS, 2)})
    ours = [name for name, _ in ranked(shares, PARTS)]
    sentence = (
        f"{agree} of its twelve games point the same way as ours; {clearly}. Its order is {', '.join(printed_order)};"
        f" ours is {', '.join(ours)}."
    )
    return Answer(sentence, (Table(("Black", "White", "printed", "ours"), rows),))


BOARDS = ("6x6-mirrored", "othello")
EVALUATIONS = ("1", "2", "3")


def _self_taught(evaluation: str) -> str:
    return f"self-taught:evaluation={evaluation},values=self-taught,depth=4"


def _label(one: str, other: str, board: str) -> str:
    return f"#{one} against #{other}, {board}"


def _board(variant: str) -> str:
    return "6x6 (its own board)" if variant == BOARDS[0] else "8x8"


THREE = {
    _label(one, other, board): Meeting(_self_taught(one), _self_taught(other), board, share=2.0)
    for board in BOARDS
    for one, other in combinations(EVALUATIONS, 2)
}


@comparison(
    "evaluations",
    "Which of `self-taught`'s evaluations is best?",
    'Its author does not "know how to tell which one is the best", only that all of them win.',
    "`self-taught:values=self-taught,depth=4` with each against each.",
    "The evaluations of self-taught",
    "evaluations and board",
    THREE,
)
def evaluations(found: Shares) -> str:
    parts = []
    for board in BOARDS:
        shares = _both_ways({pair: found[_label(*pair, board)] for pair in combinations(EVALUATIONS, 2)})
        (best, _), (second, _), (last, _) = ranked(shares, EVALUATIONS)
        lead = verdict(shares[best, second], "clearly", "not", "not clearly")
        parts.append(
            f"on {_board(board)} #{best} is best, {lead} ahead of #{second} ({shares[best, second]}), then #{last}"
            f" ({shares[best, last]})"
        )
    return "; ".join(parts) + "."


RULE = {board: THREE[_label("2", "3", board)] for board in BOARDS}


@partial(
    Question,
    "both-have-corners",
    "Does `self-taught`'s rule for corners help?",
    'Its author is "slightly confused about why this modification works": it had more discs at the end, but computers'
    " played both colours.",
    "Evaluation 2, which lacks the rule, against evaluation 3, which is otherwise equal, at depth 4.",
    tuple(RULE.values()),
)
def both_have_corners(evidence: Evidence) -> Answer:
    parts = []
    for meeting in RULE.values():
        share = evidence.share(meeting).turned
        said = verdict(share, "it helps", "it does harm", "no difference is shown")
        parts.append(f"on {_board(meeting.variant)} {said} (with it {share})")
    return Answer("; ".join(parts) + ".", (score_table(evidence, RULE, "board"),))
