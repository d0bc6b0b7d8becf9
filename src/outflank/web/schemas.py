"""The typed JSON of the interface: what a page may send, with its limits, and what it gets."""

import math
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, RootModel, StrictBool, StrictInt

from outflank.arena.match import MatchForfeit
from outflank.web.boards import Kind
from outflank.web.friends import Proposal
from outflank.web.notes import Review, Thought

Color = Literal["black", "white"]
PlayerName = Annotated[str, Field(max_length=400, examples=["human", "greedy", "alphabeta:heuristic=mobility,depth=4"])]
VariantName = Annotated[str, Field(max_length=40, examples=["othello", "reversed-6x6"])]
BoardText = Annotated[str, Field(max_length=200)]
Transcript = Annotated[str, Field(max_length=2000)]
Seconds = Annotated[float, Field(allow_inf_nan=False)]


def finite(number: float | None) -> float | None:
    """JSON has no infinity, and -0 is 0."""
    return number + 0.0 if number is not None and math.isfinite(number) else None


def plain(name: Any) -> Any:
    """A name without what cannot be seen: nothing that turns the text around, or hides in it."""
    if not isinstance(name, str):
        return name
    return " ".join("".join(sign if sign.isprintable() else " " for sign in name).split())


PersonName = Annotated[str, Field(min_length=1, max_length=30), BeforeValidator(plain)]
Finite = Annotated[float | None, BeforeValidator(finite)]


class Request(BaseModel):
    """What a page sends: nothing but the fields that are known."""

    model_config = ConfigDict(extra="forbid", str_strip_whitespace=True)


class ClockSetting(Request):
    seconds: Seconds = Field(ge=1, le=86400)
    increment: Seconds = Field(default=0, ge=0, le=3600)


class Sides(Request):
    black: PlayerName | None = None
    white: PlayerName | None = None


class NewGame(Sides):
    """How a game begins. What is left out stays as it was, or is a game of a person against the first difficulty."""

    kind: Kind = "play"
    variant: VariantName | None = None
    clock: ClockSetting | None = None
    opening: Literal["start", "random", "balanced"] = "start"
    start: BoardText | None = None
    moves: Transcript | None = None
    at: StrictInt | None = Field(default=None, ge=0, le=10_000)
    """After how many of the moves the board stands; the others can be played again. By itself at the end."""
    tags: dict[Annotated[str, Field(max_length=40)], Annotated[str, Field(max_length=200)]] = Field(
        default_factory=dict, max_length=20
    )


class Host(Request):
    """Who invites a friend, and which side the host takes."""

    side: Color
    name: PersonName


class BoardAsked(NewGame):
    """A board, and who invites a friend to it: then those two play, and all others look on."""

    host: Host | None = None


class PositionIn(Request):
    variant: VariantName = "othello"
    board: BoardText
    turn: Color = "black"


class GameAsked(Request):
    """A game; what is asked about is the position in which it stands."""

    variant: VariantName = "othello"
    start: BoardText | None = None
    moves: Transcript = ""


class PositionAsked(GameAsked):
    symmetry: StrictInt = Field(default=0, ge=0, le=7)
    exchange: StrictBool = False


class Pasted(Request):
    model_config = ConfigDict(extra="forbid", str_strip_whitespace=False)
    text: str = Field(max_length=1_000_000)
    variant: VariantName | None = None


class ExplainAsked(Request):
    """A heuristic by name, or a player by its own; weights are tried in it."""

    position: PositionIn
    heuristic: Annotated[str, Field(max_length=60)] = "combined"
    player: PlayerName | None = None
    weights: (
        dict[
            Annotated[str, Field(max_length=60)],
            Annotated[list[Annotated[float, Field(allow_inf_nan=False, ge=-1e6, le=1e6)]], Field(max_length=16)],
        ]
        | None
    ) = Field(default=None, max_length=64)


Algorithm = Literal["minimax", "alphabeta"]


class TreeAsked(Request):
    algorithm: Algorithm = "alphabeta"


class ExampleLesson(TreeAsked):
    kind: Literal["example"]
    id: Annotated[str, Field(max_length=40)]


class RandomLesson(TreeAsked):
    kind: Literal["random"]
    depth: StrictInt = Field(default=3, ge=1, le=5)
    branching: StrictInt = Field(default=3, ge=1, le=4)
    seed: StrictInt = Field(default=0, ge=0, le=2**32)


class BracketsLesson(TreeAsked):
    kind: Literal["brackets"]
    tree: list[Any] = Field(max_length=9)


