"""Where games begin."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outflank.arena import openings as room
from outflank.arena.contest import Opening
from outflank.arena.openings import FromFile, game_from, openings_named, usual_plies
from outflank.board.game import Game
from outflank.board.position import Position
from outflank.board.variant import OTHELLO, Variant

SIX = Variant.named("6x6")


def listed(text: str, variant: Variant = OTHELLO, seed: int = 0, count: int = 30) -> list[Opening]:
    openings = openings_named(text, variant, seed)
    return [openings[pair] for pair in range(count)]


@given(st.integers(0, 2**32 - 1), st.sampled_from(["othello", "reversed", "6x6", "5x7-parallel"]))
def test_random_openings_have_their_plies_and_are_distinct(seed: int, name: str) -> None:
    variant = Variant.named(name)
    games = [game_from(opening, variant) for opening in listed("random:8", variant, seed, 12)]
    assert all(len(game.transcript) == 16 and not game.is_over for game in games)
    forms = {game.position.canonical() for game in games}
    assert len(forms) == len(games)


def test_openings_follow_from_the_seed_and_the_number_of_the_pair() -> None:
    assert listed("random:8", seed=1) == listed("random:8", seed=1)
    assert listed("random:8", seed=1, count=40)[:20] == listed("random:8", seed=1, count=20)
    assert listed("random:8", seed=1) != listed("random:8", seed=2)
    backwards = openings_named("random:8", OTHELLO, 1)
    assert [backwards[pair] for pair in reversed(range(30))] == listed("random:8", seed=1)[::-1]


def test_a_small_board_runs_out_of_openings_and_repeats_them() -> None:
    """Turned and mirrored, the first move of a game is always the same one, and the second one of three."""
    four = Variant.named("4x4")
    assert len({game_from(one, four).position.canonical() for one in listed("random:1", four)}) == 1
    assert len({game_from(one, four).position.canonical() for one in listed("random:2", four)}) == 3


def test_start_is_the_start() -> None:
    assert listed("start", count=3) == [Opening()] * 3
    assert game_from(Opening(), SIX).position == Position.start(SIX)


@pytest.mark.parametrize(("name", "plies"), [("othello", 8), ("6x6", 8), ("4x4", 3), ("5x5", 5)])
def test_random_openings_are_shorter_on_small_boards(name: str, plies: int) -> None:
    variant = Variant.named(name)
    assert usual_plies(variant) == plies
    assert openings_named("", variant, 0).name == openings_named("random", variant, 0).name == f"random:{plies}"


@pytest.mark.parametrize("name", ["6x6", "reversed-6x6", "4x4"])
def test_balanced_openings_are_nearer_to_even_than_random_ones(name: str) -> None:
    variant = Variant.named(name)
    plies = usual_plies(variant)

    def imbalance(kind: str) -> list[float]:
        return [room.imbalance(game_from(one, variant), plies) for one in listed(kind, variant, 5, 10)]

    assert sum(imbalance("balanced")) <= sum(imbalance("random"))
    if name != "4x4":  # which has too few
        assert imbalance("balanced") == [0] * 10
        assert sum(one == 0 for one in imbalance("random")) < 8


def test_balanced_openings_are_distinct_and_name_their_judge() -> None:
    openings = openings_named("balanced:7", OTHELLO, 3)
    assert len({game_from(openings[pair], OTHELLO).position.canonical() for pair in range(10)}) == 10
    assert openings.name.startswith("balanced:7 by engine at depth ")


def test_a_file_of_transcripts_is_played_in_order_and_again(tmp_path: Path) -> None:
    file = tmp_path / "lines.txt"
    file.write_text("f5d6c3\nf5f6e6\n")
    assert [one.moves for one in listed(str(file), count=5)] == ["f5d6c3", "f5f6e6", "f5d6c3", "f5f6e6", "f5d6c3"]


def test_a_file_of_positions_gives_starts_of_their_own(tmp_path: Path) -> None:
    position = Game.from_transcript("f5d6c3").position
    file = tmp_path / "suite.obf"
    file.write_text(f"{position.text};\n")
    (opening,) = listed(str(file), count=1)
    assert game_from(opening, OTHELLO).position == position
    # A board does not say who wins: the same file serves the other objective.
    reversed_game = Variant.named("reversed")
    (opening,) = listed(str(file), reversed_game, count=1)
    assert game_from(opening, reversed_game).position.variant == reversed_game


def test_the_name_of_a_file_follows_its_content(tmp_path: Path) -> None:
    file = tmp_path / "lines.txt"
    file.write_text("f5d6c3\n")
    before = openings_named(str(file), OTHELLO, 0)
    assert before.name == openings_named(str(file), OTHELLO, 1).name
    file.write_text("f5f6e6\n")
    after = openings_named(str(file), OTHELLO, 0)
    assert isinstance(after, FromFile)
    assert before.name != after.name
    assert after.name.startswith("lines.txt@")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("random:0", "1 to 59 plies"),
        ("random:60", "1 to 59 plies"),
        ("random:x", "neither a kind of opening nor a file"),
        ("nowhere.txt", "neither a kind of opening nor a file"),
        ("standard", "write start"),
    ],
)
def test_what_is_no_opening_is_explained(text: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        openings_named(text, OTHELLO, 0)


def test_files_that_cannot_be_openings_are_explained(tmp_path: Path) -> None:
    file = tmp_path / "games.txt"
    file.write_text("f5d6c3\nf5d6c3d3c4f4c5b3c2e3d2c6b4\nf5f6e6f4e3c5c4e7c6e2f3\n")
    assert len(listed(str(file), count=3)) == 3
    whole = Game()
    while not whole.is_over:
        whole.push(whole.position.legal_moves[0])
    file.write_text(f"f5d6c3\n{whole.transcript}\n")
    with pytest.raises(ValueError, match="opening 2 is a finished game"):
        openings_named(str(file), OTHELLO, 0)
    file.write_text(f"{Position.start(SIX).text};\n")
    with pytest.raises(ValueError, match="6x6"):
        openings_named(str(file), OTHELLO, 0)
