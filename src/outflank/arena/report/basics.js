// Small things that every part of the page uses: making elements, numbers as text, unpacking data.
"use strict";

/** @param {string} name @param {Record<string, any>} [attributes] @param {...(Node|string|null)} children */
function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  return filled(made, attributes, children);
}

/** As `element`, for pictures. @param {string} name @param {Record<string, any>} [attributes] @param {...(Node|string|null)} children */
function drawn(name, attributes = {}, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  return filled(made, attributes, children);
}

function filled(made, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (key === "style") for (const [name, said] of Object.entries(value)) made.style.setProperty(name, said);
    else made.setAttribute(key, value === true ? "" : value);
  }
  // Text is only ever put in as text: the names of players are other people's words.
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

const byId = (id) => /** @type {HTMLElement} */ (document.getElementById(id));

const LETTERS = "abcdefgh";
const squareName = (square) => (square === 64 ? "pass" : LETTERS[square % 8] + (1 + (square >> 3)));

const MINUS = "\u2212";
const NONE = "\u2013";
/** +3, −2.5, 0 */
function signed(value, digits = 0) {
  if (value === null || value === undefined) return NONE;
  const text = Math.abs(value).toFixed(digits);
  return (Number(text) === 0 ? "" : value < 0 ? MINUS : "+") + text;
}
/** A judge's value: whole where it is proven, with a decimal where it is thought. */
function valued(value, exact) {
  if (value === null || value === undefined) return NONE;
  return signed(value, exact ? 0 : 1);
}
function percent(share, digits = 0) {
  return share === null || share === undefined ? NONE : `${(100 * share).toFixed(digits)} %`;
}
function seconds(value) {
  if (value === null || value === undefined) return NONE;
  if (value >= 100) return `${Math.round(value)} s`;
  if (value >= 0.995) return `${value.toFixed(1)} s`;
  if (value >= 0.0095) return `${Math.round(1000 * value)} ms`;
  return value >= 0.001 ? `${(1000 * value).toFixed(1)} ms` : `${Math.round(1e6 * value)} µs`;
}
const counted = (number, one, more = one + "s") => `${number.toLocaleString("en")} ${number === 1 ? one : more}`;

/** Reads a packed part of this file. */
async function unpacked(id) {
  const packed = atob(byId(id).textContent.trim());
  const bytes = Uint8Array.from(packed, (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}

/** Draws now and whenever the width changes. */
function responsive(container, draw) {
  let width = 0;
  const redraw = () => {
    const now = container.clientWidth;
    if (now && now !== width) { width = now; container.replaceChildren(draw(now)); }
  };
  new ResizeObserver(redraw).observe(container);
  return () => { width = 0; redraw(); };
}

const tip = {
  show(text, x, y) {
    const box = byId("tip");
    box.textContent = text;
    box.hidden = false;
    const { width, height } = box.getBoundingClientRect();
    box.style.left = `${Math.max(4, Math.min(x + 14, innerWidth - width - 6))}px`;
    box.style.top = `${y + 18 + height > innerHeight ? y - height - 10 : y + 18}px`;
  },
  hide() { byId("tip").hidden = true; },
};

/** Round numbers that divide a range into about so many parts. */
function ticks(low, high, wanted = 6) {
  const rough = (high - low) / wanted || 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 2.5, 5, 10].find((factor) => factor * power >= rough) || 10);
  const found = [];
  for (let at = Math.ceil(low / step) * step; at <= high + step * 1e-9; at += step) found.push(Number(at.toFixed(10)));
  return found;
}
