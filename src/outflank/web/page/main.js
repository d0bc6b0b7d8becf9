/** Where the page begins: the language, the board, the screens, the keys. */

import { boardIn, gameIn, searchOf, write } from "./address.js";
import { api } from "./api.js";
import { attempt, openDialog, toast } from "./dialogs.js";
import { checkbox, field, h, select, the } from "./dom.js";
import { loadErrors } from "./errors.js";
import { LANGUAGES, language, loadLanguage, say } from "./language.js";
import { later, styled } from "./later.js";
import { PlayScreen } from "./play.js";
import { Session } from "./session.js";
import { keepHere, settings } from "./settings.js";

const SCREENS = ["play", "analyse", "games", "train", "lab"];
/** @type {Record<string, string>} addresses without a hash */
const PATHS = {
  "/analyse": "analyse",
  "/lab": "lab",
  "/arena": "lab/match",
  "/train": "train",
  "/players": "lab/players",
};
const FIRST_OPPONENT = "casual";

/** @typedef {{shown: boolean, key?: (key: string) => boolean}} Screen */

/** @type {Record<string, Screen>} */
const screens = {};
let shown = ""; // the screen, by name

settings.apply();
await loadLanguage();
attempt(loadErrors);
wording();

const arrived = boardIn(location.pathname);
const linked = gameIn(location.search);
// The address of a board: this browser sits down at it. Should it be gone, the game goes on from its moves.
if (arrived) keepHere("outflank.play", arrived);
const playing = new Session("play", { variant: "othello", black: "human", ...(arrived && linked) });
const play = new PlayScreen(the("#play"), playing, (session) =>
  attempt(async () => {
    await session.ready(); // before that, what is drawn is only remembered
    await analyseGame({ ...session.game(), tags: namesOf(session) });
  }),
);
screens.play = play;
playing.addEventListener("change", notePlay);
playing.addEventListener("kept", (event) => {
  const board = /** @type {CustomEvent} */ (event).detail;
  if (shown === "play") history.replaceState({ board }, "", `/b/${board}${location.search}#play`);
  toast(say("keptInGames"), "info", { text: say("backToIt"), run: () => playing.enter(board) });
});
attempt(arrive);
begin();
addEventListener("hashchange", () => attempt(route));
addEventListener("reachable", () => attempt(route));
addEventListener("popstate", ({ state }) => {
  if (state) attempt(() => follow(state.board)); // without one it is a link to another screen
});
addEventListener("examine", (event) => attempt(() => examine(/** @type {CustomEvent} */ (event).detail)));
addEventListener("keydown", keys);
addEventListener("paste", (event) => {
  if (isTyping(event.target) || document.querySelector("dialog[open]")) return;
  const text = event.clipboardData?.getData("text/plain");
  if (text) attempt(async () => (await analysisScreen()).paste(text));
});
the(".skip").addEventListener("click", (event) => {
  event.preventDefault();
  // To the board's square; a screen without a board begins with its heading.
  const square = place(shown).querySelector("othello-board [tabindex='0']") ?? the("#main");
  /** @type {HTMLElement} */ (square).focus();
});
addEventListener("play-against", (event) => {
  const { spec, variant } = /** @type {CustomEvent<import("./lab-players.js").Opponent>} */ (event).detail;
  attempt(() => playing.begin({ variant, black: "human", white: spec }));
  location.hash = "#play";
});
the("#settings").addEventListener("click", openSettings);
settings.addEventListener("change", () => {
  if (settings.values.language && settings.values.language !== language()) location.reload();
});

/** The players of a game, for whoever looks at it later; of people those whose names are known.
 * @param {Session} session @returns {Record<string, string>} */
function namesOf({ players, state }) {
  const alone = players.black !== players.white;
  /** @param {import("./api.js").Side} side */
  const name = (side) => state?.names[side] ?? (players[side] !== "human" ? players[side] : alone ? settings.values.name : "");
  return Object.fromEntries(
    [
      ["Black", name("black")],
      ["White", name("white")],
    ].filter(([, player]) => player),
  );
}

/** The board is drawn already; now the server. */
async function begin() {
  try {
    const about = await api.about();
    const first = about.difficulties.find(({ id }) => id === FIRST_OPPONENT) ?? about.difficulties[0];
    playing.first.white = first?.spec ?? about.agents[0]?.name ?? "human";
    play.know(about);
    playing.connect();
    if (about.warming.step)
      attempt(async () => (await later("warming")).showWarming(about.warming));
  } catch {
    toast(say("unreachable"), "trouble");
    setTimeout(begin, 2000);
  }
}

/** Where a screen stands. @param {string} name */
function place(name) {
  return the(`main > [data-place="${name}"], main > #${name}`);
}

