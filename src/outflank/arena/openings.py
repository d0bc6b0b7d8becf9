"""Where the games of a match begin. Both games of a pair have the same opening, and the opening of a pair follows from
the seed and the pair's number alone: the list for 100 pairs begins with the list for 50."""

import gzip
import hashlib
import random
from abc import ABC, abstractmethod
from functools import cache
from pathlib import Path

from outflank.arena.contest import Opening
from outflank.board.game import Game
from outflank.board.position import Position
from outflank.board.squares import Color
from outflank.board.variant import Variant
from outflank.errors import Fault
from outflank.patterns.weights import evaluation_for
from outflank.search.engine.engine import Engine
from outflank.search.limits import Limit

PLIES = 8
"""Random plies on 8x8, as in the openings that tournaments of strong players use (XOT)."""
SHARE = 4
"""On small boards no more than this part of the empty squares is played at random."""
TRIES = 64
"""Draws for an opening that is new, before a repeated one is taken: small boards have few."""
ENDED_TOO_SOON = 1000
"""Random games that may end within their opening before it is given up."""
SAMPLE = 64
"""Random positions by which a judge without a scale in discs learns what is even."""
JUDGING_DEPTH = 8
EVEN = 2.0
"""Discs that a judge with a scale in discs may see either side ahead in an even opening."""
JUDGING_MEGABYTES = 4.0
LISTS = Path(__file__).parent / "data"
LISTED_LEVEL = 20
"""The level of the search that judged the lists which come with the package."""
BY = " by "
"""What parts the name of balanced openings from their judge: another judge, other openings."""


class Openings(ABC):
    """The openings of a contest, by the number of the pair."""

    name: str
    """What the conditions call them: equal names, equal openings."""

    @abstractmethod
    def __getitem__(self, pair: int) -> Opening: ...


class FromStart(Openings):
    """Every game from the variant's start, as courses play."""

    name = "start"

    def __getitem__(self, pair: int) -> Opening:
        return Opening()


class RandomOpenings(Openings):
    """So many random plies, each legal move as likely as the others; no two alike, mirrored or turned, while there
    are enough of them."""

    kind = "random"

    def __init__(self, variant: Variant, plies: int, seed: int) -> None:
        empties = Position.start(variant).empties
        if not 1 <= plies < empties:
            raise Fault("openings.plies", variant=variant, most=empties - 1, plies=plies)
        self.name = f"{self.kind}:{plies}"
        self._variant, self._plies, self._seed = variant, plies, seed
        self._known: list[Opening] = []
        self._seen: set[tuple[int, int]] = set()

    def __getitem__(self, pair: int) -> Opening:
        while len(self._known) <= pair:
            self._known.append(self._next())
        return self._known[pair]

    def _next(self) -> Opening:
        dice = random.Random(f"{self.name} {self._variant.name} {self._seed} {len(self._known)}")
        nearest: tuple[float, Game] | None = None
        for _ in range(TRIES):
            game = random_game(self._variant, self._plies, dice)
            distance = self._distance(game, key_of(game.position) in self._seen)
            if nearest is None or distance < nearest[0]:
                nearest = distance, game
            if distance == 0:
                break
        assert nearest is not None
        self._seen.add(key_of(nearest[1].position))
        return Opening(moves=nearest[1].transcript)

    def _distance(self, game: Game, seen: bool) -> float:
        """How far an opening is from what is wanted; 0 takes it at once, and of a whole round of tries the least."""
        return float(seen)


class BalancedOpenings(RandomOpenings):
    """Random openings after which a short search sees neither side ahead: for boards without a list."""

    kind = "balanced"

    def __init__(self, variant: Variant, plies: int, seed: int) -> None:
        super().__init__(variant, plies, seed)
        self.name += f"{BY}engine at depth {JUDGING_DEPTH}"

    def _distance(self, game: Game, seen: bool) -> float:
        # A repeated opening is worse than any that is one-sided, and those are compared by how one-sided they are.
        return float("inf") if seen else imbalance(game, self._plies)


class ListedOpenings(Openings):
    """The balanced openings that come with the package, in an order that follows from the seed; from the beginning
    again when there are more pairs than openings."""

    def __init__(self, variant: Variant, seed: int) -> None:
        lines = listed(variant)
        digest = hashlib.sha256(" ".join(lines).encode()).hexdigest()[:12]
        self.name = f"balanced:{PLIES}{BY}engine at level {LISTED_LEVEL}, {len(lines):,} of list {digest}"
        self._lines = random.Random(f"{digest} {seed}").sample(lines, len(lines))

    def __getitem__(self, pair: int) -> Opening:
        return Opening(moves=self._lines[pair % len(self._lines)])


class FromFile(Openings):
    """Openings from a file, in its order, and from its beginning again when there are more pairs than openings."""

    def __init__(self, name: str, openings: list[Opening]) -> None:
        self.name = name
        self.openings = openings

    def __getitem__(self, pair: int) -> Opening:
        return self.openings[pair % len(self.openings)]


