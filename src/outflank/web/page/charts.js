/** Pictures of many players: curves over a common axis, and the cross table. */

import { h, s } from "./dom.js";
import { grouped, percent, say } from "./language.js";
import { settings } from "./settings.js";

/** How many curves have a colour of their own: `--series-0` and on, in themes.css. */
export const SERIES = 8;

/** Draws now, and again whenever the width changes. @param {HTMLElement} place @param {(width: number) => Element} draw */
export function responsive(place, draw) {
  let width = 0;
  const redraw = () => {
    if (!place.clientWidth || place.clientWidth === width) return;
    width = place.clientWidth;
    place.replaceChildren(draw(width));
  };
  new ResizeObserver(redraw).observe(place);
  return () => {
    width = 0;
    redraw();
  };
}

/** Round numbers that divide a range into about so many parts. @param {number} low @param {number} high */
export function ticks(low, high, wanted = 6) {
  const rough = (high - low) / wanted || 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 2.5, 5].find((factor) => factor * power >= rough) ?? 10);
  const found = [];
  for (let at = Math.ceil(low / step) * step; at <= high + step * 1e-9; at += step) found.push(Number(at.toFixed(10)));
  return found;
}

/**
 * @typedef {object} Curves
 * @property {number[]} xs
 * @property {{name: string, values: (number | null)[], tone: number | null}[]} series those without a tone are faint
 * @property {string} label of the axis
 * @property {(value: number) => string} text of a level
 * @property {boolean} [log]
 */

/** @param {number} width @param {Curves} curves */
export function curvesPicture(width, { xs, series, label, text, log = false }) {
  const height = 320,
    left = 60,
    right = 14,
    top = 12,
    bottom = 36;
  const project = log ? Math.log10 : Number;
  const drawn = (/** @type {number | null} */ value) => value !== null && (!log || value > 0);
  const levels = series.flatMap(({ values }) => values.filter(drawn).map((value) => project(value ?? 0)));
  let low = levels.reduce((one, two) => Math.min(one, two), Infinity),
    high = levels.reduce((one, two) => Math.max(one, two), -Infinity);
  if (!levels.length) [low, high] = [0, 1];
  if (high - low < 1e-9) [low, high] = [low - 1, high + 1];
  if (log) [low, high] = [Math.floor(low), Math.ceil(high)];
  const last = xs[xs.length - 1],
    first = Math.min(xs[0], last - 1e-9);
  const x = (/** @type {number} */ value) => left + ((value - first) / (last - first)) * (width - left - right);
  const y = (/** @type {number} */ value) =>
    top + ((high - project(value)) / (high - low)) * (height - top - bottom);
  const lines = log ? Array.from({ length: high - low + 1 }, (_, at) => 10 ** (low + at)) : ticks(low, high);
  return s(
    "svg",
    { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label },
    ...lines.flatMap((level) => [
      s("path", { class: "level", d: `M${left} ${y(level)}H${width - right}` }),
      s("text", { class: "end", x: left - 8, y: y(level) + 4 }, text(level)),
    ]),
    ...ticks(first, last, width < 500 ? 4 : 8).map((at) =>
      s("text", { class: "middle", x: x(at), y: height - bottom + 17 }, grouped(at)),
    ),
    s("text", { class: "end", x: width - right, y: height - 3 }, label),
    ...series.map(({ name, values, tone }) => {
      const points = values.flatMap((value, at) =>
        drawn(value) ? [`${x(xs[at]).toFixed(1)} ${y(value ?? 0).toFixed(1)}`] : [],
      );
      const d = points.length ? `M${points.join("L")}` : null;
      return s("path", { d, class: tone === null ? "faint" : `curve tone-${tone}` }, s("title", {}, name));
    }),
  );
}

/** A note beside the pointer. */
const tip = h("div", { class: "tip", role: "tooltip", hidden: true });

/** @param {string} text @param {number} x @param {number} y */
function showTip(text, x, y) {
  if (!tip.isConnected) document.body.append(tip);
  tip.textContent = text;
  tip.hidden = false;
  const { width, height } = tip.getBoundingClientRect();
  tip.style.left = `${Math.max(4, Math.min(x + 14, innerWidth - width - 6))}px`;
  tip.style.top = `${y + 18 + height > innerHeight ? y - height - 10 : y + 18}px`;
}

/** @typedef {{points: number, games: number, low: number | null, high: number | null}} Cell */

/**
 * Who scored what against whom: one canvas, so that 200 players are as quick as ten. Arrows move the cell that is told
 * about.
 * @param {string[]} names @param {Map<number, Cell>} cells by row × players + column
 * @param {(row: number, column: number) => void} open
 */
