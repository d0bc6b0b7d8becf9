"""The roster: every player that Outflank knows by name, and all that can be said of it before it is loaded.

To add one, add an entry. `make` names the callable that builds it; its module is imported only when such a player is
wanted, so parsing a spec and listing the roster load no player and no Numba. The callable gets each of the entry's
own options by name (`-` written as `_`), and before them the target of a spec such as `gtp:COMMAND`. Limits and
random openings are not its business: `spec.agent` wraps them around every player alike.
"""

import difflib
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any

from outflank.agents.options import Option, shortened
from outflank.errors import Fault

if TYPE_CHECKING:
    from outflank.agents.agent import Agent

LIMITS = {
    option.name: option
    for option in (
        Option("time", float, None, "Seconds per move."),
        Option("depth", int, None, "Plies to look ahead.", least=1),
        Option("nodes", int, None, "Positions to visit per move.", least=1, most=1e18),
        Option("playouts", int, None, "Games to play out per move.", least=1, most=1e18),
    )
}
"""The limits that a spec may carry; one that is given there beats the command's."""

OPENINGS = Option("openings", int, 0, "Plays its first N moves of a game at random.", least=0)

NAME = re.compile(r"[a-z][a-z0-9-]*")


@dataclass(frozen=True)
class Entry:
    """A kind of player."""

    name: str
    summary: str
    make: str | Callable[..., "Agent"]
    """`module:callable`, or the callable itself."""
    options: tuple[Option, ...] = ()
    limits: tuple[str, ...] = ()
    """Which of `LIMITS` make sense for it."""
    target: str = ""
    """What the rest of the spec is, where it is not only options: `command`, `file`."""
    openings: bool = True
    check: str = ""
    """`module:callable`, asked with the target before a contest with such a player: it raises what is better said once
    than in every game."""

    def __post_init__(self) -> None:
        if not NAME.fullmatch(self.name):
            raise Fault("agent.name", name=self.name)

    @cached_property
    def accepts(self) -> dict[str, Option]:
        """Every option of a spec of this kind, in the order in which a spec is written."""
        common = [LIMITS[name] for name in self.limits] + [OPENINGS] * self.openings
        return {option.name: option for option in (*self.options, *common)}

    @property
    def usage(self) -> str:
        """The name as a spec begins: `greedy`, `gtp:COMMAND`."""
        return f"{self.name}:{self.target.upper()}" if self.target else self.name

    def built(self, *target: str, **options: Any) -> "Agent":
        """Loads the kind and makes a player."""
        make: Callable[..., Agent] = loaded(self.make) if isinstance(self.make, str) else self.make
        return make(*target, **{name.replace("-", "_"): value for name, value in options.items()})

    def checked(self, target: str) -> None:
        """Raises a ValueError where no player of this kind can play, or none of this target."""
        if self.check:
            loaded(self.check)(target)


def loaded(place: str) -> Callable[..., Any]:
    """What stands at `module:name`."""
    module, _, name = place.partition(":")
    found: Callable[..., Any] = getattr(import_module(module), name)
    return found


ROSTER: dict[str, Entry] = {}

STRONGEST = "engine"
"""For hints, and wherever nobody named a player."""


def register(entry: Entry) -> None:
    """Adds a kind of player to the roster of this process."""
    if entry.name in ROSTER:
        raise Fault("agent.exists", name=entry.name)
    ROSTER[entry.name] = entry


def register_agent(name: str, make: Callable[[], "Agent"], summary: str = "") -> None:
    """Gives your own player a name in this process, for use wherever players are named; `make` returns a new one. A
    later one replaces an earlier one of the same name, so that a notebook's cell can be run again."""
    if name in ROSTER and name not in _OWN:
        raise Fault("agent.exists", name=name)
    entry = Entry(name, summary or "A player of one's own.", make, limits=tuple(LIMITS))
    ROSTER[name] = entry
    _OWN.add(name)


_OWN: set[str] = set()
"""The names that `register_agent` gave."""


