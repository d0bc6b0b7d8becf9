/** A match between two players, live: the score, the Elo difference with its interval, and the games to look at. */

import { api, socket } from "./api.js";
import { attempt } from "./dialogs.js";
import { button, field, h, icon, s, select } from "./dom.js";
import { explained } from "./errors.js";
import { heard, percent, say, signed } from "./language.js";
import { VariantPicker } from "./newgame.js";
import { PlayerPicker, playerName } from "./players.js";
import { OTHELLO } from "./rules.js";
import { keep, kept } from "./settings.js";

/** @typedef {import("../types").GamePlayed} PlayedGame */
/** @typedef {import("../types").MatchOut} Match */

const KEPT = "outflank.match";
const UNKNOWN_MATCH = 4404;

export class MatchPanel {
  /** @param {import("../types").About} about @param {import("./lab.js").OpenGame} openGame */
  constructor(about, openGame) {
    this.about = about;
    this.openGame = openGame;
    /** @type {Match | null} */
    this.match = null;
    /** @type {{games: number, elo: number, low: number, high: number}[]} */
    this.history = [];
    const names = about.agents.map((agent) => agent.name);
    this.a = new PlayerPicker(say("firstPlayer"), about, names.includes("alphabeta") ? "alphabeta:depth=2" : names[0], {
      person: false,
    });
    this.b = new PlayerPicker(say("secondPlayer"), about, names.includes("greedy") ? "greedy" : names[0], {
      person: false,
    });
    this.variant = new VariantPicker(OTHELLO);
    this.games = h("input", { type: "number", value: 40, min: 2, max: 1000, step: 2 });
    this.seconds = h("input", {
      type: "number",
      value: "",
      min: 0.01,
      max: 10,
      step: "any",
      placeholder: say("automatic"),
    });
    this.openings = select(
      [
        ["random", say("opening.random")],
        ["balanced", say("opening.balanced")],
        ["start", say("opening.start")],
      ],
      "random",
    );
    this.go = button("resume", say("startMatch"), () => this.toggle(), { class: "main" });
    this.results = h("div", { class: "card results" }, h("p", { class: "none" }, say("matchHint")));
    this.element = h(
      "div",
      { class: "match" },
      h(
        "div",
        { class: "card setup" },
        h(
          "div",
          { class: "versus" },
          this.a.element,
          h("span", { class: "against", "aria-hidden": "true" }, "–"),
          this.b.element,
        ),
        this.variant.element,
        h(
          "div",
          { class: "row" },
          field(say("games"), this.games),
          field(say("secondsAMove"), this.seconds),
          field(say("openingFrom"), this.openings),
          this.go,
        ),
      ),
      this.results,
    );
  }

  toggle() {
    attempt(async () => {
      if (this.match?.running) {
        await api.stopMatch(this.match.id);
        return;
      }
      const seconds = this.seconds.valueAsNumber;
      const { id } = await api.newMatch({
        a: this.a.spec,
        b: this.b.spec,
        games: Number(this.games.value),
        variant: this.variant.name,
        openings: this.openings.value,
        seconds: Number.isFinite(seconds) ? seconds : null,
        seed: Math.floor(Math.random() * 1e6),
      });
      this.history = [];
      keep(KEPT, id);
      this.follow(id);
    });
  }

  /** @param {string} id */
  follow(id) {
    this.live?.close();
    const live = socket(`/api/matches/${id}/live`);
    this.live = live;
    live.onmessage = (event) => this.take(JSON.parse(event.data));
    live.onclose = (event) => {
      if (event.code === UNKNOWN_MATCH) keep(KEPT, null);
      else if (this.live === live && (this.match?.running ?? true))
        setTimeout(() => {
          if (this.live === live) this.follow(id);
        }, 1000);
    };
  }

  /** @param {Match} match */
  take(match) {
    this.match = match;
    const [low, high] = match.elo_interval ?? [null, null];
    if (match.elo !== null && this.history[this.history.length - 1]?.games !== match.games) {
      this.history.push({
        games: match.games,
        elo: match.elo,
        low: low ?? match.elo - 800,
        high: high ?? match.elo + 800,
      });
    }
    this.go.replaceChildren(icon(match.running ? "stop" : "resume"), h("span", {}, say(match.running ? "stop" : "startMatch")));
    this.draw(match);
  }

  /** @param {Match} match */
  draw(match) {
    const total = Math.max(1, match.games);
    const part = (/** @type {string} */ kind, /** @type {number} */ value) => {
      const piece = h("span", { class: kind, title: say(`match.${kind}`) }, value ? String(value) : "");
      piece.style.flexGrow = String(value / total);
      return piece;
    };
    const figures = /** @type {[string, string][]} */ ([
      [say("score"), match.score === null ? "–" : percent(match.score, 1)],
      [say("elo"), match.games ? eloText(match) : "–"],
      [say("marginAGame"), match.margin === null ? "–" : signed(match.margin, 1)],
      [say("superiority"), match.superiority === null ? "–" : percent(match.superiority, 1)],
    ]);
    this.results.replaceChildren(
      h(
        "div",
        { class: "row between" },
        h("h2", {}, `${playerName(match.players[0], this.about)} – ${playerName(match.players[1], this.about)}`),
        h(
          "span",
          { class: "none", role: "status" },
          match.running
            ? say("gamesOf", { games: match.games, scheduled: match.scheduled })
            : say("gamesPlayed", { games: match.games }),
        ),
      ),
      h("progress", { max: match.scheduled, value: match.games, "aria-label": say("games") }),
      match.error ? h("p", { class: "warning", role: "alert" }, explained(match)) : "",
      h(
        "div",
        {
          class: "wdl",
          role: "img",
          "aria-label": say("wdl", { wins: match.wins, draws: match.draws, losses: match.losses }),
        },
        part("wins", match.wins),
        part("draws", match.draws),
        part("losses", match.losses),
      ),
      h(
        "dl",
        { class: "figures" },
        ...figures.flatMap(([name, value]) => [h("div", {}, h("dt", {}, name), h("dd", {}, value))]),
      ),
      eloGraph(this.history, match.scheduled),
      gamesTable(
        [...match.recent].sort((one, two) => two.number - one.number),
        this.about,
        this.openGame,
      ),
    );
  }

