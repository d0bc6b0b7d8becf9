"""Who meets whom."""

import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outflank.arena.contest import Player
from outflank.arena.schedule import FORMATS, Format, Pairing, due, ladder_order, most_pairings, pairing, planned

counts = st.integers(2, 24)
seeds = st.integers(0, 2**32 - 1)


def named(count: int) -> list[Player]:
    return [Player(f"player-{number:02}") for number in range(count)]


class Contest:
    """Plays pairings by known strengths, one at a time, in any order."""

    def __init__(self, strengths: dict[Player, float]) -> None:
        self.strengths = strengths
        self.scores: dict[Pairing, float] = {}

    def score(self, met: Pairing) -> float | None:
        return self.scores.get(met)

    def play(self, met: Pairing) -> None:
        assert met not in self.scores, "a pairing that was played is not due again"
        first, second = (self.strengths[player] for player in met)
        self.scores[met] = 0.5 if first == second else float(first > second)

    def run(self, form: Format, players: list[Player], dice: random.Random | None = None) -> list[Pairing]:
        """All of a tournament; with dice, killed and asked again after every game."""
        order = []
        while pairings := due(form, players, self.score):
            chosen = pairings if dice is None else [dice.choice(pairings)]
            for met in chosen:
                self.play(met)
                order.append(met)
        return order


def contest_of(players: list[Player], seed: int) -> Contest:
    dice = random.Random(seed)
    return Contest({player: dice.randrange(10) for player in players})


@given(counts)
def test_a_round_robin_has_every_pairing_once(count: int) -> None:
    players = named(count)
    order = contest_of(players, 0).run("round-robin", players)
    assert len(order) == len(set(order)) == count * (count - 1) // 2 == most_pairings("round-robin", count)


@given(counts)
def test_a_gauntlet_is_the_first_against_all_others(count: int) -> None:
    players = named(count)[::-1]
    order = contest_of(players, 0).run("gauntlet", players)
    assert len(set(order)) == most_pairings("gauntlet", count) == count - 1
    assert all(players[0] in met for met in order)


@given(counts, seeds)
def test_a_swiss_tournament_never_repeats_a_pairing(count: int, seed: int) -> None:
    players = named(count)
    order = contest_of(players, seed).run("swiss", players)
    assert len(order) == len(set(order)) <= most_pairings("swiss", count)
    games = Counter(player for met in order for player in met)
    # Everybody plays every round, but for at most one bye each.
    assert max(games.values()) - min(games.get(player, 0) for player in players) <= 1


def test_thousands_can_play_a_swiss_tournament() -> None:
    players = [Player(f"player-{number:04}") for number in range(2500)]
    contest = Contest({player: float(number) for number, player in enumerate(players)})
    for _ in range(3):  # as many rounds
        for met in due("swiss", players, contest.score, rounds=3):
            contest.play(met)
    assert len(contest.scores) == 3 * 1250
    assert not due("swiss", players, contest.score, rounds=3)


def test_a_swiss_tournament_of_more_rounds_than_can_be_paired_ends() -> None:
    players = named(40)
    contest = contest_of(players, 1)
    while pairings := due("swiss", players, contest.score, rounds=39):
        for met in pairings:
            contest.play(met)
    assert len(contest.scores) > 20 * 20


def test_a_swiss_tournament_of_eight_finds_its_winner_in_three_rounds() -> None:
    players = named(8)
    contest = Contest({player: index for index, player in enumerate(players)})
    order = contest.run("swiss", players)
    assert len(order) == 12
    points = dict.fromkeys(players, 0.0)
    for (first, second), score in contest.scores.items():
        points[first] += score
        points[second] += 1 - score
    assert max(points, key=points.__getitem__) == players[7]
    assert sorted(points.values())[-2:] == [2, 3]


def test_the_rounds_of_a_swiss_tournament_can_be_named() -> None:
    players = named(6)
    assert len(due("swiss", players, lambda met: 0.5, rounds=1)) == 0
    assert len(planned("swiss", players, lambda met: 0.5, rounds=1)) == 3
    assert len(planned("swiss", players, lambda met: 0.5, rounds=99)) <= 15


@given(counts, seeds)
def test_a_ladder_sorts_players_by_strength(count: int, seed: int) -> None:
    players = named(count)
    contest = contest_of(players, seed)
    order = contest.run("ladder", players)
    assert len(order) == len(set(order)) <= most_pairings("ladder", count)
    ladder = [contest.strengths[player] for player in ladder_order(players, contest.score)]
    assert ladder == sorted(ladder, reverse=True)


@given(st.sampled_from(FORMATS), st.integers(2, 12), seeds)
def test_a_tournament_interrupted_after_every_game_is_the_same_tournament(form: Format, count: int, seed: int) -> None:
    players = named(count)
    whole, interrupted = contest_of(players, seed), contest_of(players, seed)
    whole.run(form, players)
    interrupted.run(form, players, random.Random(seed))
    assert interrupted.scores == whole.scores
    assert set(planned(form, players, whole.score)) == set(whole.scores)


@pytest.mark.parametrize("form", ["round-robin", "gauntlet"])
def test_a_player_added_later_plays_only_its_own_pairings(form: Format) -> None:
    players = named(5)
    contest = contest_of(players, 1)
    contest.run(form, players[:4])
    added = due(form, players, contest.score)
    assert added
    assert all(players[4] in met for met in added)


def test_a_pairing_is_the_same_whoever_was_named_first() -> None:
    one, other = named(2)
    assert pairing(one, other) == pairing(other, one)
