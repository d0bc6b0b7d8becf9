/** What the server refuses, in the visitor's language: it tells a code, and has a text for each in every language. */

import { language } from "./language.js";

/** What is wrong by its code; a parameter may be the reason. @typedef {import("../types").FaultOut} Fault */
/** An error of the server: in English, and by its code. @typedef {{error?: string | null, fault?: Fault | null}} Problem */

/** @type {Record<string, string>} the texts by their codes; the server's own words are English */
let texts = {};

/** Asks the server for its errors in the visitor's language. */
export async function loadErrors() {
  if (language() === "en") return;
  const answer = await fetch(`/messages/${language()}.json`);
  if (answer.ok) texts = await answer.json();
}

/** What is wrong, in the visitor's language where there are words for it. @param {Problem} problem @returns {string} */
export const explained = ({ error, fault }) => (fault && fault.code in texts ? spoken(fault) : (error ?? ""));

/** @param {string | Fault} part @returns {string} */
const spoken = (part) =>
  typeof part === "string"
    ? part
    : (texts[part.code] ?? part.code).replace(/\{(\w+)\}/g, (_, name) => spoken(part.params[name] ?? ""));
