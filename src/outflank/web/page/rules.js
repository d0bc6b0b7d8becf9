/**
 * The rules, small: enough to answer a click before the server has. The engine's rules are in `outflank.board`;
 * the browser tests compare the two by counting moves. A square is its number 0-63 (a1 = 0, stride 8), a pass is 64.
 */

export const EMPTY = 0;
export const BLACK = 1;
export const WHITE = 2;
export const PASS = 64;

/** @typedef {1 | 2} Color */
/** @typedef {"most" | "fewest"} Objective */
/** @typedef {"diagonal" | "parallel" | "mirrored"} Start */
/** @typedef {{rows: number, columns: number, objective: Objective, start: Start}} Variant */
/** @typedef {{cells: Uint8Array, turn: Color, variant: Variant}} Position */
/** @typedef {{winner: Color | null, margin: number, black: number, white: number}} Outcome `margin` is the winner's */

const STEPS = [
  [-1, -1],
  [-1, 0],
  [-1, 1],
  [0, -1],
  [0, 1],
  [1, -1],
  [1, 0],
  [1, 1],
];
const NAME = /^(?:(othello|reversed)(?:-(?=[0-9a-z])|$))?(?:([4-8])x([4-8])(?:-(?=[a-z])|$))?(parallel|mirrored)?$/;

/** @type {Variant} */
export const OTHELLO = { rows: 8, columns: 8, objective: "most", start: "diagonal" };

/** @param {string} name @returns {Variant} */
export function variantNamed(name) {
  const match = NAME.exec(name);
  if (!match || !(match[1] || match[2])) throw new Error(`not a variant: ${name}`);
  return {
    rows: Number(match[2] ?? 8),
    columns: Number(match[3] ?? 8),
    objective: match[1] === "reversed" ? "fewest" : "most",
    start: /** @type {Start} */ (match[4] ?? "diagonal"),
  };
}

/** @param {Variant} variant */
export function variantName(variant) {
  const size = variant.rows === 8 && variant.columns === 8 ? "" : `${variant.rows}x${variant.columns}`;
  const game = variant.objective === "fewest" ? "reversed" : size ? "" : "othello";
  return [game, size, variant.start === "diagonal" ? "" : variant.start].filter(Boolean).join("-");
}

/** @param {Variant} variant @returns {number[]} row by row */
export function squaresOf(variant) {
  return Array.from(
    { length: variant.rows * variant.columns },
    (_, index) => 8 * Math.floor(index / variant.columns) + (index % variant.columns),
  );
}

/** @param {number} square */
export const squareName = (square) =>
  square === PASS ? "pass" : "abcdefgh"[square % 8] + String(Math.floor(square / 8) + 1);

/** @param {string} name @returns {number} -1 for what is no square */
export function squareNamed(name) {
  if (/^(pass|pa|ps|--)$/i.test(name)) return PASS;
  const match = /^([a-h])([1-8])$/i.exec(name);
  return match ? (Number(match[2]) - 1) * 8 + match[1].toLowerCase().charCodeAt(0) - 97 : -1;
}

/** A colour in words. @param {number} color @returns {"black" | "white"} */
export const sideOf = (color) => (color === WHITE ? "white" : "black");

/** @param {Color} color @returns {Color} */
export const other = (color) => (color === BLACK ? WHITE : BLACK);

/** The position in which a variant's games begin. @param {Variant} variant @returns {Position} */
export function startOf(variant) {
  const cells = new Uint8Array(64);
  const lower = variant.rows >> 1,
    right = variant.columns >> 1;
  const corners = [8 * (lower - 1) + right - 1, 8 * (lower - 1) + right, 8 * lower + right - 1, 8 * lower + right];
  const colors = {
    diagonal: [WHITE, BLACK, BLACK, WHITE],
    mirrored: [BLACK, WHITE, WHITE, BLACK],
    parallel: [WHITE, WHITE, BLACK, BLACK],
  }[variant.start];
  corners.forEach((square, index) => {
    cells[square] = colors[index];
  });
  return { cells, turn: BLACK, variant };
}

/** A board text: marks row by row, then the side to move. @param {string} text @param {Variant} variant */
export function positionFrom(text, variant) {
  const marks = [...text.replace(/\s/g, "")];
  const squares = squaresOf(variant);
  if (marks.length < squares.length || marks.slice(0, squares.length).some((mark) => !/[XO-]/.test(mark))) {
    throw new Error(`not a board of ${variant.rows}x${variant.columns}: ${text}`);
  }
  const cells = new Uint8Array(64);
  squares.forEach((square, index) => {
    cells[square] = { X: BLACK, O: WHITE }[marks[index]] ?? EMPTY;
  });
  /** @type {Position} */
  const position = { cells, turn: marks[squares.length] === "O" ? WHITE : BLACK, variant };
  return position;
}

