"""Questions about ways of searching: depth, tree sizes, simulations, and trees against playouts."""

import math
from functools import partial
from statistics import NormalDist, fmean, stdev

from outflank import Limit, Position, TreeSearch, Variant, charts, find_heuristic
from outflank.contests import game_from
from outflank.studies.findings.evidence import SECONDS, Evidence, Meeting
from outflank.studies.findings.question import Answer, Question, Table
from outflank.studies.findings.wording import Shares, code, comparison, listed, score_table, verdict


@comparison(
    "depth",
    "Does `corner-shy`'s depth 3 beat depth 2?",
    'It rose from about rank 100 to 60 when it went "from 2 to 3", with other changes at the same time.',
    "`corner-shy` against itself one ply shallower.",
    "corner-shy: one ply more",
    "depths and game",
    {
        f"{deeper} against {deeper - 1}, {variant}": Meeting(
            f"corner-shy:depth={deeper}", f"corner-shy:depth={deeper - 1}", variant
        )
        for variant in ("reversed", "othello")
        for deeper in (2, 3, 4)
    },
)
def depth(shares: Shares) -> str:
    _, share, _, _, standard, _ = shares.values()
    said = verdict(share, "It does", "It loses to it", "It is not shown to")
    return f"{said}: {share} in Reversed Reversi; in standard Othello, for which it is not made, {standard}."


# The size of the tree

DEEPEST = 6
MIDDLE_GAME = "random:20"
MOST_POSITIONS = 50


def tree_sizes(positions: list[Position]) -> dict[str, list[list[int]]]:
    """The nodes each search visits: for each depth, those of every position. Nothing in it is random or timed."""
    heuristic = find_heuristic("combined")
    searches = {
        "minimax": TreeSearch(heuristic, "minimax"),
        "unsorted alpha-beta": TreeSearch(heuristic, ordering="square"),
        "alpha-beta sorted by weight": TreeSearch(heuristic, ordering="weight"),
        "alpha-beta sorted by estimate": TreeSearch(heuristic, ordering="estimate"),
        "iterative deepening": TreeSearch(heuristic, ordering="estimate", deepening=True),
    }
    limits = [Limit(depth=depth) for depth in range(1, DEEPEST + 1)]
    return {
        name: [[search.run(position, limit).nodes for position in positions] for limit in limits]
        for name, search in searches.items()
    }


def ratio(more: list[int], fewer: list[int]) -> charts.Point:
    """How many times the nodes of the second the first has: the geometric mean over positions, and its interval."""
    logs = [math.log(one / other) for one, other in zip(more, fewer, strict=True)]
    reach = NormalDist().inv_cdf(0.975) * stdev(logs) / math.sqrt(len(logs))
    return charts.Point(*(math.exp(fmean(logs) + side * reach) for side in (0, -1, 1)))