  /** @param {string} player who shall meet others */
  point(player) {
    this.a.select.value = player;
    this.a.refresh({});
  }

  /** @param {boolean} visible */
  set shown(visible) {
    // A match goes on while nobody looks: whoever comes back to this page finds it.
    const last = kept(KEPT);
    if (visible && last && !this.live) this.follow(last);
  }
}

/** "+127 [+35, +241]"; where all games went one way the difference has no bound.
 * @param {Pick<Match, "elo" | "elo_interval" | "score">} match */
function eloText({ elo, elo_interval, score }) {
  const [low, high] = elo_interval ?? [null, null];
  const middle = elo !== null ? signed(elo) : score === 1 ? "+∞" : score === 0 ? "−∞" : "–";
  return `${middle} [${low === null ? "−∞" : signed(low)}, ${high === null ? "+∞" : signed(high)}]`;
}

/**
 * The Elo difference and its interval as the games come in.
 * @param {MatchPanel["history"]} history @param {number} scheduled
 */
function eloGraph(history, scheduled) {
  if (history.length < 2) return h("div", {});
  const width = 600,
    height = 140,
    left = 44;
  const far = Math.min(
    800,
    Math.max(
      100,
      ...history
        .slice(-Math.ceil(history.length / 2))
        .flatMap((each) => [
          Math.abs(each.elo) * 1.3,
          Math.min(800, Math.abs(each.low)),
          Math.min(800, Math.abs(each.high)),
        ]),
    ),
  );
  const x = (/** @type {number} */ games) => left + ((width - left - 6) * games) / Math.max(1, scheduled);
  const y = (/** @type {number} */ elo) => height / 2 - (Math.max(-far, Math.min(far, elo)) / far) * (height / 2 - 8);
  const path = (/** @type {"elo" | "low" | "high"} */ name, /** @type {typeof history} */ list) =>
    list.map((each) => `${x(each.games).toFixed(1)} ${y(each[name]).toFixed(1)}`).join("L");
  return h(
    "div",
    { class: "elo-graph" },
    s(
      "svg",
      { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": say("eloGraph") },
      ...[-far, 0, far].map((elo) => s("text", { x: left - 6, y: y(elo) }, signed(Math.round(elo)))),
      s("path", { class: "zero", d: `M${left} ${y(0)}H${width - 6}` }),
      s("path", { class: "band", d: `M${path("high", history)}L${path("low", [...history].reverse())}Z` }),
      s("path", { class: "curve", d: `M${path("elo", history)}` }),
    ),
  );
}

/**
 * Games to open.
 * @param {PlayedGame[]} games @param {import("../types").About | null} about
 * @param {import("./lab.js").OpenGame} openGame
 */
function gamesTable(games, about, openGame) {
  const row = (/** @type {PlayedGame} */ game) =>
    h(
      "tr",
      {},
      h("td", { class: "number" }, String(game.number + 1)),
      h("td", {}, h("span", { class: "pip black" }), ` ${playerName(game.black, about)}`),
      h("td", {}, h("span", { class: "pip white" }), ` ${playerName(game.white, about)}`),
      h("td", {}, game.forfeit ? heard(game.forfeit) : outcomeText(game)),
      h(
        "td",
        {},
        h(
          "button",
          {
            type: "button",
            class: "link",
            "aria-label": say("replayNumber", { number: game.number + 1 }),
            onclick: () =>
              attempt(() =>
                openGame({
                  variant: game.variant,
                  start: game.start,
                  moves: game.moves,
                  tags: { Black: game.black, White: game.white },
                }),
              ),
          },
          say("replay"),
        ),
      ),
    );
  if (!games.length) return h("div", {});
  return h(
    "div",
    { class: "scroll", tabindex: "0", role: "region", "aria-label": say("games") },
    h(
      "table",
      { class: "games-table" },
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          ...["№", say("black"), say("white"), say("result"), ""].map((text) =>
            text ? h("th", { scope: "col" }, text) : h("td", {}),
          ),
        ),
      ),
      h("tbody", {}, ...games.map(row)),
    ),
  );
}

/** @param {PlayedGame} game */
function outcomeText(game) {
  if (!game.winner) return game.score === 0 ? say("draw") : heard(game.result);
  return game.score === null ? heard(game.result) : say("winsBy", { winner: say(game.winner), margin: Math.abs(game.score) });
}
