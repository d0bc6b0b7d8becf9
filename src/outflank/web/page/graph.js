/**
 * <value-graph>: a game's value over its moves, 0 in the middle and Black up. Click or drag to go to a ply (a `ply`
 * event); with the keyboard it is a slider.
 */

import { h, s } from "./dom.js";
import { say, signed } from "./language.js";

const LEFT = 34, // for the labels; all in pixels
  EDGE = 9,
  FOOT = 13; // for the numbers of the plies
const EVERY = [1, 2, 5, 10, 20]; // plies between two numbers
const REACH = [16, 36, 64]; // discs: a close game need not lie flat in the middle
const ROW = 10; // pixels between two labels
let graphs = 0; // so that each has halves of its own

/**
 * @typedef {object} Graph
 * @property {(number | null)[]} values Black's, by ply, the start first
 * @property {number} at the ply shown
 * @property {Map<number, string>} marks plies with a blunder and the like
 * @property {boolean} inDiscs else in a heuristic's own units, whose size says little
 * @property {number} most the largest value that can be: the squares of the board, or what there is
 * @property {string[]} names what was played at each ply
 * @property {number | null} [exactFrom] the ply from which the values are proven: those before it stand back
 */

export class ValueGraph extends HTMLElement {
  constructor() {
    super();
    /** @type {Graph | null} */
    this.graph = null;
    this.number = graphs += 1;
    this.dragging = false;
    /** Drawn as large as it is shown, so that its letters and dots have the same size everywhere. */
    this.wide = 380;
    this.high = 96;
    this.watcher = new ResizeObserver(() => {
      if (!this.clientWidth || (this.wide === this.clientWidth && this.high === this.clientHeight)) return;
      this.wide = this.clientWidth;
      this.high = this.clientHeight;
      if (this.graph) this.show(this.graph);
    });
    this.addEventListener("pointerdown", (event) => {
      this.dragging = true;
      this.setPointerCapture(event.pointerId);
      this.point(event);
    });
    this.addEventListener("pointermove", (event) => {
      if (this.dragging) this.point(event);
    });
    this.addEventListener("pointerup", () => {
      this.dragging = false;
    });
    this.addEventListener("pointercancel", () => {
      this.dragging = false;
    });
    this.addEventListener("keydown", (event) => this.key(event));
  }

  connectedCallback() {
    this.tabIndex = 0;
    this.setAttribute("role", "slider");
    this.setAttribute("aria-label", say("graph"));
    this.watcher.observe(this);
  }

  disconnectedCallback() {
    this.watcher.disconnect();
  }

  get plies() {
    return Math.max(1, (this.graph?.values.length ?? 1) - 1);
  }

  /** @param {number} ply */
  x(ply) {
    return LEFT + ((this.wide - LEFT - EDGE) * ply) / this.plies;
  }

  /** Where nobody leads. */
  get middle() {
    return (this.high - FOOT) / 2;
  }

  /** The plies that have their number below them. */
  get numbered() {
    const every = EVERY.find((step) => (this.plies / step) * 24 <= this.wide - LEFT - EDGE) ?? 20;
    const last = (this.graph?.values.length ?? 1) - 1;
    return Array.from({ length: Math.floor(last / every) }, (_, index) => (index + 1) * every);
  }

  /** The largest value that there is room for. */
  get reach() {
    const { values, most, inDiscs } = this.graph ?? { values: [], most: 64, inDiscs: true };
    const largest = Math.max(0, ...values.map((value) => Math.abs(value ?? 0)));
    return inDiscs ? Math.min(most, REACH.find((each) => largest <= each) ?? most) : most;
  }

  /** Small leads matter most, so the scale is a square root. @param {number} value */
  y(value) {
    const part = Math.sqrt(Math.min(1, Math.abs(value) / this.reach));
    return this.middle - Math.sign(value) * part * (this.middle - EDGE);
  }

  /** @param {PointerEvent} event */
  point(event) {
    const box = this.getBoundingClientRect();
    const x = ((event.clientX - box.left) / box.width) * this.wide;
    this.go(Math.round(((x - LEFT) / (this.wide - LEFT - EDGE)) * this.plies));
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const at = this.graph?.at ?? 0;
    /** @type {Record<string, number>} */
    const targets = {
      ArrowLeft: at - 1,
      ArrowDown: at - 1,
      ArrowRight: at + 1,
      ArrowUp: at + 1,
      Home: 0,
      End: this.plies,
      PageUp: at - 10,
      PageDown: at + 10,
    };
    if (!(event.key in targets)) return;
    this.go(targets[event.key]);
    event.preventDefault();
    event.stopPropagation();
  }

  /** @param {number} ply */
  go(ply) {
    const target = Math.max(0, Math.min((this.graph?.values.length ?? 1) - 1, ply));
    if (target !== this.graph?.at) this.dispatchEvent(new CustomEvent("ply", { detail: target, bubbles: true }));
  }

