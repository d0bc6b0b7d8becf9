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
    """The question who of some players is the best, in either game: each against each, rated."""
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
            rungs = [f"{code(row.player.spec.partition(':')[0])} {signed(_rating(row))}" for row in table.rows]
            parts.append(f"in {board_name(variant)} {', '.join(rungs)}")
            tables.append(_cross_table(table, variant))
            rows += [(f"{row.player.spec}, {variant}", _rating(row)) for row in table.rows]
        plot = charts.intervals("Ratings in Elo; the mean of the five is 0 in each game", rows, "", 0)
        return Answer(f"From the top: {'; '.join(parts)}.", tuple(tables), plot)

    played_out = tuple(meeting for met in meetings.values() for meeting in met.values())
    return Question(name, asks, asked, method, played_out, answer)


def _cross_table(table: Standings, variant: str) -> Table:
    names = [code(row.player.spec) for row in table.rows]
    lines = []
    for name, row, cells in zip(names, table.rows, table.cross, strict=True):
        scores = ("–" if cell is None else f"{100 * cell[0] / cell[1]:.0f} %" for cell in cells)
        lines.append([name, signed(_rating(row)), *scores, discs(row.margins)])
    return Table((board_name(variant), "rating", *names, "discs a game"), lines)


ladder = rated(
    "ladder",
    "Who is the best of the five, in either game?",
    "Each of the five reports ranks itself among its classmates or against its author's friends.",
    "Each against each, the searchers at depth 4 and `mini-go` with 1,000 playouts; ratings in Elo by the"
    " arena's model, the mean being 0. Equal depth is not equal time: see the next question.",
    FIVE,
)

ladder_in_time = rated(
    "ladder-time",
    "Who is the best of the five in equal time?",
    "The authors of `corner-shy` and `phased` had 5 s a move, as everybody in their course; the reports compare"
    " depths.",
    f"As before, with {SECONDS:g} s a move for everybody and a fifth of the usual games, which depend on the machine"
    " and on what else it does.",
    FIVE_IN_TIME,
    0.2,
)


@comparison(
    "random",
    "Does each of the five beat `random`, in either game?",
    'The author of `dynamic` says that it "performs much better than random", and `corner-shy` met opponents that begin'
    " at random.",
    "The searchers at depth 4, `mini-go` with 1,000 playouts.",
    "Score against random",
    ("player", "against"),
    {f"{spec}, {variant}": Meeting(spec, "random", variant) for variant in OBJECTIVES for spec in FIVE},
)
def against_random(shares: Shares) -> str:
    parts, fails = [], []
    for variant in OBJECTIVES:
        own = {spec: shares[f"{spec}, {variant}"] for spec in FIVE}
        said = [f"{code(spec.partition(':')[0])} {share}" for spec, share in own.items()]
        parts.append(f"in {board_name(variant)} {', '.join(said)}")
        fails += [f"{spec} in {board_name(variant)}" for spec, share in own.items() if not share.better]
    beat = f"Not every one clearly beats it: {listed(fails)} does not" if fails else "All beat it in both games"
    return f"{beat}: {'; '.join(parts)}."


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
    "What is the advantage of the first move?",
    'The report on `dynamic` says that who goes first "does effect the game by a wide margin".',
    "Players against themselves: those that decide by chance from the start, the others from random openings, where"
    " the two games of a pair are one and count as one.",
    FIRST_MOVE,
)
def first_move(evidence: Evidence) -> Answer:
    said = ("Black is ahead with", "White is ahead with", "neither is clearly ahead with")
    groups: dict[str, list[str]] = {one: [] for one in said}
    rows, points = [], []
    for meeting in FIRST_MOVE:
        outcome = evidence[meeting]
        share = Share.of(outcome.black)
        name, openings = code(meeting.first), "the start" if meeting.openings == "start" else "8 random plies"
        groups[verdict(share, *said)].append(f"{name} in {board_name(meeting.variant)} (Black scores {share})")
        counted = games_text(outcome), str(share), discs(outcome.black.margins)
        rows.append((name, meeting.variant, openings, *counted))
        points.append((f"{meeting.first}, {meeting.variant}", share))
    sentence = "; ".join(f"{one} {listed(names)}" for one, names in groups.items() if names) + "."
    heading = ("against itself", "game", "from", "games", "score of Black", "discs for Black")
    return Answer(sentence, (Table(heading, rows),), charts.intervals("Score of Black, who moves first", points))
