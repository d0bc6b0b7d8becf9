/** A game's board and rules in words. */

import { say } from "./language.js";
import { variantNamed } from "./rules.js";

/** Standard is what is not said: "8×8", "6×6 · Parallel · Fewest discs win". @param {string} name a variant's */
export function variantTitle(name) {
  const { rows, columns, start, objective } = variantNamed(name);
  return [
    `${rows}×${columns}`,
    start === "diagonal" ? "" : say(`start.${start}`),
    objective === "fewest" ? say("fewestWin") : "",
  ]
    .filter(Boolean)
    .join(" · ");
}
