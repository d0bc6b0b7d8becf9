"""The players that search a tree: minimax, alphabeta, corner-shy, phased, self-taught and dynamic."""

from dataclasses import replace
from typing import Any

import pytest
from searching import ordinary, random_games

from outflank.agents import corner_shy, dynamic, phased, self_taught
from outflank.agents.classic import SearchPlayer
from outflank.agents.roster import ROSTER
from outflank.agents.spec import agent, parse
from outflank.agents.wrappers import Wrapper
from outflank.board.game import Game
from outflank.board.position import Position
from outflank.board.squares import Color
from outflank.board.variant import Variant
from outflank.heuristics import learnt
from outflank.heuristics.named import NAMED
from outflank.heuristics.phases import usual_matrix
from outflank.heuristics.weighted import WeightedHeuristic
from outflank.search.limits import Limit, Report

CLASSIC = ("minimax", "alphabeta", "corner-shy", "phased", "self-taught", "dynamic")
OTHELLO = Variant()
NO_LIMIT = Limit()
A1, C1 = 0, 2


def asked(spec: str, position: Position, limit: Limit = NO_LIMIT) -> Report:
    player = agent(spec)
    player.start(position.variant, position.turn, 0)
    return player.choose(Game(position), limit)


def inside(spec: str) -> SearchPlayer:
    """The player without the wrappers that a spec puts around it."""
    player = agent(spec)
    while isinstance(player, Wrapper):
        player = player.player
    assert isinstance(player, SearchPlayer)
    return player


def weights_of(spec: str) -> dict[str, tuple[float, ...]]:
    chosen = inside(spec).heuristic
    assert isinstance(chosen, WeightedHeuristic)
    return {term.name: term.weights for term in chosen.terms}


# All of them


@pytest.mark.parametrize(
    "variant", ["othello", "reversed", "6x6-mirrored", "reversed-5x7", "4x4", "reversed-4x8-parallel"]
)
@pytest.mark.parametrize("name", CLASSIC)
def test_a_player_plays_whole_games_on_every_variant(name: str, variant: str) -> None:
    game = Game(Variant.named(variant))
    players = [agent(f"{name}:depth=2"), agent("greedy")]
    for color, player in enumerate(players):
        player.start(game.variant, Color(color), 1)
    while not game.is_over:
        game.push(players[game.position.turn].choose(game, Limit()).move)
    assert game.outcome() is not None


@pytest.mark.parametrize("name", CLASSIC)
def test_a_report_is_complete(name: str) -> None:
    report = asked(f"{name}:depth=3", Position.start())
    assert report.depth == 3
    assert report.nodes > 10
    assert report.seconds > 0
    assert report.score is not None
    assert len(report.pv) == 3


@pytest.mark.parametrize("name", CLASSIC)
def test_a_limit_given_holds_instead_of_the_players_own_plan(name: str) -> None:
    assert asked(name, Position.start(), Limit(depth=2)).depth == 2
    assert asked(name, Position.start(), Limit(nodes=50)).nodes <= 50
    assert asked(f"{name}:depth=1", Position.start(), Limit(depth=3)).depth == 1


@pytest.mark.parametrize("name", CLASSIC)
def test_the_same_question_has_the_same_answer(name: str) -> None:
    for position in ordinary(OTHELLO, 2, 61):
        one, other = (replace(asked(f"{name}:depth=3", position), seconds=0.0) for _ in range(2))
        assert one == other


@pytest.mark.parametrize("name", CLASSIC)
def test_every_option_of_a_spec_is_taken(name: str) -> None:
    for option in ROSTER[name].options:
        choices: tuple[Any, ...] = option.kind if isinstance(option.kind, tuple) else (option.default,)
        for choice in choices:
            player = agent(f"{name}:{option.name}={'yes' if choice is True else choice},depth=1")
            assert player.choose(Game(), Limit()).move in Position.start().legal_moves


def test_all_searches_of_one_heuristic_agree() -> None:
    """The author of `dynamic` could not get alpha-beta to play as minimax does."""
    for position in (*ordinary(OTHELLO, 3, 62), *ordinary(Variant.named("reversed-6x6"), 3, 62)):
        specs = ["dynamic:search=minimax,depth=3", "dynamic:depth=3", "minimax:depth=3", "alphabeta:depth=3"]
        specs += [f"alphabeta:ordering={way},deepening=yes,depth=3" for way in ("square", "weight", "mobility")]
        answers = {(report.move, report.score) for report in (asked(spec, position) for spec in specs)}
        assert len(answers) == 1


