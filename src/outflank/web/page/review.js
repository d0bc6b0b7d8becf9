/** The Review panel of Analyse: what each move of the game lost, by whom, and where the game turned. */

import { announce } from "./dialogs.js";
import { button, h, iconButton, select } from "./dom.js";
import { percent, say } from "./language.js";
import { playerName } from "./players.js";
import { certainty, figure } from "./values.js";

/** @typedef {import("../types").NodeOut} Node */
/** @typedef {import("./session.js").Session} Session */

const SECONDS = [0.1, 0.3, 1, 3];
const WHOLE_GAME = 12; // moves from which what is opened is a game, and not an opening
const NOTICEABLE = 0.5; // discs: less is not worth a word
const MARKS = /** @type {const} */ (["inaccuracy", "mistake", "blunder"]);

export class ReviewPanel {
  /** @param {import("../types").About} about @param {Session} session
   * @param {(side: "black" | "white") => string} [called] who had a colour, where the screen has its own names */
  constructor(about, session, called) {
    this.about = about;
    this.session = session;
    this.called = called ?? ((side) => this.name(side));
    /** @type {number | null} how far a review is, 0 to 1 */
    this.running = null;
    this.tried = ""; // what was reviewed without being asked for: once is enough
    this.seconds = select(
      SECONDS.map((each) => [String(each), say("perMove", { seconds: each })]),
      String(SECONDS[0]),
      { "aria-label": say("reviewTime"), title: say("reviewTime") },
    );
    this.start = button("review", say("review"), () => this.toggle(), { class: "main" });
    this.meter = h("progress", { max: 1, "aria-label": say("reviewProgress") });
    this.before = iconButton("back", say("mistakeBefore"), () => this.jump(-1));
    this.after = iconButton("forward", say("mistakeAfter"), () => this.jump(1));
    this.count = h("span", { class: "count" });
    this.comment = h("p", { class: "comment" });
    this.table = h("div", { class: "summary" });
    this.turning = h("p", { class: "turning" });
    this.element = h(
      "section",
      { class: "card panel reviewing" },
      h("div", { class: "row tight" }, this.start, this.seconds),
      this.meter,
      h("div", { class: "mistakes" }, this.before, this.count, this.after),
      this.comment,
      this.table,
      this.turning,
    );
    session.addEventListener("review", (event) => this.heard(/** @type {CustomEvent} */ (event).detail));
  }

  /** The moves of the line that a review has judged. @returns {Node[]} */
  get reviewed() {
    return this.session.line.filter((node) => node.review);
  }

  /** Those that lost so much that it has a name. */
  get mistakes() {
    return this.session.line.filter((node) => node.review?.mark);
  }

  /** The move that is played next in the game shown. */
  get next() {
    const following = this.session.line.slice(this.session.ply);
    return following.find((node) => node.move !== "pass");
  }

  /** What should have been played here, where something else was. @returns {string[] | undefined} */
  get better() {
    const review = this.next?.review;
    return review && review.loss >= NOTICEABLE ? review.best_line : undefined;
  }

  /** Begins by itself where a game was opened, or has come to its end. @param {boolean} opened */
  begin(opened) {
    const { line, state } = this.session;
    const moves = line.filter((node) => node.move !== "pass");
    if (this.running !== null || moves.length < WHOLE_GAME || !(opened || state?.outcome)) return;
    const game = `${state?.board} ${moves.length}`;
    if (game === this.tried || moves.every((node) => node.review)) return;
    this.tried = game;
    this.ask(false);
  }

  /** @param {boolean} again */
  ask(again) {
    this.running = 0;
    this.session.send({ type: "review", seconds: Number(this.seconds.value), again });
    this.draw();
  }

  toggle() {
    if (this.running === null) this.ask(true);
    else {
      this.session.send({ type: "stop" });
      this.running = null;
      this.draw();
    }
  }

  /** @param {{done: boolean, progress: number}} report */
  heard(report) {
    if (report.done && this.running !== null) announce(say("reviewDone"));
    this.running = report.done ? null : report.progress;
    this.draw();
  }

  /** Where the mistake before or after this position was made; after the last one the first comes again.
   * @param {-1 | 1} way @returns {number | undefined} */
  beyond(way) {
    const plies = this.mistakes.map((node) => this.session.plyOf(node.id) - 1);
    const here = this.session.ply;
    const others = plies.filter((ply) => ply !== here);
    return way > 0 ? (others.find((ply) => ply > here) ?? others[0]) : (others.findLast((ply) => ply < here) ?? others.at(-1));
  }

