"""A position in the library as data for JSON: the same on the command line and on the page."""

from typing import Any

from outflank.board import kernels
from outflank.board.game import Game
from outflank.board.position import Position
from outflank.board.squares import parse_square, square_name
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
    return {
        "id": game.id,
        "variant": game.variant,
        "start": game.start,
        "moves": game.moves,
        "black": game.black,
        "white": game.white,
        "event": game.event,
        "year": game.year,
        "decided": game.result is not None,
        "winner": None if game.winner is None else str(game.winner).lower(),
        "score": game.score,
        "opening": game.opening,
    }


def as_seen(found: GameFound, position: Position) -> dict[str, Any]:
    """A game's moves turned so that it comes through a position as that stands, and after how many of them it does.

    A library finds a position in every orientation; whoever opens a game from it wants to see the board stay.
    """
    variant = Variant.named(found.variant)
    start = Position.from_text(found.start, variant) if found.start else Position.start(variant)
    ply = discs(position) - discs(start)  # every move adds one
    way = bytes(parse_square(found.moves[at : at + 2]) for at in range(0, 2 * ply, 2))
    for turning in turnings(start):
        if _sides_after(start, way.translate(turning)) == (position.black, position.white):
            return {"moves": turned_transcript(found.moves, turning), "ply": ply}
    return {"moves": found.moves, "ply": ply}


def turned_transcript(moves: str, turning: bytes) -> str:
    if turning == bytes(range(256)):
        return moves
    squares = bytes(parse_square(moves[at : at + 2]) for at in range(0, len(moves), 2))
    return "".join(map(square_name, squares.translate(turning)))


def discs(position: Position) -> int:
    return (position.black | position.white).bit_count()


def _sides_after(start: Position, squares: bytes) -> tuple[int, int]:
    """Black's and White's discs after the moves of a legal game, passes left out."""
    sides, turn = [start.black, start.white], int(start.turn)
    for square in squares:
        turned = kernels.flips(sides[turn], sides[1 - turn], square)
        if not turned:  # the side to move had to pass
            turn = 1 - turn
            turned = kernels.flips(sides[turn], sides[1 - turn], square)
        sides[turn] |= turned | 1 << square
        sides[1 - turn] &= ~turned
        turn = 1 - turn
    return sides[0], sides[1]
