/** The Analyse screen: what every move is worth, where a game was lost, and what else could have been played. */

import { api } from "./api.js";
import { announce, attempt, toast } from "./dialogs.js";
import { button, h, icon, iconButton, select } from "./dom.js";
import { editPosition } from "./editor.js";
import { choose, copyLink, openCopy, openPaste } from "./exchange.js";
import { Explorer } from "./explorer.js";
import { ValueBar } from "./graph.js";
import { say } from "./language.js";
import {
  BLACK,
  WHITE,
  count,
  isOver,
  outcome,
  sideOf,
  squareNamed,
  textOf,
  variantName,
} from "./rules.js";
import { playerName } from "./players.js";
import { summaryTable } from "./review.js";
import { Session } from "./session.js";
import { settings } from "./settings.js";
import { certainty, figure, hintMarks, variation } from "./values.js";
import "./board.js";
import "./moves.js";

/** @typedef {import("../types").About} About */
/** @typedef {import("../types").NewGame} NewGame */
/** @typedef {import("../types").Hint} Hint */

const REVIEW_SECONDS = [0.1, 0.3, 1, 3];
// As the server numbers a board's symmetries: 4 transposes, then 1 mirrors left and right, 2 top and bottom.
const MIRROR = 1,
  HALF_TURN = 3,
  QUARTER_TURN = 5;
const REPLAY_PACE = 800; // milliseconds
const PAUSE = 90; // milliseconds of rest before a position is analysed, so that dragging does not ask for sixty

export class AnalysisScreen {
  /** @param {HTMLElement} place @param {About} about @param {(game: NewGame) => void} playFrom */
  constructor(place, about, playFrom) {
    this.place = place;
    this.about = about;
    this.playFrom = playFrom;
    this.visible = false;
    /** @type {number | null} review progress, 0 to 1 */
    this.reviewing = null;
    this.asked = "";
    this.told = "";
    this.showLine = false;
    /** @type {string[] | null} a variation that the pointer or focus is on */
    this.hovered = null;
    this.session = new Session("analyse", { variant: "othello", black: "human", white: "human" });
    this.session.addEventListener("change", (event) => {
      if (/** @type {CustomEvent} */ (event).detail.fresh) {
        this.asked = "";
        this.reviewing = null;
      }
      this.draw();
    });
    this.session.addEventListener("hints", () => this.drawValues());
    this.session.addEventListener("review", (event) => this.progress(/** @type {CustomEvent} */ (event).detail));
    this.session.addEventListener("trouble", (event) => toast(/** @type {CustomEvent} */ (event).detail, "trouble"));
    settings.addEventListener("change", () => this.draw());
    addEventListener("copy", (event) => this.copyEvent(event));
    this.begun = false;
    this.build();
  }

