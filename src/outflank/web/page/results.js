/**
 * A match or tournament as it stands: ratings, who scored what against whom, how it came to that, and every game to
 * replay. The page's Results and the file that `outflank report --html` writes are both made of this.
 */

import { SERIES, crossTable, curvesPicture, responsive, ticks } from "./charts.js";
import { h, s } from "./dom.js";
import { GameList } from "./gamelist.js";
import { grouped, heard, measured, percent, rounded, say, signed } from "./language.js";
import { sortable } from "./tables.js";

/** @typedef {import("../types").ReportSummary} Summary */
/** @typedef {import("../types").ReportPlayer} Player */
/** @typedef {{points: number, games: number, low: number | null, high: number | null}} Cell */

/**
 * Where the results come from: the server, or the file itself.
 * @typedef {object} Source
 * @property {Summary} summary
 * @property {import("../types").ReportGames} games
 * @property {(game: number) => Promise<import("../types").GameDetail>} detail
 * @property {(game: import("../types").NewGame) => void} [analyse] opens a game in Analyse
 */

export class Results {
  /** @param {Source} source */
  constructor(source) {
    this.summary = source.summary;
    this.source = source;
    this.names = source.summary.players.map(({ player }) => player);
    this.list = new GameList(source, this.names);
    this.coloured = new Coloured(this.names);
    this.element = h("div", { class: "record" });
    this.headline();
    if (this.names.length > 1) this.ratings();
    if (this.names.length > 2) this.cross();
    this.overTime();
    this.openings();
    this.times();
    this.forfeits();
    this.games();
  }

  /** @param {string} id @param {string} title @param {string} about */
  section(id, title, about) {
    const made = h("section", { id }, h("h2", {}, title), h("p", { class: "about" }, about));
    this.element.append(made);
    return made;
  }

  /** A player's name as a button that shows its games. @param {number} player */
  gamesOf(player) {
    const name = this.names[player];
    const show = () => this.list.choose({ player });
    return h("button", { type: "button", class: "link", title: name, onclick: show }, name);
  }

  headline() {
    const { match } = this.summary;
    if (!match || match.score === null) return;
    const title = say("pair", { one: match.players[0], other: match.players[1] });
    const made = this.section("match", title, say("matchAbout"));
    /** @param {[number | null, number | null]} interval @param {number} digits */
    const between = ([low, high], digits) =>
      low === null && high === null
        ? ""
        : `[${low === null ? "−∞" : signed(low, digits)}, ${high === null ? "+∞" : signed(high, digits)}]`;
    const { score, elo, margin, superiority } = match;
    const facts = /** @type {[string, string][]} */ ([
      [percent(score, 1), say("wdl", { wins: match.wins, draws: match.draws, losses: match.losses })],
      [elo === null ? (score > 0.5 ? "+∞" : "−∞") : signed(elo), `${say("elo")} ${between(match.elo_interval, 0)}`],
      [margin === null ? "–" : signed(margin, 1), `${say("marginAGame")} ${between(match.margin_interval, 1)}`],
      [superiority === null ? "–" : percent(superiority, 1), say("superiority")],
      [match.pentanomial.join(" "), say("pentanomial")],
    ]);
    if (match.sprt && match.llr !== null) {
      const decided = match.decision ? say("accepted", { hypothesis: match.decision }) : say("undecided");
      facts.push([signed(match.llr, 2), say("sprt", { sprt: match.sprt, decided })]);
    }
    made.append(h("div", { class: "headline" }, ...facts.map(([value, name]) => h("div", {}, h("b", {}, value), name))));
  }

