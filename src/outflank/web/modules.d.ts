/** The page's modules that are loaded only when they are wanted, by their names. */
export interface Modules {
  analysis: typeof import("./page/analysis.js");
  editor: typeof import("./page/editor.js");
  exchange: typeof import("./page/exchange.js");
  friends: typeof import("./page/friends.js");
  games: typeof import("./page/games.js");
  lab: typeof import("./page/lab.js");
  "lab-heuristics": typeof import("./page/lab-heuristics.js");
  "lab-match": typeof import("./page/lab-match.js");
  "lab-players": typeof import("./page/lab-players.js");
  "lab-reports": typeof import("./page/lab-reports.js");
  "lab-solved": typeof import("./page/lab-solved.js");
  "lab-tree": typeof import("./page/lab-tree.js");
  newgame: typeof import("./page/newgame.js");
  results: typeof import("./page/results.js");
  review: typeof import("./page/review.js");
  trainer: typeof import("./page/trainer.js");
  warming: typeof import("./page/warming.js");
}
