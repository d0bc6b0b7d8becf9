/**
 * A board that lives on the server, and this page's hold on it. The server keeps the game (so it survives a reload and
 * a restart); a click is drawn at once with our own rules and confirmed by the server's next state.
 */

import { api, socket, Refused } from "./api.js";
import { explained } from "./errors.js";
import {
  OTHELLO,
  PASS,
  legalMoves,
  mustPass,
  play,
  positionFrom,
  sideOf,
  squareName,
  squareNamed,
  startOf,
  textOf,
  variantName,
  variantNamed,
} from "./rules.js";
import { isOwn, keepHere, keptHere, settings } from "./settings.js";

/** @typedef {import("./api.js").Side} Side */
/** @typedef {import("./rules.js").Position} Position */
/** @typedef {import("../types").State} State */
/** @typedef {import("../types").NodeOut} Node */
/** @typedef {import("../types").Hints} Hints */

const UNKNOWN_BOARD = 4404,
  TRY_LATER = 1013;
const LONGEST_WAIT = 8000; // milliseconds between two attempts to reach the server

/**
 * Events: `change` (something to draw; detail: the state before, and whether all is new), `hints`, `thinking`, `review` (progress), `kept` (where the game before went), `trouble` (detail: the reason, for a person).
 */
export class Session extends EventTarget {
  /** @param {string} name under which this browser remembers the board @param {import("../types").NewGame} first */
  constructor(name, first) {
    super();
    this.key = `outflank.${name}`;
    this.first = first;
    /** @type {State | null} */
    this.state = null;
    /** @type {Map<number, Node>} */
    this.nodes = new Map();
    /** @type {Map<number, Hints>} the newest values seen at each node */
    this.hints = new Map();
    /**
     * Drawn, not yet confirmed.
     * @type {{at: number, move: string, ref: number, position: Position, sent: boolean} | null}
     */
    this.pending = null;
    /** @type {WebSocket | null} */
    this.socket = null;
    /** @type {Record<string, unknown>[]} said before the server listened */
    this.waiting = [];
    /** @type {number | null} the node asked for last, until the server stands there */
    this.sought = null;
    /** @type {number | null} the one that the server has been told of */
    this.told = null;
    /** @type {import("../types").Thinking | null} what the player that thinks has found so far */
    this.thinking = null;
    /** @type {import("../types").Company | null} who is at a board that two friends share, and which side is ours */
    this.company = null;
    /** @type {number | null} the node looked at there: their game stays where it is */
    this.looked = null;
    /** @type {any[]} heard while the discs of our move turn: the answer to it waits until they have */
    this.held = [];
    this.turned = 0; // when they have
    /** Whether what is shown was asked for by the address. */
    this.following = false;
    this.connected = false;
    this.received = 0;
    this.attempts = 0;
    this.ref = 0;
    this.shown = this.remembered();
  }

  /** The position on the board: the server's, or the one after our unconfirmed move. @returns {Position} */
  get position() {
    return this.pending?.position ?? this.shown;
  }

  /** The node shown. */
  get cursor() {
    return this.looked ?? this.state?.cursor ?? 0;
  }

  /** Whether two friends play here, and nobody else. */
  get shared() {
    return this.state?.seated != null;
  }

  /** The square played last, ours included. */
  get last() {
    const looked = this.looked === null ? null : this.line.slice(0, this.ply).filter(({ move }) => move !== "pass");
    const name = this.pending?.move ?? (looked ? looked.at(-1)?.move : this.state?.last);
    return name ? squareNamed(name) : null;
  }

  /** Who sits where; before the server has spoken, as the first game will be. @returns {Record<Side, string>} */
  get players() {
    return this.state?.players ?? { black: this.first.black ?? "human", white: this.first.white ?? "human" };
  }

  /** The node's position. @param {Node} node @returns {Position} */
  positionOf(node) {
    return positionFrom(`${node.board} ${node.turn === "black" ? "X" : "O"}`, this.position.variant);
  }

  /** The nodes of the current line. @returns {Node[]} */
  get line() {
    return (this.state?.line ?? []).map((id) => this.nodes.get(id)).filter((node) => node !== undefined);
  }

  /** The number of the move shown, from 1; 0 at the start. */
  get ply() {
    return this.plyOf(this.cursor);
  }

