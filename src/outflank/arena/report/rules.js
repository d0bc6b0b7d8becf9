// The rules, as far as replaying needs them: squares are numbered as everywhere in Outflank, a1 = 0, h8 = 63.
"use strict";

const BLACK = 0, WHITE = 1;

/** A board text such as `---…OX…--- X` as 64 cells (null empty, undefined outside) and the side to move. */
function readBoard(text, rows, columns) {
  const marks = text.replace(/\s/g, "");
  const cells = new Array(64).fill(undefined);
  for (let at = 0; at < rows * columns; at++) {
    cells[8 * Math.floor(at / columns) + (at % columns)] = { X: BLACK, O: WHITE }[marks[at]] ?? null;
  }
  return { cells, turn: marks[rows * columns] === "O" ? WHITE : BLACK };
}

/** The discs that a move would turn. */
function flipsOf(cells, square, color) {
  if (cells[square] !== null) return [];
  const found = [];
  for (let down = -1; down <= 1; down++) {
    for (let right = -1; right <= 1; right++) {
      if (!down && !right) continue;
      const line = [];
      let row = (square >> 3) + down, column = (square & 7) + right;
      while (row >= 0 && row < 8 && column >= 0 && column < 8 && cells[8 * row + column] === 1 - color) {
        line.push(8 * row + column);
        row += down; column += right;
      }
      if (line.length && row >= 0 && row < 8 && column >= 0 && column < 8 && cells[8 * row + column] === color) found.push(...line);
    }
  }
  return found;
}

const legalMoves = (cells, color) => cells.map((_, square) => square).filter((square) => flipsOf(cells, square, color).length);

/** Every position of a game: before its first move and after each one. `passed` is who had to pass just before. */
function replayed(start, moves) {
  let { cells, turn } = start;
  const positions = [{ cells, turn, move: null, mover: null, flips: [], passed: null }];
  for (const move of moves) {
    let passed = null;
    let flips = flipsOf(cells, move, turn);
    if (!flips.length) { passed = turn; turn = 1 - turn; flips = flipsOf(cells, move, turn); }
    cells = cells.slice();
    cells[move] = turn;
    for (const square of flips) cells[square] = turn;
    positions.push({ cells, turn: 1 - turn, move, mover: turn, flips, passed });
    turn = 1 - turn;
  }
  return positions;
}

const discs = (cells, color) => cells.filter((cell) => cell === color).length;
