"""The guided tree search: the compiled tree is the plain one's, node for node, and it does what its guide says."""

from functools import cache
from pathlib import Path
from typing import Any

import gridboard
import naive_guided as naive
import naive_montecarlo
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from strategies import played_positions, words
from test_montecarlo import compiled_tree, plain_tree

from outflank.agents.alphazero import GuidedPlayer
from outflank.agents.spec import agent
from outflank.board.game import Game
from outflank.board.position import Position
from outflank.board.squares import Color
from outflank.board.variant import OTHELLO, REVERSED, Variant
from outflank.patterns.guides import Guide, Tables, guide_shape, shipped_tables
from outflank.patterns.shapes import require_patterns
from outflank.search.limits import Clock, Limit
from outflank.search.montecarlo.guided import GuidedOptions, GuidedSearch

SMALL, SMALL_REVERSED = Variant.named("6x6"), Variant.named("reversed-6x6")
VARIANTS = [SMALL, SMALL_REVERSED, OTHELLO, REVERSED]


@cache
def any_guide(variant: Variant, seed: int = 1) -> Guide:
    """Tables without sense, alike where patterns are."""
    patterns, dice = require_patterns(variant), np.random.default_rng(seed)
    shape = guide_shape(variant)
    values, policies = (dice.integers(-400, 400, shape).astype(np.int16)[:, patterns.canonical()] for _ in range(2))
    return Guide(variant, values, policies, {"seed": seed})


def searched(
    position: Position, options: GuidedOptions, guide: Guide | None, seed: int, playouts: int
) -> tuple[GuidedSearch, Any]:
    search = GuidedSearch(options, seed)
    search.guide(None if guide is None else Tables(guide))
    return search, search.run(position, Limit(playouts=playouts))


def reference(search: GuidedSearch, position: Position, guide: Guide | None) -> naive.Search:
    variant, chosen = position.variant, search.options
    return naive.Search(
        position.own,
        position.opp,
        gridboard.grid(variant.rows, variant.columns),
        variant.reversed,
        naive_montecarlo.Dice(search._random_state(position, 0)),
        chosen.c,
        guide=guide,
        doubt=chosen.doubt,
    )


@settings(max_examples=40)
@given(
    played_positions(st.sampled_from(VARIANTS)),
    st.builds(
        GuidedOptions,
        c=st.sampled_from([0.0, 0.7, 1.5, 4.0]),
        doubt=st.sampled_from([0.0, 0.2, 1.0]),
        memory=st.just(8.0),
    ),
    st.booleans(),
    st.integers(1, 60),
    words,
)
def test_the_tree_is_the_reference_s(
    position: Position, options: GuidedOptions, guided: bool, playouts: int, seed: int
) -> None:
    assume(position.legal)
    guide = any_guide(position.variant) if guided else None
    search, report = searched(position, options, guide, seed, playouts)
    truth = reference(search, position, guide)
    assert truth.run(playouts) == report.nodes == search.simulations
    assert compiled_tree(search) == plain_tree(truth.root)
    assert report.move in position.legal_moves


@pytest.mark.parametrize("variant", VARIANTS, ids=str)
def test_chances_are_the_policy_s(variant: Variant) -> None:
    position, guide = Position.start(variant).play(Position.start(variant).legal_moves[0]), any_guide(variant)
    search, _ = searched(position, GuidedOptions(memory=1), guide, 1, 1)
    expected = reference(search, position, guide).chances(position.own, position.opp)
    assert list(search.priors().values()) == pytest.approx(expected, abs=1e-4)
    assert max(expected) > 1.3 * min(expected), "a policy that says nothing tests nothing"


def leaning(variant: Variant, square: int, logit: float) -> Guide:
    """A guide that knows one thing: how likely a move on a square is (and its mirror images)."""
    patterns = require_patterns(variant)
    shape = guide_shape(variant)
    policies = np.zeros(shape, np.int16)
    for pattern in patterns.patterns:
        for place in pattern.places:
            if square in place:
                numbers = np.arange(pattern.size)
                own_there = numbers // 3 ** place.index(square) % 3 == 1
                policies[:, pattern.offset + numbers[own_there]] = round(1024 * logit)
    return Guide(variant, np.zeros(shape, np.int16), policies[:, patterns.canonical()], {})


@pytest.mark.parametrize("logit", [2.0, -2.0])
def test_the_search_goes_where_the_policy_points(logit: float) -> None:
    """With a value that says nothing, visits follow the chances: a search that ignored them could not pass."""
    game = Game(SMALL)
    for move in ("c2", "b2"):
        game.push(move)
    position = game.position
    square = position.legal_moves[0]
    guide = leaning(SMALL, square, logit)
    search, report = searched(position, GuidedOptions(memory=8), guide, 1, 200)
    visits = {one.move: one.visits for one in search.candidates()}
    priors = search.priors()
    likeliest, least = max(priors, key=priors.__getitem__), min(priors, key=priors.__getitem__)
    assert priors[likeliest] > 2 * priors[least]
    assert visits[likeliest] > 1.5 * visits[least]
    assert visits[report.move] == max(visits.values())
    assert f"{max(visits.values())} visits, policy {100 * max(priors.values()):.0f} %" in report.text


