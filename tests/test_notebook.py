"""What notebooks show: every cell of the example runs, and things draw themselves."""

import json
import random
import xml.etree.ElementTree as Xml
from html.parser import HTMLParser
from pathlib import Path

import pytest

from outflank import Color, Game, Position, Variant, analyze, lesson, match, tournament
from outflank.board.squares import PASS, square_name
from outflank.charts import Point, intervals

ROOT = Path(__file__).resolve().parent.parent
EXAMPLE = ROOT / "examples" / "tour.ipynb"
NODE = "{http://www.w3.org/2000/svg}"


class Reader(HTMLParser):
    """The tags, the cells of tables and the data of a piece of HTML; complains where tags do not close."""

    VOID = ("input",)

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.cells: list[str] = []
        self.attributes: list[dict[str, str | None]] = []
        self._open: list[str] = []
        self.feed(html)
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes.append(dict(attrs))
        if tag not in self.VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes.append(dict(attrs))

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self._open and self._open[-1] in ("td", "output"):
            self.cells.append(data)


def played(variant: str, seed: int) -> Game:
    dice, game = random.Random(seed), Game(Variant.named(variant))
    while not game.is_over:
        game.push(dice.choice(game.position.legal_moves))
    return game


@pytest.mark.parametrize("name", ["othello", "5x7", "4x4"])
def test_a_game_is_a_board_to_step_through(name: str) -> None:
    game = played(name, 3)
    found = Reader(game._repr_html_())
    (data,) = [one["data-steps"] for one in found.attributes if "data-steps" in one]
    steps = json.loads(data or "")
    positions = [node.position for node in (game.root, *game.line)]
    assert len(steps) == len(positions)
    for step, position in zip(steps, positions, strict=True):
        assert step[0] == "".join(position.mark(square) for square in game.variant.squares)
        assert f"Black {position.count(Color.BLACK)}, White {position.count(Color.WHITE)}" in step[2]
    numbers = [int(step[2].partition(".")[0]) for step in steps if step[1]]
    assert numbers == list(range(1, sum(move != PASS for move in game.moves) + 1))
    assert found.tags.count("circle") >= game.variant.square_count
    shown = [one for one in found.attributes if "data-disc" in one and "style" not in one]
    assert len(shown) == game.position.count(Color.BLACK) + game.position.count(Color.WHITE), "it stands at its end"
    assert "script" not in found.tags
    game.pop()
    assert len(json.loads(Reader(game._repr_html_()).attributes[0]["data-steps"] or "")) < len(steps)


def test_an_analysis_shows_the_values_of_the_moves() -> None:
    position = Position.start().play("f5")
    found = analyze(position, depth=4)
    cells = Reader(found._repr_html_()).cells
    assert [square_name(hint.move) for hint in found.hints] == cells[0::4]
    assert [f"{hint.score + 0.0:+g}" for hint in found.hints] == cells[1::4]
    game = played("4x4", 7)
    moves = Reader(analyze(game, depth=12)._repr_html_()).cells
    for move in game.moves:
        assert move == PASS or square_name(move) in moves
    assert Reader(analyze(game.position, depth=4)._repr_html_()).cells == [], "it is over"


def test_a_tree_has_its_values_and_what_was_pruned() -> None:
    found = lesson([[3, 12, 8], [2, 4, 6], [14, 5, 2]], "alphabeta")
    picture = Xml.fromstring(found._repr_svg_())
    assert [one.text for one in picture.iter(f"{NODE}text")][:3] == ["3", "3", "3"]
    assert len(list(picture.iter(f"{NODE}rect"))) == 9 and len(list(picture.iter(f"{NODE}polygon"))) == 4
    dashed = [line for line in picture.iter(f"{NODE}line") if line.get("stroke-dasharray")]
    assert len(dashed) == len(found.pruned) == 2
    whole = Xml.fromstring(lesson([[3, 12, 8], [2, 4, 6]], "minimax")._repr_svg_())
    assert not [line for line in whole.iter(f"{NODE}line") if line.get("stroke-dasharray")]
    assert Xml.fromstring(lesson(5, "minimax")._repr_svg_()).tag == f"{NODE}svg"


def test_results_are_tables() -> None:
    result = match("greedy", "random", games=8, variant="4x4", seed=1)
    cells = Reader(result._repr_html_()).cells
    assert cells[:4] == [str(one) for one in (result.games, result.wins, result.draws, result.losses)]
    table = tournament(["greedy", "random", "alphabeta:depth=1"], games=4, variant="4x4", seed=1)
    shown = Reader(table._repr_html_()).cells
    assert [row.player.spec for row in table.rows] == shown[1:21:7]
    picture = intervals("a & b", [("<greedy>", Point(61.0, 52.0, 70.0))])
    assert Xml.fromstring(picture._repr_svg_()).tag == f"{NODE}svg"


def test_names_do_not_become_html() -> None:
    from outflank.notebook import table

    assert Reader(table(["<b>"], [["<script>"]])).tags == ["table", "thead", "tr", "th", "tbody", "tr", "td"]


def test_every_cell_of_the_example_runs_and_shows_something(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_RUNTIME_DIR"):
        monkeypatch.setenv(name, str(tmp_path / name))
    nbformat = pytest.importorskip("nbformat", reason="nbformat is not installed: make test installs it")
    nbclient = pytest.importorskip("nbclient", reason="nbclient is not installed: make test installs it")
    notebook = nbformat.read(EXAMPLE, as_version=4)
    nbformat.validate(notebook)
    assert not any(cell.get("outputs") for cell in notebook.cells), "what it shows is made when it is run"
    nbclient.NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(ROOT / "examples")}}).execute()
    shown = []
    for cell in notebook.cells:
        if cell.cell_type == "code":
            kinds = {kind for output in cell.outputs for kind in output.get("data", {})}
            assert kinds, cell.source
            shown.append(kinds)
    assert sum("text/html" in kinds for kinds in shown) >= 4
    assert sum("image/svg+xml" in kinds for kinds in shown) >= 2
