/** Asking the server. Everything it knows arrives through here. */

/** @typedef {"black" | "white"} Side */
/** @typedef {{name: string, kind: "bool" | "int" | "float" | "choice" | "text", choices?: string[] | null,
 *   default: string | number | boolean | null, least?: number | null, most?: number | null, help: string}} Option */
/** @typedef {{name: string, summary: string, own: boolean, options: Option[]}} AgentInfo */
/** @typedef {{name: string, weights: number[]}} TermInfo */
/** @typedef {{name: string, summary: string, objective: string, own: boolean, weighted: boolean, phases: number[],
 *   terms: TermInfo[]}} HeuristicInfo */

/**
 * What there is to choose from.
 * @typedef {object} About
 * @property {string} version
 * @property {{id: string, spec: string}[]} difficulties
 * @property {{level: number, spec: string}[]} levels
 * @property {AgentInfo[]} agents
 * @property {HeuristicInfo[]} heuristics
 * @property {string[]} copy_formats
 * @property {{id: string, name: string}[]} stores
 * @property {{openings: boolean, masters: boolean, games: number}} library
 * @property {{seconds: number[]}} analysis
 */

/** @typedef {{variant?: string, black?: string, white?: string, clock?: {seconds: number, increment: number} | null,
 *   opening?: string, start?: string | null, moves?: string, at?: number, tags?: Record<string, string>}} NewGame */
/** @typedef {{variant: string, board: string, turn: Side}} PositionData */
/** @typedef {{variant: string, start: string | null, moves: string, tags: Record<string, string>,
 *   result: string | null}} ReadGame */
/** @typedef {{format: string, kind: string, count: number, games: ReadGame[]}} Reading */
/** How games ended for the side to move: points a game, and discs.
 * @typedef {{games: number, wins: number, draws: number, losses: number, score: number | null, margin: number | null,
 *   years: [number | null, number | null]}} Tally */
/** @typedef {Tally & {moves: string[], opening: string | null}} MovePlayed */
/** @typedef {{variant: string, start: string | null, moves: string, ply: number, black: string, white: string, event: string,
 *   year: number | null, decided: boolean, winner: Side | null, score: number | null, opening: string | null}}
 *   LibraryGame */
/** @typedef {{player?: string, color?: Side, since?: number, until?: number}} WantedGames */
/** @typedef {Tally & {opening: {name: string, aliases: string[], line: string} | null, moves: MovePlayed[],
 *   latest: LibraryGame[]}} Explored */

/** Something the server refused, in its own words. */
export class Refused extends Error {
  /** @param {string} message @param {number} status */
  constructor(message, status) {
    super(message);
    this.status = status;
  }
}

/** @param {string} path @param {RequestInit} [options] @returns {Promise<any>} */
async function ask(path, options = {}) {
  const response = await fetch(path, options);
  if (response.status === 204) return null;
  const answer = await response.json().catch(() => ({}));
  if (!response.ok) throw new Refused(answer.error ?? `${response.status} ${response.statusText}`, response.status);
  return answer;
}

/** @param {string} path @param {unknown} body @param {AbortSignal} [signal] */
const post = (path, body, signal) =>
  ask(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body), signal });

/** @type {Promise<About> | null} */
let asked = null;

export const api = {
  /** Asked once. @returns {Promise<About>} */
  about: () =>
    (asked ??= ask("/api/about").catch((error) => {
      asked = null;
      throw error;
    })),
  /** @param {NewGame} game @returns {Promise<{id: string}>} */
  newBoard: (game) => post("/api/boards", game),
  /**
   * @param {string} board @param {string} format @param {boolean} whole
   * @returns {Promise<{text: string, left_out: string[]}>}
   */
  copy: (board, format, whole) => ask(`/api/boards/${encodeURIComponent(board)}/copy?format=${format}&whole=${whole}`),
  /** @param {string} text @param {string | null} variant @returns {Promise<Reading>} */
  read: (text, variant) => post("/api/read", { text, variant }),
  /** @param {NewGame} game @param {WantedGames} games @returns {Promise<Explored>} */
  explore: ({ variant, start, moves }, games) => post("/api/explore", { variant, start, moves, games }),
  /** @param {string} part of a name @returns {Promise<{name: string, games: number}[]>} */
  players: (part) => ask(`/api/players?name=${encodeURIComponent(part)}`),
  /** @param {Blob} file @returns {Promise<Reading>} */
  readFile: (file) => ask("/api/read/file", { method: "POST", body: file }),
  /** @param {PositionData} position @param {string} heuristic @param {Record<string, number[]> | null} weights
   * @param {AbortSignal} [signal] @returns {Promise<any>} */
  explain: (position, heuristic, weights, signal) => post("/api/explain", { position, heuristic, weights }, signal),
  /** @returns {Promise<{examples: {id: string, title: string, note: string, algorithm: string}[]}>} */
  lessons: () => ask("/api/lessons"),
  /** @param {Record<string, unknown>} lesson @returns {Promise<any>} */
  lesson: (lesson) => post("/api/lessons", lesson),
  /** @param {Record<string, unknown>} match @returns {Promise<{id: string}>} */
  newMatch: (match) => post("/api/matches", match),
  /** @param {string} id */
  stopMatch: (id) => ask(`/api/matches/${encodeURIComponent(id)}`, { method: "DELETE" }),
  /** @returns {Promise<{stores: {id: string, name: string, events: any[]}[]}>} */
  stores: () => ask("/api/stores"),
  /** @param {string} store @param {number} event @returns {Promise<any>} */
  event: (store, event) => ask(`/api/stores/${encodeURIComponent(store)}/events/${event}`),
  /**
   * @param {string} store @param {number} event @param {number} offset @param {string} player @returns {Promise<any>}
   */
  games: (store, event, offset, player) =>
    ask(
      `/api/stores/${encodeURIComponent(store)}/events/${event}/games?offset=${offset}&limit=50` +
        (player ? `&player=${encodeURIComponent(player)}` : ""),
    ),
};

/** @param {string} path @returns {WebSocket} */
export function socket(path) {
  return new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}${path}`);
}
