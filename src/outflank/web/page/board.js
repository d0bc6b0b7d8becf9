/**
 * <othello-board>: a board to look at and to play on. It knows squares and discs, not games: `show` tells it what to
 * draw, and a `square` event says which square a person chose by click, touch, keyboard or letters.
 */

import { h, s } from "./dom.js";
import { say } from "./language.js";
import { BLACK, EMPTY, WHITE, flips, legalMoves, squareName, squareNamed, squaresOf } from "./rules.js";
import { settings } from "./settings.js";

const CELL = 100;
const MARGIN = 34; // for the coordinates
const RADIUS = 41;
const WAVE = 0.38; // the part of the time to turn in which the furthest disc waits for the nearest ones

/** @typedef {import("./rules.js").Position} Position */

/**
 * What stands on a square besides its disc.
 * @typedef {object} Mark
 * @property {string} text
 * @property {string} [detail] a second, smaller line
 * @property {boolean} [exact]
 * @property {boolean} [best]
 */

/**
 * @typedef {object} View
 * @property {Position} position
 * @property {number | null} [last] the square played last
 * @property {boolean} [open] whether a person may play here now: legal squares are marked
 * @property {number | null} [again] the square of a move that was taken back and can be played again
 * @property {boolean} [any] whether every square may be chosen (the editor, the laboratory)
 * @property {Map<number, Mark>} [marks]
 * @property {{square: number, color: number}[]} [line] a variation, in order
 * @property {Map<number, number>} [heat] -1 to 1 on a square
 * @property {Map<number, string>} [kinds] stable, semi or unstable, for a disc
 * @property {Set<number>} [ringed] frontier discs
 * @property {string} [label] what the board is, for a screen reader
 */

/** @typedef {{cell: SVGGElement, tint: SVGRectElement, disc: SVGGElement, ring: SVGCircleElement, kind: SVGTextElement,
 *   text: SVGTextElement, detail: SVGTextElement, step: SVGTextElement}} Parts */

export class OthelloBoard extends HTMLElement {
  constructor() {
    super();
    /** @type {View | null} */
    this.view = null;
    /** @type {Map<number, Parts>} */
    this.parts = new Map();
    this.size = "";
    this.focused = 0;
    this.typed = "";
    this.addEventListener("click", (event) => this.choose(this.squareOf(event.target)));
    this.addEventListener("keydown", (event) => this.key(event));
    this.addEventListener("pointerover", (event) => {
      if (event.pointerType !== "touch") this.preview(this.squareOf(event.target));
    });
    this.addEventListener("pointerleave", () => this.preview(-1));
    this.addEventListener("focusin", (event) => {
      const square = this.squareOf(event.target);
      if (square >= 0) this.roam(square, false);
      this.preview(/** @type {Element} */ (event.target).matches(":focus-visible") ? square : -1);
    });
    this.addEventListener("focusout", () => this.preview(-1));
  }

  /** @param {EventTarget | null} target */
  squareOf(target) {
    const cell = target instanceof Element ? target.closest("[data-square]") : null;
    return cell ? squareNamed(cell.getAttribute("data-square") ?? "") : -1;
  }

