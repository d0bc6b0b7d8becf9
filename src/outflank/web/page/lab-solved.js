/** Solved boards: who wins with perfect play, what is proved of every move, and the perfect line. */

import { api } from "./api.js";
import "./board.js";
import { attempt } from "./dialogs.js";
import { button, field, h, iconButton, select } from "./dom.js";
import { say, signed } from "./language.js";
import { positionFrom, sideOf, squareName, squareNamed, startOf, variantNamed } from "./rules.js";
import { variantTitle } from "./variants.js";

/** @typedef {import("../types").SolvedBoard} SolvedBoard */
/** @typedef {import("../types").Proved} Proved */

export class SolvedPanel {
  constructor() {
    this.moves = "";
    this.ready = false;
    /** @type {SolvedBoard[]} */
    this.boards = [];
    /** @type {Proved | null} */
    this.proved = null;
    this.board = /** @type {import("./board.js").OthelloBoard} */ (document.createElement("othello-board"));
    this.board.addEventListener("square", (event) =>
      this.go(this.moves + squareName(/** @type {CustomEvent<number>} */ (event).detail)),
    );
    this.select = select([], "");
    this.select.addEventListener("change", () => this.go(""));
    this.verdict = h("p", { class: "worth", role: "status" });
    this.here = h("p", { class: "here" });
    this.values = h("ul", { class: "proved" });
    this.line = h("p", { class: "perfect" });
    this.element = h(
      "div",
      { class: "bench" },
      h(
        "div",
        { class: "bench-board" },
        h("div", { class: "stage" }, h("div", { class: "wood" }, this.board)),
        h(
          "div",
          { class: "row tight" },
          iconButton("first", say("first"), () => this.go("")),
          iconButton("back", say("back"), () => this.go(this.moves.slice(0, -2))),
          button("forward", say("solved.step"), () => this.step()),
        ),
      ),
      h(
        "div",
        { class: "card bench-side" },
        field(say("solved.board"), this.select),
        this.verdict,
        this.here,
        this.values,
        this.line,
        h("p", { class: "none" }, say("solved.about")),
      ),
    );
  }

  /** @param {boolean} visible */
  set shown(visible) {
    if (visible && !this.ready) attempt(() => this.begin());
  }

  async begin() {
    this.boards = await api.solvedBoards();
    this.ready = true;
    this.select.replaceChildren(
      ...this.boards.map(({ variant, value }) =>
        h("option", { value: variant.name }, `${variantTitle(variant.name)} · ${verdict(value)}`),
      ),
    );
    await this.ask("");
  }

  /** @param {string} moves */
  go(moves) {
    attempt(() => this.ask(moves));
  }

  step() {
    const next = this.proved?.line.find((move) => move !== "pass");
    if (next) this.go(this.moves + next);
  }

  /** @param {string} moves */
  async ask(moves) {
    const variant = this.select.value;
    if (!moves) this.board.show({ position: startOf(variantNamed(variant)) }); // what is proved follows
    const proved = await api.solved({ variant, moves });
    if (this.select.value !== variant) return;
    this.moves = moves;
    this.proved = proved;
    this.show(proved);
  }

  /** @param {Proved} proved */
  show(proved) {
    const { position, least, most, moves } = proved;
    const value = this.boards.find(({ variant }) => variant.name === this.select.value)?.value ?? 0;
    this.verdict.textContent = `${say("solved.title")} ${verdict(value)}`;
    const rules = variantNamed(position.variant);
    const best = moves[0]?.least;
    const marks = new Map(
      moves
        .filter((each) => each.least === each.most || bounded(each, position))
        .map((each) => [
          squareNamed(each.move),
          { text: bound(each, position), exact: each.least === each.most, best: each.least === each.most && each.least === best },
        ]),
    );
    this.board.show({
      position: positionFrom(`${position.board} ${position.turn === "black" ? "X" : "O"}`, rules),
      open: true,
      last: this.moves ? squareNamed(this.moves.slice(-2)) : null,
      marks,
    });
    const side = say(sideOf(position.turn === "black" ? 1 : 2));
    this.here.textContent = position.over
      ? say("solved.over")
      : least === most
        ? say("solved.here", { side, value: signed(least) })
        : say("solved.unknown", { side });
    this.values.replaceChildren(
      ...moves.map((each) =>
        h("li", {}, h("b", {}, each.move), ` ${bounded(each, position) ? bound(each, position) : say("solved.nothing")}`),
      ),
    );
    this.line.textContent = proved.line.length ? say("solved.line", { line: proved.line.join(" ") }) : "";
  }
}

/** Whether anything is proved of a move. @param {{least: number, most: number}} each
 * @param {import("../types").PositionOut} position */
const bounded = (each, { rows, columns }) => each.least > -rows * columns || each.most < rows * columns;

/** A value, or the bound of it that is known. @param {{least: number, most: number}} each
 * @param {import("../types").PositionOut} position */
function bound(each, { rows, columns }) {
  if (each.least === each.most) return signed(each.least);
  return each.most < rows * columns ? `≤${signed(each.most)}` : `≥${signed(each.least)}`;
}

/** @param {number} value Black's */
function verdict(value) {
  if (value === 0) return say("solved.draw");
  return say(value > 0 ? "solved.black" : "solved.white", { margin: Math.abs(value) });
}
