/**
 * A search, drawn and stepped through: what is looked at, what each side is sure of, and what need not be looked at.
 */

import { api } from "./api.js";
import { announce, attempt } from "./dialogs.js";
import { field, h, icon, iconButton, s, select } from "./dom.js";
import { known, language, say } from "./language.js";
import { mostVisited, replay, short } from "./lessons.js";
import { Sketch } from "./sketch.js";
import { cut, layout, sign } from "./treeview.js";

/** @typedef {import("./lessons.js").Lesson} Lesson */
/** @typedef {import("./lessons.js").LessonNode} LessonNode */
/** @typedef {import("./lessons.js").Playout} Playout */
/** @typedef {import("./lessons.js").Step} Step */

const SMALLEST = 0.62,
  LARGEST = 1.6; // the scale of the picture
const PACE = 700; // milliseconds a step while playing

export class TreePanel {
  /** @param {import("../types").About} about */
  constructor(about) {
    /** @type {Lesson | null} */
    this.lesson = null;
    this.at = 0;
    /** @type {Record<string, {title: string, note: string}>} */
    this.examples = {};
    this.sketch = new Sketch(() => {
      this.sketch.show({});
      this.load();
    });
    this.sketch.show({});
    this.source = select([], "");
    this.source.addEventListener("change", () => this.choose());
    this.algorithm = select(
      [
        ["alphabeta", say("alphabeta")],
        ["minimax", say("minimax")],
      ],
      "alphabeta",
    );
    this.heuristic = select(
      about.heuristics.map((each) => [each.name, each.name]),
      about.heuristics.some((each) => each.name === "mobility") ? "mobility" : (about.heuristics[0]?.name ?? ""),
    );
    this.depth = number(3, 1, 5);
    this.width = number(3, 1, 9);
    this.branching = number(3, 2, 4);
    this.seed = number(7, 0, 9999);
    this.playouts = number(60, 1, 500);
    this.brackets = h("input", { type: "text", value: "[[3,12,8],[2,4,6],[14,5,2]]", spellcheck: "false" });
    for (const control of [
      this.algorithm,
      this.heuristic,
      this.depth,
      this.width,
      this.branching,
      this.seed,
      this.playouts,
      this.brackets,
    ]) {
      control.addEventListener("change", () => this.load());
    }
    this.fields = {
      algorithm: field(say("algorithm"), this.algorithm),
      heuristic: field(say("heuristic"), this.heuristic),
      depth: field(say("treeDepth"), this.depth),
      width: field(say("treeWidth"), this.width),
      branching: field(say("branching"), this.branching),
      seed: field(say("seed"), this.seed),
      playouts: field(say("playouts"), this.playouts),
      brackets: field(say("brackets"), this.brackets, say("bracketsHint")),
    };
    this.note = h("p", { class: "lesson-note" });
    this.picture = h("div", { class: "tree scroll", tabindex: "0", role: "img" });
    this.sentence = h("p", { class: "sentence" });
    this.counts = h("p", { class: "tree-counts" });
    this.slider = h("input", { type: "range", min: 0, max: 0, value: 0, "aria-label": say("step") });
    this.slider.addEventListener("input", () => this.go(Number(this.slider.value)));
    this.playButton = iconButton("resume", say("playSteps"), () => this.toggle());
    this.controls = h(
      "div",
      { class: "steps" },
      iconButton("first", say("first"), () => this.go(0)),
      iconButton("back", say("back"), () => this.go(this.at - 1)),
      this.playButton,
      iconButton("forward", say("forward"), () => this.go(this.at + 1)),
      iconButton("last", say("last"), () => this.go(Infinity)),
      this.slider,
    );
    this.boardPlace = h("div", { class: "bench-board small", hidden: true }, this.sketch.element);
    this.element = h(
      "div",
      { class: "lesson" },
      h("div", { class: "card row" }, field(say("treeSource"), this.source), ...Object.values(this.fields)),
      h(
        "div",
        { class: "lesson-body" },
        h(
          "div",
          { class: "card grow" },
          h("div", { class: "lesson-head" }, this.note, this.counts),
          this.picture,
          this.controls,
          this.sentence,
        ),
        this.boardPlace,
      ),
    );
    this.loaded = attempt(() => this.begin());
  }

