/** One game of an event on a board: its moves, what they were worth, and where it turned. */

import { h, iconButton } from "./dom.js";
import { duration, heard, say, signed } from "./language.js";
import { BLACK, PASS, WHITE, count, flips, play, positionFrom, sideOf, squareName, variantNamed } from "./rules.js";
import { figure } from "./values.js";
import "./board.js";
import "./graph.js";

/** @typedef {import("./rules.js").Position} Position */
/** @typedef {import("../types").ReportSummary} Summary */
/** @typedef {import("../types").GameDetail} Detail */
/** `winner` is 0 for Black and 1 for White.
 * @typedef {{number: number, black: number, white: number, winner: number | null, score: number | null,
 *   forfeit: string | null, called: string | null, start: string}} Facts */
/** A position of a game, and the move that led to it.
 * @typedef {{position: Position, move: number | null, mover: number | null, passed: number | null}} Step */

const WON = 1e9; // what tree searches once added to a margin: it stands in older stores
const NOTICED = 0.5; // discs that a move has to lose before it is said

export class Replay {
  /**
   * @param {Summary} summary @param {string[]} names of the players
   * @param {((game: import("../types").NewGame) => void) | null} analyse opens a game in Analyse
   */
  constructor(summary, names, analyse) {
    this.summary = summary;
    this.names = names;
    /** @type {Game | null} */
    this.game = null;
    this.ply = 0;
    /** Told of every position shown. @type {(ply: number) => void} */
    this.moved = () => {};
    this.board = /** @type {import("./board.js").OthelloBoard} */ (document.createElement("othello-board"));
    this.graph = /** @type {import("./graph.js").ValueGraph} */ (document.createElement("value-graph"));
    this.graph.addEventListener("ply", (event) => this.go(/** @type {CustomEvent} */ (event).detail));
    this.story = h("div", { class: "story" });
    this.seats = h("div", { class: "seats" });
    this.now = h("p", { class: "now", "aria-live": "polite" });
    this.moves = h("div", { class: "scroll moves", tabindex: 0, role: "region", "aria-label": say("moves") });
    this.turn = h("button", { type: "button", onclick: () => this.toTurn() }, say("turningPoint"));
    const steps = /** @type {[string, string, (last: number) => number][]} */ ([
      ["first", "first", () => 0],
      ["back", "back", () => this.ply - 1],
      ["forward", "forward", () => this.ply + 1],
      ["last", "last", (last) => last],
    ]);
    this.element = h(
      "div",
      { class: "replay", hidden: true },
      this.story,
      h(
        "div",
        { class: "stand" },
        this.seats,
        h("div", { class: "wood" }, this.board),
        h(
          "div",
          { class: "controls" },
          ...steps.map(([icon, text, ply]) => iconButton(icon, say(text), () => this.go(ply(this.last)))),
          this.turn,
          analyse &&
            h("button", { type: "button", onclick: () => this.game && analyse(this.game.toAnalyse()) }, say("replay")),
        ),
      ),
      h("div", { class: "told" }, this.graph, this.now, this.moves),
    );
  }

  get last() {
    return this.game?.moves.length ?? 0;
  }

  /** Shows a game where it turned, or else its end. @param {Facts} facts @param {Detail} detail @param {number} [ply] */
  show(facts, detail, ply) {
    const game = new Game(this.summary, this.names, facts, detail);
    this.game = game;
    this.element.hidden = false;
    this.story.replaceChildren(...game.story().map((sentence) => h("p", {}, sentence)));
    this.turn.hidden = game.turning === null;
    this.graph.hidden = !game.values;
    this.moves.replaceChildren(this.table(game));
    this.go(ply ?? game.turning ?? this.last);
  }

  toTurn() {
    if (this.game?.turning != null) this.go(this.game.turning);
  }