class PositionLesson(TreeAsked):
    kind: Literal["position"]
    position: PositionIn
    heuristic: Annotated[str, Field(max_length=60)] = "combined"
    player: PlayerName | None = None
    """Whose heuristic it is, in place of one by name."""
    depth: StrictInt = Field(default=2, ge=1, le=4)
    width: StrictInt | None = Field(default=None, ge=1, le=35)


class MonteCarloLesson(Request):
    kind: Literal["montecarlo"]
    position: PositionIn
    player: PlayerName | None = None
    """Whose advice guides it, in place of UCB1 and random games: `alphazero`."""
    playouts: StrictInt = Field(default=200, ge=1, le=2000)
    c: float = Field(default=0.7, ge=0, le=10, allow_inf_nan=False)
    seed: StrictInt = Field(default=0, ge=0, le=2**32)


LessonAsked = Annotated[
    ExampleLesson | RandomLesson | BracketsLesson | PositionLesson | MonteCarloLesson, Field(discriminator="kind")
]


class MatchAsked(Request):
    a: PlayerName
    b: PlayerName
    games: StrictInt = Field(default=100, ge=1, le=1000)
    variant: VariantName = "othello"
    openings: Literal["start", "random", "balanced"] = "random"
    seconds: Seconds | None = Field(default=None, ge=0.01, le=10)
    seed: StrictInt | None = Field(default=None, ge=0, le=2**32)


# What a page gets


class FaultOut(BaseModel):
    """What is wrong, by its code, for programs with their own wording; a parameter may be the reason."""

    code: str
    params: dict[str, "str | FaultOut"]


class Problem(BaseModel):
    """Why something cannot be done: in one line, and by its code where it has one."""

    error: str
    fault: FaultOut | None


class Read(BaseModel):
    """What may be filled from an object that has the same names, instead of from data."""

    model_config = ConfigDict(from_attributes=True)


class VariantOut(Read):
    name: str
    rows: int
    columns: int
    objective: Literal["most", "fewest"]
    start: str


class Difficulty(BaseModel):
    id: str
    spec: str


class Level(BaseModel):
    level: int
    spec: str


class OptionOut(BaseModel):
    name: str
    kind: Literal["bool", "int", "float", "choice", "text"]
    choices: list[str] | None
    default: bool | int | float | str | None
    least: float | None
    most: float | None
    help: str


class AgentOut(BaseModel):
    name: str
    summary: str
    own: bool
    options: list[OptionOut]


class TermOut(Read):
    name: str
    weights: list[float]


class HeuristicOut(BaseModel):
    name: str
    summary: str
    objective: str | None
    own: bool
    weighted: bool
    phases: list[int]
    terms: list[TermOut]


class StoreName(BaseModel):
    id: str
    name: str


class LibraryOut(BaseModel):
    openings: bool
    masters: bool
    games: int


class AnalysisOut(BaseModel):
    seconds: list[float]


class WarmingOut(Read):
    """The first compile on a machine: what is being compiled now, or nothing where all of it is there."""

    step: Literal["", "board", "engine", "all"]
    done: int
    total: int


class About(BaseModel):
    version: str
    warming: WarmingOut
    variants: list[VariantOut]
    difficulties: list[Difficulty]
    modes: list[Difficulty]
    """Those of `mini-go`."""
    levels: list[Level]
    agents: list[AgentOut]
    heuristics: list[HeuristicOut]
    copy_formats: list[str]
    stores: list[StoreName]
    library: LibraryOut
    analysis: AnalysisOut


class PositionOut(BaseModel):
    variant: str
    rows: int
    columns: int
    objective: str
    board: str
    turn: Color
    black: int
    white: int
    empties: int
    legal: dict[str, list[str]]
    """What each legal move turns."""
    over: bool
    opening: str | None
    in_opening: bool
    """Whether the position stands in a named line; where it does not, the opening is over."""


class Judged(BaseModel):
    """What a player says of its move. The unit is discs, wins (mean results from -1 to 1) or points, its own."""

    score: Finite
    exact: bool
    depth: int | None
    unit: str
    seconds: float | None
    by: str | None
    text: str
    thought: Thought | None


class Thinking(Judged):
    """How far a player that thinks has come."""

    type: Literal["thinking"]
    node: int
    """The position it thinks about."""


class Choice(Judged):
    """The move that a player chooses in a position."""

    move: str


class NodeOut(Judged):
    id: int
    parent: int | None
    move: str | None
    color: Color | None
    board: str
    turn: Color
    review: Review | None


class OutcomeOut(BaseModel):
    winner: Color | None
    score: int | None
    reason: str
    text: str


class ClockOut(BaseModel):
    seconds: float
    increment: float
    black: float
    white: float
    running: Color | None


class TotalOut(BaseModel):
    seconds: float
    moves: int


