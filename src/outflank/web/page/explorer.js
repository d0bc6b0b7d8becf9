/**
 * What is known of the position shown: the names of openings and, where the server has a library, what masters played
 * there, how often, and how it ended.
 */

import { api } from "./api.js";
import { h, s } from "./dom.js";
import { grouped, percent, say, signed } from "./language.js";
import { BLACK, squareNamed } from "./rules.js";
import { Selection } from "./selection.js";

/** @typedef {import("../types").About} About */
/** @typedef {import("../types").Explored} Explored */
/** @typedef {import("../types").MovePlayed} MovePlayed */
/** @typedef {import("../types").LibraryGame} LibraryGame */
/** @typedef {import("../types").NewGame} NewGame */
/** @typedef {Explored | MovePlayed} Tally */
/** @typedef {import("./session.js").Session} Session */

const PAUSE = 80; // milliseconds of rest before a position is asked about, so that dragging does not ask for sixty
const REMEMBERED = 200; // positions
const USUAL = "f5"; // as databases write the first move, of the four that are the same

export class Explorer {
  /** @param {About} about @param {Session} session @param {(game: NewGame) => void} open shows a game */
  constructor(about, session, open) {
    this.about = about;
    this.session = session;
    this.open = open;
    /** @type {Map<string, Explored>} */
    this.known = new Map();
    this.drawn = "";
    this.asked = "";
    this.unfolded = false;
    this.selection = new Selection(() => this.show());
    this.nothing = h("p", { class: "none" }, say("noNames"));
    this.head = h("div", {});
    this.body = h("div", {});
    this.element = h(
      "section",
      { class: "explorer", "aria-label": say("explorer"), hidden: true },
      this.head,
      about.library.masters && this.selection.element,
      this.body,
    );
  }

  /** Draws what is known of the position shown, or asks for it. */
  show() {
    const { session } = this;
    if (!session.state || session.pending) return;
    const game = session.game(false);
    const { wanted } = this.selection;
    const key = JSON.stringify([game, wanted]);
    const found = this.known.get(key);
    if (found) this.draw(key, found);
    else if (this.asked !== key) {
      this.asked = key;
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.ask(key, game, wanted), PAUSE);
    }
  }

  /** @param {string} key @param {NewGame} game @param {import("../types").WantedGames} wanted */
  async ask(key, game, wanted) {
    try {
      const found = await api.explore(game, wanted);
      if (this.known.size >= REMEMBERED) this.known.clear();
      this.known.set(key, found);
      if (this.asked === key) this.show();
    } catch {
      if (this.asked !== key) return;
      this.asked = this.drawn = ""; // the next position, or the same one again, asks anew
      this.element.hidden = true;
      this.nothing.hidden = false;
    }
  }

  /** @param {string} key @param {Explored} found */
  draw(key, found) {
    if (this.drawn === key) return;
    this.drawn = key;
    const { masters } = this.about.library;
    const named = found.moves.filter((move) => move.opening);
    const other = found.opening?.aliases.length ? say("alsoCalled", { names: found.opening.aliases.join(", ") }) : "";
    this.element.hidden = !masters && !named.length && !other;
    this.nothing.hidden = !this.element.hidden;
    const focused = this.body.contains(document.activeElement)
      ? document.activeElement?.getAttribute("data-played")
      : null;
    this.head.replaceChildren(
      h("h2", {}, masters ? say("masters") : say("namedOpenings")),
      h("p", { class: "none" }, [masters ? totals(found) : "", other].filter(Boolean).join(" · ")),
    );
    this.body.replaceChildren(
      found.moves.length ? this.table(found.moves, masters) : h("p", { class: "none" }),
      found.latest.length ? this.latest(found.latest) : h("p", { class: "none" }),
    );
    if (focused)
      /** @type {HTMLElement | null} */ (this.body.querySelector(`[data-played="${focused}"]`))?.focus();
  }

  /** @param {MovePlayed[]} moves @param {boolean} masters */
  table(moves, masters) {
    const black = this.session.position.turn === BLACK;
    const head = masters ? [say("games"), say("results"), say("score"), say("discs")] : [];
    return h(
      "table",
      {},
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          h("th", { scope: "col" }, say("move")),
          ...head.map((text) => h("th", { scope: "col", class: "number" }, text)),
        ),
      ),
      h("tbody", {}, ...moves.map((move) => this.row(move, masters, black))),
    );
  }

  /** @param {MovePlayed} move @param {boolean} masters @param {boolean} black to move */
  row(move, masters, black) {
    const square = move.moves.includes(USUAL) ? USUAL : move.moves[0];
    const play = h(
      "button",
      { type: "button", class: "link", "data-played": square, onclick: () => this.session.move(squareNamed(square)) },
      square,
    );
    const same = move.moves.filter((each) => each !== square).join(" ");
    const cells = [
      h("td", { class: "number" }, move.games ? grouped(move.games) : "–"),
      h("td", { class: "ended" }, move.games ? bar(move, black) : ""),
      h("td", { class: "number" }, share(move.score)),
      h("td", { class: "number" }, move.margin === null ? "–" : signed(move.margin, 1)),
    ];
    return h(
      "tr",
      { title: years(move) },
      h("th", { scope: "row" }, play, same ? h("small", {}, `= ${same}`) : null, named(move.opening)),
      ...(masters ? cells : []),
    );
  }

  /** @param {LibraryGame[]} games */
  latest(games) {
    return h(
      "details",
      { open: this.unfolded, ontoggle: (/** @type {Event} */ event) => this.fold(event.target) },
      h("summary", {}, say("latestGames")),
      h("ol", { class: "games" }, ...games.map((game) => h("li", {}, this.gameButton(game)))),
    );
  }

  /** The list stays open from position to position. @param {EventTarget | null} list */
  fold(list) {
    this.unfolded = list instanceof HTMLDetailsElement && list.open;
  }

  /** @param {LibraryGame} game */
  gameButton(game) {
    const tags = Object.entries({
      Black: game.black,
      White: game.white,
      Event: game.event,
      Date: String(game.year ?? ""),
    });
    return h(
      "button",
      {
        type: "button",
        onclick: () =>
          this.open({
            variant: game.variant,
            start: game.start,
            moves: game.moves,
            at: game.ply,
            tags: Object.fromEntries(tags.filter(([, value]) => value)),
          }),
      },
      h("span", {}, `${game.black || "?"} – ${game.white || "?"}`, " ", h("b", {}, resultOf(game))),
      h("small", {}, [game.year, game.event, game.opening].filter(Boolean).join(" · ")),
    );
  }
}

