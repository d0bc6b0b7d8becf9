/** The Analyse screen: what every move is worth, where a game was lost, and what else could have been played. */

import { api } from "./api.js";
import { Candidates } from "./candidates.js";
import { announce, attempt, openDialog, answer, toast } from "./dialogs.js";
import { button, h, icon, iconButton } from "./dom.js";
import { Explorer } from "./explorer.js";
import { ValueBar } from "./graph.js";
import { say } from "./language.js";
import { later } from "./later.js";
import { BLACK, WHITE, count, isOver, outcome, sideOf, textOf, variantName } from "./rules.js";
import { playerName } from "./players.js";
import { ReviewPanel } from "./review.js";
import { Session } from "./session.js";
import { settings } from "./settings.js";
import { Tabs } from "./tabs.js";
import { figure, hintMarks, variation } from "./values.js";
import "./board.js";
import "./moves.js";

/** @typedef {import("../types").About} About */
/** @typedef {import("../types").NewGame} NewGame */

// As the server numbers a board's symmetries: 4 transposes, then 1 mirrors left and right, 2 top and bottom.
const MIRROR = 1,
  HALF_TURN = 3,
  QUARTER_TURN = 5;
const REPLAY_PACE = 800; // milliseconds
const PAUSE = 90; // milliseconds of rest before a position is analysed, so that dragging does not ask for sixty
const WIDE = matchMedia("(width >= 1180px) and (height > 560px)"); // as in screens.css: the moves stand beside the tabs

/** Pasting and copying are loaded when they are wanted. @param {(module: typeof import("./exchange.js")) => void} action */
const exchange = (action) => attempt(async () => action(await later("exchange")));

export class AnalysisScreen {
  /** @param {HTMLElement} place @param {About} about @param {(game: NewGame) => void} playFrom */
  constructor(place, about, playFrom) {
    this.place = place;
    this.about = about;
    this.playFrom = playFrom;
    this.visible = false;
    this.asked = "";
    this.told = "";
    this.session = new Session("analyse", { kind: "analysis", variant: "othello", black: "human", white: "human" });
    this.session.addEventListener("change", (event) => {
      const { fresh } = /** @type {CustomEvent} */ (event).detail;
      if (fresh) this.asked = "";
      this.draw();
      if (!this.session.pending && this.session.state) this.review?.begin(fresh);
    });
    this.session.addEventListener("hints", () => this.drawValues());
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
    this.heading = h("p", { class: "status" });
    /** @type {HTMLElement} */
    this.opening = h("p", { class: "opening" });
    this.badge = h("p", { class: "badge" }, say("fewestWin"));
    this.values = new Candidates(this.about, session);
    this.values.addEventListener("line", () => this.drawLineOnly());
    this.values.addEventListener("toggle", () => this.toggleValues());
    this.values.addEventListener("time", () => {
      this.asked = "";
      session.hints.clear();
      settings.set("seconds", settings.values.seconds);
    });
    this.review = new ReviewPanel(this.about, session);
    this.explorer = new Explorer(this.about, session, (game) => attempt(() => this.open(game)));
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
    const openings = h("section", { class: "card panel openings" }, this.explorer.element, this.explorer.nothing);
    const list = h("section", { class: "card panel list" }, h("h2", {}, say("moves")), this.moves);
    this.tabs = new Tabs(
      say("analyse"),
      [
        { name: "values", text: say("values"), panel: this.values.element },
        { name: "openings", text: say(this.about.library.masters ? "masters" : "openings"), panel: openings },
        { name: "review", text: say("reviewTab"), panel: this.review.element },
        { name: "moves", text: say("moves"), panel: list },
      ],
      (name) => settings.set("panel", name),
    );
    const shown = () => this.tabs?.show(WIDE.matches && settings.values.panel === "moves" ? "values" : settings.values.panel);
    WIDE.addEventListener("change", shown);
    shown();
    const tool = (/** @type {string} */ name, /** @type {string} */ text, /** @type {() => void} */ action) =>
      button(name, text, action, { title: text });
    this.fromHere = tool("play", say("playFrom"), () => this.playFrom(session.game(false)));
    this.place.replaceChildren(
      h("h1", { class: "unseen" }, say("analyse")),
      h(
        "div",
        { class: "stage" },
        h(
          "div",
          { class: "tools", role: "toolbar", "aria-label": say("tools") },
          tool("paste", say("paste"), () =>
            exchange(({ openPaste }) => openPaste(variantName(session.position.variant), (game) => this.open(game))),
          ),
          tool("copy", say("copy"), () =>
            exchange(({ openCopy }) => openCopy(session, [...this.about.copy_formats, "link"])),
          ),
          tool("link", say("link"), () => exchange(({ copyLink }) => copyLink(session))),
          tool("edit", say("editor"), () => attempt(() => this.edit())),
          tool("turn", say("rotate"), () => this.rotate()),
          tool("mirror", say("mirror"), () => session.send({ type: "turn", symmetry: MIRROR })),
          this.fromHere,
          tool("flask", say("takeApart"), () => this.examine()),
          tool("new", say("emptyBoard"), () => attempt(() => this.openNew())),
        ),
        h("div", { class: "heading" }, this.heading, this.badge, this.opening),
        h("div", { class: "judged" }, this.bar.element, h("div", { class: "wood" }, this.board)),
        h("div", { class: "steps" }, first, back, this.replay, forward, last),
      ),
      h(
        "aside",
        { class: "side" },
        this.graph,
        this.tabs.element,
        this.values.element,
        openings,
        this.review.element,
        list,
      ),
    );
    this.draw();
  }

