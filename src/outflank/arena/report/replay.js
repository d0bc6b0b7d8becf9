// One game on a board: its moves, what they were worth, and where it turned.
"use strict";

const CELL = 50, EDGE = 24, RIM = 8;

/** The board as a picture. `marks` has small texts by square. */
function boardPicture(variant, position, best) {
  const { rows, columns } = variant;
  const width = columns * CELL + EDGE + RIM, height = rows * CELL + EDGE + RIM;
  const picture = drawn("svg", { class: "board", viewBox: `0 0 ${width} ${height}`, role: "img" });
  picture.append(
    drawn("rect", { width, height, fill: "var(--frame)" }),
    drawn("rect", { x: EDGE, y: EDGE, width: columns * CELL, height: rows * CELL, fill: "var(--field)" }),
  );
  let lines = "";
  for (let at = 0; at <= columns; at++) lines += `M${EDGE + at * CELL} ${EDGE}v${rows * CELL}`;
  for (let at = 0; at <= rows; at++) lines += `M${EDGE} ${EDGE + at * CELL}h${columns * CELL}`;
  picture.append(drawn("path", { d: lines, stroke: "var(--field-line)", "stroke-width": 1.5, fill: "none" }));
  const note = { "text-anchor": "middle", style: { fill: "#cfd8d2", "font-size": "13px" } };
  for (let at = 0; at < columns; at++) picture.append(drawn("text", { x: EDGE + at * CELL + CELL / 2, y: EDGE - 8, ...note }, LETTERS[at]));
  for (let at = 0; at < rows; at++) picture.append(drawn("text", { x: EDGE / 2, y: EDGE + at * CELL + CELL / 2 + 5, ...note }, `${at + 1}`));
  const spot = (square) => ({ cx: EDGE + (square & 7) * CELL + CELL / 2, cy: EDGE + (square >> 3) * CELL + CELL / 2 });
  const flipped = new Set(position.flips);
  position.cells.forEach((cell, square) => {
    if (cell === null || cell === undefined) return;
    const style = cell === BLACK ? { fill: "#17191a", stroke: "#000" } : { fill: "#f7f7f3", stroke: "#a8aca5" };
    picture.append(drawn("circle", { ...spot(square), r: 21, ...style }));
    if (flipped.has(square)) picture.append(drawn("circle", { ...spot(square), r: 4, fill: cell === BLACK ? "#8b9390" : "#b9bdb5" }));
  });
  if (position.move !== null) picture.append(drawn("circle", { ...spot(position.move), r: 6, fill: "#e0533d" }));
  if (best !== null && position.cells[best] === null) {
    const { cx, cy } = spot(best);
    picture.append(
      drawn("circle", { cx, cy, r: 19, fill: "none", stroke: "#ffe08a", "stroke-width": 2.5, "stroke-dasharray": "5 4" }),
      drawn("title", {}, `The judge would play ${squareName(best)}`),
    );
  }
  return picture;
}

/**
 * A game as the viewer shows it: positions, and for each move its loss.
 * @param {any[]} detail see report/data.py, `_detail`
 */
function gameFrom(summary, start, detail, facts) {
  const [moves, spent, scores, depths, values, best, exactFrom, turning] = detail;
  const positions = replayed(start, moves);
  const first = moves.length - spent.length;
  const losses = moves.map((move, at) => {
    if (!values || values[at] === null || values[at + 1] === null) return null;
    if (move === best[at]) return 0;
    const fall = values[at] - values[at + 1];
    return Math.max(0, positions[at + 1].mover === BLACK ? fall : -fall);
  });
  return { ...facts, moves, spent, scores, depths, values, best, exactFrom, turning, positions, first, losses };
}

class Viewer {
  /** @param {HTMLElement} container */
  constructor(container, summary, names) {
    this.container = container; this.summary = summary; this.names = names;
    this.game = null; this.ply = 0;
    /** Told of every move shown. @type {((ply: number) => void) | null} */
    this.moved = null;
    // Small advantages matter most: a lead of 16 discs fills a little more than half of the graph, 64 all of it.
    this.height = (value) => Math.sign(value) * Math.sqrt(Math.min(1, Math.abs(value) / 64));
  }

  show(game, ply) {
    this.game = game;
    this.ply = Math.max(0, Math.min(ply ?? (game.turning === null ? game.moves.length : game.turning), game.moves.length));
    this.container.replaceChildren(this.built());
    this.redrawGraph = responsive(this.graphBox, (width) => this.graph(width));
    this.update();
  }

