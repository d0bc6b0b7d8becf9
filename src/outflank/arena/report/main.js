// The page: its sections in order, and what belongs to more than one of them.
"use strict";

const sections = [];
function section(id, title, about) {
  const made = element("section", { id }, element("h2", {}, title), about ? element("p", { class: "about" }, about) : null);
  sections.push([id, title]);
  byId("main").append(made);
  return made;
}

/**
 * A table whose columns sort. `columns`: {name, value, cell, text, less}; the first order is that of the rows. A few rows
 * more than `shown` stand there all; of many more a button shows the rest, in a box that scrolls beneath its head.
 */
function sortable(rows, columns, { shown = 20 } = {}) {
  const body = element("tbody"), frame = element("div", { class: "scroll" }), folds = rows.length > 1.5 * shown;
  const more = element("button", { type: "button", class: "more", onclick: () => { folded = !folded; fill(); if (folded) frame.scrollIntoView({ block: "nearest" }); } });
  let folded = folds, ordered = rows;
  const fill = () => {
    body.replaceChildren(...(folded ? ordered.slice(0, shown) : ordered).map((row) => element("tr", {}, ...columns.map((column) => {
      const cell = column.cell(row);
      return element("td", { class: [column.text ? "text" : "", column.kind || "", column.less ? "less" : ""].join(" ").trim() || null }, ...(Array.isArray(cell) ? cell : [cell]));
    }))));
    frame.classList.toggle("tall", folds && !folded);
    more.hidden = !folds;
    more.textContent = folded ? `Show all ${rows.length.toLocaleString("en")}` : `Show the first ${shown}`;
    more.setAttribute("aria-expanded", `${!folded}`);
  };
  const heads = columns.map((column) => {
    const inside = column.head || (column.value ? element("button", { type: "button", onclick: (event) => {
      const button = event.currentTarget, up = button.getAttribute("aria-sort") === "descending";
      for (const other of frame.querySelectorAll("th button")) other.removeAttribute("aria-sort");
      button.setAttribute("aria-sort", up ? "ascending" : "descending");
      ordered = rows.toSorted((one, other) => {
        const [a, b] = [column.value(one), column.value(other)];
        if (a === null || b === null) return Number(a === null) - Number(b === null);
        return (up ? 1 : -1) * (a < b ? -1 : a > b ? 1 : 0);
      });
      fill();
    } }, column.name) : column.name);
    return element("th", { class: [column.text ? "text" : "", column.kind === "plot" ? "plot" : "", column.less ? "less" : ""].join(" ").trim() || null }, inside);
  });
  frame.append(element("table", {}, element("thead", {}, element("tr", {}, ...heads)), body));
  fill();
  return element("div", {}, frame, more);
}

/** Ratings with their intervals, all on one scale. */
function ratings(summary, names, choose) {
  const { players } = summary;
  const about = `${summary.match ? "Ratings" : "Ratings by maximum likelihood"} with 95 % intervals${summary.anchor ? `, measured from ${summary.anchor}` : ", their mean at 0"}${summary.course ? "; ranked by the course's points" : ""}. A player's name shows its games.`;
  const made = section("ratings", "Ratings", about);
  const low = Math.min(...players.map((one) => one.rating_interval[0])), high = Math.max(...players.map((one) => one.rating_interval[1]));
  const room = (high - low) * 0.03 || 50;
  const x = (value) => `${(100 * (value - low + room)) / (high - low + 2 * room)}%`;
  const marks = ticks(low, high, innerWidth < 700 ? 2 : summary.course || innerWidth < 1150 ? 3 : 5);
  const plot = (height, ...parts) => drawn("svg", { height, width: "100%" }, ...parts);
  const lines = (height) => marks.map((mark) => drawn("line", { class: mark === 0 ? "zero" : "grid", x1: x(mark), x2: x(mark), y1: 0, y2: height }));
  const head = plot(16, ...marks.map((mark) => drawn("text", { x: x(mark), y: 12, "text-anchor": "middle" }, signed(mark))));
  const columns = [
    { name: "", value: (one) => -one.rank, cell: (one) => `${one.rank}` },
    { name: "player", text: true, kind: "name", value: (one) => names[one.at], cell: (one) => element("button", { type: "button", class: "link", title: names[one.at], onclick: () => choose({ player: one.at }) }, names[one.at]) },
    ...(summary.course ? [{ name: "points", value: (one) => one.course_points, cell: (one) => signed(one.course_points) }] : []),
    { name: "rating", value: (one) => one.rating, cell: (one) => signed(one.rating) },
    { name: "", kind: "plot", head, cell: (one) => plot(26, ...lines(26), drawn("line", { class: "error", x1: x(one.rating_interval[0]), x2: x(one.rating_interval[1]), y1: 13, y2: 13 }), drawn("circle", { class: "point", cx: x(one.rating), cy: 13, r: 4.5 }),
      drawn("title", {}, `${signed(one.rating)} [${signed(one.rating_interval[0])}, ${signed(one.rating_interval[1])}]`)) },
    { name: "score", value: (one) => one.score, cell: (one) => percent(one.score, 1) },
    { name: "won", less: true, value: (one) => one.wins, cell: (one) => `${one.wins}` },
    { name: "drawn", less: true, value: (one) => one.draws, cell: (one) => `${one.draws}` },
    { name: "lost", less: true, value: (one) => one.losses, cell: (one) => `${one.losses}` },
    { name: "margin", less: true, value: (one) => one.margin, cell: (one) => signed(one.margin, 1) },
    { name: "depth", less: true, value: (one) => one.depth, cell: (one) => (one.depth === null ? NONE : one.depth.toFixed(1)) },
    { name: "forfeits", less: true, value: (one) => one.forfeits, cell: (one) => (one.forfeits ? `${one.forfeits}` : "") },
  ];
  made.append(sortable(players.map((one, at) => ({ ...one, at })), columns));
}