  /** Goes there. @param {-1 | 1} way */
  jump(way) {
    const wanted = this.beyond(way);
    if (wanted !== undefined) this.session.gotoPly(wanted);
  }

  draw() {
    const { session, reviewed, mistakes } = this;
    const moves = session.line.filter((node) => node.move !== "pass").length;
    this.start.disabled = moves === 0 && this.running === null;
    this.start.querySelector("span")?.replaceChildren(say(this.running !== null ? "stop" : reviewed.length ? "reviewAgain" : "review"));
    this.meter.classList.toggle("idle", this.running === null);
    this.meter.value = this.running ?? 0;
    this.before.disabled = this.after.disabled = this.beyond(1) === undefined;
    const at = mistakes.findIndex((node) => session.plyOf(node.id) - 1 === session.ply) + 1;
    const count = mistakes.length;
    this.count.textContent = !reviewed.length
      ? ""
      : at
        ? say("mistakeOf", { number: at, count })
        : say(count === 1 ? "oneMistake" : "mistakes", { count });
    this.comment.replaceChildren(...this.said());
    if (reviewed.length) this.table.replaceChildren(this.summary(reviewed));
    else this.table.replaceChildren(h("p", { class: "none" }, say("reviewHint")));
    const part = this.running === null && reviewed.length && reviewed.length < moves;
    this.turning.textContent = part ? say("reviewedPart", { count: reviewed.length, moves }) : this.turned();
  }

  /** What there is to say of the move that comes next. @returns {(string | HTMLElement)[]} */
  said() {
    const node = this.next,
      review = node?.review;
    if (!node?.move || !node.color || !review) return [];
    const number = this.session.plyOf(node.id);
    const values = { number, side: this.name(node.color), move: node.move, best: review.best };
    if (review.loss < NOTICEABLE) return [say("playedBest", values)];
    const lost = figure(review.loss, review.unit, review.exact).replace("+", "");
    return [say("playedWorse", { ...values, lost }), " ", h("small", {}, certainty(review))];
  }

  /** Who had a colour. @param {"black" | "white"} side */
  name(side) {
    const name = this.session.state?.names[side];
    return name ? playerName(name, this.about) : say(side);
  }

  /** The turning point in words. */
  turned() {
    const id = this.session.state?.turning;
    const node = id == null ? undefined : this.session.nodes.get(id);
    if (!node?.review || !node.color) return "";
    const { value, loss, unit, exact, best } = node.review;
    return say("turnedWith", {
      number: this.session.plyOf(node.id),
      side: this.name(node.color),
      move: node.move ?? "",
      before: figure(value, unit, exact),
      after: figure(value - loss, unit, exact),
      best,
    });
  }

  /** Both players' losses and marks. @param {Node[]} reviewed */
  summary(reviewed) {
    const row = (/** @type {"black" | "white"} */ side) => {
      const own = reviewed.filter((node) => node.color === side && node.move !== "pass");
      const loss = own.reduce((sum, node) => sum + (node.review?.loss ?? 0), 0);
      const good = own.filter((node) => !node.review?.mark).length;
      return h(
        "tr",
        {},
        h("th", { scope: "row", title: this.called(side) }, h("span", { class: `pip ${side}` }), this.called(side)),
        h("td", { class: "number" }, own.length ? (loss / own.length).toFixed(1) : "–"),
        h("td", { class: "number" }, own.length ? percent(good / own.length) : "–"),
        ...MARKS.map((mark) =>
          h("td", { class: "number" }, String(own.filter((node) => node.review?.mark === mark).length)),
        ),
      );
    };
    return h(
      "table",
      {},
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          h("th", { scope: "col" }, say("player")),
          h("th", { scope: "col", class: "number", title: say("averageLossAbout") }, say("averageLoss")),
          h("th", { scope: "col", class: "number", title: say("accuracyAbout") }, say("accuracy")),
          ...MARKS.map((mark) => h("th", { scope: "col", class: "number", title: say(`mark.${mark}`) }, say(`marks.${mark}`))),
        ),
      ),
      h("tbody", {}, row("black"), row("white")),
    );
  }
}
