"""What the server takes and tells: made from its models by `python -m outflank.web.reference`."""

from typing import Any, Literal, NotRequired, TypedDict


class About(TypedDict):
    version: str
    warming: "WarmingOut"
    variants: "list[VariantOut]"
    difficulties: "list[Difficulty]"
    modes: "list[Difficulty]"
    levels: "list[Level]"
    agents: "list[AgentOut]"
    heuristics: "list[HeuristicOut]"
    copy_formats: list[str]
    stores: "list[StoreName]"
    library: "LibraryOut"
    analysis: "AnalysisOut"


class AgentOut(TypedDict):
    name: str
    summary: str
    own: bool
    options: "list[OptionOut]"


class Analyse(TypedDict):
    ref: NotRequired[int | None]
    type: Literal['analyse']
    node: NotRequired[int | None]
    seconds: NotRequired[float]
    level: NotRequired[int | None]


class AnalysisOut(TypedDict):
    seconds: list[float]


class BestValue(TypedDict):
    black: float
    exact: bool


class BoardAsked(TypedDict):
    """A board, and who invites a friend to it: then those two play, and all others look on."""

    black: NotRequired[str | None]
    white: NotRequired[str | None]
    kind: NotRequired[Literal['play', 'analysis']]
    variant: NotRequired[str | None]
    clock: NotRequired["ClockSetting | None"]
    opening: NotRequired[Literal['start', 'random', 'balanced']]
    start: NotRequired[str | None]
    moves: NotRequired[str | None]
    at: NotRequired[int | None]
    tags: NotRequired[dict[str, str]]
    host: NotRequired["Host | None"]


class BracketsLesson(TypedDict):
    algorithm: NotRequired[Literal['minimax', 'alphabeta']]
    kind: Literal['brackets']
    tree: list[Any]


class Candidate(TypedDict):
    """What a player knew of a move that it could have made: its value, and how often it was tried."""

    move: str
    value: float | None
    visits: int | None


class Choice(TypedDict):
    """The move that a player chooses in a position."""

    score: float | None
    exact: bool
    depth: int | None
    unit: str
    seconds: float | None
    by: str | None
    text: str
    thought: "Thought | None"
    move: str


class ClockOut(TypedDict):
    seconds: float
    increment: float
    black: float
    white: float
    running: Literal['black', 'white'] | None


class ClockSetting(TypedDict):
    seconds: float
    increment: NotRequired[float]


class Company(TypedDict):
    """Who is at a board that two friends share, told to each who looks at it."""

    type: Literal['company']
    side: Literal['black', 'white'] | None
    here: dict[Literal['black', 'white'], bool]
    watchers: int


class Copied(TypedDict):
    format: str
    text: str
    left_out: list[str]


class Difficulty(TypedDict):
    id: str
    spec: str


class DiscClasses(TypedDict):
    stable: list[str]
    semi_stable: list[str]
    unstable: list[str]
    frontier: list[str]


class EventOut(TypedDict):
    id: int
    kind: str
    title: str
    variant: str
    players: int
    opened: float


class ExampleLesson(TypedDict):
    algorithm: NotRequired[Literal['minimax', 'alphabeta']]
    kind: Literal['example']
    id: str


class ExampleOut(TypedDict):
    id: str
    title: str
    note: str
    algorithm: Literal['minimax', 'alphabeta']


class Examples(TypedDict):
    examples: "list[ExampleOut]"


class ExerciseAnswer(TypedDict):
    id: str
    move: str


class ExerciseAnswered(TypedDict):
    right: bool
    best: str
    exact: bool
    values: dict[str, float]
    record: "TrainingRecord"


class ExerciseAsked(TypedDict):
    """Which exercises are wanted; `all` are those of every kind."""

    kind: NotRequired[Literal['all', 'games', 'endings', 'mistakes']]
    objective: NotRequired[Literal['most', 'fewest']]
    fewest: NotRequired[int]
    most: NotRequired[int]


class ExerciseOut(TypedDict):
    id: str
    kind: Literal['games', 'endings', 'mistakes']
    position: "PositionOut"
    again: bool


class ExplainAsked(TypedDict):
    """A heuristic by name, or a player by its own; weights are tried in it."""

    position: "PositionIn"
    heuristic: NotRequired[str]
    player: NotRequired[str | None]
    weights: NotRequired[dict[str, list[float]] | None]