  /** @param {Graph} graph */
  show(graph) {
    this.graph = graph;
    const value = graph.values[graph.at];
    this.setAttribute("aria-valuemin", "0");
    this.setAttribute("aria-valuemax", String(graph.values.length - 1));
    this.setAttribute("aria-valuenow", String(graph.at));
    this.setAttribute(
      "aria-valuetext",
      [`${graph.at}`, graph.names[graph.at] ?? "", value == null ? "" : say("blackValue", { value: signed(value, 1) })]
        .filter(Boolean)
        .join(", "),
    );
    const known = graph.values.map((each, ply) => ({ value: each, ply })).filter((each) => each.value !== null);
    const { middle } = this;
    // What lies between two values that are known is not known: the curve goes from one ply to the next only.
    const runs = known.reduce((list, each, index) => {
      if (index > 0 && known[index - 1].ply === each.ply - 1) list[list.length - 1].push(each);
      else list.push([each]);
      return list;
    }, /** @type {(typeof known)[]} */ ([]));
    const path = (/** @type {typeof known} */ run) =>
      run.map(({ value: each, ply }) => `${this.x(ply).toFixed(1)} ${this.y(each ?? 0).toFixed(1)}`).join("L");
    const long = runs.filter((run) => run.length > 1);
    const area = long
      .map((run) => `M${this.x(run[0].ply)} ${middle}L${path(run)}L${this.x(run[run.length - 1].ply)} ${middle}Z`)
      .join("");
    // In a low graph some would lie on each other: the outer ones stay.
    const { reach } = this;
    const levels = graph.inDiscs ? [reach, 16, 4].filter((each, index) => each < reach || !index) : [];
    const lines = levels
      .filter((each, index) => middle - this.y(each) > ROW && (!index || this.y(each) - this.y(levels[0]) > ROW))
      .flatMap((each) => [each, -each]);
    this.replaceChildren(
      s(
        "svg",
        { viewBox: `0 0 ${this.wide} ${this.high}`, "aria-hidden": "true" },
        s("clipPath", { id: `above-${this.number}` }, s("rect", { x: 0, y: 0, width: this.wide, height: middle })),
        s("clipPath", { id: `below-${this.number}` }, s("rect", { x: 0, y: middle, width: this.wide, height: middle })),
        ...lines.map((each) => s("path", { class: "level", d: `M${LEFT} ${this.y(each)}H${this.wide - EDGE}` })),
        ...this.numbered.map((ply) => s("text", { class: "ply", x: this.x(ply), y: this.high - FOOT / 2 - 1 }, String(ply))),
        ...[...lines, 0].map((each) => s("text", { x: LEFT - 6, y: this.y(each) }, signed(each))),
        s("path", { class: "area black", d: area, "clip-path": `url(#above-${this.number})` }),
        s("path", { class: "area white", d: area, "clip-path": `url(#below-${this.number})` }),
        !!graph.exactFrom && s("rect", { class: "veil", x: LEFT, width: this.x(graph.exactFrom) - LEFT, height: this.high - FOOT }),
        s("path", { class: "zero", d: `M${LEFT} ${middle}H${this.wide - EDGE}` }),
        s("path", { class: "curve", d: long.map((run) => `M${path(run)}`).join("") }),
        ...runs
          .filter((run) => run.length === 1)
          .map(([{ value: each, ply }]) =>
            s("circle", { class: "lone", cx: this.x(ply), cy: this.y(each ?? 0), r: 2.5 }),
          ),
        s("path", { class: "now", d: `M${this.x(graph.at)} ${EDGE / 2}V${this.high - FOOT}` }),
        ...[...graph.marks].map(([ply, mark]) =>
          s("circle", { class: `dot ${mark}`, cx: this.x(ply), cy: this.y(graph.values[ply] ?? 0), r: 3.5 }),
        ),
        value == null ? null : s("circle", { class: "here", cx: this.x(graph.at), cy: this.y(value), r: 4.5 }),
      ),
    );
  }
}

customElements.define("value-graph", ValueGraph);

/** The evaluation bar beside a board. */
export class ValueBar {
  constructor() {
    this.fill = h("div", { class: "fill" });
    // One for each end: what stands at the leader's does not move to the other.
    this.texts = { black: h("span", { class: "figure" }), white: h("span", { class: "figure white-leads" }) };
    this.element = h(
      "div",
      {
        class: "bar",
        role: "meter",
        "aria-label": say("bar"),
        "aria-valuemin": -64,
        "aria-valuemax": 64,
        "aria-valuenow": 0,
      },
      this.fill,
      this.texts.black,
      this.texts.white,
    );
  }

  /** @param {number | null} black Black's value @param {string} text how it is written @param {number} most */
  show(black, text, most) {
    const part = black === null ? 0 : Math.sign(black) * Math.sqrt(Math.min(1, Math.abs(black) / most));
    this.fill.style.transform = `scaleY(${0.5 + 0.5 * part})`;
    const leads = (black ?? 0) < 0 ? "white" : "black";
    this.texts.black.textContent = this.texts.white.textContent = "";
    this.texts[leads].textContent = text;
    this.element.setAttribute("aria-valuemin", String(-most));
    this.element.setAttribute("aria-valuemax", String(most));
    this.element.setAttribute("aria-valuenow", String(black ?? 0));
    this.element.setAttribute("aria-valuetext", black === null ? say("unknown") : say("blackValue", { value: text }));
  }
}
