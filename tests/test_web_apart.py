"""A player taken apart: its choice is the one it makes at the board, and weights are tried without compiling."""

import pytest

from outflank.agents.spec import agent, parse
from outflank.board.game import Game
from outflank.board.position import Position
from outflank.board.squares import square_name
from outflank.board.variant import REVERSED, Variant
from outflank.heuristics.weighted import WeightedHeuristic
from outflank.search.limits import Limit
from outflank.web import apart
from outflank.web.lab import taken_apart

HERE = Game.from_transcript("f5d6c3d3c4f4f6f3").position
MEADOW = Position.start(Variant(6, 6))


@pytest.mark.parametrize(
    "name", ["dynamic:depth=4", "phased:depth=3", "self-taught:depth=3", "greedy", "minimax:depth=2"]
)
@pytest.mark.parametrize("position", [HERE, MEADOW], ids=["8x8", "6x6"])
def test_its_choice_is_the_one_it_makes_at_the_board(name: str, position: Position) -> None:
    player = agent(name)
    player.start(position.variant, position.turn, 0)
    made = player.choose(Game(position), Limit())
    told = taken_apart(position, parse(name), {})
    assert told.choice is not None and told.choice.move == square_name(made.move)
    assert told.choice.thought is not None
    assert {one.move for one in told.choice.thought.candidates} == {square_name(move) for move in position.legal_moves}


@pytest.mark.parametrize("name", ["dynamic:depth=3", "phased:depth=3", "self-taught:depth=3", "corner-shy:depth=3"])
@pytest.mark.parametrize("position", [HERE, Position.start(REVERSED)], ids=["most", "fewest"])
def test_its_own_weights_tried_as_new_ones_change_nothing(name: str, position: Position) -> None:
    spec = parse(name)
    heuristic = apart.heuristic_of(spec, position.variant)
    assert isinstance(heuristic, WeightedHeuristic)
    same = apart.choice(spec, position, {term.name: term.weights for term in heuristic.terms})
    usual = apart.choice(spec, position)
    assert same is not None and usual is not None
    assert same.move == usual.move and same.score == pytest.approx(usual.score)


def test_other_weights_make_another_move() -> None:
    spec = parse("alphabeta:heuristic=combined,depth=2")
    heuristic = apart.heuristic_of(spec, HERE.variant)
    assert isinstance(heuristic, WeightedHeuristic)
    turned = {term.name: tuple(-weight for weight in term.weights) for term in heuristic.terms}
    usual, other = taken_apart(HERE, spec, {}), taken_apart(HERE, spec, turned)
    assert usual.choice is not None and other.choice is not None
    assert usual.choice.move != other.choice.move
    assert other.value == pytest.approx(-(usual.value or 0.0))


def test_the_engine_is_explained_by_its_shapes() -> None:
    told = taken_apart(HERE, parse("engine:level=4"), {})
    assert told.heuristic == "engine" and told.value == pytest.approx(sum(one.share or 0.0 for one in told.features))
    assert told.heat.keys() == {square_name(move) for move in HERE.legal_moves}


def test_a_player_of_playouts_has_no_heuristic_but_values() -> None:
    told = taken_apart(HERE, parse("mini-go:mode=easy"), {})
    assert told.heuristic == "" and not told.features and told.heat
    assert told.choice is not None and told.choice.unit == "wins"


def test_what_has_no_weights_says_so() -> None:
    with pytest.raises(ValueError, match="no weights"):
        taken_apart(HERE, parse("mini-go:mode=easy"), {"corners": (1.0,)})
