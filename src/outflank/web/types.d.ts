// What the server takes and tells. Made from its models by `python -m outflank.web.types`: change those.

export interface About {
  version: string;
  variants: VariantOut[];
  difficulties: Difficulty[];
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

export interface BracketsLesson {
  kind: "brackets";
  tree: unknown[];
  algorithm?: "minimax" | "alphabeta";
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
}

export interface ExampleLesson {
  kind: "example";
  id: string;
  algorithm?: "minimax" | "alphabeta";
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

export interface ExplainAsked {
  position: PositionIn;
  heuristic: string;
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
}

/** A game; what is asked about is the position in which it stands. */
export interface ExploreAsked {
  variant?: string;
  start?: string | null;
  moves?: string;
  games?: WantedGames;
}

export interface Explored {
  games: number;
  wins: number;
  draws: number;
  losses: number;
  score: number | null;
  margin: number | null;
  years: [number | null, number | null];
  position: string;
  opening: OpeningOut | null;
  moves: MovePlayed[];
  latest: LibraryGame[];
}

/** What is wrong by its code, for whoever has words of his own for it; a parameter may be the reason. */
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

export interface ForfeitOut {
  player: number;
  reason: string;
  game: number;
}

/** Moves; the players' microseconds, scores and depths for those after the opening; a judge's values of the positions, its choices, and the position from which they are proven; the turning point. */
export type GameDetail = [number[], number[], (number | null)[], (number | null)[], (number | null)[] | null, number[] | null, number | null, number | null];

export interface GamePlayed {
  number: number;
  black: string;
  white: string;
  result: string;
  winner: "black" | "white" | null;
  score: number | null;
  variant: string;
  start: string | null;
  moves: string;
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
  value: BestValue | null;
  hints: Hint[];
}

export interface Level {
  level: number;
  spec: string;
}

export interface LibraryGame {
  id: number;
  variant: string;
  start: string | null;
  moves: string;
  ply: number;
  black: string;
  white: string;
  event: string;
  year: number | null;
  decided: boolean;
  winner: "black" | "white" | null;
  score: number | null;
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

export interface MatchOut {
  id: string;
  running: boolean;
  error: string | null;
  fault: FaultOut | null;
  scheduled: number;
  players: [string, string];
  games: number;
  wins: number;
  draws: number;
  losses: number;
  score: number | null;
  elo: number | null;
  elo_interval: [number | null, number | null];
  margin: number | null;
  margin_interval: [number | null, number | null];
  superiority: number | null;
  pentanomial: number[];
  forfeits: ForfeitOut[];
  recent: GamePlayed[];
}

export interface MatchStarted {
  id: string;
}

export type Message = Plain | Move | Goto | Turn | Players | New | Analyse | ReviewLine;

export interface MonteCarloLesson {
  kind: "montecarlo";
  position: PositionIn;
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
  games: number;
  wins: number;
  draws: number;
  losses: number;
  score: number | null;
  margin: number | null;
  years: [number | null, number | null];
  moves: string[];
  opening: string | null;
}

export interface New {
  ref?: number | null;
  variant?: string | null;
  black?: string | null;
  white?: string | null;
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
  variant?: string | null;
  black?: string | null;
  white?: string | null;
  clock?: ClockSetting | null;
  opening?: "start" | "random" | "balanced";
  start?: string | null;
  moves?: string | null;
  at?: number | null;
  tags?: Record<string, string>;
}

export interface NodeOut {
  id: number;
  parent: number | null;
  move: string | null;
  color: "black" | "white" | null;
  board: string;
  turn: "black" | "white";
  score: number | null;
  exact: boolean;
  depth: number | null;
  unit: string;
  seconds: number | null;
  by: string | null;
  text: string;
  review: ReviewOut | null;
}

export interface OpeningOut {
  name: string;
  aliases: string[];
  line: string;
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

export interface Pasted {
  text: string;
  variant?: string | null;
}

export interface Plain {
  ref?: number | null;
  type: "undo" | "redo" | "pause" | "resume" | "force" | "swap" | "resign" | "stop" | "ping";
}

export interface Players {
  ref?: number | null;
  type: "players";
  black?: string | null;
  white?: string | null;
}

export interface PlayersOut {
  black: string;
  white: string;
}

export interface PlayoutLesson {
  kind: "montecarlo";
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
}

export interface PlayoutOut {
  path: string[];
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
  kind: "position";
  position: PositionIn;
  heuristic?: string;
  depth?: number;
  width?: number | null;
  algorithm?: "minimax" | "alphabeta";
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
}

/** Why something cannot be done: in one line, and by its code where it has one. */
export interface Problem {
  error: string;
  fault: FaultOut | null;
}

export interface RandomLesson {
  kind: "random";
  depth?: number;
  branching?: number;
  seed?: number;
  algorithm?: "minimax" | "alphabeta";
}

export interface Reading {
  format: string;
  kind: string;
  count: number;
  games: GameRead[];
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

export interface ReportJudge {
  judge: string;
  measured: boolean;
}

export interface ReportMatch {
  players: [string, string];
  wins: number;
  draws: number;
  losses: number;
  score: number | null;
  elo: number | null;
  elo_interval: [number | null, number | null];
  margin: number | null;
  margin_interval: [number | null, number | null];
  superiority: number | null;
  pentanomial: number[];
  sprt: string | null;
  llr: number | null;
  decision: string | null;
}

export interface ReportOut {
  summary: ReportSummary;
  games: ReportGames;
}

export interface ReportPlayer {
  rank: number;
  player: string;
  course_points?: number | null;
  rating: number;
  rating_interval: [number, number];
  games: number;
  wins: number;
  draws: number;
  losses: number;
  score: number | null;
  margin: number | null;
  seconds_a_move: number | null;
  slowest_move: number;
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
  match: ReportMatch | null;
  written_by: string;
  versions: Record<string, number>;
  to: number | null;
  players: ReportPlayer[];
  cross: ([number, number, number, number, number | null, number | null])[];
  openings: ([string, string, number, number, number, number | null])[];
  forfeits: [number, string][];
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

export interface ReviewLine {
  ref?: number | null;
  type: "review";
  seconds?: number;
}

/** What a review found out about a move. */
export interface ReviewOut {
  value: number;
  loss: number;
  best: string;
  best_line: string[];
  exact: boolean;
  depth: number;
  unit: string;
  mark: "inaccuracy" | "mistake" | "blunder" | null;
  black: number;
}

/** A board as everybody who looks at it sees it: with all of its nodes, or with those that changed. */
export interface State {
  type: "state";
  board: string;
  revision: number;
  variant: string;
  players: PlayersOut;
  names: Record<"black" | "white", string | null>;
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
  can_undo: boolean;
  can_redo: boolean;
  outcome: OutcomeOut | null;
  clock: ClockOut | null;
  totals: Record<"black" | "white", TotalOut>;
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

export interface TotalOut {
  seconds: number;
  moves: number;
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
