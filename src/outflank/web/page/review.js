/** What a review found: who lost how much, and by what. */

import { h } from "./dom.js";
import { say } from "./language.js";

/** @typedef {import("../types").NodeOut} Node */

/** Both sides' losses and marks. @param {Node[]} reviewed the reviewed moves of a line */
export function summaryTable(reviewed) {
  const marks = /** @type {const} */ (["inaccuracy", "mistake", "blunder"]);
  const row = (/** @type {"black" | "white"} */ side) => {
    const own = reviewed.filter((node) => node.color === side && node.move !== "pass");
    const loss = own.reduce((sum, node) => sum + (node.review?.loss ?? 0), 0);
    return h(
      "tr",
      {},
      h("th", { scope: "row" }, h("span", { class: `pip ${side}` }), say(side)),
      h("td", { class: "number" }, loss.toFixed(1)),
      ...marks.map((mark) =>
        h("td", { class: "number" }, String(own.filter((node) => node.review?.mark === mark).length)),
      ),
    );
  };
  return h(
    "table",
    {},
    h(
      "thead",
      {},
      h(
        "tr",
        {},
        h("th", { scope: "col" }, say("player")),
        h("th", { scope: "col", class: "number" }, say("lost")),
        ...marks.map((mark) => h("th", { scope: "col", class: "number" }, say(`marks.${mark}`))),
      ),
    ),
    h("tbody", {}, row("black"), row("white")),
  );
}