class Explained(TypedDict):
    heuristic: str
    summary: str
    objective: str | None
    turn: Literal['black', 'white']
    phase: int | None
    phases: int
    value: float | None
    features: "list[FeatureOut]"
    heat: dict[str, float | None]
    squares: list[list[float]] | None
    classes: "dict[Literal['black', 'white'], DiscClasses]"
    choice: "Choice | None"


class ExploreAsked(TypedDict):
    variant: NotRequired[str]
    start: NotRequired[str | None]
    moves: NotRequired[str]
    games: NotRequired["WantedGames"]


class Explored(TypedDict):
    wins: int
    draws: int
    losses: int
    score: float | None
    margin: float | None
    games: int
    years: list[int | None]
    position: str
    opening: "Opening | None"
    moves: "list[MovePlayed]"
    latest: "list[LibraryGame]"


class FaultOut(TypedDict):
    """What is wrong, by its code, for programs with their own wording; a parameter may be the reason."""

    code: str
    params: "dict[str, str | FaultOut]"


class FeatureOut(TypedDict):
    name: str
    own: float | None
    opp: float | None
    counts: float | None
    weight: float | None
    share: float | None
    weights: list[float] | None


class GameAsked(TypedDict):
    """A game; what is asked about is the position in which it stands."""

    variant: NotRequired[str]
    start: NotRequired[str | None]
    moves: NotRequired[str]


class GamePlayed(TypedDict):
    black: str
    white: str
    winner: Literal['black', 'white'] | None
    score: int | None
    variant: str
    start: str | None
    moves: str
    number: int
    result: str
    forfeit: str | None


class GameRead(TypedDict):
    variant: str
    start: str | None
    moves: str
    tags: dict[str, str]
    result: str | None


class Goto(TypedDict):
    ref: NotRequired[int | None]
    type: Literal['goto']
    node: int


class HeuristicOut(TypedDict):
    name: str
    summary: str
    objective: str | None
    own: bool
    weighted: bool
    phases: list[int]
    terms: "list[TermOut]"


class Hint(TypedDict):
    move: str
    score: float
    exact: bool
    depth: int
    selectivity: int | None
    book: bool
    pv: list[str]


class Hints(TypedDict):
    """The values of all moves of a node, and the best one as Black sees it."""

    type: Literal['hints']
    node: int
    ref: int | None
    unit: str
    done: bool
    depth: int
    selectivity: int | None
    value: "BestValue | None"
    hints: "list[Hint]"


class Host(TypedDict):
    """Who invites a friend, and which side the host takes."""

    side: Literal['black', 'white']
    name: str


class KeptGame(TypedDict):
    """One of a visitor's games, as it was left."""

    id: str
    kind: Literal['play', 'analysis']
    touched: float
    variant: str
    board: str
    players: dict[Literal['black', 'white'], str]
    names: dict[Literal['black', 'white'], str | None]
    moves: int
    outcome: "OutcomeOut | None"
    opening: str | None


class KeptGames(TypedDict):
    games: "list[KeptGame]"
    more: bool


class Level(TypedDict):
    level: int
    spec: str


class LibraryGame(TypedDict):
    """A game, turned so that it comes through the position asked about as it stands."""

    black: str
    white: str
    winner: Literal['black', 'white'] | None
    score: int | None
    variant: str
    start: str | None
    moves: str
    id: int
    ply: int
    event: str
    year: int | None
    decided: bool
    opening: str | None


class LibraryOut(TypedDict):
    openings: bool
    masters: bool
    games: int


class LibraryPlayer(TypedDict):
    name: str
    games: int


class MatchAsked(TypedDict):
    a: str
    b: str
    games: NotRequired[int]
    variant: NotRequired[str]
    openings: NotRequired[Literal['start', 'random', 'balanced']]
    seconds: NotRequired[float | None]
    seed: NotRequired[int | None]


class MatchFigures(TypedDict):
    """Two players from the first one's view, as `outflank match --json` has them."""

    wins: int
    draws: int
    losses: int
    score: float | None
    margin: float | None
    players: list[str]
    games: int
    score_interval: list[float | None]
    elo: float | None
    elo_interval: list[float | None]
    margin_interval: list[float | None]
    pentanomial: list[int]
    superiority: float | None
    sprt: str | None
    llr: float | None
    decision: str | None
    forfeits: "list[MatchForfeit]"


class MatchForfeit(TypedDict):
    """Who forfeited a game of a match (0 the first player, 1 the second), which game, from 0, and how: what it did, in which position, after how many seconds, and the last lines that it printed."""

    player: int
    game: int
    kind: str
    reason: str
    board: str | None
    seconds: float | None
    printed: str


