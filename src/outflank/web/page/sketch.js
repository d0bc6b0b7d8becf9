/**
 * A board to try things on in the laboratory: moves by click, back, edit, any variant. Nothing is kept on the server.
 */

import { toast } from "./dialogs.js";
import { button, h } from "./dom.js";
import { editPosition } from "./editor.js";
import { say } from "./language.js";
import { VariantPicker } from "./newgame.js";
import { OTHELLO, PASS, isOver, legalMoves, mustPass, play, sideOf, startOf, textOf, variantName } from "./rules.js";
import "./board.js";

/** @typedef {import("./rules.js").Position} Position */

export class Sketch {
  /** @param {() => void} changed @param {HTMLElement} [under] what stands right under the board */
  constructor(changed, under) {
    this.changed = changed;
    /** @type {{position: Position, last: number | null}[]} */
    this.past = [{ position: startOf(OTHELLO), last: null }];
    this.board = /** @type {import("./board.js").OthelloBoard} */ (document.createElement("othello-board"));
    this.board.addEventListener("square", (event) => this.play(/** @type {CustomEvent} */ (event).detail));
    this.board.addEventListener("refused", (event) => {
      if (this.board.view?.open) toast(/** @type {CustomEvent} */ (event).detail.why);
    });
    this.variant = new VariantPicker(OTHELLO);
    this.variant.element.addEventListener("change", () => this.reset(startOf(this.variant.variant)));
    this.badge = h("p", { class: "badge", hidden: true }, say("fewestWin"));
    this.undo = button("undo", say("undo"), () => {
      if (this.past.length > 1) {
        this.past.pop();
        this.changed();
      }
    });
    this.element = h(
      "div",
      { class: "sketch" },
      this.badge,
      h("div", { class: "wood" }, this.board),
      under,
      h(
        "div",
        { class: "row tools" },
        this.undo,
        button("fast", say("randomMoves"), () => this.wander(8)),
        button("edit", say("editor"), () => editPosition(this.position, (position) => this.reset(position))),
        button("first", say("startPosition"), () => this.reset(startOf(this.position.variant))),
      ),
      h("details", { class: "more" }, h("summary", {}, say("variant")), this.variant.element),
    );
  }

  get position() {
    return this.past[this.past.length - 1].position;
  }

  /** For the server. */
  get data() {
    const [board] = textOf(this.position).split(" ");
    return { variant: variantName(this.position.variant), board, turn: sideOf(this.position.turn) };
  }

  /** @param {Partial<import("./board.js").View>} extra */
  show(extra) {
    const { position, last } = this.past[this.past.length - 1];
    this.badge.hidden = position.variant.objective !== "fewest";
    this.undo.disabled = this.past.length < 2;
    this.board.show({ position, last, open: true, ...extra });
  }

  /** @param {number} square */
  play(square) {
    this.step(square);
    this.changed();
  }

  /** @param {number} square */
  step(square) {
    let position = play(this.position, square);
    if (mustPass(position)) position = play(position, PASS);
    this.past.push({ position, last: square });
  }

  /** @param {Position} position */
  reset(position) {
    this.past = [{ position, last: null }];
    this.changed();
  }

  /** Some random moves on, to have something to look at. @param {number} plies */
  wander(plies) {
    for (let ply = 0; ply < plies && !isOver(this.position); ply += 1) {
      const moves = legalMoves(this.position);
      this.step(moves[Math.floor(Math.random() * moves.length)]);
    }
    this.changed();
  }
}
