/** How a heuristic sees a position: its features, what each adds, the board by its eyes, and sliders to change it. */

import { api } from "./api.js";
import { attempt } from "./dialogs.js";
import { button, field, h, select } from "./dom.js";
import { heard, say, signed } from "./language.js";
import { squareNamed, squaresOf } from "./rules.js";
import { Sketch } from "./sketch.js";
import { choosePlayer, meant, thinkers } from "./thinkers.js";
import { figure } from "./values.js";

/** @typedef {import("../types").FeatureOut} Feature */
/** @typedef {import("../types").DiscClasses} Classes */
/** @typedef {import("../types").Explained} Explanation */

const VIEWS = ["moves", "squares", "classes", "frontier"];

export class HeuristicsPanel {
  /** @param {import("../types").About} about */
  constructor(about) {
    this.about = about;
    /** @type {Explanation | null} */
    this.explanation = null;
    /** @type {Record<string, number[]>} the weights changed by hand */
    this.weights = {};
    this.legend = h("ul", { class: "legend" });
    this.sketch = new Sketch(() => {
      this.sketch.show({}); // the click is on the board at once, its explanation follows
      this.refresh();
    }, this.legend);
    const first = about.heuristics.find((each) => each.name === "combined") ?? about.heuristics[0];
    this.select = thinkers(about, first?.name ?? "");
    this.select.addEventListener("change", () => this.begin());
    this.view = select(
      VIEWS.map((view) => [view, say(`view.${view}`)]),
      "moves",
    );
    this.view.addEventListener("change", () => this.drawBoard());
    this.summary = h("p", { class: "none" });
    this.value = h("p", { class: "worth", role: "status" });
    this.table = h("div", { class: "scroll" });
    this.resetButton = button("undo", say("resetWeights"), () => this.begin());
    this.choice = h("p", { class: "choice", role: "status" });
    /** What is played with the weights as they were, and where. */
    this.usual = { at: "", move: "" };
    this.element = h(
      "div",
      { class: "bench" },
      h("div", { class: "bench-board" }, field(say("view"), this.view), this.sketch.element),
      h(
        "div",
        { class: "card bench-side" },
        h("div", { class: "row" }, field(say("heuristicOrPlayer"), this.select), this.resetButton),
        this.summary,
        this.value,
        this.choice,
        this.table,
      ),
    );
    this.drawn = "";
    this.sketch.show({});
  }

  /** @param {boolean} visible */
  set shown(visible) {
    if (visible) this.refresh();
  }

  /** Shows how a player sees a position. @param {import("./lab.js").Subject} subject */
  examine({ position, player }) {
    choosePlayer(this.select, player, this.about);
    this.weights = {};
    this.drawn = "";
    this.sketch.past = [{ position, last: null }];
    this.sketch.show({});
  }

  /** With the weights as they are made. */
  begin() {
    this.weights = {};
    this.drawn = "";
    this.refresh();
  }

  refresh() {
    this.abort?.abort();
    const abort = (this.abort = new AbortController());
    attempt(async () => {
      try {
        const weights = Object.keys(this.weights).length ? this.weights : null;
        this.explanation = await api.explain(this.sketch.data, meant(this.select.value), weights, abort.signal);
      } catch (error) {
        if (abort.signal.aborted) return;
        this.sketch.show({});
        throw error;
      }
      this.drawBoard();
      this.drawTable();
    });
  }

  drawBoard() {
    const told = this.explanation;
    if (!told) return;
    const view = this.view.value;
    const { position } = this.sketch;
    /** @type {Map<number, number>} */
    let raw = new Map();
    if (view === "moves") raw = new Map(Object.entries(told.heat).map(([name, value]) => [squareNamed(name), value ?? 0]));
    if (view === "squares" && told.squares) {
      const rows = told.squares;
      raw = new Map(squaresOf(position.variant).map((square) => [square, rows[square >> 3][square & 7]]));
    }
    const chosen = this.chosen(told);
    const unit = told.features.length ? "points" : (told.choice?.unit ?? "points");
    const marks = new Map(
      [...raw].map(([square, value]) => [
        square,
        { text: figure(value, unit, false), exact: true, best: view === "moves" && square === squareNamed(chosen) },
      ]),
    );
    this.sketch.show({
      heat: view === "moves" ? spread(raw) : scaled(raw),
      marks,
      kinds: view === "classes" ? kinds(told.classes) : undefined,
      ringed:
        view === "frontier"
          ? new Set([...told.classes.black.frontier, ...told.classes.white.frontier].map(squareNamed))
          : undefined,
    });
    this.drawLegend(view, told);
  }

