"""Games as people keep them: with tags, comments, values, variations, and ends before their time."""

from typing import Any

from hypothesis import strategies as st
from strategies import games, setup_positions, variants

from outflank.board.game import Game, Node
from outflank.board.squares import PASS, Color
from outflank.board.variant import Variant

# Files of other systems end their lines in \r\n, so a \r alone does not survive.
texts = st.text(st.characters(exclude_characters="\r", codec="utf-8"), max_size=12)
names = st.sampled_from(["Black", "White", "Event", "Site", "Date", "Clock", "KM", "Opening"]) | texts.filter(bool)
tags = st.dictionaries(names, texts, max_size=4)
values = st.none() | st.integers(-64, 64).map(float) | st.floats(allow_nan=False, allow_infinity=False)
times = st.none() | st.floats(0, 1e6, allow_nan=False)
reasons = st.sampled_from(["agreed", "the clock fell", "White resigned", "Black ran out of time", "White forfeited"])


@st.composite
def annotated_games(
    draw: st.DrawFn, among: st.SearchStrategy[Variant] = variants, branches: bool = False, setups: bool = True
) -> Game:
    """A game with everything on it; with branches also those, and a cursor anywhere."""
    if setups and draw(st.integers(0, 3)) == 0:
        game = Game(draw(setup_positions(among)))
        for choice in draw(st.binary(max_size=5)):
            if not game.is_over:
                game.push(game.position.legal_moves[choice % len(game.position.legal_moves)])
    else:
        game = draw(games(among))
    game.tags.update(draw(tags))
    if branches:
        _branch(draw, game)
    for node in game.nodes():
        if draw(st.integers(0, 9)) == 0:
            _annotate(draw, node)
    if not game.is_over and draw(st.booleans()):
        game.end(draw(st.sampled_from([None, *Color])), draw(reasons))
    return game


def _branch(draw: st.DrawFn, game: Game) -> None:
    """Takes back some moves and plays others, a few times."""
    for _ in range(draw(st.integers(0, 3))):
        for _ in range(draw(st.integers(0, 6))):
            if game.peek() is not None:
                game.pop()
        for choice in draw(st.binary(max_size=4)):
            if not game.is_over:
                game.push(game.position.legal_moves[choice % len(game.position.legal_moves)])


def _annotate(draw: st.DrawFn, node: Node) -> None:
    node.text = draw(texts)
    if node.move is not None:
        node.score, node.seconds = draw(values), draw(times)


def facts(game: Game) -> dict[str, Any]:
    """All that two equal games have in common, variations aside."""
    start = game.start
    return {
        "board": (start.black, start.white, start.turn, start.variant.rows, start.variant.columns),
        "objective": start.variant.objective,
        "moves": game.moves,
        "outcome": game.outcome(),
        "tags": game.tags,
        "root": game.root.text,
        "notes": [(node.score, node.seconds, node.text) for node in game.line],
    }


def tree(game: Game) -> set[tuple[Any, ...]]:
    """Every node by the moves that lead to it, with what is said there."""
    return {
        (tuple(step.move for step in node.line()), node.score, node.seconds, node.text, node is game.node)
        for node in game.nodes()
    }


def squares_played(game: Game) -> list[int]:
    """The moves without the passes."""
    return [move for move in game.moves if move != PASS]
