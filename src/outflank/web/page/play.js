/** The Play screen: a board ready to play on, who sits at it, and what a player wants to do next. */

import { announce, answer, attempt, openDialog, toast } from "./dialogs.js";
import { button, h, select } from "./dom.js";
import { explained } from "./errors.js";
import { clockFace, duration, say } from "./language.js";
import { later } from "./later.js";
import { difficultyName, modeName, playerName } from "./players.js";
import { reason } from "./reasons.js";
import { BLACK, WHITE, count, empties, legalMoves, play, sideOf, squareNamed, startOf } from "./rules.js";
import { settings } from "./settings.js";
import { Tabs } from "./tabs.js";
import { ThinkingPanel } from "./thinking.js";
import { hintMarks, valued, variation } from "./values.js";
import { thumbnail } from "./board.js";
import "./moves.js";

/** @typedef {import("../types").About} About */
/** @typedef {import("./api.js").Side} Side */
/** @typedef {import("./session.js").Session} Session */
/** @typedef {import("../types").State} State */

const PACES = ["2", "0.6", "0.2", "0"]; // seconds a move where computers play each other

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
    /** @type {import("./review.js").ReviewPanel | null} */
    this.review = null;
    /** The node whose values were asked for. */
    this.asked = -1;
    session.addEventListener("change", (event) => {
      const { before, fresh } = /** @type {CustomEvent} */ (event).detail;
      if (fresh) this.asked = -1;
      this.draw();
      this.tell(before);
    });
    session.addEventListener("hints", () => this.draw());
    session.addEventListener("thinking", () => this.drawThought());
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
    this.board.addEventListener("refused", (event) => this.refuse(/** @type {CustomEvent} */ (event).detail.why));
    this.moves = /** @type {import("./moves.js").MoveList} */ (document.createElement("move-list"));
    this.moves.addEventListener("rules", () => this.openRules());
    this.moves.addEventListener("node", (event) => this.goto(/** @type {CustomEvent} */ (event).detail));
    this.thought = new ThinkingPanel(
      () => this.drawBoard(),
      () => this.examine(),
    );
    // One place for both, so that nothing moves.
    this.tabs = new Tabs(
      say("moves"),
      [
        { name: "played", text: say("moves"), panel: this.moves },
        { name: "thinking", text: say("howItThinks"), panel: this.thought.element },
      ],
      () => this.drawBoard(),
    );
    this.tabs.show("played");
    this.status = h("p", { class: "status" });
    this.notice = h("div", { class: "notice", hidden: true });
    this.badge = h("p", { class: "badge", hidden: true }, say("fewestWin"));
    this.opening = h("p", { class: "opening" });
    this.seats = { black: seat("black"), white: seat("white") };
    this.strip = h("div", { class: "strip" });
    this.friends = h("div", { class: "card friends", hidden: true });
    /** @type {import("./friends.js").FriendsCard | null} */
    this.card = null;
    this.pace = select(
      PACES.map((pace) => [pace, say(`pace.${pace}`)]),
      "0.6",
      { "aria-label": say("pace") },
    );
    this.pace.addEventListener("change", () => {
      this.session.send({ type: "pace", seconds: Number(this.pace?.value) });
    });
    this.actions = {
      undo: button("undo", say("undo"), () => this.session.send({ type: "undo" }), { class: "big" }),
      redo: button("redo", say("redo"), () => this.session.send({ type: "redo" }), { class: "big" }),
      new: button("new", say("newGame"), () => this.openNew()),
      invite: button("friends", say("friend.invite"), () => attempt(() => this.invite()), { class: "whole" }),
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
        this.friends,
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
          this.pace,
          force,
          analyse,
          this.actions.invite,
        ),
        h("div", { class: "card list" }, this.tabs.element, this.moves, this.thought.element),
      ),
    );
    this.draw();
  }

  /** What the computer thinks now, or thought of its last move up to here; and where.
   * @returns {{judged: import("./thinking.js").Judged, position: import("./rules.js").Position, move: string | null} | null} */
  get newest() {
    const { session } = this;
    const live = session.thinking;
    if (live) return { judged: live, position: session.position, move: null };
    const node = session.line
      .slice(0, session.ply)
      .filter(({ thought }) => thought)
      .pop();
    const before = node && session.nodes.get(node.parent ?? 0);
    return node && before ? { judged: node, position: session.positionOf(before), move: node.move } : null;
  }

  drawThought() {
    const found = this.newest;
    const name = found?.judged.by ? playerName(found.judged.by, this.about) : "";
    this.thought?.show(found?.judged ?? null, name, found?.move ?? null);
    if (this.lineShown) this.drawBoard();
  }

  /** Whether the line that the computer expects is on the board. */
  get lineShown() {
    return this.thought?.lined && this.tabs?.chosen === "thinking";
  }

  /** That line from the position shown. */
  expected() {
    const found = this.lineShown ? this.newest : null;
    const pv = found?.judged.thought?.pv ?? [];
    if (!found?.move) return variation(this.session.position, pv);
    // What was expected after the move stands as long as nothing else was played.
    const { line, ply } = this.session;
    return line[ply - 1] === found.judged ? variation(this.session.position, pv.slice(1)) : [];
  }

  drawStrip() {
    const about = this.about;
    const side = this.opponentSide;
    const current = this.session.players[side];
    const key = JSON.stringify([about?.difficulties, side, current]);
    if (!this.strip || !about || this.strip.dataset.key === key) return;
    this.strip.dataset.key = key;
    /** @param {string} spec @param {string} text */
    const chip = (spec, text) => {
      const radio = h("input", { type: "radio", name: "difficulty", value: spec, checked: spec === current });
      radio.addEventListener("change", () => this.session.send({ type: "players", [side]: spec }));
      return h("label", { class: "chip" }, radio, h("span", {}, text));
    };
    const levels = about.difficulties.map(({ id, spec }) => chip(spec, difficultyName(id)));
    const modes = about.modes.map(({ id, spec }) => chip(spec, modeName(id)));
    this.strip.replaceChildren(
      h("fieldset", {}, h("legend", {}, say("opponent")), h("div", { class: "chips" }, ...levels)),
      h("fieldset", {}, h("legend", {}, "mini-go"), h("div", { class: "chips modes" }, ...modes)),
    );
  }

  /** What a game with a friend has in place of the strip, which is for the usual one: a person against the computer. */
  drawFriends() {
    const { session, strip, friends } = this;
    if (!friends || !strip?.parentElement) return;
    const people = SIDES.filter((each) => session.players[each] === "human").length;
    strip.parentElement.hidden = people !== 1;
    friends.hidden = !session.shared;
    if (!session.shared || !this.visible) return;
    if (this.card) this.card.draw();
    else
      attempt(async () => {
        const { FriendsCard } = await later("friends");
        this.card ??= new FriendsCard(friends, session);
        this.card.draw();
      });
  }

  async invite() {
    if (this.about) (await later("friends")).invite(this.session);
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
    this.drawFriends();
    this.drawThought();
    this.moves?.show(session);
    if (!this.seats || !this.badge || !this.status || !this.actions) return;
    this.badge.hidden = session.position.variant.objective !== "fewest";
    const turn = sideOf(session.position.turn);
    for (const side of SIDES) this.drawSeat(side, turn);
    this.status.textContent = this.statusText();
    this.opening?.replaceChildren(this.hintText() || (state?.position.in_opening ? (state.position.opening ?? "") : ""));
    const agents = SIDES.filter((side) => session.players[side] !== "human").length;
    const over = state?.outcome != null;
    const { undo, redo, resign, pause, resume, force, swap, hints } = this.actions;
    const { shared } = session;
    const plays = !shared || (session.company?.side && state?.seated?.black && state.seated.white);
    undo.disabled = (!state?.can_undo && !session.pending) || !plays;
    redo.disabled = !state?.can_redo || shared;
    // One of these three stands in the same place, and what cannot be done now stays where it is: nothing jumps.
    resume.hidden = !(state?.paused && state.to_move === "agent");
    pause.hidden = agents < 2 || !resume.hidden;
    pause.disabled = over;
    resign.disabled = over || !state || !plays;
    resign.hidden = agents === 2 || !resume.hidden;
    swap.disabled = !state || shared;
    hints.disabled = shared; // nobody plays a friend by them
    force.disabled = !state?.thinking;
    hints.setAttribute("aria-pressed", String(settings.values.hints));
    hints.hidden = agents === 2; // nobody plays by them; the speed stands in their place
    if (this.pace) {
      this.pace.hidden = agents < 2;
      this.pace.value = String(state?.pace ?? 0.6);
    }
    this.drawClocks();
  }

  /** The best move and why, where values are wanted and known. */
  hintText() {
    const { session } = this;
    const hints = settings.values.hints && session.isPersons && !session.pending ? session.hints.get(session.cursor) : null;
    const best = hints?.hints[0];
    return best ? say("hint", { move: best.move, why: reason(session.position, squareNamed(best.move)) }) : "";
  }

  drawBoard() {
    const { session } = this;
    const open = session.isPersons && !session.pending && (session.state === null || session.state.to_move === "human");
    const hints = session.hints.get(session.cursor);
    const wanted = settings.values.hints && open && !session.shared;
    this.board?.show({
      position: session.position,
      last: session.last,
      open,
      label: say("boardOf", { status: this.statusText() }),
      marks: wanted && hints ? hintMarks(hints) : undefined,
      line: this.expected(),
      again: open ? this.takenBack : null,
    });
    if (wanted && this.visible && session.state && !hints && this.asked !== session.cursor) {
      this.asked = session.cursor;
      session.send({ type: "analyse", node: session.cursor, seconds: settings.values.seconds });
    }
  }

  /** The square of the move that was taken back last. */
  get takenBack() {
    const { line, ply, pending } = this.session;
    const next = pending ? undefined : line.slice(ply).find(({ move }) => move !== "pass")?.move;
    return next ? squareNamed(next) : null;
  }

  /** A player's name; the only person here is "you". @param {Side} side */
  nameOf(side) {
    const { players, state, company } = this.session;
    if (state?.seated) {
      const name = state.names[side] ?? "";
      return !state.seated[side] ? say("friend.free") : company?.side === side ? say("friend.you", { name }) : name;
    }
    const people = SIDES.filter((each) => players[each] === "human");
    return players[side] === "human" && people.length === 1 ? say("you") : playerName(players[side], this.about);
  }

  /** Two who have one name are told apart by their colours. @param {Side} side */
  apart(side) {
    return this.nameOf("black") === this.nameOf("white") ? say(side) : this.nameOf(side);
  }

  /** @param {Side} side @param {Side} turn */
  drawSeat(side, turn) {
    const parts = this.seats?.[side];
    if (!parts) return;
    const { session } = this;
    const state = session.state;
    const spec = session.players[side];
    parts.name.textContent = this.nameOf(side);
    parts.name.title = session.shared ? this.nameOf(side) : "";
    parts.count.textContent = String(count(session.position, side === "black" ? BLACK : WHITE));
    const active = turn === side && !state?.outcome;
    parts.element.classList.toggle("active", active);
    parts.element.classList.toggle("thinking", active && !!state?.thinking);
    const last = session.line
      .slice(0, session.ply)
      .filter((node) => node.color === side && node.move !== "pass")
      .pop();
    const told = spec !== "human" && last?.by !== "human"; // what the computer said is not a person's who took its seat
    const value = told && last?.score != null ? valued(last.score, last.unit, last.exact) : "";
    const seconds = told && last?.seconds != null ? duration(last.seconds) : "";
    const away = state?.seated?.[side] && session.company && !session.company.here[side];
    parts.said.replaceChildren(
      away ? say("friend.away") : value,
      !seconds || away ? "" : value ? h("span", { class: "time" }, ` · ${seconds}`) : seconds,
    );
    parts.said.title = session.shared ? "" : say("says");
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
    if (session.shared && state) {
      if (!state.seated?.black || !state.seated.white) return say(session.company?.side ? "friend.waiting" : "friend.incomplete");
      return passed + (session.company?.side === side ? say("yourMove") : say("toMove", { side: say(side) }));
    }
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

  /** Says why a click did nothing. @param {string} why what speaks against the square, where it is a person's turn */
  refuse(why) {
    const { session } = this;
    const state = session.state;
    const name = playerName(session.players[sideOf(session.position.turn)], this.about);
    if (state && !session.connected) why = say("reconnecting");
    else if (session.pending) why = say("refused.sent");
    else if (state?.outcome) why = say("refused.over");
    else if (session.shared && !session.isPersons) why = this.whyNot();
    else if (!session.isPersons) why = state?.paused ? say("refused.paused") : say("refused.thinks", { name });
    this.flash(why);
    announce(why);
  }

  /** Why one cannot move on a board that two friends share. */
  whyNot() {
    const { looked, company, state, position } = this.session;
    if (!company?.side) return say("friend.watching");
    if (!state?.seated?.black || !state.seated.white) return say("friend.waiting");
    if (looked !== null) return say("friend.looked");
    return say("refused.thinks", { name: this.nameOf(sideOf(position.turn)) });
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
        h("th", { scope: "row" }, h("span", { class: `pip ${side}` }), " ", this.nameOf(side)),
        h("td", {}, String(count(position, side === "black" ? BLACK : WHITE))),
        h("td", {}, state.totals[side] ? duration(state.totals[side].seconds) : ""),
      );
    if (this.notice) this.notice.hidden = true;
    openDialog(
      resultTitle(state, this.session),
      [
        h("p", { class: "verdict" }, resultText(state)),
        emptiesText(state, position),
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
        this.reviewed(),
      ],
      [
        answer(say("analyseGame"), "chart", () => this.analyse(this.session)),
        ...(this.session.shared ? this.friendsNext() : this.nextGame(state)),
      ],
      "result",
    );
  }

  /** What each side has lost, and where the game turned: found out while the result is looked at. */
  reviewed() {
    const place = h("div", { class: "reviewed" });
    const { about, session } = this;
    if (!about || (session.shared && !session.company?.side)) return null;
    attempt(async () => {
      const { ReviewPanel } = await later("review");
      this.review ??= new ReviewPanel(about, session, (side) => this.apart(side));
      const { meter, table, turning } = this.review;
      place.append(meter, table, turning);
      this.review.begin(false);
      this.review.draw();
      if (this.review.running === null && !this.review.reviewed.length) place.remove(); // too few moves for one
    });
    return place;
  }

  /** @param {State} state */
  nextGame({ players }) {
    return [
      answer(say("rematch"), "swap", () => this.session.send({ type: "new", black: players.white, white: players.black })),
      answer(say("again"), "new", () => this.session.send({ type: "new" }), true),
    ];
  }

  /** Those who played may ask for another game; who watched may not. */
  friendsNext() {
    if (!this.session.company?.side) return [answer(say("close"), "close", () => {}, true)];
    return [answer(say("friend.again"), "swap", () => this.session.send({ type: "new" }), true)];
  }

  /** The game in three sentences, with a board: Black plays d3, and d4 turns. */
  openRules() {
    const { variant } = this.session.position;
    const start = startOf(variant);
    openDialog(
      say("rules"),
      [
        h(
          "div",
          { class: "rules" },
          h("div", { class: "pictures" }, thumbnail(start), "→", thumbnail(play(start, legalMoves(start)[0]))),
          h("p", {}, say("rules.place")),
          h("p", {}, say("rules.pass")),
          h("p", {}, say(variant.objective === "fewest" ? "rules.fewest" : "rules.most")),
        ),
      ],
      [answer(say("close"), "close", () => {}, true)],
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
    const { about } = this;
    attempt(async () => {
      const { newGame } = await later("newgame");
      newGame(about, this.session, (game) => attempt(() => this.session.begin(game)));
    });
  }

  toggleHints() {
    settings.set("hints", !settings.values.hints);
    this.asked = -1;
    if (!settings.values.hints) this.session.send({ type: "stop" });
    else this.drawBoard();
  }

  /** Takes the computer apart in the laboratory: where it thought what is shown, or where it will have to. */
  examine() {
    const found = this.newest;
    const side = SIDES.find((each) => this.session.players[each] !== "human");
    const player = found?.judged.by ?? (side ? this.session.players[side] : "engine");
    const position = found?.position ?? this.session.position;
    this.place.dispatchEvent(new CustomEvent("examine", { detail: { position, player }, bubbles: true }));
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

/** Empty squares go to the side with more discs: said where the margin shows it. @param {State} state
 * @param {import("./rules.js").Position} position */
function emptiesText({ outcome }, position) {
  const left = empties(position);
  const whose = position.variant.objective === "fewest" ? "emptiesOfLoser" : "emptiesOfWinner";
  return outcome?.winner && outcome.score !== null && left ? h("p", {}, say(whose, { count: left })) : null;
}

/** @param {State} state @param {Session} session */
function resultTitle(state, session) {
  const side = session.company?.side;
  if (session.shared && side && state.outcome?.winner)
    return state.outcome.winner === side ? say("youWin") : say("friend.wins", { name: state.names[state.outcome.winner] ?? "" });
  const human = SIDES.filter((side) => session.players[side] === "human");
  if (!state.outcome?.winner) return say("drawTitle");
  if (human.length !== 1) return say("gameOver");
  return say(state.outcome.winner === human[0] ? "youWin" : "youLose");
}