def entry_named(name: str) -> Entry:
    """The entry of a name, or a ValueError with the names nearest to it."""
    if name in ROSTER:
        return ROSTER[name]
    if name.endswith(".py") or "/" in name:
        raise Fault("agent.file", name=shortened(name), file=shortened(name))
    near = difflib.get_close_matches(name, ROSTER, n=3, cutoff=0.5)
    advice = Fault("advice.near", names=" or ".join(near)) if near else Fault("advice.all", names=", ".join(ROSTER))
    raise Fault("agent.unknown", name=shortened(name), advice=advice)


WEIGHT = 1e6
"""Weights in a spec lie between minus and plus this."""
ORDERING = Option(
    "ordering", ("square", "weight", "mobility", "estimate"), "estimate", "Which moves it looks at first."
)
AS_IN_THE_SEED = Option(
    "ordering", ORDERING.kind, "weight", "Which moves it looks at first; its document sorts by square weight."
)
HEURISTIC = Option("heuristic", str, "combined", "A name of `outflank heuristics`, or a file: ./mine.py:edges.")
FILE_WEIGHTS = Option("weights", str, "", "A weights file for the heuristic, written by `outflank learn`.")
WEIGHTS = Option("weights", str, "own", "own, its author's; learnt, those we learnt; or a file of `outflank learn`.")
DEEPENING = Option("deepening", bool, False, "Searches every depth in turn, up to the one wanted.")
SEARCHES = ("time", "depth", "nodes")

SPREAD = Option("spread", ("even", "ucb"), "even", "Without a tree: playouts for all moves alike, or by UCB1.")
DRAW = Option("draw", ("half", "loss"), "half", "What a draw is worth to it.")
REWARD = Option("reward", ("win", "margin"), "win", "What a playout counts: a win or not, or its margin in discs.")
CUT = Option("cut", int, 0, "Stops playouts at depth > N and counts discs; 0 plays them to the end.", least=0)
SIMULATIONS = (SPREAD, DRAW, REWARD, CUT)
REUSE = Option("reuse", bool, True, "Keeps what the tree knows from move to move.")
FINAL = Option("final", ("visits", "value"), "visits", "Plays the move visited most, or the one with the best value.")
PROVEN = Option("proven", bool, True, "Backs up the results of finished games as proofs.")
THREADS = Option("threads", int, 1, "Threads on one tree; more than one are not repeatable.", least=1, most=256)
MEMORY = Option("memory", float, 256.0, "Megabytes for the tree; when full, playouts go on without growing it.", 1)
PUCT = Option("c", float, 1.5, "Multiplies a move's chance · sqrt(N) / (1 + n) in PUCT.", least=0)
DOUBT = Option("doubt", float, 0.2, "How much worse than its parent's mean an untried move is taken to be.", 0, 2)
PLAYOUTS = ("time", "playouts")

PATIENCE = Option("patience", float, 120.0, "Seconds to wait for it to get ready, and for a move without a time.", 0.1)