  async begin() {
    const { examples } = await api.lessons();
    this.examples = Object.fromEntries(examples.map((each) => [each.id, each]));
    /** @type {[string, string][]} */
    const sources = [
      ...examples.map((each) => /** @type {[string, string]} */ ([each.id, this.told(each.id, "title")])),
      ["random", say("source.random")],
      ["brackets", say("source.brackets")],
      ["position", say("source.position")],
      ["montecarlo", say("source.montecarlo")],
    ];
    this.source.replaceChildren(...sources.map(([value, text]) => h("option", { value }, text)));
    this.source.value = examples.find((each) => each.algorithm === "alphabeta")?.id ?? examples[0]?.id ?? "random";
    this.algorithms = Object.fromEntries(examples.map((each) => [each.id, each.algorithm]));
    this.choose();
  }

  /** An example's own words, translated where we have them. @param {string} id @param {"title" | "note"} part */
  told(id, part) {
    const key = `example.${id}.${part}`;
    return language() !== "en" && known(key) ? say(key) : (this.examples[id]?.[part] ?? "");
  }

  choose() {
    const source = this.source.value;
    /** @type {Record<string, string[]>} */
    const wanted = {
      random: ["algorithm", "depth", "branching", "seed"],
      brackets: ["algorithm", "brackets"],
      position: ["algorithm", "heuristic", "depth", "width"],
      montecarlo: ["playouts", "seed"],
    };
    for (const [name, element] of Object.entries(this.fields))
      element.hidden = !(wanted[source] ?? ["algorithm"]).includes(name);
    this.boardPlace.hidden = source !== "position" && source !== "montecarlo";
    this.note.textContent = this.told(source, "note");
    if (this.algorithms?.[source]) this.algorithm.value = this.algorithms[source];
    this.depth.max = source === "position" ? "4" : "5";
    if (source === "position") this.depth.value = "2";
    this.load();
  }

  load() {
    const source = this.source.value;
    const algorithm = this.algorithm.value;
    const request =
      {
        random: () => ({
          kind: "random",
          depth: Number(this.depth.value),
          branching: Number(this.branching.value),
          seed: Number(this.seed.value),
          algorithm,
        }),
        brackets: () => ({ kind: "brackets", tree: JSON.parse(this.brackets.value), algorithm }),
        position: () => ({
          kind: "position",
          position: this.sketch.data,
          heuristic: this.heuristic.value,
          depth: Number(this.depth.value),
          width: Number(this.width.value) || null,
          algorithm,
        }),
        montecarlo: () => ({
          kind: "montecarlo",
          position: this.sketch.data,
          playouts: Number(this.playouts.value),
          c: 0.7,
          seed: Number(this.seed.value),
        }),
      }[source] ?? (() => ({ kind: "example", id: source, algorithm }));
    this.stop();
    attempt(async () => {
      let asked;
      try {
        asked = request();
      } catch {
        throw new Error(say("bracketsWrong"));
      }
      this.sketch.show({});
      const lesson = await api.lesson(asked);
      if (this.source.value !== source) return;
      this.take(lesson);
    });
  }

  /** @param {Lesson} lesson */
  take(lesson) {
    this.lesson = lesson;
    const drawn = lesson.kind === "montecarlo" ? mostVisited(lesson.nodes) : lesson.nodes;
    this.nodes = drawn;
    this.layout = layout(drawn);
    this.slider.max = String(lesson.steps.length);
    this.go(0);
  }

  /** Shows the search after so many steps. @param {number} step */
  go(step) {
    if (!this.lesson) return;
    this.at = Math.max(0, Math.min(this.lesson.steps.length, step));
    this.slider.value = String(this.at);
    if (this.lesson.kind === "montecarlo") this.drawMonteCarlo(this.lesson);
    else this.drawTree(this.lesson);
    if (this.at === this.lesson.steps.length) this.stop();
  }

  toggle() {
    if (this.playing) {
      this.stop();
      return;
    }
    if (this.at === this.lesson?.steps.length) this.go(0);
    const pace = this.lesson?.kind === "montecarlo" ? PACE / 4 : PACE;
    this.playing = setInterval(() => this.go(this.at + 1), pace);
    this.playButton.replaceChildren(icon("pause"));
    this.playButton.setAttribute("aria-label", say("pause"));
  }

  stop() {
    clearInterval(this.playing);
    this.playing = undefined;
    this.playButton.replaceChildren(icon("resume"));
    this.playButton.setAttribute("aria-label", say("playSteps"));
  }