def test_first_moves_at_random_as_000s_opponents_play() -> None:
    first = {
        asked(f"alphabeta:depth=1,openings=2,heuristic={name}", Position.start()).depth for name in ("discs", "static")
    }
    assert first == {0}, "chosen without a search"
    moves = set()
    for seed in range(12):
        player = agent("phased:openings=1,depth=1")
        player.start(OTHELLO, Color.BLACK, seed)
        moves.add(player.choose(Game(), Limit()).move)
    assert len(moves) > 1


@pytest.mark.parametrize(
    "spec", ["alphabeta:heuristic=nobody", "minimax:heuristic=./no.py:edges", "dynamic:heuristic=static2"]
)
def test_a_heuristic_that_is_not_there(spec: str) -> None:
    with pytest.raises(ValueError, match=r"heuristic|no file"):
        agent(spec)


# `corner-shy`


def test_corner_shy_takes_its_weights_from_the_spec() -> None:
    assert weights_of("corner-shy") == {term.name: term.weights for term in NAMED["corner-shy"].terms}
    changed = weights_of("corner-shy:squares=2,stable=-3,frontier=0.5,moves=7")
    assert changed == {"squares": (2,), "stable": (-3,), "frontier": (0.5,), "moves": (7,)}


def test_corner_shy_values_as_its_heuristic_does() -> None:
    variant = Variant.named("reversed")
    for position in ordinary(variant, 5, 63):
        one = inside("corner-shy").heuristic
        assert one.value(position.own, position.opp, variant) == NAMED["corner-shy"].value(
            position.own, position.opp, variant
        )


def test_corner_shy_with_another_corner_and_its_printed_counts() -> None:
    variant = Variant.named("reversed")
    corner = Position.from_text("XXXXXXXX" + "-" * 56 + "X", variant)
    own, opp = corner.own, corner.opp
    plain, dear, printed = (
        inside(spec).heuristic.value(own, opp, variant)
        for spec in ("corner-shy", "corner-shy:corner=-250", "corner-shy:counting=printed,frontier=0")
    )
    assert dear == plain - 2 * 150
    without_frontier = inside("corner-shy:frontier=0").heuristic.value(own, opp, variant)
    assert printed == without_frontier - 12 * 8, "its code counts an edge between two corners twice: 16 discs, not 8"


def test_corner_shy_plans_its_depth() -> None:
    """Fewer candidates, deeper: its budget is 5 seconds. Near the end, to the end."""
    variant = Variant.named("reversed")
    game = next(random_games(variant, 1))
    for position in game:
        limit = corner_shy.plan(position)
        assert limit.time == 5
        if position.empties <= corner_shy.SOLVE_FROM:
            assert limit.depth == position.empties
    depths = [depth for _, depth in corner_shy.PLAN]
    assert depths == sorted(depths, reverse=True)
    assert corner_shy.plan(Position.start(variant)).depth == 9  # 4 candidates


# `phased`


def test_phased_can_leave_out_each_of_its_terms() -> None:
    assert set(weights_of("phased")) == {"weighting", "liberty", "stable", "potential liberty"}
    assert set(weights_of("phased:potential=no,stable=no")) == {"weighting", "liberty"}
    assert weights_of("phased:phases=no")["liberty"] == (40,)
    assert weights_of("phased:liberty=7,stable=1/2/3")["liberty"] == (7, 7, 7)
    assert weights_of("phased:liberty=7,stable=1/2/3")["stable"] == (1, 2, 3)
    for wrong in ("maybe", "1/2", "1e9", "nan", "1/x/3"):
        with pytest.raises(ValueError, match="liberty must be yes, no, a weight, or three"):
            agent(f"phased:liberty={wrong}")
    with pytest.raises(ValueError, match="all four terms are switched off"):
        agent("phased:weighting=no,liberty=no,stable=no,potential=no")


def test_phased_looks_deeper_at_the_beginning_and_the_end() -> None:
    game = next(random_games(OTHELLO, 2))
    for position in game:
        limit, discs = phased.plan(position), 64 - position.empties
        assert limit.time == 5
        if discs < 20:
            assert limit.depth == phased.DEPTH_EARLY
        elif discs < 50:
            assert limit.depth == phased.DEPTH_MIDDLE < phased.DEPTH_EARLY
        else:
            assert limit.depth == position.empties


def test_phased_answers_in_time_from_a_depth_it_finished() -> None:
    for position in ordinary(OTHELLO, 3, 64):
        report = asked("phased:time=0.02", position)
        again = asked(f"phased:depth={max(report.depth, 1)}", position)
        if report.depth:
            assert (report.move, report.score) == (again.move, again.score)


