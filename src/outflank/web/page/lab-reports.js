/** Stored matches and tournaments: their tables, and every game to replay. */

import { api } from "./api.js";
import { attempt } from "./dialogs.js";
import { h } from "./dom.js";
import { heard, moment, say } from "./language.js";
import { later } from "./later.js";
import { variantTitle } from "./variants.js";

export class ReportsPanel {
  /** @param {import("./lab.js").OpenGame} openGame */
  constructor(openGame) {
    this.openGame = openGame;
    this.list = h("div", { class: "card events" });
    this.report = h("div", { class: "report" }, h("p", { class: "none" }, say("reportsHint")));
    this.element = h("div", { class: "reports" }, this.list, this.report);
  }

  /** @param {boolean} visible */
  set shown(visible) {
    if (visible) attempt(() => this.load());
  }

  async load() {
    const { stores } = await api.stores();
    const events = stores
      .flatMap((store) => store.events.map((event) => ({ store, event })))
      .sort((one, other) => other.event.opened - one.event.opened);
    if (!events.length) {
      this.list.replaceChildren(h("h2", {}, say("lab.reports")), h("p", { class: "none" }, say("noStores")));
      return;
    }
    this.list.replaceChildren(
      h("h2", {}, say("lab.reports")),
      ...events.map(({ store, event }) =>
        h(
          "button",
          {
            type: "button",
            class: "event",
            "aria-pressed": String(this.chosen === `${store.id}/${event.id}`),
            onclick: () => this.open(store.id, event),
          },
          h("b", {}, heard(event.title)),
          h("small", {}, [say(`event.${event.kind}`), variantTitle(event.variant), store.name].join(" · ")),
          h("small", {}, moment(event.opened)),
        ),
      ),
    );
  }

  /** @param {string} store @param {import("../types").EventOut} event */
  open(store, event) {
    this.chosen = `${store}/${event.id}`;
    attempt(async () => {
      const [{ Results }, { summary, games }] = await Promise.all([later("results"), api.event(store, event.id)]);
      const results = new Results({
        summary,
        games,
        detail: (game) => api.game(store, event.id, games.id[game]),
        analyse: (game) => attempt(() => this.openGame(game)),
      });
      results.element.addEventListener("keydown", (pressed) => results.list.key(pressed));
      this.report.replaceChildren(h("h2", { class: "unseen" }, heard(event.title)), results.element);
      if (games.id.length) await results.list.open(0);
      await this.load();
    });
  }
}
