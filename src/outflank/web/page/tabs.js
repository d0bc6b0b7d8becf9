/** Panels of which one is shown, and the tabs that choose it. */

import { h } from "./dom.js";

/** @typedef {{name: string, text: string, panel: HTMLElement}} Tab */

export class Tabs {
  /** @param {string} label @param {Tab[]} tabs @param {(name: string) => void} changed */
  constructor(label, tabs, changed) {
    this.tabs = tabs;
    this.changed = changed;
    this.chosen = "";
    this.buttons = tabs.map(({ name, text, panel }) => {
      panel.id = `panel-${name}`;
      panel.setAttribute("role", "tabpanel");
      panel.setAttribute("aria-label", text);
      return h(
        "button",
        {
          type: "button",
          role: "tab",
          "data-tab": name,
          "aria-controls": panel.id,
          onclick: () => this.choose(name),
        },
        text,
      );
    });
    this.element = h("div", { role: "tablist", "aria-label": label, class: "tabs" }, ...this.buttons);
    this.element.addEventListener("keydown", (event) => this.arrow(event));
  }

  /** @param {string} name */
  choose(name) {
    this.show(name);
    this.changed(name);
  }

  /** @param {string} name */
  show(name) {
    this.chosen = name;
    this.tabs.forEach(({ name: each, panel }, index) => {
      this.buttons[index].setAttribute("aria-selected", String(each === name));
      this.buttons[index].tabIndex = each === name ? 0 : -1;
      panel.classList.toggle("chosen", each === name);
    });
  }

  /** @param {KeyboardEvent} event */
  arrow(event) {
    const way = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!way) return;
    const seen = this.buttons.filter((button) => button.offsetWidth);
    const at = seen.findIndex((button) => button.dataset.tab === this.chosen);
    const next = seen[(at + way + seen.length) % seen.length];
    this.choose(next.dataset.tab ?? "");
    next.focus();
    event.preventDefault();
    event.stopPropagation();
  }
}
