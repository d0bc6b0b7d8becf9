/** Values as the board and the lists show them: "+4" is exact, "+4.2" with its depth an estimate. */

import { percent, say, signed } from "./language.js";
import { PASS, legalMoves, mustPass, play, squareNamed } from "./rules.js";

/** @typedef {import("../types").Hints} Hints */

/** A value: discs, to a tenth where an estimate has tenths; mean results as the share of wins; a heuristic's points
 * without what nobody reads.
 * @param {number} value @param {string} unit discs, wins or points @param {boolean} exact */
export function figure(value, unit, exact) {
  if (unit === "discs") return signed(value, exact || Number.isInteger(value) ? 0 : 1);
  if (unit === "wins") return percent((1 + value) / 2);
  if (Math.abs(value) >= 1000) return `${signed(value / 1000, Math.abs(value) < 10000 ? 1 : 0)}k`;
  return signed(value, Math.abs(value) < 10 ? 1 : 0);
}

/** The same in few words. @param {number} score @param {string} unit @param {boolean} exact */
export function valued(score, unit, exact) {
  const value = figure(score, unit, exact);
  return say(`in.${counted(value, unit)}`, { value });
}

/** What a figure counts: one disc, discs, wins or points. @param {string} text @param {string} unit */
export const counted = (text, unit) => (unit === "discs" && /^[+−]1$/.test(text) ? "disc" : unit);

/** How a value came about: "exact", "book", or its depth and how sure each cut was: "@21 73%".
 * @param {{exact: boolean, book?: boolean, depth: number | null, selectivity?: number | null}} hint */
export function certainty(hint) {
  if (hint.exact) return say("exact");
  if (hint.book) return say("book");
  if (!hint.depth) return "";
  return `@${hint.depth}${hint.selectivity == null || hint.selectivity === 100 ? "" : ` ${hint.selectivity}%`}`;
}

/** On a phone a square has room for the depth alone. */
const NARROW = matchMedia("(width <= 560px)");

/** @param {Hints} hints @returns {Map<number, import("./board.js").Mark>} */
export function hintMarks(hints) {
  const best = Math.max(...hints.hints.map((hint) => hint.score));
  return new Map(
    hints.hints.map((hint) => [
      squareNamed(hint.move),
      {
        text: figure(hint.score, hints.unit, hint.exact),
        detail: hint.exact ? "" : NARROW.matches ? certainty(hint).split(" ")[0] : certainty(hint),
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
