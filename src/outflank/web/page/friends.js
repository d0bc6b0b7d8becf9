/** A game with a friend: the invitation, the chair for whoever follows its link, and who is there. */

import { announce, answer, openDialog, toast } from "./dialogs.js";
import { button, field, h, select } from "./dom.js";
import { copyText } from "./exchange.js";
import { say } from "./language.js";
import { VariantPicker, clockSelect, clockOf } from "./newgame.js";
import { settings } from "./settings.js";

/** @typedef {import("./session.js").Session} Session */
/** @typedef {import("./api.js").Side} Side */

const SIDES = /** @type {Side[]} */ (["black", "white"]);
const ONLY_HERE = /^(127\.|localhost$|\[?::1\]?$)/; // names under which only this machine reaches the server

/** The address of a board, for whoever is to play or to watch. @param {string} board */
const linkTo = (board) => `${location.origin}/b/${board}`;

/** Asks for a name, which is remembered. */
function nameField() {
  const input = h("input", { type: "text", required: true, maxlength: 30, value: settings.values.name, autocomplete: "nickname" });
  return { input, element: field(say("yourName"), input), keep: () => settings.set("name", input.value.trim()) };
}

/** The link, to send. @param {string} board */
function linkRow(board) {
  const link = linkTo(board);
  const text = h("input", { type: "text", readonly: true, value: link, "aria-label": say("friend.link") });
  text.addEventListener("focus", () => text.select());
  return h("div", { class: "link-row" }, text, button("copy", say("copy"), () => copyText(link)));
}

/** The window in which a friend is invited. @param {Session} session */
export function invite(session) {
  const name = nameField();
  const side = select(
    [
      ["black", say("black")],
      ["white", say("white")],
      ["chance", say("friend.chance")],
    ],
    "black",
  );
  const variant = new VariantPicker(session.position.variant);
  const clock = clockSelect(session);
  openDialog(
    say("friend.invite"),
    [
      h("p", {}, say("friend.about")),
      h("div", { class: "row" }, name.element, field(say("train.side"), side), field(say("clock"), clock)),
      variant.element,
    ],
    [
      answer(say("cancel"), "close", () => {}),
      answer(
        say("friend.make"),
        "link",
        () => {
          name.keep();
          const own = side.value === "chance" ? SIDES[Number(Math.random() < 0.5)] : /** @type {Side} */ (side.value);
          session
            .replace({
              black: "human",
              white: "human",
              variant: variant.name,
              clock: clockOf(clock.value),
              host: { side: own, name: settings.values.name },
            })
            .then(() => session.ready())
            .then(() => send(session))
            .catch((error) => toast(error.message, "trouble"));
        },
        true,
      ),
    ],
    "wide",
  );
}

/** The link, once there is one. @param {Session} session */
function send(session) {
  const board = session.state?.board ?? "";
  openDialog(say("friend.send"), [
    h("p", {}, say("friend.sendAbout")),
    linkRow(board),
    ONLY_HERE.test(location.hostname) ? h("p", { class: "none" }, say("friend.onlyHere")) : null,
  ]);
}

/** Offers the free chair to whoever has followed the link. @param {Session} session */
function offerChair(session) {
  const free = freeChair(session);
  if (!free) return;
  const name = nameField();
  openDialog(
    say("friend.invites", { name: hostName(session) }),
    [h("p", {}, say("friend.sit", { side: say(free) })), name.element],
    [
      answer(say("friend.watch"), "close", () => {}),
      answer(
        say("friend.play", { side: say(free) }),
        "play",
        () => {
          name.keep();
          session.send({ type: "sit", name: settings.values.name });
        },
        true,
      ),
    ],
  );
}

/** @param {Session} session @returns {Side | undefined} */
const freeChair = ({ state }) => SIDES.find((side) => state?.seated && !state.seated[side]);

/** @param {Session} session */
const hostName = ({ state }) => SIDES.map((side) => state?.names[side]).find(Boolean) ?? "";

/** Who plays, who watches, and what one of the two would like; in a card beside the board. */
export class FriendsCard {
  /** @param {HTMLElement} element @param {Session} session */
  constructor(element, session) {
    this.element = element;
    this.session = session;
    this.drawn = "";
    this.offered = ""; // the board whose free chair was offered
    this.told = ""; // the proposal that was read out
  }

  draw() {
    const { session } = this;
    const { state, company } = session;
    const seated = state?.seated;
    if (!state || !seated || !company) return;
    const free = freeChair(session);
    if (free && !company.side && this.offered !== state.board) {
      this.offered = state.board;
      offerChair(session);
    }
    const key = JSON.stringify([state.board, seated, company, state.names, state.proposed]);
    if (key === this.drawn) return;
    this.drawn = key;
    const watchers = company.watchers ? say(company.watchers === 1 ? "friend.oneWatches" : "friend.watchers", { count: company.watchers }) : "";
    const sit = free && !company.side ? button("play", say("friend.play", { side: say(free) }), () => offerChair(session), { class: "main" }) : null;
    this.element.replaceChildren(
      h(
        "p",
        {},
        !company.side ? say("friend.watching") : free ? say("friend.waiting") : say("friend.playing", { side: say(company.side) }),
        watchers ? h("small", {}, watchers) : null,
      ),
      this.proposal() ?? sit ?? linkRow(state.board),
    );
  }

  /** What was proposed, and the answers to it. */
  proposal() {
    const { state, company } = this.session;
    const proposed = state?.proposed;
    if (!state || !proposed) {
      this.told = "";
      return null;
    }
    const mine = proposed.by === company?.side;
    const name = state.names[proposed.by] ?? say(proposed.by);
    const text = mine ? say("friend.asked") : say(`wants.${proposed.what}`, { name });
    const ask = (/** @type {string} */ type) => () => this.session.send({ type });
    if (!mine && this.told !== text) {
      this.told = text;
      announce(text);
      if (company?.side) toast(text, "info", { text: say("friend.agree"), run: ask(proposed.what) });
    }
    return h(
      "div",
      { class: "proposal" },
      h("span", {}, text),
      company?.side
        ? h(
            "div",
            { class: "row" },
            mine ? null : button("play", say("friend.agree"), ask(proposed.what), { class: "main" }),
            button("close", say(mine ? "cancel" : "friend.decline"), ask("decline")),
          )
        : null,
    );
  }
}