  /** @param {number} ply */
  go(ply) {
    const { game } = this;
    if (!game) return;
    this.ply = Math.max(0, Math.min(this.last, ply));
    const { position, move } = game.steps[this.ply];
    const best = game.values && this.ply < this.last ? (game.best?.[this.ply] ?? PASS) : PASS;
    const discs = [count(position, BLACK), count(position, WHITE)];
    this.board.show({
      position,
      last: move,
      marks: new Map(best === PASS ? [] : [[best, { text: "", best: true }]]),
      label: say("boardOf", { status: `${say("black")} ${discs[0]}, ${say("white")} ${discs[1]}` }),
    });
    this.seats.replaceChildren(
      ...[game.facts.black, game.facts.white].map((player, at) =>
        h(
          "div",
          {},
          h("span", { class: `pip ${sideOf(at + 1)}` }),
          h("span", { class: "who", title: this.names[player] }, this.names[player]),
          h("b", {}, String(discs[at])),
        ),
      ),
    );
    this.now.replaceChildren(...game.sentence(this.ply, best));
    if (game.values)
      this.graph.show({
        values: game.values,
        at: this.ply,
        marks: new Map(game.turning === null ? [] : [[game.turning + 1, "blunder"]]),
        inDiscs: true,
        most: this.summary.variant.rows * this.summary.variant.columns,
        names: game.steps.map((step) => (step.move === null ? "" : squareName(step.move))),
        exactFrom: game.exactFrom,
      });
    this.reveal();
    this.moved(this.ply);
  }

  /** Marks the move shown in the list, and scrolls the list to it: never the page. */
  reveal() {
    for (const row of this.moves.querySelectorAll("[aria-current]")) row.removeAttribute("aria-current");
    const row = this.moves.querySelectorAll("tbody tr")[this.ply - 1];
    if (!(row instanceof HTMLElement)) {
      this.moves.scrollTop = 0;
      return;
    }
    row.setAttribute("aria-current", "step");
    const head = 30, // beneath which the rows go
      { scrollTop, clientHeight } = this.moves;
    this.moves.scrollTop = Math.max(Math.min(scrollTop, row.offsetTop - head), row.offsetTop + row.offsetHeight - clientHeight);
  }

  /** @param {Game} game */
  table(game) {
    const heads = ["", "move", ...(game.values ? ["forBlack", "lost"] : []), "ownValue", "depthColumn", "timeColumn"];
    return h(
      "table",
      {},
      h("thead", {}, h("tr", {}, ...heads.map((key) => (key ? h("th", { scope: "col" }, say(key)) : h("td"))))),
      h(
        "tbody",
        {},
        ...game.moves.map((_, at) =>
          h(
            "tr",
            {
              class: [at < game.first ? "opening" : "", at === game.turning ? "turn" : ""].join(" "),
              onclick: () => this.go(at + 1),
            },
            ...game.cells(at).map((cell) => h("td", {}, cell)),
          ),
        ),
      ),
    );
  }
}

/** A game as it is shown: its positions, and what each move lost. */
class Game {
  /** @param {Summary} summary @param {string[]} names @param {Facts} facts @param {Detail} detail */
  constructor(summary, names, facts, detail) {
    const [moves, spent, scores, depths, values, best, exactFrom, turning] = detail;
    this.moves = moves;
    this.spent = spent; // microseconds, for the moves after the opening
    this.scores = scores;
    this.depths = depths;
    this.values = values; // a judge's, for every position
    this.best = best;
    this.exactFrom = exactFrom;
    this.turning = turning;
    this.summary = summary;
    this.names = names;
    this.facts = facts;
    /** How many moves were the opening's. */
    this.first = this.moves.length - this.spent.length;
    this.steps = replayed(
      positionFrom(facts.start || summary.variant.start, variantNamed(summary.variant.name)),
      this.moves,
    );
    this.losses = this.moves.map((move, at) => {
      const [before, after] = [this.values?.[at] ?? null, this.values?.[at + 1] ?? null];
      if (before === null || after === null) return null;
      const fall = this.steps[at + 1].mover === BLACK ? before - after : after - before;
      return move === this.best?.[at] ? 0 : Math.max(0, fall);
    });
  }

  /** Whether the value of a position is proven. @param {number} ply */
  exact(ply) {
    return ply >= (this.exactFrom ?? Infinity);
  }

  /** @param {number} ply @param {number} [view] 1 for Black's */
  worth(ply, view = 1) {
    const value = this.values?.[ply] ?? null;
    return value === null ? "–" : figure(view * value, "discs", this.exact(ply));
  }

  /** What a move lost, where that is worth saying. @param {number} at */
  lost(at) {
    const loss = this.losses[at] ?? 0;
    return loss < NOTICED ? "" : figure(-loss, "discs", this.exact(at));
  }

  /** @returns {import("../types").NewGame} */
  toAnalyse() {
    const { facts, summary, names } = this;
    return {
      variant: summary.variant.name,
      start: facts.start || null,
      moves: this.moves.map(squareName).join(""),
      tags: { Black: names[facts.black], White: names[facts.white] },
    };
  }