  build() {
    const { session } = this;
    this.board = /** @type {import("./board.js").OthelloBoard} */ (document.createElement("othello-board"));
    this.board.addEventListener("square", (event) => session.move(/** @type {CustomEvent} */ (event).detail));
    this.moves = /** @type {import("./moves.js").MoveList} */ (document.createElement("move-list"));
    this.moves.addEventListener("node", (event) => this.goto(/** @type {CustomEvent} */ (event).detail));
    this.graph = /** @type {import("./graph.js").ValueGraph} */ (document.createElement("value-graph"));
    this.graph.addEventListener("ply", (event) => session.gotoPly(/** @type {CustomEvent} */ (event).detail));
    this.bar = new ValueBar();
    this.found = h("p", { class: "none" });
    this.heading = h("p", { class: "status" });
    this.opening = h("p", { class: "opening" });
    this.badge = h("p", { class: "badge" }, say("fewestWin"));
    this.candidates = h("div", { class: "candidates" });
    this.explorer = new Explorer(this.about, session, (game) => attempt(() => this.open(game)));
    this.toggle = button("bulb", say("values"), () => this.toggleValues(), { "aria-pressed": "true" });
    this.lineToggle = button("forward", say("showLine"), () => this.toggleLine(), { "aria-pressed": "false" });
    this.seconds = select(
      this.about.analysis.seconds.map((each) => [String(each), say("seconds", { seconds: each })]),
      String(settings.values.seconds),
      { "aria-label": say("analysisTime") },
    );
    this.seconds.addEventListener("change", () => {
      this.asked = "";
      session.hints.clear();
      settings.set("seconds", Number(this.seconds?.value));
    });
    this.reviewSeconds = select(
      REVIEW_SECONDS.map((each) => [String(each), say("perMove", { seconds: each })]),
      "0.3",
      { "aria-label": say("reviewTime") },
    );
    this.review = button("review", say("review"), () => this.startReview(), { class: "main" });
    this.meter = h("progress", { max: 1, "aria-label": say("reviewProgress"), hidden: true });
    this.summary = h("div", { class: "summary" });
    this.steps = {
      first: iconButton("first", say("first"), () => this.goto(0)),
      back: iconButton("back", say("back"), () => session.walk(-1)),
      forward: iconButton("forward", say("forward"), () => session.walk(1)),
      last: iconButton("last", say("last"), () => session.gotoPly(session.line.length)),
    };
    this.replay = h(
      "button",
      { type: "button", "aria-label": say("replay"), title: say("replay"), onclick: () => this.toggleReplay() },
      icon("resume"),
    );
    const { first, back, forward, last } = this.steps;
    this.place.replaceChildren(
      h("h1", { class: "unseen" }, say("analyse")),
      h(
        "div",
        { class: "stage" },
        h("div", { class: "heading" }, this.heading, this.badge, this.opening),
        h("div", { class: "judged" }, this.bar.element, h("div", { class: "wood" }, this.board)),
        h("div", { class: "steps" }, first, back, this.replay, forward, last),
      ),
      h(
        "aside",
        { class: "side" },
        this.graph,
        h(
          "div",
          { class: "card worths" },
          h("div", { class: "row tight" }, this.toggle, this.lineToggle),
          this.candidates,
          h("div", { class: "told-of" }, this.found, this.seconds),
        ),
        this.explorer.element,
        h(
          "div",
          { class: "card reviewing" },
          h("div", { class: "row tight" }, this.review, this.reviewSeconds),
          this.meter,
          this.summary,
        ),
        h("div", { class: "card list" }, h("h2", {}, say("moves")), this.moves),
        h(
          "div",
          { class: "card tools" },
          button("paste", say("paste"), () =>
            openPaste(variantName(session.position.variant), (game) => this.open(game)),
          ),
          button("copy", say("copy"), () => openCopy(session, [...this.about.copy_formats, "link"])),
          button("link", say("link"), () => copyLink(session)),
          button("edit", say("editor"), () => this.edit()),
          button("turn", say("rotate"), () => this.rotate()),
          button("mirror", say("mirror"), () => session.send({ type: "turn", symmetry: MIRROR })),
          button("play", say("playFrom"), () => this.playFrom(session.game(false))),
          button("new", say("emptyBoard"), () =>
            attempt(() => this.open({ variant: variantName(session.position.variant), moves: "" })),
          ),
        ),
      ),
    );
    this.draw();
  }