function headline(summary) {
  const { match } = summary;
  if (!match || match.score === null) return;
  const made = section("match", `${match.players[0]} against ${match.players[1]}`, "From the first player's view; intervals of 95 %.");
  const between = ([low, high], digits) => (low === null && high === null ? "" : `${low === null ? `${MINUS}∞` : signed(low, digits)} to ${high === null ? "+∞" : signed(high, digits)}`);
  const fact = (value, name) => element("div", {}, element("b", {}, value), element("span", {}, name));
  made.append(element("div", { class: "big" }, fact(percent(match.score, 1), `${match.wins} won, ${match.draws} drawn, ${match.losses} lost`),
    fact(match.elo === null ? (match.score > 0.5 ? "+∞" : `${MINUS}∞`) : signed(match.elo), `Elo ${between(match.elo_interval, 0)}`), fact(signed(match.margin, 1), `discs a game ${between(match.margin_interval, 1)}`),
    fact(percent(match.superiority, 1), "likely the better one"), fact(match.pentanomial.join(" "), "pairs worth 0, ½, 1, 1½, 2"),
    ...(match.sprt ? [fact(signed(match.llr, 2), `LLR of SPRT ${match.sprt}: ${match.decision ? `${match.decision} accepted` : "not decided"}`)] : [])));
}

function cross(summary, names, choose) {
  if (summary.players.length < 3) return null;
  const made = section("cross", "Cross table", "The score of the row's player against the column's, in per cent. Point at a cell for its interval; click it for its games.");
  const count = names.length, cells = new Map();
  for (const [first, second, points, games, low, high] of summary.cross) {
    cells.set(first * count + second, { points, games, low, high });
    cells.set(second * count + first, { points: games - points, games, low: high === null ? null : 1 - high, high: low === null ? null : 1 - low });
  }
  const describe = (row, column) => {
    const one = cells.get(row * count + column);
    if (row === column) return names[row];
    const pair = `${names[row]}\nagainst ${names[column]}\n`;
    if (!one) return `${pair}have not met`;
    return `${pair}${one.points} of ${one.games} points, ${percent(one.points / one.games)}${one.low === null ? "" : ` [${percent(one.low)}, ${percent(one.high)}]`}`;
  };
  const redraw = crossTable(made, names, cells, { describe, open: (row, column) => row !== column && choose({ player: row, opponent: column }) });
  const bar = element("i", { style: { background: "linear-gradient(90deg, var(--bad), var(--line), var(--good))" } });
  made.append(element("div", { class: "legend" }, "0 %", bar, "100 %"));
  return redraw;
}

