"""A position in the library as data for JSON: the same on the command line and on the page."""

from typing import Any

from outflank.board.game import Game
from outflank.board.squares import square_name
from outflank.library.games import GameFound, Library, Tally
from outflank.library.keys import settled
from outflank.library.openings import opening_of, openings_after

NOTHING = Tally()


def explored(game: Game, library: Library | None, shown: int) -> dict[str, Any]:
    """What is known of the position at a game's cursor: its opening, what was played, the latest games.

    Without a library it is the names: the opening's, and of those that a move leads into.
    """
    position = settled(game.position)
    opening, names = opening_of(game), openings_after(position)
    found = None if library is None else library.explore(position)
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
        "latest": [game_data(one) for one in ([] if library is None else library.games(position, shown))],
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