  /** Ratings with their intervals, all on one scale. */
  ratings() {
    const { players, anchor, course, match, gap } = this.summary;
    const from = anchor ? say("ratedFrom", { anchor }) : say("ratedMean");
    const about = [say(match ? "ratingsAbout" : "ratingsModel"), from, course ? say("rankedByPoints") : "", say("nameShows")];
    const made = this.section("ratings", say("ratings"), about.filter(Boolean).join(" "));
    const low = Math.min(...players.map(({ rating_interval }) => rating_interval[0])),
      high = Math.max(...players.map(({ rating_interval }) => rating_interval[1])),
      room = (high - low) * 0.03 || 50;
    const x = (/** @type {number} */ value) => `${(100 * (value - low + room)) / (high - low + 2 * room)}%`;
    const marks = ticks(low, high, innerWidth < 700 ? 2 : innerWidth < 1500 ? 3 : 5);
    const bar = (/** @type {Player} */ one) =>
      s(
        "svg",
        { height: 26, role: "img", "aria-label": say("rating") },
        ...marks.map((mark) => s("line", { class: mark ? "level" : "zero", x1: x(mark), x2: x(mark), y1: 0, y2: 26 })),
        s("line", { class: "error", x1: x(one.rating_interval[0]), x2: x(one.rating_interval[1]), y1: 13, y2: 13 }),
        s("circle", { class: "point", cx: x(one.rating), cy: 13, r: 4.5 }),
        s("title", {}, `${signed(one.rating)} [${one.rating_interval.map((bound) => signed(bound)).join(", ")}]`),
      );
    const scale = marks.map((mark) => s("text", { class: "middle", x: x(mark), y: 12 }, signed(mark)));
    const rows = players.map((one, at) => ({ ...one, at }));
    /** @typedef {import("./tables.js").Column<(typeof rows)[number]>} RatingColumn */
    /** @param {string} name @param {"wins" | "draws" | "losses" | "forfeits"} key @returns {RatingColumn} */
    const counted = (name, key) => ({ name, kind: "less", value: (one) => one[key], cell: (one) => String(one[key]) });
    /** @type {RatingColumn[]} */
    const columns = [
      { name: "#", value: (one) => -one.rank, cell: (one) => String(one.rank) },
      { name: say("player"), kind: "text name", value: (one) => this.names[one.at], cell: (one) => this.gamesOf(one.at) },
      {
        name: say("points"),
        value: (one) => one.course_points,
        cell: (one) => signed(one.course_points ?? 0),
      },
      { name: say("rating"), value: (one) => one.rating, cell: (one) => signed(one.rating) },
      { name: "", kind: "plot", head: s("svg", { height: 16, "aria-hidden": "true" }, ...scale), cell: bar },
      { name: say("score"), value: (one) => one.score, cell: (one) => (one.score === null ? "–" : percent(one.score, 1)) },
      counted(say("match.wins"), "wins"),
      counted(say("match.draws"), "draws"),
      counted(say("match.losses"), "losses"),
      {
        name: say("marginAGame"),
        kind: "less",
        value: (one) => one.margin,
        cell: (one) => (one.margin === null ? "–" : signed(one.margin, 1)),
      },
      { name: say("depthColumn"), kind: "less", value: (one) => one.depth, cell: (one) => one.depth === null ? "–" : rounded(one.depth, 1) },
      { ...counted(say("forfeits"), "forfeits"), cell: (one) => String(one.forfeits || "") },
    ];
    made.append(sortable(say("ratings"), rows, columns.filter(({ name }) => course || name !== say("points"))));
    if (gap) {
      const above = gap.above.length;
      const groups = { above, below: players.length - above, games: grouped(gap.games), points: gap.points };
      made.append(h("p", { class: "warning" }, say("gap", groups)));
    }
  }

  cross() {
    const made = this.section("cross", say("crossTable"), say("crossAbout"));
    const count = this.names.length;
    /** @type {Map<number, Cell>} */
    const cells = new Map();
    for (const [first, second, points, games, low, high] of this.summary.cross) {
      cells.set(first * count + second, { points, games, low, high });
      const [least, most] = [low === null ? null : 1 - low, high === null ? null : 1 - high];
      cells.set(second * count + first, { points: games - points, games, low: most, high: least });
    }
    made.append(
      crossTable(this.names, cells, (row, column) => {
        if (row !== column) this.list.choose({ player: row, opponent: column });
      }),
      h("div", { class: "scale" }, "0 %", h("i", {}), "100 %"),
    );
  }