  built() {
    const game = this.game;
    this.boardBox = element("div");
    this.now = element("p", { class: "now", "aria-live": "polite" });
    this.graphBox = element("div", { class: "chart" });
    this.body = element("tbody");
    const button = (text, label, act) => element("button", { type: "button", "aria-label": label, title: label, onclick: act }, text);
    const controls = element("div", { class: "controls" },
      button("«", "First position (Home)", () => this.go(0)), button("‹", "Back (←)", () => this.go(this.ply - 1)),
      button("›", "On (→)", () => this.go(this.ply + 1)), button("»", "Last position (End)", () => this.go(game.moves.length)));
    if (game.turning !== null && game.turning !== undefined) controls.append(button("Turning point", "The move that decided it (T)", () => this.go(game.turning)));
    this.counts = [0, 1].map(() => element("span", { class: "count" }));
    const side = (color, number) => element("div", {}, element("i", { class: `disc ${color ? "white" : "black"}` }), element("span", { class: "name", title: this.names[number] }, this.names[number]), this.counts[color]);
    game.moves.forEach((move, at) => this.body.append(this.line(move, at)));
    const columns = ["", "move", ...(game.values ? ["for Black", "lost"] : []), "its value", "depth", "time"];
    return element("div", { class: "viewer" },
      element("div", { class: "why wide" }, ...this.story()),
      element("div", {}, element("div", { class: "players" }, side(BLACK, game.black), side(WHITE, game.white)), this.boardBox, controls),
      element("div", {}, game.values ? element("h3", {}, "Value for Black, in discs") : null, this.graphBox, this.now,
        element("div", { class: "scroll moves" }, element("table", {}, element("thead", {}, element("tr", {}, ...columns.map((name) => element("th", {}, name)))), this.body))));
  }

  line(move, at) {
    const game = this.game, own = at - game.first;
    const cells = [element("td", {}, `${at + 1}`), element("td", { class: "text" }, element("i", { class: `disc ${game.positions[at + 1].mover ? "white" : "black"}` }), ` ${squareName(move)}`)];
    if (game.values) {
      const exact = at + 1 >= game.exactFrom, loss = game.losses[at];
      cells.push(element("td", { class: exact ? "exact" : null, title: exact ? "proven" : "estimated" }, valued(game.values[at + 1], exact)),
        element("td", { class: "loss" }, loss && loss >= 0.5 ? valued(-loss, at >= game.exactFrom) : ""));
    }
    cells.push(element("td", {}, own >= 0 ? this.ownValue(game.scores[own]) : ""), element("td", {}, own >= 0 && game.depths[own] ? `${game.depths[own]}` : ""),
      element("td", {}, own >= 0 ? seconds(game.spent[own] / 1e6) : "opening"));
    return element("tr", { class: [own < 0 ? "opening" : "", at === game.turning ? "turn" : ""].join(" ").trim() || null, onclick: () => this.go(at + 1) }, ...cells);
  }

  ownValue(score) {
    if (score === null || score === undefined) return NONE;
    if (Math.abs(score) >= 1e9) return score > 0 ? "won" : "lost";
    return signed(score, Math.abs(score) < 100 ? 1 : 0);
  }

  /** Why it was lost, in sentences. */
  story() {
    const game = this.game, side = ["Black", "White"], said = [];
    const loser = game.winner === null ? null : 1 - game.winner;
    if (game.forfeit) said.push(`${side[loser]} (${this.names[loser ? game.white : game.black]}) forfeited: ${game.forfeit}.`);
    else if (loser === null) said.push("A draw.");
    else said.push(`${side[game.winner]} (${this.names[game.winner ? game.white : game.black]}) won by ${Math.abs(game.score)}${this.summary.variant.reversed ? " (fewest discs win)" : ""}.`);
    if (game.called) said.push(`The opening: ${game.called}.`);
    if (game.values && game.turning !== null && game.turning !== undefined) {
      const at = game.turning, view = loser ? -1 : 1;
      const text = (ply) => valued(view * game.values[ply], ply >= game.exactFrom);
      said.push(`It turned with move ${at + 1}, ${side[loser]}'s ${squareName(game.moves[at])}: ${text(at)} for ${side[loser]} before it, ${text(at + 1)} after it. Better was ${squareName(game.best[at])}.`);
    }
    if (game.values) {
      const lost = [0, 1].map((color) => game.losses.reduce((sum, loss, at) => sum + (at >= game.first && game.positions[at + 1].mover === color ? loss || 0 : 0), 0));
      said.push(`Given away in all: Black ${lost[0].toFixed(0)}, White ${lost[1].toFixed(0)} discs.`);
    }
    return said.map((sentence) => element("p", {}, sentence));
  }

