/** Where the page begins: the language, the board, the screens, the keys. */

import { api } from "./api.js";
import { attempt, openDialog, toast } from "./dialogs.js";
import { checkbox, field, h, select, the } from "./dom.js";
import { loadErrors } from "./errors.js";
import { LANGUAGES, language, loadLanguage, say } from "./language.js";
import { PlayScreen } from "./play.js";
import { Session } from "./session.js";
import { keepHere, settings } from "./settings.js";

const SCREENS = ["play", "analyse", "lab"];
/** @type {Record<string, string>} addresses without a hash */
const PATHS = { "/lab": "lab", "/arena": "lab/match" };
const FIRST_OPPONENT = "casual";

/** @typedef {{shown: boolean, key?: (key: string) => boolean}} Screen */

/** @type {Record<string, Screen>} */
const screens = {};
const link = new URLSearchParams(location.search);
let shown = ""; // the screen, by name

settings.apply();
await loadLanguage();
await attempt(loadErrors);
wording();

const named = /^\/b\/([\w-]+)$/.exec(location.pathname);
if (named) {
  // The address of a board: this browser sits down at it.
  keepHere("outflank.play", named[1]);
  history.replaceState(null, "", "/#play");
}

const playing = new Session("play", { variant: "othello", black: "human" });
const play = new PlayScreen(the("#play"), playing, (session) => analyseGame({ ...session.game(), tags: namesOf(session) }));
screens.play = play;
route();
begin();
addEventListener("hashchange", route);
addEventListener("keydown", keys);
addEventListener("paste", (event) => {
  if (isTyping(event.target) || document.querySelector("dialog[open]")) return;
  const text = event.clipboardData?.getData("text/plain");
  if (text) attempt(async () => (await analysisScreen()).paste(text));
});
the("#settings").addEventListener("click", openSettings);
settings.addEventListener("change", () => {
  if (settings.values.language && settings.values.language !== language()) location.reload();
});

/** The players of a game, for whoever looks at it later. @param {Session} session @returns {Record<string, string>} */
function namesOf({ players }) {
  return Object.fromEntries(
    [
      ["Black", players.black],
      ["White", players.white],
    ].filter(([, player]) => player !== "human"),
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
  } catch {
    toast(say("unreachable"), "trouble");
    setTimeout(begin, 2000);
  }
}

/** Static words of index.html. */
function wording() {
  for (const element of document.querySelectorAll("[data-text]"))
    element.textContent = say(element.getAttribute("data-text") ?? "");
  for (const element of document.querySelectorAll("[data-label]"))
    element.setAttribute("aria-label", say(element.getAttribute("data-label") ?? ""));
}

/** Shows the screen that the address names. */
async function route() {
  if (link.has("moves") || link.has("start")) {
    const game = {
      variant: link.get("variant") ?? "othello",
      start: link.get("start"),
      moves: link.get("moves") ?? "",
    };
    link.delete("moves");
    link.delete("start");
    history.replaceState(null, "", "/#analyse");
    await attempt(async () => (await analysisScreen()).open(game));
  }
  const [name, part] = (location.hash.slice(1) || (PATHS[location.pathname] ?? "play")).split("/");
  const screen = SCREENS.includes(name) ? name : "play";
  for (const each of SCREENS) {
    the(`#${each}`).hidden = each !== screen;
    const tab = the(`nav [data-screen="${each}"]`);
    if (each === screen) tab.setAttribute("aria-current", "page");
    else tab.removeAttribute("aria-current");
    if (each !== screen && screens[each]) screens[each].shown = false;
  }
  if (screen !== shown) scrollTo(0, 0);
  shown = screen;
  document.title = screen === "play" ? "Outflank" : `${say(screen)} · Outflank`;
  if (screen === "analyse") await analysisScreen();
  if (screen === "lab") await labScreen(part ?? "");
  if (screens[screen]) screens[screen].shown = true;
}

/** @returns {Promise<import("./analysis.js").AnalysisScreen>} */
async function analysisScreen() {
  if (!screens.analyse) {
    const { AnalysisScreen } = await import("./analysis.js");
    screens.analyse ??= new AnalysisScreen(the("#analyse"), await api.about(), playFrom);
  }
  return /** @type {import("./analysis.js").AnalysisScreen} */ (screens.analyse);
}

/** @param {string} part */
async function labScreen(part) {
  const { LabScreen } = await import("./lab.js");
  screens.lab ??= new LabScreen(the("#lab"), await api.about(), (game) => analyseGame(game, { replay: true }));
  /** @type {import("./lab.js").LabScreen} */ (screens.lab).open(part);
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
  playing.send({ type: "new", ...game });
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
  const current = SCREENS.find((name) => !the(`#${name}`).hidden) ?? "play";
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
  /** @param {"animate" | "legal" | "coordinates" | "letters"} name */
  const box = (name) => checkbox(say(`setting.${name}`), values[name], (on) => settings.set(name, on));
  openDialog(say("settings"), [
    h("div", { class: "row" }, field(say("theme"), theme), field(say("language"), languages)),
    checkbox(say("colourblind"), values.palette === "colourblind", (on) =>
      settings.set("palette", on ? "colourblind" : "standard"),
    ),
    box("animate"),
    box("legal"),
    box("coordinates"),
    box("letters"),
    h("p", {}, h("button", { type: "button", class: "link", onclick: openKeys }, say("keys"))),
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
