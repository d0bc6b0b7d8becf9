"""Who meets whom. A format is a pure function of the players and the results so far: asked again after a crash, with
the results of the store, it says the same as before."""

import math
from collections.abc import Callable, Sequence
from typing import Literal, get_args

from outflank.arena.contest import Player

Format = Literal["round-robin", "gauntlet", "swiss", "ladder"]
FORMATS: tuple[Format, ...] = get_args(Format)

Pairing = tuple[Player, Player]
Scores = Callable[[Pairing], float | None]
"""The first player's points a game in a pairing, or None while games of it are missing."""


def pairing(one: Player, other: Player) -> Pairing:
    """Two players in the order in which a tournament keeps their games, whoever was named first."""
    return (one, other) if one <= other else (other, one)


def due(form: Format, players: Sequence[Player], scores: Scores, rounds: int | None = None) -> list[Pairing]:
    """The pairings to be played now; none when the tournament is over."""
    return [met for met in _wanted(form, players, scores, rounds) if scores(met) is None]


def planned(form: Format, players: Sequence[Player], scores: Scores, rounds: int | None = None) -> list[Pairing]:
    """Every pairing of the tournament that is known so far, played or not."""
    return _wanted(form, players, scores, rounds)


def most_pairings(form: Format, count: int, rounds: int | None = None) -> int:
    """How many pairings there will be, at most."""
    if form == "gauntlet":
        return count - 1
    if form == "swiss":
        return (count // 2) * swiss_rounds(count, rounds)
    return count * (count - 1) // 2


def swiss_rounds(count: int, rounds: int | None = None) -> int:
    """As many rounds as a knock-out would need, so that at most one player can have won them all."""
    usual = math.ceil(math.log2(count)) if count > 1 else 0
    return min(usual if rounds is None else rounds, max(count - 1, 0))


def _wanted(form: Format, players: Sequence[Player], scores: Scores, rounds: int | None) -> list[Pairing]:
    if form == "gauntlet":
        return [pairing(players[0], other) for other in players[1:]]
    if form == "swiss":
        return _swiss(players, scores, swiss_rounds(len(players), rounds))
    if form == "ladder":
        return _ladder(players, scores)[0]
    return [pairing(one, other) for index, one in enumerate(players) for other in players[index + 1 :]]


def _swiss(players: Sequence[Player], scores: Scores, rounds: int) -> list[Pairing]:
    """Round after round, neighbours in the standings who have not met; with an odd number the last one that has had no
    bye rests, and gets the point of a win."""
    met: list[Pairing] = []
    totals = dict.fromkeys(players, 0.0)
    rested: set[Player] = set()
    for _ in range(rounds):
        # Equal points stay in the order in which the players were named.
        standing = sorted(players, key=lambda player: -totals[player])
        if len(players) % 2:
            bye = next(player for player in reversed(standing) if player not in rested)
            standing.remove(bye)
            rested.add(bye)
            totals[bye] += 1
        found = _neighbours(standing, set(met))
        if found is None:
            break  # everybody has met everybody who is left
        met += found
        for pair in found:
            score = scores(pair)
            if score is not None:
                totals[pair[0]] += score
                totals[pair[1]] += 1 - score
        if any(scores(pair) is None for pair in found):
            break
    return met


def _neighbours(standing: Sequence[Player], met: set[Pairing]) -> list[Pairing] | None:
    """Pairs everybody with the nearest one not met yet, changing earlier pairs where the last ones would be left."""
    if not standing:
        return []
    first, rest = standing[0], standing[1:]
    for index, other in enumerate(rest):
        if pairing(first, other) not in met:
            others = _neighbours([*rest[:index], *rest[index + 1 :]], met)
            if others is not None:
                return [pairing(first, other), *others]
    return None


def _ladder(players: Sequence[Player], scores: Scores) -> tuple[list[Pairing], list[Player]]:
    """Players enter at the bottom in the order in which they were named, and climb past everybody they beat."""
    met: list[Pairing] = []
    ladder: list[Player] = []
    for player in players:
        place = len(ladder)
        while place > 0:
            above = pairing(player, ladder[place - 1])
            met.append(above)
            score = scores(above)
            if score is None:
                return met, [*ladder[:place], player, *ladder[place:]]
            if (score if above[0] == player else 1 - score) <= 0.5:
                break
            place -= 1
        ladder.insert(place, player)
    return met, ladder


def ladder_order(players: Sequence[Player], scores: Scores) -> list[Player]:
    """The ladder from its top, as far as it has been played; who has not entered yet comes last."""
    order = _ladder(players, scores)[1]
    return order + [player for player in players if player not in order]
