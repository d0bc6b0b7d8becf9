/**
 * A search, drawn and stepped through: what is looked at, what each side is sure of, and what need not be looked at.
 */

import { api } from "./api.js";
import { announce, attempt } from "./dialogs.js";
import { field, h, icon, iconButton, s, select } from "./dom.js";
import { known, language, percent, say, signed } from "./language.js";
import { PHASES, grown, mostVisited, replay, short, ucb } from "./lessons.js";
import { positionFrom, squareNamed } from "./rules.js";
import { Sketch } from "./sketch.js";
import { choosePlayer, meant, thinkers } from "./thinkers.js";
import { boundsOf, cut, layout, sign } from "./treeview.js";

/** @typedef {import("./lessons.js").Lesson} Lesson */
/** @typedef {import("./lessons.js").LessonNode} LessonNode */
/** @typedef {import("./lessons.js").Playout} Playout */
/** @typedef {import("./lessons.js").Step} Step */

const SMALLEST = 1,
  LARGEST = 1.6; // the scale of the picture: its smallest letters are 10 pixels high
const PACE = 700; // milliseconds a step while playing
const DEEPEST = { random: 5, position: 4 };
const EXPLORE = 0.7; // the constant of UCB1, where no player has its own

export class TreePanel {
  /** @param {import("../types").About} about */
  constructor(about) {
    this.about = about;
    /** @type {Lesson | null} */
    this.lesson = null;
    this.at = 0;
    this.c = EXPLORE;
    /** @type {string | null} the player whose tables guide the playouts */
    this.guide = null;
    /** @type {string | null} the node whose board a pointer rests on */
    this.pointed = null;
    /** @type {Record<string, {title: string, note: string}>} */
    this.examples = {};
    this.terms = h("div", { class: "terms" });
    this.sketch = new Sketch(() => {
      this.sketch.show({});
      this.load();
    }, this.terms);
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
    this.heuristic = thinkers(
      about,
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
      heuristic: field(say("heuristicOrPlayer"), this.heuristic),
      depth: field(say("treeDepth"), this.depth),
      width: field(say("treeWidth"), this.width),
      branching: field(say("branching"), this.branching),
      seed: field(say("seed"), this.seed),
      playouts: field(say("playouts"), this.playouts),
      brackets: field(say("brackets"), this.brackets, say("bracketsHint")),
    };
    this.note = h("p", { class: "lesson-note" });
    this.picture = h("div", { class: "tree scroll", tabindex: "0", role: "img" });
    for (const [type, way] of /** @type {const} */ ([
      ["pointerover", true],
      ["click", true],
      ["pointerleave", false],
    ])) {
      this.picture.addEventListener(type, (event) => {
        const node = event.target instanceof Element ? event.target.closest("[data-node]") : null;
        if (!way || node) this.point(way ? (node?.getAttribute("data-node") ?? null) : null);
      });
    }
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
    this.caption = h("p", { class: "none caption" });
    this.boardPlace = h("div", { class: "bench-board small", hidden: true }, this.caption, this.sketch.element);
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

  /** Shows how a player searches a position. @param {import("./lab.js").Subject} subject */
  examine({ position, player }) {
    const [name] = player.split(":");
    const given = Object.fromEntries(
      player
        .slice(name.length + 1)
        .split(",")
        .map((each) => each.split("=")),
    );
    const options = this.about.agents.find((agent) => agent.name === name)?.options ?? [];
    const byPlayouts = options.some((option) => option.name === "playouts");
    this.c = byPlayouts ? Number(given.c ?? options.find((option) => option.name === "c")?.default ?? EXPLORE) : EXPLORE;
    this.guide = options.some((option) => option.name === "doubt") ? player : null;
    choosePlayer(this.heuristic, player, this.about);
    this.sketch.past = [{ position, last: null }];
    this.sketch.show({});
    this.loaded.then(() => {
      this.source.value = byPlayouts ? "montecarlo" : "position";
      if (!byPlayouts) this.algorithm.value = name === "minimax" || given.search === "minimax" ? "minimax" : "alphabeta";
      this.choose(Number(given.depth) || 2);
    });
  }

  /** An example's own words, translated where we have them. @param {string} id @param {"title" | "note"} part */
  told(id, part) {
    const key = `example.${id}.${part}`;
    return language() !== "en" && known(key) ? say(key) : (this.examples[id]?.[part] ?? "");
  }

  /** @param {number} [depth] */
  choose(depth = 2) {
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
    if (source === "position") this.depth.value = String(Math.min(depth, DEEPEST.position));
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
          ...meant(this.heuristic.value),
          depth: Number(this.depth.value),
          width: Number(this.width.value) || null,
          algorithm,
        }),
        montecarlo: () => ({
          kind: "montecarlo",
          position: this.sketch.data,
          playouts: Number(this.playouts.value),
          c: this.c,
          seed: Number(this.seed.value),
          player: this.guide,
        }),
      }[source] ?? (() => ({ kind: "example", id: source, algorithm }));
    this.stop();
    if (source === "position") this.note.textContent = this.width.value ? say("treeNarrow", { width: this.width.value }) : "";
    const most = source === "position" ? DEEPEST.position : source === "random" ? DEEPEST.random : Infinity;
    attempt(async () => {
      if (Number(this.depth.value) > most) throw new Error(say("tooDeep", { depth: this.depth.value, most }));
      let asked;
      try {
        asked = request();
      } catch {
        throw new Error(say("bracketsWrong"));
      }
      const lesson = await api.lesson(asked).catch((error) => {
        if (!this.lesson) this.sentence.textContent = error.message; // there is no picture to keep
        throw error;
      });
      if (this.source.value !== source) return;
      this.take(lesson);
    });
  }

  /** @param {Lesson} lesson */
  take(lesson) {
    this.lesson = lesson;
    const drawn = lesson.kind === "montecarlo" ? mostVisited(lesson.nodes) : lesson.nodes;
    this.nodes = drawn;
    this.pointed = null;
    this.layout = layout(drawn, this.picture.clientWidth);
    this.slider.max = String(this.steps(lesson));
    this.go(0);
  }

  /** How many there are: a playout has four. @param {Lesson} lesson */
  steps(lesson) {
    return lesson.steps.length * (lesson.kind === "montecarlo" ? PHASES.length : 1);
  }

  /** Shows the search after so many steps. @param {number} step */
  go(step) {
    if (!this.lesson) return;
    this.at = Math.max(0, Math.min(this.steps(this.lesson), step));
    this.slider.value = String(this.at);
    this.pointed = null;
    if (this.lesson.kind === "montecarlo") this.drawMonteCarlo(this.lesson);
    else this.drawTree(this.lesson);
    this.drawBoard();
    if (this.at === this.steps(this.lesson)) this.stop();
  }

  /** @param {string | null} node */
  point(node) {
    if (node === this.pointed) return;
    this.pointed = node;
    this.drawBoard();
  }

  /** The board of the node that is pointed at, or else of this step; before the first and after the last it is the
   * position itself, to play on. */
  drawBoard() {
    const lesson = this.lesson;
    if (this.boardPlace.hidden || !lesson) return;
    const ended = this.at === this.steps(lesson);
    const id = this.pointed ?? (this.at && !ended ? this.current : null);
    const node = lesson.nodes.find((each) => each.id === id);
    const best = lesson.nodes.find((each) => each.id === lesson.best)?.move;
    const { variant } = this.sketch.position;
    const after = !this.pointed && this.phase === "simulate" && !lesson.guided ? this.end : null;
    if (after ?? node?.board) {
      const turn = node?.turn === "white" ? "O" : "X";
      const position = positionFrom(`${after ?? node?.board} ${turn}`, variant);
      this.sketch.board.show({ position, last: node?.move && !after ? squareNamed(node.move) : null });
      this.caption.textContent = after ? say("endOfGame") : say("boardAt", { line: this.lineTo(lesson, node) });
    } else {
      const marks = ended && best ? new Map([[squareNamed(best), { text: "✓", best: true }]]) : undefined;
      this.sketch.show({ marks });
      this.caption.textContent = say("boardHere");
    }
  }

  /** The moves that lead to a node. @param {Lesson} lesson @param {LessonNode | undefined} node */
  lineTo(lesson, node) {
    const moves = [];
    for (let at = node; at?.move; at = lesson.nodes.find((each) => each.id === at?.parent)) moves.unshift(at.move);
    return moves.join(" ") || "–";
  }

  toggle() {
    if (this.playing) {
      this.stop();
      return;
    }
    if (this.lesson && this.at === this.steps(this.lesson)) this.go(0);
    const pace = this.lesson?.kind === "montecarlo" ? PACE / 2 : PACE;
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
    this.current = now?.node ?? null;
    this.phase = null;
    this.terms.replaceChildren();
    const finished = this.at === lesson.steps.length;
    const { places, children, sideways } = /** @type {ReturnType<typeof layout<LessonNode>>} */ (this.layout);
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
              x: from.x + (to.x - from.x) * 0.62 + (sideways ? 0 : aside * 12),
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
            "data-node": node.id,
          },
          sign(kind, place.x, place.y, sideways ? 0.9 : 1),
          s(
            "text",
            { class: `node-value ${short(value ?? 0).length > 3 ? "long" : ""}`, x: place.x, y: place.y + shift },
            value === null || value === undefined ? "" : short(value),
          ),
          s(
            "text",
            { class: "node-id", x: place.x + (kind === "leaf" ? 0 : 32), y: place.y + (kind === "leaf" ? 25 : 0) },
            sideways ? "" : node.id, // there the rows are full, and a node is known by its moves
          ),
          now?.node === node.id && now.kind !== "prune" && kind !== "leaf" && lesson.algorithm !== "minimax"
            ? boundsOf(place, short(now.alpha ?? -Infinity), short(now.beta ?? Infinity), sideways)
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
    const { done, phase, now, seen } = grown(/** @type {Playout[]} */ (lesson.steps), this.at);
    this.phase = phase;
    this.end = now?.end ?? null;
    const born = now?.expanded ?? null;
    // In its first phase a playout goes down to a node that is there already; the new one is the second phase's.
    const path = now ? (phase === "select" && born ? now.path.slice(0, -1) : now.path) : [];
    this.current = path[path.length - 1] ?? null;
    const { places } = /** @type {ReturnType<typeof layout<LessonNode>>} */ (this.layout);
    const finished = this.at === this.steps(lesson);
    const parts = [],
      circles = [];
    for (const node of this.nodes ?? []) {
      const place = places.get(node.id),
        from = node.parent === null ? undefined : places.get(node.parent);
      const entry = seen.get(node.id);
      const isNew = born === node.id;
      if (!place || (!entry && node.parent !== null && !(isNew && path.includes(node.id)))) continue;
      const visits = entry?.visits ?? 0,
        mean = entry ? entry.sum / entry.visits : 0;
      const onPath = path.includes(node.id);
      const best = finished && node.id === lesson.best;
      if (from) {
        const thick = s("path", {
          class: `edge ${onPath ? "open" : ""} ${best ? "best" : ""}`,
          d: `M${from.x} ${from.y}L${place.x} ${place.y}`,
        });
        thick.style.strokeWidth = String(1.5 + (9 * visits) / Math.max(1, done));
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
            "data-node": node.id,
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
    this.paint([...parts, ...circles], say("carloSummary", { playouts: done, nodes: seen.size }));
    const line = this.lineTo(
      lesson,
      lesson.nodes.find(({ id }) => id === this.current),
    );
    const result = !now
      ? ""
      : lesson.guided
        ? signed(now.result, 2)
        : say(now.result > 0 ? "carlo.won" : now.result < 0 ? "carlo.lost" : "carlo.drawn");
    this.sentence.textContent = finished
      ? say("carloDone", { best: this.nameOf(lesson, lesson.best), playouts: done })
      : phase
        ? born || phase !== "expand"
          ? say(lesson.guided && known(`phase.${phase}.guided`) ? `phase.${phase}.guided` : `phase.${phase}`, { line, result })
          : say("phase.noRoom", { line })
        : say("carloBegin");
    this.drawTerms(lesson, seen, path);
    this.counts.replaceChildren(
      counter(say("playouts").toLowerCase(), done, "visited"),
      counter(say("allNodes"), Math.max(1, seen.size), ""),
    );
    announce(this.sentence.textContent);
  }

  /** What UCB1 chooses by at each node on the way down: the mean, and what has not been tried often.
   * @param {Lesson} lesson @param {Map<string, {visits: number, sum: number}>} seen @param {string[]} path */
  drawTerms(lesson, seen, path) {
    const at = this.phase === "select" && path.length > 1 ? path[path.length - 2] : lesson.nodes[0].id;
    const rows = ucb(seen, lesson.nodes, at, this.c, lesson.guided).sort((one, two) => two.mean + two.explore - one.mean - one.explore);
    const columns = lesson.guided
      ? ["move", "visits", "chance", "mean", "explored", "puct"]
      : ["move", "visits", "mean", "explore", "ucb"];
    this.terms.replaceChildren(
      h(
        "table",
        { class: "ucb" },
        h(
          "caption",
          {},
          say(lesson.guided ? "puctAt" : "ucbAt", {
            line: this.lineTo(
              lesson,
              lesson.nodes.find(({ id }) => id === at),
            ),
            c: this.c,
          }),
        ),
        h("thead", {}, h("tr", {}, ...columns.map((name) => h("th", { scope: "col" }, say(`ucb.${name}`))))),
        h(
          "tbody",
          {},
          ...rows.map(({ node, visits, mean, explore }) =>
            h(
              "tr",
              { class: path.includes(node.id) ? "now" : "" },
              h("th", { scope: "row" }, node.move ?? ""),
              h("td", { class: "number" }, String(visits)),
              lesson.guided ? h("td", { class: "number" }, percent(node.chance ?? 0)) : null,
              ...[mean, explore, mean + explore].map((value) => h("td", { class: "number" }, value.toFixed(3))),
            ),
          ),
        ),
      ),
    );
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
    const { scrollLeft, scrollTop } = this.picture;
    this.picture.replaceChildren(svg);
    // As large as the panel lets it be, but never too small to read: then it scrolls, and follows the search.
    const room = this.picture.clientWidth;
    const tall = this.layout?.sideways ? SMALLEST : (0.46 * innerHeight) / (height + 26);
    const scale = Math.max(SMALLEST, Math.min(LARGEST, room / wide, tall));
    svg.style.width = `${wide * scale}px`;
    const root = this.nodes?.[0]?.id ?? "";
    const place = this.layout?.places.get(this.at ? (this.current ?? root) : root);
    this.picture.scrollLeft = scrollLeft;
    this.picture.scrollTop = scrollTop;
    if (place) this.follow((place.x - (width - wide) / 2) * scale, (place.y + 26) * scale);
    this.picture.setAttribute("aria-label", summary);
  }

  /** Scrolls the picture, never the page, until a place in it is seen. @param {number} x @param {number} y */
  follow(x, y) {
    const { picture } = this;
    const margin = 60;
    if (x < picture.scrollLeft + margin || x > picture.scrollLeft + picture.clientWidth - margin)
      picture.scrollLeft = x - picture.clientWidth / 2;
    if (y < picture.scrollTop + margin || y > picture.scrollTop + picture.clientHeight - margin)
      picture.scrollTop = y - picture.clientHeight / 2;
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
