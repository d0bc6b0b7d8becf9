/** What a visitor prefers, kept in this browser. */

const KEY = "outflank.settings";
const STILL = matchMedia("(prefers-reduced-motion: reduce)");

const DEFAULTS = {
  theme: "auto", // auto, light, dark, contrast
  palette: "standard", // standard, colourblind
  name: "", // by which others know the visitor, and his games
  language: "", // "" follows the browser
  turning: 0.45, // seconds that discs take to turn over; 0 at once
  legal: true,
  coordinates: true,
  letters: true, // single-letter shortcuts
  values: true, // values on the squares in Analyse
  hints: false, // values on the squares in Play
  seconds: 5, // for an analysis
  panel: "values", // of Analyse
};

class Settings extends EventTarget {
  constructor() {
    super();
    this.values = { ...DEFAULTS, ...read() };
  }

  /** Milliseconds in which the discs of a move turn before our eyes; 0 where motion is unwelcome. */
  get turning() {
    return STILL.matches ? 0 : 1000 * this.values.turning;
  }

  /** @template {keyof typeof DEFAULTS} K @param {K} name @param {(typeof DEFAULTS)[K]} value */
  set(name, value) {
    this.values[name] = value;
    keep(KEY, JSON.stringify(this.values));
    this.apply();
    this.dispatchEvent(new Event("change"));
  }

  /** Tells the style sheets. */
  apply() {
    const root = document.documentElement;
    root.dataset.theme = this.values.theme;
    root.dataset.palette = this.values.palette;
    root.classList.toggle("no-dots", !this.values.legal);
    root.classList.toggle("no-coordinates", !this.values.coordinates);
  }
}

function read() {
  try {
    return JSON.parse(kept(KEY) ?? "{}");
  } catch {
    return {};
  }
}

/** What this browser keeps under a name; nothing where it keeps nothing. @param {string} name */
export function kept(name) {
  try {
    return localStorage.getItem(name);
  } catch {
    return null; // a browser may forbid it: then every visit is the first
  }
}

/** @param {string} name @param {string | null} value null forgets it */
export function keep(name, value) {
  try {
    if (value === null) localStorage.removeItem(name);
    else localStorage.setItem(name, value);
  } catch {
    // See above: nothing is lost but the memory of this visit.
  }
}

/** What this tab keeps under a name, or else the browser: two tabs may look at two games. @param {string} name */
export function keptHere(name) {
  try {
    return sessionStorage.getItem(name) ?? kept(name);
  } catch {
    return kept(name);
  }
}

/** Whether this tab keeps something of its own under a name. @param {string} name */
export function isOwn(name) {
  try {
    return sessionStorage.getItem(name) !== null;
  } catch {
    return false;
  }
}

/** Keeps it for this tab, and for the next one to open. @param {string} name @param {string | null} value */
export function keepHere(name, value) {
  keep(name, value);
  try {
    if (value === null) sessionStorage.removeItem(name);
    else sessionStorage.setItem(name, value);
  } catch {
    // See `keep`.
  }
}

export const settings = new Settings();