  /** @param {Lesson} lesson */
  drawTree(lesson) {
    const steps = /** @type {Step[]} */ (lesson.steps).slice(0, this.at);
    const states = replay(lesson.nodes, steps);
    const now = steps[steps.length - 1];
    const finished = this.at === lesson.steps.length;
    const { places, children } = /** @type {ReturnType<typeof layout<LessonNode>>} */ (this.layout);
    const parts = [];
    for (const node of lesson.nodes) {
      const to = places.get(node.id),
        from = node.parent === null ? undefined : places.get(node.parent);
      const state = states.get(node.id);
      if (!to || !from || !state) continue;
      const best = finished && node.id === lesson.best;
      parts.push(
        s("path", { class: `edge ${state.kind} ${best ? "best" : ""}`, d: `M${from.x} ${from.y}L${to.x} ${to.y}` }),
      );
      if (state.cutHere) parts.push(cut(from, to));
      const aside = to.x < from.x ? -1 : 1;
      if (node.move)
        parts.push(
          s(
            "text",
            {
              class: "edge-label",
              x: from.x + (to.x - from.x) * 0.62 + aside * 12,
              y: from.y + (to.y - from.y) * 0.62,
            },
            node.move,
          ),
        );
    }
    for (const node of lesson.nodes) {
      const place = places.get(node.id),
        state = states.get(node.id);
      if (!place || !state) continue;
      const best = finished && node.id === lesson.best;
      const kind = (children.get(node.id) ?? []).length === 0 ? "leaf" : node.maximizes ? "max" : "min";
      const value = state.value ?? (kind === "leaf" && state.kind !== "pruned" ? node.value : null);
      const shift = kind === "max" ? 4 : kind === "min" ? -4 : 0;
      parts.push(
        s(
          "g",
          {
            class: `node ${state.kind} ${now?.node === node.id ? "now" : ""} ${best ? "best" : ""}`,
          },
          sign(kind, place.x, place.y),
          s(
            "text",
            { class: `node-value ${short(value ?? 0).length > 3 ? "long" : ""}`, x: place.x, y: place.y + shift },
            value === null || value === undefined ? "" : short(value),
          ),
          s(
            "text",
            { class: "node-id", x: place.x + (kind === "leaf" ? 0 : 32), y: place.y + (kind === "leaf" ? 25 : 0) },
            node.id,
          ),
          now?.node === node.id && now.kind !== "prune" && kind !== "leaf" && lesson.algorithm !== "minimax"
            ? s(
                "g",
                {}, // on both sides of the branch from above
                s(
                  "text",
                  { class: "window alpha", x: place.x - 7, y: place.y - 30 },
                  `α ${short(now.alpha ?? -Infinity)}`,
                ),
                s(
                  "text",
                  { class: "window beta", x: place.x + 7, y: place.y - 30 },
                  `β ${short(now.beta ?? Infinity)}`,
                ),
              )
            : null,
        ),
      );
    }
    const visited = steps.filter((step) => step.kind === "enter").length;
    const pruned = [...states.values()].filter((state) => state.kind === "pruned").length;
    this.paint(parts, say("treeSummary", { visited, pruned, total: lesson.nodes.length }));
    this.sentence.textContent = finished
      ? say("treeDone", { value: short(lesson.value ?? 0), best: this.nameOf(lesson, lesson.best) })
      : this.tell(lesson, now);
    this.counts.replaceChildren(
      counter(say("visited"), visited, "visited"),
      counter(say("pruned"), pruned, "pruned"),
      counter(say("allNodes"), lesson.nodes.length, ""),
    );
    announce(this.sentence.textContent);
  }

  /** @param {Lesson} lesson @param {string} id */
  nameOf(lesson, id) {
    const node = lesson.nodes.find((each) => each.id === id);
    return node?.move ? `${node.move} (${id})` : id;
  }

  /** A step in words. @param {Lesson} lesson @param {Step | undefined} step */
  tell(lesson, step) {
    if (!step) return say("treeBegin");
    const node = this.nameOf(lesson, step.node);
    const who = say(step.maximizes ? "maximizer" : "minimizer");
    const bounds = { alpha: short(step.alpha ?? -Infinity), beta: short(step.beta ?? Infinity) };
    if (step.kind === "enter") {
      const leaf = lesson.nodes.find((each) => each.id === step.node)?.value;
      return leaf === null || leaf === undefined
        ? say(lesson.algorithm === "minimax" ? "step.enterAll" : "step.enter", { node, who, ...bounds })
        : say("step.leaf", { node, value: short(leaf) });
    }
    if (step.kind === "leave") return say("step.leave", { node, who, value: short(step.value ?? 0) });
    return say("step.prune", { node, ...bounds });
  }

