/** Paste anything, copy as anything, a link that reopens the position. */

import { api } from "./api.js";
import { answer, attempt, openDialog, toast } from "./dialogs.js";
import { button, checkbox, download, field, h, select } from "./dom.js";
import { heard, known, language, say } from "./language.js";
import { variantName } from "./rules.js";

/** @typedef {import("../types").NewGame} NewGame */
/** @typedef {import("../types").Reading} Reading */
/** @typedef {import("./session.js").Session} Session */

/** The window for pasting. @param {string} variant tried first @param {(game: NewGame) => Promise<void>} open */
export function openPaste(variant, open) {
  const text = h("textarea", { spellcheck: "false", autocapitalize: "off", placeholder: "f5d6c3d3c4…" });
  const file = h("input", { type: "file" });
  const dialog = openDialog(
    say("paste"),
    [field(say("pasteText"), text, say("pasteHint")), field(say("pasteFile"), file)],
    [
      answer(say("cancel"), "close", () => {}),
      button(
        "paste",
        say("open"),
        () =>
          attempt(async () => {
            const chosen = file.files?.[0];
            const reading = chosen ? await api.readFile(chosen) : await api.read(text.value, variant);
            dialog.close();
            await choose(reading, open);
          }),
        { class: "main" },
      ),
    ],
    "wide",
  );
  text.focus();
}

/**
 * Opens what was read; where it is several games, asks which.
 * @param {Reading} reading @param {(game: NewGame) => Promise<void>} open
 */
export async function choose(reading, open) {
  /** @param {number} index */
  const take = async (index) => {
    const { variant, start, moves, tags } = reading.games[index];
    await open({ variant, start, moves, tags });
    toast(language() === "en" ? say("readAs", { kind: reading.kind }) : readAs(reading));
  };
  if (reading.games.length === 1) {
    await take(0);
    return;
  }
  const rows = reading.games.map((game, index) =>
    h(
      "li",
      {},
      h(
        "button",
        { value: String(index), onclick: () => attempt(() => take(index)) },
        `${index + 1}. ${game.tags.Black ?? say("black")} – ${game.tags.White ?? say("white")}`,
        h(
          "small",
          {},
          [game.result && heard(game.result), game.variant, plies(game.moves.length / 2)].filter(Boolean).join(" · "),
        ),
      ),
    ),
  );
  const search = h("input", { type: "search", placeholder: say("findGame"), "aria-label": say("findGame") });
  const said = reading.games.map((game) => [...Object.values(game.tags), game.result && heard(game.result), game.variant].join(" ").toLowerCase());
  const found = h("p", { class: "none", role: "status" });
  search.addEventListener("input", () => {
    const words = search.value.toLowerCase().split(/\s+/);
    rows.forEach((row, index) => {
      row.hidden = !words.every((word) => said[index].includes(word));
    });
    found.textContent = say("gamesPlayed", { games: rows.filter((row) => !row.hidden).length });
  });
  openDialog(say("whichGame", { count: reading.count }), [search, found, h("ol", { class: "games" }, ...rows)]);
}

/** What was read; the server says it in English only. @param {Reading} reading */
function readAs({ format, count, games }) {
  const form = known(`format.${format}`) ? say(`format.${format}`) : format.toUpperCase();
  const { moves } = games[0];
  const size = count > 1 ? say("gamesPlayed", { games: count }) : moves ? plies(moves.length / 2) : "";
  return say("readAs", { kind: [form, size].filter(Boolean).join(" · ") });
}

/** @param {number} count */
const plies = (count) => (count === 1 ? say("onePly") : say("plies", { count }));

/** @param {string} text */
export async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    toast(say("copied"));
  } catch {
    const area = h("textarea", { readonly: true, "aria-label": say("copy") }, text);
    openDialog(say("copyByHand"), [area]);
    area.select();
  }
}

/** The window for copying. @param {Session} session @param {string[]} known */
export function openCopy(session, known) {
  // A .gam file holds standard games only.
  const formats = known.filter((each) => each !== "gam" || variantName(session.position.variant) === "othello");
  // A list of moves has no place for a start of one's own: then what has is offered first.
  const { start, moves } = session.game();
  const fitting = start === null ? formats[0] : moves ? "ggf" : "board";
  const format = select(
    formats.map((each) => [each, say(`format.${each}`)]),
    formats.includes(fitting) ? fitting : formats[0],
  );
  let whole = true;
  const text = h("textarea", { readonly: true, spellcheck: "false", "aria-label": say("copy") });
  const refresh = () =>
    attempt(async () => {
      if (!session.state) return;
      const copy = await api.copy(session.state.board, format.value, whole);
      text.value = format.value === "link" ? location.origin + copy.text : copy.text;
    });
  format.addEventListener("change", refresh);
  openDialog(
    say("copy"),
    [
      h(
        "div",
        { class: "row" },
        field(say("formatAs"), format),
        checkbox(say("wholeGame"), whole, (on) => {
          whole = on;
          refresh();
        }),
      ),
      text,
    ],
    [
      button("paste", say("save"), () =>
        download(
          `outflank.${{ transcript: "txt", board: "txt" }[format.value] ?? format.value}`,
          text.value,
          format.value === "svg" ? "image/svg+xml" : "text/plain",
        ),
      ),
      button("copy", say("copy"), () => copyText(text.value), { class: "main" }),
    ],
    "wide",
  );
  refresh();
}

/** Copies a link to the position shown. @param {Session} session */
export const copyLink = (session) =>
  attempt(async () => {
    if (session.state) await copyText(location.origin + (await api.copy(session.state.board, "link", false)).text);
  });
