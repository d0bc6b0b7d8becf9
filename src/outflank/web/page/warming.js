/** The first start on a machine: a quiet line that says how far the compiling is, until it is done. */

import { api } from "./api.js";
import { h } from "./dom.js";
import { say } from "./language.js";

/** @typedef {import("../types").WarmingOut} Warming */

const EVERY = 1000; // milliseconds

/** @param {Warming} warming */
export function showWarming(warming) {
  const bar = h("progress", { "aria-hidden": "true" });
  const text = h("span", {});
  const line = h("aside", { id: "warming", class: "warming", "aria-label": say("warming") }, text, bar);
  document.body.append(line);
  /** @param {Warming} now */
  const show = (now) => {
    if (!now.step) {
      line.remove();
      return;
    }
    text.textContent = say(`warming.${now.step}`, { done: now.done, total: now.total });
    bar.max = Math.max(now.total, 1);
    bar.value = now.done;
    setTimeout(() => api.warming().then(show, () => show(now)), EVERY);
  };
  show(warming);
}
