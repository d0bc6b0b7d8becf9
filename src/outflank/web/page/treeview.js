/** A tree as a picture: who is where, and how to draw the nodes, the branches and what was cut off. */

import { s } from "./dom.js";

/** @typedef {{id: string, parent: string | null}} Placed */

const ACROSS = 46,
  DOWN = 92,
  EDGE = 34;

/**
 * Leaves side by side, every parent above the middle of its children.
 * @template {Placed} N
 * @param {N[]} nodes parents before their children
 */
export function layout(nodes) {
  /** @type {Map<string, N[]>} */
  const children = new Map(nodes.map((node) => [node.id, []]));
  for (const node of nodes) if (node.parent !== null) children.get(node.parent)?.push(node);
  /** @type {Map<string, {x: number, y: number}>} */
  const places = new Map();
  let leaves = 0,
    deepest = 0;
  /** @param {N} node @param {number} depth @returns {number} */
  const place = (node, depth) => {
    const below = (children.get(node.id) ?? []).map((child) => place(child, depth + 1));
    const x = below.length ? (below[0] + below[below.length - 1]) / 2 : ACROSS * leaves++;
    deepest = Math.max(deepest, depth);
    places.set(node.id, { x: x + EDGE, y: DOWN * depth + EDGE });
    return x;
  };
  if (nodes.length) place(nodes[0], 0);
  return {
    places,
    children,
    width: ACROSS * Math.max(0, leaves - 1) + 2 * EDGE,
    height: DOWN * deepest + 2 * EDGE + 20,
  };
}

/** A node's sign: the maximizing side points up, the minimizing one down, a leaf is a square.
 * @param {"max" | "min" | "leaf"} kind @param {number} x @param {number} y */
export function sign(kind, x, y) {
  if (kind === "max") return s("path", { class: "sign", d: `M${x} ${y - 24}L${x + 25} ${y + 16}H${x - 25}Z` });
  if (kind === "min") return s("path", { class: "sign", d: `M${x} ${y + 24}L${x + 25} ${y - 16}H${x - 25}Z` });
  return s("rect", { class: "sign", x: x - 20, y: y - 15, width: 40, height: 30, rx: 5 });
}

/**
 * Two strokes across a branch: here it was cut.
 * @param {{x: number, y: number}} from @param {{x: number, y: number}} to
 */
export function cut(from, to) {
  const x = from.x + (to.x - from.x) * 0.5,
    y = from.y + (to.y - from.y) * 0.5;
  return s("path", { class: "cut", d: `M${x - 9} ${y - 2}l18 -6M${x - 9} ${y + 6}l18 -6` });
}
