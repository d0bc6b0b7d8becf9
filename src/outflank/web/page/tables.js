/** Tables whose columns sort, and which fold where they are long. */

import { h } from "./dom.js";
import { grouped, say } from "./language.js";

/**
 * @template Row
 * @typedef {object} Column
 * @property {string} name
 * @property {(row: Row) => import("./dom.js").Child} cell
 * @property {(row: Row) => number | string | null | undefined} [value] what the column is sorted by
 * @property {string} [kind] classes: `text` stands left, `less` is left out where there is little room
 * @property {Element} [head] instead of the name
 */

/**
 * A table, at first in the order of its rows. A few more than `shown` stand there all; of many more a button shows the
 * rest, in a box that scrolls beneath its head.
 * @template Row
 * @param {string} label @param {Row[]} rows @param {Column<Row>[]} columns @param {number} [shown]
 */
export function sortable(label, rows, columns, shown = 20) {
  const folds = rows.length > 1.5 * shown;
  let folded = folds,
    ordered = rows;
  const body = h("tbody");
  const frame = h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": label });
  const more = h("button", { type: "button", class: "more", hidden: !folds });
  const fill = () => {
    body.replaceChildren(
      ...(folded ? ordered.slice(0, shown) : ordered).map((row) =>
        h("tr", {}, ...columns.map((column) => h("td", { class: column.kind }, column.cell(row)))),
      ),
    );
    frame.classList.toggle("tall", folds && !folded);
    more.textContent = say(folded ? "showAll" : "showFirst", { count: grouped(folded ? rows.length : shown) });
    more.setAttribute("aria-expanded", String(!folded));
  };
  more.addEventListener("click", () => {
    folded = !folded;
    fill();
    if (folded) frame.scrollIntoView({ block: "nearest" });
  });
  /** @param {HTMLElement} head @param {NonNullable<Column<Row>["value"]>} value */
  const sort = (head, value) => {
    const up = head.getAttribute("aria-sort") === "descending";
    for (const each of frame.querySelectorAll("[aria-sort]")) each.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", up ? "ascending" : "descending");
    ordered = rows.toSorted((one, two) => {
      const [a, b] = [value(one) ?? null, value(two) ?? null];
      if (a === null || b === null) return Number(a === null) - Number(b === null); // the unknown come last
      return (up ? 1 : -1) * (a < b ? -1 : Number(a > b));
    });
    fill();
  };
  const heads = columns.map(({ name, kind, head, value }) => {
    if (!name && !head) return h("td", { class: kind });
    const made = h("th", { scope: "col", class: kind });
    made.append(
      head ?? (value ? h("button", { type: "button", onclick: () => sort(made, value) }, name) : h("span", {}, name)),
    );
    return made;
  });
  frame.append(h("table", {}, h("thead", {}, h("tr", {}, ...heads)), body));
  fill();
  return h("div", { class: "sortable" }, frame, more);
}
