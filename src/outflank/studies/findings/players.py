"""Questions about whole players: the ladder of the five, each against `random`, and what moving first is worth."""

from itertools import combinations

from outflank import charts
from outflank.contests import Pairing, Player, Row, Standings, standings
from outflank.studies.findings.evidence import SECONDS, Evidence, Meeting, Share
from outflank.studies.findings.question import Answer, Question, Table
from outflank.studies.findings.wording import (
    board_name,
    code,
    compared,
    discs,
    games_text,
    listed,
    point,
    share_of,
    signed,
)

OBJECTIVES = ("othello", "reversed")
OPTIONS = {"corner-shy": "", "dynamic": "", "mini-go": "", "phased": "", "self-taught": "values=self-taught,"}
"""What makes each of the five play as its document has it: all with their own weights, none with those learnt since."""
FIVE = tuple(
    f"{name}:{options}{'playouts=1000' if name == 'mini-go' else 'depth=4'}" for name, options in OPTIONS.items()
)
FIVE_IN_TIME = tuple(f"{name}:{options}time={SECONDS:g}" for name, options in OPTIONS.items())

# The ladder


def _rating(row: Row) -> str:
    return signed(row.rating.value, row.rating.low, row.rating.high)


def ladder(name: str, asks: str, asked: str, method: str, specs: tuple[str, ...], share: float = 1.0) -> Question:
    """The question who of some players is the best, in either game: each against each, rated."""
    meetings = {
        (variant, one, other): Meeting(one, other, variant, share=share)
        for variant in OBJECTIVES
        for one, other in combinations(specs, 2)
    }

    def rated(evidence: Evidence, variant: str) -> Standings:
        players = {spec: Player.named(spec) for spec in specs}
        played = {}
        for one, other in combinations(specs, 2):
            met: Pairing = players[one], players[other]
            played[met] = evidence[meetings[variant, one, other]].results
        games = sum(map(len, played.values()))
        return standings("round-robin", variant, tuple(players.values()), played, games)

    def answer(evidence: Evidence) -> Answer:
        parts, tables, rows = [], [], []
        for variant in OBJECTIVES:
            table = rated(evidence, variant)
            rungs = [f"{code(row.player.spec.partition(':')[0])} {_rating(row)}" for row in table.rows]
            parts.append(f"in {board_name(variant)} {', '.join(rungs)}")
            tables.append(_cross_table(table, variant))
            rows += [
                (f"{row.player.spec}, {variant}", charts.Point(row.rating.value, row.rating.low, row.rating.high))
                for row in table.rows
            ]
        plot = charts.intervals("Ratings in Elo; the mean of the five is 0 in each game", rows, "", 0)
        return Answer(f"From the top: {'; '.join(parts)}.", tuple(tables), plot)

    return Question(name, asks, asked, method, tuple(meetings.values()), answer)


def _cross_table(table: Standings, variant: str) -> Table:
    names = [code(row.player.spec) for row in table.rows]
    lines = [
        [
            name,
            _rating(row),
            *("–" if cell is None else f"{100 * cell[0] / cell[1]:.0f} %" for cell in cells),
            discs(row.margins),
        ]
        for name, row, cells in zip(names, table.rows, table.cross, strict=True)
    ]
    return Table((board_name(variant), "rating", *names, "discs a game"), lines)


LADDER = ladder(
    "ladder",
    "Who is the best of the five, in either game?",
    "Each of the five reports ranks itself among its classmates or against its author's friends.",
    "Each against each, the searchers at depth 4 and `mini-go` with 1,000 playouts; ratings in Elo by maximum"
    " likelihood, the mean being 0. Equal depth is not equal time: see the next question.",
    FIVE,
)

LADDER_IN_TIME = ladder(
    "ladder-time",
    "Who is the best of the five in equal time?",
    "The authors of `corner-shy` and `phased` had 5 s a move, as everybody in their course; the reports compare"
    " depths.",
    f"As before, with {SECONDS:g} s a move for everybody and a fifth of the usual games, which depend on the machine"
    " and on what else it does.",
    FIVE_IN_TIME,
    0.2,
)

# Against random

AGAINST_RANDOM = {(variant, spec): Meeting(spec, "random", variant) for variant in OBJECTIVES for spec in FIVE}


def _random_answer(evidence: Evidence) -> Answer:
    shares = {key: share_of(evidence, meeting) for key, meeting in AGAINST_RANDOM.items()}
    parts = []
    for variant in OBJECTIVES:
        said = [f"{code(spec.partition(':')[0])} {shares[variant, spec]}" for spec in FIVE]
        parts.append(f"in {board_name(variant)} {', '.join(said)}")
    fails = [f"{spec} in {board_name(variant)}" for (variant, spec), share in shares.items() if not share.better]
    beat = f"Not every one clearly beats it: {listed(fails)} does not" if fails else "All beat it in both games"
    by_label = {f"{spec}, {variant}": share for (variant, spec), share in shares.items()}
    sentence = f"{beat}: {'; '.join(parts)}."
    return compared(
        evidence, sentence, "Score against random", by_label, AGAINST_RANDOM.values(), ("player", "against")
    )


RANDOM = Question(
    "random",
    "Does each of the five beat `random`, in either game?",
    'The author of `dynamic` says that it "performs much better than random", and `corner-shy` met opponents that begin'
    " at random.",
    "The searchers at depth 4, `mini-go` with 1,000 playouts.",
    tuple(AGAINST_RANDOM.values()),
    _random_answer,
)

# The first move

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


def _first_answer(evidence: Evidence) -> Answer:
    shares = [(meeting, Share.of(evidence[meeting].black)) for meeting in FIRST_MOVE]
    groups: dict[str, list[str]] = {
        "Black is ahead with": [],
        "White is ahead with": [],
        "neither is clearly ahead with": [],
    }
    for meeting, share in shares:
        said = "Black" if share.better else "White" if share.worse else "neither"
        key = next(one for one in groups if one.startswith(said))
        groups[key].append(f"{code(meeting.first)} in {board_name(meeting.variant)} (Black scores {share})")
    parts = [f"{said} {listed(names)}" for said, names in groups.items() if names]
    rows = []
    for meeting, share in shares:
        outcome = evidence[meeting]
        openings = "the start" if meeting.openings == "start" else "8 random plies"
        rows.append(
            (
                code(meeting.first),
                meeting.variant,
                openings,
                games_text(outcome),
                str(share),
                discs(outcome.black.margins),
            )
        )
    heading = ("against itself", "game", "from", "games", "score of Black", "discs for Black")
    plot = charts.intervals(
        "Score of Black, who moves first", [(f"{one.first}, {one.variant}", point(share)) for one, share in shares]
    )
    sentence = "; ".join(parts) + "."
    return Answer(sentence, (Table(heading, rows),), plot)


FIRST = Question(
    "first-move",
    "What is the advantage of the first move?",
    'The report on `dynamic` says that who goes first "does effect the game by a wide margin".',
    "Players against themselves: those that decide by chance from the start, the others from random openings, where"
    " the two games of a pair are one and count as one.",
    FIRST_MOVE,
    _first_answer,
)