  /** Takes the player of the move shown apart in the laboratory, where it had to move; a person's move, the engine. */
  examine() {
    const { session } = this;
    const node = session.nodes.get(session.cursor);
    const before = node?.parent == null ? undefined : session.nodes.get(node.parent);
    const by = node?.by && node.by !== "human" && before ? node.by : null;
    const position = by && before ? session.positionOf(before) : session.position;
    const detail = { position, player: by ?? "engine" };
    this.place.dispatchEvent(new CustomEvent("examine", { detail, bubbles: true }));
  }

  draw() {
    const { session } = this;
    const state = session.state;
    if (!this.heading || !this.badge || !this.opening || !this.steps) return;
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
    this.name((state?.position.in_opening && state.position.opening) || "");
    const at = session.ply,
      length = session.line.length;
    this.steps.first.disabled = this.steps.back.disabled = at === 0;
    this.steps.forward.disabled = this.steps.last.disabled = at >= length;
    if (this.fromHere) this.fromHere.disabled = !!over && !session.pending; // there is nothing left to play
    this.moves?.show(session, { details: true });
    this.review?.draw();
    this.drawValues();
    this.ask();
    if (this.visible && this.tabs?.chosen === "openings") this.explorer?.show();
  }

  /** Another opening's name takes the place of the one before, which would be moved by it. @param {string} name */
  name(name) {
    if (this.opening?.textContent === name) return;
    const before = this.opening;
    this.opening = h("p", { class: "opening" }, name);
    before?.replaceWith(this.opening);
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
    this.board?.show({
      position: session.position,
      last: session.last,
      open: !session.state?.outcome && !session.pending,
      marks: shown ? hintMarks(shown) : undefined,
      line: this.line,
      label: say("boardOf", { status: this.heading?.firstChild?.textContent ?? "" }),
    });
    this.values?.show(hints, !!session.state?.outcome && !session.pending);
    this.drawGraph();
  }

  /** The variation on the board: what is pointed at, the best line, or in the review what was better. */
  get line() {
    const better = this.tabs?.chosen === "review" && !this.session.pending ? this.review?.better : undefined;
    const line = this.values?.line(this.hints) ?? better;
    return line ? variation(this.session.position, line) : undefined;
  }

  drawLineOnly() {
    if (!this.board?.view) return;
    this.board.show({ ...this.board.view, line: this.line });
    this.ask();
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
    const known = nodes.map((id) => this.valueAt(id));
    const values = known.map((each) => each?.black ?? null);
    const estimated = known.findLastIndex((each) => each && !each.exact);
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
      exactFrom: estimated + 1,
      names: ["", ...session.line.map((node) => node.move ?? "")],
    });
    const now = session.pending ? null : this.valueAt(session.cursor);
    this.bar?.show(now?.black ?? null, now ? figure(now.black, unit, now.exact) : "", most);
  }

  /** Asks for the values of the position shown, once it has rested. */
  ask() {
    const { session } = this;
    if (!this.visible || !session.state || session.pending || session.state.outcome) return;
    const key = `${session.state.board} ${session.cursor}`;
    if (!settings.values.values && !this.values?.showLine) return;
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

  /** Goes to a board that is on the server. @param {string} board */
  enter(board) {
    this.begun = true;
    this.session.enter(board);
  }

  /** Shows a game that an address names, on its board where that has it. @param {NewGame} game @param {string | null} board */
  async follow(game, board) {
    const { session } = this;
    this.begun = true;
    session.following = true;
    if (board && board !== session.state?.board) session.enter(board);
    await session.ready();
    const node = session.find(game);
    if (node === null) {
      await this.open(game);
      await session.ready();
    } else {
      session.goto(node);
      await session.arrived();
    }
    session.following = false;
  }

  /** Opens a game on a board of its own. @param {NewGame} game @param {{replay?: boolean}} [how] */
  async open(game, { replay = false } = {}) {
    this.begun = true;
    this.asked = "";
    if (this.replaying) this.toggleReplay();
    const before = this.session.state && this.session.line.length ? this.session.state.board : null;
    await this.session.replace({ ...game, kind: "analysis", black: "human", white: "human" });
    if (before) this.offer(before);
    if (replay) {
      this.session.addEventListener("change", () => this.toggleReplay(), { once: true });
    }
  }

  /** What was here is kept; this leads back to it. @param {string} board */
  offer(board) {
    toast(say("keptInGames"), "info", { text: say("backToIt"), run: () => this.session.enter(board) });
  }

  /** An empty board, of any size and rules. */
  async openNew() {
    const { VariantPicker } = await later("newgame");
    const variant = new VariantPicker(this.session.position.variant);
    openDialog(
      say("emptyBoard"),
      [variant.element],
      [
        answer(say("cancel"), "close", () => {}),
        answer(say("open"), "new", () => attempt(() => this.open({ variant: variant.name, moves: "" })), true),
      ],
    );
  }

  /** Whatever was pasted. @param {string} text */
  async paste(text) {
    const { choose } = await later("exchange");
    const reading = await api.read(text, variantName(this.session.position.variant));
    await choose(reading, (game) => this.open(game));
    location.hash = "#analyse";
  }

  async edit() {
    const { editPosition } = await later("editor");
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
    if (!settings.values.values) this.rest();
    this.asked = "";
    this.draw();
  }

  /** Ends the analysis; a review goes on. */
  rest() {
    if (this.review?.running === null) this.session.send({ type: "stop" });
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
      this.rest();
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
      i: () => this.values?.toggleLine(),
      n: () => attempt(() => this.openNew()),
    };
    keys[key]?.();
    return key in keys;
  }
}
