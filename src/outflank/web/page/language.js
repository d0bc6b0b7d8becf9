/** Every word the page says, by key: `say("newGame")`. One file a language; another language is one more line here. */

import english from "./texts.en.js";
import { settings } from "./settings.js";

/** @typedef {Record<string, string>} Texts */

/** @typedef {() => Promise<{default: Texts}>} Load */

/**
 * The page's own texts, and the server's descriptions of players, which it writes in English. The server has the texts
 * of its errors in every language.
 * @type {Record<string, {name: string, load: Load, words: Load | null}>}
 */
export const LANGUAGES = {
  en: { name: "English", load: () => import("./texts.en.js"), words: null },
  zh: { name: "中文", load: () => import("./texts.zh.js"), words: () => import("./words.zh.js") },
};

/** @type {Texts} */
let texts = english;
/** @type {Texts} */
let words = {};
/** @type {{pattern: RegExp, names: string[], text: string}[]} those with something to fill in, the most exact first */
let patterns = [];
let current = "en";

/** The language in use. */
export const language = () => current;

/** Loads the language that the visitor chose, or else the browser's. */
export async function loadLanguage() {
  const wanted = [settings.values.language, ...navigator.languages.map((tag) => tag.slice(0, 2))];
  current = wanted.find((tag) => tag in LANGUAGES) ?? "en";
  const { load, words: described } = LANGUAGES[current];
  const [own, descriptions] = await Promise.all([load(), described?.()]);
  texts = own.default;
  words = descriptions?.default ?? {};
  patterns = Object.entries(words)
    .filter(([key]) => key.includes("{"))
    .sort(([one], [other]) => fixed(other) - fixed(one))
    .map(([key, text]) => ({
      pattern: new RegExp(`^${key.split(/\{\w+\}/).map(escaped).join("(.*?)")}$`),
      names: [...key.matchAll(/\{(\w+)\}/g)].map(([, name]) => name),
      text,
    }));
  document.documentElement.lang = current === "zh" ? "zh-Hans" : current;
}

/** @param {string} key @param {Record<string, string | number>} [values] for the {names} in the text */
export function say(key, values = {}) {
  const text = texts[key] ?? /** @type {Texts} */ (english)[key] ?? key;
  return text.replace(/\{(\w+)\}/g, (whole, name) => String(values[name] ?? whole));
}

/**
 * What the server described in English, in the visitor's language where we have it. One text may hold another.
 * @param {string} text @returns {string}
 */
export function heard(text) {
  if (Object.hasOwn(words, text)) return words[text];
  for (const { pattern, names, text: translation } of patterns) {
    const found = pattern.exec(text);
    if (found) return translation.replace(/\{(\w+)\}/g, (_, name) => heard(found[1 + names.indexOf(name)] ?? ""));
  }
  return text;
}

/** How much of a pattern is not left open. @param {string} key */
const fixed = (key) => key.replace(/\{\w+\}/g, "").length;

/** @param {string} text */
const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** Whether there is a text for a key. @param {string} key */
export const known = (key) => key in texts;

/** A number with so many digits, as the command line rounds it: of two that are equally near the even one.
 * @param {number} value not negative @param {number} digits */
export function rounded(value, digits) {
  const text = value.toFixed(digits); // of two it takes the larger
  const between = /^50*$/.test(value.toFixed(60).split(".")[1].slice(digits)); // exactly, in binary
  return between && Number(text.at(-1)) % 2 ? (Number(text) - 10 ** -digits).toFixed(digits) : text;
}

/** A signed number as people write it: +4, −2.5, 0. @param {number} value @param {number} [digits] */
export function signed(value, digits = 0) {
  const text = rounded(Math.abs(value), digits);
  return Number(text) === 0 ? text : `${value > 0 ? "+" : "−"}${text}`;
}

/** A number with its thousands set apart. @param {number} value */
export const grouped = (value) => value.toLocaleString(current);

/** A date and a time as people write them where the visitor lives, in the page's language. @param {number} seconds */
export function moment(seconds) {
  const local = navigator.languages.find((tag) => tag.startsWith(current)) ?? current;
  return new Date(1000 * seconds).toLocaleString(local, { dateStyle: "medium", timeStyle: "short" });
}

/** A share: 54 %. @param {number} share @param {number} [digits] */
export const percent = (share, digits = 0) => `${rounded(100 * share, digits)} %`;

/** A duration: 35 µs, 4.1 ms, 12 ms, 0.12 s, 1:05. @param {number} seconds */
export function duration(seconds) {
  if (seconds < 0.001) return `${Math.round(1e6 * seconds)} µs`;
  if (seconds < 0.0095) return `${(1000 * seconds).toFixed(1)} ms`;
  if (seconds < 0.1) return `${Math.round(1000 * seconds)} ms`;
  return seconds < 60 ? `${seconds.toFixed(seconds < 10 ? 2 : 1)} s` : clockFace(seconds);
}

/** A time as the command line writes it, in two digits or three: 8 µs, 0.35 ms, 12 ms, 1.4 s. @param {number} seconds */
export function measured(seconds) {
  const [value, unit] = seconds >= 0.9995 ? [seconds, "s"] : seconds >= 0.9995e-4 ? [1e3 * seconds, "ms"] : [1e6 * seconds, "µs"];
  return `${value >= 10 || unit === "µs" ? rounded(value, 0) : Number(value.toPrecision(2))} ${unit}`;
}

/** A clock: 4:59, or 9.8 in the last ten seconds. @param {number} seconds */
export function clockFace(seconds) {
  if (seconds < 10) return Math.max(0, seconds).toFixed(1);
  const whole = Math.ceil(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}
