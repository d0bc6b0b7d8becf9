/** Which of the library's games count: a player's, as Black or White or both, and those of some years. */

import { api } from "./api.js";
import { button, field, h, select } from "./dom.js";
import { say } from "./language.js";

/** @typedef {import("../types").WantedGames} WantedGames */

const PAUSE = 200; // milliseconds of rest between a key and the question
const LETTERS = 2; // of a name, before names are proposed
const LAST_YEAR = 9999;

export class Selection {
  /** @param {() => void} changed */
  constructor(changed) {
    this.changed = changed;
    /** @type {WantedGames} */
    this.wanted = {};
    this.names = h("datalist", { id: "library-players" });
    this.player = h("input", { type: "text", list: "library-players", maxlength: 80, autocomplete: "off" });
    this.color = select(
      [
        ["", say("bothColours")],
        ["black", say("asBlack")],
        ["white", say("asWhite")],
      ],
      "",
    );
    this.since = h("input", { type: "number", min: 1, max: LAST_YEAR, inputmode: "numeric" });
    this.until = h("input", { type: "number", min: 1, max: LAST_YEAR, inputmode: "numeric" });
    this.summary = h("summary", {}, say("chooseGames"));
    this.element = h(
      "details",
      { class: "choice" },
      this.summary,
      h(
        "div",
        { class: "fields" },
        field(say("player"), this.player),
        field(say("colour"), this.color),
        field(say("yearsFrom"), this.since),
        field(say("yearsTo"), this.until),
        button("undo", say("allGames"), () => this.clear()),
      ),
      this.names,
    );
    for (const control of [this.player, this.color, this.since, this.until])
      control.addEventListener("input", () => {
        clearTimeout(this.timer);
        this.timer = setTimeout(() => this.take(), PAUSE);
      });
    this.tell();
  }

  /** What the controls say, as the server is asked for it. @returns {WantedGames} */
  get asked() {
    const player = this.player.value.trim();
    const [since, until] = [this.since, this.until].map(({ valueAsNumber: year, validity }) =>
      validity.valid && Number.isInteger(year) ? year : null,
    );
    const both = since !== null && until !== null;
    const color = /** @type {import("./api.js").Side | ""} */ (this.color.value);
    return {
      ...(player ? { player } : {}),
      ...(player && color ? { color } : {}),
      ...(since === null ? {} : { since: both ? Math.min(since, until) : since }),
      ...(until === null ? {} : { until: both ? Math.max(since, until) : until }),
    };
  }

  take() {
    const { asked } = this;
    if ((asked.player ?? "") !== (this.wanted.player ?? "")) this.propose(asked.player ?? "");
    const other = JSON.stringify(asked) !== JSON.stringify(this.wanted);
    this.wanted = asked;
    this.tell();
    if (other) this.changed();
  }

  clear() {
    this.player.value = this.color.value = this.since.value = this.until.value = "";
    this.take();
    this.player.focus();
  }

  /** The choice in words, also while the form is folded. */
  tell() {
    const { player, color, since, until } = this.wanted;
    this.color.disabled = !this.player.value.trim();
    const years = since || until ? `${since ?? ""}–${until ?? ""}` : "";
    const said = [player, color ? say(color === "black" ? "asBlack" : "asWhite") : "", years].filter(Boolean);
    this.summary.replaceChildren(
      said.length ? say("chosenGames") : say("chooseGames"),
      said.length ? h("b", {}, ` ${said.join(" · ")}`) : "",
    );
  }

  /** Names that hold what was typed. @param {string} part */
  async propose(part) {
    if (part.length < LETTERS) return;
    const found = await api.players(part).catch(() => []);
    if (part !== this.player.value.trim()) return;
    this.names.replaceChildren(...found.map(({ name, games }) => h("option", { value: name }, `${name} (${games})`)));
  }
}