/** Static words of index.html. */
function wording() {
  for (const element of document.querySelectorAll("[data-text]"))
    element.textContent = say(element.getAttribute("data-text") ?? "");
  for (const element of document.querySelectorAll("[data-label]"))
    element.setAttribute("aria-label", say(element.getAttribute("data-label") ?? ""));
}

/** What the address names at first: a screen, a board, a game. */
async function arrive() {
  const { board } = history.state ?? {};
  if (linked && !arrived) {
    history.replaceState(history.state, "", `${location.pathname}${location.search}#analyse`);
    await attempt(async () => {
      const screen = await analysisScreen();
      if (board) await screen.follow(linked, board);
      else await screen.open(linked);
    });
  } else if (arrived && !location.hash) history.replaceState(history.state, "", `${location.pathname}${location.search}#play`);
  await route();
}

/** Shows again what an address had when it was left. @param {string | null} board */
async function follow(board) {
  const game = gameIn(location.search);
  const seat = boardIn(location.pathname);
  if (seat && seat !== playing.state?.board) playing.enter(seat);
  if (game && !seat) await (await analysisScreen()).follow(game, board);
  await route();
}

/** The Play board's address: another game is a step, a move is none. */
function notePlay() {
  const { state } = playing;
  if (shown !== "play" || !state || playing.pending) return;
  if (!["", "#play"].includes(location.hash)) return; // whoever is on the way to another screen gets there
  const before = boardIn(location.pathname);
  write(`/b/${state.board}${searchOf(playing.game())}#play`, state.board, before !== state.board && history.state?.board === before);
}

/** The address of the game in Analyse: opening one and playing a move are steps. */
function noteAnalysis() {
  const { session } = /** @type {import("./analysis.js").AnalysisScreen} */ (screens.analyse);
  if (shown !== "analyse" || !session.state || session.pending) return;
  const game = session.game();
  const before = gameIn(location.search);
  const fits = before && !boardIn(location.pathname) && history.state?.board;
  const same = before && before.variant === game.variant && before.moves === game.moves && (before.start ?? null) === game.start;
  write(`/${searchOf(game, session.played)}#analyse`, session.state.board, Boolean(fits && !same && !session.following));
}