  /** A row of the list. @param {number} at @returns {(Node | string)[]} */
  cells(at) {
    const own = at - this.first,
      score = this.scores[own] ?? null,
      depth = this.depths[own];
    const move = h("span", {}, h("span", { class: `pip ${sideOf(this.steps[at + 1].mover ?? BLACK)}` }), ` ${squareName(this.moves[at])}`);
    const proven = h("span", { class: this.exact(at + 1) ? "proven" : "", title: say(this.exact(at + 1) ? "proven" : "estimated") }, this.worth(at + 1));
    return [
      String(at + 1),
      move,
      ...(this.values ? [proven, h("span", { class: "loss" }, this.lost(at))] : []),
      own < 0 ? "" : ownValue(score),
      own < 0 || !depth ? "" : String(depth),
      own < 0 ? say("openingMove") : duration(this.spent[own] / 1e6),
    ];
  }

  /** Why it was lost, in sentences. */
  story() {
    const { facts, names, values, turning } = this;
    const loser = facts.winner === null ? 0 : 1 - facts.winner;
    const player = (/** @type {number} */ side) => names[side ? facts.white : facts.black];
    const side = say(sideOf(loser + 1));
    const told = [];
    if (facts.winner === null) told.push(say("draw"));
    else if (facts.forfeit) told.push(say("forfeitedBy", { side, player: player(loser), reason: heard(facts.forfeit) }));
    else {
      const winner = { side: say(sideOf(facts.winner + 1)), player: player(facts.winner) };
      told.push(say("wonBy", { ...winner, margin: Math.abs(facts.score ?? 0) }));
    }
    if (this.summary.variant.reversed) told[0] += ` (${say("fewestWin")})`;
    if (facts.called) told.push(say("openingCalled", { name: facts.called }));
    if (turning !== null) {
      const view = loser ? -1 : 1;
      told.push(
        say("turnedWith", {
          number: turning + 1,
          side,
          move: squareName(this.moves[turning]),
          before: this.worth(turning, view),
          after: this.worth(turning + 1, view),
          best: squareName(this.best?.[turning] ?? PASS),
        }),
      );
    }
    if (values) {
      const sum = (/** @type {number} */ color) =>
        this.losses
          .filter((_, at) => at >= this.first && this.steps[at + 1].mover === color)
          .reduce((/** @type {number} */ all, loss) => all + (loss ?? 0), 0)
          .toFixed(0);
      told.push(say("givenAway", { black: sum(BLACK), white: sum(WHITE) }));
    }
    return told;
  }

  /** What is to be said of a position. @param {number} ply @param {number} best @returns {(Node | string)[]} */
  sentence(ply, best) {
    const { move, mover, passed } = this.steps[ply];
    const told = [];
    if (passed) told.push(say("passes", { side: say(sideOf(passed)) }));
    if (move === null) told.push(h("b", {}, say("startPosition")));
    else {
      told.push(h("b", {}, `${ply}. ${say(sideOf(mover ?? BLACK))} ${squareName(move)}`));
      if (ply <= this.first) told.push(`(${say("openingMove")})`);
      const lost = this.lost(ply - 1);
      const better = squareName(this.best?.[ply - 1] ?? PASS);
      if (lost) told.push(h("span", { class: "loss" }, say("gaveAway", { discs: lost.slice(1), best: better })));
    }
    if (this.worth(ply) !== "–") told.push(say(this.exact(ply) ? "provenFor" : "estimatedFor", { value: this.worth(ply) }));
    if (best !== PASS) told.push(say("wouldPlay", { move: squareName(best) }));
    if (ply === this.moves.length) told.push(say(this.facts.forfeit ? "forfeitedHere" : "gameIsOver"));
    return told.flatMap((each) => [each, " "]);
  }
}

/** Every position of a game; passes are not among its moves. @param {Position} start @param {number[]} moves */
export function replayed(start, moves) {
  let position = start;
  /** @type {Step[]} */
  const steps = [{ position, move: null, mover: null, passed: null }];
  for (const move of moves) {
    const passed = flips(position, move).length ? null : position.turn;
    if (passed) position = play(position, PASS);
    const mover = position.turn;
    position = play(position, move);
    steps.push({ position, move, mover, passed });
  }
  return steps;
}

/** What a player said of its own move. @param {number | null} score */
function ownValue(score) {
  if (score === null) return "–";
  if (Math.abs(score) >= WON) return signed(score - Math.sign(score) * WON, 0);
  return signed(score, Math.abs(score) < 100 ? 1 : 0);
}
