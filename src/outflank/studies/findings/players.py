"""Questions about whole players: the ladder of the five, each against `random`, and what moving first is worth."""

from functools import partial
from itertools import combinations

from outflank import charts
from outflank.contests import Player, Row, Standings, standings
from outflank.studies.findings.evidence import SECONDS, Evidence, Meeting, Share
from outflank.studies.findings.question import Answer, Question, Table
from outflank.studies.findings.wording import (
    Shares,
    board_name,
    code,
    comparison,
    discs,
    games_text,
    listed,
    signed,
    verdict,
)

OBJECTIVES = ("othello", "reversed")
OPTIONS = {"corner-shy": "", "dynamic": "", "mini-go": "", "phased": "", "self-taught": "values=self-taught,"}
"""What makes each of the five play as its document has it: all with their own weights, none with those learnt since."""
FIVE = tuple(
    f"{name}:{options}{'playouts=1000' if name == 'mini-go' else 'depth=4'}" for name, options in OPTIONS.items()
)
FIVE_IN_TIME = tuple(f"{name}:{options}time={SECONDS:g}" for name, options in OPTIONS.items())


def _rating(row: Row) -> charts.Point:
    return charts.Point(row.rating.value, row.rating.low, row.rating.high)


def rated(name: str, asks: str, asked: str, method: str, specs: tuple[str, ...], share: float = 1.0) -> Question:
    """The question which of some players is the best, in either game: each against each, rated."""
    meetings = {
        variant: {pair: Meeting(*pair, variant, share=share) for pair in combinations(specs, 2)}
        for variant in OBJECTIVES
    }

    def answer(evidence: Evidence) -> Answer:
        players = {spec: Player.named(spec) for spec in specs}
        parts, tables, rows = [], [], []
        for variant in OBJECTIVES:
            met = meetings[variant].items()
            played = {(players[one], players[other]): evidence[meeting].results for (one, other), meeting in met}
            games = sum(map(len, played.values()))
            table = standings("round-robin", variant, tuple(players.values()), played, games)
            parts.append(f"in {board_name(variant)} {', '.join(_name(row.player.spec) for row in table.rows)}")
            tables.append(_cross_table(table, variant))
            rows += [(f"{row.player.spec}, {variant}", _rating(row)) for row in table.rows]
        plot = charts.intervals("Ratings in Elo; the mean of the five is 0 in each game", rows, "", 0)
        return Answer(f"From the top: {'; '.join(parts)}.", tuple(tables), plot)

    played_out = tuple(meeting for met in meetings.values() for meeting in met.values())
    return Question(name, asks, asked, method, played_out, answer)


def _name(spec: str) -> str:
    """A player without its options."""
    return code(spec.partition(":")[0])


def _cross_table(table: Standings, variant: str) -> Table:
    names = [_name(row.player.spec) for row in table.rows]
    lines = []
    for place, (name, row, cells) in enumerate(zip(names, table.rows, table.cross, strict=True)):
        above = (cell if place < column else None for column, cell in enumerate(cells))  # the rest says the same
        scores = (f"{100 * cell[0] / cell[1]:.0f} %" if cell else "" for cell in above)
        lines.append([name, signed(_rating(row)), *scores, discs(row.margins)])
    return Table((board_name(variant), "rating", *names, "discs a game"), lines)


ladder = rated(
    "ladder",
    "Who is the best of the five?",
    "Each report compares its player with classmates or friends only.",
    "Each against each, the searchers at depth 4, `mini-go` with 1,000 playouts, `self-taught` with its hand-made"
    " values. Ratings are in Elo around a mean of 0.",
    FIVE,
)

ladder_in_time = rated(
    "ladder-time",
    "Who is the best in equal time?",
    "The authors of `corner-shy` and `phased` had 5 s a move; the reports compare depths.",
    f"As before, with {SECONDS:g} s a move and a fifth of the usual games.",
    FIVE_IN_TIME,
    0.2,
)


@comparison(
    "random",
    "Do they all beat `random`?",
    'The author of `dynamic` says that it "performs much better than random".',
    "The players are those of the first question.",
    "Score against random",
    "player and game",
    {f"{spec}, {variant}": Meeting(spec, "random", variant) for variant in OBJECTIVES for spec in FIVE},
)
def against_random(shares: Shares) -> str:
    found = {
        f"{_name(spec)} in {board_name(variant)}": shares[f"{spec}, {variant}"]
        for variant in OBJECTIVES
        for spec in FIVE
    }
    fails = [player for player, share in found.items() if not share.better]
    beat = f"Not all clearly beat it: {listed(fails)} did not" if fails else "All beat it in both games"
    weakest = min(found, key=lambda player: found[player].value)
    return f"{beat}; {weakest} scored least, {found[weakest]}."


FIRST_MOVE = (
    Meeting("random", "random", openings="start", share=10.0),
    Meeting("mini-go:playouts=300", "mini-go:playouts=300", openings="start", share=2.0),
    Meeting("dynamic:depth=4", "dynamic:depth=4", share=2.0),
    Meeting("phased:depth=4", "phased:depth=4", share=2.0),
    Meeting("engine:level=10", "engine:level=10", share=2.0),
    Meeting("random", "random", "reversed", "start", 10.0),
    Meeting("mini-go:playouts=300", "mini-go:playouts=300", "reversed", "start", 1.0),
    Meeting("corner-shy:depth=4", "corner-shy:depth=4", "reversed", share=2.0),
    Meeting("engine:level=10", "engine:level=10", "reversed", share=2.0),
)


@partial(
    Question,
    "first-move",
    "What is the first move worth?",
    'The report on `dynamic` says that who goes first "does effect the game by a wide margin".',
    "Players against themselves: `random` and `mini-go` from the start, the others, whose play is fixed, from eight"
    " random plies, where the two games of a pair are equal and count as one.",
    FIRST_MOVE,
)
def first_move(evidence: Evidence) -> Answer:
    said = ("Black is ahead with", "White is ahead with", "")
    groups: dict[str, list[str]] = {one: [] for one in said}
    rows, points = [], []
    for meeting in FIRST_MOVE:
        outcome = evidence[meeting]
        share = Share.of(outcome.black)
        groups[verdict(share, *said)].append(f"{_name(meeting.first)} in {board_name(meeting.variant)}")
        label = f"{meeting.first}, {meeting.variant}"
        rows.append((label, games_text(outcome), str(share), discs(outcome.black.margins)))
        points.append((label, share))
    unclear = len(groups.pop(""))
    parts = [f"{one} {listed(names)}" for one, names in groups.items() if names]
    parts += [f"neither is clearly ahead in {unclear} of {len(rows)} matches"] if unclear else []
    sentence = "; ".join(parts) + "."
    heading = ("player and game", "games", "score of Black", "discs for Black")
    return Answer(sentence, (Table(heading, rows),), charts.intervals("Score of Black, who moves first", points))