class Proposed(BaseModel):
    """What one of two friends would like; it is done when the other asks for the same."""

    by: Color
    what: Proposal


class Company(BaseModel):
    """Who is at a board that two friends share, told to each who looks at it."""

    type: Literal["company"]
    side: Color | None
    """The side of the recipient; null for a watcher."""
    here: dict[Color, bool]
    watchers: int


class State(BaseModel):
    """A board as everybody who looks at it sees it: with all of its nodes, or with those that changed."""

    type: Literal["state"]
    board: str
    previous: str | None
    """The board on which the game before this one is kept."""
    revision: int
    variant: str
    players: dict[Color, str]
    names: dict[Color, str | None]
    """Who plays, where people have names, or a game that was opened from elsewhere says so."""
    seated: dict[Color, bool] | None
    """Which chairs are taken where two friends share the board; else null, and anybody plays."""
    proposed: Proposed | None
    cursor: int
    nodes: list[NodeOut]
    all: bool
    """Whether these are all of the nodes."""
    position: PositionOut
    line: list[int]
    last: str | None
    passed: Color | None
    to_move: Literal["human", "agent", "over"]
    thinking: bool
    paused: bool
    pace: float
    """Seconds at least between two moves where only players play."""
    can_undo: bool
    can_redo: bool
    outcome: OutcomeOut | None
    clock: ClockOut | None
    totals: dict[Color, TotalOut]
    turning: int | None
    """The move of a reviewed game that decided it."""
    error: str | None
    fault: FaultOut | None


class KeptGame(BaseModel):
    """One of a visitor's games, as it was left."""

    id: str
    kind: Kind
    touched: float
    variant: str
    board: str
    players: dict[Color, str]
    names: dict[Color, str | None]
    moves: int
    outcome: OutcomeOut | None
    opening: str | None


class KeptGames(BaseModel):
    games: list[KeptGame]
    more: bool


class Hint(BaseModel):
    move: str
    score: float
    exact: bool
    depth: int
    selectivity: int | None
    """How sure each cut of the search was, in per cent."""
    book: bool
    """Whether the opening book says it, which looked further than the search."""
    pv: list[str]


class BestValue(BaseModel):
    black: float
    exact: bool


class Hints(BaseModel):
    """The values of all moves of a node, and the best one as Black sees it."""

    type: Literal["hints"]
    node: int
    ref: int | None
    unit: str
    done: bool
    depth: int
    selectivity: int | None
    value: BestValue | None
    hints: list[Hint]


class NewBoard(BaseModel):
    id: str
    state: State


class Copied(BaseModel):
    format: str
    text: str
    left_out: list[str]


class GameRead(BaseModel):
    variant: str
    start: str | None
    moves: str
    tags: dict[str, str]
    result: str | None


class Reading(BaseModel):
    format: str
    kind: str
    count: int
    games: list[GameRead]


class FeatureOut(BaseModel):
    name: str
    own: Finite
    opp: Finite
    counts: Finite
    weight: Finite
    share: Finite
    weights: list[float] | None


class DiscClasses(BaseModel):
    stable: list[str]
    semi_stable: list[str]
    unstable: list[str]
    frontier: list[str]


class Explained(BaseModel):
    heuristic: str
    summary: str
    objective: str | None
    turn: Color
    phase: int | None
    phases: int
    value: Finite
    features: list[FeatureOut]
    heat: dict[str, Finite]
    squares: list[list[float]] | None
    classes: dict[Color, DiscClasses]
    choice: Choice | None
    """What the player plays here, where one was asked for."""


class ExampleOut(BaseModel):
    id: str
    title: str
    note: str
    algorithm: Algorithm


class Examples(BaseModel):
    examples: list[ExampleOut]


class TreeNodeOut(BaseModel):
    id: str
    parent: str | None
    label: str
    move: str | None
    value: float | None
    decided: bool
    """Whether the value is the margin of a finished game, which counts above every estimate."""
    maximizes: bool
    turn: Color | None
    board: str | None


class StepOut(BaseModel):
    kind: Literal["enter", "leave", "prune"]
    node: str
    maximizes: bool
    alpha: float | None
    beta: float | None
    value: float | None
    decided: bool


class TreeLesson(BaseModel):
    kind: Literal["tree"]
    algorithm: Algorithm
    value: float | None
    best: str
    visited: list[str]
    pruned: list[str]
    nodes: list[TreeNodeOut]
    steps: list[StepOut]


class PlayoutNodeOut(BaseModel):
    id: str
    parent: str | None
    label: str
    move: str | None
    visits: int
    value: float
    turn: Color
    board: str | None
    born: int
    chance: float | None
    """What PUCT knows of its move before it is tried."""


