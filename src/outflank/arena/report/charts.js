// Pictures: curves of several players, and the cross table as one canvas.
"use strict";

const SERIES = 8;
const color = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/**
 * Curves over a common axis. `series` has {name, values, tone (0–7) or null for a faint one}.
 * @returns {SVGElement}
 */
function curves(width, { xs, series, xLabel, yText, log = false, height = 320 }) {
  const left = 56, right = 14, top = 12, bottom = 36;
  const shown = series.flatMap((one) => one.values).filter((value) => value !== null && (!log || value > 0));
  const project = log ? Math.log10 : (value) => value;
  let low = Math.min(...shown.map(project)), high = Math.max(...shown.map(project));
  if (!shown.length) { low = 0; high = 1; }
  if (high - low < 1e-9) { low -= 1; high += 1; }
  if (log) { low = Math.floor(low); high = Math.ceil(high); }
  const lastX = xs[xs.length - 1], firstX = Math.min(xs[0], lastX - 1e-9);
  const x = (value) => left + ((value - firstX) / (lastX - firstX)) * (width - left - right);
  const y = (value) => top + ((high - project(value)) / (high - low)) * (height - top - bottom);
  const picture = drawn("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": xLabel });
  const levels = log ? Array.from({ length: high - low + 1 }, (_, at) => 10 ** (low + at)) : ticks(low, high);
  for (const level of levels) {
    picture.append(
      drawn("line", { class: "grid", x1: left, x2: width - right, y1: y(level), y2: y(level) }),
      drawn("text", { x: left - 8, y: y(level) + 4, "text-anchor": "end" }, yText(level)),
    );
  }
  for (const at of ticks(firstX, lastX, width < 500 ? 4 : 8)) {
    picture.append(drawn("text", { x: x(at), y: height - bottom + 17, "text-anchor": "middle" }, at.toLocaleString("en")));
  }
  picture.append(drawn("text", { x: width - right, y: height - 3, "text-anchor": "end" }, xLabel));
  for (const one of series) {
    let path = "";
    one.values.forEach((value, at) => {
      if (value === null || (log && value <= 0)) return;
      path += `${path ? "L" : "M"}${x(xs[at]).toFixed(1)} ${y(value).toFixed(1)}`;
    });
    const curve = drawn("path", { d: path, class: one.tone === null ? "faint" : "curve" }, drawn("title", {}, one.name));
    if (one.tone !== null) curve.style.stroke = `var(--s${one.tone})`;
    picture.append(curve);
  }
  return picture;
}

