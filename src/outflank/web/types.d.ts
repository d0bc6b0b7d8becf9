// What the server takes and tells. Made from its models by `python -m outflank.web.types`: change those.

export interface About {
  version: string;
  warming: WarmingOut;
  variants: VariantOut[];
  difficulties: Difficulty[];
  modes: Difficulty[];
  levels: Level[];
  agents: AgentOut[];
  heuristics: HeuristicOut[];
  copy_formats: string[];
  stores: StoreName[];
  library: LibraryOut;
  analysis: AnalysisOut;
}

export interface AgentOut {
  name: string;
  summary: string;
  own: boolean;
  options: OptionOut[];
}

export interface Analyse {
  ref?: number | null;
  type: "analyse";
  node?: number | null;
  seconds?: number;
  level?: number | null;
}

export interface AnalysisOut {
  seconds: number[];
}

export interface BestValue {
  black: number;
  exact: boolean;
}

/** A board, and who invites a friend to it: then those two play, and all others look on. */
export interface BoardAsked {
  black?: string | null;
  white?: string | null;
  kind?: "play" | "analysis";
  variant?: string | null;
  clock?: ClockSetting | null;
  opening?: "start" | "random" | "balanced";
  start?: string | null;
  moves?: string | null;
  at?: number | null;
  tags?: Record<string, string>;
  host?: Host | null;
}

export interface BracketsLesson {
  algorithm?: "minimax" | "alphabeta";
  kind: "brackets";
  tree: unknown[];
}

/** What a player knew of a move that it could have made: its value, and how often it was tried. */
export interface Candidate {
  move: string;
  value: number | null;
  visits: number | null;
}

/** The move that a player chooses in a position. */
export interface Choice {
  score: number | null;
  exact: boolean;
  depth: number | null;
  unit: string;
  seconds: number | null;
  by: string | null;
  text: string;
  thought: Thought | null;
  move: string;
}

export interface ClockOut {
  seconds: number;
  increment: number;
  black: number;
  white: number;
  running: "black" | "white" | null;
}

export interface ClockSetting {
  seconds: number;
  increment?: number;
}

/** Who is at a board that two friends share, told to each who looks at it. */
export interface Company {
  type: "company";
  side: "black" | "white" | null;
  here: Record<"black" | "white", boolean>;
  watchers: number;
}

export interface Copied {
  format: string;
  text: string;
  left_out: string[];
}

export interface Difficulty {
  id: string;
  spec: string;
}

export interface DiscClasses {
  stable: string[];
  semi_stable: string[];
  unstable: string[];
  frontier: string[];
}

export interface EventOut {
  id: number;
  kind: string;
  title: string;
  variant: string;
  players: number;
  opened: number;
}

export interface ExampleLesson {
  algorithm?: "minimax" | "alphabeta";
  kind: "example";
  id: string;
}

export interface ExampleOut {
  id: string;
  title: string;
  note: string;
  algorithm: "minimax" | "alphabeta";
}

export interface Examples {
  examples: ExampleOut[];
}

export interface ExerciseAnswer {
  id: string;
  move: string;
}

export interface ExerciseAnswered {
  right: boolean;
  best: string;
  exact: boolean;
  values: Record<string, number>;
  record: TrainingRecord;
}

/** Which exercises are wanted; `all` are those of every kind. */
export interface ExerciseAsked {
  kind?: "all" | "games" | "endings" | "mistakes";
  objective?: "most" | "fewest";
  fewest?: number;
  most?: number;
}

export interface ExerciseOut {
  id: string;
  kind: "games" | "endings" | "mistakes";
  position: PositionOut;
  again: boolean;
}

/** A heuristic by name, or a player by its own; weights are tried in it. */
export interface ExplainAsked {
  position: PositionIn;
  heuristic?: string;
  player?: string | null;
  weights?: Record<string, number[]> | null;
}

export interface Explained {
  heuristic: string;
  summary: string;
  objective: string | null;
  turn: "black" | "white";
  phase: number | null;
  phases: number;
  value: number | null;
  features: FeatureOut[];
  heat: Record<string, number | null>;
  squares: number[][] | null;
  classes: Record<"black" | "white", DiscClasses>;
  choice: Choice | null;
}