  /** How many moves, passes not counted, lead to the position shown. */
  get played() {
    return this.line.slice(0, this.ply).filter((node) => node.move !== "pass").length;
  }

  /** @param {number} id a node of the line */
  plyOf(id) {
    return this.line.findIndex((node) => node.id === id) + 1;
  }

  /** Shows the position after so many plies of the line. @param {number} ply */
  gotoPly(ply) {
    const wanted = Math.max(0, Math.min(this.line.length, ply));
    this.goto(wanted === 0 ? 0 : this.line[wanted - 1].id);
  }

  /**
   * Shows a node. Whoever drags through a game asks for many: while one is on its way, only the last is kept.
   * @param {number} node
   */
  goto(node) {
    if (this.shared) {
      this.look(node);
      return;
    }
    this.sought = node;
    if (this.told === null) this.seek();
  }

  /** Shows a node of the game here, and nowhere else. @param {number} id */
  look(id) {
    const node = this.nodes.get(id);
    if (!node || (id !== 0 && !this.plyOf(id))) return;
    this.looked = id === this.state?.cursor ? null : id;
    this.shown = this.positionOf(node);
    this.changed();
  }

  /** Asks for the node sought, where we are not there already. */
  seek() {
    if (this.sought === this.cursor) this.sought = null;
    this.told = this.sought;
    if (this.told !== null) this.send({ type: "goto", node: this.told });
  }

  /** One move back or forward. A position in which a side must pass is no stop. @param {-1 | 1} way */
  walk(way) {
    let ply = this.plyOf(this.sought ?? this.cursor) + way;
    while (ply > 0 && ply < this.line.length && this.line[ply].move === "pass") ply += way;
    if (ply >= 0 && ply <= this.line.length) this.gotoPly(ply);
  }

  /** @param {number} id */
  children(id) {
    return [...this.nodes.values()].filter((node) => node.parent === id);
  }

  /** Seconds left on a side's clock now. @param {Side} side */
  remaining(side) {
    const clock = this.state?.clock;
    if (!clock) return null;
    const since = clock.running === side ? (performance.now() - this.received) / 1000 : 0;
    return Math.max(0, clock[side] - since);
  }

  /** A position to draw before the server answers: the one seen last. */
  remembered() {
    try {
      const { variant, text } = JSON.parse(keptHere(`${this.key}.shown`) ?? "");
      return positionFrom(text, variantNamed(variant));
    } catch {
      return startOf(this.first.variant ? variantNamed(this.first.variant) : OTHELLO);
    }
  }

  /** Reaches the server, makes a board where there is none, and stays connected. */
  async connect() {
    try {
      const id = (await this.own()) ?? (await api.newBoard(this.first)).id;
      keepHere(this.key, id);
      this.hold(id);
      this.listen(id);
    } catch (error) {
      if (error instanceof Refused && error.status < 500 && error.status !== 429) this.trouble(error.message);
      this.retry();
    }
  }

  /** @param {string} id */
  listen(id) {
    const live = socket(`/api/boards/${id}/live`);
    this.socket = live;
    live.onmessage = (event) => this.hear(JSON.parse(event.data));
    live.onclose = (event) => {
      if (this.socket !== live) return;
      this.connected = false;
      if (this.pending) this.pending.sent = false; // nobody knows whether it arrived: the next state tells
      if (event.code === UNKNOWN_BOARD) {
        keepHere(this.key, null);
        keepHere(`${this.key}.shown`, null);
        this.connect();
      } else {
        if (event.code === TRY_LATER && event.reason && !this.attempts) this.trouble(explained(JSON.parse(event.reason)));
        this.retry();
      }
      this.changed();
    };
  }

  retry() {
    this.attempts += 1;
    setTimeout(() => this.connect(), Math.min(LONGEST_WAIT, 250 * 2 ** Math.min(this.attempts, 6)));
    this.changed();
  }

  /** Leaves this board for a new one; the old one stays on the server. @param {import("../types").BoardAsked} game */
  async replace(game) {
    this.enter((await api.newBoard(game)).id);
  }

  /** Begins another game: here, or where two friends play, on a board of one's own. @param {import("../types").NewGame} game */
  async begin(game) {
    if (this.shared) await this.replace(game);
    else this.send({ type: "new", ...game });
  }

