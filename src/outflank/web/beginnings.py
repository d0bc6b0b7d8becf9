"""How a game on the page begins: which variant, who plays, from which position, after which opening."""

import secrets
import threading

from outflank.arena.openings import game_from, openings_named
from outflank.board.game import Game
from outflank.board.position import Position
from outflank.board.squares import PASS
from outflank.board.variant import OTHELLO, Variant
from outflank.errors import Fault
from outflank.formats.transcript import LONGEST
from outflank.web import thinking
from outflank.web.boards import HUMAN, MOST_NODES, Board, Clocks
from outflank.web.lanes import Lane, Lanes
from outflank.web.players import Players
from outflank.web.schemas import NewGame

Begun = tuple[Game, tuple[str, str], Clocks | None]
"""A game, who plays it, and by which clocks."""


async def begun(asked: NewGame, visitor: str, catalogue: Players, lanes: Lanes, before: Board | None = None) -> Begun:
    """A game, who plays it and by which clocks; what was left out is as on the board before, or the usual."""
    players = catalogue.seated(asked, before.players if before else (HUMAN, thinking.difficulties()[0][1]))
    usual = before.variant if before else OTHELLO
    variant = usual if asked.variant is None else Variant.named(asked.variant)
    clock = asked.clock if before is None or "clock" in asked.model_fields_set else before.clocks
    clocks = None if clock is None else Clocks(clock.seconds, clock.increment)
    if asked.opening != "start" and (asked.start or asked.moves):
        raise Fault("web.two-beginnings")
    if asked.opening == "start":
        game = game_of(variant, asked.start, asked.moves or "")
        if asked.at is not None:
            _stand(game, asked.at)
    else:
        opening = asked.opening
        lane: Lane = "slow" if opening == "balanced" else "quick"
        game = await lanes.run(lane, visitor, lambda: drawn(opening, variant))
    game.tags.update(asked.tags)
    return game, players, clocks


_judging = threading.Lock()


def drawn(opening: str, variant: Variant) -> Game:
    """A game after a random opening. The arena's judge of balanced ones is one for all, and has one chair."""
    with _judging:
        return game_from(openings_named(opening, variant, secrets.randbelow(2**32))[0], variant)


def _stand(game: Game, moves: int) -> None:
    """Goes to where so many moves were played, and to the end of the passes after them."""
    node, played = game.root, 0
    for following in game.line:
        played += following.move != PASS
        if played > moves:
            break
        node = following
    game.goto(node)


def game_of(variant: Variant, start: str | None, moves: str) -> Game:
    """A game from a position and a transcript."""
    position = Position.from_text(start, variant) if start else Position.start(variant)
    if not position.black | position.white:
        raise Fault("web.empty-board")
    if len(moves) > LONGEST:
        raise Fault("web.transcript-too-long")
    game = Game.from_transcript(moves, position)
    if sum(1 for _ in game.nodes()) > MOST_NODES:
        raise Fault("web.game-too-branched")
    return game