  /** The move of the player, or the one that looks best to the heuristic. @param {Explanation} told */
  chosen(told) {
    if (told.choice) return told.choice.move;
    const heat = Object.entries(told.heat);
    return heat.reduce((best, each) => ((each[1] ?? -Infinity) > (best[1] ?? -Infinity) ? each : best), heat[0] ?? [""])[0];
  }

  /** Whether other weights make another move. @param {Explanation} told */
  drawChoice(told) {
    const { choice } = told;
    const move = this.chosen(told);
    const at = JSON.stringify([this.sketch.data, this.select.value]);
    const changed = Object.keys(this.weights).length > 0;
    if (!changed) this.usual = { at, move };
    const before = this.usual.at === at ? this.usual.move : "";
    const depth = choice?.depth ?? 1;
    const how = choice && choice.score !== null ? figure(choice.score, choice.unit, choice.exact) : "";
    const said = !move
      ? ""
      : changed && before
        ? say(before === move ? "sameMove" : "otherMove", { move, before })
        : say(choice ? "wouldPlayHere" : "looksBest", { move, depth });
    this.choice.classList.toggle("changed", changed && before !== "" && before !== move);
    this.choice.textContent = [said, how && `${how} ${say(`unit.${choice?.unit}`)}`].filter(Boolean).join(" · ");
  }

  /** @param {string} view @param {Explanation} told */
  drawLegend(view, told) {
    const counts = (/** @type {keyof Classes} */ name) =>
      `${told.classes.black[name].length} : ${told.classes.white[name].length}`;
    const entry = (/** @type {string} */ kind, /** @type {string} */ text) =>
      h("li", {}, h("span", { class: `swatch ${kind}` }), text);
    /** @type {Record<string, HTMLElement[]>} */
    const legends = {
      moves: [entry("good", say("legend.good")), entry("bad", say("legend.bad"))],
      squares: told.squares
        ? [entry("good", say("legend.plus")), entry("bad", say("legend.minus"))]
        : [h("li", {}, say("noTable"))],
      classes: [
        entry("stable", `${say("kind.stable.sign")} ${say("kind.stable")} ${counts("stable")}`),
        entry("semi", `${say("kind.semi.sign")} ${say("kind.semi")} ${counts("semi_stable")}`),
        entry("unstable", `${say("kind.unstable.sign")} ${say("kind.unstable")} ${counts("unstable")}`),
      ],
      frontier: [entry("frontier", `${say("kind.frontier")} ${counts("frontier")}`)],
    };
    this.legend.replaceChildren(...legends[view]);
  }

  drawTable() {
    const told = this.explanation;
    if (!told) return;
    this.drawChoice(told);
    this.summary.textContent = heard(told.summary);
    this.value.hidden = told.value === null;
    const side = say(this.sketch.data.turn);
    this.value.replaceChildren(
      say("worth", { side }),
      " ",
      h("b", {}, told.value === null ? "–" : signed(told.value, digits(told.value))),
      told.phase !== null && told.phases > 1
        ? h("span", { class: "none" }, ` ${say("phase", { phase: told.phase + 1, phases: told.phases })}`)
        : "",
    );
    this.resetButton.disabled = Object.keys(this.weights).length === 0;
    const most = Math.max(1e-9, ...told.features.map((feature) => Math.abs(feature.share ?? 0)));
    const key = JSON.stringify([told.heuristic, told.phase, told.features.map((feature) => feature.name)]);
    if (this.drawn === key) {
      this.update(told.features, most);
      return;
    }
    this.drawn = key;
    const weighted = told.features.some((feature) => feature.weight !== null);
    const shared = !weighted && told.features.some((feature) => feature.share !== null);
    this.rows = told.features.map((feature) => this.row(feature, told.phase ?? 0, weighted, shared));
    const head = ["feature", ...(shared ? ["share"] : ["own", "other"]), ...(weighted ? ["difference", "weight", "share"] : [])];
    this.table.replaceChildren(
      told.features.length
        ? h(
            "table",
            { class: shared ? "features shapes" : "features" },
            h(
              "thead",
              {},
              h(
                "tr",
                {},
                ...head.map((name) =>
                  h(
                    "th",
                    { scope: "col", class: ["own", "other", "difference"].includes(name) ? "number" : "" },
                    say(`col.${name}`),
                  ),
                ),
              ),
            ),
            h("tbody", {}, ...this.rows.map((row) => row.element)),
          )
        : h("p", { class: "none" }, say(told.choice && !told.heuristic ? "noHeuristic" : "noFeatures")),
    );
    this.update(told.features, most);
  }