  /** Leaves this board for another one. @param {string} id */
  enter(id) {
    const old = this.socket;
    this.socket = null;
    old?.close();
    this.state = null;
    this.pending = null;
    this.company = this.looked = null;
    this.waiting = [];
    this.sought = this.told = null;
    this.held = [];
    this.hints.clear();
    keepHere(this.key, id);
    this.hold(id);
    this.listen(id);
  }

  /** Tells other tabs that this board has one. @param {string} id */
  hold(id) {
    this.letGo?.();
    navigator.locks?.request(`outflank ${id}`, { ifAvailable: true }, (lock) =>
      lock ? new Promise((resolve) => (this.letGo = () => resolve(undefined))) : null,
    );
  }

  /** The board of this tab; a new tab goes on with the last one, unless that is open in another. */
  async own() {
    const id = keptHere(this.key);
    if (!id || isOwn(this.key) || !navigator.locks) return id;
    return navigator.locks.request(`outflank ${id}`, { ifAvailable: true }, (lock) => (lock ? id : null));
  }

  /** Waits until the server has spoken. @returns {Promise<void>} */
  async ready() {
    while (!this.state) await new Promise((resolve) => this.addEventListener("change", resolve, { once: true }));
  }

  /** Waits until the node sought is shown. @returns {Promise<void>} */
  async arrived() {
    while (this.sought !== null) await new Promise((resolve) => this.addEventListener("change", resolve, { once: true }));
  }

  /** The node in which a game stands, where this board has it. @param {import("../types").NewGame} game */
  find({ variant, start, moves, at }) {
    const own = this.game();
    if (own.variant !== (variant ?? "othello") || (own.start ?? null) !== (start ?? null)) return null;
    const names = (moves ?? "").match(/../g) ?? [];
    let id = 0;
    for (const name of names.slice(0, at ?? names.length)) {
      /** @type {Node | undefined} */
      const skipped = this.children(id).find((node) => node.move === "pass");
      /** @type {Node | undefined} */
      const found = this.children(skipped?.id ?? id).find((node) => node.move === name.toLowerCase());
      if (!found) return null;
      id = found.id;
    }
    return this.children(id).find((node) => node.move === "pass")?.id ?? id; // the server does not stop before one
  }

  /** @param {any} message */
  hear(message) {
    const wait = this.turned - performance.now();
    if (this.held.length || (wait > 0 && message.type === "state" && this.changes(message))) {
      this.held.push(message);
      if (this.held.length === 1) this.holding = setTimeout(() => this.release(), wait);
    } else if (message.type === "state") this.take(message);
    else if (message.type === "hints") {
      // An analysis that begins again at a position is not shown until it knows as much as the one before it.
      const known = this.hints.get(message.node);
      const worse = known && sureness(message) < sureness(known);
      this.hints.set(message.node, worse ? { ...known, done: message.done } : message);
      this.dispatchEvent(new CustomEvent("hints", { detail: message }));
    } else if (message.type === "thinking") {
      this.thinking = message;
      this.dispatchEvent(new CustomEvent("thinking"));
    } else if (message.type === "company") {
      this.company = message;
      this.changed();
    } else if (message.type === "review") this.dispatchEvent(new CustomEvent("review", { detail: message }));
    else if (message.type === "error") {
      if (message.ref !== null && message.ref === this.pending?.ref) this.pending = null;
      this.sought = this.told = null;
      this.trouble(explained(message));
      this.changed();
    }
  }

  /** Whether a state has something else on the board than is drawn; before our move it has not. @param {State} state */
  changes(state) {
    if (state.cursor === this.pending?.at) return false;
    const node = state.nodes.find(({ id }) => id === state.cursor) ?? this.nodes.get(state.cursor);
    return node !== undefined && textOf(this.positionOf(node)) !== textOf(this.position);
  }

  /** Hears what had to wait. */
  release() {
    clearTimeout(this.holding);
    this.turned = 0;
    for (const message of this.held.splice(0)) this.hear(message);
  }

