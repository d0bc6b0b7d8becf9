/** How a player thinks: what it said of a move, or says while it looks for one, in words and bars. */

import { button, h } from "./dom.js";
import { duration, grouped, heard, percent, say } from "./language.js";
import { certainty, counted, figure } from "./values.js";

/** What a player says of a move, chosen or not yet.
 * @typedef {Omit<import("../types").Thinking, "type" | "node">} Judged */

const UNSURE = /^engine:level=\d$/; // the levels that err like people

export class ThinkingPanel {
  /** @param {() => void} toggled the line is wanted on the board, or no longer @param {() => void} examine */
  constructor(toggled, examine) {
    this.lined = false;
    this.title = h("p", { class: "thinker" });
    this.facts = h("dl", { class: "facts" });
    this.bars = h("ol", { class: "alternatives", "aria-label": say("candidates") });
    this.lineButton = button(
      "chart",
      say("showLine"),
      () => {
        this.lined = !this.lined;
        this.lineButton.setAttribute("aria-pressed", String(this.lined));
        toggled();
      },
      { "aria-pressed": "false" },
    );
    this.examineButton = button("flask", say("takeApart"), examine);
    this.element = h(
      "div",
      { class: "thinking-panel" },
      this.title,
      h("div", { class: "row" }, this.lineButton, this.examineButton),
      h("div", { class: "thought", tabindex: "0" }, this.facts, this.bars),
    );
  }

  /** @param {Judged | null} judged @param {string} name whose thought it is @param {string | null} move what it chose; none while it thinks */
  show(judged, name, move) {
    const thought = judged?.thought;
    this.element.classList.toggle("live", judged !== null && move === null);
    this.lineButton.disabled = !thought || thought.pv.length < (move ? 2 : 1);
    if (!judged || !thought) {
      this.title.textContent = say("noThought");
      this.facts.replaceChildren();
      this.bars.replaceChildren();
      return;
    }
    const chosen = move ?? thought.pv[0] ?? "";
    this.title.textContent = move ? say("chose", { name, move }) : say("prefers", { name, move: chosen || "…" });
    const { unit } = judged;
    const playouts = thought.candidates.some(({ visits }) => visits !== null);
    const how = certainty({ exact: judged.exact, depth: judged.depth, selectivity: thought.selectivity });
    const score = figure(judged.score ?? 0, unit, judged.exact);
    const values = thought.candidates.map(({ value }) => value ?? 0);
    const facts = [
      [say("value"), judged.score === null ? say("noValue") : `${score} ${say(`unit.${counted(score, unit)}`)}`],
      [say("howSure"), !how || playouts ? "" : judged.exact ? how : depthOf(judged.depth ?? 0, thought.selectivity)],
      [say(playouts ? "playouts" : "positions"), thought.nodes ? grouped(thought.nodes) : ""],
      [say("timeUsed"), judged.seconds === null ? "" : duration(judged.seconds)],
      [say("expects"), thought.pv.join(" ")],
      [say("itSays"), judged.text ? heard(judged.text) : ""],
      [say("onPurpose"), move && UNSURE.test(judged.by ?? "") && values.some((value) => value > (judged.score ?? value)) ? say("misjudges") : ""],
    ];
    this.facts.replaceChildren(
      ...facts.filter(([, text]) => text).flatMap(([term, text]) => [h("dt", {}, term), h("dd", {}, text)]),
    );
    const all = thought.candidates.reduce((sum, { visits }) => sum + (visits ?? 0), 0);
    const least = Math.min(...values),
      most = Math.max(...values);
    this.bars.replaceChildren(
      ...thought.candidates.map(({ move: each, value, visits }) => {
        const share = visits !== null && all ? visits / all : most > least ? ((value ?? 0) - least) / (most - least) : 1;
        const bar = h("span", { class: "part" });
        bar.style.inlineSize = `${100 * share}%`;
        return h(
          "li",
          { class: each === chosen ? "chosen" : "" },
          h("b", {}, each),
          h("span", { class: "track" }, bar),
          h("span", {}, value === null ? "–" : figure(value, unit, false)),
          visits === null ? null : h("span", {}, all ? percent(visits / all) : "–"),
        );
      }),
    );
  }
}

/** @param {number} depth @param {number | null} selectivity */
const depthOf = (depth, selectivity) =>
  selectivity === null || selectivity === 100 ? say("depth", { depth }) : say("depthAt", { depth, percent: selectivity });
