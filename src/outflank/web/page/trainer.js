/** The trainer: find the one best move, again and again; what was missed comes back. And openings as masters play them. */

import { api } from "./api.js";
import "./board.js";
import { announce, attempt } from "./dialogs.js";
import { button, field, h, select } from "./dom.js";
import { say, signed } from "./language.js";
import { positionFrom, sideOf, squareName, squareNamed, variantNamed } from "./rules.js";
import { keep, kept } from "./settings.js";

/** @typedef {import("../types").ExerciseOut} Exercise */
/** @typedef {import("../types").ExerciseAnswered} Answered */
/** @typedef {import("../types").TrainingRecord} TrainingRecord */
/** @typedef {import("../types").PositionOut} PositionOut */
/** @typedef {import("./board.js").OthelloBoard} OthelloBoard */

const KEY = "outflank.trainer";
const KINDS = ["all", "games", "endings", "mistakes", "openings"];
/** @type {Record<string, [number, number]>} */
const EMPTIES = { any: [0, 60], few: [4, 7], some: [8, 11], many: [12, 14] };

/** @param {PositionOut} position */
const drawn = ({ board, turn, variant }) => positionFrom(`${board} ${turn === "black" ? "X" : "O"}`, variantNamed(variant));

export class TrainerScreen {
  /** @param {HTMLElement} place @param {(game: import("../types").NewGame) => void} analyse opens a position */
  constructor(place, analyse) {
    this.analyse = analyse;
    this.shown = false;
    /** @type {Exercise | null} */
    this.exercise = null;
    /** @type {Answered | null} */
    this.answered = null;
    this.moves = ""; // of an opening
    /** @type {PositionOut | null} */
    this.position = null;
    this.over = false;
    this.gathering = false;
    this.board = /** @type {OthelloBoard} */ (document.createElement("othello-board"));
    this.board.addEventListener("square", (event) => this.answer(/** @type {CustomEvent<number>} */ (event).detail));
    this.board.addEventListener("refused", (event) => announce(/** @type {CustomEvent} */ (event).detail.why));
    this.status = h("p", { class: "status" });
    this.said = h("p", { class: "said" });
    this.badge = h("p", { class: "badge", hidden: true }, say("fewestWin"));
    const before = { kind: "all", objective: "most", empties: "any", side: "black", ...remembered() };
    this.kind = select(
      KINDS.map((kind) => [kind, say(`train.${kind}`)]),
      before.kind,
    );
    this.objective = select(
      [
        ["most", say("mostWin")],
        ["fewest", say("fewestWin")],
      ],
      before.objective,
    );
    this.empties = select(
      Object.keys(EMPTIES).map((name) => [name, say(`empties.${name}`)]),
      before.empties,
    );
    this.side = select(
      [
        ["black", say("black")],
        ["white", say("white")],
      ],
      before.side,
    );
    for (const each of [this.kind, this.objective, this.empties, this.side])
      each.addEventListener("change", () => this.choose());
    this.fields = { empties: field(say("train.empties"), this.empties), side: field(say("train.side"), this.side) };
    this.record = h("dl", { class: "record" });
    this.next = button("forward", say("train.next"), () => this.begin(), { class: "main" });
    this.look = button("chart", say("train.analyse"), () => this.open());
    place.replaceChildren(
      h("h1", { class: "unseen" }, say("train")),
      h(
        "div",
        { class: "stage" },
        h("div", { class: "task", "aria-live": "polite" }, this.badge, this.status, this.said),
        h("div", { class: "wood" }, this.board),
      ),
      h(
        "aside",
        { class: "side" },
        h("div", { class: "card actions" }, this.next, this.look),
        h(
          "div",
          { class: "card choices" },
          field(say("train.kind"), this.kind),
          field(say("objective"), this.objective),
          this.fields.empties,
          this.fields.side,
        ),
        h("div", { class: "card" }, h("h2", {}, say("train.record")), this.record),
        h("p", { class: "hint" }, say("train.about")),
      ),
    );
    this.choose();
  }

  get isOpening() {
    return this.kind.value === "openings";
  }

  /** Other exercises are wanted. */
  choose() {
    const { kind, objective, empties, side } = this;
    keep(
      KEY,
      JSON.stringify({ kind: kind.value, objective: objective.value, empties: empties.value, side: side.value }),
    );
    this.fields.empties.hidden = kind.value !== "endings";
    this.fields.side.hidden = !this.isOpening;
    this.begin();
  }

  begin() {
    return attempt(async () => {
      if (this.isOpening) {
        this.moves = "";
        await this.step(null);
        return;
      }
      if (this.kind.value === "mistakes") await this.gather();
      const [fewest, most] = EMPTIES[this.kind.value === "endings" ? this.empties.value : "any"];
      const asked = { kind: this.kind.value, objective: this.objective.value, fewest, most };
      const { exercise, record } = await api.nextExercise(asked);
      this.exercise = exercise;
      this.answered = null;
      this.position = exercise?.position ?? null;
      this.show(record);
    });
  }

