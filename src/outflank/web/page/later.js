/**
 * What is loaded only when it is wanted: modules and style sheets.
 *
 * A browser remembers a module that it could not get for as long as the page is open, by its address. So what was
 * missing is asked for by another one as soon as the server answers, and nothing on the page is lost. Where that does
 * not help, because what the module itself imports is missing, the page is loaded anew.
 */

import { h } from "./dom.js";
import { say } from "./language.js";

const EVERY = 1000; // milliseconds

/**
 * The modules by their names.
 * @typedef {object} Modules
 * @property {typeof import("./analysis.js")} analysis
 * @property {typeof import("./editor.js")} editor
 * @property {typeof import("./exchange.js")} exchange
 * @property {typeof import("./friends.js")} friends
 * @property {typeof import("./games.js")} games
 * @property {typeof import("./lab.js")} lab
 * @property {typeof import("./lab-heuristics.js")} lab-heuristics
 * @property {typeof import("./lab-match.js")} lab-match
 * @property {typeof import("./lab-players.js")} lab-players
 * @property {typeof import("./lab-reports.js")} lab-reports
 * @property {typeof import("./lab-solved.js")} lab-solved
 * @property {typeof import("./lab-tree.js")} lab-tree
 * @property {typeof import("./newgame.js")} newgame
 * @property {typeof import("./results.js")} results
 * @property {typeof import("./review.js")} review
 * @property {typeof import("./trainer.js")} trainer
 * @property {typeof import("./warming.js")} warming
 */

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

/** What to tell of something that is not there; it is waited for. @param {string} what */
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