  /** @param {HTMLElement} made @param {(number | null)[][]} values @param {Omit<import("./charts.js").Curves, "series">} axes */
  chart(made, values, axes) {
    const box = h("div", { class: "chart" });
    made.append(this.coloured.picker(), box);
    const draw = () => curvesPicture(box.clientWidth, { ...axes, series: this.coloured.series(values) });
    this.coloured.addEventListener("change", responsive(box, draw));
  }

  overTime() {
    const { progress } = this.summary;
    if (!progress || progress.games.length < 2 || this.names.length < 2) return;
    const made = this.section("progress", say("overTime"), say("overTimeAbout"));
    this.chart(made, progress.ratings, { xs: progress.games, label: say("gamesAxis"), text: (value) => signed(value) });
  }

  openings() {
    const { openings, openings_from: source } = this.summary;
    const made = this.section("openings", say("openings"), say("openingsAbout", { source }));
    const rows = openings.map(([start, moves, games, wins, draws, margin], at) => {
      const name = moves || (start ? say("aPosition") : say("opening.start"));
      return { at, name, games, wins, draws, losses: games - wins - draws, margin, score: (wins + draws / 2) / games };
    });
    /** @param {number} share @param {number} games */
    const spread = (share, games) => {
      const reach = 1.96 * Math.sqrt((share * (1 - share)) / games);
      return games > 1 ? `${percent(Math.max(0, share - reach))} – ${percent(Math.min(1, share + reach))}` : "";
    };
    /** @param {(typeof rows)[number]} one */
    const bar = ({ wins, draws, losses }) => {
      const parts = [wins, draws, losses].map((count) => {
        const part = h("i");
        part.style.flexGrow = String(count);
        return part;
      });
      return h("div", { class: "shares", title: say("wdl", { wins, draws, losses }) }, ...parts);
    };
    made.append(
      sortable(say("openings"), rows, [
        {
          name: say("openingFrom"),
          kind: "text name",
          value: (one) => one.name,
          cell: (one) =>
            h(
              "button",
              { type: "button", class: "link", title: one.name, onclick: () => this.list.choose({ opening: one.at }) },
              one.name,
            ),
        },
        { name: say("games"), value: (one) => one.games, cell: (one) => grouped(one.games) },
        { name: say("blacksScore"), value: (one) => one.score, cell: (one) => percent(one.score, 1) },
        { name: "95 %", kind: "less", cell: (one) => spread(one.score, one.games) },
        { name: "", cell: bar },
        {
          name: say("blacksMargin"),
          value: (one) => one.margin,
          cell: (one) => (one.margin === null ? "–" : signed(one.margin, 1)),
        },
      ]),
    );
  }

  times() {
    const { times, players } = this.summary;
    if (!times) return;
    const made = this.section("time", say("timeSpent"), say("timeAbout"));
    const longest = Math.max(1, ...times.map((one) => one.length));
    const xs = Array.from({ length: longest }, (_, at) => at + 1);
    this.chart(made, times, { xs, label: say("moveAxis"), text: measured, log: true });
    const rows = players.map((one, at) => ({ ...one, at }));
    const spent = (/** @type {number | null} */ seconds) => (seconds === null ? "–" : measured(seconds));
    const columns = /** @type {import("./tables.js").Column<(typeof rows)[number]>[]} */ ([
      { name: say("player"), kind: "text name", value: (one) => this.names[one.at], cell: (one) => this.names[one.at] },
      { name: say("aMove"), value: (one) => one.seconds_a_move, cell: (one) => spent(one.seconds_a_move) },
      { name: say("slowestMove"), value: (one) => one.slowest_move, cell: (one) => spent(one.slowest_move) },
      { name: say("depthColumn"), value: (one) => one.depth, cell: (one) => one.depth === null ? "–" : rounded(one.depth, 1) },
    ]);
    made.append(sortable(say("timeSpent"), rows, columns, 12));
  }

