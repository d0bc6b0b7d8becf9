/** The games of an event: as many rows as fit are there, whatever their number; words and chips choose among them. */

import { h, select } from "./dom.js";
import { grouped, say } from "./language.js";
import { sideOf } from "./rules.js";
import { Replay } from "./replay.js";

/** @typedef {import("./results.js").Source} Source */
/** @typedef {{player: number | null, opponent: number | null, opening: number | null}} Chosen */

const ROW = 52; // pixels, as in report.css
const EVERY = { player: null, opponent: null, opening: null };

export class GameList {
  /** @param {Source} source @param {string[]} names of the players */
  constructor(source, names) {
    this.source = source;
    this.names = names;
    this.low = names.map((name) => name.toLowerCase());
    this.forfeits = new Map(source.summary.forfeits.map((one) => [one.game, one.reason]));
    this.replay = new Replay(source.summary, names, source.analyse ?? null);
    /** @type {Chosen} */
    this.chosen = { ...EVERY };
    /** @type {number[]} */
    this.shown = [];
    /** @type {number | null} */
    this.current = null;
    this.drawn = "";
    this.words = h("input", { type: "search", placeholder: say("findPlayers"), "aria-label": say("findPlayers") });
    const results = ["any", "black", "white", "draw", "forfeit"];
    this.result = select(
      results.map((result) => [result, say(`won.${result}`)]),
      "any",
      { "aria-label": say("result") },
    );
    this.words.addEventListener("input", () => this.filter());
    this.result.addEventListener("change", () => this.filter());
    this.found = h("span", { class: "none", "aria-live": "polite" });
    this.chips = h("div", { class: "chosen" });
    this.rows = h("div", { class: "rows" });
    this.list = h("div", { class: "list", role: "listbox", tabindex: 0, "aria-label": say("games") }, this.rows);
    this.list.addEventListener("scroll", () => this.draw());
    this.list.addEventListener("keydown", (event) => {
      const way = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (way) {
        this.step(way);
        event.preventDefault();
      }
    });
    this.element = h(
      "div",
      {},
      h("div", { class: "filters" }, this.words, this.result),
      this.chips,
      h("div", { class: "browser" }, this.list, this.replay.element),
    );
    new ResizeObserver(() => this.draw()).observe(this.list);
    this.filter();
  }

  /** Only games of a player, of two, or from an opening; the first of them is opened. @param {Partial<Chosen>} chosen */
  async choose(chosen) {
    this.chosen = { ...EVERY, ...chosen };
    this.filter();
    this.element.parentElement?.scrollIntoView();
    if (this.shown.length) await this.open(this.shown[0]);
  }

  filter() {
    const { black, white, winner, opening } = this.source.games;
    const { player, opponent, opening: from } = this.chosen;
    const result = this.result.value;
    const named = this.words.value.toLowerCase().split(/\s+/).filter(Boolean);
    const wanted = named.map((word) => new Set(this.low.flatMap((name, at) => (name.includes(word) ? [at] : []))));
    this.shown = [];
    for (let at = 0; at < black.length; at += 1) {
      const plays = (/** @type {number} */ one) => black[at] === one || white[at] === one;
      if (player !== null && !plays(player)) continue;
      if (opponent !== null && !plays(opponent)) continue;
      if (from !== null && opening[at] !== from) continue;
      if (!wanted.every((set) => set.has(black[at]) || set.has(white[at]))) continue;
      if (result === "forfeit" ? !this.forfeits.has(at) : result !== "any" && result !== wonBy(winner[at])) continue;
      this.shown.push(at);
    }
    this.drawChips();
    this.list.scrollTop = 0;
    this.draw(true);
  }