# `self-taught`


def test_self_taught_has_both_versions_of_the_piece_values() -> None:
    """The report's table gives version 1 to evaluation 1 and version 2 to evaluation 2; the code of 3 has version 2."""
    position = Game.from_transcript("f5d6c3d3c4").position
    for evaluation, version, table in (("1", 1, "self-taught"), ("2", 2, "learnt"), ("3", 2, "learnt")):
        scores = {
            asked(f"self-taught:evaluation={evaluation},values={values}", position, Limit(depth=2)).score
            for values in ("printed", f"version-{version}", table)
        }
        other = asked(f"self-taught:evaluation={evaluation},values=version-{3 - version}", position, Limit(depth=2))
        assert len(scores) == 1
        assert other.score not in scores


@pytest.mark.parametrize("number", ["1", "2", "3"])
def test_self_taught_has_three_evaluations(number: str) -> None:
    expected = {term.name: term.weights for term in NAMED[f"evaluation-{number}"].terms}
    assert weights_of(f"self-taught:evaluation={number}") == expected


def test_self_taught_takes_another_table_of_piece_values() -> None:
    position = Game.from_transcript("f5f6").position
    own, opp = position.own, position.opp
    values = {
        table: inside(f"self-taught:values={table},evaluation=1").heuristic.value(own, opp, OTHELLO)
        for table in ("self-taught", "static", "phased")
    }
    assert len(set(values.values())) == 3
    with pytest.raises(ValueError, match="'mine' is not a table of square values: the tables are"):
        agent("self-taught:values=mine")


@pytest.mark.parametrize("variant", ["othello", "6x6", "reversed", "reversed-6x6", "reversed-5x7"])
def test_self_taught_plays_with_the_values_learnt_for_the_game(variant: str) -> None:
    """They are its default; the hand-made ones stay by name."""
    rules = Variant.named(variant)
    position = ordinary(rules, 1, 65)[0]
    own, by_name = (asked(f"self-taught{values}", position, Limit(depth=1)) for values in ("", ":values=learnt"))
    assert (own.move, own.score) == (by_name.move, by_name.score)
    assert asked("self-taught:values=self-taught", position, Limit(depth=1)).score != own.score
    best, worst = (A1, C1) if rules.objective == "most" else (C1, A1)
    heuristic = learnt.learnt("self-taught", rules)
    table = usual_matrix(heuristic)
    assert table[best // 8][best % 8] > table[worst // 8][worst % 8]


@pytest.mark.parametrize("name", ["corner-shy", "phased", "dynamic"])
def test_learnt_weights_are_an_option_and_the_seeds_own_the_default(name: str) -> None:
    for variant in ("othello", "reversed-6x6"):
        position = ordinary(Variant.named(variant), 1, 65)[0]
        plain, own, learnt = (
            asked(f"{name}{weights}", position, Limit(depth=2)) for weights in ("", ":weights=own", ":weights=learnt")
        )
        assert (plain.move, plain.score) == (own.move, own.score)
        assert learnt.score != own.score


def test_self_taught_has_three_searches_that_agree() -> None:
    position = ordinary(Variant.named("6x6-mirrored"), 1, 65)[0]
    reports = [asked(f"self-taught:search={way},depth=4", position) for way in ("minimax", "alphabeta", "iterative")]
    assert len({(report.move, report.score) for report in reports}) == 1
    minimax, alphabeta, iterative = (report.nodes for report in reports)
    assert alphabeta < minimax
    assert alphabeta < iterative < minimax


def test_self_taught_looks_to_the_end_when_it_is_near() -> None:
    position = next(here for here in next(random_games(OTHELLO, 3)) if here.empties == 8)
    assert self_taught.plan(position).depth == 8
    assert asked("self-taught", position).exact
    assert self_taught.plan(Position.start()).depth == self_taught.DEPTH


# `dynamic`


@pytest.mark.parametrize("part", ["combined", "parity", "mobility", "corners", "stability", "static"])
def test_dynamic_plays_with_each_of_its_parts(part: str) -> None:
    assert inside(f"dynamic:heuristic={part}").heuristic == NAMED[part]


def test_dynamic_without_pruning_looks_less_deep() -> None:
    assert dynamic.plan(Position.start()).depth == 6
    assert dynamic.plan_minimax(Position.start()).depth == 4


def test_the_five_are_in_the_roster() -> None:
    assert {"corner-shy", "mini-go", "phased", "self-taught", "dynamic"} <= ROSTER.keys()
    assert parse("phased").name == "phased"
