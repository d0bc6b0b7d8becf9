/**
 * What is loaded only when it is wanted: modules and style sheets.
 *
 * A browser remembers a module that it could not get for as long as the page is open, and refuses whatever needs it. So
 * where the server was away the page is loaded anew when it is back: the address has the screen, the server the games.
 */

import { h } from "./dom.js";

const EVERY = 1000; // milliseconds

/** @type {Map<string, Promise<void>>} */
const styles = new Map();
let waits = false;

/** A module, by what imports it. @template T @param {() => Promise<T>} load @returns {Promise<T>} */
export async function later(load) {
  try {
    return await load();
  } catch (error) {
    beginAnew();
    throw error;
  }
}

/** Loads the style sheets of a screen, each once. @param {...string} names */
export const styled = (...names) => Promise.all(names.map((name) => later(() => sheet(name))));

/** @param {string} name @returns {Promise<void>} */
function sheet(name) {
  const coming =
    styles.get(name) ??
    new Promise((resolve, reject) => {
      const failed = () => reject(new TypeError(name));
      const done = () => resolve(undefined);
      document.head.append(h("link", { rel: "stylesheet", href: `/page/${name}.css`, onload: done, onerror: failed }));
    });
  styles.set(name, coming);
  return coming;
}

/** Loads the page anew as soon as the server answers. Where it was there all the time, that is tried once. */
async function beginAnew() {
  if (waits) return;
  waits = true;
  let away = false;
  const answers = () => fetch("/api/about").then(({ ok }) => ok, () => false);
  while (!(await answers())) {
    away = true;
    await new Promise((wake) => setTimeout(wake, EVERY));
  }
  waits = false;
  const [{ type }] = /** @type {PerformanceNavigationTiming[]} */ (performance.getEntriesByType("navigation"));
  if (away || type !== "reload") location.reload();
}