/** The players whose curves are in colour, the same in every chart. */
class Coloured {
  constructor(names) {
    this.names = names;
    this.tones = new Map(names.slice(0, 5).map((_, at) => [at, at]));
    this.watchers = [];
  }
  toggle(at) {
    if (this.tones.has(at)) this.tones.delete(at);
    else {
      const used = new Set(this.tones.values());
      const free = Array.from({ length: SERIES }, (_, tone) => tone).find((tone) => !used.has(tone));
      if (free === undefined) this.tones.delete(this.tones.keys().next().value);
      this.tones.set(at, free ?? Array.from({ length: SERIES }, (_, tone) => tone).find((tone) => ![...this.tones.values()].includes(tone)));
    }
    this.watchers.forEach((watcher) => watcher());
  }
  picker() {
    const box = element("div", { class: "chips" });
    const draw = () => {
      const chips = [...this.tones].map(([at, tone]) => element("button", { type: "button", class: "chip", title: "Take out", onclick: () => this.toggle(at) }, element("i", { style: { background: `var(--s${tone})` } }), element("span", {}, this.names[at])));
      const add = element("select", { "aria-label": "Add a player", onchange: () => add.value !== "" && this.toggle(Number(add.value)) }, element("option", { value: "" }, "add a player …"),
        ...this.names.flatMap((name, at) => (this.tones.has(at) ? [] : [element("option", { value: at }, name.slice(0, 60))])));
      box.replaceChildren(...chips, ...(this.tones.size < this.names.length ? [add] : []));
    };
    this.watchers.push(draw);
    draw();
    return box;
  }
  series(values) {
    const tone = (at) => this.tones.get(at) ?? null;
    return values.map((curve, at) => ({ name: this.names[at], values: curve, tone: tone(at) })).sort((one, other) => Number(one.tone !== null) - Number(other.tone !== null));
  }
}

function chart(made, selection, options) {
  const box = element("div", { class: "chart" });
  made.append(selection.picker(), box);
  const redraw = responsive(box, (width) => curves(width, options()));
  selection.watchers.push(redraw);
}

function overTime(summary, selection) {
  const { games, ratings: values } = summary.progress;
  if (games.length < 2 || summary.players.length < 2) return;
  const made = section("progress", "Ratings over time", "What the ratings were after so many games, in the order in which they ended.");
  chart(made, selection, () => ({ xs: games, series: selection.series(values), xLabel: "games played", yText: (value) => signed(value) }));
}

function timeUse(summary, names, selection) {
  const made = section("time", "Time", "The mean time of a move, by its number in the game. The scale is logarithmic.");
  const longest = Math.max(1, ...summary.times.map((one) => one.length));
  chart(made, selection, () => ({ xs: Array.from({ length: longest }, (_, at) => at + 1), series: selection.series(summary.times), xLabel: "move of the game", yText: seconds, log: true }));
  const rows = summary.players.map((one, at) => ({ ...one, at }));
  made.append(sortable(rows, [
    { name: "player", text: true, kind: "name", value: (one) => names[one.at], cell: (one) => names[one.at] },
    { name: "a move", value: (one) => one.seconds_a_move, cell: (one) => seconds(one.seconds_a_move) },
    { name: "slowest move", value: (one) => one.slowest_move, cell: (one) => seconds(one.slowest_move || null) },
    { name: "depth", value: (one) => one.depth, cell: (one) => (one.depth === null ? NONE : one.depth.toFixed(1)) },
  ], { shown: 12 }));
}

function openingsTable(summary, choose) {
  const made = section("openings", "Openings", `How Black did from each: ${summary.openings_from}. An opening shows its games.`);
  const rows = summary.openings.map(([start, moves, games, wins, draws, margin], at) => ({ at, name: moves || (start ? "a position" : "the start"), games, wins, draws, margin, score: (wins + draws / 2) / games }));
  const spread = (one) => { const share = one.score, reach = 1.96 * Math.sqrt(Math.max(share * (1 - share), 0) / one.games); return `${percent(Math.max(0, share - reach))} to ${percent(Math.min(1, share + reach))}`; };
  made.append(sortable(rows, [
    { name: "opening", text: true, kind: "name", value: (one) => one.name, cell: (one) => element("button", { type: "button", class: "link", title: one.name, onclick: () => choose({ opening: one.at }) }, one.name) },
    { name: "games", value: (one) => one.games, cell: (one) => one.games.toLocaleString("en") },
    { name: "Black's score", value: (one) => one.score, cell: (one) => percent(one.score, 1) },
    { name: "95 %", less: true, cell: (one) => (one.games > 1 ? spread(one) : "") },
    { name: "", cell: (one) => element("div", { class: "bar", title: `Black won ${one.wins}, ${one.draws} drawn, White won ${one.games - one.wins - one.draws}` }, ...[one.wins, one.draws, one.games - one.wins - one.draws].map((part) => element("i", { style: { flex: `${part} 0 0` } }))) },
    { name: "Black's margin", value: (one) => one.margin, cell: (one) => signed(one.margin, 1) },
  ], { shown: 20 }));
}

