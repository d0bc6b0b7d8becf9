/** Values as the board and the lists show them: "+4" is exact, "+4.2" with its depth an estimate. */

import { say, signed } from "./language.js";
import { PASS, legalMoves, mustPass, play, squareNamed } from "./rules.js";

/** @typedef {import("../types").Hints} Hints */

/** A value: discs, to a tenth where an estimate has tenths; a heuristic's points without what nobody reads.
 * @param {number} value @param {string} unit discs or points @param {boolean} exact */
export function figure(value, unit, exact) {
  if (unit === "discs") return signed(value, exact || Number.isInteger(value) ? 0 : 1);
  if (Math.abs(value) >= 1000) return `${signed(value / 1000, Math.abs(value) < 10000 ? 1 : 0)}k`;
  return signed(value, Math.abs(value) < 10 ? 1 : 0);
}

/** How a value came about: "exact" or its depth. @param {{exact: boolean, depth: number | null}} hint */
export const certainty = (hint) => (hint.exact ? say("exact") : hint.depth ? `@${hint.depth}` : "");

/** @param {Hints} hints @returns {Map<number, import("./board.js").Mark>} */
export function hintMarks(hints) {
  const best = Math.max(...hints.hints.map((hint) => hint.score));
  return new Map(
    hints.hints.map((hint) => [
      squareNamed(hint.move),
      {
        text: figure(hint.score, hints.unit, hint.exact),
        detail: hint.exact ? "" : certainty(hint),
        exact: hint.exact,
        best: hint.score === best,
      },
    ]),
  );
}

/**
 * A variation with its colours, as far as it is legal.
 * @param {import("./rules.js").Position} position @param {string[]} moves
 */
export function variation(position, moves) {
  const steps = [];
  for (const [index, name] of moves.entries()) {
    const square = squareNamed(name);
    if (square === PASS ? !mustPass(position) : !legalMoves(position).includes(square)) break;
    if (square !== PASS) steps.push({ square, color: position.turn });
    position = play(position, square);
    if (square !== PASS && mustPass(position) && moves[index + 1] !== "pass") position = play(position, PASS);
  }
  return steps;
}
