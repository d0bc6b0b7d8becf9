/** The Play screen: a board ready to play on, who sits at it, and what a player wants to do next. */

import { announce, answer, openDialog, toast } from "./dialogs.js";
import { button, h } from "./dom.js";
import { explained } from "./errors.js";
import { clockFace, duration, say } from "./language.js";
import { newGame } from "./newgame.js";
import { difficultyName, playerName } from "./players.js";
import { BLACK, WHITE, count, sideOf } from "./rules.js";
import { settings } from "./settings.js";
import { figure, hintMarks } from "./values.js";
import "./board.js";
import "./moves.js";

/** @typedef {import("../types").About} About */
/** @typedef {import("./api.js").Side} Side */
/** @typedef {import("./session.js").Session} Session */
/** @typedef {import("../types").State} State */

const SIDES = /** @type {Side[]} */ (["black", "white"]);

export class PlayScreen {
  /** @param {HTMLElement} place @param {Session} session @param {(session: Session) => void} analyse */
  constructor(place, session, analyse) {
    this.place = place;
    this.session = session;
    this.analyse = analyse;
    /** @type {About | null} */
    this.about = null;
    this.visible = false;
    /** The node whose values were asked for. */
    this.asked = -1;
    session.addEventListener("change", (event) => {
      const { before, fresh } = /** @type {CustomEvent} */ (event).detail;
      if (fresh) this.asked = -1;
      this.draw();
      this.tell(before);
    });
    session.addEventListener("hints", () => this.drawBoard());
    session.addEventListener("trouble", (event) => toast(/** @type {CustomEvent} */ (event).detail, "trouble"));
    settings.addEventListener("change", () => this.draw());
    setInterval(() => this.drawClocks(), 100);
    this.build();
  }

  /** @param {About} about */
  know(about) {
    this.about = about;
    this.build();
  }

  build() {
    this.board = /** @type {import("./board.js").OthelloBoard} */ (document.createElement("othello-board"));
    this.board.addEventListener("square", (event) => this.session.move(/** @type {CustomEvent} */ (event).detail));
    this.board.addEventListener("refused", () => announce(say("notLegal")));
    this.moves = /** @type {import("./moves.js").MoveList} */ (document.createElement("move-list"));
    this.moves.addEventListener("node", (event) => this.goto(/** @type {CustomEvent} */ (event).detail));
    this.status = h("p", { class: "status" });
    this.notice = h("div", { class: "notice", hidden: true });
    this.badge = h("p", { class: "badge", hidden: true }, say("fewestWin"));
    this.opening = h("p", { class: "opening" });
    this.seats = { black: seat("black"), white: seat("white") };
    this.strip = h("div", { class: "strip" });
    this.actions = {
      undo: button("undo", say("undo"), () => this.session.send({ type: "undo" }), { class: "big" }),
      redo: button("redo", say("redo"), () => this.session.send({ type: "redo" }), { class: "big" }),
      new: button("new", say("newGame"), () => this.openNew()),
      swap: button("swap", say("swap"), () => this.session.send({ type: "swap" })),
      resign: button("flag", say("resign"), () => this.confirmResign()),
      hints: button("bulb", say("hints"), () => this.toggleHints(), { "aria-pressed": "false" }),
      analyse: button("chart", say("analyseGame"), () => this.analyse(this.session)),
      pause: button("pause", say("pause"), () => this.session.send({ type: "pause" })),
      resume: button("resume", say("resume"), () => this.session.send({ type: "resume" }), { class: "main" }),
      force: button("fast", say("moveNow"), () => this.session.send({ type: "force" })),
    };
    const { undo, redo, swap, resign, hints, analyse, pause, resume, force } = this.actions;
    this.place.replaceChildren(
      h("h1", { class: "unseen" }, say("play")),
      h(
        "div",
        { class: "stage" },
        h(
          "div",
          { class: "scoreboard" },
          this.seats.black.element,
          h("div", { class: "middle" }, this.badge, this.status, this.opening),
          this.seats.white.element,
        ),
        h("div", { class: "wood" }, this.board, this.notice),
      ),
      h(
        "aside",
        { class: "side" },
        h("div", { class: "card opponents" }, this.strip),
        h(
          "div",
          { class: "card actions" },
          undo,
          redo,
          this.actions.new,
          swap,
          resign,
          pause,
          resume,
          hints,
          force,
          analyse,
        ),
        h("div", { class: "card list" }, h("h2", {}, say("moves")), this.moves),
      ),
    );
    this.draw();
  }

