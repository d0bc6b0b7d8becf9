/** The Laboratory: see how a player thinks, and find out which of two is better. One panel a question. */

import { attempt } from "./dialogs.js";
import { h } from "./dom.js";
import { say } from "./language.js";

/** @typedef {import("../types").About} About */
/** @typedef {(game: import("../types").NewGame) => Promise<void>} OpenGame */
/** @typedef {{element: HTMLElement, shown: boolean}} Panel */

/** @type {Record<string, (about: About, openGame: OpenGame) => Promise<Panel>>} */
const PANELS = {
  heuristics: async (about) => new (await import("./lab-heuristics.js")).HeuristicsPanel(about),
  tree: async (about) => new (await import("./lab-tree.js")).TreePanel(about),
  match: async (about, openGame) => new (await import("./lab-match.js")).MatchPanel(about, openGame),
  reports: async (about, openGame) => new (await import("./lab-reports.js")).ReportsPanel(openGame),
};

export class LabScreen {
  /** @param {HTMLElement} place @param {About} about @param {OpenGame} openGame */
  constructor(place, about, openGame) {
    this.about = about;
    this.openGame = openGame;
    /** @type {Record<string, Panel>} */
    this.panels = {};
    this.current = "";
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

  /** @param {string} name */
  open(name) {
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
      panel.shown = true;
    });
  }

  /** @param {boolean} visible */
  set shown(visible) {
    const panel = this.panels[this.current];
    if (panel) panel.shown = visible;
  }
}