  /** @param {Feature} feature @param {number} phase @param {boolean} weighted @param {boolean} shared shares alone */
  row(feature, phase, weighted, shared) {
    const cell = () => h("td", { class: "number" });
    const own = cell(),
      opp = cell(),
      counts = cell();
    const bar = h("span", { class: "bar-fill" }),
      figure = h("span", { class: "figure" });
    const span = Math.max(1, Math.abs(feature.weight ?? 0) * 3);
    const slider = h("input", {
      type: "range",
      min: -span,
      max: span,
      step: span / 300,
      value: feature.weight ?? 0,
      "aria-label": say("weightOf", { name: heard(feature.name) }),
    });
    const number = h("input", {
      type: "number",
      step: "any",
      value: feature.weight ?? 0,
      "aria-label": say("weightOf", { name: heard(feature.name) }),
    });
    /** @param {number} value */
    const change = (value) => {
      const weights = [...(this.weights[feature.name] ?? feature.weights ?? [feature.weight ?? 0])];
      weights[weights.length > 1 ? phase : 0] = value;
      this.weights[feature.name] = weights;
      this.refresh();
    };
    slider.addEventListener("input", () => {
      number.value = slider.value;
      change(Number(slider.value));
    });
    number.addEventListener("change", () => {
      if (Number.isFinite(number.valueAsNumber)) change(number.valueAsNumber);
    });
    const element = h(
      "tr",
      {},
      h("th", { scope: "row" }, heard(feature.name)),
      ...(shared ? [] : [own, opp]),
      ...(weighted ? [counts, h("td", {}, h("span", { class: "weight" }, slider, number))] : []),
      ...(weighted || shared ? [h("td", { class: "share" }, bar, figure)] : []),
    );
    return { element, own, opp, counts, bar, figure, slider, number };
  }

  /** @param {Feature[]} features @param {number} most */
  update(features, most) {
    features.forEach((feature, index) => {
      const row = this.rows?.[index];
      if (!row) return;
      row.own.textContent = brief(feature.own ?? 0);
      row.opp.textContent = brief(feature.opp ?? 0);
      row.counts.textContent = feature.counts === null ? "" : brief(feature.counts);
      if (feature.weight !== null && document.activeElement !== row.slider && document.activeElement !== row.number) {
        row.slider.value = String(feature.weight);
        row.number.value = String(Number(feature.weight.toPrecision(6)));
      }
      const share = feature.share ?? 0;
      row.figure.textContent = signed(share, digits(share));
      row.bar.style.width = `${(50 * Math.abs(share)) / most}%`;
      row.bar.className = `bar-fill ${share < 0 ? "bad" : "good"}`;
    });
  }
}

/** @param {number} value */
const digits = (value) => (Number.isInteger(value) || Math.abs(value) >= 1000 ? 0 : Math.abs(value) < 10 ? 2 : 1);

/** @param {number} value */
function brief(value) {
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  return (Number.isInteger(value) || Math.abs(value) >= 100 ? String(Math.round(value)) : value.toFixed(1)).replace(
    "-",
    "−",
  );
}

/** The best of the moves is 1, the worst -1. @param {Map<number, number>} values */
function spread(values) {
  const least = Math.min(...values.values()),
    most = Math.max(...values.values());
  return new Map(
    [...values].map(([square, value]) => [square, most > least ? (2 * (value - least)) / (most - least) - 1 : 0]),
  );
}

/** By the largest of all. @param {Map<number, number>} values */
function scaled(values) {
  const most = Math.max(1e-9, ...[...values.values()].map(Math.abs));
  return new Map([...values].map(([square, value]) => [square, value / most]));
}

/** @param {Explanation["classes"]} classes */
function kinds(classes) {
  /** @type {Map<number, string>} */
  const found = new Map();
  for (const side of [classes.black, classes.white]) {
    for (const name of side.stable) found.set(squareNamed(name), "stable");
    for (const name of side.semi_stable) found.set(squareNamed(name), "semi");
    for (const name of side.unstable) found.set(squareNamed(name), "unstable");
  }
  return found;
}