export interface ExploreAsked {
  variant?: string;
  start?: string | null;
  moves?: string;
  games?: WantedGames;
}

export interface Explored {
  wins: number;
  draws: number;
  losses: number;
  score: number | null;
  margin: number | null;
  games: number;
  years: [number | null, number | null];
  position: string;
  opening: Opening | null;
  moves: MovePlayed[];
  latest: LibraryGame[];
}

/** What is wrong, by its code, for programs with their own wording; a parameter may be the reason. */
export interface FaultOut {
  code: string;
  params: Record<string, string | FaultOut>;
}

export interface FeatureOut {
  name: string;
  own: number | null;
  opp: number | null;
  counts: number | null;
  weight: number | null;
  share: number | null;
  weights: number[] | null;
}

/** A game; what is asked about is the position in which it stands. */
export interface GameAsked {
  variant?: string;
  start?: string | null;
  moves?: string;
}

/** Moves; the players' microseconds, scores and depths for those after the opening; a judge's values of the positions, its choices, and the position from which they are proven; the turning point. */
export type GameDetail = [number[], number[], (number | null)[], (number | null)[], (number | null)[] | null, number[] | null, number | null, number | null];

export interface GamePlayed {
  black: string;
  white: string;
  winner: "black" | "white" | null;
  score: number | null;
  variant: string;
  start: string | null;
  moves: string;
  number: number;
  result: string;
  forfeit: string | null;
}

export interface GameRead {
  variant: string;
  start: string | null;
  moves: string;
  tags: Record<string, string>;
  result: string | null;
}

export interface Goto {
  ref?: number | null;
  type: "goto";
  node: number;
}

export interface HeuristicOut {
  name: string;
  summary: string;
  objective: string | null;
  own: boolean;
  weighted: boolean;
  phases: number[];
  terms: TermOut[];
}

export interface Hint {
  move: string;
  score: number;
  exact: boolean;
  depth: number;
  selectivity: number | null;
  book: boolean;
  pv: string[];
}

/** The values of all moves of a node, and the best one as Black sees it. */
export interface Hints {
  type: "hints";
  node: number;
  ref: number | null;
  unit: string;
  done: boolean;
  depth: number;
  selectivity: number | null;
  value: BestValue | null;
  hints: Hint[];
}

/** Who invites a friend, and which side the host takes. */
export interface Host {
  side: "black" | "white";
  name: string;
}

/** One of a visitor's games, as it was left. */
export interface KeptGame {
  id: string;
  kind: "play" | "analysis";
  touched: number;
  variant: string;
  board: string;
  players: Record<"black" | "white", string>;
  names: Record<"black" | "white", string | null>;
  moves: number;
  outcome: OutcomeOut | null;
  opening: string | null;
}

export interface KeptGames {
  games: KeptGame[];
  more: boolean;
}

export interface Level {
  level: number;
  spec: string;
}

/** A game, turned so that it comes through the position asked about as it stands. */
export interface LibraryGame {
  black: string;
  white: string;
  winner: "black" | "white" | null;
  score: number | null;
  variant: string;
  start: string | null;
  moves: string;
  id: number;
  ply: number;
  event: string;
  year: number | null;
  decided: boolean;
  opening: string | null;
}

export interface LibraryOut {
  openings: boolean;
  masters: boolean;
  games: number;
}

export interface LibraryPlayer {
  name: string;
  games: number;
}

export interface MatchAsked {
  a: string;
  b: string;
  games?: number;
  variant?: string;
  openings?: "start" | "random" | "balanced";
  seconds?: number | null;
  seed?: number | null;
}

/** Two players from the first one's view, as `outflank match --json` has them. */
export interface MatchFigures {
  wins: number;
  draws: number;
  losses: number;
  score: number | null;
  margin: number | null;
  players: [string, string];
  games: number;
  score_interval: [number | null, number | null];
  elo: number | null;
  elo_interval: [number | null, number | null];
  margin_interval: [number | null, number | null];
  pentanomial: number[];
  superiority: number | null;
  sprt: string | null;
  llr: number | null;
  decision: string | null;
  forfeits: MatchForfeit[];
}