  /** Draws a view; discs that changed colour turn over, unless motion is unwelcome. @param {View} view */
  show(view) {
    const { rows, columns } = view.position.variant;
    if (this.size !== `${rows}x${columns}`) this.build(view.position);
    const before = this.view;
    this.view = view;
    const legal = new Set(view.open ? legalMoves(view.position) : []);
    const steps = new Map((view.line ?? []).map((step, index) => [step.square, { ...step, index }]));
    for (const [square, parts] of this.parts) {
      const colour = view.position.cells[square];
      const name = ["empty", "black", "white"][colour];
      const wasColour = before?.position.cells[square] ?? colour;
      const state = [
        "cell",
        name,
        legal.has(square) ? "legal" : "",
        legal.has(square) || view.any ? "choosable" : "",
        view.last === square ? "last" : "",
        view.again === square ? "again" : "",
        view.marks?.get(square)?.best ? "best" : "",
        view.marks?.get(square)?.exact ? "exact" : "",
        view.ringed?.has(square) ? "frontier" : "",
        view.kinds?.has(square) ? `kind-${view.kinds.get(square)}` : "",
        colour === EMPTY && steps.has(square)
          ? `step step-${["", "black", "white"][steps.get(square)?.color ?? 0]}`
          : "",
      ]
        .filter(Boolean)
        .join(" ");
      if (parts.cell.getAttribute("class") !== state) parts.cell.setAttribute("class", state);
      this.write(parts, view, square, colour === EMPTY ? steps.get(square)?.index : undefined);
      parts.cell.setAttribute("aria-label", this.label(view, square, legal.has(square)));
      // A view that changes nothing here lets a disc turn on: the server's word for a move comes while it turns.
      if (before && wasColour !== colour) this.turn(parts.disc, wasColour, colour, square, view.last);
    }
    this.firstElementChild?.setAttribute("aria-label", view.label ?? say("board"));
    this.preview(-1);
  }

  /** @param {Parts} parts @param {View} view @param {number} square @param {number | undefined} step */
  write(parts, view, square, step) {
    const mark = view.marks?.get(square);
    const number = step === undefined ? "" : String(step + 1);
    set(parts.step, number);
    set(parts.text, number ? "" : (mark?.text ?? ""));
    set(parts.detail, number ? "" : (mark?.detail ?? ""));
    set(parts.kind, view.kinds?.has(square) ? say(`kind.${view.kinds.get(square)}.sign`) : "");
    const heat = view.heat?.get(square) ?? 0;
    parts.tint.setAttribute("class", heat > 0 ? "tint good" : heat < 0 ? "tint bad" : "tint");
    parts.tint.setAttribute("fill-opacity", String(Math.min(1, Math.abs(heat)) * 0.85));
    // Long values shrink to fit their square.
    parts.text.setAttribute("class", `value size-${Math.min(6, Math.max(3, mark?.text.length ?? 0))}`);
  }

  /** @param {View} view @param {number} square @param {boolean} legal */
  label(view, square, legal) {
    const mark = view.marks?.get(square);
    return [
      squareName(square),
      say(["empty", "black", "white"][view.position.cells[square]]),
      legal ? say("legal") : "",
      view.last === square ? say("lastMove") : "",
      view.again === square ? say("takenBack") : "",
      mark ? `${mark.text}${mark.detail ? ` ${mark.detail}` : ""}${mark.exact ? ` ${say("exact")}` : ""}` : "",
      mark?.best ? say("best") : "",
      view.kinds?.has(square) ? say(`kind.${view.kinds.get(square)}`) : "",
      view.ringed?.has(square) ? say("kind.frontier") : "",
    ]
      .filter(Boolean)
      .join(", ");
  }

  /** @param {SVGGElement} disc @param {number} was @param {number} is @param {number} square
   * @param {number | null | undefined} last */
  turn(disc, was, is, square, last) {
    for (const animation of disc.getAnimations()) animation.cancel();
    const time = settings.turning;
    if (is === EMPTY || !time) return;
    if (was === EMPTY) {
      disc.animate(
        [
          { transform: "scale(0.6)", opacity: 0.4 },
          { transform: "scale(1)", opacity: 1 },
        ],
        { duration: Math.min(140, time), easing: "ease-out" },
      );
      return;
    }
    const faces = ["", "black", "white"];
    const from =
      last === null || last === undefined
        ? 0
        : Math.max(Math.abs((last >> 3) - (square >> 3)), Math.abs((last & 7) - (square & 7)));
    disc.animate(
      [
        { transform: "scaleX(1)", "--face": `var(--${faces[was]}-face)`, "--rim": `var(--${faces[was]}-rim)` },
        { transform: "scaleX(0)", offset: 0.5 },
        { transform: "scaleX(1)", "--face": `var(--${faces[is]}-face)`, "--rim": `var(--${faces[is]}-rim)` },
      ],
      {
        duration: (1 - WAVE) * time,
        delay: (WAVE * time * Math.min(from, 7)) / 7,
        fill: "backwards",
        easing: "ease-in-out",
      },
    );
  }

