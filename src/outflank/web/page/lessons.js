/** A search as the server tells it, node by node and step by step, and what is known after some of the steps. */

/** @typedef {import("../types").TreeLesson} TreeLesson */
/** @typedef {import("../types").TreeNodeOut} TreeNode */
/** @typedef {import("../types").PlayoutNodeOut} PlayoutNode */
/** What the nodes of both kinds of search have, and what only one has.
 * @typedef {Omit<TreeNode, "maximizes" | "board"> & Partial<Pick<TreeNode, "maximizes">>
 *   & Partial<Pick<PlayoutNode, "visits" | "born">>} LessonNode */
/** @typedef {import("../types").StepOut} Step */
/** @typedef {import("../types").PlayoutOut} Playout */
/** @typedef {Partial<Pick<TreeLesson, "algorithm" | "value" | "visited" | "pruned">>
 *   & {kind: "tree" | "montecarlo", best: string, nodes: LessonNode[], steps: (Step | Playout)[], playouts?: number}} Lesson */

const MOST_DRAWN = 48; // nodes of a Monte Carlo tree: the most visited ones

/** @typedef {{kind: "waiting" | "open" | "visited" | "pruned", value: number | null, cutHere: boolean}} NodeState */

/**
 * What each node is after some steps.
 * @param {LessonNode[]} nodes @param {Step[]} steps @returns {Map<string, NodeState>}
 */
export function replay(nodes, steps) {
  /** @type {Map<string, NodeState>} */
  const states = new Map(nodes.map((node) => [node.id, { kind: "waiting", value: null, cutHere: false }]));
  for (const step of steps) {
    const state = states.get(step.node);
    if (!state) continue;
    if (step.kind === "enter") state.kind = "open";
    else if (step.kind === "leave") {
      state.kind = "visited";
      state.value = step.value;
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
    const value = states.get(node.id)?.value;
    const owner = nodes.find((each) => each.id === node.parent);
    if (parent?.kind !== "open" || value === null || value === undefined || states.get(node.id)?.kind !== "visited")
      continue;
    parent.value =
      parent.value === null ? value : owner?.maximizes ? Math.max(parent.value, value) : Math.min(parent.value, value);
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