/** Who forfeited a game of a match (0 the first player, 1 the second), which game, from 0, and how: what it did, in which position, after how many seconds, and the last lines that it printed. */
export interface MatchForfeit {
  player: number;
  game: number;
  kind: string;
  reason: string;
  board: string | null;
  seconds: number | null;
  printed: string;
}

export interface MatchOut {
  wins: number;
  draws: number;
  losses: number;
  score: number | null;
  margin: number | null;
  players: [string, string];
  games: number;
  score_interval: [number | null, number | null];
  elo: number | null;
  elo_interval: [number | null, number | null];
  margin_interval: [number | null, number | null];
  pentanomial: number[];
  superiority: number | null;
  sprt: string | null;
  llr: number | null;
  decision: string | null;
  forfeits: MatchForfeit[];
  id: string;
  running: boolean;
  error: string | null;
  fault: FaultOut | null;
  scheduled: number;
  recent: GamePlayed[];
}

export interface MatchStarted {
  id: string;
}

export type Message = Plain | Move | Goto | Turn | Pace | Sit | Players | New | Analyse | ReviewLine;

export interface MistakesFound {
  new: number;
  more: boolean;
}

export interface MonteCarloLesson {
  kind: "montecarlo";
  position: PositionIn;
  player?: string | null;
  playouts?: number;
  c?: number;
  seed?: number;
}

export interface Move {
  ref?: number | null;
  type: "move";
  move: string;
  at?: number | null;
}

export interface MovePlayed {
  wins: number;
  draws: number;
  losses: number;
  score: number | null;
  margin: number | null;
  games: number;
  years: [number | null, number | null];
  moves: string[];
  opening: string | null;
}

export interface New {
  ref?: number | null;
  black?: string | null;
  white?: string | null;
  kind?: "play" | "analysis";
  variant?: string | null;
  clock?: ClockSetting | null;
  opening?: "start" | "random" | "balanced";
  start?: string | null;
  moves?: string | null;
  at?: number | null;
  tags?: Record<string, string>;
  type: "new";
}

export interface NewBoard {
  id: string;
  state: State;
}

/** How a game begins. What is left out stays as it was, or is a game of a person against the first difficulty. */
export interface NewGame {
  black?: string | null;
  white?: string | null;
  kind?: "play" | "analysis";
  variant?: string | null;
  clock?: ClockSetting | null;
  opening?: "start" | "random" | "balanced";
  start?: string | null;
  moves?: string | null;
  at?: number | null;
  tags?: Record<string, string>;
}

export interface NodeOut {
  score: number | null;
  exact: boolean;
  depth: number | null;
  unit: string;
  seconds: number | null;
  by: string | null;
  text: string;
  thought: Thought | null;
  id: number;
  parent: number | null;
  move: string | null;
  color: "black" | "white" | null;
  board: string;
  turn: "black" | "white";
  review: Review | null;
}

/** A named line of play. */
export interface Opening {
  name: string;
  aliases: string[];
  line: string;
}

export interface OpeningAnswered {
  right: boolean | null;
  source: "masters" | "names" | "book";
  expected: string[];
  reply: string | null;
  moves: string;
  over: boolean;
  position: PositionOut;
  record: TrainingRecord;
}

/** An opening so far, and the visitor's move; without one the other side begins, if it is to move. */
export interface OpeningAsked {
  variant?: string;
  moves?: string;
  move?: string | null;
  side?: "black" | "white" | null;
}

export interface OptionOut {
  name: string;
  kind: "bool" | "int" | "float" | "choice" | "text";
  choices: string[] | null;
  default: boolean | number | string | null;
  least: number | null;
  most: number | null;
  help: string;
}

export interface OutcomeOut {
  winner: "black" | "white" | null;
  score: number | null;
  reason: string;
  text: string;
}

export interface Pace {
  ref?: number | null;
  type: "pace";
  seconds: number;
}

export interface Pasted {
  text: string;
  variant?: string | null;
}

export interface Plain {
  ref?: number | null;
  type: "undo" | "redo" | "pause" | "resume" | "force" | "swap" | "resign" | "decline" | "stop" | "ping";
}

export interface Players {
  ref?: number | null;
  black?: string | null;
  white?: string | null;
  type: "players";
}

