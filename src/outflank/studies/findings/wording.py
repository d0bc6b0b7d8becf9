"""Outcomes in words and tables: what all answers share."""

from collections.abc import Iterable, Mapping, Sequence

from outflank import charts
from outflank.contests import Margins
from outflank.studies.findings.evidence import Evidence, Meeting, Outcome, Share
from outflank.studies.findings.question import Answer, Table


def verdict(share: Share, better: str, worse: str, unclear: str) -> str:
    """Which of three things a share says."""
    return better if share.better else worse if share.worse else unclear


def discs(margins: Margins) -> str:
    """`+3.5 [+1.0, +6.0]`: the mean margin with its interval."""
    if margins.mean is None:
        return "–"
    low, high = margins.interval
    return f"{margins.mean:+.1f}" if low is None or high is None else signed(margins.mean, low, high, 1)


def signed(value: float, low: float, high: float, digits: int = 0) -> str:
    """`+106 [−96, +308]`."""
    return f"{value:+.{digits}f} [{low:+.{digits}f}, {high:+.{digits}f}]".replace("-", "−")


def point(share: Share) -> charts.Point:
    return charts.Point(share.value, share.low, share.high)


def share_of(evidence: Evidence, meeting: Meeting) -> Share:
    """The first player's share of a meeting's points."""
    return Share.of(evidence[meeting].tally)


def games_text(outcome: Outcome) -> str:
    """The games that count, and a word on pairs that do not."""
    left_out = f" ({outcome.left_out} pairs with a forfeit left out)" if outcome.left_out else ""
    return f"{outcome.tally.games}{left_out}"


def score_table(evidence: Evidence, rows: Iterable[tuple[str, str, Meeting]], heading: Sequence[str]) -> Table:
    """A row for each meeting: two labels, the games, the first player's share and margin."""
    lines = []
    for one, other, meeting in rows:
        outcome = evidence[meeting]
        lines.append((one, other, games_text(outcome), str(Share.of(outcome.tally)), discs(outcome.tally.margins)))
    return Table((*heading, "games", "score of the first", "discs a game"), lines)


def shares_of(evidence: Evidence, meetings: Mapping[str, Meeting]) -> dict[str, Share]:
    """The first players' shares in meetings that go by a label."""
    return {label: share_of(evidence, meeting) for label, meeting in meetings.items()}


def compared(
    evidence: Evidence,
    sentence: str,
    title: str,
    shares: Mapping[str, Share],
    meetings: Iterable[Meeting],
    heading: tuple[str, str],
) -> Answer:
    """The usual answer: a sentence, a table of the meetings that it rests on, and the shares as a plot."""
    meetings = tuple(meetings)
    several = len({meeting.variant for meeting in meetings}) > 1
    rows = [(code(one.first), code(one.second) + f", {one.variant}" * several, one) for one in meetings]
    plot = charts.intervals(title, [(label, point(share)) for label, share in shares.items()])
    return Answer(sentence, (score_table(evidence, rows, heading),), plot)


def listed(parts: Sequence[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}" if parts else "none"


def code(text: str) -> str:
    return f"`{text}`"


def board_name(variant: str) -> str:
    return {"othello": "standard Othello", "reversed": "Reversed Reversi"}.get(variant, variant)