  drawStrip() {
    const about = this.about;
    const side = this.opponentSide;
    const current = this.session.players[side];
    const key = JSON.stringify([about?.difficulties, side, current]);
    if (!this.strip || !about || this.strip.dataset.key === key) return;
    this.strip.dataset.key = key;
    // The strip is for the usual game, a person against the computer; other games are made in the window.
    const people = SIDES.filter((each) => this.session.players[each] === "human").length;
    if (this.strip.parentElement) this.strip.parentElement.hidden = people !== 1;
    const chips = about.difficulties.map(({ id, spec }) => {
      const radio = h("input", { type: "radio", name: "difficulty", value: id, checked: spec === current });
      radio.addEventListener("change", () => this.session.send({ type: "players", [side]: spec }));
      return h("label", { class: "chip" }, radio, h("span", {}, difficultyName(id)));
    });
    this.strip.replaceChildren(
      h("fieldset", {}, h("legend", {}, say("opponent")), h("div", { class: "chips" }, ...chips)),
    );
  }

  /** The side whose difficulty the strip sets: the computer's, or White where both or neither are. @returns {Side} */
  get opponentSide() {
    const { black, white } = this.session.players;
    return black !== "human" && white === "human" ? "black" : "white";
  }

  draw() {
    const { session } = this;
    const state = session.state;
    this.drawBoard();
    this.drawStrip();
    this.moves?.show(session);
    if (!this.seats || !this.badge || !this.status || !this.actions) return;
    this.badge.hidden = session.position.variant.objective !== "fewest";
    const turn = sideOf(session.position.turn);
    for (const side of SIDES) this.drawSeat(side, turn);
    this.status.textContent = this.statusText();
    this.opening?.replaceChildren(state?.position.opening ?? "");
    const agents = SIDES.filter((side) => session.players[side] !== "human").length;
    const over = state?.outcome != null;
    const { undo, redo, resign, pause, resume, force, swap, hints } = this.actions;
    undo.disabled = !state?.can_undo && !session.pending;
    redo.disabled = !state?.can_redo;
    // One of these three stands in the same place, and what cannot be done now stays where it is: nothing jumps.
    resume.hidden = !(state?.paused && state.to_move === "agent");
    pause.hidden = agents < 2 || !resume.hidden;
    pause.disabled = over;
    resign.disabled = over || !state;
    resign.hidden = agents === 2 || !resume.hidden;
    swap.disabled = !state;
    force.disabled = !state?.thinking;
    hints.setAttribute("aria-pressed", String(settings.values.hints));
    this.drawClocks();
  }

  drawBoard() {
    const { session } = this;
    const open = session.isPersons && !session.pending && (session.state === null || session.state.to_move === "human");
    const hints = session.hints.get(session.cursor);
    const wanted = settings.values.hints && open;
    this.board?.show({
      position: session.position,
      last: session.last,
      open,
      label: say("boardOf", { status: this.statusText() }),
      marks: wanted && hints ? hintMarks(hints) : undefined,
    });
    if (wanted && this.visible && session.state && !hints && this.asked !== session.cursor) {
      this.asked = session.cursor;
      session.send({ type: "analyse", node: session.cursor, seconds: settings.values.seconds });
    }
  }

  /** A player's name; the only person here is "you". @param {string} spec */
  nameOf(spec) {
    const people = SIDES.filter((side) => this.session.players[side] === "human");
    return spec === "human" && people.length === 1 ? say("you") : playerName(spec, this.about);
  }

