/** The Values panel of Analyse: the moves with what they are worth, how surely, and their main lines. */

import { button, h, select } from "./dom.js";
import { say } from "./language.js";
import { squareNamed } from "./rules.js";
import { settings } from "./settings.js";
import { certainty, figure } from "./values.js";

/** @typedef {import("../types").Hint} Hint */
/** @typedef {import("../types").Hints} Hints */

/** Events: `line` (what the pointer is on has changed), `toggle` (values on the board), `time`. */
export class Candidates extends EventTarget {
  /** @param {import("../types").About} about @param {import("./session.js").Session} session */
  constructor(about, session) {
    super();
    this.session = session;
    this.showLine = false;
    /** @type {string[] | null} a variation that the pointer or focus is on */
    this.hovered = null;
    this.toggle = button("bulb", say("values"), () => this.tell("toggle"), { "aria-pressed": "true" });
    this.lineToggle = button("forward", say("showLine"), () => this.toggleLine(), { "aria-pressed": "false" });
    this.seconds = select(
      about.analysis.seconds.map((each) => [String(each), say("seconds", { seconds: each })]),
      String(settings.values.seconds),
      { "aria-label": say("analysisTime") },
    );
    this.seconds.addEventListener("change", () => {
      settings.values.seconds = Number(this.seconds.value);
      this.tell("time");
    });
    this.list = h("div", { class: "candidates" });
    this.found = h("p", { class: "none" });
    this.element = h(
      "section",
      { class: "card panel worths" },
      h("div", { class: "row tight" }, this.toggle, this.lineToggle),
      h("div", { class: "told-of" }, this.found, this.seconds),
      this.list,
      h(
        "p",
        { class: "legend-of" },
        h("b", {}, "+4"),
        ` ${say("legendExact")} · `,
        h("i", {}, "+4.2"),
        ` ${say("legendEstimate")} · `,
        h("span", {}, "@14 73%"),
        ` ${say("legendDepth")}`,
      ),
    );
  }

  /** @param {string} what */
  tell(what) {
    this.dispatchEvent(new Event(what));
  }

  toggleLine() {
    this.showLine = !this.showLine;
    this.lineToggle.setAttribute("aria-pressed", String(this.showLine));
    this.tell("line");
  }

  /** The variation to show on the board. @param {Hints | undefined} hints */
  line(hints) {
    return this.hovered ?? (this.showLine ? hints?.hints[0]?.pv : undefined);
  }

  /** @param {Hints | undefined} hints @param {boolean} over */
  show(hints, over) {
    this.toggle.setAttribute("aria-pressed", String(settings.values.values));
    this.found.textContent = over
      ? say("gameOver")
      : !settings.values.values
        ? ""
        : [progressOf(hints), hints?.depth ? depthOf(hints) : ""].filter(Boolean).join(" · ");
    const shown = settings.values.values && !over ? (hints?.hints ?? []) : [];
    const focused = document.activeElement?.getAttribute("data-candidate");
    this.list.replaceChildren(...shown.map((hint) => this.candidate(hint, hints?.unit ?? "discs")));
    if (focused)
      /** @type {HTMLElement | null} */ (this.list.querySelector(`[data-candidate="${focused}"]`))?.focus();
  }

  /** @param {Hint} hint @param {string} unit */
  candidate(hint, unit) {
    const point = (/** @type {string[] | null} */ line) => () => {
      this.hovered = line;
      this.tell("line");
    };
    return h(
      "button",
      {
        type: "button",
        class: `candidate ${hint.exact ? "exact" : ""}`,
        "data-candidate": hint.move,
        onclick: () => {
          this.hovered = null;
          this.session.move(squareNamed(hint.move));
        },
        onpointerenter: point(hint.pv),
        onpointerleave: point(null),
        onfocus: point(hint.pv),
        onblur: point(null),
      },
      h("b", {}, hint.move),
      h("span", { class: "score" }, figure(hint.score, unit, hint.exact)),
      h("small", {}, certainty(hint)),
      h("span", { class: "pv" }, hint.pv.slice(1, 10).join(" ")),
    );
  }
}

/** Where a search stands. That its time is up does not mean that it has found out.
 * @param {Hints | null | undefined} hints */
function progressOf(hints) {
  if (!hints?.done) return say("searching");
  return say(hints.hints.length && hints.hints.every((hint) => hint.exact) ? "allProven" : "timeUp");
}

/** How deep all moves were looked at, and how surely. @param {Hints} hints */
function depthOf({ depth, selectivity }) {
  return selectivity === null || selectivity === 100 ? say("depth", { depth }) : say("depthAt", { depth, percent: selectivity });
}