class MatchOut(TypedDict):
    wins: int
    draws: int
    losses: int
    score: float | None
    margin: float | None
    players: list[str]
    games: int
    score_interval: list[float | None]
    elo: float | None
    elo_interval: list[float | None]
    margin_interval: list[float | None]
    pentanomial: list[int]
    superiority: float | None
    sprt: str | None
    llr: float | None
    decision: str | None
    forfeits: "list[MatchForfeit]"
    id: str
    running: bool
    error: str | None
    fault: "FaultOut | None"
    scheduled: int
    recent: "list[GamePlayed]"


class MatchStarted(TypedDict):
    id: str


class MistakesFound(TypedDict):
    new: int
    more: bool


class MonteCarloLesson(TypedDict):
    kind: Literal['montecarlo']
    position: "PositionIn"
    player: NotRequired[str | None]
    playouts: NotRequired[int]
    c: NotRequired[float]
    seed: NotRequired[int]


class Move(TypedDict):
    ref: NotRequired[int | None]
    type: Literal['move']
    move: str
    at: NotRequired[int | None]


class MovePlayed(TypedDict):
    wins: int
    draws: int
    losses: int
    score: float | None
    margin: float | None
    games: int
    years: list[int | None]
    moves: list[str]
    opening: str | None


class New(TypedDict):
    ref: NotRequired[int | None]
    black: NotRequired[str | None]
    white: NotRequired[str | None]
    kind: NotRequired[Literal['play', 'analysis']]
    variant: NotRequired[str | None]
    clock: NotRequired["ClockSetting | None"]
    opening: NotRequired[Literal['start', 'random', 'balanced']]
    start: NotRequired[str | None]
    moves: NotRequired[str | None]
    at: NotRequired[int | None]
    tags: NotRequired[dict[str, str]]
    type: Literal['new']


class NewBoard(TypedDict):
    id: str
    state: "State"


class NewGame(TypedDict):
    """How a game begins. What is left out stays as it was, or is a game of a person against the first difficulty."""

    black: NotRequired[str | None]
    white: NotRequired[str | None]
    kind: NotRequired[Literal['play', 'analysis']]
    variant: NotRequired[str | None]
    clock: NotRequired["ClockSetting | None"]
    opening: NotRequired[Literal['start', 'random', 'balanced']]
    start: NotRequired[str | None]
    moves: NotRequired[str | None]
    at: NotRequired[int | None]
    tags: NotRequired[dict[str, str]]


class NodeOut(TypedDict):
    score: float | None
    exact: bool
    depth: int | None
    unit: str
    seconds: float | None
    by: str | None
    text: str
    thought: "Thought | None"
    id: int
    parent: int | None
    move: str | None
    color: Literal['black', 'white'] | None
    board: str
    turn: Literal['black', 'white']
    review: "Review | None"


class Opening(TypedDict):
    """A named line of play."""

    name: str
    aliases: list[str]
    line: str


class OpeningAnswered(TypedDict):
    right: bool | None
    source: Literal['masters', 'names', 'book']
    expected: list[str]
    reply: str | None
    moves: str
    over: bool
    position: "PositionOut"
    record: "TrainingRecord"


class OpeningAsked(TypedDict):
    """An opening so far, and the visitor's move; without one the other side begins, if it is to move."""

    variant: NotRequired[str]
    moves: NotRequired[str]
    move: NotRequired[str | None]
    side: NotRequired[Literal['black', 'white'] | None]


class OptionOut(TypedDict):
    name: str
    kind: Literal['bool', 'int', 'float', 'choice', 'text']
    choices: list[str] | None
    default: bool | int | float | str | None
    least: float | None
    most: float | None
    help: str


class OutcomeOut(TypedDict):
    winner: Literal['black', 'white'] | None
    score: int | None
    reason: str
    text: str


class Pace(TypedDict):
    ref: NotRequired[int | None]
    type: Literal['pace']
    seconds: float


class Pasted(TypedDict):
    text: str
    variant: NotRequired[str | None]


class Plain(TypedDict):
    ref: NotRequired[int | None]
    type: Literal['undo', 'redo', 'pause', 'resume', 'force', 'swap', 'resign', 'decline', 'stop', 'ping']


class Players(TypedDict):
    ref: NotRequired[int | None]
    black: NotRequired[str | None]
    white: NotRequired[str | None]
    type: Literal['players']


