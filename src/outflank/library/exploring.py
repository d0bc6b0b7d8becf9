"""A position in the library as data for JSON: the same on the command line and on the page."""

from collections.abc import Iterable, Iterator
from dataclasses import asdict
from typing import Any

from outflank.board import kernels
from outflank.board.game import Game
from outflank.board.position import Position
from outflank.board.squares import Color, parse_square, square_name
from outflank.board.variant import Variant
from outflank.library.entries import turnings
from outflank.library.games import ALL, GameFound, Library, Tally, Wanted
from outflank.library.keys import settled
from outflank.library.openings import opening_of, openings_after

NOTHING = Tally()


def explored(game: Game, library: Library | None, shown: int, wanted: Wanted = ALL) -> dict[str, Any]:
    """What is known of the position at a game's cursor: its opening, what was played, the latest games.

    Without a library it is the names: the opening's, and of those that a move leads into.
    """
    position = settled(game.position)
    opening, names = opening_of(game), openings_after(position)
    found = None if library is None else library.explore(position, wanted)
    tallies = {} if found is None else {one.moves: one.tally for one in found.moves}
    played = {move for moves in tallies for move in moves}
    tallies.update({(move,): NOTHING for move in names if move not in played})
    return {
        "position": position.text,
        "opening": None
        if opening is None
        else {"name": opening.name, "aliases": list(opening.aliases), "line": opening.line},
        **tally_data(NOTHING if found is None else found.total),
        "moves": [
            {
                "moves": [square_name(move) for move in moves],
                "opening": names[moves[0]].name if moves[0] in names else None,
                **tally_data(tally),
            }
            for moves, tally in tallies.items()
        ],
        "latest": [
            {**game_data(one), **as_seen(one, position)}
            for one in ([] if library is None else library.games(position, shown, wanted=wanted))
        ],
    }


def tally_data(tally: Tally) -> dict[str, Any]:
    """For the side to move: `score` in points a game, `margin` in discs."""
    return {
        "games": tally.games,
        "wins": tally.wins,
        "draws": tally.draws,
        "losses": tally.losses,
        "score": tally.share,
        "margin": tally.margin,
        "years": [tally.first_year, tally.last_year],
    }


def game_data(game: GameFound) -> dict[str, Any]:
    """A game with its result, which is Black's: a winner, discs where it was played out, both null where unknown."""
    data = asdict(game)
    decided = data.pop("result") is not None
    return data | {"decided": decided, "winner": None if game.winner is None else str(game.winner).lower()}


def as_seen(found: GameFound, position: Position) -> dict[str, Any]:
    """A game's moves turned so that it comes through a position as that stands, and after how many of them it does.

    A library finds a position in every orientation; a visitor who opens a game from it wants the board to stay as it
    is.
    """
    variant = Variant.named(found.variant)
    start = Position.from_text(found.start, variant) if found.start else Position.start(variant)
    ply = start.empties - position.empties  # every move fills one
    squares = bytes(parse_square(found.moves[at : at + 2]) for at in range(0, len(found.moves), 2))
    turn, own, opp = [(start.turn, start.own, start.opp), *replayed(start, squares[:ply])][-1]
    wanted = (position.black, position.white) if turn is Color.BLACK else (position.white, position.black)
    for which, turning in turnings(start).items():
        if wanted == tuple(kernels.symmetry(side, which, variant.rows, variant.columns) for side in (own, opp)):
            return {"moves": "".join(map(square_name, squares.translate(turning))), "ply": ply}
    return {"moves": found.moves, "ply": ply}


def replayed(start: Position, squares: Iterable[int]) -> Iterator[tuple[Color, int, int]]:
    """The moves of a legal game, passes left out: who makes each, and his and the other's discs after it."""
    own, opp, turn = start.own, start.opp, start.turn
    for square in squares:
        turned = kernels.flips(own, opp, square)
        if not turned:  # the side to move had to pass
            own, opp, turn = opp, own, turn.other
            turned = kernels.flips(own, opp, square)
        own, opp = own | turned | 1 << square, opp & ~turned
        yield turn, own, opp
        own, opp, turn = opp, own, turn.other
