/** Making elements, briefly. */

const SVG = "http://www.w3.org/2000/svg";

/** @typedef {Node | string | null | undefined | false} Child */
/** @typedef {Record<string, unknown>} Props attributes; `on…` functions listen, booleans set or leave out */

/** @param {Element} element @param {Props} props @param {Child[]} children */
function furnish(element, props, children) {
  for (const [name, value] of Object.entries(props)) {
    if (typeof value === "function") element.addEventListener(name.slice(2), /** @type {EventListener} */ (value));
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, String(value));
  }
  for (const child of children) if (child) element.append(child);
}

/**
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag @param {Props} [props] @param {...Child} children @returns {HTMLElementTagNameMap[K]}
 */
export function h(tag, props = {}, ...children) {
  const element = document.createElement(tag);
  furnish(element, props, children);
  return element;
}

/**
 * @template {keyof SVGElementTagNameMap} K
 * @param {K} tag @param {Props} [props] @param {...Child} children @returns {SVGElementTagNameMap[K]}
 */
export function s(tag, props = {}, ...children) {
  const element = document.createElementNS(SVG, tag);
  furnish(element, props, children);
  return element;
}

/**
 * The one element that a selector means; it is there, or the page is broken.
 * @template {Element} [T=HTMLElement]
 * @param {string} selector @param {ParentNode} [within] @returns {T}
 */
export function the(selector, within = document) {
  const found = within.querySelector(selector);
  if (!found) throw new Error(`the page has no ${selector}`);
  return /** @type {T} */ (/** @type {unknown} */ (found));
}

/**
 * A select with its options.
 * @param {[string, string][]} options value and text @param {string} value @param {Props} [props]
 */
export function select(options, value, props = {}) {
  const element = h("select", props, ...options.map(([each, text]) => h("option", { value: each }, text)));
  element.value = value;
  return element;
}

/** A labelled control, label first. @param {string} text @param {HTMLElement} control @param {string} [hint] */
export const field = (text, control, hint) =>
  h("label", { class: "field" }, h("span", {}, text), control, hint ? h("small", {}, hint) : null);

/** A checkbox with its text. @param {string} text @param {boolean} checked @param {(on: boolean) => void} changed */
export function checkbox(text, checked, changed) {
  const box = h("input", { type: "checkbox", checked });
  box.addEventListener("change", () => changed(box.checked));
  return h("label", { class: "check" }, box, h("span", {}, text));
}

/** An icon from the sheet in index.html. @param {string} name */
export const icon = (name) => s("svg", { class: "icon", "aria-hidden": "true" }, s("use", { href: `#i-${name}` }));

/**
 * A button with an icon, its text and what it does.
 * @param {string} name @param {string} text @param {() => void} action @param {Props} [props]
 */
export const button = (name, text, action, props = {}) =>
  h("button", { type: "button", onclick: action, ...props }, icon(name), h("span", {}, text));

/** A button that is its icon; the text is read out and shown on hovering.
 * @param {string} name @param {string} text @param {() => void} action */
export const iconButton = (name, text, action) =>
  h("button", { type: "button", "aria-label": text, title: text, onclick: action }, icon(name));

/** Saves a text as a file on the visitor's machine. @param {string} name @param {string} text @param {string} type */
export function download(name, text, type) {
  const url = URL.createObjectURL(new Blob([text], { type }));
  h("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}
