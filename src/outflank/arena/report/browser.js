// The list of games: as many rows as fit are there, whatever their number; chips and words choose among them.
"use strict";

const ROW = 52;

class Browser {
  constructor(container, summary, games, names) {
    this.summary = summary; this.games = games; this.names = names;
    this.count = games.black.length;
    this.forfeits = new Map(summary.forfeits);
    this.chosen = { player: null, opponent: null, opening: null };
    this.words = ""; this.result = "";
    this.current = null; this.chunks = new Map();
    this.low = names.map((name) => name.toLowerCase());
    const text = element("input", { type: "search", placeholder: "Player, or both", "aria-label": "Games of a player", oninput: () => { this.words = text.value; this.filter(); } });
    const select = element("select", { "aria-label": "Result", onchange: () => { this.result = select.value; this.filter(); } },
      ...[["", "every result"], ["black", "Black won"], ["white", "White won"], ["draw", "drawn"], ["forfeit", "forfeited"]].map(([value, name]) => element("option", { value }, name)));
    this.chips = element("div", { class: "chips" });
    this.found = element("span", { class: "about", "aria-live": "polite" });
    this.inner = element("div", { style: { position: "relative" } });
    this.list = element("div", { class: "list", role: "listbox", tabindex: 0, "aria-label": "Games", onscroll: () => this.draw(), onkeydown: (event) => this.key(event) }, this.inner);
    this.view = element("div", {}, element("p", { class: "empty" }, "Choose a game."));
    this.viewer = new Viewer(this.view, summary, names);
    this.viewer.moved = (ply) => history.replaceState(null, "", `#game=${this.current + 1}&move=${ply}`);
    container.append(element("div", { class: "filters" }, text, select), this.chips, element("div", { class: "browser" }, element("div", {}, this.list), this.view));
    this.container = container;
    addEventListener("keydown", (event) => this.replayKey(event));
    this.filter();
    new ResizeObserver(() => this.draw()).observe(this.list);
  }

  /** Shows only games of a player, of two, or from an opening. */
  choose(chosen) {
    Object.assign(this.chosen, { player: null, opponent: null, opening: null }, chosen);
    this.filter();
    this.container.scrollIntoView();
  }

  filter() {
    const { black, white, winner, opening } = this.games, { player, opponent, opening: from } = this.chosen;
    const words = this.words.toLowerCase().split(/\s+/).filter(Boolean);
    const names = words.map((word) => new Set(this.low.flatMap((name, at) => (name.includes(word) ? [at] : []))));
    this.shown = [];
    for (let at = 0; at < this.count; at++) {
      const both = [black[at], white[at]];
      if (player !== null && !both.includes(player)) continue;
      if (opponent !== null && !(both.includes(opponent) && (player !== opponent || both[0] === both[1]))) continue;
      if (from !== null && opening[at] !== from) continue;
      if (!names.every((set) => set.has(both[0]) || set.has(both[1]))) continue;
      const forfeited = this.forfeits.has(at);
      if (this.result === "black" && winner[at] !== BLACK) continue;
      if (this.result === "white" && winner[at] !== WHITE) continue;
      if (this.result === "draw" && winner[at] !== null) continue;
      if (this.result === "forfeit" && !forfeited) continue;
      this.shown.push(at);
    }
    this.drawChips();
    this.list.scrollTop = 0;
    this.draw(true);
  }

  drawChips() {
    const said = { player: (at) => this.names[at], opponent: (at) => `against ${this.names[at]}`, opening: (at) => `opening ${this.summary.openings[at][1] || at + 1}` };
    const chips = Object.entries(this.chosen).filter(([, at]) => at !== null).map(([key, at]) =>
      element("button", { type: "button", class: "chip", onclick: () => { this.chosen[key] = null; this.filter(); } }, element("span", {}, said[key](at)), "×"));
    this.found.textContent = counted(this.shown.length, "game");
    this.chips.replaceChildren(this.found, ...chips);
  }

  draw(again = false) {
    this.inner.style.height = `${this.shown.length * ROW}px`;
    const first = Math.max(0, Math.floor(this.list.scrollTop / ROW) - 4);
    const last = Math.min(this.shown.length, first + Math.ceil(this.list.clientHeight / ROW) + 9);
    if (!again && this.drawnFrom === first && this.drawnTo === last) return;
    [this.drawnFrom, this.drawnTo] = [first, last];
    const rows = [];
    for (let at = first; at < last; at++) rows.push(this.row(this.shown[at], at));
    this.inner.replaceChildren(...rows);
  }

  row(game, at) {
    const { black, white, winner, score } = this.games;
    const side = (color, number) => element("span", { class: `side${winner[game] === color ? " won" : ""}` }, element("i", { class: `disc ${color ? "white" : "black"}` }), element("span", {}, this.names[number]));
    const result = this.forfeits.has(game) ? "forfeit" : winner[game] === null ? "draw" : signed(Math.abs(score[game])).replace("+", "by ");
    return element("button", { type: "button", class: "row", role: "option", tabindex: -1, "aria-selected": String(game === this.current), style: { top: `${at * ROW}px` }, onclick: () => this.open(game) },
      side(BLACK, black[game]), side(WHITE, white[game]), element("span", { class: "result" }, result));
  }

  async open(game, ply) {
    this.current = game;
    this.reveal(this.shown.indexOf(game));
    this.draw(true);
    const size = this.summary.games_a_chunk, chunk = Math.floor(game / size);
    if (!this.chunks.has(chunk)) this.chunks.set(chunk, unpacked(`details-${chunk}`));
    const detail = (await this.chunks.get(chunk))[game % size];
    if (this.current !== game) return;
    const { black, white, winner, score, opening, called } = this.games, { variant, openings } = this.summary;
    const start = readBoard(openings[opening[game]][0] || variant.start, variant.rows, variant.columns);
    const facts = { black: black[game], white: white[game], winner: winner[game], score: score[game], forfeit: this.forfeits.get(game) ?? null, called: called[game] };
    this.viewer.show(gameFrom(this.summary, start, detail, facts), ply);
  }

  step(by) {
    const at = this.shown.indexOf(this.current) + by;
    if (at >= 0 && at < this.shown.length) this.open(this.shown[at]);
  }

  reveal(at) {
    if (at < 0) return;
    this.inner.style.height = `${this.shown.length * ROW}px`;
    this.list.scrollTop = Math.max(Math.min(this.list.scrollTop, at * ROW), (at + 1) * ROW - this.list.clientHeight);
  }

  key(event) {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") { this.step(event.key === "ArrowDown" ? 1 : -1); event.preventDefault(); }
  }

  replayKey(event) {
    if (!this.viewer.game || event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|SELECT|CANVAS)$/.test(event.target.tagName)) return;
    const { viewer } = this;
    const act = {
      ArrowLeft: () => viewer.go(viewer.ply - 1), ArrowRight: () => viewer.go(viewer.ply + 1), Home: () => viewer.go(0), End: () => viewer.go(viewer.game.moves.length),
      t: () => viewer.game.turning !== null && viewer.go(viewer.game.turning), n: () => this.step(1), p: () => this.step(-1),
    }[event.key];
    if (act) { act(); event.preventDefault(); }
  }
}