export interface PlayoutLesson {
  kind: "montecarlo";
  guided: boolean;
  playouts: number;
  best: string;
  nodes: PlayoutNodeOut[];
  steps: PlayoutOut[];
}

export interface PlayoutNodeOut {
  id: string;
  parent: string | null;
  label: string;
  move: string | null;
  visits: number;
  value: number;
  turn: "black" | "white";
  board: string | null;
  born: number;
  chance: number | null;
}

export interface PlayoutOut {
  path: string[];
  end: string;
  ucb: Record<string, number> | null;
  expanded: string | null;
  result: number;
}

export interface PositionAsked {
  variant?: string;
  start?: string | null;
  moves?: string;
  symmetry?: number;
  exchange?: boolean;
}

export interface PositionIn {
  variant?: string;
  board: string;
  turn?: "black" | "white";
}

export interface PositionLesson {
  algorithm?: "minimax" | "alphabeta";
  kind: "position";
  position: PositionIn;
  heuristic?: string;
  player?: string | null;
  depth?: number;
  width?: number | null;
}

export interface PositionOut {
  variant: string;
  rows: number;
  columns: number;
  objective: string;
  board: string;
  turn: "black" | "white";
  black: number;
  white: number;
  empties: number;
  legal: Record<string, string[]>;
  over: boolean;
  opening: string | null;
  in_opening: boolean;
}

/** Why something cannot be done: in one line, and by its code where it has one. */
export interface Problem {
  error: string;
  fault: FaultOut | null;
}

/** What one of two friends would like; it is done when the other asks for the same. */
export interface Proposed {
  by: "black" | "white";
  what: "undo" | "new";
}

export interface Proved {
  position: PositionOut;
  least: number;
  most: number;
  moves: ProvedMove[];
  line: string[];
}

/** What is proved of a move, in discs for the side to move. */
export interface ProvedMove {
  move: string;
  least: number;
  most: number;
}

export interface RandomLesson {
  algorithm?: "minimax" | "alphabeta";
  kind: "random";
  depth?: number;
  branching?: number;
  seed?: number;
}

export interface Reading {
  format: string;
  kind: string;
  count: number;
  games: GameRead[];
}

/** A game that was forfeited, and how: by which kind of fault, in which position, after how many seconds, and the last lines that its player printed. */
export interface ReportForfeit {
  game: number;
  kind: string;
  reason: string;
  board: string | null;
  seconds: number | null;
  printed: string;
}

/** A column for each fact about a game; `winner` is 0 for Black and 1 for White. */
export interface ReportGames {
  id: number[];
  black: number[];
  white: number[];
  winner: (number | null)[];
  score: (number | null)[];
  opening: number[];
  called?: (string | null)[] | null;
}

/** Two groups that hardly met: the players of the one rated higher, their games with the rest, and what the rest scored in them. */
export interface ReportGap {
  above: number[];
  games: number;
  points: number;
}

export interface ReportJudge {
  judge: string;
  measured: boolean;
}

export interface ReportOut {
  summary: ReportSummary;
  games: ReportGames;
}

export interface ReportPlayer {
  wins: number;
  draws: number;
  losses: number;
  score: number | null;
  margin: number | null;
  rank: number;
  player: string;
  course_points?: number | null;
  rating: number;
  rating_interval: [number, number];
  games: number;
  seconds_a_move: number | null;
  slowest_move: number | null;
  depth: number | null;
  forfeits: number;
}

export interface ReportProgress {
  games: number[];
  ratings: ((number | null)[])[];
}

/** A match or tournament, by the numbers of its players (in order of rank) and of its games. */
export interface ReportSummary {
  title: string;
  kind: "match" | "tournament";
  format: string;
  variant: ReportVariant;
  limit: Record<string, unknown>;
  openings_from: string;
  games: number;
  scheduled: number;
  course: boolean;
  anchor: string | null;
  match: MatchFigures | null;
  written_by: string;
  versions: Record<string, number>;
  to: number | null;
  players: ReportPlayer[];
  cross: ([number, number, number, number, number | null, number | null])[];
  gap: ReportGap | null;
  openings: ([string, string, number, number, number, number | null])[];
  forfeits: ReportForfeit[];
  progress: ReportProgress | null;
  times: ((number | null)[])[] | null;
  values: ReportJudge | null;
}

