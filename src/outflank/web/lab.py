"""The laboratory: how a heuristic sees a position, and how a small search goes, step by step."""

from typing import Any

from fastapi import APIRouter

from outflank.board.position import Position
from outflank.board.squares import Color, square_name, squares_of
from outflank.board.variant import Variant
from outflank.errors import Fault
from outflank.heuristics.explanation import features_of
from outflank.heuristics.features import MASKS, WEIGHTS
from outflank.heuristics.heuristic import Heuristic, WrittenHeuristic
from outflank.heuristics.weighted import WeightedHeuristic
from outflank.search.teaching import trees as teaching
from outflank.search.teaching.montecarlo import grow
from outflank.search.teaching.positions import PositionTree, position_tree
from outflank.web.routes import REFUSALS
from outflank.web.schemas import (
    BracketsLesson,
    ExampleLesson,
    Examples,
    ExplainAsked,
    Explained,
    LessonAsked,
    MonteCarloLesson,
    PlayoutLesson,
    PositionIn,
    PositionLesson,
    RandomLesson,
    TreeLesson,
)
from outflank.web.services import Server, Visitor
from outflank.web.views import board_marks, color_name, finite, names

CLASSES = ("stable", "semi_stable", "unstable", "frontier")
ALGORITHMS: dict[str, teaching.Algorithm] = {"three-replies": "minimax", "no-need-to-look": "alphabeta"}
"""What each example shows."""
LARGEST_TREE = 500
DEEPEST_TREE = 8

router = APIRouter(prefix="/api", responses=REFUSALS)


def position_in(asked: PositionIn) -> Position:
    """A position as a page writes it."""
    variant = Variant.named(asked.variant)
    marks = "".join(asked.board.split())
    if len(marks) != variant.square_count:
        raise Fault("web.board-marks", marks=len(marks), variant=variant.name, squares=variant.square_count)
    return Position.from_text(f"{marks} {'X' if asked.turn == 'black' else 'O'}", variant)


# Heuristics


@router.post("/explain")
async def explain(asked: ExplainAsked, server: Server, visitor: Visitor) -> Explained:
    """Why a heuristic values a position as it does, also with weights that somebody tries."""
    position = position_in(asked.position)
    heuristic = server.players.heuristic(asked.heuristic)
    if asked.weights:
        if not isinstance(heuristic, WeightedHeuristic):
            raise Fault("web.no-weights", heuristic=asked.heuristic)
        heuristic = heuristic.with_weights({name: tuple(one) for name, one in asked.weights.items()})
    found = await server.lanes.run("quick", visitor, lambda: explained(position, heuristic))
    return Explained.model_validate({"heuristic": asked.heuristic, **found})


def value_of(heuristic: Heuristic, position: Position) -> float:
    """The heuristic's value. A sum with new weights is added up here: to compile it would take longer than to ask."""
    if isinstance(heuristic, WeightedHeuristic):
        return sum(share.value for share in heuristic.shares(position.own, position.opp, position.variant))
    return heuristic.value(position.own, position.opp, position.variant)


def explained(position: Position, heuristic: Heuristic) -> dict[str, Any]:
    phases = heuristic.phases if isinstance(heuristic, WeightedHeuristic) else ()
    discs = (position.own | position.opp).bit_count()
    phase = heuristic.phase(discs, position.variant) if isinstance(heuristic, WeightedHeuristic) and phases else None
    return {
        "summary": heuristic.summary,
        "objective": heuristic.objective,
        "turn": color_name(position.turn),
        "phase": phase,
        "phases": len(phases) + 1,
        "value": finite(value_of(heuristic, position)),
        "features": _features(position, heuristic),
        "heat": {square_name(move): finite(-value_of(heuristic, position.play(move))) for move in position.legal_moves},
        "squares": _square_table(position, heuristic),
        "classes": {color_name(color): _classes(position, color) for color in Color},
    }


def _features(position: Position, heuristic: Heuristic) -> list[dict[str, Any]]:
    if isinstance(heuristic, WeightedHeuristic):
        return [
            {
                "name": share.term.name,
                "own": finite(share.mine),
                "opp": finite(share.theirs),
                "counts": finite(share.term.combined(share.mine, share.theirs)),
                "weight": finite(share.weight),
                "share": finite(share.value + 0.0),
                "weights": list(share.term.weights),
            }
            for share in heuristic.shares(position.own, position.opp, position.variant)
        ]
    assert isinstance(heuristic, WrittenHeuristic)
    own, opp, board = position.own, position.opp, position.variant.board
    nothing = {"counts": None, "weight": None, "share": None, "weights": None}
    return [
        {"name": name, "own": _count(feature(own, opp, board)), "opp": _count(feature(opp, own, board)), **nothing}
        for name, feature in features_of(heuristic).items()
        if not name.endswith(("_discs", "_squares"))
    ]


def _count(value: float) -> float | None:
    return finite(float(value))