function forfeits(summary, games, names, open) {
  const made = section("forfeits", "Forfeits", summary.forfeits.length ? "Games lost by breaking a rule; they count as losses and have no margin." : "None: every game was played to its end.");
  if (!summary.forfeits.length) return;
  const rows = summary.forfeits.map(([game, reason]) => {
    const loser = 1 - games.winner[game], both = [games.black[game], games.white[game]];
    return { game, reason, loser: names[both[loser]], other: names[both[1 - loser]] };
  });
  made.append(sortable(rows, [
    { name: "player", text: true, kind: "name", value: (one) => one.loser, cell: (one) => one.loser },
    { name: "against", text: true, kind: "name", value: (one) => one.other, cell: (one) => one.other },
    { name: "reason", text: true, kind: "reason", value: (one) => one.reason, cell: (one) => one.reason },
    { name: "", cell: (one) => element("button", { type: "button", class: "link", onclick: () => open(one.game) }, "game") },
  ], { shown: 30 }));
}

function heading(summary) {
  byId("title").textContent = summary.title;
  const limit = Object.entries(summary.limit).map(([key, value]) => `${key} ${Array.isArray(value) ? value.join("+") : value}`).join(", ");
  const when = summary.to ? new Date(1000 * summary.to).toLocaleDateString("en", { dateStyle: "medium" }) : "";
  byId("subtitle").textContent = [summary.variant.name + (summary.variant.reversed ? " (fewest discs win)" : ""), counted(summary.games, "game"), limit, when].filter(Boolean).join(" · ");
  const versions = Object.entries(summary.versions), notes = [];
  if (summary.kind !== "match" && summary.games < summary.scheduled) notes.push(`Not finished: ${summary.games.toLocaleString("en")} of ${summary.scheduled.toLocaleString("en")} games are played.`);
  if (versions.length > 1) notes.push(`These games were played by different versions of Outflank (${versions.map(([name, games]) => `${name}: ${counted(games, "game")}`).join(", ")}): players may have changed between them.`);
  byId("notes").append(...notes.map((note) => element("p", { class: "note" }, note)));
  byId("footer").textContent = `Written by Outflank ${summary.written_by}. This file holds all of it and loads nothing.`;
}

function themes(changed) {
  const root = document.documentElement, system = matchMedia("(prefers-color-scheme: dark)");
  const set = (dark) => { root.dataset.theme = dark ? "dark" : "light"; changed(); };
  set(system.matches);
  system.addEventListener("change", () => set(system.matches));
  byId("theme").addEventListener("click", () => set(root.dataset.theme !== "dark"));
}

async function begin() {
  const [summary, games] = await Promise.all([unpacked("summary"), unpacked("games")]);
  const names = summary.players.map((one) => one.player);
  byId("loading").remove();
  heading(summary);
  let browser = null;
  const choose = (chosen) => { browser.choose(chosen); if (browser.shown.length) browser.open(browser.shown[0]); };
  let redraw = null;
  themes(() => redraw && redraw());
  headline(summary);
  const selection = new Coloured(names);
  if (names.length > 1) ratings(summary, names, choose);
  redraw = cross(summary, names, choose);
  overTime(summary, selection);
  openingsTable(summary, choose);
  timeUse(summary, names, selection);
  forfeits(summary, games, names, (game) => { browser.container.scrollIntoView(); browser.open(game); });
  const judge = summary.values ? `Values in discs by ${summary.values.judge}${summary.values.measured ? " (its points turned into discs)" : ""}, and near the end by the solver; dark bars are proven. ` : "";
  const made = section("games", "Games", `${judge}Keys: ← → Home End through the moves, T to the turning point, N and P to the next and previous game.`);
  browser = new Browser(made, summary, games, names);
  byId("nav").append(...sections.map(([id, title]) => element("a", { href: `#${id}` }, id === "match" ? "Match" : title)));
  const [, game, ply] = location.hash.match(/^#game=(\d+)(?:&move=(\d+))?$/) || [];
  if (game && game <= browser.count) { made.scrollIntoView(); await browser.open(Number(game) - 1, ply ? Number(ply) : undefined); }
  else if (browser.count) await browser.open(0);
  document.documentElement.dataset.ready = String(Math.round(performance.now()));
}

begin().catch((error) => { byId("loading").textContent = typeof DecompressionStream === "undefined" ? "This report needs a browser of 2023 or newer." : `The report cannot be read: ${error}`; throw error; });