  draw() {
    const { session } = this;
    const state = session.state;
    if (
      !this.heading ||
      !this.badge ||
      !this.opening ||
      !this.steps ||
      !this.review ||
      !this.toggle ||
      !this.lineToggle
    )
      return;
    const { position } = session;
    const over = state?.outcome;
    this.heading.textContent =
      state && !session.connected
        ? say("reconnecting")
        : over && !session.pending
          ? over.winner
            ? say("winsBy", { winner: say(over.winner), margin: Math.abs(over.score ?? 0) })
            : say("draw")
          : (state?.passed && !session.pending ? `${say("passes", { side: say(state.passed) })} ` : "") +
            say("toMove", { side: say(sideOf(position.turn)) });
    this.heading.append(
      h(
        "span",
        { class: "counts" },
        ...this.side("black", count(position, BLACK)),
        ...this.side("white", count(position, WHITE)),
      ),
    );
    this.tell();
    this.badge.hidden = position.variant.objective !== "fewest";
    this.opening.textContent = state?.position.opening ?? "";
    const at = session.ply,
      length = session.line.length;
    this.steps.first.disabled = this.steps.back.disabled = at === 0;
    this.steps.forward.disabled = this.steps.last.disabled = at >= length;
    this.review.disabled = length === 0 && this.reviewing === null;
    this.toggle.setAttribute("aria-pressed", String(settings.values.values));
    this.lineToggle.setAttribute("aria-pressed", String(this.showLine));
    this.moves?.show(session, { details: true });
    this.drawSummary();
    this.drawValues();
    this.ask();
    if (this.visible) this.explorer?.show();
  }

  /** Who had a colour, where that is known, and the discs of it now. @param {import("./api.js").Side} color @param {number} discs */
  side(color, discs) {
    const name = this.session.state?.names[color];
    return [
      h("span", { class: `pip ${color}` }),
      name ? h("span", { class: "who", title: name }, playerName(name, this.about)) : null,
      h("span", { class: "discs" }, String(discs)),
    ];
  }

  /** Reads out the move that led to a position newly shown. */
  tell() {
    const { session } = this;
    const key = `${session.state?.board} ${session.cursor}`;
    if (!this.visible || session.pending || !session.state || this.told === key) return;
    this.told = key;
    const move = session.state.last;
    announce(`${move ? `${session.ply}. ${move}. ` : ""}${this.heading?.firstChild?.textContent ?? ""}`);
  }

  /** The newest values of the position shown; none while an own move waits for the server. */
  get hints() {
    return this.session.pending ? undefined : this.session.hints.get(this.session.cursor);
  }

  drawValues() {
    const { session, hints } = this;
    const shown = settings.values.values ? hints : undefined;
    const best = hints?.hints[0];
    const line = this.hovered ?? (this.showLine ? best?.pv : undefined);
    this.board?.show({
      position: session.position,
      last: session.last,
      open: !session.state?.outcome && !session.pending,
      marks: shown ? hintMarks(shown) : undefined,
      line: line ? variation(session.position, line) : undefined,
      label: say("boardOf", { status: this.heading?.firstChild?.textContent ?? "" }),
    });
    this.drawCandidates();
    this.drawGraph();
  }

  drawCandidates() {
    const { hints } = this;
    if (!this.candidates || !this.found) return;
    const over = this.session.state?.outcome && !this.session.pending;
    this.found.textContent = over
      ? say("gameOver")
      : !settings.values.values
        ? ""
        : [hints?.done ? say("finished") : say("searching"), hints?.depth ? say("depth", { depth: hints.depth }) : ""]
            .filter(Boolean)
            .join(" · ");
    const shown = settings.values.values && !over ? (hints?.hints ?? []) : [];
    const focused = document.activeElement?.getAttribute("data-candidate");
    this.candidates.replaceChildren(...shown.slice(0, 8).map((hint) => this.candidate(hint)));
    if (focused)
      /** @type {HTMLElement | null} */ (this.candidates.querySelector(`[data-candidate="${focused}"]`))?.focus();
  }