export function crossTable(names, cells, open) {
  const count = names.length;
  const canvas = h("canvas", { tabindex: 0, role: "img", "aria-label": say("crossKeys") });
  const said = h("p", { class: "about", "aria-live": "polite" });
  const frame = h("div", { class: "scroll" }, canvas);
  /** @type {{row: number, column: number} | null} */
  let at = null;
  let label = 0,
    cell = 0,
    tall = 0,
    head = 0;

  const draw = () => {
    const room = frame.clientWidth;
    const context = canvas.getContext("2d");
    if (!room || !context) return;
    const [good, bad, middle, ink, soft, paper, accent] = colours(canvas);
    const font = (/** @type {number} */ size) => `${size}px system-ui, sans-serif`;
    context.font = font(12);
    const longest = Math.max(...names.map((name) => context.measureText(name).width));
    label = count > 70 ? 26 : Math.min(220, room * 0.34, 44 + longest);
    cell = Math.max(4, Math.min(66, Math.floor((room - label - 2) / count)));
    tall = Math.min(cell, 34);
    head = cell >= 14 ? 24 : 8;
    const width = label + cell * count + 1,
      height = head + tall * count + 1,
      scale = devicePixelRatio || 1;
    canvas.width = width * scale;
    canvas.height = height * scale;
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
    context.scale(scale, scale);
    context.textBaseline = "middle";
    context.textAlign = "center";
    context.font = font(12);
    const gap = cell > 8 ? 1 : 0;
    for (const [key, { points, games }] of cells) {
      const share = points / games,
        left = label + (key % count) * cell,
        top = head + Math.floor(key / count) * tall;
      context.fillStyle = share < 0.5 ? mixed(bad, middle, 2 * share) : mixed(middle, good, 2 * share - 1);
      context.fillRect(left, top, cell - gap, tall - gap);
      if (cell < 34) continue;
      context.fillStyle = css(Math.abs(share - 0.5) > 0.3 ? paper : ink);
      context.fillText(String(Math.round(100 * share)), left + cell / 2, top + tall / 2);
    }
    context.fillStyle = css(soft);
    context.font = font(Math.min(12, Math.max(9, tall - 2)));
    for (let number = 0; number < count; number += tall >= 11 ? 1 : Math.ceil(14 / tall)) {
      context.textAlign = "left";
      const whole = label > 60 ? `${number + 1}  ${names[number]}` : String(number + 1);
      context.fillText(fitted(context, whole, label - 8), 0, head + (number + 0.5) * tall);
      context.textAlign = "center";
      if (cell >= 14) context.fillText(String(number + 1), label + (number + 0.5) * cell, head / 2);
    }
    if (at) {
      context.strokeStyle = css(accent);
      context.lineWidth = 2;
      context.strokeRect(label + at.column * cell - 1, head + at.row * tall - 1, cell + 1, tall + 1);
    }
  };

  const describe = (/** @type {number} */ row, /** @type {number} */ column) => {
    const one = cells.get(row * count + column);
    if (row === column) return names[row];
    const pair = say("pair", { one: names[row], other: names[column] });
    if (!one) return say("notMet", { pair });
    const share = percent(one.points / one.games);
    const bounds = one.low === null || one.high === null ? "" : ` [${percent(one.low)}, ${percent(one.high)}]`;
    return `${pair}\n${say("pointsOf", { points: one.points, games: one.games })}, ${share}${bounds}`;
  };
  /** @param {MouseEvent} event */
  const cellAt = (event) => {
    const box = canvas.getBoundingClientRect();
    const column = Math.floor((event.clientX - box.left - label) / cell),
      row = Math.floor((event.clientY - box.top - head) / tall);
    return row >= 0 && column >= 0 && row < count && column < count ? { row, column } : null;
  };
  /** @param {{row: number, column: number}} here */
  const go = (here) => {
    at = here;
    said.textContent = describe(here.row, here.column).replaceAll("\n", "; ");
    draw();
  };
  canvas.addEventListener("pointermove", (event) => {
    const here = cellAt(event);
    if (here) showTip(describe(here.row, here.column), event.clientX, event.clientY);
    else tip.hidden = true;
  });
  canvas.addEventListener("pointerleave", () => {
    tip.hidden = true;
  });
  canvas.addEventListener("click", (event) => {
    const here = cellAt(event);
    if (!here) return;
    go(here);
    open(here.row, here.column);
  });
  canvas.addEventListener("keydown", (event) => {
    const [down, right] = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key] ?? [0, 0];
    if (event.key === "Enter" && at) open(at.row, at.column);
    else if (down || right) {
      const inside = (/** @type {number} */ number) => Math.max(0, Math.min(count - 1, number));
      go(at ? { row: inside(at.row + down), column: inside(at.column + right) } : { row: 0, column: 0 });
      event.preventDefault();
      event.stopPropagation();
    }
  });
  new ResizeObserver(draw).observe(frame);
  settings.addEventListener("change", draw);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  return h("div", { class: "cross" }, frame, said);
}

/** Colours of the theme as they are now: a canvas cannot read the style sheets. @param {HTMLElement} canvas */
function colours(canvas) {
  const style = getComputedStyle(canvas);
  const found = ["--series-2", "--series-1", "--edge", "--ink", "--soft", "--card", "--accent"].map((name) => {
    canvas.style.color = `var(${name})`;
    return (style.color.match(/[\d.]+/g) ?? []).slice(0, 3).map(Number);
  });
  canvas.style.color = "";
  return found;
}

/** @param {number[]} colour */
const css = (colour) => `rgb(${colour.join(",")})`;

/** @param {number[]} one @param {number[]} other @param {number} share of the other */
const mixed = (one, other, share) => css(one.map((part, at) => Math.round(part + (other[at] - part) * share)));

/** A text as far as there is room. @param {CanvasRenderingContext2D} context @param {string} text @param {number} width */
function fitted(context, text, width) {
  if (context.measureText(text).width <= width) return text;
  let short = text;
  while (short.length > 3 && context.measureText(`${short}…`).width > width) short = short.slice(0, -1);
  return `${short}…`;
}