for _entry in (
    Entry("random", "Any legal move, each as likely as the others.", "outflank.agents.simple:RandomPlayer"),
    Entry("greedy", "The move that leaves it best off in discs at once.", "outflank.agents.simple:GreedyPlayer"),
    Entry("human", "A person: in `outflank play` and on the page.", "outflank.agents.simple:person", openings=False),
    Entry(
        "engine",
        "Outflank's own: trained patterns, a selective search and exact endings; level 14 by default.",
        "outflank.agents.engine:EnginePlayer",
        (
            Option("level", int, None, "1 (for beginners) to 30 (the strongest).", least=1, most=30),
            THREADS,
            Option("hash", float, 64.0, "Megabytes for its table of positions.", 0.001, 1e6),
            Option(
                "weights", str, "shipped", "A file of `outflank train`, shipped, sums (without a network), or none."
            ),
            Option("book", str, "none", "An opening book: a file of `outflank book`, shipped, or none."),
            Option("variety", float, 0.0, "Discs that a book move may cost; any such move is played.", 0, 64),
        ),
        SEARCHES,
    ),
    Entry(
        "minimax",
        "Looks at every line to a depth, with any heuristic.",
        "outflank.agents.classic:minimax",
        (HEURISTIC, FILE_WEIGHTS, DEEPENING),
        SEARCHES,
    ),
    Entry(
        "alphabeta",
        "Plays like minimax but looks at far fewer lines; deepens step by step under a time limit.",
        "outflank.agents.classic:alphabeta",
        (HEURISTIC, FILE_WEIGHTS, ORDERING, DEEPENING),
        SEARCHES,
    ),
    Entry(
        "corner-shy",
        "For Reversed Reversi: corners lowest, stable and frontier discs, a planned depth, 5 s per move.",
        "outflank.agents.corner_shy:corner_shy",
        (
            Option("squares", float, 1.0, "Weight of the square values.", -WEIGHT, WEIGHT),
            Option("corner", float, -100.0, "The square value of a corner.", -WEIGHT, WEIGHT),
            Option("stable", float, -12.0, "Weight of a stable disc.", -WEIGHT, WEIGHT),
            Option("frontier", float, 1.0, "Weight of a frontier disc.", -WEIGHT, WEIGHT),
            Option("moves", float, 8.0, "Weight of a remaining move.", -WEIGHT, WEIGHT),
            Option(
                "counting", ("once", "printed"), "once", "Counts stable and frontier discs once, or as its code does."
            ),
            WEIGHTS,
            ORDERING,
        ),
        SEARCHES,
    ),
    Entry(
        "phased",
        "Square weights, liberty, stable discs and potential liberty in three phases; 5 s per move.",
        "outflank.agents.phased:phased",
        (
            Option("weighting", str, "yes", "Square weights: yes, no, a weight, or one per phase: 100/0.8/1."),
            Option("liberty", str, "yes", "Liberty, its legal moves; like weighting."),
            Option("stable", str, "yes", "Stable discs by the triangle scan; like weighting."),
            Option("potential", str, "yes", "Potential liberty; like weighting."),
            Option("phases", bool, True, "Changes the weights with the phase of the game."),
            WEIGHTS,
            AS_IN_THE_SEED,
        ),
        SEARCHES,
    ),
    Entry(
        "self-taught",
        "Score, mobility, corners and piece values; three evaluations, three searches.",
        "outflank.agents.self_taught:self_taught",
        (
            Option("evaluation", ("1", "2", "3"), "3", "Which of its evaluation functions."),
            Option("search", ("minimax", "alphabeta", "iterative"), "iterative", "Which of its searches."),
            Option(
                "values",
                str,
                "learnt",
                "The piece values: learnt, version-1, version-2, printed, a table by name, or a file of weights.",
            ),
            AS_IN_THE_SEED,
        ),
        SEARCHES,
    ),
    Entry(
        "dynamic",
        "Parity, corners, corner closeness, mobility, frontier and squares in one weighted sum.",
        "outflank.agents.dynamic:dynamic",
        (
            Option(
                "heuristic",
                ("combined", "parity", "mobility", "corners", "stability", "static"),
                "combined",
                "The whole sum, or one of its parts alone.",
            ),
            Option("p", float, 10.0, "Weight of piece parity in the whole sum.", -WEIGHT, WEIGHT),
            Option("c", float, 801.724, "Weight of corners.", -WEIGHT, WEIGHT),
            Option("l", float, 382.026, "Weight of discs beside empty corners.", -WEIGHT, WEIGHT),
            Option("m", float, 78.922, "Weight of mobility.", -WEIGHT, WEIGHT),
            Option("f", float, 74.396, "Weight of frontier discs.", -WEIGHT, WEIGHT),
            Option("d", float, 10.0, "Weight of square values.", -WEIGHT, WEIGHT),
            WEIGHTS,
            Option("search", ("alphabeta", "minimax"), "alphabeta", "Which search."),
            ORDERING,
        ),
        SEARCHES,
    ),
    Entry(
        "mcts",
        "Monte Carlo tree search: UCB1 over random games; 10,000 playouts per move by default.",
        "outflank.agents.mcts:MonteCarloPlayer",
        (
            Option("c", float, 0.2, "Multiplies sqrt(2 ln N / n) in UCB1: a larger one explores more.", least=0),
            Option("tree", bool, True, "Without one it is plain Monte Carlo."),
            *SIMULATIONS,
            REUSE,
            FINAL,
            PROVEN,
            THREADS,
            MEMORY,
        ),
        PLAYOUTS,
    ),
    Entry(
        "montecarlo",
        "Plain Monte Carlo: random games after every move, and the move that did best.",
        "outflank.agents.mcts:montecarlo",
        (
            Option("c", float, 0.2, "The constant of UCB1, for spread=ucb.", least=0),
            *SIMULATIONS,
            THREADS,
        ),
        PLAYOUTS,
    ),
    Entry(
        "mini-go",
        "Monte Carlo tree search with c = 0.1, simulations cut at depth 32, a draw as a loss.",
        "outflank.agents.mini_go:MiniGo",
        (
            Option("mode", ("easy", "normal", "hard"), None, "100, 1,000 or 10,000 playouts; normal unless limited."),
            Option("c", float, 0.1, "The constant of UCB1.", least=0),
            Option("cut", int, 32, "Stops simulations at depth > N and counts discs; 0 plays them to the end.", 0),
            Option("draw", ("half", "loss"), "loss", "What a draw is worth to it."),
            REWARD,
            FINAL,
            Option("reuse", bool, False, "Keeps what the tree knows from move to move."),
            Option("proven", bool, False, "Backs up the results of finished games as proofs."),
            THREADS,
        ),
        PLAYOUTS,
    ),
    Entry(
        "alphazero",
        "Tree search guided by tables it learnt from games against itself; 800 playouts by default.",
        "outflank.agents.alphazero:GuidedPlayer",
        (
            Option("weights", str, "shipped", "A file of `outflank learn alphazero`, shipped, or none: all at random."),
            PUCT,
            DOUBT,
            REUSE,
            FINAL,
            THREADS,
            MEMORY,
        ),
        PLAYOUTS,
    ),
    Entry(
        "puct",
        "Tree search with your own network: FILE or FILE:NAME, a function on arrays; 800 playouts by default.",
        "outflank.agents.network:puct",
        (
            Option("weights", str, "", "A file for its function `load`, which gives the function on arrays."),
            Option("batch", int, 32, "Positions that the network is asked about together.", least=1, most=65536),
            PUCT,
            DOUBT,
            REUSE,
            FINAL,
            MEMORY,
        ),
        PLAYOUTS,
        target="file",
        check="outflank.agents.network:check",
    ),
    Entry(
        "gtp",
        "Another program that speaks GTP: the rest is its command line, as a shell has it.",
        "outflank.agents.external:gtp",
        (PATIENCE,),
        ("time",),
        target="command",
    ),
    Entry(
        "nboard",
        "Another program that speaks the NBoard protocol; depth 12 unless limited.",
        "outflank.agents.external:nboard",
        (PATIENCE, Option("variants", bool, False, "It plays other games than 8x8 Othello, as GGF names them.")),
        ("time", "depth"),
        target="command",
    ),
    Entry(
        "py",
        "A player in a file, folder or zip, FILE or FILE:CLASS: our Agent, a course AI or AIPlayer; enclosed.",
        "outflank.agents.submission:Submission",
        (
            Option("memory", float, None, "Megabytes beyond its libraries; default: its course's.", least=1),
            Option("start", float, 60.0, "Seconds to be imported and made, before a game.", least=0.1),
            Option("engine", bool, True, "Whether it may use Outflank's own players, searches and heuristics."),
        ),
        ("time", "depth", "nodes", "playouts"),
        target="file",
        check="outflank.agents.submission:check",
    ),
):
    register(_entry)
