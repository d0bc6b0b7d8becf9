/** The New game window: who plays, which game, from where, and how long. */

import { answer, openDialog } from "./dialogs.js";
import { button, field, h, select } from "./dom.js";
import { editPosition } from "./editor.js";
import { say } from "./language.js";
import { PlayerPicker } from "./players.js";
import { startOf, textOf, variantName } from "./rules.js";

/** @typedef {import("../types").About} About */
/** @typedef {import("../types").NewGame} NewGame */
/** @typedef {import("./rules.js").Variant} Variant */

const CLOCKS = ["", "60+0", "180+2", "300+0", "600+5", "1800+0"];

/** The controls that make a variant. */
export class VariantPicker {
  /** @param {Variant} variant */
  constructor(variant) {
    const sizes = ["4", "5", "6", "7", "8"].map((size) => /** @type {[string, string]} */ ([size, size]));
    this.objective = select(
      [
        ["most", say("mostWin")],
        ["fewest", say("fewestWin")],
      ],
      variant.objective,
    );
    this.rows = select(sizes, String(variant.rows), { "aria-label": say("rows") });
    this.columns = select(sizes, String(variant.columns), { "aria-label": say("columns") });
    this.start = select(
      [
        ["diagonal", say("start.diagonal")],
        ["parallel", say("start.parallel")],
        ["mirrored", say("start.mirrored")],
      ],
      variant.start,
    );
    // Most people want a square board: the rows lead, until the columns are changed by hand.
    let led = variant.rows === variant.columns;
    this.rows.addEventListener("change", () => {
      if (led) this.columns.value = this.rows.value;
    });
    this.columns.addEventListener("change", () => {
      led = this.columns.value === this.rows.value;
    });
    this.element = h(
      "div",
      { class: "row" },
      field(say("objective"), this.objective),
      h(
        "div",
        { class: "field", role: "group", "aria-label": say("size") },
        h("span", {}, say("size")),
        h("span", { class: "pair" }, this.rows, "×", this.columns),
      ),
      field(say("startSetup"), this.start),
    );
  }

  /** @returns {Variant} */
  get variant() {
    return {
      rows: Number(this.rows.value),
      columns: Number(this.columns.value),
      objective: this.objective.value === "fewest" ? "fewest" : "most",
      start: /** @type {import("./rules.js").Start} */ (this.start.value),
    };
  }

  get name() {
    return variantName(this.variant);
  }
}

/** A choice of clocks, on the one of the game before. @param {import("./session.js").Session} session */
export function clockSelect(session) {
  const clock = session.state?.clock;
  const current = clock ? `${clock.seconds}+${clock.increment}` : "";
  const clocks = CLOCKS.includes(current) ? CLOCKS : [...CLOCKS, current];
  return select(
    clocks.map((each) => [each, each ? clockName(each) : say("noClock")]),
    current,
  );
}

/** What was chosen there. @param {string} value */
export function clockOf(value) {
  const [seconds, increment] = value.split("+").map(Number);
  return value ? { seconds, increment } : null;
}

/** @param {About} about @param {import("./session.js").Session} session @param {(game: NewGame) => void} begin */
export function newGame(about, session, begin) {
  const black = new PlayerPicker(say("black"), about, session.players.black);
  const white = new PlayerPicker(say("white"), about, session.players.white);
  const variant = new VariantPicker(session.position.variant);
  const clock = clockSelect(session);
  const opening = select(
    [
      ["start", say("opening.start")],
      ["balanced", say("opening.balanced")],
      ["random", say("opening.random")],
      ["setup", say("opening.setup")],
    ],
    "start",
  );
  /** @type {import("./rules.js").Position | null} */
  let setup = null;
  const edit = button(
    "edit",
    say("editPosition"),
    () => {
      const base = setup && variantName(setup.variant) === variant.name ? setup : startOf(variant.variant);
      editPosition(base, (position) => {
        setup = position;
      });
    },
    { hidden: true },
  );
  opening.addEventListener("change", () => {
    edit.hidden = opening.value !== "setup";
    if (opening.value === "setup" && !setup) edit.click();
  });
  const swap = button(
    "swap",
    say("swap"),
    () => {
      const specs = [black.spec, white.spec];
      for (const [picker, spec] of /** @type {[PlayerPicker, string][]} */ ([
        [black, specs[1]],
        [white, specs[0]],
      ])) {
        const fresh = new PlayerPicker("", about, spec);
        picker.select.value = fresh.select.value;
        picker.refresh(fresh.values ?? {});
      }
    },
    { class: "quiet" },
  );
  openDialog(
    say("newGame"),
    [
      h("div", { class: "versus" }, black.element, swap, white.element),
      variant.element,
      h("div", { class: "row" }, field(say("openingFrom"), opening), field(say("clock"), clock), edit),
    ],
    [
      answer(say("cancel"), "close", () => {}),
      answer(
        say("startGame"),
        "play",
        () => {
          const own = opening.value === "setup" && setup && variantName(setup.variant) === variant.name;
          begin({
            black: black.spec,
            white: white.spec,
            variant: variant.name,
            opening: /** @type {NewGame["opening"]} */ (opening.value === "setup" ? "start" : opening.value),
            start: own && setup ? textOf(setup) : null,
            moves: "",
            clock: clockOf(clock.value),
          });
        },
        true,
      ),
    ],
    "wide",
  );
}

/** @param {string} clock seconds+increment */
function clockName(clock) {
  const [seconds, increment] = clock.split("+").map(Number);
  return say(increment ? "clockWith" : "clockMinutes", { minutes: seconds / 60, increment });
}