  /** @param {Lesson} lesson */
  drawMonteCarlo(lesson) {
    const steps = /** @type {Playout[]} */ (lesson.steps).slice(0, this.at);
    /** @type {Map<string, {visits: number, sum: number}>} */
    const seen = new Map();
    for (const step of steps) {
      for (const id of step.path) {
        const entry = seen.get(id) ?? { visits: 0, sum: 0 };
        seen.set(id, { visits: entry.visits + 1, sum: entry.sum + step.result });
      }
    }
    const now = steps[steps.length - 1];
    const { places } = /** @type {ReturnType<typeof layout<LessonNode>>} */ (this.layout);
    const finished = this.at === lesson.steps.length;
    const parts = [],
      circles = [];
    for (const node of this.nodes ?? []) {
      const place = places.get(node.id),
        from = node.parent === null ? undefined : places.get(node.parent);
      const entry = seen.get(node.id);
      if (!place || (!entry && node.parent !== null)) continue;
      const visits = entry?.visits ?? 0,
        mean = entry ? entry.sum / entry.visits : 0;
      const isNew = now?.expanded === node.id;
      const onPath = now?.path.includes(node.id);
      const best = finished && node.id === lesson.best;
      if (from) {
        const thick = s("path", {
          class: `edge ${onPath ? "open" : ""} ${best ? "best" : ""}`,
          d: `M${from.x} ${from.y}L${place.x} ${place.y}`,
        });
        thick.style.strokeWidth = String(1.5 + (9 * visits) / Math.max(1, steps.length));
        parts.push(
          thick,
          s(
            "text",
            { class: "edge-label", x: from.x + (place.x - from.x) * 0.6, y: from.y + (place.y - from.y) * 0.6 },
            node.move ?? "",
          ),
        );
      }
      const disc = s("circle", { class: "sign", cx: place.x, cy: place.y, r: 20 });
      const tint = s("circle", {
        class: `mean ${mean < 0 ? "bad" : "good"}`,
        cx: place.x,
        cy: place.y,
        r: 20,
        "fill-opacity": Math.min(1, Math.abs(mean)) * 0.75,
      });
      circles.push(
        s(
          "g",
          {
            class: `node visited ${onPath ? "now" : ""} ${isNew ? "born" : ""} ${best ? "best" : ""}`,
          },
          disc,
          tint,
          s("text", { class: "node-value", x: place.x, y: place.y - 5 }, String(visits)),
          s(
            "text",
            { class: "node-mean", x: place.x, y: place.y + 10 },
            visits ? mean.toFixed(2).replace("-", "−") : "",
          ),
        ),
      );
    }
    this.paint([...parts, ...circles], say("carloSummary", { playouts: steps.length, nodes: seen.size }));
    const result = now ? say(now.result > 0 ? "carlo.won" : now.result < 0 ? "carlo.lost" : "carlo.drawn") : "";
    this.sentence.textContent = finished
      ? say("carloDone", { best: this.nameOf(lesson, lesson.best), playouts: steps.length })
      : now
        ? say("step.playout", {
            path:
              now.path
                .slice(1)
                .map((id) => lesson.nodes.find((node) => node.id === id)?.move ?? id)
                .join(" ") || "—",
            result,
          })
        : say("carloBegin");
    this.counts.replaceChildren(
      counter(say("playouts").toLowerCase(), steps.length, "visited"),
      counter(say("allNodes"), Math.max(1, seen.size), ""),
    );
    announce(this.sentence.textContent);
  }

  /** @param {(SVGElement | null)[]} parts @param {string} summary */
  paint(parts, summary) {
    const { width, height } = /** @type {ReturnType<typeof layout<LessonNode>>} */ (this.layout);
    const wide = Math.max(width, 300);
    const svg = s(
      "svg",
      { viewBox: `${(width - wide) / 2} -26 ${wide} ${height + 26}`, "aria-hidden": "true" },
      ...parts,
    );
    this.picture.replaceChildren(svg);
    // As large as the panel lets it be, but never too small to read: then it scrolls, with the root in the middle.
    const room = this.picture.clientWidth;
    const scale = Math.max(SMALLEST, Math.min(LARGEST, room / wide, (0.46 * innerHeight) / (height + 26)));
    svg.style.width = `${wide * scale}px`;
    const root = this.nodes?.[0] && this.layout?.places.get(this.nodes[0].id);
    if (root && this.at === 0) this.picture.scrollLeft = (root.x - (width - wide) / 2) * scale - room / 2;
    this.picture.setAttribute("aria-label", summary);
  }

  /** @param {boolean} visible */
  set shown(visible) {
    if (!visible) this.stop();
  }
}

/** @param {number} value @param {number} least @param {number} most */
const number = (value, least, most) => h("input", { type: "number", value, min: least, max: most });

/** @param {string} label @param {number} value @param {string} kind */
const counter = (label, value, kind) => h("span", { class: `counter ${kind}` }, h("b", {}, String(value)), ` ${label}`);
