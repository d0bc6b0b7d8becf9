/** Asking the server. Everything it knows arrives through here. */

import { explained } from "./errors.js";

/** @typedef {import("../types").NodeOut["turn"]} Side */
/** @typedef {import("../types").About} About */
/** @typedef {import("../types").NewGame} NewGame */
/** @typedef {import("../types").PositionIn} PositionIn */
/** @typedef {import("../types").Reading} Reading */
/** @typedef {import("../types").WantedGames} WantedGames */
/** @typedef {import("../types").Explored} Explored */

/** Something the server refused, in words for the visitor. */
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
  if (!response.ok) throw new Refused(explained(answer) || `${response.status} ${response.statusText}`, response.status);
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
  /** @param {Partial<import("../types").PositionAsked>} asked @returns {Promise<import("../types").PositionOut>} */
  position: (asked) => post("/api/position", asked),
  /** @param {Record<string, unknown>} asked @returns {Promise<import("../types").TrainingOut>} */
  nextExercise: (asked) => post("/api/trainer/next", asked),
  /** @param {string} id @param {string} move @returns {Promise<import("../types").ExerciseAnswered>} */
  answerExercise: (id, move) => post("/api/trainer/answer", { id, move }),
  /** @param {{variant: string, moves: string, move: string | null, side: string}} asked
   * @returns {Promise<import("../types").OpeningAnswered>} */
  opening: (asked) => post("/api/trainer/opening", asked),
  /** @returns {Promise<import("../types").MistakesFound>} */
  ownMistakes: () => ask("/api/trainer/mistakes", { method: "POST" }),
  /** @returns {Promise<import("../types").SolvedBoard[]>} */
  solvedBoards: () => ask("/api/solved"),
  /** @param {{variant: string, moves: string}} game @returns {Promise<import("../types").Proved>} */
  solved: (game) => post("/api/solved", game),
  /** @returns {Promise<import("../types").WarmingOut>} */
  warming: () => ask("/api/warming"),
  /** @param {import("../types").BoardAsked} game @returns {Promise<{id: string}>} */
  newBoard: (game) => post("/api/boards", game),
  /**
   * @param {string} board @param {string} format @param {boolean} whole
   * @returns {Promise<import("../types").Copied>}
   */
  copy: (board, format, whole) => ask(`/api/boards/${encodeURIComponent(board)}/copy?format=${format}&whole=${whole}`),
  /** @param {string} board @returns {Promise<import("../types").State>} */
  board: (board) => ask(`/api/boards/${encodeURIComponent(board)}`),
  /** @param {number | null} before @returns {Promise<import("../types").KeptGames>} */
  games: (before) => ask(`/api/games${before === null ? "" : `?before=${before}`}`),
  /** @param {string} board */
  forget: (board) => ask(`/api/games/${encodeURIComponent(board)}`, { method: "DELETE" }),
  /** @param {string} text @param {string | null} variant @returns {Promise<Reading>} */
  read: (text, variant) => post("/api/read", { text, variant }),
  /** @param {NewGame} game @param {WantedGames} games @returns {Promise<Explored>} */
  explore: ({ variant, start, moves }, games) => post("/api/explore", { variant, start, moves, games }),
  /** @param {string} part of a name @returns {Promise<import("../types").LibraryPlayer[]>} */
  players: (part) => ask(`/api/players?name=${encodeURIComponent(part)}`),
  /** @param {Blob} file @returns {Promise<Reading>} */
  readFile: (file) => ask("/api/read/file", { method: "POST", body: file }),
  /** @param {PositionIn} position @param {{heuristic: string} | {player: string}} of @param {Record<string, number[]> | null} weights
   * @param {AbortSignal} [signal] @returns {Promise<any>} */
  explain: (position, of, weights, signal) => post("/api/explain", { position, weights, ...of }, signal),
  /** @returns {Promise<import("../types").Examples>} */
  lessons: () => ask("/api/lessons"),
  /** @param {Record<string, unknown>} lesson @returns {Promise<any>} */
  lesson: (lesson) => post("/api/lessons", lesson),
  /** @param {Record<string, unknown>} match @returns {Promise<{id: string}>} */
  newMatch: (match) => post("/api/matches", match),
  /** @param {string} id */
  stopMatch: (id) => ask(`/api/matches/${encodeURIComponent(id)}`, { method: "DELETE" }),
  /** @returns {Promise<import("../types").Stores>} */
  stores: () => ask("/api/stores"),
  /** @param {string} store @param {number} event @returns {Promise<import("../types").ReportOut>} */
  event: (store, event) => ask(`/api/stores/${encodeURIComponent(store)}/events/${event}`),
  /** @param {string} store @param {number} event @param {number} game @returns {Promise<import("../types").GameDetail>} */
  game: (store, event, game) => ask(`/api/stores/${encodeURIComponent(store)}/events/${event}/games/${game}`),
};

/** @param {string} path @returns {WebSocket} */
export function socket(path) {
  return new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}${path}`);
}
