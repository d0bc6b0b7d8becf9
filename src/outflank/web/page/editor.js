/** The position editor: discs by click or key, the side to move, the whole board turned or mirrored. */

import { answer, openDialog } from "./dialogs.js";
import { button, field, h, select } from "./dom.js";
import { say } from "./language.js";
import { BLACK, EMPTY, WHITE, isOver, rotation, startOf, turned } from "./rules.js";
import "./board.js";

/** @typedef {import("./rules.js").Position} Position */

/** Opens the editor; `done` gets the position. @param {Position} from @param {(position: Position) => void} done */
export function editPosition(from, done) {
  /** @type {Position} */
  let position = { ...from, cells: from.cells.slice() };
  const board = /** @type {import("./board.js").OthelloBoard} */ (document.createElement("othello-board"));
  const brush = select(
    [
      ["cycle", say("brushCycle")],
      ["black", say("black")],
      ["white", say("white")],
      ["empty", say("empty")],
    ],
    "cycle",
  );
  const turn = select(
    [
      ["black", say("black")],
      ["white", say("white")],
    ],
    position.turn === WHITE ? "white" : "black",
  );
  const warning = h("p", { class: "warning", role: "status" });
  const draw = () => {
    board.show({ position, any: true, label: say("editor") });
    warning.textContent = isOver(position) ? say("noMoveHere") : "";
  };
  /** @param {Position} changed */
  const put = (changed) => {
    position = changed;
    draw();
  };
  board.addEventListener("square", (event) => {
    const square = /** @type {CustomEvent<number>} */ (event).detail;
    const cells = position.cells.slice();
    const brushes = { black: BLACK, white: WHITE, empty: EMPTY, cycle: (cells[square] + 1) % 3 };
    cells[square] = brushes[/** @type {keyof typeof brushes} */ (brush.value)];
    put({ ...position, cells });
  });
  turn.addEventListener("change", () => put({ ...position, turn: turn.value === "white" ? WHITE : BLACK }));
  openDialog(
    say("editor"),
    [
      h("div", { class: "row" }, field(say("brush"), brush), field(say("turn"), turn)),
      h("div", { class: "wood" }, board),
      h(
        "div",
        { class: "row tools" },
        button("stop", say("clear"), () => put({ ...position, cells: new Uint8Array(64) })),
        button("play", say("startPosition"), () => put({ ...startOf(position.variant), turn: position.turn })),
        button("turn", say("rotate"), () => put(turned(position, rotation(position.variant)))),
        button("mirror", say("mirror"), () => put(turned(position, { columns: true }))),
      ),
      warning,
    ],
    [answer(say("cancel"), "close", () => {}), answer(say("useThis"), "edit", () => done(position), true)],
    "editor",
  );
  draw();
}