/** Shows the screen that the address names. */
async function route() {
  const [name, part, what] = (location.hash.slice(1) || (PATHS[location.pathname] ?? "play")).split("/");
  const screen = SCREENS.includes(name) ? name : "play";
  for (const each of SCREENS) {
    place(each).hidden = each !== screen;
    const tab = the(`nav [data-screen="${each}"]`);
    if (each === screen) tab.setAttribute("aria-current", "page");
    else tab.removeAttribute("aria-current");
    if (each !== screen && screens[each]) screens[each].shown = false;
  }
  if (screen !== shown) scrollTo(0, 0);
  shown = screen;
  document.title = screen === "play" ? "Outflank" : `${say(screen)} · Outflank`;
  if (!screens[screen]) place(screen).replaceChildren(); // of what could not be loaded before
  try {
    if (screen === "analyse") await analysisScreen();
    if (screen === "games") await gamesScreen();
    if (screen === "train") await trainerScreen();
    if (screen === "lab") await labScreen(part ?? "", what);
  } catch (error) {
    if (!screens[screen]) place(screen).replaceChildren(h("p", { class: "none" }, say("unreachable")));
    throw error;
  }
  if (shown !== screen) return; // somebody went on meanwhile
  if (screens[screen]) screens[screen].shown = true;
  if (screen === "play") notePlay();
  else if (screen === "analyse") noteAnalysis();
  else write(`/${location.hash || `#${screen}${part ? `/${part}` : ""}`}`, null, false);
}

/** @returns {Promise<import("./analysis.js").AnalysisScreen>} */
async function analysisScreen() {
  if (!screens.analyse) {
    const [{ AnalysisScreen }, about] = await Promise.all([
      later("analysis"),
      api.about(),
      styled("graph", "explorer"),
    ]);
    if (!screens.analyse) {
      const screen = (screens.analyse = new AnalysisScreen(the("#analyse"), about, playFrom));
      screen.session.addEventListener("change", noteAnalysis);
    }
  }
  return /** @type {import("./analysis.js").AnalysisScreen} */ (screens.analyse);
}

async function gamesScreen() {
  const [{ GamesScreen }, about] = await Promise.all([later("games"), api.about(), styled("games")]);
  screens.games ??= new GamesScreen(the("#games-kept"), about, {
    play: (board) => {
      playing.enter(board);
      location.hash = "#play";
    },
    analyse: async (board) => {
      (await analysisScreen()).enter(board);
      location.hash = "#analyse";
    },
    study: (game) => analyseGame(game),
  });
}

async function trainerScreen() {
  const [{ TrainerScreen }] = await Promise.all([later("trainer"), styled("train")]);
  screens.train ??= new TrainerScreen(the("#train"), (game) => analyseGame(game));
}

/** @returns {Promise<import("./lab.js").LabScreen>} */
async function laboratory() {
  const [{ LabScreen }, about] = await Promise.all([later("lab"), api.about(), styled("lab")]);
  screens.lab ??= new LabScreen(the("#lab"), about, (game) => analyseGame(game, { replay: true }));
  return /** @type {import("./lab.js").LabScreen} */ (screens.lab);
}

/** @param {string} part @param {string} [what] */
async function labScreen(part, what) {
  (await laboratory()).open(part, what);
}

/** Opens the laboratory where a player thought. @param {import("./lab.js").Subject} subject */
async function examine(subject) {
  (await laboratory()).examine(subject);
  if (location.hash === "#lab/heuristics") await route();
  else location.hash = "#lab/heuristics";
}

/** Opens a game in Analyse. @param {import("../types").NewGame} game @param {{replay?: boolean}} [how] */
async function analyseGame(game, how) {
  const screen = await analysisScreen();
  await screen.open(game, how);
  if (location.hash === "#analyse") await route();
  else location.hash = "#analyse";
}

/**
 * Goes on from a position of Analyse, against whoever sat at the Play board.
 * @param {import("../types").NewGame} game
 */
function playFrom(game) {
  attempt(() => playing.begin(game));
  location.hash = "#play";
}

/** @param {EventTarget | null} target */
const isTyping = (target) =>
  target instanceof Element &&
  target.matches("input:not([type=radio], [type=checkbox], [type=range]), textarea, select");

/** @param {KeyboardEvent} event */
function keys(event) {
  if (
    isTyping(event.target) ||
    document.querySelector("dialog[open]") ||
    event.ctrlKey ||
    event.metaKey ||
    event.altKey
  )
    return;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  if (key.length === 1 && !settings.values.letters && key !== "?") return;
  if (
    event.target instanceof Element &&
    /^Arrow|Home|End/.test(key) &&
    event.target.matches("input, [role=slider], [role=tab], [role=treeitem]")
  )
    return;
  const current = SCREENS.find((name) => !place(name).hidden) ?? "play";
  if (key === "?") openKeys();
  else if (key === "p" || key === "y" || key === "l") location.hash = { p: "#play", y: "#analyse", l: "#lab" }[key];
  else if (!screens[current]?.key?.(key)) return;
  event.preventDefault();
}

function openSettings() {
  const { values } = settings;
  const theme = select(
    [
      ["auto", say("theme.auto")],
      ["light", say("theme.light")],
      ["dark", say("theme.dark")],
      ["contrast", say("theme.contrast")],
    ],
    values.theme,
  );
  theme.addEventListener("change", () => settings.set("theme", theme.value));
  const languages = select(
    [
      ["", say("languageAuto")],
      ...Object.entries(LANGUAGES).map(([tag, { name }]) => /** @type {[string, string]} */ ([tag, name])),
    ],
    values.language,
  );
  languages.addEventListener("change", () => settings.set("language", languages.value));
  const turning = select(
    ["0.9", "0.45", "0.2", "0"].map((each) => [each, say(`turning.${each}`)]),
    String(values.turning),
  );
  turning.addEventListener("change", () => settings.set("turning", Number(turning.value)));
  const name = h("input", { type: "text", maxlength: 30, value: values.name, autocomplete: "nickname" });
  name.addEventListener("change", () => settings.set("name", name.value.trim()));
  /** @param {"legal" | "coordinates" | "letters"} name */
  const box = (name) => checkbox(say(`setting.${name}`), values[name], (on) => settings.set(name, on));
  openDialog(say("settings"), [
    h("div", { class: "row" }, field(say("theme"), theme), field(say("language"), languages), field(say("turning"), turning)),
    field(say("yourName"), name, say("yourNameAbout")),
    checkbox(say("colourblind"), values.palette === "colourblind", (on) =>
      settings.set("palette", on ? "colourblind" : "standard"),
    ),
    box("legal"),
    box("coordinates"),
    box("letters"),
    h(
      "p",
      { class: "row" },
      h("button", { type: "button", class: "link", onclick: openKeys }, say("keys")),
      h("button", { type: "button", class: "link", onclick: () => play.openRules() }, say("rules")),
    ),
  ]);
}

function openKeys() {
  const rows = [
    "Tab",
    "arrows",
    "enter",
    "typed",
    "back",
    "ends",
    "undo",
    "n",
    "v",
    "m",
    "s",
    "z",
    "paste",
    "copy",
    "screens",
    "help",
  ];
  openDialog(say("keys"), [
    h(
      "table",
      { class: "keys" },
      h(
        "tbody",
        {},
        ...rows.map((name) =>
          h(
            "tr",
            {},
            h(
              "th",
              { scope: "row" },
              ...say(`key.${name}`)
                .split(" ")
                .map((each) => h("kbd", {}, each)),
            ),
            h("td", {}, say(`key.${name}.does`)),
          ),
        ),
      ),
    ),
  ]);
}