  /** @param {Hint} hint */
  candidate(hint) {
    const show = () => {
      this.hovered = hint.pv;
      this.drawLineOnly();
    };
    const hide = () => {
      this.hovered = null;
      this.drawLineOnly();
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
        onpointerenter: show,
        onpointerleave: hide,
        onfocus: show,
        onblur: hide,
      },
      h("b", {}, hint.move),
      h("span", { class: "score" }, figure(hint.score, this.hints?.unit ?? "discs", hint.exact)),
      h("small", {}, certainty(hint)),
      h("span", { class: "pv" }, hint.pv.slice(1, 10).join(" ")),
    );
  }

  drawLineOnly() {
    const { session, hints } = this;
    const line = this.hovered ?? (this.showLine ? hints?.hints[0]?.pv : undefined);
    if (this.board?.view)
      this.board.show({ ...this.board.view, line: line ? variation(session.position, line) : undefined });
  }

  /**
   * Black's value at a node, by the newest knowledge of it.
   * @param {number} id @returns {{black: number, exact: boolean} | null}
   */
  valueAt(id) {
    const hints = this.session.hints.get(id);
    if (hints?.value) return hints.value;
    const node = this.session.nodes.get(id);
    const position = node && !this.session.children(id).length ? this.session.positionOf(node) : null;
    if (position && isOver(position)) {
      const { winner, margin } = outcome(position);
      return { black: winner === BLACK ? margin : -margin, exact: true };
    }
    if (node?.review) return { black: node.review.black, exact: node.review.exact };
    const next = this.session.children(id).find((each) => each.review);
    return next?.review
      ? { black: next.color === "black" ? next.review.value : -next.review.value, exact: next.review.exact }
      : null;
  }

  drawGraph() {
    const { session } = this;
    const nodes = [0, ...session.line.map((node) => node.id)];
    const values = nodes.map((id) => this.valueAt(id)?.black ?? null);
    const { rows, columns } = session.position.variant;
    const unit = this.hints?.unit ?? session.line.find((node) => node.review)?.review?.unit ?? "discs";
    const most = unit === "discs" ? rows * columns : Math.max(1, ...values.map((value) => Math.abs(value ?? 0)));
    const marks = new Map(
      session.line.flatMap((node, index) => (node.review?.mark ? [[index + 1, node.review.mark]] : [])),
    );
    this.graph?.show({
      values,
      at: session.ply,
      marks: /** @type {Map<number, string>} */ (marks),
      most,
      inDiscs: unit === "discs",
      names: ["", ...session.line.map((node) => node.move ?? "")],
    });
    const now = session.pending ? null : this.valueAt(session.cursor);
    this.bar?.show(now?.black ?? null, now ? figure(now.black, unit, now.exact) : "", most);
  }

  drawSummary() {
    const reviewed = this.session.line.filter((node) => node.review);
    if (!this.summary || !this.meter || !this.review) return;
    this.meter.hidden = this.reviewing === null;
    if (this.reviewing !== null) this.meter.value = this.reviewing;
    this.review.querySelector("span")?.replaceChildren(this.reviewing === null ? say("review") : say("stop"));
    if (!reviewed.length) {
      this.summary.replaceChildren(h("p", { class: "none" }, say("reviewHint")));
      return;
    }
    const moves = this.session.line.filter((node) => node.move !== "pass").length;
    const part = this.reviewing === null && reviewed.length < moves;
    this.summary.replaceChildren(
      summaryTable(reviewed),
      part ? h("p", { class: "none" }, say("reviewedPart", { count: reviewed.length, moves })) : "",
    );
  }

  /** Asks for the values of the position shown, once it has rested. */
  ask() {
    const { session } = this;
    if (!this.visible || !session.state || session.pending || session.state.outcome || this.reviewing !== null) return;
    const key = `${session.state.board} ${session.cursor}`;
    if (!settings.values.values && !this.showLine) return;
    if (this.asked === key || session.hints.get(session.cursor)?.done) return;
    this.asked = key;
    clearTimeout(this.timer);
    this.timer = setTimeout(
      () => session.send({ type: "analyse", node: session.cursor, seconds: settings.values.seconds }),
      PAUSE,
    );
  }

  /** Plays the game through by itself, a move at a time. */
  toggleReplay() {
    if (this.replaying) {
      clearInterval(this.replaying);
      this.replaying = undefined;
    } else {
      if (this.session.ply >= this.session.line.length) this.session.gotoPly(0);
      this.replaying = setInterval(() => {
        if (!this.visible || this.session.ply >= this.session.line.length) this.toggleReplay();
        else this.session.walk(1);
      }, REPLAY_PACE);
    }
    this.replay?.replaceChildren(icon(this.replaying ? "pause" : "resume"));
  }

  startReview() {
    if (this.reviewing !== null) {
      this.session.send({ type: "stop" });
      this.finishReview();
      return;
    }
    this.reviewing = 0;
    clearTimeout(this.timer);
    this.session.send({ type: "review", seconds: Number(this.reviewSeconds?.value) });
    this.drawSummary();
  }

  /** @param {{done: boolean, progress: number}} report */
  progress(report) {
    if (this.reviewing === null) return;
    this.reviewing = report.progress;
    if (report.done) {
      this.finishReview();
      announce(say("reviewDone"));
    } else this.drawSummary();
  }

  finishReview() {
    this.reviewing = null;
    this.asked = "";
    this.draw();
  }

  /** Opens a game on a board of its own. @param {NewGame} game @param {{replay?: boolean}} [how] */
  async open(game, { replay = false } = {}) {
    this.begun = true;
    this.reviewing = null;
    this.asked = "";
    if (this.replaying) this.toggleReplay();
    await this.session.replace({ ...game, black: "human", white: "human" });
    if (replay) {
      this.session.addEventListener("change", () => this.toggleReplay(), { once: true });
    }
  }

  /** Whatever was pasted. @param {string} text */
  async paste(text) {
    const reading = await api.read(text, variantName(this.session.position.variant));
    await choose(reading, (game) => this.open(game));
    location.hash = "#analyse";
  }

  edit() {
    editPosition(this.session.position, (position) =>
      attempt(() => this.open({ variant: variantName(position.variant), start: textOf(position), moves: "" })),
    );
  }

  /** The whole game, branches and all, a quarter round; a half round where the board is no square. */
  rotate() {
    const { rows, columns } = this.session.position.variant;
    this.session.send({ type: "turn", symmetry: rows === columns ? QUARTER_TURN : HALF_TURN });
  }

  toggleValues() {
    settings.set("values", !settings.values.values);
    if (!settings.values.values) this.session.send({ type: "stop" });
    this.asked = "";
    this.draw();
  }

  toggleLine() {
    this.showLine = !this.showLine;
    this.draw();
  }

  /** @param {number} node */
  goto(node) {
    this.session.goto(node);
  }

  /** Ctrl+C copies the game, unless something is selected. @param {ClipboardEvent} event */
  copyEvent(event) {
    if (!this.visible || document.querySelector("dialog[open]") || String(getSelection())) return;
    if (event.target instanceof Element && event.target.matches("input, textarea")) return;
    event.clipboardData?.setData("text/plain", this.session.game(true).moves ?? "");
    event.preventDefault();
    toast(say("copied"));
  }

  /** @param {boolean} visible */
  set shown(visible) {
    const was = this.visible;
    this.visible = visible;
    if (visible && !this.begun) {
      this.begun = true;
      this.session.connect();
    }
    if (visible) this.draw();
    else if (was) {
      this.asked = "";
      this.session.send({ type: "stop" });
    }
  }

  /** @param {string} key */
  key(key) {
    const { session } = this;
    /** @type {Record<string, () => void>} */
    const keys = {
      ArrowLeft: () => session.walk(-1),
      ArrowRight: () => session.walk(1),
      Home: () => this.goto(0),
      End: () => session.gotoPly(session.line.length),
      Backspace: () => session.walk(-1),
      u: () => session.walk(-1),
      r: () => session.walk(1),
      v: () => this.toggleValues(),
      i: () => this.toggleLine(),
      n: () => {
        attempt(() => this.open({ variant: variantName(this.session.position.variant), moves: "" }));
      },
    };
    keys[key]?.();
    return key in keys;
  }
}
