"""The typed JSON of the interface: what a page may send, with its limits, and what it gets."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, RootModel, StrictBool, StrictInt

Color = Literal["black", "white"]
PlayerName = Annotated[str, Field(max_length=400, examples=["human", "greedy", "alphabeta:heuristic=mobility,depth=4"])]
VariantName = Annotated[str, Field(max_length=40, examples=["othello", "reversed-6x6"])]
BoardText = Annotated[str, Field(max_length=200)]
Transcript = Annotated[str, Field(max_length=2000)]
Seconds = Annotated[float, Field(allow_inf_nan=False)]


class Request(BaseModel):
    """What a page sends: nothing but the fields that are known."""

    model_config = ConfigDict(extra="forbid", str_strip_whitespace=True)


class ClockSetting(Request):
    seconds: Seconds = Field(ge=1, le=86400)
    increment: Seconds = Field(default=0, ge=0, le=3600)


class NewGame(Request):
    """How a game begins. What is left out stays as it was, or is a game of a person against the first difficulty."""

    variant: VariantName | None = None
    black: PlayerName | None = None
    white: PlayerName | None = None
    clock: ClockSetting | None = None
    opening: Literal["start", "random", "balanced"] = "start"
    start: BoardText | None = None
    moves: Transcript | None = None
    at: StrictInt | None = Field(default=None, ge=0, le=10_000)
    """After how many of the moves the board stands; the others can be played again. By itself at the end."""
    tags: dict[Annotated[str, Field(max_length=40)], Annotated[str, Field(max_length=200)]] = Field(
        default_factory=dict, max_length=20
    )


class PositionIn(Request):
    variant: VariantName = "othello"
    board: BoardText
    turn: Color = "black"


class PositionAsked(Request):
    variant: VariantName = "othello"
    start: BoardText | None = None
    moves: Transcript = ""
    symmetry: StrictInt = Field(default=0, ge=0, le=7)
    exchange: StrictBool = False


class Pasted(Request):
    model_config = ConfigDict(extra="forbid", str_strip_whitespace=False)
    text: str = Field(max_length=1_000_000)
    variant: VariantName | None = None


class ExplainAsked(Request):
    position: PositionIn
    heuristic: Annotated[str, Field(max_length=60)]
    weights: (
        dict[
            Annotated[str, Field(max_length=60)],
            Annotated[list[Annotated[float, Field(allow_inf_nan=False, ge=-1e6, le=1e6)]], Field(max_length=16)],
        ]
        | None
    ) = Field(default=None, max_length=64)


Algorithm = Literal["minimax", "alphabeta"]


class ExampleLesson(Request):
    kind: Literal["example"]
    id: Annotated[str, Field(max_length=40)]
    algorithm: Algorithm = "alphabeta"


class RandomLesson(Request):
    kind: Literal["random"]
    depth: StrictInt = Field(default=3, ge=1, le=5)
    branching: StrictInt = Field(default=3, ge=1, le=4)
    seed: StrictInt = Field(default=0, ge=0, le=2**32)
    algorithm: Algorithm = "alphabeta"


class BracketsLesson(Request):
    kind: Literal["brackets"]
    tree: list[Any] = Field(max_length=9)
    algorithm: Algorithm = "alphabeta"


class PositionLesson(Request):
    kind: Literal["position"]
    position: PositionIn
    heuristic: Annotated[str, Field(max_length=60)] = "combined"
    depth: StrictInt = Field(default=2, ge=1, le=4)
    width: StrictInt | None = Field(default=None, ge=1, le=35)
    algorithm: Algorithm = "alphabeta"


class MonteCarloLesson(Request):
    kind: Literal["montecarlo"]
    position: PositionIn
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
    """What is wrong by its code, for whoever has words of his own for it; a parameter may be the reason."""

    code: str
    params: dict[str, "str | FaultOut"]


class Problem(BaseModel):
    """Why something cannot be done: in one line, and by its code where it has one."""

    error: str
    fault: FaultOut | None


class VariantOut(BaseModel):
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


class TermOut(BaseModel):
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


class About(BaseModel):
    version: str
    variants: list[VariantOut]
    difficulties: list[Difficulty]
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


class ReviewOut(BaseModel):
    """What a review found out about a move."""

    model_config = ConfigDict(from_attributes=True)
    value: float
    loss: float
    best: str
    best_line: list[str]
    exact: bool
    depth: int
    unit: str
    mark: Literal["inaccuracy", "mistake", "blunder"] | None
    black: float


class NodeOut(BaseModel):
    id: int
    parent: int | None
    move: str | None
    color: Color | None
    board: str
    turn: Color
    score: float | None
    exact: bool
    depth: int | None
    unit: str
    seconds: float | None
    by: str | None
    text: str
    review: ReviewOut | None


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


class PlayersOut(BaseModel):
    black: str
    white: str


class State(BaseModel):
    """A board as everybody who looks at it sees it: with all of its nodes, or with those that changed."""

    type: Literal["state"]
    board: str
    revision: int
    variant: str
    players: PlayersOut
    names: dict[Color, str | None]
    """Who played a game that was opened from elsewhere, where it says so."""
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
    can_undo: bool
    can_redo: bool
    outcome: OutcomeOut | None
    clock: ClockOut | None
    totals: dict[Color, TotalOut]
    error: str | None
    fault: FaultOut | None


class Hint(BaseModel):
    move: str
    score: float
    exact: bool
    depth: int
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
    own: float | None
    opp: float | None
    counts: float | None
    weight: float | None
    share: float | None
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
    value: float | None
    features: list[FeatureOut]
    heat: dict[str, float | None]
    squares: list[list[float]] | None
    classes: dict[Color, DiscClasses]


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


class PlayoutOut(BaseModel):
    path: list[str]
    ucb: dict[str, float] | None
    expanded: str | None
    result: float


class PlayoutLesson(BaseModel):
    kind: Literal["montecarlo"]
    playouts: int
    best: str
    nodes: list[PlayoutNodeOut]
    steps: list[PlayoutOut]


class MatchStarted(BaseModel):
    id: str


class GamePlayed(BaseModel):
    number: int
    black: str
    white: str
    result: str
    winner: Color | None
    score: int | None
    variant: str
    start: str | None
    moves: str
    forfeit: str | None


class ForfeitOut(BaseModel):
    player: int
    reason: str
    game: int


class MatchOut(BaseModel):
    id: str
    running: bool
    error: str | None
    fault: FaultOut | None
    scheduled: int
    players: tuple[str, str]
    games: int
    wins: int
    draws: int
    losses: int
    score: float | None
    elo: float | None
    elo_interval: tuple[float | None, float | None]
    margin: float | None
    margin_interval: tuple[float | None, float | None]
    superiority: float | None
    pentanomial: list[int]
    forfeits: list[ForfeitOut]
    recent: list[GamePlayed]


class EventOut(BaseModel):
    id: int
    kind: str
    title: str
    variant: str
    players: int


class StoreOut(BaseModel):
    id: str
    name: str
    events: list[EventOut]


class Stores(BaseModel):
    stores: list[StoreOut]


Bounds = tuple[float | None, float | None]


class ReportVariant(BaseModel):
    name: str
    rows: int
    columns: int
    reversed: bool
    start: str


class ReportPlayer(BaseModel):
    rank: int
    player: str
    course_points: int | None = None
    rating: float
    rating_interval: tuple[float, float]
    games: int
    wins: int
    draws: int
    losses: int
    score: float | None
    margin: float | None
    seconds_a_move: float | None
    slowest_move: float
    depth: float | None
    forfeits: int


class ReportMatch(BaseModel):
    players: tuple[str, str]
    wins: int
    draws: int
    losses: int
    score: float | None
    elo: float | None
    elo_interval: Bounds
    margin: float | None
    margin_interval: Bounds
    superiority: float | None
    pentanomial: list[int]
    sprt: str | None
    llr: float | None
    decision: str | None


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
    match: ReportMatch | None
    written_by: str
    versions: dict[str, int]
    to: float | None
    players: list[ReportPlayer]
    cross: list[tuple[int, int, float, int, float | None, float | None]]
    """For each two that have met: both, the first one's points, games, and the interval of its score."""
    openings: list[tuple[str, str, int, int, int, float | None]]
    """Start, moves, games, Black's wins and draws, and its mean margin."""
    forfeits: list[tuple[int, str]]
    """The game, and why."""
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
