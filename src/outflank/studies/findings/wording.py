"""Outcomes in words and tables: what all answers share."""

from collections.abc import Callable, Mapping, Sequence

from outflank import charts
from outflank.contests import Margins
from outflank.studies.findings.evidence import Evidence, Meeting, Outcome, Share
from outflank.studies.findings.question import Answer, Question, Table


def verdict(share: Share, better: str, worse: str, unclear: str) -> str:
    """Which of three things a share says."""
    return better if share.better else worse if share.worse else unclear


def discs(margins: Margins) -> str:
    """`+3.5`: the mean margin."""
    return "–" if margins.mean is None else f"{margins.mean:+.1f}".replace("-", "−")


def discs_between(margins: Margins) -> str:
    """`+3.5 [+1.0, +6.0]`: the mean margin with its interval."""
    low, high = margins.interval
    if margins.mean is None or low is None or high is None:
        return discs(margins)
    return signed(charts.Point(margins.mean, low, high), 1)


def signed(point: charts.Point, digits: int = 0) -> str:
    """`+106 [−96, +308]`."""
    value, low, high = (f"{one:+.{digits}f}" for one in (point.value, point.low, point.high))
    return f"{value} [{low}, {high}]".replace("-", "−")


def games_text(outcome: Outcome) -> str:
    """The games that count, and a word on pairs that do not."""
    left_out = f" ({outcome.left_out} pairs with a forfeit left out)" if outcome.left_out else ""
    return f"{outcome.tally.games}{left_out}"


def score_table(evidence: Evidence, meetings: Mapping[str, Meeting], heading: str) -> Table:
    """A row for each meeting: its label, the first player's share and margin, and the games unless all are as usual."""
    outcomes = {label: evidence[meeting] for label, meeting in meetings.items()}
    usual = all(meeting.share == 1 for meeting in meetings.values())
    usual = usual and not any(outcome.left_out for outcome in outcomes.values())
    lines = [
        (label, *([] if usual else [games_text(outcome)]), str(Share.of(outcome.tally)), discs(outcome.tally.margins))
        for label, outcome in outcomes.items()
    ]
    return Table((heading, *([] if usual else ["games"]), "score", "discs a game"), lines)


Shares = Mapping[str, Share]


def comparison(
    name: str, asks: str, asked: str, method: str, title: str, heading: str, meetings: Mapping[str, Meeting]
) -> Callable[[Callable[[Shares], str]], Question]:
    """The usual question, about meetings with labels: the decorated function says in a sentence what their shares mean,
    and the answer has the meetings as a table and the shares as a plot."""

    def asking(say: Callable[[Shares], str]) -> Question:
        def answer(evidence: Evidence) -> Answer:
            shares = {label: evidence.share(meeting) for label, meeting in meetings.items()}
            table = score_table(evidence, meetings, heading)
            return Answer(say(shares), (table,), charts.intervals(title, list(shares.items())))

        return Question(name, asks, asked, method, tuple(meetings.values()), answer)

    return asking


def listed(parts: Sequence[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}" if parts else "none"


def code(text: str) -> str:
    return f"`{text}`"


def board_name(variant: str) -> str:
    return {"othello": "standard Othello", "reversed": "Reversed Reversi"}.get(variant, variant)
