/** Games in the page's address: a link opened stays what it was, and Back goes back. */

/** @typedef {import("../types").NewGame} NewGame */

/** The game that an address names, or null. @param {string} search @returns {NewGame | null} */
export function gameIn(search) {
  const link = new URLSearchParams(search);
  if (!link.has("moves") && !link.has("start") && !link.has("variant")) return null;
  const at = Number(link.get("at") ?? NaN);
  return {
    variant: link.get("variant") ?? "othello",
    start: link.get("start"),
    moves: link.get("moves") ?? "",
    at: Number.isInteger(at) && at >= 0 ? at : null,
  };
}

/** The other way round. @param {NewGame} game @param {number} [at] after how many of its moves it is shown */
export function searchOf({ variant, start, moves }, at) {
  const link = new URLSearchParams({ variant: variant ?? "othello" });
  if (start) link.set("start", start);
  if (moves) link.set("moves", moves);
  if (at !== undefined && at < (moves?.length ?? 0) / 2) link.set("at", String(at));
  return `?${link}`;
}

/** The board that an address names. @param {string} path */
export const boardIn = (path) => /^\/b\/([\w-]+)$/.exec(path)?.[1] ?? null;

/**
 * Brings the address up to date. Another game, or another move in it, is a step that Back takes back; a position looked
 * at is not.
 * @param {string} address @param {string | null} board where the game is kept @param {boolean} step
 */
export function write(address, board, step) {
  const now = location.pathname + location.search + location.hash;
  if (now === address && history.state?.board === board) return;
  if (step) history.pushState({ board }, "", address);
  else history.replaceState({ board }, "", address);
}
