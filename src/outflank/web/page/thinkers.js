/** Heuristics and players in one list: whose view of a position is wanted. */

import { h } from "./dom.js";
import { say } from "./language.js";
import { playerName } from "./players.js";

const PLAYER = "player "; // before a player's spec in a list that has heuristics too

/** A list of heuristics and of players, each of whom has one. @param {import("../types").About} about @param {string} first */
export function thinkers(about, first) {
  /** @param {string} label @param {[string, string][]} options */
  const group = (label, options) =>
    h("optgroup", { label }, ...options.map(([value, text]) => h("option", { value }, text)));
  const list = h(
    "select",
    {},
    group(
      say("heuristics"),
      about.heuristics.map(({ name }) => [name, name]),
    ),
    group(
      say("labPlayers"),
      about.agents.map(({ name }) => [PLAYER + name, name]),
    ),
  );
  list.value = first;
  return list;
}

/** Chooses a player in such a list. @param {HTMLSelectElement} list @param {string} spec @param {import("../types").About} about */
export function choosePlayer(list, spec, about) {
  list.value = PLAYER + spec;
  if (list.value !== PLAYER + spec) {
    list.lastElementChild?.prepend(h("option", { value: PLAYER + spec }, playerName(spec, about)));
    list.value = PLAYER + spec;
  }
}

/** What such a list's value means to the server. @param {string} value */
export const meant = (value) =>
  value.startsWith(PLAYER) ? { player: value.slice(PLAYER.length) } : { heuristic: value };
