/** A search as the server tells it, node by node and step by step, and what is known after some of the steps. */

/** @typedef {import("../types").TreeLesson} TreeLesson */
/** @typedef {import("../types").TreeNodeOut} TreeNode */
/** @typedef {import("../types").PlayoutNodeOut} PlayoutNode */
/** What the nodes of both kinds of search have, and what only one has.
 * @typedef {Omit<TreeNode, "maximizes" | "decided"> & Partial<Pick<TreeNode, "maximizes" | "decided">>
 *   & Partial<Pick<PlayoutNode, "visits" | "born" | "chance">>} LessonNode */
/** @typedef {import("../types").StepOut} Step */
/** @typedef {import("../types").PlayoutOut} Playout */
/** @typedef {Partial<Pick<TreeLesson, "algorithm" | "value" | "visited" | "pruned">>
 *   & {kind: "tree" | "montecarlo", best: string, nodes: LessonNode[], steps: (Step | Playout)[], playouts?: number,
 *   guided?: boolean}} Lesson */

const MOST_DRAWN = 48; // nodes of a Monte Carlo tree: the most visited ones

/** @typedef {{kind: "waiting" | "open" | "visited" | "pruned", value: number | null, decided: boolean,
 *   cutHere: boolean}} NodeState */

/** By what values compare: the margin of a finished game is above or below every estimate.
 * @param {{value: number | null, decided: boolean}} known */
const rank = ({ value, decided }) => (value ?? 0) + (decided ? 1e9 * Math.sign(value ?? 0) : 0);

/**
 * What each node is after some steps.
 * @param {LessonNode[]} nodes @param {Step[]} steps @returns {Map<string, NodeState>}
 */
export function replay(nodes, steps) {
  /** @type {Map<string, NodeState>} */
  const states = new Map(nodes.map((node) => [node.id, { kind: "waiting", value: null, decided: false, cutHere: false }]));
  for (const step of steps) {
    const state = states.get(step.node);
    if (!state) continue;
    if (step.kind === "enter") state.kind = "open";
    else if (step.kind === "leave") {
      state.kind = "visited";
      state.value = step.value;
      state.decided = step.decided;
    } else {
      state.kind = "pruned";
      state.cutHere = true;
    }
  }
  for (const node of nodes) {
    // parents come first, so all below a cut is cut
    const state = states.get(node.id);
    if (state && node.parent !== null && states.get(node.parent)?.kind === "pruned") state.kind = "pruned";
  }
  for (const node of [...nodes].reverse()) {
    // an open node has what its finished children give it so far
    const parent = node.parent === null ? undefined : states.get(node.parent);
    const own = states.get(node.id);
    const owner = nodes.find((each) => each.id === node.parent);
    if (parent?.kind !== "open" || !own || own.value === null || own.kind !== "visited") continue;
    if (parent.value !== null && (owner?.maximizes ? rank(own) < rank(parent) : rank(own) > rank(parent))) continue;
    parent.value = own.value;
    parent.decided = own.decided;
  }
  return states;
}

/** The nodes visited most, with all above them. @param {LessonNode[]} nodes */
export function mostVisited(nodes) {
  const kept = [...nodes].sort((one, two) => (two.visits ?? 0) - (one.visits ?? 0)).slice(0, MOST_DRAWN);
  const ids = new Set(kept.map((node) => node.id));
  return nodes.filter((node) => ids.has(node.id) && (node.parent === null || ids.has(node.parent)));
}

/** @param {number} value */
export function short(value) {
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  const digits = Number.isInteger(value) || Math.abs(value) >= 100 ? 0 : 1;
  return value.toFixed(digits).replace("-", "−");
}

export const PHASES = /** @type {const} */ (["select", "expand", "simulate", "back"]);

/**
 * A Monte Carlo tree after some playouts, and in one of the phases of the next.
 * @param {Playout[]} playouts @param {number} at in phases, four a playout
 */
export function grown(playouts, at) {
  const done = Math.min(playouts.length, Math.floor(at / PHASES.length));
  const phase = at / PHASES.length < playouts.length && at % PHASES.length ? PHASES[(at % PHASES.length) - 1] : null;
  /** @type {Map<string, {visits: number, sum: number}>} */
  const seen = new Map();
  for (const playout of playouts.slice(0, done)) {
    for (const id of playout.path) {
      const entry = seen.get(id) ?? { visits: 0, sum: 0 };
      seen.set(id, { visits: entry.visits + 1, sum: entry.sum + playout.result });
    }
  }
  // A playout whose four phases are over is still the one that is looked at.
  const now = phase ? playouts[done] : done ? playouts[done - 1] : null;
  return { done, phase: phase ?? (now ? PHASES[3] : null), now, seen };
}

/**
 * What UCB1 says of a node's children: the mean, seen by the side that chooses here, and what was not tried often.
 * @param {Map<string, {visits: number, sum: number}>} seen @param {LessonNode[]} nodes @param {string} parent
 * With a guide PUCT says it: means go from -1 to 1, and a move counts for more that the guide thinks likely.
 * @param {number} c @param {boolean} [guided] @returns {{node: LessonNode, mean: number, explore: number, visits: number}[]}
 */
export function ucb(seen, nodes, parent, c, guided = false) {
  const all = seen.get(parent)?.visits ?? 0;
  const here = nodes.find(({ id }) => id === parent);
  const mine = here?.turn === nodes[0]?.turn;
  return nodes
    .filter((node) => node.parent === parent && seen.has(node.id))
    .map((node) => {
      const { visits, sum } = /** @type {{visits: number, sum: number}} */ (seen.get(node.id));
      const result = (mine ? sum : -sum) / visits;
      if (guided) return { node, visits, mean: result, explore: (c * (node.chance ?? 0) * Math.sqrt(all)) / (1 + visits) };
      return { node, visits, mean: (1 + result) / 2, explore: c * Math.sqrt((2 * Math.log(all)) / visits) };
    });
}