  /** @param {State} state */
  take(state) {
    if (state.all) {
      // Another game, or this one after a break: what was known of its nodes is not known of these.
      this.sought = null;
      this.nodes.clear();
      this.hints.clear();
    }
    for (const node of state.nodes) this.nodes.set(node.id, node);
    const before = this.state;
    this.state = state;
    if (state.all || state.cursor !== before?.cursor) this.looked = null;
    if (!state.thinking || this.thinking?.node !== state.cursor) this.thinking = null;
    this.received = performance.now();
    this.connected = true;
    this.attempts = 0;
    const node = this.nodes.get(this.cursor);
    if (node) {
      this.shown = positionFrom(`${node.board} ${node.turn === "black" ? "X" : "O"}`, variantNamed(state.variant));
      keepHere(`${this.key}.shown`, JSON.stringify({ variant: state.variant, text: textOf(this.shown) }));
    }
    this.settle(state);
    // What a review found comes as a state too: it answers nothing.
    if (state.all || state.revision !== before?.revision) this.seek();
    for (const message of this.waiting.splice(0)) this.send(message);
    if (state.previous && before?.board === state.board && before.previous !== state.previous)
      this.dispatchEvent(new CustomEvent("kept", { detail: state.previous }));
    this.dispatchEvent(new CustomEvent("change", { detail: { before, fresh: state.all } }));
  }

  /** Whether our unconfirmed move is in this state, still to be sent, or overtaken. @param {State} state */
  settle(state) {
    if (!this.pending) return;
    if (this.pending.sent) {
      if (state.cursor !== this.pending.at) this.pending = null;
    } else if (state.cursor === this.pending.at) {
      this.pending.sent = true;
      this.speak({ type: "move", move: this.pending.move, at: this.pending.at, ref: this.pending.ref });
    } else this.pending = null;
  }

  /** Says something to the server, now or as soon as it listens. @param {Record<string, unknown>} message */
  send(message) {
    this.release(); // whoever asks for something has seen enough
    if (this.sought !== this.told && message.type !== "goto") this.seek(); // what is said now is said of there
    if (this.state && this.connected) this.speak(message);
    else this.waiting.push(message);
  }

  /** @param {Record<string, unknown>} message */
  speak(message) {
    this.socket?.send(JSON.stringify({ ref: (this.ref += 1), ...message }));
  }

  /** A person's move: drawn now, played when the server has it. @param {number} square */
  move(square) {
    if (this.pending || !legalMoves(this.position).includes(square)) return false;
    let position = play(this.position, square);
    if (mustPass(position)) position = play(position, PASS);
    const ref = (this.ref += 1),
      sent = this.connected && this.state !== null;
    this.pending = { at: this.cursor, move: squareName(square), ref, position, sent };
    this.turned = performance.now() + settings.turning;
    if (sent) this.speak({ type: "move", move: this.pending.move, at: this.pending.at, ref });
    this.changed();
    return true;
  }

  /** @param {string} reason */
  trouble(reason) {
    this.dispatchEvent(new CustomEvent("trouble", { detail: reason }));
  }

  changed() {
    this.dispatchEvent(new CustomEvent("change", { detail: { before: this.state, fresh: false } }));
  }

  /** Whether a person sits at the side to move; where two friends play, whether we do, and see how it stands. */
  get isPersons() {
    if (this.state?.outcome) return false;
    const side = sideOf(this.position.turn);
    if (!this.state?.seated) return this.players[side] === "human";
    return this.company?.side === side && this.looked === null && this.state.seated.black && this.state.seated.white;
  }

  /** The game as data, to open it elsewhere. @param {boolean} whole to the end of the line, or to the cursor
   * @returns {import("../types").NewGame} */
  game(whole = true) {
    const root = this.nodes.get(0);
    const variant = this.state?.variant ?? variantName(this.position.variant);
    const start = root && `${root.board} ${root.turn === "black" ? "X" : "O"}`;
    const own = textOf(startOf(variantNamed(variant)));
    const line = whole ? this.line : this.line.slice(0, 1 + this.line.findIndex((node) => node.id === this.cursor));
    return {
      variant,
      start: start && start !== own ? start : null,
      moves: line
        .filter((node) => node.move && node.move !== "pass")
        .map((node) => node.move)
        .join(""),
    };
  }
}

/** How deep, and how surely, the least known move was looked at. @param {Hints} hints */
const sureness = ({ hints }) =>
  Math.min(Infinity, ...hints.map((hint) => (hint.exact ? Infinity : hint.depth + (hint.selectivity ?? 0) / 1000)));

