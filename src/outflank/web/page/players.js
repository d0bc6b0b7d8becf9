/** Who plays, in words: a player is the text of a spec (`engine:level=3`), and this is how people choose one. */

import { checkbox, field, h, select } from "./dom.js";
import { heard, known, say } from "./language.js";

/** @typedef {import("../types").About} About */
/** @typedef {import("../types").OptionOut} Option */

/** @param {string} id */
export const difficultyName = (id) => (known(`difficulty.${id}`) ? say(`difficulty.${id}`) : id);

/** A mode of mini-go. @param {string} id */
export const modeName = (id) => (known(`mode.${id}`) ? say(`mode.${id}`) : id);

/** A player's name for people. @param {string} spec @param {About | null} about */
export function playerName(spec, about) {
  if (spec === "human") return say("person");
  const difficulty = about?.difficulties.find((each) => each.spec === spec);
  if (difficulty) return difficultyName(difficulty.id);
  const mode = about?.modes.find((each) => each.spec === spec);
  if (mode) return `mini-go · ${modeName(mode.id)}`;
  const level = /^engine:level=(\d+)$/.exec(spec);
  return level ? say("level", { level: level[1] }) : spec;
}

/** A select of players, and the options of the one chosen. */
export class PlayerPicker {
  /** @param {string} label @param {About} about @param {string} spec @param {{person?: boolean}} [how] */
  constructor(label, about, spec, { person = true } = {}) {
    this.about = about;
    const groups = [
      person ? h("option", { value: "human" }, say("person")) : null,
      group(
        say("difficulties"),
        about.difficulties.map(({ id, spec: each }) => [each, difficultyName(id)]),
      ),
      group(
        "mini-go",
        about.modes.map(({ id, spec: each }) => [each, modeName(id)]),
      ),
      group(
        say("levels"),
        about.levels.map(({ level, spec: each }) => [each, say("level", { level })]),
      ),
      group(
        say("agents"),
        about.agents.map((agent) => [agent.name, agent.name]),
      ),
    ];
    this.select = h("select", { onchange: () => this.refresh({}) }, ...groups);
    this.options = h("div", { class: "options" });
    this.summary = h("small", {});
    this.details = h("details", { class: "more" }, h("summary", {}, say("playerOptions")), this.options);
    this.element = h("div", { class: "picker" }, field(label, this.select), this.summary, this.details);
    const [name, values] = parsed(spec);
    this.select.value = spec;
    if (this.select.value !== spec) {
      this.select.value = name;
      this.refresh(values);
    } else this.refresh({});
  }

  get agent() {
    return this.about.agents.find((agent) => agent.name === this.select.value) ?? null;
  }

  /** @param {Record<string, string>} values */
  refresh(values) {
    /** @type {Record<string, string>} */
    this.values = { ...values };
    const agent = this.agent;
    this.summary.replaceChildren(...described(agent?.summary ?? ""));
    this.details.hidden = !agent?.options.length;
    this.options.replaceChildren(...(agent?.options ?? []).map((option) => this.control(option)));
  }

  /** @param {Option} option */
  control(option) {
    const values = /** @type {Record<string, string>} */ (this.values);
    /** @param {string} value */
    const put = (value) => {
      if (value === "" || value === String(option.default)) delete values[option.name];
      else values[option.name] = value;
    };
    const value = values[option.name] ?? (option.default === null ? "" : String(option.default));
    if (option.kind === "bool") return checkbox(option.name, value === "true", (on) => put(String(on)));
    if (option.kind === "choice") {
      const list = (option.choices ?? []).map((each) => /** @type {[string, string]} */ ([each, each]));
      if (option.default === null) list.unshift(["", say("automatic")]);
      const control = select(list, value);
      control.addEventListener("change", () => put(control.value));
      // The roster's help speaks of files, which no page can name; the list of heuristics explains itself.
      return helped(option.name, control, option.name === "heuristic" ? "" : option.help);
    }
    const number = option.kind === "int" || option.kind === "float";
    const control = h("input", {
      type: number ? "number" : "text",
      value,
      min: option.least,
      max: option.most,
      step: option.kind === "float" ? "any" : null,
      placeholder: say("automatic"),
    });
    control.addEventListener("change", () => put(control.value));
    return helped(option.name, control, option.help);
  }

  /** The player chosen, as a spec. */
  get spec() {
    const options = Object.entries(this.values ?? {}).map(([name, value]) => `${name}=${value}`);
    return options.length ? `${this.select.value}:${options.join(",")}` : this.select.value;
  }
}

/** The server's words, what stands between backticks as code. @param {string} text */
const described = (text) =>
  heard(text)
    .split("`")
    .map((part, index) => (index % 2 ? h("code", {}, part) : part));

/** @param {string} name @param {HTMLElement} control @param {string} help */
const helped = (name, control, help) =>
  h("label", { class: "field" }, h("span", {}, name), control, help ? h("small", {}, ...described(help)) : null);

/** @param {string} label @param {[string, string][]} options */
const group = (label, options) =>
  options.length ? h("optgroup", { label }, ...options.map(([value, text]) => h("option", { value }, text))) : null;

/** @param {string} spec @returns {[string, Record<string, string>]} */
function parsed(spec) {
  const [name, rest = ""] = spec.split(/:(.*)/s);
  return [
    name,
    Object.fromEntries(
      rest
        .split(",")
        .filter(Boolean)
        .map((each) => each.split(/=(.*)/s, 2)),
    ),
  ];
}