/** @param {Position} position */
export const textOf = (position) =>
  squaresOf(position.variant)
    .map((square) => "-XO"[position.cells[square]])
    .join("") + (position.turn === BLACK ? " X" : " O");

/** The discs that a move would turn; none where it is not legal.
 * @param {Position} position @param {number} square @param {Color} [turn] @returns {number[]} */
export function flips(position, square, turn = position.turn) {
  const { cells, variant } = position;
  if (cells[square] !== EMPTY) return [];
  const opponent = other(turn),
    turned = [];
  for (const [down, right] of STEPS) {
    let row = (square >> 3) + down,
      column = (square & 7) + right;
    const ray = [];
    while (
      row >= 0 &&
      row < variant.rows &&
      column >= 0 &&
      column < variant.columns &&
      cells[8 * row + column] === opponent
    ) {
      ray.push(8 * row + column);
      row += down;
      column += right;
    }
    const closed =
      row >= 0 && row < variant.rows && column >= 0 && column < variant.columns && cells[8 * row + column] === turn;
    if (closed) turned.push(...ray);
  }
  return turned;
}

/** @param {Position} position @param {Color} [turn] */
export const legalMoves = (position, turn = position.turn) =>
  squaresOf(position.variant).filter((square) => flips(position, square, turn).length > 0);

/** @param {Position} position */
export const mustPass = (position) =>
  legalMoves(position).length === 0 && legalMoves(position, other(position.turn)).length > 0;

/** @param {Position} position */
export const isOver = (position) =>
  legalMoves(position).length === 0 && legalMoves(position, other(position.turn)).length === 0;

/** The position after a legal move. @param {Position} position @param {number} square @returns {Position} */
export function play(position, square) {
  const cells = position.cells.slice();
  if (square !== PASS) {
    for (const turned of flips(position, square)) cells[turned] = position.turn;
    cells[square] = position.turn;
  }
  return { cells, turn: other(position.turn), variant: position.variant };
}

/** @param {Position} position @param {Color} color */
export const count = (position, color) => position.cells.reduce((sum, cell) => sum + Number(cell === color), 0);

/** @param {Position} position */
export const empties = (position) =>
  position.variant.rows * position.variant.columns - count(position, BLACK) - count(position, WHITE);

/**
 * How a finished game ended; the empties go to the side with more discs.
 * @param {Position} position @returns {Outcome}
 */
export function outcome(position) {
  const black = count(position, BLACK),
    white = count(position, WHITE);
  const more = black === white ? 0 : black > white ? 1 : -1;
  const margin = black - white + more * empties(position);
  const forBlack = position.variant.objective === "most" ? margin : -margin;
  return { winner: forBlack === 0 ? null : forBlack > 0 ? BLACK : WHITE, margin: Math.abs(margin), black, white };
}

/**
 * Transposed first (square boards only), then flipped.
 * @typedef {{rows?: boolean, columns?: boolean, transpose?: boolean}} Turning
 */

/** Where a square goes. @param {number} square @param {Variant} variant @param {Turning} how */
function turnedSquare(square, variant, how) {
  if (square === PASS) return PASS;
  let row = square >> 3,
    column = square & 7;
  if (how.transpose && variant.rows === variant.columns) [row, column] = [column, row];
  if (how.rows) row = variant.rows - 1 - row;
  if (how.columns) column = variant.columns - 1 - column;
  return 8 * row + column;
}

/** The board turned or mirrored. @param {Position} position @param {Turning} how @returns {Position} */
export function turned(position, how) {
  const cells = new Uint8Array(64);
  for (const square of squaresOf(position.variant))
    cells[turnedSquare(square, position.variant, how)] = position.cells[square];
  return { ...position, cells };
}

/** A quarter turn where the board is square, else a half turn. @param {Variant} variant @returns {Turning} */
export const rotation = (variant) =>
  variant.rows === variant.columns ? { transpose: true, columns: true } : { rows: true, columns: true };

/** How many lines of so many plies there are: the measure by which the tests compare these rules with the server's.
 * @param {Position} position @param {number} depth @returns {number} */
export function perft(position, depth) {
  if (depth === 0) return 1;
  const moves = legalMoves(position);
  if (moves.length === 0) return mustPass(position) ? perft(play(position, PASS), depth - 1) : 1;
  return moves.reduce((sum, square) => sum + perft(play(position, square), depth - 1), 0);
}
