/** A tree as a picture: who is where, and how to draw the nodes, the branches and what was cut off. */

import { s } from "./dom.js";

/** @typedef {{id: string, parent: string | null}} Placed */
/** @typedef {{x: number, y: number}} Place */

const ACROSS = 46,
  DOWN = 92,
  EDGE = 34;
const APART = 38; // between two leaves of a tree that grows sideways: a row of text

/**
 * Leaves side by side, every parent above the middle of its children. A wide tree grows sideways, its leaves one below
 * another: so it can be read on a phone, and scrolls one way only.
 * @template {Placed} N
 * @param {N[]} nodes parents before their children @param {number} room how wide the picture may be
 */
export function layout(nodes, room) {
  /** @type {Map<string, N[]>} */
  const children = new Map(nodes.map((node) => [node.id, []]));
  for (const node of nodes) if (node.parent !== null) children.get(node.parent)?.push(node);
  const leafCount = [...children.values()].filter((below) => !below.length).length;
  const sideways = ACROSS * (leafCount - 1) + 2 * EDGE > Math.max(room, 300);
  const step = sideways ? APART : ACROSS;
  /** @type {Map<string, Place>} */
  const places = new Map();
  let leaves = 0,
    deepest = 0;
  /** @param {N} node @param {number} depth @returns {number} */
  const place = (node, depth) => {
    const below = (children.get(node.id) ?? []).map((child) => place(child, depth + 1));
    // Sideways a parent stands beside its first child, as in an outline: the way to a node stays in sight.
    const middle = sideways ? below[0] : (below[0] + below[below.length - 1]) / 2;
    const along = below.length ? middle : step * leaves++;
    deepest = Math.max(deepest, depth);
    const down = DOWN * depth + EDGE;
    places.set(node.id, sideways ? { x: down, y: along + EDGE } : { x: along + EDGE, y: down });
    return along;
  };
  if (nodes.length) place(nodes[0], 0);
  const long = step * Math.max(0, leaves - 1) + 2 * EDGE,
    deep = DOWN * deepest + 2 * EDGE;
  return {
    places,
    children,
    sideways,
    width: sideways ? deep + 20 : long,
    height: sideways ? long : deep + 20,
  };
}

/** A node's sign: the maximizing side points up, the minimizing one down, a leaf is a square.
 * @param {"max" | "min" | "leaf"} kind @param {number} x @param {number} y @param {number} [size] */
export function sign(kind, x, y, size = 1) {
  const [wide, tip, base] = [25 * size, 24 * size, 16 * size];
  if (kind === "max") return s("path", { class: "sign", d: `M${x} ${y - tip}L${x + wide} ${y + base}H${x - wide}Z` });
  if (kind === "min") return s("path", { class: "sign", d: `M${x} ${y + tip}L${x + wide} ${y - base}H${x - wide}Z` });
  return s("rect", { class: "sign", x: x - 20, y: y - 15 * size, width: 40, height: 30 * size, rx: 5 });
}

/** Alpha and beta above a node: on both sides of the branch from above, or from where a node begins that has its branch
 * at its side.
 * @param {Place} place @param {string} alpha @param {string} beta @param {boolean} sideways */
export function boundsOf({ x, y }, alpha, beta, sideways) {
  if (sideways) return s("text", { class: "window beta", x: x - 25, y: y - 30 }, `α ${alpha}\u2002β ${beta}`);
  return s(
    "g",
    {},
    s("text", { class: "window alpha", x: x - 7, y: y - 30 }, `α ${alpha}`),
    s("text", { class: "window beta", x: x + 7, y: y - 30 }, `β ${beta}`),
  );
}

/**
 * Two strokes across a branch: here it was cut.
 * @param {Place} from @param {Place} to
 */
export function cut(from, to) {
  const x = from.x + (to.x - from.x) * 0.5,
    y = from.y + (to.y - from.y) * 0.5;
  return s("path", { class: "cut", d: `M${x - 9} ${y - 2}l18 -6M${x - 9} ${y + 6}l18 -6` });
}
