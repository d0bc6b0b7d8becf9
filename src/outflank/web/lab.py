"""The laboratory: how a heuristic sees a position, and how a small search goes, step by step."""

from functools import partial
from typing import Any

from fastapi import APIRouter, Response

from outflank.agents.spec import Spec
from outflank.board.position import Position
from outflank.board.squares import Color, square_name, squares_of
from outflank.board.variant import Variant
from outflank.errors import Fault
from outflank.heuristics.explanation import lines_of
from outflank.heuristics.features import MASKS, WEIGHTS
from outflank.heuristics.heuristic import Heuristic
from outflank.heuristics.named import find
from outflank.heuristics.weighted import WeightedHeuristic
from outflank.search.limits import without_finish
from outflank.search.teaching import trees as teaching
from outflank.search.teaching.montecarlo import grow, grow_with
from outflank.search.teaching.positions import position_tree
from outflank.web import apart
from outflank.web.routes import REFUSALS
from outflank.web.schemas import (
    BracketsLesson,
    ExampleLesson,
    ExampleOut,
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
from outflank.web.views import board_marks, color_name, names
from outflank.work.held import held

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
    """Why a heuristic values a position as it does, also with edited weights."""
    position = position_in(asked.position)
    weights = {name: tuple(one) for name, one in (asked.weights or {}).items()}
    if asked.player is not None:
        spec = server.players.chosen(asked.player).spec
        return await server.lanes.run("slow", visitor, lambda: taken_apart(position, spec, weights))
    heuristic = tuned(server.players.heuristic(asked.heuristic), weights)
    found = await server.lanes.run("quick", visitor, lambda: explained(position, heuristic))
    return Explained.model_validate({"heuristic": asked.heuristic, "choice": None, **found})


def tuned(heuristic: Heuristic, weights: dict[str, tuple[float, ...]]) -> Heuristic:
    """A heuristic with other weights, where there are any."""
    if not weights:
        return heuristic
    if not isinstance(heuristic, WeightedHeuristic):
        raise Fault("web.no-weights", heuristic=heuristic.name)
    return heuristic.with_weights(weights)


def taken_apart(position: Position, spec: Spec, weights: dict[str, tuple[float, ...]]) -> Explained:
    """Why a player plays what it plays: its own heuristic, or what its patterns say, and its choice."""
    chosen = apart.choice(spec, position, weights)
    heuristic = apart.heuristic_of(spec, position.variant)
    if heuristic is not None:
        found = {"heuristic": heuristic.name, **explained(position, tuned(heuristic, weights))}
    else:
        tables = apart.patterns_of(spec, position.variant)
        found = {
            **about(position),
            "heuristic": "" if tables is None else tables.name,
            "heat": apart.report_values(chosen),
            **({} if tables is None else apart.pattern_lines(position, tables)),
        }
    return Explained.model_validate({**found, "choice": chosen})


def about(position: Position) -> dict[str, Any]:
    """What there is to say of a position without a heuristic."""
    return {
        "summary": "",
        "objective": None,
        "turn": color_name(position.turn),
        "phase": None,
        "phases": 1,
        "value": None,
        "features": [],
        "squares": None,
        "classes": {color_name(color): _classes(position, color) for color in Color},
    }


def value_of(heuristic: Heuristic, position: Position) -> float:
    """The heuristic's value. A sum with new weights is added up here: to compile it would take longer than to ask."""
    if isinstance(heuristic, WeightedHeuristic):
        return sum(line.share or 0.0 for line in heuristic.lines(position.own, position.opp, position.variant))
    return heuristic.value(position.own, position.opp, position.variant)


def explained(position: Position, heuristic: Heuristic) -> dict[str, Any]:
    phases: tuple[int, ...] = ()
    phase, weights = None, {}
    lines = list(lines_of(position, heuristic))
    if isinstance(heuristic, WeightedHeuristic):
        phases, weights = heuristic.phases, {term.name: term.weights for term in heuristic.terms}
        phase = heuristic.phase((position.own | position.opp).bit_count(), position.variant) if phases else None
    else:
        lines = [line for line in lines if not line.name.endswith(("_discs", "_squares"))]
    return {
        **about(position),
        "summary": heuristic.summary,
        "objective": heuristic.objective,
        "phase": phase,
        "phases": len(phases) + 1,
        "value": value_of(heuristic, position),
        "features": [{**vars(line), "weights": weights.get(line.name)} for line in lines],
        "heat": {square_name(move): -value_of(heuristic, position.play(move)) for move in position.legal_moves},
        "squares": _square_table(position, heuristic),
    }


def _square_table(position: Position, heuristic: Heuristic) -> list[list[float]] | None:
    """The values of single squares, where the heuristic has such a table, as they count here."""
    if not isinstance(heuristic, WeightedHeuristic):
        return None
    variant = position.variant
    lines = heuristic.lines(position.own, position.opp, variant)
    for term, line in zip(heuristic.terms, lines, strict=True):
        if term.feature in WEIGHTS.values():
            scale = (line.weight or 0.0) * term.scale
            return [
                [
                    scale * float(term.feature(1 << (8 * row + column), 0, variant.board))
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
    return Examples(
        examples=[
            ExampleOut(id=name, title=one.title, note=one.note, algorithm=ALGORITHMS.get(name, "alphabeta"))
            for name, one in teaching.EXAMPLES.items()
        ]
    )


@router.post("/lessons", response_model=TreeLesson | PlayoutLesson)
async def lesson(asked: LessonAsked, server: Server, visitor: Visitor) -> Response:
    """A small search with every step recorded."""
    if isinstance(asked, MonteCarloLesson):
        guide = None if asked.player is None else server.players.chosen(asked.player).spec
        return await server.answer(visitor, playout_lesson, asked, guide)
    if isinstance(asked, PositionLesson):
        spec = None if asked.player is None else server.players.chosen(asked.player).spec
        return await server.answer(visitor, position_lesson, asked, spec, server.players.source(asked.heuristic))
    return await server.answer(visitor, written_lesson, asked)


def written_lesson(asked: ExampleLesson | RandomLesson | BracketsLesson) -> TreeLesson:
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


def position_lesson(asked: PositionLesson, spec: Spec | None, heuristic_source: str) -> TreeLesson:
    """A player's search, or one by a heuristic that is named by where it comes from."""
    position = position_in(asked.position)
    heuristic = held(find, heuristic_source) if spec is None else apart.heuristic_of(spec, position.variant)
    tables = None if spec is None or heuristic else apart.patterns_of(spec, position.variant)
    if heuristic is not None:
        value = partial(value_of, heuristic)
    elif tables is not None:
        value = partial(apart.patterns_value, tables)
    else:
        raise Fault("web.no-tree", player=asked.player)
    if position.is_over:
        raise Fault("lesson.game-over")
    root = position_tree(position, asked.depth, value, asked.width)
    return _tree_lesson(root, asked.algorithm)


def _tree_lesson(root: teaching.Node, algorithm: teaching.Algorithm) -> TreeLesson:
    data = teaching.search(root, algorithm).data()
    data["value"], _ = without_finish(data["value"])
    data["steps"] = [_step(step) for step in data["steps"]]
    nodes = []
    for node in root.walk():
        position, move = node.position, None if node.move is None else square_name(node.move)
        nodes.append(
            {
                "id": node.id,
                "parent": node.id[:-1] or None,
                "label": move or node.id,
                "move": move,
                **_told(node.value),
                "maximizes": len(node.id) % 2 == 1,
                "turn": color_name(position.turn) if position else None,
                "board": board_marks(position) if position else None,
            }
        )
    return TreeLesson.model_validate({"kind": "tree", **data, "nodes": nodes})


def _told(value: float | None) -> dict[str, Any]:
    """A value as the page shows it: of a finished game its margin, which still counts above every estimate."""
    shown, decided = (None, False) if value is None else without_finish(value)
    return {"value": shown, "decided": decided}


def _step(step: dict[str, Any]) -> dict[str, Any]:
    bounds = {name: _told(step[name])["value"] for name in ("alpha", "beta")}
    return {**step, **bounds, **_told(step["value"])}


def playout_lesson(asked: MonteCarloLesson, guide: Spec | None = None) -> PlayoutLesson:
    position = position_in(asked.position)
    advice = None if guide is None else apart.advice_of(guide, position.variant)
    if advice is None:
        grown = grow(position, asked.playouts, asked.c, asked.seed)
    else:
        grown = grow_with(position, asked.playouts, asked.c, *advice)
    return PlayoutLesson.model_validate(
        {
            "kind": "montecarlo",
            "guided": advice is not None,
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
                    "chance": one.chance,
                }
                for one in grown.branches
            ],
            "steps": [
                {
                    "path": list(one.path),
                    "end": board_marks(one.end),
                    "ucb": one.ucb or None,
                    "expanded": one.expanded,
                    "result": one.result,
                }
                for one in grown.playouts
            ],
        }
    )