class PlayoutLesson(TypedDict):
    kind: Literal['montecarlo']
    guided: bool
    playouts: int
    best: str
    nodes: "list[PlayoutNodeOut]"
    steps: "list[PlayoutOut]"


class PlayoutNodeOut(TypedDict):
    id: str
    parent: str | None
    label: str
    move: str | None
    visits: int
    value: float
    turn: Literal['black', 'white']
    board: str | None
    born: int
    chance: float | None


class PlayoutOut(TypedDict):
    path: list[str]
    end: str
    ucb: dict[str, float] | None
    expanded: str | None
    result: float


class PositionAsked(TypedDict):
    variant: NotRequired[str]
    start: NotRequired[str | None]
    moves: NotRequired[str]
    symmetry: NotRequired[int]
    exchange: NotRequired[bool]


class PositionIn(TypedDict):
    variant: NotRequired[str]
    board: str
    turn: NotRequired[Literal['black', 'white']]


class PositionLesson(TypedDict):
    algorithm: NotRequired[Literal['minimax', 'alphabeta']]
    kind: Literal['position']
    position: "PositionIn"
    heuristic: NotRequired[str]
    player: NotRequired[str | None]
    depth: NotRequired[int]
    width: NotRequired[int | None]


class PositionOut(TypedDict):
    variant: str
    rows: int
    columns: int
    objective: str
    board: str
    turn: Literal['black', 'white']
    black: int
    white: int
    empties: int
    legal: dict[str, list[str]]
    over: bool
    opening: str | None
    in_opening: bool


class Problem(TypedDict):
    """Why something cannot be done: in one line, and by its code where it has one."""

    error: str
    fault: "FaultOut | None"


class Proposed(TypedDict):
    """What one of two friends would like; it is done when the other asks for the same."""

    by: Literal['black', 'white']
    what: Literal['undo', 'new']


class Proved(TypedDict):
    position: "PositionOut"
    least: int
    most: int
    moves: "list[ProvedMove]"
    line: list[str]


class ProvedMove(TypedDict):
    """What is proved of a move, in discs for the side to move."""

    move: str
    least: int
    most: int


class RandomLesson(TypedDict):
    algorithm: NotRequired[Literal['minimax', 'alphabeta']]
    kind: Literal['random']
    depth: NotRequired[int]
    branching: NotRequired[int]
    seed: NotRequired[int]


class Reading(TypedDict):
    format: str
    kind: str
    count: int
    games: "list[GameRead]"


class ReportForfeit(TypedDict):
    """A game that was forfeited, and how: by which kind of fault, in which position, after how many seconds, and the last lines that its player printed."""

    game: int
    kind: str
    reason: str
    board: str | None
    seconds: float | None
    printed: str


class ReportGames(TypedDict):
    """A column for each fact about a game; `winner` is 0 for Black and 1 for White."""

    id: list[int]
    black: list[int]
    white: list[int]
    winner: list[int | None]
    score: list[int | None]
    opening: list[int]
    called: NotRequired[list[str | None] | None]


class ReportGap(TypedDict):
    """Two groups that hardly met: the players of the one rated higher, their games with the rest, and what the rest scored in them."""

    above: list[int]
    games: int
    points: float


class ReportJudge(TypedDict):
    judge: str
    measured: bool


class ReportOut(TypedDict):
    summary: "ReportSummary"
    games: "ReportGames"


class ReportPlayer(TypedDict):
    wins: int
    draws: int
    losses: int
    score: float | None
    margin: float | None
    rank: int
    player: str
    course_points: NotRequired[int | None]
    rating: float
    rating_interval: list[float]
    games: int
    seconds_a_move: float | None
    slowest_move: float | None
    depth: float | None
    forfeits: int


class ReportProgress(TypedDict):
    games: list[int]
    ratings: list[list[float | None]]


class ReportSummary(TypedDict):
    """A match or tournament, by the numbers of its players (in order of rank) and of its games."""

    title: str
    kind: Literal['match', 'tournament']
    format: str
    variant: "ReportVariant"
    limit: dict[str, Any]
    openings_from: str
    games: int
    scheduled: int
    course: bool
    anchor: str | None
    match: "MatchFigures | None"
    written_by: str
    versions: dict[str, int]
    to: float | None
    players: "list[ReportPlayer]"
    cross: list[list[int | float | float | None]]
    gap: "ReportGap | None"
    openings: list[list[str | int | float | None]]
    forfeits: "list[ReportForfeit]"
    progress: "ReportProgress | None"
    times: list[list[float | None]] | None
    values: "ReportJudge | None"