def openings_named(text: str, variant: Variant, seed: int) -> Openings:
    """`start`, `random:8`, `balanced`, or a file; "" stands for random ones."""
    kind, colon, number = text.strip().partition(":")
    kinds = {"": RandomOpenings, "random": RandomOpenings, "balanced": balanced}
    if text.strip() == "start":
        return FromStart()
    if kind in kinds and not (colon and not number.isdecimal()):
        return kinds[kind](variant, int(number) if number else usual_plies(variant), seed)
    if not Path(text).expanduser().is_file():
        raise Fault("openings.unknown", text=text)
    return _from_file(text, variant)


def balanced(variant: Variant, plies: int, seed: int) -> Openings:
    """Openings after which neither side is ahead: from the list where there is one, else drawn and judged now."""
    return (
        ListedOpenings(variant, seed) if plies == PLIES and listed(variant) else BalancedOpenings(variant, plies, seed)
    )


@cache
def listed(variant: Variant) -> tuple[str, ...]:
    """The balanced openings that come with the package, as `outflank openings` made them; for most variants none."""
    file = LISTS / f"{variant.name}.txt.gz"
    return tuple(gzip.decompress(file.read_bytes()).decode().split()) if file.is_file() else ()


def usual_plies(variant: Variant) -> int:
    """Eight random plies, and fewer on a small board."""
    return max(min(PLIES, Position.start(variant).empties // SHARE), 1)


def start_of(opening: Opening, variant: Variant) -> Position:
    """The position from which an opening's moves are played."""
    return Position.from_text(opening.start, variant) if opening.start else Position.start(variant)


def game_from(opening: Opening, variant: Variant) -> Game:
    """A game with its opening played."""
    return Game.from_transcript(opening.moves, start_of(opening, variant))


def random_game(variant: Variant, plies: int, dice: random.Random) -> Game:
    """A game after so many random moves that is not over; forced passes are not counted."""
    for _ in range(ENDED_TOO_SOON):
        game = Game(variant)
        for _ in range(plies):
            if game.is_over:
                break
            game.push(dice.choice(game.position.legal_moves))
        if not game.is_over:
            return game
    raise Fault("openings.game-over", plies=plies, variant=variant)


def key_of(position: Position) -> tuple[int, int]:
    """The same for mirrored and turned forms; the side to move enters through which mask comes first."""
    form = position.canonical()
    return form.own, form.opp


def _from_file(path: str, variant: Variant) -> FromFile:
    from outflank.formats import files  # only here: every worker loads this module, and none of them the formats

    place = str(Path(path).expanduser())
    found = files.load(place, variant=variant)
    games = [*found.games, *map(Game, found.positions)]
    openings = []
    for number, game in enumerate(games, 1):
        if (game.variant.rows, game.variant.columns) != (variant.rows, variant.columns):
            raise Fault("openings.variant", path=path, number=number, variant=game.variant, wanted=variant)
        # The objective is often not in a file, and a start is a position like any other.
        start = Position(game.start.black, game.start.white, game.start.turn, variant)
        own_start = start != Position.start(variant)
        opening = Opening(start.text if own_start else "", game.transcript)
        if game_from(opening, variant).is_over:
            raise Fault("openings.over", path=path, number=number)
        openings.append(opening)
    if not openings:
        raise Fault("openings.empty", path=path)
    digest = hashlib.sha256(repr(openings).encode()).hexdigest()[:12]
    return FromFile(f"{Path(path).name}@{digest}", openings)


def imbalance(game: Game, plies: int) -> float:
    """How far a position is outside of what counts as even; 0 within. The one place that judges openings."""
    low, high = _even_range(game.variant, plies)
    value = _judged(game)
    return max(low - value, value - high, 0.0)


@cache
def _judge() -> Engine:
    return Engine(hash_mb=JUDGING_MEGABYTES)


def _judged(game: Game) -> float:
    """What the engine thinks of a position, from Black's view: discs where it was trained for the board."""
    judge = _judge()
    judge.prepare(game.variant)  # it forgets: what an opening is worth must not depend on those judged before it
    score = judge.choose(game.position, Limit(depth=JUDGING_DEPTH)).score or 0.0
    return score if game.position.turn is Color.BLACK else -score


@cache
def _even_range(variant: Variant, plies: int) -> tuple[float, float]:
    """The values that count as even: near zero where they are discs, else the middle quarter of what the judge says
    of random openings.

    Without weights the engine counts moves and corners, which favours the side that moves next; zero means nothing
    on that scale, the middle of many random openings does.
    """
    if evaluation_for(variant) is not None:
        return -EVEN, EVEN
    dice = random.Random(f"even {variant.name} {plies}")
    values = sorted(_judged(random_game(variant, plies, dice)) for _ in range(SAMPLE))
    return values[SAMPLE * 3 // 8], values[SAMPLE * 5 // 8]