/** @param {string | null} opening */
const named = (opening) => (opening ? h("small", { class: "name" }, opening) : null);

/** @param {number | null} score points a game */
const share = (score) => (score === null ? "–" : percent(score, 1));

/** @param {Tally} tally */
function totals(tally) {
  if (!tally.games) return say("noGamesHere");
  const games = tally.games === 1 ? say("oneGameHere") : say("gamesHere", { games: grouped(tally.games) });
  return [games, years(tally)].filter(Boolean).join(", ");
}

/** @param {Tally} tally */
function years({ years: [first, last] }) {
  if (first === null) return "";
  return first === last ? String(first) : `${first}–${last}`;
}

/** @param {LibraryGame} game Black's result */
function resultOf(game) {
  if (!game.decided) return "?";
  if (game.score !== null) return signed(game.score);
  return game.winner ? say("gaveUp", { winner: say(game.winner) }) : say("draw");
}

/** Black's wins, draws and White's, as one bar. @param {Tally} tally for the side to move @param {boolean} black */
function bar(tally, black) {
  const ended = tally.wins + tally.draws + tally.losses || 1;
  const [forBlack, forWhite] = black ? [tally.wins, tally.losses] : [tally.losses, tally.wins];
  const parts = /** @type {[string, number][]} */ ([
    ["black", forBlack],
    ["drawn", tally.draws],
    ["white", forWhite],
  ]);
  let at = 0;
  const shares = parts.map(([side, games]) => {
    const width = (100 * games) / ended;
    at += width;
    return s("rect", { class: side, x: at - width, width, height: 10 });
  });
  const label = say("resultsOf", { black: forBlack, draws: tally.draws, white: forWhite });
  return s(
    "svg",
    { viewBox: "0 0 100 10", preserveAspectRatio: "none", role: "img", "aria-label": label },
    s("title", {}, label),
    ...shares,
  );
}
