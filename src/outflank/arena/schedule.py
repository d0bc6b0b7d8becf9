"""Who meets whom. A format is a pure function of the players and the results so far, so after a crash it continues from
the stored results."""

import math
from collections import deque
from collections.abc import Callable, Sequence
from itertools import combinations
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
    return [met for met in planned(form, players, scores, rounds) if scores(met) is None]


def planned(form: Format, players: Sequence[Player], scores: Scores, rounds: int | None = None) -> list[Pairing]:
    """Every pairing of the tournament that is known so far, played or not."""
    if form == "gauntlet":
        return [pairing(players[0], other) for other in players[1:]]
    if form == "swiss":
        return _swiss(players, scores, swiss_rounds(len(players), rounds))
    if form == "ladder":
        return _ladder(players, scores)[0]
    return [pairing(one, other) for one, other in combinations(players, 2)]


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
    """Pairs everybody, from the top, with the nearest one not met yet. Those who are left over are brought in by
    changing other pairs, near ones first; None where that cannot be done."""
    table = _Seating(standing, met)
    for place in range(len(standing)):
        if table.mates[place] is None:
            table.seat(place)
    if not all(table.bring_in(place) for place in range(len(standing)) if table.mates[place] is None):
        return None
    return [
        pairing(standing[one], standing[two]) for one, two in enumerate(table.mates) if two is not None and one < two
    ]


class _Seating:
    """A round of a Swiss tournament while it is paired. Players go by their places in the standings."""

    def __init__(self, standing: Sequence[Player], met: set[Pairing]) -> None:
        self._standing, self._met = standing, met
        self.mates: list[int | None] = [None] * len(standing)

    def _may_meet(self, one: int, other: int) -> bool:
        return pairing(self._standing[one], self._standing[other]) not in self._met

    def seat(self, one: int) -> None:
        """Pairs a player with the next one below that has no partner."""
        below = range(one + 1, len(self.mates))
        other = next((place for place in below if self.mates[place] is None and self._may_meet(one, place)), None)
        if other is not None:
            self.mates[one], self.mates[other] = other, one

    def bring_in(self, one: int) -> bool:
        """Finds a partner for one who is left over: somebody else who is, or one whose partner finds another, and so
        on. The search goes in breadth, so that few pairs are changed."""
        if self.mates[one] is not None:
            return True  # another one, who was left over too, has taken this one
        before: dict[int, int | None] = {one: None}
        seen = {one}
        waiting = deque([one])
        while waiting:
            seeker = waiting.popleft()
            for place in sorted(range(len(self.mates)), key=lambda place: abs(place - seeker)):
                if place in seen or not self._may_meet(seeker, place):
                    continue
                partner = self.mates[place]
                if partner is None:
                    self._change(seeker, place, before)
                    return True
                if partner not in seen:
                    seen |= {place, partner}
                    before[partner] = seeker
                    waiting.append(partner)
        return False

    def _change(self, seeker: int | None, place: int | None, before: dict[int, int | None]) -> None:
        """Gives everybody on the way its new partner."""
        while seeker is not None and place is not None:
            left = self.mates[seeker]
            self.mates[seeker], self.mates[place] = place, seeker
            seeker, place = before[seeker], left


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
    entered = set(order)
    return order + [player for player in players if player not in entered]
