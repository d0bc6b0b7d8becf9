/**
 * <move-list>: a game's moves in two columns, Black's and White's (passes are written, so they alternate). Chosen moves
 * are told by a `node` event. Losses and marks appear where a review has found them, branches as small buttons.
 */

import { h } from "./dom.js";
import { duration, say } from "./language.js";
import { figure } from "./values.js";

/** @typedef {import("./session.js").Session} Session */
/** @typedef {import("../types").NodeOut} Node */

export const MARKS = { inaccuracy: "?!", mistake: "?", blunder: "??" };

export class MoveList extends HTMLElement {
  constructor() {
    super();
    this.drawn = "";
    // The cards beside it grow and shrink, and the list with them: the current move stays in sight.
    new ResizeObserver(() => this.reveal(this.querySelector("[aria-current]"))).observe(this);
    this.addEventListener("click", (event) => {
      const id =
        event.target instanceof Element ? event.target.closest("[data-node]")?.getAttribute("data-node") : null;
      if (id) this.dispatchEvent(new CustomEvent("node", { detail: Number(id), bubbles: true }));
    });
  }

  /** @param {Session} session @param {{details?: boolean}} [how] */
  show(session, { details = false } = {}) {
    const line = session.line;
    const key = JSON.stringify([
      line.map((node) => [node.id, node.review?.loss ?? null, node.score, node.move]),
      session.nodes.size,
      details,
      say("pass"),
    ]);
    if (key !== this.drawn) {
      this.drawn = key;
      this.draw(session, line, details);
    }
    for (const entry of this.querySelectorAll("[aria-current]")) entry.removeAttribute("aria-current");
    const current = this.querySelector(`button.move[data-node="${session.cursor}"]`);
    current?.setAttribute("aria-current", "true");
    // What was taken back stays in the list, to be played again; it does not look as if it stood on the board.
    const ply = session.ply;
    this.querySelectorAll("button.move").forEach((entry, index) => entry.classList.toggle("ahead", index >= ply));
    this.reveal(current);
  }

  /** Scrolls the list, never the page. @param {Element | null} entry */
  reveal(entry) {
    if (!(entry instanceof HTMLElement)) {
      this.scrollTop = 0;
      return;
    }
    const top = entry.offsetTop,
      bottom = top + entry.offsetHeight,
      row = entry.offsetHeight + 1; // and the line between two rows
    const whole = (/** @type {number} */ height) => Math.ceil(height / row) * row;
    if (top < this.scrollTop + 8) this.scrollTop = Math.max(0, whole(top - row) - row);
    else if (bottom > this.scrollTop + this.clientHeight - 8) this.scrollTop = whole(bottom - this.clientHeight + 8);
  }

  /** @param {Session} session @param {Node[]} line @param {boolean} details */
  draw(session, line, details) {
    if (!line.length) {
      const rules = h("button", { type: "button", class: "link" }, say("rules"));
      rules.addEventListener("click", () => this.dispatchEvent(new CustomEvent("rules", { bubbles: true })));
      this.replaceChildren(h("p", { class: "none" }, say("noMoves")), rules);
      return;
    }
    const list = h("ol", { "aria-label": say("moves") });
    if (line[0].color === "white") list.append(h("li", { class: "gap", "aria-hidden": "true" }));
    line.forEach((node, index) => list.append(this.entry(session, node, index, details)));
    this.replaceChildren(list);
  }

  /** @param {Session} session @param {Node} node @param {number} index @param {boolean} details */
  entry(session, node, index, details) {
    const review = node.review;
    const mark = review?.mark ? MARKS[review.mark] : "";
    const loss = details && review && review.loss >= 0.5 ? figure(-review.loss, review.unit, review.exact) : "";
    const spoken = [
      say(node.color ?? "black"),
      node.move === "pass" ? say("pass") : node.move,
      review?.mark ? say(`mark.${review.mark}`) : "",
      loss ? say("loses", { discs: review?.loss.toFixed(1) ?? "" }) : "",
    ]
      .filter(Boolean)
      .join(", ");
    const others = session.children(node.parent ?? 0).filter((each) => each.id !== node.id);
    return h(
      "li",
      {},
      h(
        "button",
        {
          type: "button",
          class: `move ${review?.mark ?? ""}`,
          "data-node": node.id,
          "aria-label": `${index + 1}. ${spoken}`,
        },
        h("span", { class: "ply" }, String(index + 1)),
        h("span", { class: `pip ${node.color}` }),
        h("span", { class: "square" }, node.move === "pass" ? say("pass") : node.move, mark ? h("b", {}, mark) : null),
        details ? h("span", { class: "loss" }, loss) : h("span", { class: "told" }, told(node)),
      ),
      ...others.map((each) =>
        h(
          "button",
          {
            type: "button",
            class: "branch",
            "data-node": each.id,
            "aria-label": say("branch", { move: each.move ?? "" }),
          },
          each.move === "pass" ? say("pass") : each.move,
        ),
      ),
    );
  }
}

/** What a computer said of its move: its value and its time. @param {Node} node */
function told(node) {
  if (node.by === null || node.by === "human" || node.move === "pass") return "";
  return [
    node.score === null ? "" : figure(node.score, node.unit, node.exact),
    node.seconds === null ? "" : duration(node.seconds),
  ]
    .filter(Boolean)
    .join(" ");
}

customElements.define("move-list", MoveList);