  /** What a move on this square would turn. @param {number} square */
  preview(square) {
    const view = this.view;
    if (!view) return;
    const turned = view.open && square >= 0 ? flips(view.position, square) : [];
    for (const [each, parts] of this.parts) {
      parts.cell.classList.toggle("would-turn", turned.includes(each));
      parts.cell.classList.toggle(
        view.position.turn === BLACK ? "ghost-black" : "ghost-white",
        each === square && turned.length > 0,
      );
    }
  }

  /** @param {number} square */
  choose(square) {
    const view = this.view;
    if (!view || square < 0) return;
    const legal = view.any || (view.open && flips(view.position, square).length > 0);
    if (legal) this.dispatchEvent(new CustomEvent("square", { detail: square, bubbles: true }));
    else {
      const taken = view.position.cells[square] !== EMPTY;
      const why = say(taken ? "refused.taken" : "refused.turnsNothing", { square: squareName(square) });
      this.dispatchEvent(new CustomEvent("refused", { detail: { square, why }, bubbles: true }));
    }
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const view = this.view;
    if (!view || event.ctrlKey || event.metaKey || event.altKey) return;
    const { rows, columns } = view.position.variant;
    const row = this.focused >> 3,
      column = this.focused & 7;
    /** @type {Record<string, [number, number]>} */
    const moves = {
      ArrowUp: [Math.max(0, row - 1), column],
      ArrowDown: [Math.min(rows - 1, row + 1), column],
      ArrowLeft: [row, Math.max(0, column - 1)],
      ArrowRight: [row, Math.min(columns - 1, column + 1)],
      Home: [row, 0],
      End: [row, columns - 1],
    };
    const letter = event.key.toLowerCase();
    if (moves[event.key]) this.roam(8 * moves[event.key][0] + moves[event.key][1]);
    else if (event.key === "Enter" || event.key === " ") this.choose(this.focused);
    else if (/^[a-h]$/.test(letter)) {
      this.typed = letter;
      event.stopPropagation();
      return;
    } else if (/^[1-8]$/.test(letter) && this.typed) {
      const square = squareNamed(this.typed + letter);
      if (this.parts.has(square)) this.roam(square);
      this.typed = "";
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /**
   * Moves the focus to a square: one cell at a time is in the tab order.
   * @param {number} square @param {boolean} [focus]
   */
  roam(square, focus = true) {
    this.parts.get(this.focused)?.cell.setAttribute("tabindex", "-1");
    this.focused = square;
    const cell = this.parts.get(square)?.cell;
    cell?.setAttribute("tabindex", "0");
    if (focus) cell?.focus();
  }

  /** @param {Position} position */
  build(position) {
    const { rows, columns } = position.variant;
    this.size = `${rows}x${columns}`;
    this.parts.clear();
    this.view = null;
    const width = CELL * columns,
      height = CELL * rows;
    // The stage around a board makes room for it by its shape.
    for (const each of [this, /** @type {HTMLElement | null} */ (this.closest(".stage"))])
      each?.style.setProperty("--shape", String((width + 2 * MARGIN) / (height + 2 * MARGIN)));
    const grid = s("g", { class: "cells" });
    for (let row = 0; row < rows; row += 1) {
      const line = s("g", { role: "row" });
      for (let column = 0; column < columns; column += 1) line.append(this.cell(8 * row + column));
      grid.append(line);
    }
    const letters = s("g", { class: "coordinates", "aria-hidden": "true" });
    for (let column = 0; column < columns; column += 1) {
      letters.append(s("text", { x: CELL * (column + 0.5), y: -MARGIN / 2 }, "abcdefgh"[column]));
    }
    for (let row = 0; row < rows; row += 1) {
      letters.append(s("text", { x: -MARGIN / 2, y: CELL * (row + 0.5) }, String(row + 1)));
    }
    const lines = s("path", {
      class: "lines",
      d: [
        ...Array.from({ length: columns - 1 }, (_, index) => `M${CELL * (index + 1)} 0V${height}`),
        ...Array.from({ length: rows - 1 }, (_, index) => `M0 ${CELL * (index + 1)}H${width}`),
      ].join(""),
    });
    const points = s("g", { class: "points" });
    for (const row of rows > 5 ? [2, rows - 2] : []) {
      for (const column of columns > 5 ? [2, columns - 2] : []) {
        points.append(s("circle", { cx: CELL * column, cy: CELL * row, r: 6 }));
      }
    }
    this.replaceChildren(
      s(
        "svg",
        {
          viewBox: `${-MARGIN} ${-MARGIN} ${width + 2 * MARGIN} ${height + 2 * MARGIN}`,
          role: "grid",
          "aria-label": say("board"),
        },
        s("rect", {
          class: "frame",
          x: -MARGIN,
          y: -MARGIN,
          width: width + 2 * MARGIN,
          height: height + 2 * MARGIN,
          rx: 14,
        }),
        s("rect", { class: "field", width, height, rx: 4 }),
        letters,
        grid,
        lines,
        points,
      ),
    );
    this.focused = squaresOf(position.variant).find((square) => position.cells[square] !== EMPTY) ?? 0;
    this.roam(this.focused, false);
  }

  /** @param {number} square */
  cell(square) {
    const x = CELL * (square & 7),
      y = CELL * (square >> 3),
      middle = CELL / 2;
    const tint = s("rect", { class: "tint", width: CELL, height: CELL });
    const disc = s(
      "g",
      { class: "disc" },
      s("circle", { class: "rim", cx: middle, cy: middle + 3, r: RADIUS }),
      s("circle", { class: "face", cx: middle, cy: middle - 1, r: RADIUS }),
    );
    const ring = s("circle", { class: "ring", cx: middle, cy: middle, r: RADIUS - 4 });
    const kind = s("text", { class: "kind", x: middle, y: middle });
    const text = s("text", { class: "value", x: middle, y: middle });
    const detail = s("text", { class: "detail", x: middle, y: middle + 27 });
    const step = s("text", { class: "number", x: middle, y: middle });
    const cell = s(
      "g",
      { role: "gridcell", tabindex: -1, "data-square": squareName(square), transform: `translate(${x} ${y})` },
      s("rect", { class: "ground", width: CELL, height: CELL }),
      tint,
      s("circle", { class: "dot", cx: middle, cy: middle, r: 11 }),
      s("circle", { class: "ghost", cx: middle, cy: middle, r: RADIUS }),
      disc,
      ring,
      s("circle", { class: "last-dot", cx: middle, cy: middle, r: 8 }),
      kind,
      text,
      detail,
      step,
      s("rect", { class: "focus", x: 4, y: 4, width: CELL - 8, height: CELL - 8, rx: 8 }),
    );
    this.parts.set(square, { cell, tint, disc, ring, kind, text, detail, step });
    return cell;
  }
}

/** @param {SVGTextElement} element @param {string} text */
function set(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

customElements.define("othello-board", OthelloBoard);

/** A small still picture of a position, for lists and dialogs. @param {Position} position */
export function thumbnail(position) {
  const { rows, columns } = position.variant;
  const discs = squaresOf(position.variant)
    .filter((square) => position.cells[square] !== EMPTY)
    .map((square) =>
      s("circle", {
        cx: (square & 7) + 0.5,
        cy: (square >> 3) + 0.5,
        r: 0.4,
        class: position.cells[square] === WHITE ? "white" : "black",
      }),
    );
  return h(
    "span",
    { class: "thumbnail", "aria-hidden": "true" },
    s(
      "svg",
      { viewBox: `0 0 ${columns} ${rows}` },
      s("rect", { width: columns, height: rows, class: "field" }),
      ...discs,
    ),
  );
}