  /** Takes in the mistakes of one's reviewed games: a few now, and where there are more the others meanwhile. */
  async gather() {
    if (this.gathering) return;
    const { more } = await api.ownMistakes();
    if (!more) return;
    this.gathering = true;
    (async () => {
      while ((await api.ownMistakes()).more && this.shown);
    })()
      .catch(() => {}) // the next exercise asks again
      .finally(() => {
        this.gathering = false;
      });
  }

  /** @param {number} square */
  answer(square) {
    attempt(async () => {
      if (this.isOpening) await this.step(squareName(square));
      else if (this.exercise && !this.answered) {
        const answered = await api.answerExercise(this.exercise.id, squareName(square));
        this.answered = answered;
        this.chosen = square;
        this.show(answered.record);
        this.next.focus();
      }
    });
  }

  /** One move of an opening, and the answer to it. @param {string | null} move */
  async step(move) {
    const variant = this.objective.value === "fewest" ? "reversed" : "othello";
    const found = await api.opening({ variant, moves: this.moves, move, side: this.side.value });
    this.moves = found.moves;
    this.position = found.position;
    this.over = found.over;
    const last = found.reply ?? (found.right ? move : null);
    this.showOpening(found, move, last === null ? null : squareNamed(last));
    this.showRecord(found.record);
  }

  /** @param {import("../types").OpeningAnswered} found @param {string | null} move @param {number | null} last */
  showOpening(found, move, last) {
    if (!this.position) return;
    const position = drawn(this.position);
    const name = this.position.opening;
    this.badge.hidden = position.variant.objective !== "fewest";
    this.look.disabled = false;
    const marks = new Map(
      found.right === false
        ? found.expected.map((each, index) => [squareNamed(each), { text: "●", best: index === 0 }])
        : [],
    );
    this.board.show({ position, open: !this.over, last, marks, label: say("board") });
    this.status.textContent = this.over
      ? say("train.openingOver", { moves: Math.ceil(this.moves.length / 4) })
      : found.right === false
        ? say(`train.not.${found.source}`, { move: move ?? "", best: found.expected.join(", ") })
        : say(`train.what.${found.source}`, { side: say(sideOf(position.turn)) });
    this.said.textContent = name ?? "";
  }

  /** @param {TrainingRecord} record */
  show(record) {
    this.showRecord(record);
    const { exercise, answered } = this;
    this.board.parentElement?.classList.toggle("idle", !exercise);
    this.look.disabled = !answered;
    if (!exercise) {
      this.status.textContent = say("train.none");
      this.said.textContent = this.kind.value === "mistakes" ? say("train.noMistakes") : "";
      this.badge.hidden = true;
      return;
    }
    const position = drawn(exercise.position);
    this.badge.hidden = position.variant.objective !== "fewest";
    this.next.classList.toggle("main", Boolean(answered));
    const side = say(sideOf(position.turn));
    if (!answered) {
      this.board.show({ position, open: true, label: say("board") });
      this.status.textContent = say("train.find", { side });
      this.said.textContent = [
        say(`train.from.${exercise.kind}`, { empties: exercise.position.empties }),
        exercise.again ? say("train.again") : "",
      ]
        .filter(Boolean)
        .join(" ");
      return;
    }
    const best = answered.values[answered.best];
    const chosen = squareName(this.chosen ?? 0);
    const marks = new Map(
      Object.entries(answered.values).map(([move, value]) => [
        squareNamed(move),
        { text: signed(value), exact: answered.exact, best: value === best },
      ]),
    );
    this.board.show({ position, marks, last: this.chosen, label: say("board") });
    const words = { move: chosen, best: answered.best, value: signed(best), loss: String(Math.round(best - (answered.values[chosen] ?? 0))) };
    this.status.textContent = say(answered.right ? "train.right" : "train.wrong", words);
    this.said.textContent = say(answered.exact ? "train.exact" : "train.estimated", { value: signed(best) });
  }

  /** @param {TrainingRecord} record */
  showRecord(record) {
    const share = `${record.solved} / ${record.answered}`;
    /** @type {[string, string | number][]} */
    const rows = [
      ["streak", record.streak],
      ["best", record.best],
      ["solved", share],
      ["again", record.again],
    ];
    this.record.replaceChildren(
      ...rows.map(([name, value]) =>
        h("div", { "data-record": name }, h("dt", {}, say(`record.${name}`)), h("dd", {}, String(value))),
      ),
    );
  }

  /** In Analyse, with everything that is known there. */
  open() {
    if (!this.position) return;
    const { board, turn, variant } = this.position;
    if (this.isOpening) this.analyse({ variant, moves: this.moves });
    else this.analyse({ variant, start: `${board} ${turn === "black" ? "X" : "O"}` });
  }

  /** @param {string} key */
  key(key) {
    if (key !== "n" && key !== "ArrowRight") return false;
    this.begin();
    return true;
  }
}

function remembered() {
  try {
    return JSON.parse(kept(KEY) ?? "{}");
  } catch {
    return {};
  }
}