  forfeits() {
    const { summary, names } = this;
    const { black, white, winner } = this.source.games;
    const made = this.section("forfeits", say("forfeits"), say(summary.forfeits.length ? "forfeitsAbout" : "noForfeits"));
    if (!summary.forfeits.length) return;
    const rows = summary.forfeits.map((one) => {
      const players = [names[black[one.game]], names[white[one.game]]],
        won = winner[one.game] ?? 0;
      return { ...one, reason: heard(one.reason), loser: players[1 - won], other: players[won] };
    });
    const open = (/** @type {number} */ game) => {
      this.list.element.scrollIntoView();
      this.list.open(game);
    };
    const told = (/** @type {(typeof rows)[number]} */ one) => {
      if (!one.board) return one.reason;
      const [board, turn] = one.board.split(" ");
      const across = new RegExp(`.{${summary.variant.columns}}`, "g");
      const drawn = (board.match(across) ?? []).map((row) => [...row].join(" "));
      const next = say("toMove", { side: say(turn === "X" ? "black" : "white") });
      const printed = one.printed ? [h("p", {}, say("printed")), h("pre", {}, one.printed)] : [];
      return h("details", {}, h("summary", {}, one.reason), h("pre", {}, [...drawn, next].join("\n")), ...printed);
    };
    const columns = /** @type {import("./tables.js").Column<(typeof rows)[number]>[]} */ ([
      { name: say("player"), kind: "text name", value: (one) => one.loser, cell: (one) => one.loser },
      { name: say("opponent"), kind: "text name", value: (one) => one.other, cell: (one) => one.other },
      { name: say("reason"), kind: "text reason", value: (one) => one.reason, cell: told },
      {
        name: say("timeColumn"),
        value: (one) => one.seconds,
        cell: (one) => (one.seconds === null ? "–" : measured(one.seconds)),
      },
      {
        name: "",
        cell: (one) => h("button", { type: "button", class: "link", onclick: () => open(one.game) }, say("showGame")),
      },
    ]);
    made.append(sortable(say("forfeits"), rows, columns, 30));
  }

  games() {
    const { values } = this.summary;
    const judged = values ? say(values.measured ? "judgedPoints" : "judged", { judge: values.judge }) : "";
    const made = this.section("games", say("games"), [judged, say("gamesKeys")].filter(Boolean).join(" "));
    made.append(this.list.element);
  }
}

/** The players whose curves are in colour, the same in every chart. Event: `change`. */
class Coloured extends EventTarget {
  /** @param {string[]} names */
  constructor(names) {
    super();
    this.names = names;
    /** @type {Map<number, number>} */
    this.tones = new Map(names.slice(0, 5).map((_, at) => [at, at]));
  }

  /** @param {number} player */
  toggle(player) {
    if (this.tones.has(player)) this.tones.delete(player);
    else {
      if (this.tones.size === SERIES) this.tones.delete([...this.tones.keys()][0]);
      const used = new Set(this.tones.values());
      this.tones.set(player, Array.from({ length: SERIES }, (_, tone) => tone).find((tone) => !used.has(tone)) ?? 0);
    }
    this.dispatchEvent(new Event("change"));
  }

  picker() {
    const box = h("div", { class: "chosen" });
    const draw = () => {
      const add = h(
        "select",
        { "aria-label": say("addPlayer") },
        h("option", { value: "" }, say("addPlayer")),
        ...this.names.map((name, at) => (this.tones.has(at) ? null : h("option", { value: at }, name.slice(0, 60)))),
      );
      add.addEventListener("change", () => add.value !== "" && this.toggle(Number(add.value)));
      box.replaceChildren(
        ...[...this.tones].map(([player, tone]) =>
          h(
            "button",
            { type: "button", class: "pick", title: say("takeOut"), onclick: () => this.toggle(player) },
            h("i", { class: `tone-${tone}` }),
            h("span", {}, this.names[player]),
          ),
        ),
        ...(this.tones.size < this.names.length ? [add] : []),
      );
    };
    this.addEventListener("change", draw);
    draw();
    return box;
  }

  /** Those in colour come last, over the others. @param {(number | null)[][]} values */
  series(values) {
    return values
      .map((curve, at) => ({ name: this.names[at], values: curve, tone: this.tones.get(at) ?? null }))
      .sort((one, two) => Number(one.tone !== null) - Number(two.tone !== null));
  }
}
