/** The page of players: who they are, how they think, how strong they are, and what can be done with them. */

import { button, h, s } from "./dom.js";
import { heard, known, say } from "./language.js";
import { startOf, variantNamed } from "./rules.js";

/** @typedef {import("../types").About} About */
/** @typedef {About["agents"][number]} Agent */

const GROUPS = {
  five: ["corner-shy", "mini-go", "phased", "self-taught", "dynamic"],
  engine: ["engine", "alphazero"],
  classics: ["alphabeta", "minimax", "mcts", "montecarlo", "greedy", "random"],
};
/** @type {Record<string, string>} the game that a player was made for, where it is not Othello */
const MADE_FOR = { "corner-shy": "reversed" };

/** @typedef {{spec: string, variant: string}} Opponent the detail of a `play-against` event */

export class PlayersPanel {
  /** @param {About} about */
  constructor(about) {
    this.shown = false;
    const listed = Object.values(GROUPS).flat();
    const groups = [
      { name: "own", agents: about.agents.filter((agent) => agent.own || !listed.includes(agent.name)) },
      ...Object.entries(GROUPS).map(([name, names]) => ({
        name,
        agents: names.flatMap((each) => about.agents.filter((agent) => agent.name === each)),
      })),
    ].filter(({ agents }) => agents.length);
    this.element = h(
      "div",
      { class: "players" },
      ...groups.map(({ name, agents }) =>
        h("section", {}, h("h2", {}, say(`players.${name}`)), h("ul", {}, ...agents.map((agent) => this.card(agent)))),
      ),
    );
  }

  /** @param {Agent} agent */
  card(agent) {
    const { name } = agent;
    /** @param {string} key @param {string} otherwise */
    const text = (key, otherwise) => (known(`player.${name}.${key}`) ? say(`player.${name}.${key}`) : otherwise);
    const strength = text("strength", "");
    return h(
      "li",
      { class: "card player", "data-player": name },
      portrait(name),
      h("h3", {}, name),
      h("p", { class: "idea" }, text("idea", heard(agent.summary) || say("players.ownIdea"))),
      strength ? h("p", { class: "strength" }, strength) : null,
      h(
        "div",
        { class: "actions" },
        button("play", say("players.play"), () => this.play(name), { class: "main", "aria-label": say("players.playWith", { name }) }),
        h(
          "button",
          { type: "button", onclick: () => this.takeApart(name), "aria-label": say("players.apartOf", { name }) },
          say("players.apart"),
        ),
        h("a", { class: "button", href: `#lab/match/${name}`, "aria-label": say("players.meetOf", { name }) }, say("players.meet")),
      ),
    );
  }

  /** As Play and Analyse do it, on the first position. @param {string} name */
  takeApart(name) {
    const position = startOf(variantNamed(MADE_FOR[name] ?? "othello"));
    this.element.dispatchEvent(new CustomEvent("examine", { detail: { position, player: name }, bubbles: true }));
  }

  /** @param {string} name */
  play(name) {
    /** @type {Opponent} */
    const detail = { spec: name, variant: MADE_FOR[name] ?? "othello" };
    this.element.dispatchEvent(new CustomEvent("play-against", { detail, bubbles: true }));
  }
}

/** A face of discs, each name its own, the same on every visit. @param {string} name */
function portrait(name) {
  let seed = [...name].reduce((sum, letter) => (Math.imul(sum, 31) + letter.charCodeAt(0)) >>> 0, 7);
  const discs = [];
  for (let row = 0; row < 5; row += 1) {
    for (let column = 0; column < 3; column += 1) {
      seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
      const kind = ["", "black", "white"][(seed >>> 16) % 3];
      for (const each of kind ? new Set([column, 4 - column]) : [])
        discs.push(s("circle", { cx: each + 0.5, cy: row + 0.5, r: 0.4, class: kind }));
    }
  }
  return s(
    "svg",
    { class: "portrait", viewBox: "0 0 5 5", "aria-hidden": "true" },
    s("rect", { width: 5, height: 5, rx: 0.5, class: "field" }),
    ...discs,
  );
}
