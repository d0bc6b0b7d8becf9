"""Somebody at a board: one WebSocket, what waits to be sent to it, and the analysis that was asked for there."""

import asyncio
import json
import logging
from collections.abc import Iterator
from typing import Any

from outflank.board.squares import Color, square_name
from outflank.search.driver import Interruption
from outflank.web import thinking
from outflank.web.boards import Board
from outflank.web.lanes import Job, Lanes
from outflank.web.messages import Analyse
from outflank.web.views import finite, names

QUEUED = 256
"""Messages that may wait for a viewer who does not read them; then he is let go."""

log = logging.getLogger("outflank.web")


def encoded(message: dict[str, Any]) -> str:
    return json.dumps(message, separators=(",", ":"), allow_nan=False)


class Viewer:
    """A page that shows a board."""

    def __init__(self, visitor: str) -> None:
        self.visitor = visitor
        self.outbox: asyncio.Queue[str | None] = asyncio.Queue(QUEUED)
        self.lost = False
        self._analysis: Job | None = None

    def send(self, message: dict[str, Any]) -> None:
        self.send_text(encoded(message))

    def send_text(self, text: str) -> None:
        try:
            self.outbox.put_nowait(text)
        except asyncio.QueueFull:
            self.lost = True  # the sender sees it, and closes

    def analyse(self, board: Board, lanes: Lanes, message: Analyse) -> None:
        """Begins to send the values of a position's moves, in place of what was asked for before."""
        self.stop_analysis()
        node = board.cursor if message.node is None else message.node
        if not 0 <= node < len(board.nodes):
            raise ValueError(f"this board has no node {node}")
        position = board.nodes[node].position

        def work(stop: Interruption) -> Iterator[thinking.Hints]:
            return thinking.hints(position, message.seconds, stop, message.level)

        def tell(found: thinking.Hints) -> None:
            self.send({"node": node, "ref": message.ref, **hints_data(found, position.turn)})

        def done(error: BaseException | None) -> None:
            if error is not None:
                log.error("analysis failed", exc_info=error)
                self.send({"type": "error", "error": "the analysis failed", "ref": message.ref})

        self._analysis = lanes.start("slow", self.visitor, work, tell, done)

    def stop_analysis(self) -> None:
        if self._analysis is not None:
            self._analysis.cancel()
            self._analysis = None


def hints_data(found: thinking.Hints, turn: Color) -> dict[str, Any]:
    """The values of all moves, and the best one as Black sees it."""
    best = found.hints[0] if found.hints else None
    value = None
    if best is not None:
        value = {"black": finite(best.score if turn is Color.BLACK else -best.score), "exact": best.exact}
    return {
        "type": "hints",
        "unit": "discs",
        "done": found.done,
        "depth": found.depth,
        "value": value,
        "hints": [
            {
                "move": square_name(hint.move),
                "score": finite(hint.score),
                "exact": hint.exact,
                "depth": hint.depth,
                "pv": names(hint.pv),
            }
            for hint in found.hints
        ],
    }
