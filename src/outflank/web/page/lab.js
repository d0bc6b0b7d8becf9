/** The Laboratory: see how a player thinks, and find out which of two is better. One panel a question. */

import { attempt } from "./dialogs.js";
import { h } from "./dom.js";
import { say } from "./language.js";
import { later, styled } from "./later.js";

/** @typedef {import("../types").About} About */
/** @typedef {(game: import("../types").NewGame) => Promise<void>} OpenGame */
/** A position, and the player whose thoughts about it are wanted.
 * @typedef {{position: import("./rules.js").Position, player: string}} Subject */
/** @typedef {{element: HTMLElement, shown: boolean, point?: (what: string) => void, examine?: (subject: Subject) => void}} Panel */

/** @type {Record<string, (about: About, openGame: OpenGame) => Promise<Panel>>} */
const PANELS = {
  players: async (about) => new (await later("lab-players")).PlayersPanel(about),
  heuristics: async (about) => new (await later("lab-heuristics")).HeuristicsPanel(about),
  tree: async (about) => new (await later("lab-tree")).TreePanel(about),
  match: async (about, openGame) => {
    const [{ MatchPanel }] = await Promise.all([later("lab-match"), styled("graph")]);
    return new MatchPanel(about, openGame);
  },
  solved: async () => new (await later("lab-solved")).SolvedPanel(),
  reports: async (about, openGame) => {
    const [{ ReportsPanel }] = await Promise.all([later("lab-reports"), styled("graph", "report")]);
    return new ReportsPanel(openGame);
  },
};

export class LabScreen {
  /** @param {HTMLElement} place @param {About} about @param {OpenGame} openGame */
  constructor(place, about, openGame) {
    this.about = about;
    this.openGame = openGame;
    /** @type {Record<string, Panel>} */
    this.panels = {};
    this.current = "";
    /** @type {Subject | null} */
    this.subject = null;
    /** @type {Set<string>} the panels that still have to hear of it */
    this.unheard = new Set();
    this.body = h("div", { id: "lab-panel", role: "tabpanel", tabindex: "-1" });
    this.tabs = h(
      "div",
      { role: "tablist", "aria-label": say("lab"), class: "tabs" },
      ...Object.keys(PANELS).map((name) =>
        h(
          "button",
          {
            type: "button",
            role: "tab",
            id: `tab-${name}`,
            "aria-controls": "lab-panel",
            onclick: () => {
              location.hash = `#lab/${name}`;
            },
          },
          say(`lab.${name}`),
        ),
      ),
    );
    this.tabs.addEventListener("keydown", (event) => this.arrow(event));
    place.replaceChildren(h("h1", { class: "unseen" }, say("lab")), this.tabs, this.body);
  }

  /** Takes a player apart where it thought. @param {Subject} subject */
  examine(subject) {
    this.subject = subject;
    this.unheard = new Set(["heuristics", "tree"]);
  }

  /** @param {KeyboardEvent} event */
  arrow(event) {
    const way = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!way) return;
    const names = Object.keys(PANELS);
    const next = names[(names.indexOf(this.current) + way + names.length) % names.length];
    location.hash = `#lab/${next}`;
    document.getElementById(`tab-${next}`)?.focus();
    event.preventDefault();
  }

  /** @param {string} name @param {string} [what] is to be shown there */
  open(name, what = "") {
    const wanted = name in PANELS ? name : this.current || "heuristics";
    for (const tab of this.tabs.querySelectorAll("[role=tab]")) {
      const chosen = tab.id === `tab-${wanted}`;
      tab.setAttribute("aria-selected", String(chosen));
      tab.setAttribute("tabindex", chosen ? "0" : "-1");
    }
    this.body.setAttribute("aria-labelledby", `tab-${wanted}`);
    this.current = wanted;
    attempt(async () => {
      const panel = (this.panels[wanted] ??= await PANELS[wanted](this.about, this.openGame));
      if (this.current !== wanted) return;
      this.body.replaceChildren(panel.element);
      if (what) panel.point?.(what);
      if (this.subject && this.unheard.delete(wanted)) panel.examine?.(this.subject);
      panel.shown = true;
    });
  }

  /** @param {boolean} visible */
  set shown(visible) {
    const panel = this.panels[this.current];
    if (panel) panel.shown = visible;
  }
}