/** Mixes two colours of the style sheet, given as #rrggbb. */
function mixed(one, other, share) {
  const parse = (hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
  const [a, b] = [parse(one), parse(other)];
  return `rgb(${a.map((part, at) => Math.round(part + (b[at] - part) * share)).join(",")})`;
}
const scoreColor = (share, theme) => (share < 0.5 ? mixed(theme.bad, theme.middle, share * 2) : mixed(theme.middle, theme.good, share * 2 - 1));
const crossTheme = () => ({ good: color("--good"), bad: color("--bad"), middle: color("--line"), ink: color("--ink"), soft: color("--soft"), page: color("--card"), accent: color("--accent") });

/**
 * The cross table: one canvas, so that 200 players are as quick as ten. Arrows move the cell that is told about.
 * @param {HTMLElement} container
 */
function crossTable(container, names, cells, { describe, open }) {
  const count = names.length;
  const canvas = /** @type {HTMLCanvasElement} */ (element("canvas", { tabindex: 0, role: "img", "aria-label": "Cross table. Arrow keys move from cell to cell, Enter shows the games of one." }));
  const said = element("p", { class: "about", "aria-live": "polite" }, "");
  const frame = element("div", { class: "scroll" }, canvas);
  container.append(frame, said);
  let at = null, geometry = null;

  const draw = () => {
    const room = frame.clientWidth;
    if (!room) return;
    const theme = crossTheme();
    const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
    const named = Math.min(220, room * 0.34);
    context.font = "12px system-ui, sans-serif";
    const label = count > 70 ? 26 : Math.min(named, 44 + Math.max(...names.map((name) => context.measureText(name).width)));
    const cell = Math.max(4, Math.min(66, Math.floor((room - label - 2) / count)));
    const head = cell >= 14 ? 24 : 8;
    const width = label + cell * count + 1, height = head + Math.min(cell, 34) * count + 1;
    const tall = Math.min(cell, 34), scale = devicePixelRatio || 1;
    geometry = { label, cell, tall, head };
    canvas.width = width * scale; canvas.height = height * scale;
    canvas.style.width = `${width}px`; canvas.style.height = `${height}px`;
    context.scale(scale, scale);
    context.fillStyle = theme.page; context.fillRect(0, 0, width, height);
    const gap = cell > 8 ? 1 : 0;
    for (const [key, one] of cells) {
      const row = Math.floor(key / count), column = key % count, share = one.points / one.games;
      context.fillStyle = scoreColor(share, theme);
      context.fillRect(label + column * cell, head + row * tall, cell - gap, tall - gap);
      if (cell >= 34) {
        context.fillStyle = Math.abs(share - 0.5) > 0.3 ? theme.page : theme.ink;
        context.textAlign = "center"; context.textBaseline = "middle"; context.font = "12px system-ui, sans-serif";
        context.fillText(`${Math.round(100 * share)}`, label + column * cell + cell / 2, head + row * tall + tall / 2);
      }
    }
    context.fillStyle = theme.soft; context.textBaseline = "middle";
    const step = cell >= 14 ? 1 : Math.ceil(14 / tall);
    context.font = `${Math.min(12, Math.max(9, tall - 2))}px system-ui, sans-serif`;
    for (let number = 0; number < count; number += tall >= 11 ? 1 : step) {
      context.textAlign = "left";
      const full = label > 60 ? `${number + 1}  ${names[number]}` : `${number + 1}`;
      context.fillText(fitted(context, full, label - 8), 0, head + number * tall + tall / 2);
      if (cell >= 14) { context.textAlign = "center"; context.fillText(`${number + 1}`, label + number * cell + cell / 2, head / 2); }
    }
    if (at) {
      context.strokeStyle = theme.accent; context.lineWidth = 2;
      context.strokeRect(label + at.column * cell - 1, head + at.row * tall - 1, cell + 1, tall + 1);
    }
  };
  const fitted = (context, text, width) => {
    if (context.measureText(text).width <= width) return text;
    let short = text;
    while (short.length > 3 && context.measureText(`${short}…`).width > width) short = short.slice(0, -1);
    return `${short}…`;
  };
  const cellAt = (event) => {
    const box = canvas.getBoundingClientRect();
    const column = Math.floor((event.clientX - box.left - geometry.label) / geometry.cell);
    const row = Math.floor((event.clientY - box.top - geometry.head) / geometry.tall);
    return row >= 0 && column >= 0 && row < count && column < count ? { row, column } : null;
  };
  const tell = () => { said.textContent = at ? describe(at.row, at.column).replaceAll("\n", "; ") : ""; draw(); };
  canvas.addEventListener("pointermove", (event) => {
    const here = cellAt(event);
    if (here) tip.show(describe(here.row, here.column), event.clientX, event.clientY); else tip.hide();
  });
  canvas.addEventListener("pointerleave", tip.hide);
  canvas.addEventListener("click", (event) => { const here = cellAt(event); if (here) { at = here; tell(); open(here.row, here.column); } });
  canvas.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
    if (step) {
      at = at || { row: 0, column: 0 };
      at = { row: Math.max(0, Math.min(count - 1, at.row + step[0])), column: Math.max(0, Math.min(count - 1, at.column + step[1])) };
      tell(); event.preventDefault(); event.stopPropagation();
    } else if (event.key === "Enter" && at) open(at.row, at.column);
  });
  new ResizeObserver(draw).observe(frame);
  return draw;
}