  /** @param {Side} side @param {Side} turn */
  drawSeat(side, turn) {
    const parts = this.seats?.[side];
    if (!parts) return;
    const { session } = this;
    const state = session.state;
    const spec = session.players[side];
    parts.name.textContent = this.nameOf(spec);
    parts.count.textContent = String(count(session.position, side === "black" ? BLACK : WHITE));
    const active = turn === side && !state?.outcome;
    parts.element.classList.toggle("active", active);
    parts.element.classList.toggle("thinking", active && !!state?.thinking);
    const last = session.line
      .slice(0, session.ply)
      .filter((node) => node.color === side && node.move !== "pass")
      .pop();
    const told = spec !== "human" && last?.by !== "human"; // what the computer said is not a person's who took its seat
    const value = told && last?.score != null ? figure(last.score, last.unit, last.exact) : "";
    const seconds = told && last?.seconds != null ? duration(last.seconds) : "";
    parts.said.textContent = [value, seconds].filter(Boolean).join(" · ");
    parts.said.title = say("says");
  }

  drawClocks() {
    for (const side of SIDES) {
      const left = this.session.remaining(side);
      const clock = this.seats?.[side].clock;
      if (!clock) continue;
      clock.hidden = left === null;
      if (left !== null) clock.textContent = clockFace(left);
      clock.classList.toggle("low", left !== null && left < 15);
    }
  }

  statusText() {
    const { session } = this;
    const state = session.state;
    if (state && !session.connected) return say("reconnecting");
    if (state?.outcome && !session.pending) return resultText(state);
    const side = sideOf(session.position.turn);
    const passed = state?.passed && !session.pending ? `${say("passes", { side: say(state.passed) })} ` : "";
    if (session.players[side] === "human") {
      const alone = SIDES.filter((each) => session.players[each] === "human").length === 1;
      return passed + (alone ? say("yourMove") : say("toMove", { side: say(side) }));
    }
    if (state?.error) return explained(state);
    if (state?.paused) return passed + say("paused");
    return passed + say("thinks", { name: playerName(session.players[side], this.about) });
  }

  /** Says aloud what has just happened, and shows a pass and a result. @param {State | null} before */
  tell(before) {
    const state = this.session.state;
    if (!state || state === before || !this.visible) return;
    if (state.cursor !== before?.cursor || state.outcome?.text !== before?.outcome?.text) {
      this.asked = -1;
      const node = this.session.nodes.get(state.cursor);
      const moved = node?.move === "pass" && node.parent !== null ? this.session.nodes.get(node.parent) : node;
      const played = moved?.move && moved.color ? say("plays", { side: say(moved.color), move: moved.move }) : "";
      announce([played, this.statusText()].filter(Boolean).join(" "));
      if (before && state.passed && !state.outcome) this.flash(say("passes", { side: say(state.passed) }));
      if (before && before.board === state.board && state.outcome && !before.outcome) this.openResult(state);
    }
  }