export interface ReportVariant {
  name: string;
  rows: number;
  columns: number;
  reversed: boolean;
  start: string;
}

/** What a review found out about a move. */
export interface Review {
  value: number;
  loss: number;
  best: string;
  best_line: string[];
  exact: boolean;
  depth: number;
  unit: string;
  mark: "inaccuracy" | "mistake" | "blunder" | null;
  black: number;
  selectivity?: number | null;
}

export interface ReviewLine {
  ref?: number | null;
  type: "review";
  seconds?: number;
  again?: boolean;
}

/** Takes the free seat at a board that one was invited to. */
export interface Sit {
  ref?: number | null;
  type: "sit";
  name: string;
}

export interface SolvedBoard {
  variant: VariantOut;
  value: number;
}

/** A board as everybody who looks at it sees it: with all of its nodes, or with those that changed. */
export interface State {
  type: "state";
  board: string;
  previous: string | null;
  revision: number;
  variant: string;
  players: Record<"black" | "white", string>;
  names: Record<"black" | "white", string | null>;
  seated: Record<"black" | "white", boolean> | null;
  proposed: Proposed | null;
  cursor: number;
  nodes: NodeOut[];
  all: boolean;
  position: PositionOut;
  line: number[];
  last: string | null;
  passed: "black" | "white" | null;
  to_move: "human" | "agent" | "over";
  thinking: boolean;
  paused: boolean;
  pace: number;
  can_undo: boolean;
  can_redo: boolean;
  outcome: OutcomeOut | null;
  clock: ClockOut | null;
  totals: Record<"black" | "white", TotalOut>;
  turning: number | null;
  error: string | null;
  fault: FaultOut | null;
}

export interface StepOut {
  kind: "enter" | "leave" | "prune";
  node: string;
  maximizes: boolean;
  alpha: number | null;
  beta: number | null;
  value: number | null;
  decided: boolean;
}

export interface StoreName {
  id: string;
  name: string;
}

export interface StoreOut {
  id: string;
  name: string;
  events: EventOut[];
}

export interface Stores {
  stores: StoreOut[];
}

export interface TermOut {
  name: string;
  weights: number[];
}

/** How far a player that thinks has come. */
export interface Thinking {
  score: number | null;
  exact: boolean;
  depth: number | null;
  unit: string;
  seconds: number | null;
  by: string | null;
  text: string;
  thought: Thought | null;
  type: "thinking";
  node: number;
}

/** How a player came to its move, beside its score and depth. */
export interface Thought {
  nodes: number;
  selectivity: number | null;
  pv: string[];
  candidates: Candidate[];
}

export interface TotalOut {
  seconds: number;
  moves: number;
}

export interface TrainingOut {
  exercise: ExerciseOut | null;
  record: TrainingRecord;
}

export interface TrainingRecord {
  answered: number;
  solved: number;
  streak: number;
  best: number;
  again: number;
}

export interface TreeLesson {
  kind: "tree";
  algorithm: "minimax" | "alphabeta";
  value: number | null;
  best: string;
  visited: string[];
  pruned: string[];
  nodes: TreeNodeOut[];
  steps: StepOut[];
}

export interface TreeNodeOut {
  id: string;
  parent: string | null;
  label: string;
  move: string | null;
  value: number | null;
  decided: boolean;
  maximizes: boolean;
  turn: "black" | "white" | null;
  board: string | null;
}

export interface Turn {
  ref?: number | null;
  type: "turn";
  symmetry: number;
}

export interface VariantOut {
  name: string;
  rows: number;
  columns: number;
  objective: "most" | "fewest";
  start: string;
}

/** Which games of the library are asked about: a player's, as Black or White or both, and those of some years. */
export interface WantedGames {
  player?: string;
  color?: "black" | "white" | null;
  since?: number | null;
  until?: number | null;
}

/** The first compile on a machine: what is being compiled now, or nothing where all of it is there. */
export interface WarmingOut {
  step: "" | "board" | "engine" | "all";
  done: number;
  total: number;
}
