/** Why a move is good, in plain words: what a teacher would point at first. */

import { say } from "./language.js";
import { EMPTY, PASS, isOver, legalMoves, mustPass, play, squaresOf } from "./rules.js";

/** @typedef {import("./rules.js").Position} Position */

const NEAR_THE_END = 14; // empty squares from which on parity is worth a word

/** @param {Position} position @param {number} move @returns {string} */
export function reason(position, move) {
  const corners = cornersOf(position);
  const fewest = position.variant.objective === "fewest";
  const after = play(position, move);
  const others = legalMoves(position).filter((each) => each !== move);
  if (!isOver(after) && mustPass(after)) return say("why.pass");
  if (corners.includes(move) && !fewest) return say("why.corner");
  /** @param {number} each */
  const givesCorner = (each) => legalMoves(play(position, each)).some((reply) => corners.includes(reply));
  if (!fewest && !givesCorner(move) && others.some(givesCorner)) return say("why.guardsCorner");
  if (fewest && !corners.includes(move) && others.some((each) => corners.includes(each))) return say("why.shunsCorner");
  const replies = legalMoves(after).length;
  const usual = others.map((each) => legalMoves(play(position, each)).length);
  if (usual.length && replies <= Math.min(...usual) && replies < Math.max(...usual)) return say("why.mobility", { replies });
  const left = position.cells.filter((cell) => cell === EMPTY).length;
  const region = regionOf(position, move);
  if (left <= NEAR_THE_END && region % 2 === 1) return say("why.parity", { region });
  const mine = legalMoves(after, position.turn).length;
  const options = others.map((each) => legalMoves(play(position, each), position.turn).length);
  if (options.length && mine >= Math.max(...options)) return say("why.options", { mine });
  return say(others.length ? "why.search" : "why.only");
}

/** @param {Position} position */
function cornersOf({ variant: { rows, columns } }) {
  return [0, columns - 1, 8 * (rows - 1), 8 * (rows - 1) + columns - 1];
}

/** How many empty squares hang together around one. @param {Position} position @param {number} square */
function regionOf(position, square) {
  const board = new Set(squaresOf(position.variant));
  const seen = new Set([square]);
  for (const at of seen) {
    for (const [down, across] of [-1, 0, 1].flatMap((row) => [-1, 0, 1].map((column) => [row, column]))) {
      const next = at + 8 * down + across;
      const near = Math.abs((next & 7) - (at & 7)) <= 1;
      if (next !== PASS && near && board.has(next) && position.cells[next] === EMPTY) seen.add(next);
    }
  }
  return seen.size;
}
