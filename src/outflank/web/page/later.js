/**
 * What is loaded only when it is wanted: modules and style sheets.
 *
 * A browser remembers the address of a module that it could not get. So that is asked for by another one when the server
 * answers, and nothing on the page is lost; the page is loaded anew only where what the module imports is missing.
 */

import { h } from "./dom.js";
import { say } from "./language.js";

const EVERY = 1000; // milliseconds

/** @typedef {import("../modules").Modules} Modules */

/** @type {Map<string, Promise<void>>} */
const styles = new Map();
/** @type {Map<string, number>} how often something could not be had */
const failures = new Map();
let waits = false,
  away = false;

/** @template {keyof Modules} Name @param {Name} name @returns {Promise<Modules[Name]>} */
export async function later(name) {
  const failed = failures.get(name) ?? 0;
  try {
    return await import(`./${name}.js${failed ? `?again=${failed}` : ""}`);
  } catch {
    throw missing(name);
  }
}

/** Loads the style sheets of a screen, each once. @param {...string} names */
export const styled = (...names) => Promise.all(names.map(sheet));

/** @param {string} name @returns {Promise<void>} */
function sheet(name) {
  const coming =
    styles.get(name) ??
    new Promise((resolve, reject) => {
      const failed = () => {
        link.remove();
        styles.delete(name);
        reject(missing(`${name}.css`));
      };
      const done = () => resolve(undefined);
      const link = h("link", { rel: "stylesheet", href: `/page/${name}.css`, onload: done, onerror: failed });
      document.head.append(link);
    });
  styles.set(name, coming);
  return coming;
}

/** @param {string} what is waited for */
function missing(what) {
  const failed = failures.get(what) ?? 0;
  failures.set(what, failed + 1);
  waitForServer(failed > 0);
  return new Error(say("unreachable"));
}

/** Tells by a `reachable` event that the server answers. @param {boolean} again whether that has not helped before */
async function waitForServer(again) {
  if (waits) return;
  waits = true;
  const answers = () => fetch("/api/about").then(({ ok }) => ok, () => false);
  while (!(await answers())) {
    away = true;
    await new Promise((wake) => setTimeout(wake, EVERY));
  }
  waits = false;
  const [{ type }] = /** @type {PerformanceNavigationTiming[]} */ (performance.getEntriesByType("navigation"));
  if (!again) dispatchEvent(new Event("reachable"));
  else if (away || type !== "reload") location.reload(); // a page that was loaded anew for this has lost nothing by it
}
