/** Stored matches and tournaments: their tables, and every game to replay. */

import { api } from "./api.js";
import { attempt } from "./dialogs.js";
import { button, h } from "./dom.js";
import { eloText, gamesTable } from "./lab-match.js";
import { heard, say, signed } from "./language.js";

/** @typedef {{rank: number, player: string, rating: number | null,
 *   rating_interval: [number | null, number | null] | null, games: number, wins: number, draws: number, losses: number, score: number, margin: number | null}} Standing */

export class ReportsPanel {
  /** @param {import("./lab.js").OpenGame} openGame */
  constructor(openGame) {
    this.openGame = openGame;
    this.list = h("div", { class: "card events" });
    this.report = h("div", { class: "card report grow" }, h("p", { class: "none" }, say("reportsHint")));
    this.element = h("div", { class: "reports" }, this.list, this.report);
  }

  /** @param {boolean} visible */
  set shown(visible) {
    if (visible) attempt(() => this.load());
  }

  async load() {
    const { stores } = await api.stores();
    const events = stores.flatMap((store) => store.events.map((event) => ({ store, event })));
    if (!events.length) {
      this.list.replaceChildren(h("h2", {}, say("lab.reports")), h("p", { class: "none" }, say("noStores")));
      return;
    }
    this.list.replaceChildren(
      h("h2", {}, say("lab.reports")),
      ...events.map(({ store, event }) =>
        h(
          "button",
          {
            type: "button",
            class: "event",
            "aria-pressed": String(this.chosen === `${store.id}/${event.id}`),
            onclick: () => this.open(store.id, event),
          },
          h("b", {}, heard(event.title)),
          h("small", {}, [say(`event.${event.kind}`), event.variant, store.name].join(" · ")),
        ),
      ),
    );
  }

  /** @param {string} store @param {{id: number, kind: string, title: string}} event */
  open(store, event) {
    this.chosen = `${store}/${event.id}`;
    attempt(async () => {
      const told = await api.event(store, event.id);
      this.games = h("div", { class: "game-list" });
      this.report.replaceChildren(
        h("h2", {}, heard(event.title)),
        told.kind === "tournament" ? standings(told.players) : matchFigures(told),
        told.kind === "tournament" && told.cross ? crossTable(told.players, told.cross) : "",
        h("h2", {}, say("gameList")),
        this.games,
      );
      await this.page(store, event.id, 0);
      await this.load();
    });
  }

  /** @param {string} store @param {number} event @param {number} offset */
  async page(store, event, offset) {
    const { total, games } = await api.games(store, event, offset, "");
    const numbered = games.map(
      (/** @type {import("./lab-match.js").PlayedGame} */ game, /** @type {number} */ index) => ({
        ...game,
        number: offset + index,
      }),
    );
    this.games?.replaceChildren(
      gamesTable(numbered, null, this.openGame),
      h(
        "div",
        { class: "steps" },
        button("back", say("newer"), () => attempt(() => this.page(store, event, Math.max(0, offset - 50))), {
          disabled: offset === 0,
        }),
        h(
          "span",
          { class: "none" },
          say("gamesRange", { from: Math.min(total, offset + 1), to: Math.min(total, offset + 50), total }),
        ),
        button("forward", say("older"), () => attempt(() => this.page(store, event, offset + 50)), {
          disabled: offset + 50 >= total,
        }),
      ),
    );
  }
}

/** @param {Standing[]} players */
function standings(players) {
  const head = ["#", say("player"), say("rating"), say("score"), say("games"), "+", "=", "−", say("marginAGame")];
  return h(
    "div",
    { class: "scroll", tabindex: "0", role: "region", "aria-label": say("standings") },
    h(
      "table",
      { class: "standings" },
      h(
        "thead",
        {},
        h("tr", {}, ...head.map((text, index) => h("th", { scope: "col", class: index === 1 ? "" : "number" }, text))),
      ),
      h(
        "tbody",
        {},
        ...players.map((player) =>
          h(
            "tr",
            {},
            h("td", { class: "number" }, String(player.rank)),
            h("th", { scope: "row" }, player.player),
            h(
              "td",
              { class: "number" },
              player.rating === null
                ? "–"
                : `${signed(player.rating)}${interval(player.rating, player.rating_interval)}`,
            ),
            h("td", { class: "number" }, `${(100 * player.score).toFixed(1)} %`),
            ...[player.games, player.wins, player.draws, player.losses].map((value) =>
              h("td", { class: "number" }, String(value)),
            ),
            h("td", { class: "number" }, player.margin === null ? "–" : signed(player.margin, 1)),
          ),
        ),
      ),
    ),
  );
}

/** @param {number} middle @param {[number | null, number | null] | null} bounds */
function interval(middle, bounds) {
  if (!bounds || bounds[0] === null || bounds[1] === null) return "";
  return ` ± ${Math.round(Math.max(middle - bounds[0], bounds[1] - middle))}`;
}

/** @param {Standing[]} players @param {([number, number] | null)[][]} cross */
function crossTable(players, cross) {
  return h(
    "div",
    { class: "scroll", tabindex: "0", role: "region", "aria-label": say("crossTable") },
    h(
      "table",
      { class: "cross" },
      h("caption", {}, say("crossTable")),
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          h("td", {}),
          ...players.map((player) =>
            h("th", { scope: "col", class: "number", title: player.player }, String(player.rank)),
          ),
        ),
      ),
      h(
        "tbody",
        {},
        ...players.map((player, row) =>
          h(
            "tr",
            {},
            h("th", { scope: "row" }, `${player.rank}. ${player.player}`),
            ...cross[row].map((cell) => {
              const made = h("td", { class: "number" }, cell ? String(cell[0]) : "·");
              if (cell && cell[1]) {
                made.title = say("pointsOf", { points: cell[0], games: cell[1] });
                made.className = `number ${cell[0] / cell[1] > 0.5 ? "won" : cell[0] / cell[1] < 0.5 ? "lost" : ""}`;
              }
              return made;
            }),
          ),
        ),
      ),
    ),
  );
}

/** @param {any} match */
function matchFigures(match) {
  const rows = /** @type {[string, string][]} */ ([
    [say("player"), match.players.join(" – ")],
    [say("score"), `${(100 * match.score).toFixed(1)} % (+${match.wins} =${match.draws} −${match.losses})`],
    [say("elo"), eloText(match)],
  ]);
  return h(
    "dl",
    { class: "figures" },
    ...rows.map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value))),
  );
}