def _square_table(position: Position, heuristic: Heuristic) -> list[list[float]] | None:
    """The values of single squares, where the heuristic has such a table, as they count here."""
    if not isinstance(heuristic, WeightedHeuristic):
        return None
    variant = position.variant
    for share in heuristic.shares(position.own, position.opp, variant):
        if share.term.feature in WEIGHTS.values():
            scale = share.weight * share.term.scale
            return [
                [
                    scale * float(share.term.feature(1 << (8 * row + column), 0, variant.board))
                    for column in range(variant.columns)
                ]
                for row in range(variant.rows)
            ]
    return None


def _classes(position: Position, color: Color) -> dict[str, list[str]]:
    """A side's discs by what can happen to them."""
    own, opp = (position.black, position.white) if color is Color.BLACK else (position.white, position.black)
    board = position.variant.board
    return {name: names(squares_of(int(MASKS[name](own, opp, board)) & own)) for name in CLASSES}


# Searches


@router.get("/lessons")
async def examples() -> Examples:
    """The worked examples of the report on `phased`."""
    return Examples.model_validate(
        {
            "examples": [
                {"id": name, "title": one.title, "note": one.note, "algorithm": ALGORITHMS.get(name, "alphabeta")}
                for name, one in teaching.EXAMPLES.items()
            ]
        }
    )


@router.post("/lessons")
async def lesson(asked: LessonAsked, server: Server, visitor: Visitor) -> TreeLesson | PlayoutLesson:
    """A small search with every step recorded."""
    if isinstance(asked, MonteCarloLesson):
        return await server.lanes.run("slow", visitor, lambda: _playouts(asked))
    if isinstance(asked, PositionLesson):
        heuristic = server.players.heuristic(asked.heuristic)
        return await server.lanes.run("slow", visitor, lambda: _position_lesson(asked, heuristic))
    return _tree_lesson(_written(asked), asked.algorithm)


def _written(asked: ExampleLesson | RandomLesson | BracketsLesson) -> teaching.Node:
    if isinstance(asked, ExampleLesson):
        if asked.id not in teaching.EXAMPLES:
            raise Fault("web.no-example", text=asked.id, examples=", ".join(teaching.EXAMPLES))
        return teaching.EXAMPLES[asked.id].root
    if isinstance(asked, RandomLesson):
        return teaching.random_tree(asked.depth, asked.branching, asked.seed)
    _check_brackets(asked.tree)
    return teaching.tree(asked.tree)


def _check_brackets(tree: list[Any]) -> None:
    """Numbers and lists, not too many and not too deep: what a page sends can be anything."""
    waiting: list[tuple[Any, int]] = [(tree, 0)]
    count = 0
    while waiting:
        part, depth = waiting.pop()
        count += 1
        if count > LARGEST_TREE or depth > DEEPEST_TREE:
            raise Fault("web.tree-too-large", nodes=LARGEST_TREE, plies=DEEPEST_TREE)
        if isinstance(part, list):
            waiting += [(child, depth + 1) for child in part]
        elif isinstance(part, bool) or not isinstance(part, int | float) or not abs(part) <= 1e9:
            raise Fault("web.tree-form")


def _position_lesson(asked: PositionLesson, heuristic: Heuristic) -> TreeLesson:
    position = position_in(asked.position)
    if position.is_over:
        raise Fault("lesson.game-over")
    found = position_tree(position, asked.depth, lambda one: value_of(heuristic, one), asked.width)
    return _tree_lesson(found.root, asked.algorithm, found)


def _tree_lesson(root: teaching.Node, algorithm: teaching.Algorithm, found: PositionTree | None = None) -> TreeLesson:
    data = teaching.search(root, algorithm).data()
    nodes = []
    for node in root.walk():
        position = found.positions[node.id] if found else None
        move = square_name(found.moves[node.id]) if found and node.id in found.moves else None
        nodes.append(
            {
                "id": node.id,
                "parent": node.id[:-1] or None,
                "label": move or node.id,
                "move": move,
                "value": node.value,
                "maximizes": len(node.id) % 2 == 1,
                "turn": color_name(position.turn) if position else None,
                "board": board_marks(position) if position else None,
            }
        )
    return TreeLesson.model_validate({"kind": "tree", **data, "nodes": nodes})


def _playouts(asked: MonteCarloLesson) -> PlayoutLesson:
    grown = grow(position_in(asked.position), asked.playouts, asked.c, asked.seed)
    return PlayoutLesson.model_validate(
        {
            "kind": "montecarlo",
            "playouts": asked.playouts,
            "best": grown.best.id,
            "nodes": [
                {
                    "id": one.id,
                    "parent": one.id[:-1] or None,
                    "label": "" if one.move is None else square_name(one.move),
                    "move": None if one.move is None else square_name(one.move),
                    "visits": one.visits,
                    "value": one.mean,
                    "turn": color_name(one.position.turn),
                    "board": board_marks(one.position),
                    "born": one.born,
                }
                for one in grown.branches
            ],
            "steps": [
                {"path": list(one.path), "ucb": one.ucb or None, "expanded": one.expanded, "result": one.result}
                for one in grown.playouts
            ],
        }
    )
