/** Windows over the page, short notices, and what a screen reader is told. */

import { button, h, icon, the } from "./dom.js";
import { say } from "./language.js";

/** Opens a window. It closes by Escape, its cross or its buttons; then it is gone.
 * @param {string} title @param {(Node | null)[]} content @param {Node[]} buttons @param {string} [kind] a class */
export function openDialog(title, content, buttons = [], kind = "") {
  const id = `title-${Math.random().toString(36).slice(2)}`;
  const dialog = h(
    "dialog",
    { class: kind, "aria-labelledby": id },
    h(
      "form",
      { method: "dialog" },
      h(
        "header",
        {},
        h("h2", { id }, title),
        h("button", { class: "quiet", value: "", "aria-label": say("close"), formnovalidate: true }, icon("close")),
      ),
      h("div", { class: "body" }, ...content.filter((each) => each !== null)),
      buttons.length ? h("footer", {}, ...buttons) : null,
    ),
  );
  dialog.addEventListener("close", () => dialog.remove());
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
  document.body.append(dialog);
  dialog.showModal();
  // To what the window is for, not to its cross; where it asks to confirm, to the answer that changes nothing.
  const first = kind === "confirm" ? "footer button" : ".body :is(select, input, textarea), footer .main";
  /** @type {HTMLElement | null} */ (dialog.querySelector(first))?.focus();
  return dialog;
}

/**
 * A button that ends a window.
 * @param {string} text @param {string} name @param {() => void} action @param {boolean} [main]
 */
export const answer = (text, name, action, main = false) =>
  button(name, text, () => {}, {
    class: main ? "main" : "",
    type: "submit",
    value: text,
    formnovalidate: !main,
    onclick: (/** @type {Event} */ event) => {
      if (!main || /** @type {HTMLButtonElement} */ (event.currentTarget).form?.checkValidity()) action();
    },
  });

/** Shows a short notice, and reads it out; it may offer something to do.
 * @param {string} text @param {"info" | "trouble"} [kind] @param {{text: string, run: () => void}} [offer] */
export function toast(text, kind = "info", offer) {
  const take = () => {
    notice.remove();
    offer?.run();
  };
  const notice = h(
    "div",
    { class: `toast ${kind}`, role: kind === "trouble" ? "alert" : "status" },
    text,
    offer && h("button", { type: "button", class: "link", onclick: take }, offer.text),
  );
  const shelf = the("#toasts");
  // Said once more, it takes the place of what was said before.
  for (const other of shelf.children) if (other.firstChild?.textContent === text) other.remove();
  shelf.append(notice);
  // Shown anew, the shelf lies above a window opened since.
  if (shelf.matches(":popover-open")) shelf.hidePopover();
  shelf.showPopover();
  while (shelf.children.length > 3) shelf.firstElementChild?.remove();
  setTimeout(() => notice.remove(), offer ? 12000 : kind === "trouble" ? 7000 : 3500);
}

/** Tells a screen reader. @param {string} text */
export function announce(text) {
  const live = the("#live");
  live.textContent = live.textContent === text ? `${text}\u00a0` : text;
}

/** Runs what may fail; a failure is told in one line. @param {() => Promise<void>} action */
export async function attempt(action) {
  try {
    await action();
  } catch (error) {
    toast(
      error instanceof TypeError ? say("noAnswer") : error instanceof Error ? error.message : String(error),
      "trouble",
    );
  }
}