@pytest.mark.parametrize("variant", [SMALL, SMALL_REVERSED], ids=str)
def test_a_proof_beats_every_guide(variant: Variant) -> None:
    """However wrong its tables, near the end the result is exact: it finds what brute force finds."""
    from naive_learning import solved

    proven = 0
    for seed in range(6):
        game, dice = Game(variant), np.random.default_rng(seed)
        while not game.is_over and game.position.empties > 6:
            game.push(int(dice.choice(game.position.legal_moves)))
        if game.is_over or not game.position.legal:
            continue
        _, report = searched(game.position, GuidedOptions(memory=8), any_guide(variant), seed, 20_000)
        assert report.exact
        assert report.score == np.sign(solved(game.position))
        proven += 1
    assert proven >= 3


def test_the_same_seed_gives_the_same_search() -> None:
    position, options = Position.start(OTHELLO), GuidedOptions(memory=8)
    first, again = (searched(position, options, any_guide(OTHELLO), 5, 500) for _ in range(2))
    assert compiled_tree(first[0]) == compiled_tree(again[0])
    assert first[1].pv == again[1].pv


def test_the_tree_is_kept_through_a_game() -> None:
    players = [agent("alphazero:playouts=300,weights=none,memory=8") for _ in range(2)]
    game = Game(SMALL)
    for color, player in zip(Color, players, strict=True):
        player.start(SMALL, color, 1)
    kept = 0
    for _ in range(10):
        report = players[game.position.turn].choose(game, Limit())
        kept += "kept" in report.text
        game.push(report.move)
    assert kept >= 6


def test_limits_are_kept() -> None:
    game = Game(OTHELLO)
    player = agent("alphazero:memory=8")
    assert player.choose(game, Limit()).nodes == 800
    assert player.choose(game, Limit(playouts=30)).nodes == 30
    assert player.choose(game, Limit(nodes=20, playouts=30)).nodes == 20
    assert agent("alphazero:memory=8,playouts=40").choose(game, Limit(time=9)).nodes == 40
    assert player.choose(game, Limit(time=0.02, playouts=10**12)).nodes < 10**12
    assert player.choose(game, Limit(clock=Clock(1.0))).move in game.position.legal_moves


def test_threads_lose_no_visit() -> None:
    position = Position.start(OTHELLO)
    search, report = searched(position, GuidedOptions(threads=2, memory=32), any_guide(OTHELLO), 1, 3000)
    assert report.nodes == 3000 == sum(one.visits for one in search.candidates())


def test_a_full_tree_goes_on_without_growing() -> None:
    _, report = searched(Position.start(OTHELLO), GuidedOptions(memory=0.1), any_guide(OTHELLO), 1, 5000)
    assert report.nodes == 5000 and "tree full" in report.text


@pytest.mark.parametrize("variant", [Variant.named("4x4"), Variant.named("reversed-5x7")], ids=str)
def test_boards_without_tables_are_played_by_chance(variant: Variant) -> None:
    report = agent("alphazero:memory=8").choose(Game(variant), Limit(playouts=50))
    assert report.move in Position.start(variant).legal_moves and "untrained" in report.text


def test_the_roster_s_defaults_are_the_search_s() -> None:
    player = agent("alphazero")
    assert isinstance(player, GuidedPlayer) and player.search.options == GuidedOptions()


# Files


def test_a_guide_survives_its_file(tmp_path: Path) -> None:
    guide = any_guide(SMALL_REVERSED)
    file = tmp_path / "mine.npz"
    guide.save(file)
    found = Guide.load(file)
    assert (found.values == guide.values).all() and (found.policies == guide.policies).all()
    assert (found.variant, found.provenance, found.digest) == (guide.variant, guide.provenance, guide.digest)
    report = agent(f"alphazero:weights={file},playouts=50,memory=8").choose(Game(SMALL_REVERSED), Limit())
    assert "untrained" not in report.text


def test_wrong_files_are_told_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="there is no weights file"):
        agent(f"alphazero:weights={tmp_path / 'none.npz'}")
    for name, content in (("text.npz", b"not a file of numbers"), ("empty.npz", b"")):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(ValueError, match="has no tables made by `outflank learn alphazero`"):
            agent(f"alphazero:weights={tmp_path / name}")
    np.savez(tmp_path / "other.npz", changes=np.zeros(3), about=np.array('{"format": 2}'))
    with pytest.raises(ValueError, match="has no tables"):
        agent(f"alphazero:weights={tmp_path / 'other.npz'}")
    any_guide(SMALL).save(tmp_path / "small.npz")
    with pytest.raises(ValueError, match=r"was learnt for 6x6, not for othello"):
        agent(f"alphazero:weights={tmp_path / 'small.npz'}").choose(Game(OTHELLO), Limit(playouts=5))


@pytest.mark.parametrize("variant", VARIANTS, ids=str)
def test_what_is_shipped_fits_its_variant(variant: Variant) -> None:
    tables = shipped_tables(variant)
    assert tables is not None and tables.guide.rules == variant
    assert tables.guide.provenance["method"] == "alphazero"