class ReportVariant(TypedDict):
    name: str
    rows: int
    columns: int
    reversed: bool
    start: str


class Review(TypedDict):
    """What a review found out about a move."""

    value: float
    loss: float
    best: str
    best_line: list[str]
    exact: bool
    depth: int
    unit: str
    mark: Literal['inaccuracy', 'mistake', 'blunder'] | None
    black: float
    selectivity: NotRequired[int | None]


class ReviewLine(TypedDict):
    ref: NotRequired[int | None]
    type: Literal['review']
    seconds: NotRequired[float]
    again: NotRequired[bool]


class Sit(TypedDict):
    """Takes the free seat at a board that one was invited to."""

    ref: NotRequired[int | None]
    type: Literal['sit']
    name: str


class SolvedBoard(TypedDict):
    variant: "VariantOut"
    value: int


class State(TypedDict):
    """A board as everybody who looks at it sees it: with all of its nodes, or with those that changed."""

    type: Literal['state']
    board: str
    previous: str | None
    revision: int
    variant: str
    players: dict[Literal['black', 'white'], str]
    names: dict[Literal['black', 'white'], str | None]
    seated: dict[Literal['black', 'white'], bool] | None
    proposed: "Proposed | None"
    cursor: int
    nodes: "list[NodeOut]"
    all: bool
    position: "PositionOut"
    line: list[int]
    last: str | None
    passed: Literal['black', 'white'] | None
    to_move: Literal['human', 'agent', 'over']
    thinking: bool
    paused: bool
    pace: float
    can_undo: bool
    can_redo: bool
    outcome: "OutcomeOut | None"
    clock: "ClockOut | None"
    totals: "dict[Literal['black', 'white'], TotalOut]"
    turning: int | None
    error: str | None
    fault: "FaultOut | None"


class StepOut(TypedDict):
    kind: Literal['enter', 'leave', 'prune']
    node: str
    maximizes: bool
    alpha: float | None
    beta: float | None
    value: float | None
    decided: bool


class StoreName(TypedDict):
    id: str
    name: str


class StoreOut(TypedDict):
    id: str
    name: str
    events: "list[EventOut]"


class Stores(TypedDict):
    stores: "list[StoreOut]"


class TermOut(TypedDict):
    name: str
    weights: list[float]


class Thinking(TypedDict):
    """How far a player that thinks has come."""

    score: float | None
    exact: bool
    depth: int | None
    unit: str
    seconds: float | None
    by: str | None
    text: str
    thought: "Thought | None"
    type: Literal['thinking']
    node: int


class Thought(TypedDict):
    """How a player came to its move, beside its score and depth."""

    nodes: int
    selectivity: int | None
    pv: list[str]
    candidates: "list[Candidate]"


class TotalOut(TypedDict):
    seconds: float
    moves: int


class TrainingOut(TypedDict):
    exercise: "ExerciseOut | None"
    record: "TrainingRecord"


class TrainingRecord(TypedDict):
    answered: int
    solved: int
    streak: int
    best: int
    again: int


class TreeLesson(TypedDict):
    kind: Literal['tree']
    algorithm: Literal['minimax', 'alphabeta']
    value: float | None
    best: str
    visited: list[str]
    pruned: list[str]
    nodes: "list[TreeNodeOut]"
    steps: "list[StepOut]"


class TreeNodeOut(TypedDict):
    id: str
    parent: str | None
    label: str
    move: str | None
    value: float | None
    decided: bool
    maximizes: bool
    turn: Literal['black', 'white'] | None
    board: str | None


class Turn(TypedDict):
    ref: NotRequired[int | None]
    type: Literal['turn']
    symmetry: int


class VariantOut(TypedDict):
    name: str
    rows: int
    columns: int
    objective: Literal['most', 'fewest']
    start: str


class WantedGames(TypedDict):
    """Which games of the library are asked about: a player's, as Black or White or both, and those of some years."""

    player: NotRequired[str]
    color: NotRequired[Literal['black', 'white'] | None]
    since: NotRequired[int | None]
    until: NotRequired[int | None]


class WarmingOut(TypedDict):
    """The first compile on a machine: what is being compiled now, or nothing where all of it is there."""

    step: Literal['', 'board', 'engine', 'all']
    done: int
    total: int


GameDetail = list[list[int] | list[float | None] | list[int | None] | list[float | None] | None | list[int] | None | int | None]
Message = Plain | Move | Goto | Turn | Pace | Sit | Players | New | Analyse | ReviewLine
