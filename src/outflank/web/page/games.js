/** My games: every game of this browser, newest first, to go on with or to study. */

import { api } from "./api.js";
import { answer, attempt, openDialog, toast } from "./dialogs.js";
import { button, h, icon, s } from "./dom.js";
import { moment, say } from "./language.js";
import { playerName } from "./players.js";
import { variantNamed } from "./rules.js";
import { variantTitle } from "./variants.js";

/** @typedef {import("../types").KeptGame} KeptGame */
/** @typedef {import("./api.js").Side} Side */

export class GamesScreen {
  /**
   * @param {HTMLElement} place @param {import("../types").About} about
   * @param {{play: (board: string) => void, analyse: (board: string) => void, study: (game: import("../types").NewGame) => void}} go
   */
  constructor(place, about, go) {
    this.about = about;
    this.go = go;
    /** @type {KeptGame[]} */
    this.games = [];
    this.list = h("ul", { class: "kept" });
    this.none = h("p", { class: "none" }, say("noGamesYet"));
    this.more = button("forward", say("olderGames"), () => attempt(() => this.load(this.games.at(-1)?.touched ?? null)), {
      hidden: true,
    });
    place.replaceChildren(h("h1", {}, say("myGames")), this.none, this.list, this.more);
  }

  /** @param {boolean} visible */
  set shown(visible) {
    if (visible) attempt(() => this.load(null));
  }

  /** @param {number | null} before */
  async load(before) {
    const { games, more } = await api.games(before);
    this.games = before === null ? games : [...this.games, ...games];
    this.more.hidden = !more;
    this.draw();
  }

  draw() {
    this.none.hidden = this.games.length > 0;
    this.list.replaceChildren(...this.games.map((game) => this.card(game)));
  }

  /** @param {KeptGame} game */
  card(game) {
    const name = (/** @type {Side} */ side) =>
      game.names[side] ?? (game.kind === "analysis" ? say(side) : nameOf(game, side, this.about));
    const title = `${name("black")} – ${name("white")}`;
    const facts = [game.variant === "othello" ? "" : variantTitle(game.variant), game.opening, game.moves === 1 ? say("onePly") : say("plies", { count: game.moves })];
    return h(
      "li",
      { class: "card", "data-game": game.id },
      thumbnail(game),
      h(
        "div",
        { class: "about" },
        h("b", { title }, title),
        h("span", {}, resultOf(game)),
        h("small", {}, facts.filter(Boolean).join(" · ")),
        h("small", {}, moment(game.touched)),
      ),
      h(
        "div",
        { class: "does" },
        game.kind === "play" && !game.outcome
          ? button("play", say("resume"), () => this.go.play(game.id), { class: "main" })
          : null,
        button("chart", say("analyse"), () => attempt(() => this.study(game))),
        h(
          "button",
          {
            type: "button",
            class: "quiet",
            "aria-label": say("forget"),
            title: say("forget"),
            onclick: () => this.confirmForget(game, title),
          },
          icon("close"),
        ),
      ),
    );
  }

  /** A board of Analyse is opened as it is; of a game played a copy, with its players' names. @param {KeptGame} game */
  async study(game) {
    if (game.kind === "analysis") return this.go.analyse(game.id);
    const { variant, names, players, nodes, line } = await api.board(game.id);
    const root = nodes[0];
    const moves = line.map((id) => nodes[id].move).filter((move) => move && move !== "pass");
    const tags = Object.entries({ Black: names.black ?? players.black, White: names.white ?? players.white });
    this.go.study({
      variant,
      start: `${root.board} ${root.turn === "black" ? "X" : "O"}`,
      moves: moves.join(""),
      tags: Object.fromEntries(tags.filter(([, name]) => name !== "human")),
    });
  }

  /** @param {KeptGame} game @param {string} title */
  confirmForget(game, title) {
    openDialog(
      say("forgetTitle"),
      [h("p", {}, h("b", {}, title), " · ", resultOf(game)), h("p", {}, say("forgetText"))],
      [
        answer(say("cancel"), "undo", () => {}),
        answer(say("forget"), "close", () => attempt(() => this.forget(game)), true),
      ],
      "confirm",
    );
  }

  /** @param {KeptGame} game */
  async forget(game) {
    await api.forget(game.id);
    this.games = this.games.filter(({ id }) => id !== game.id);
    this.draw();
    toast(say("forgotten"));
  }
}

/** @param {KeptGame} game @param {Side} side @param {import("../types").About} about */
function nameOf(game, side, about) {
  const spec = game.players[side];
  const alone = game.players.black !== game.players.white;
  return spec === "human" && alone ? say("you") : playerName(spec, about);
}

/** @param {KeptGame} game */
function resultOf({ outcome }) {
  if (!outcome) return say("notOver");
  if (!outcome.winner) return say("draw");
  const winner = say(outcome.winner);
  return outcome.score === null ? say("gaveUp", { winner }) : say("winsBy", { winner, margin: Math.abs(outcome.score) });
}

/** The board as it stands, small. @param {KeptGame} game */
function thumbnail({ variant, board }) {
  const { rows, columns } = variantNamed(variant);
  const discs = [...board.replaceAll(" ", "")].map((sign, index) =>
    sign === "-"
      ? null
      : s("circle", {
          class: sign === "X" ? "black" : "white",
          cx: (index % columns) + 0.5,
          cy: Math.floor(index / columns) + 0.5,
          r: 0.42,
        }),
  );
  return s(
    "svg",
    { class: "thumb", viewBox: `0 0 ${columns} ${rows}`, "aria-hidden": "true" },
    s("rect", { class: "felt", width: columns, height: rows }),
    ...discs,
  );
}