  /** @param {string} text over the board, for a moment */
  flash(text) {
    const notice = this.notice;
    if (!notice) return;
    notice.textContent = text;
    notice.hidden = false;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      notice.hidden = true;
    }, 2600);
  }

  /** @param {State} state */
  openResult(state) {
    const { position } = this.session;
    const row = (/** @type {Side} */ side) =>
      h(
        "tr",
        {},
        h("th", { scope: "row" }, h("span", { class: `pip ${side}` }), " ", this.nameOf(state.players[side])),
        h("td", {}, String(count(position, side === "black" ? BLACK : WHITE))),
        h("td", {}, state.totals[side] ? duration(state.totals[side].seconds) : ""),
      );
    if (this.notice) this.notice.hidden = true;
    openDialog(
      resultTitle(state, this.session),
      [
        h("p", { class: "verdict" }, resultText(state)),
        position.variant.objective === "fewest" ? h("p", { class: "badge" }, say("fewestWin")) : null,
        h(
          "table",
          { class: "totals" },
          h(
            "thead",
            {},
            h(
              "tr",
              {},
              h("th", { scope: "col" }, say("player")),
              h("th", { scope: "col" }, say("discs")),
              h("th", { scope: "col" }, say("timeUsed")),
            ),
          ),
          h("tbody", {}, row("black"), row("white")),
        ),
      ],
      [
        answer(say("analyseGame"), "chart", () => this.analyse(this.session)),
        answer(say("rematch"), "swap", () => {
          this.session.send({ type: "new", black: state.players.white, white: state.players.black });
        }),
        answer(say("again"), "new", () => this.session.send({ type: "new" }), true),
      ],
      "result",
    );
  }

  confirmResign() {
    openDialog(
      say("resignTitle"),
      [h("p", {}, say("resignText"))],
      [
        answer(say("goOn"), "resume", () => {}),
        answer(say("resign"), "flag", () => this.session.send({ type: "resign" }), true),
      ],
      "confirm",
    );
  }

  openNew() {
    if (!this.about) {
      toast(say("unreachable"), "trouble");
      return;
    }
    newGame(this.about, this.session, (game) => {
      this.session.send({ type: "new", ...game });
    });
  }

  toggleHints() {
    settings.set("hints", !settings.values.hints);
    this.asked = -1;
    if (!settings.values.hints) this.session.send({ type: "stop" });
    else this.drawBoard();
  }

  /** @param {number} node */
  goto(node) {
    this.session.goto(node);
  }

  /** @param {boolean} visible */
  set shown(visible) {
    this.visible = visible;
    if (visible) this.draw();
  }

  /** The keys of this screen. @param {string} key @returns {boolean} whether it was one */
  key(key) {
    const { session } = this;
    /** @type {Record<string, () => void>} */
    const keys = {
      Backspace: () => session.send({ type: "undo" }),
      ArrowLeft: () => session.walk(-1),
      ArrowRight: () => session.walk(1),
      Home: () => session.gotoPly(0),
      End: () => session.gotoPly(session.line.length),
      u: () => session.send({ type: "undo" }),
      r: () => session.send({ type: "redo" }),
      n: () => this.openNew(),
      s: () => session.send({ type: "swap" }),
      v: () => this.toggleHints(),
      m: () => session.send({ type: "force" }),
      z: () => this.analyse(session),
    };
    keys[key]?.();
    return key in keys;
  }
}

/** @param {Side} side */
function seat(side) {
  const parts = {
    name: h("span", { class: "name" }),
    count: h("span", { class: "count" }),
    said: h("span", { class: "said" }),
    clock: h("span", { class: "clock", hidden: true }),
  };
  const element = h(
    "div",
    { class: `seat ${side}` },
    h("span", { class: `pip ${side}`, role: "img", "aria-label": say(side) }),
    h("div", { class: "who" }, parts.name, h("div", { class: "under" }, parts.clock, parts.said)),
    parts.count,
  );
  return { element, ...parts };
}

/** @param {State} state */
function resultText(state) {
  const outcome = state.outcome;
  if (!outcome) return "";
  if (!outcome.winner) return say("draw");
  const winner = say(outcome.winner),
    loser = say(outcome.winner === "black" ? "white" : "black");
  if (outcome.score === null) {
    const how = /resign/i.test(outcome.reason) ? "resigned" : /time/i.test(outcome.reason) ? "outOfTime" : "gaveUp";
    return say(how, { winner, loser });
  }
  return say("winsBy", { winner, margin: Math.abs(outcome.score) });
}

/** @param {State} state @param {Session} session */
function resultTitle(state, session) {
  const human = SIDES.filter((side) => session.players[side] === "human");
  if (!state.outcome?.winner) return say("drawTitle");
  if (human.length !== 1) return say("gameOver");
  return say(state.outcome.winner === human[0] ? "youWin" : "youLose");
}
