"""A player taken apart: what it would play and why, also with edited weights."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from outflank.agents.agent import Agent
from outflank.agents.spec import Spec, agent
from outflank.board.game import Game
from outflank.board.position import Position
from outflank.board.squares import parse_square, square_name
from outflank.board.variant import Variant
from outflank.errors import Fault
from outflank.heuristics.heuristic import Heuristic
from outflank.heuristics.weighted import WeightedHeuristic
from outflank.patterns.explanation import NAMES, PatternTables, explain_patterns
from outflank.search.driver import Interruption, ended_after, interruptible
from outflank.search.limits import Limit
from outflank.search.teaching.montecarlo import Advice
from outflank.web import thinking
from outflank.web.notes import Thought
from outflank.web.players import has_written_weights
from outflank.web.schemas import Choice
from outflank.web.weights import Weights as Code
from outflank.web.weights import searcher

PATIENCE = 1.5
"""Seconds that a player has for its move here, and again for the values of the others: somebody waits for it."""
Weights = Mapping[str, tuple[float, ...]]
_code = Code()


def heuristic_of(spec: Spec, variant: Variant) -> Heuristic | None:
    """What a player that searches a tree holds a position to be worth."""
    found = searcher(agent(spec))
    if found is not None:
        found.become(variant)
    return None if found is None else found.heuristic


def choice(spec: Spec, position: Position, weights: Weights | None = None) -> Choice | None:
    """The move that a player chooses, and what it makes of the others; None where the game is over or it finds none."""
    if not position.legal:
        return None
    player, game = agent(spec), Game(position)
    try:
        with _tuned(player, spec, position.variant, weights):
            player.start(position.variant, position.turn, 0)
            return _choice(spec, player, game)
    finally:
        player.close()


@contextmanager
def _tuned(player: Agent, spec: Spec, variant: Variant, weights: Weights | None) -> Iterator[None]:
    """Gives a player the weights that somebody tries, or those in its spec that a page has written. They are memory: to
    compile them would take longer than the search."""
    found = searcher(player)
    if found is not None:
        found.become(variant)
    weighted = found.heuristic if found is not None and isinstance(found.heuristic, WeightedHeuristic) else None
    form = None
    if weights:
        if weighted is None:
            raise Fault("web.no-weights", heuristic=player.spec)
        form = weighted.with_weights({term.name: (1.0,) for term in weighted.terms})
        weighted = weighted.with_weights(weights)
    if found is None or weighted is None or not (weights or has_written_weights(spec)):
        yield
        return
    with _code.lent(weighted, variant, form) as lent:
        found.use(lent)
        yield


def _choice(spec: Spec, player: Agent, game: Game) -> Choice | None:
    limit = Limit(time=PATIENCE) if spec.name == thinking.ENGINE else Limit()
    with _patiently():
        report = player.choose(game, limit)
    if report.score is None and report.depth == 0 and searcher(player) is not None:
        return None  # a depth that was not reached in time
    with _patiently():
        rated = player.rated(game, report, limit)
    unit = "discs" if report.decided else thinking.unit(spec)
    return Choice(
        move=square_name(report.move),
        score=report.score,
        exact=report.exact,
        depth=report.depth or None,
        unit=unit,
        seconds=report.seconds,
        by=str(spec),
        text=report.text[:200],
        thought=Thought.of(replace(report, values=thinking.compared(report, rated, unit))),
    )


@contextmanager
def _patiently() -> Iterator[None]:
    stop = Interruption()
    with ended_after(PATIENCE, stop), interruptible(stop):
        yield


# Players without a heuristic in words


def patterns_of(spec: Spec, variant: Variant) -> PatternTables | None:
    """The tables of a player that judges by patterns."""
    return PatternTables.named(spec.name, variant) if spec.name in NAMES else None


def patterns_value(tables: PatternTables, position: Position) -> float:
    """What a player that judges by patterns holds a position to be worth to the side to move."""
    return explain_patterns(position, tables).value


def advice_of(spec: Spec, variant: Variant) -> tuple[Advice, float] | None:
    """What a player's learnt tables say of positions, and how much it doubts a move that it has not tried; None where
    it has none."""
    tables = patterns_of(spec, variant)
    if tables is None or tables.policies is None:
        return None

    def advice(position: Position) -> tuple[float, dict[int, float]]:
        seen = explain_patterns(position, tables)
        return seen.expected or 0.0, {parse_square(move): chance for move, chance in seen.moves.items()}

    return advice, float(spec["doubt"] or 0)


def pattern_lines(position: Position, tables: PatternTables) -> dict[str, Any]:
    """What each shape says, as the page shows features."""
    seen = explain_patterns(position, tables)
    shapes = sorted(seen.shares, key=lambda one: -abs(one.share))
    blank = dict.fromkeys(("own", "opp", "counts", "weight", "weights"))
    after = {move: explain_patterns(position.play(move), tables).value for move in position.legal_moves}
    return {
        "value": seen.value,
        "features": [{"name": f"{one.squares} ×{one.places}", "share": one.share, **blank} for one in shapes],
        "heat": {square_name(move): -value for move, value in after.items()},
    }


def report_values(chosen: Choice | None) -> dict[str, float | None]:
    """A player's own values of the moves, for the board."""
    return (
        {} if chosen is None or chosen.thought is None else {one.move: one.value for one in chosen.thought.candidates}
    )
