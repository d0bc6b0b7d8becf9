/** Every word the page says, by key: `say("newGame")`. One file a language; another language is one more line here. */

import english from "./texts.en.js";
import { settings } from "./settings.js";

/** @typedef {Record<string, string>} Texts */

/** @type {Record<string, {name: string, load: () => Promise<{default: Texts}>}>} */
export const LANGUAGES = {
  en: { name: "English", load: () => import("./texts.en.js") },
  zh: { name: "中文", load: () => import("./texts.zh.js") },
};

/** @type {Texts} */
let texts = english;
let current = "en";

/** The language in use. */
export const language = () => current;

/** Loads the language that the visitor chose, or else the browser's. */
export async function loadLanguage() {
  const wanted = [settings.values.language, ...navigator.languages.map((tag) => tag.slice(0, 2))];
  current = wanted.find((tag) => tag in LANGUAGES) ?? "en";
  texts = (await LANGUAGES[current].load()).default;
  document.documentElement.lang = current === "zh" ? "zh-Hans" : current;
}

/** @param {string} key @param {Record<string, string | number>} [values] for the {names} in the text */
export function say(key, values = {}) {
  const text = texts[key] ?? /** @type {Texts} */ (english)[key] ?? key;
  return text.replace(/\{(\w+)\}/g, (whole, name) => String(values[name] ?? whole));
}

/** Whether there is a text for a key. @param {string} key */
export const known = (key) => key in texts;

/** A signed number as people write it: +4, −2.5, 0. @param {number} value @param {number} [digits] */
export function signed(value, digits = 0) {
  const text = Math.abs(value).toFixed(digits);
  return Number(text) === 0 ? text : `${value > 0 ? "+" : "−"}${text}`;
}

/** A number with its thousands set apart. @param {number} value */
export const grouped = (value) => value.toLocaleString(current);

/** A duration: 4 ms, 0.12 s, 1:05. @param {number} seconds */
export function duration(seconds) {
  if (seconds < 0.1) return `${Math.round(1000 * seconds)} ms`;
  return seconds < 60 ? `${seconds.toFixed(seconds < 10 ? 2 : 1)} s` : clockFace(seconds);
}

/** A clock: 4:59, or 9.8 in the last ten seconds. @param {number} seconds */
export function clockFace(seconds) {
  if (seconds < 10) return Math.max(0, seconds).toFixed(1);
  const whole = Math.ceil(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}