  drawChips() {
    const { openings } = this.source.summary;
    const texts = {
      player: (/** @type {number} */ at) => this.names[at],
      opponent: (/** @type {number} */ at) => say("against", { player: this.names[at] }),
      opening: (/** @type {number} */ at) => openings[at][1] || say("startPosition"),
    };
    const keys = /** @type {(keyof Chosen)[]} */ (Object.keys(EVERY));
    this.found.textContent = say("gamesPlayed", { games: grouped(this.shown.length) });
    this.chips.replaceChildren(
      this.found,
      ...keys.flatMap((key) => {
        const at = this.chosen[key];
        if (at === null) return [];
        const remove = () => {
          this.chosen[key] = null;
          this.filter();
        };
        return [h("button", { type: "button", class: "pick", title: say("takeOut"), onclick: remove }, h("span", {}, texts[key](at)), "×")];
      }),
    );
  }

  /** @param {boolean} [again] although the same rows are to be seen */
  draw(again = false) {
    this.rows.style.height = `${this.shown.length * ROW}px`;
    const first = Math.max(0, Math.floor(this.list.scrollTop / ROW) - 4);
    const last = Math.min(this.shown.length, first + Math.ceil(this.list.clientHeight / ROW) + 9);
    if (!again && this.drawn === `${first} ${last}`) return;
    this.drawn = `${first} ${last}`;
    this.rows.replaceChildren(...this.shown.slice(first, last).map((game, at) => this.row(game, first + at)));
  }

  /** @param {number} game @param {number} at */
  row(game, at) {
    const { black, white, winner, score } = this.source.games;
    const side = (/** @type {number} */ color, /** @type {number} */ player) =>
      h(
        "span",
        { class: winner[game] === color ? "seat won" : "seat" },
        h("span", { class: `pip ${sideOf(color + 1)}` }),
        h("span", { class: "who" }, this.names[player]),
      );
    const margin = say("by", { margin: Math.abs(score[game] ?? 0) });
    const result = this.forfeits.has(game) ? say("forfeit") : winner[game] === null ? say("won.draw") : margin;
    const made = h(
      "button",
      {
        type: "button",
        class: "game",
        role: "option",
        tabindex: -1,
        "aria-selected": String(game === this.current),
        onclick: () => this.open(game),
      },
      side(0, black[game]),
      side(1, white[game]),
      h("span", { class: "result" }, result),
    );
    made.style.top = `${at * ROW}px`;
    return made;
  }

  /** @param {number} game @param {number} [ply] */
  async open(game, ply) {
    this.current = game;
    const at = this.shown.indexOf(game);
    if (at >= 0) {
      const { scrollTop, clientHeight } = this.list;
      this.rows.style.height = `${this.shown.length * ROW}px`;
      this.list.scrollTop = Math.max(Math.min(scrollTop, at * ROW), (at + 1) * ROW - clientHeight);
    }
    this.draw(true);
    const { games, summary } = this.source;
    const detail = await this.source.detail(game);
    if (this.current !== game) return;
    this.replay.show(
      {
        number: game,
        black: games.black[game],
        white: games.white[game],
        winner: games.winner[game],
        score: games.score[game],
        forfeit: this.forfeits.get(game) ?? null,
        called: games.called?.[game] ?? null,
        start: summary.openings[games.opening[game]][0],
      },
      detail,
      ply,
    );
  }

  /** To another game of the list. @param {number} by */
  step(by) {
    const at = this.shown.indexOf(this.current ?? -1) + by;
    if (at >= 0 && at < this.shown.length) this.open(this.shown[at]);
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const typing = event.target instanceof Element && event.target.matches("input, select, canvas");
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || typing) return;
    const { replay } = this;
    const act = {
      ArrowLeft: () => replay.go(replay.ply - 1),
      ArrowRight: () => replay.go(replay.ply + 1),
      Home: () => replay.go(0),
      End: () => replay.go(replay.last),
      t: () => replay.toTurn(),
      n: () => this.step(1),
      p: () => this.step(-1),
    }[event.key];
    if (!act) return;
    act();
    event.preventDefault();
    event.stopPropagation();
  }
}

/** @param {number | null} winner */
const wonBy = (winner) => (winner === null ? "draw" : sideOf(winner + 1));
