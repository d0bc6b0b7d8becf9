/** The file that `outflank report --html` writes: its data is in the file, packed, and shown as the page's Results are. */

import { h, the } from "./dom.js";
import { grouped, loadLanguage, say } from "./language.js";
import { Results } from "./results.js";
import { settings } from "./settings.js";

/** @typedef {import("../types").ReportSummary} Summary */
/** @typedef {import("../types").GameDetail} Detail */

/** Reads a packed part of this file. @param {string} id @returns {Promise<any>} */
export async function unpacked(id) {
  const packed = atob(the(`#data-${id}`).textContent?.trim() ?? "");
  const bytes = Uint8Array.from(packed, (letter) => letter.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).json();
}

/** @param {Summary} summary */
function heading(summary) {
  the("#title").textContent = summary.title;
  const { variant, limit, games, scheduled, versions } = summary;
  const limits = Object.entries(limit).map(([key, value]) => `${key} ${Array.isArray(value) ? value.join("+") : value}`);
  const when = summary.to === null ? "" : new Date(1000 * summary.to).toLocaleDateString(document.documentElement.lang, { dateStyle: "medium" });
  const facts = [
    variant.name,
    variant.reversed ? say("fewestWin") : "",
    say("gamesPlayed", { games: grouped(games) }),
    ...limits,
    when,
  ];
  the("#subtitle").textContent = facts.filter(Boolean).join(" · ");
  const notes = [];
  if (summary.kind !== "match" && games < scheduled)
    notes.push(say("notFinished", { games: grouped(games), scheduled: grouped(scheduled) }));
  const played = Object.entries(versions).map(([name, count]) => `${name}: ${grouped(count)}`);
  if (played.length > 1) notes.push(say("versions", { versions: played.join(", ") }));
  the("#notes").append(...notes.map((note) => h("p", { class: "warning" }, note)));
  the("#footer").textContent = say("writtenBy", { version: summary.written_by });
}

/** @param {Results} results */
function contents({ element }) {
  const title = (/** @type {Element} */ one) => (one.id === "match" ? say("event.match") : one.querySelector("h2")?.textContent);
  the("#contents").append(...[...element.children].map((one) => h("a", { href: `#${one.id}` }, title(one))));
}

async function begin() {
  settings.apply();
  await loadLanguage();
  the("#theme").addEventListener("click", () => {
    const dark = getComputedStyle(the("#theme")).getPropertyValue("color-scheme");
    const isDark = dark === "dark" || (dark !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
    settings.set("theme", isDark ? "light" : "dark");
  });
  const [summary, games] = await Promise.all([unpacked("summary"), unpacked("games")]);
  /** @type {Map<number, Promise<Detail[]>>} */
  const chunks = new Map();
  const results = new Results({
    summary,
    games,
    detail: async (game) => {
      const chunk = Math.floor(game / summary.games_a_chunk);
      const found = chunks.get(chunk) ?? unpacked(`details-${chunk}`);
      chunks.set(chunk, found);
      return (await found)[game % summary.games_a_chunk];
    },
  });
  heading(summary);
  contents(results);
  the("#main").replaceChildren(results.element);
  const { list } = results;
  addEventListener("keydown", (event) => list.key(event));
  list.replay.moved = (ply) => history.replaceState(null, "", `#game=${(list.current ?? 0) + 1}&move=${ply}`);
  const [, game, ply] = /^#game=(\d+)(?:&move=(\d+))?$/.exec(location.hash) ?? [];
  if (Number(game) <= games.black.length) {
    list.element.scrollIntoView();
    await list.open(Number(game) - 1, ply ? Number(ply) : undefined);
  } else if (games.black.length) await list.open(0);
  document.documentElement.dataset.ready = String(Math.round(performance.now()));
}

begin().catch((error) => {
  the("#main").textContent = `${say("unreadable")} ${error}`;
  throw error;
});