@partial(
    Question,
    "nodes",
    "How many nodes do alpha-beta and sorting save?",
    "`self-taught` counts the nodes of its searches, `phased` sorts its moves, and the author of `dynamic` could not"
    " get alpha-beta to work.",
    f"Mean nodes for one move by `dynamic`'s combined heuristic, up to {MOST_POSITIONS} positions after 20 random"
    " plies; all searches find the same value. Factors are geometric means.",
    (),
)
def nodes(evidence: Evidence) -> Answer:
    openings = evidence.openings(MIDDLE_GAME, "othello")
    count = max(min(evidence.games // 4, MOST_POSITIONS), 2)
    sizes = tree_sizes([game_from(openings[number], Variant.named("othello")).position for number in range(count)])
    parts, factors = [], ["1"]
    for name in list(sizes)[1:]:
        times = ratio(sizes["minimax"][-1], sizes[name][-1])
        factors.append(f"{times.value:.0f} [{times.low:.0f}–{times.high:.0f}]")
        parts.append(f"{name} ({factors[-1]} times)")
    sentence = f"At depth {DEEPEST} minimax visits more nodes than {listed(parts)}."
    rows = [
        [str(depth), *(f"{fmean(by_depth[depth - 1]):,.0f}" for by_depth in sizes.values())]
        for depth in range(1, DEEPEST + 1)
    ]
    rows.append([f"factor at {DEEPEST}", *factors])
    series = {
        name: [(float(depth), ratio(counts, [1] * len(counts))) for depth, counts in enumerate(by_depth, 1)]
        for name, by_depth in sizes.items()
    }
    plot = charts.curves("Nodes for one move, geometric mean", "depth", series, upwards="powers")
    return Answer(sentence, (Table(("depth", *sizes), rows),), plot)


# Simulations

PLAYOUTS = {30: 1.0, 100: 1.0, 300: 1.0, 1000: 0.5, 3000: 0.3, 10_000: 0.5}
"""Simulations a move, and the share of the usual games played with them."""
OPPONENTS = ("corner-shy:depth=2", "phased:depth=2", "self-taught:values=self-taught,depth=2", "dynamic:depth=2")
NEEDED = {
    (opponent, playouts): Meeting(f"mini-go:playouts={playouts}", opponent, share=share)
    for opponent in OPPONENTS
    for playouts, share in PLAYOUTS.items()
}


@partial(
    Question,
    "simulations",
    "How many simulations does `mini-go` need?",
    "The report has modes of difficulty and prints no number of simulations.",
    "`mini-go` against the others at depth 2, in standard Othello: the least number tried whose interval lies above"
    " half.",
    tuple(NEEDED.values()),
)
def simulations(evidence: Evidence) -> Answer:
    shares = {key: evidence.share(meeting) for key, meeting in NEEDED.items()}
    most = max(PLAYOUTS)
    parts = []
    for opponent in OPPONENTS:
        name = code(opponent.partition(":")[0])
        enough = next((number for number in PLAYOUTS if shares[opponent, number].better), None)
        if enough is None:
            parts.append(f"more than {most:,} for {name}")
        else:
            parts.append(f"{enough:,} for {name}")
    sentence = f"To beat the others at depth 2 it needs {listed(parts)}."
    rows = [[code(opponent), *(str(shares[opponent, number]) for number in PLAYOUTS)] for opponent in OPPONENTS]
    heading = [f"{number:,} ({2 * NEEDED[OPPONENTS[0], number].pairs(evidence.games)} games)" for number in PLAYOUTS]
    series = {opponent: [(float(number), shares[opponent, number]) for number in PLAYOUTS] for opponent in OPPONENTS}
    plot = charts.curves("Score of mini-go", "simulations a move", series, powers=True)
    return Answer(sentence, (Table(("against", *heading), rows),), plot)


TREE = {
    playouts: Meeting(f"mini-go:playouts={playouts}", f"montecarlo:playouts={playouts},cut=32,draw=loss", share=share)
    for playouts, share in {100: 1.0, 300: 1.0, 1000: 0.5, 3000: 0.2}.items()
}


@partial(
    Question,
    "tree",
    "Is a tree better than plain Monte Carlo?",
    "The author of `mini-go` builds a tree with UCB1 and compares it with nothing.",
    "`mini-go` against `montecarlo:cut=32,draw=loss`, which gives every move equally many of the same simulations.",
    tuple(TREE.values()),
)
def tree_or_plain(evidence: Evidence) -> Answer:
    shares = {playouts: evidence.share(meeting) for playouts, meeting in TREE.items()}
    share = shares[1000]
    said = verdict(share, "The tree is better", "Plain Monte Carlo is better", "Neither is shown to be better")
    sentence = f"{said}: with 1,000 simulations a move the tree scores {share}."
    points = {"tree": [(float(playouts), one) for playouts, one in shares.items()]}
    plot = charts.curves("Score of the tree against plain Monte Carlo", "simulations a move", points, powers=True)
    return Answer(
        sentence, (score_table(evidence, {f"{one:,}": meeting for one, meeting in TREE.items()}, "simulations"),), plot
    )


@comparison(
    "cut",
    "Does `mini-go`'s cut at 32 help?",
    "`mini-go` stops a simulation at depth 32 and counts discs there.",
    "`mini-go` against itself with `cut=0`.",
    "Score of simulations cut at 32 against full ones",
    "limit",
    {
        "1,000 simulations": Meeting("mini-go:playouts=1000", "mini-go:playouts=1000,cut=0"),
        "1,000, Reversed Reversi": Meeting(
            "mini-go:playouts=1000", "mini-go:playouts=1000,cut=0", "reversed", share=0.3
        ),
        f"{SECONDS:g} s a move": Meeting(f"mini-go:time={SECONDS:g}", f"mini-go:time={SECONDS:g},cut=0", share=0.25),
    },
)
def cut_or_full(shares: Shares) -> str:
    equal, reverse, timed = shares.values()
    said = verdict(equal, "Cutting is better", "Full simulations are better", "Neither is shown to be better")
    return (
        f"{said}: cut, `mini-go` scores {equal} with equal simulations, {reverse} in Reversed Reversi, {timed} in equal"
        " time."
    )


@comparison(
    "equal-time",
    "Is alpha-beta better than Monte Carlo?",
    'The report on `dynamic` asks "is minimax going to be the best algorithm to use for a Reversi AI?"',
    f"`dynamic` against Monte Carlo, {SECONDS:g} s a move.",
    f"Score of dynamic at {SECONDS:g} s a move",
    "searches",
    {
        "alpha-beta against mcts": Meeting(f"dynamic:time={SECONDS:g}", f"mcts:time={SECONDS:g}", share=0.5),
        "alpha-beta against mini-go": Meeting(f"dynamic:time={SECONDS:g}", f"mini-go:time={SECONDS:g}", share=0.25),
        "minimax against mcts": Meeting(
            f"dynamic:search=minimax,time={SECONDS:g}", f"mcts:time={SECONDS:g}", share=0.25
        ),
    },
)
def equal_time(shares: Shares) -> str:
    best, seed, minimax = shares.values()
    said = verdict(best, "Alpha-beta is better", "Monte Carlo is better", "Neither is shown to be better")
    return f"{said}: {best} against `mcts`, {seed} against `mini-go`; plain minimax scores {minimax} against `mcts`."