  graph(width) {
    const game = this.game, height = game.values ? 150 : 0, count = game.moves.length || 1;
    const picture = drawn("svg", { class: "graph", width, height, viewBox: `0 0 ${width} ${height}`, role: "slider", tabindex: 0, "aria-label": "Position in the game", "aria-valuemin": 0, "aria-valuemax": count });
    if (!game.values) return picture;
    const x = (ply) => 4 + (ply / count) * (width - 8), y = (value) => height / 2 - this.height(value) * (height / 2 - 6);
    picture.append(drawn("line", { class: "zero", x1: 0, x2: width, y1: height / 2, y2: height / 2 }));
    game.values.forEach((value, at) => {
      if (value === null) return;
      const wide = Math.max(1.5, (width - 8) / count - 1.5), tall = Math.max(1, Math.abs(y(value) - height / 2));
      picture.append(drawn("rect", { x: x(at) - wide / 2, y: Math.min(y(value), height / 2), width: wide, height: tall, rx: 1,
        fill: value >= 0 ? "var(--accent)" : "var(--bad)", opacity: at >= game.exactFrom ? 1 : 0.5 }));
    });
    if (game.turning !== null) picture.append(drawn("path", { d: `M${x(game.turning + 1)} ${height}l-5 -8h10z`, fill: "var(--ink)" }, drawn("title", {}, "turning point")));
    this.cursor = drawn("line", { x1: 0, x2: 0, y1: 0, y2: height, stroke: "var(--ink)", "stroke-width": 1.5 });
    this.cursorAt = x;
    picture.append(this.cursor);
    const drag = (event) => { const box = picture.getBoundingClientRect(); this.go(Math.round(((event.clientX - box.left - 4) / (width - 8)) * count)); };
    picture.addEventListener("pointerdown", (event) => { picture.setPointerCapture(event.pointerId); drag(event); });
    picture.addEventListener("pointermove", (event) => { if (event.buttons) drag(event); });
    this.slider = picture;
    queueMicrotask(() => this.moveCursor());
    return picture;
  }

  moveCursor() {
    if (!this.cursor || !this.game.values) return;
    const x = this.cursorAt(this.ply);
    this.cursor.setAttribute("x1", x); this.cursor.setAttribute("x2", x);
    this.slider.setAttribute("aria-valuenow", this.ply);
  }

  go(ply) {
    if (!this.game) return;
    this.ply = Math.max(0, Math.min(this.game.moves.length, ply));
    this.update();
  }

  update() {
    const game = this.game, position = game.positions[this.ply], ended = this.ply === game.moves.length;
    const best = game.values && !ended && game.best[this.ply] !== 64 ? game.best[this.ply] : null;
    const picture = boardPicture(this.summary.variant, position, best);
    picture.setAttribute("aria-label", `Black ${discs(position.cells, BLACK)}, White ${discs(position.cells, WHITE)}${position.move === null ? "" : `, last move ${squareName(position.move)}`}`);
    this.boardBox.replaceChildren(picture);
    for (const color of [BLACK, WHITE]) this.counts[color].textContent = `${discs(position.cells, color)}`;
    this.now.replaceChildren(...this.sentence(position, best, ended));
    for (const row of this.body.querySelectorAll("[aria-current]")) row.removeAttribute("aria-current");
    const row = this.body.children[this.ply - 1];
    if (row) {
      row.setAttribute("aria-current", "step");
      const frame = this.body.closest(".scroll"), head = 28;
      if (row.offsetTop < frame.scrollTop + head) frame.scrollTop = row.offsetTop - head;
      else if (row.offsetTop + row.offsetHeight > frame.scrollTop + frame.clientHeight) frame.scrollTop = row.offsetTop + row.offsetHeight - frame.clientHeight;
    }
    this.moveCursor();
    if (this.moved) this.moved(this.ply);
  }

  sentence(position, best, ended) {
    const game = this.game, side = ["Black", "White"], parts = [];
    if (position.move === null) parts.push(element("b", {}, "The start. "));
    else {
      if (position.passed !== null) parts.push(`${side[position.passed]} passes. `);
      parts.push(element("b", {}, `${this.ply}. ${side[position.mover]} ${squareName(position.move)}`), this.ply <= game.first ? " (opening). " : ". ");
      const loss = game.losses[this.ply - 1];
      if (loss && loss >= 0.5) parts.push(element("span", { class: "loss" }, `It gave away ${valued(loss, this.ply - 1 >= game.exactFrom).replace("+", "")}; ${squareName(game.best[this.ply - 1])} was better. `));
    }
    if (game.values && game.values[this.ply] !== null) parts.push(`${this.ply >= game.exactFrom ? "Proven" : "Estimated"}: ${valued(game.values[this.ply], this.ply >= game.exactFrom)} for Black. `);
    if (best !== null) parts.push(`The judge would now play ${squareName(best)}.`);
    if (ended) parts.push(game.forfeit ? "Here the game was forfeited." : "The game is over.");
    return parts;
  }
}
