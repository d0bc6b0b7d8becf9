"""A class of students that nobody has to teach: files, folders and zips as a course system exports them.

`python tests/classes.py FOLDER 208` makes one: the examples, the honest and the hostile submissions of the tests,
broken files, odd things that are no files, and variations of a few players, with a roster."""

import os
import random
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FILES = Path(__file__).resolve().parent / "submissions"

BOARD = '''
def turned(board, row, column, color):
    """How many discs a move turns."""
    size, total = len(board), 0
    for down in (-1, 0, 1):
        for right in (-1, 0, 1):
            r, c, seen = row + down, column + right, 0
            while 0 <= r < size and 0 <= c < size and board[r][c] == -color:
                r, c, seen = r + down, c + right, seen + 1
            if seen and 0 <= r < size and 0 <= c < size and board[r][c] == color:
                total += seen
    return total
'''
AI = """
class AI(object):
    def __init__(self, chessboard_size, color, time_out):
        self.size, self.color = chessboard_size, color
        self.candidate_list = []

    def go(self, chessboard):
        self.candidate_list.clear()
        found = []
        for row in range(self.size):
            for column in range(self.size):
                many = 0 if chessboard[row][column] else turned(chessboard, row, column, self.color)
                if many:
                    self.candidate_list.append((row, column))
                    at_edge = (row in (0, self.size - 1)) + (column in (0, self.size - 1))
                    found.append(({discs} * many + {edge} * at_edge + {row} * row, (row, column)))
        if found:
            self.candidate_list.append(max(found)[1])
"""
PLAYER = """
import random

class AIPlayer:
    def __init__(self, color):
        self.color = color

    def get_move(self, board):
        moves = sorted(board.get_legal_actions(self.color))
        values = []
        for move in moves:
            flipped = board._move(move, self.color)
            values.append((board.count(self.color) * {discs} + ord(move[0]) * {edge} + random.random() * {row}, move))
            board.backpropagation(move, flipped, self.color)
        return max(values)[1]
"""
BROKEN = {
    "syntax": "class AI:\n    def go(self, board)\n        pass\n",
    "empty": "",
    "method": "class AI:\n    def move(self, board):\n        return 1\n",
    "import": "import no_such_module\nclass AIPlayer:\n    def get_move(self, board): return 'A1'\n",
    "zero": "class AI:\n    def __init__(self, *a): 1 / 0\n    def go(self, board): pass\n",
    "late": "class AIPlayer:\n    def __init__(self, color): pass\n    def get_move(self, b):\n        while 1: pass\n",
}


def variation(number: int) -> str:
    """Another player for every number: of each kind a few, which differ by what they value."""
    dice = random.Random(number)
    values = {name: f"{dice.randrange(-9, 10)}" for name in ("discs", "edge", "row")}
    text = PLAYER if number % 3 == 1 else BOARD + AI
    for name, value in values.items():
        text = text.replace("{" + name + "}", value)
    return f"# student {number}\n{text}"


def hand_in(folder: Path, id: str, number: int) -> None:
    """A variation: in a file, in a folder with a helper module, or in a zip of that."""
    text = variation(number)
    parts = {"ai.py": text}
    if BOARD in text:
        parts = {"main.py": "from rules.turning import turned\n" + text.replace(BOARD, ""), "rules/turning.py": BOARD}
    name = f"{id}_student{number}"
    if number % 5 == 3:
        for part, content in parts.items():
            (folder / name / part).parent.mkdir(parents=True, exist_ok=True)
            (folder / name / part).write_text(content)
    elif number % 5 == 4:
        with zipfile.ZipFile(folder / f"{name}.zip", "w") as archive:
            for part, content in parts.items():
                archive.writestr(f"homework/{part}", content)
    else:
        (folder / f"{name}.py").write_text(text)


def make_class(folder: Path, count: int, hostile: int | None = None) -> dict[str, str]:
    """So many students, in a folder; what each handed in, by id. The last of the roster hands in nothing."""
    folder.mkdir(parents=True)
    honest = [*sorted((ROOT / "examples" / "class").glob("*.py")), *sorted((FILES / "honest").glob("*.py"))]
    nasty = sorted((FILES / "hostile").glob("*.py"))[:hostile]
    files = [*honest, *nasty] if hostile is None else nasty
    texts = [(path.stem, path.read_text()) for path in files] + [*BROKEN.items()][
        : None if hostile is None else hostile
    ]
    roster = {}
    for number in range(count):
        id = str(12010000 + number)
        if number == count - 1:
            roster[id] = "nothing"
        elif number < len(texts):
            roster[id], text = texts[number]
            (folder / f"{id}_{roster[id]}.py").write_text(text)
        elif number >= count - 3:  # one writes, one copies
            roster[id] = "copy"
            (folder / f"{id}_copy.py").write_text(variation(count))
        else:
            roster[id] = "student"
            hand_in(folder, id, number)
    (folder / "device.py").symlink_to("/dev/zero")
    (folder / "readme.txt").write_text("Homework 3")
    os.mkfifo(folder / "pipe.py")
    (folder / "roster.csv").write_text("id,name\n" + "".join(f"{id},{name}\n" for id, name in roster.items()))
    return roster


if __name__ == "__main__":
    make_class(Path(sys.argv[1]), int(sys.argv[2]))