class PlayoutOut(BaseModel):
    path: list[str]
    end: str
    """The board on which its random game ended; with a guide the one that was valued."""
    ucb: dict[str, float] | None
    expanded: str | None
    result: float


class PlayoutLesson(BaseModel):
    kind: Literal["montecarlo"]
    guided: bool
    """Whether PUCT chose and a guide valued, in place of UCB1 and random games."""
    playouts: int
    best: str
    nodes: list[PlayoutNodeOut]
    steps: list[PlayoutOut]


class MatchStarted(BaseModel):
    id: str


class GameOver(BaseModel):
    """A game to look at, and how it ended."""

    black: str
    white: str
    winner: Color | None
    score: int | None
    variant: str
    start: str | None
    moves: str


class GamePlayed(GameOver):
    number: int
    result: str
    forfeit: str | None


class Points(BaseModel):
    """How games ended, and the points and discs a game that makes."""

    wins: int
    draws: int
    losses: int
    score: float | None
    margin: float | None


Bounds = tuple[float | None, float | None]


class MatchFigures(Points):
    """Two players from the first one's view, as `outflank match --json` has them."""

    players: tuple[str, str]
    games: int
    score_interval: Bounds
    elo: Finite
    elo_interval: Bounds
    margin_interval: Bounds
    pentanomial: list[int]
    superiority: float | None
    sprt: str | None
    llr: float | None
    decision: str | None
    forfeits: list[MatchForfeit]


class MatchOut(MatchFigures):
    id: str
    running: bool
    error: str | None
    fault: FaultOut | None
    scheduled: int
    recent: list[GamePlayed]


class EventOut(BaseModel):
    id: int
    kind: str
    title: str
    variant: str
    players: int
    opened: float


class StoreOut(StoreName):
    events: list[EventOut]


class Stores(BaseModel):
    stores: list[StoreOut]


class ReportVariant(BaseModel):
    name: str
    rows: int
    columns: int
    reversed: bool
    start: str


class ReportPlayer(Points):
    rank: int
    player: str
    course_points: int | None = None
    rating: float
    rating_interval: tuple[float, float]
    games: int
    seconds_a_move: float | None
    slowest_move: float | None
    depth: float | None
    forfeits: int


class ReportForfeit(BaseModel):
    """A game that was forfeited, and how: by which kind of fault, in which position, after how many seconds, and the
    last lines that its player printed."""

    game: int
    kind: str
    reason: str
    board: str | None
    seconds: float | None
    printed: str


class ReportGap(BaseModel):
    """Two groups that hardly met: the players of the one rated higher, their games with the rest, and what the rest
    scored in them."""

    above: list[int]
    games: int
    points: float


class ReportProgress(BaseModel):
    games: list[int]
    ratings: list[list[float | None]]


class ReportJudge(BaseModel):
    judge: str
    measured: bool


class ReportSummary(BaseModel):
    """A match or tournament, by the numbers of its players (in order of rank) and of its games."""

    title: str
    kind: Literal["match", "tournament"]
    format: str
    variant: ReportVariant
    limit: dict[str, Any]
    openings_from: str
    games: int
    scheduled: int
    course: bool
    anchor: str | None
    match: MatchFigures | None
    written_by: str
    versions: dict[str, int]
    to: float | None
    players: list[ReportPlayer]
    cross: list[tuple[int, int, float, int, float | None, float | None]]
    """For each two that have met: both, the first one's points, games, and the interval of its score."""
    gap: ReportGap | None
    openings: list[tuple[str, str, int, int, int, float | None]]
    """Start, moves, games, Black's wins and draws, and its mean margin."""
    forfeits: list[ReportForfeit]
    progress: ReportProgress | None
    """Ratings over time, for each player."""
    times: list[list[float | None]] | None
    """The mean seconds of a move by its number in the game, for each player."""
    values: ReportJudge | None


class ReportGames(BaseModel):
    """A column for each fact about a game; `winner` is 0 for Black and 1 for White."""

    id: list[int]
    black: list[int]
    white: list[int]
    winner: list[int | None]
    score: list[int | None]
    opening: list[int]
    called: list[str | None] | None = None


class ReportOut(BaseModel):
    summary: ReportSummary
    games: ReportGames


class GameDetail(
    RootModel[
        tuple[
            list[int],
            list[int],
            list[float | None],
            list[int | None],
            list[float | None] | None,
            list[int] | None,
            int | None,
            int | None,
        ]
    ]
):
    """Moves; the players' microseconds, scores and depths for those after the opening; a judge's values of the
    positions, its choices, and the position from which they are proven; the turning point."""
