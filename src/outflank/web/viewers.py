"""A viewer of a board: one WebSocket, its messages to be sent, and the analysis it asked for."""

import asyncio
import json
import logging
from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel

from outflank.board.squares import Color, square_name
from outflank.errors import Fault
from outflank.search.driver import Interruption
from outflank.web import thinking
from outflank.web.boards import Board
from outflank.web.faults import told
from outflank.web.lanes import Job, Lanes
from outflank.web.messages import Analyse
from outflank.web.schemas import BestValue, Hint, Hints
from outflank.web.views import names

QUEUED, QUEUED_CHARACTERS = 256, 1 << 20
"""Messages that may wait for a viewer who does not read them, and their text; then he is let go."""

log = logging.getLogger("outflank.web")


def encoded(message: dict[str, Any] | BaseModel) -> str:
    if isinstance(message, BaseModel):
        return message.model_dump_json()
    return json.dumps(message, separators=(",", ":"), allow_nan=False)


class Viewer:
    """A page that shows a board."""

    def __init__(self, visitor: str) -> None:
        self.visitor = visitor
        self.outbox: asyncio.Queue[str | None] = asyncio.Queue(QUEUED)
        self.lost = False
        self._characters = 0
        self._analysis: Job | None = None

    def send(self, message: dict[str, Any] | BaseModel) -> None:
        self.send_text(encoded(message))

    def send_text(self, text: str) -> None:
        if self.outbox.full() or self._characters > QUEUED_CHARACTERS:
            self.lost = True  # the sender sees it, and closes
        else:
            self._characters += len(text)
            self.outbox.put_nowait(text)

    async def next_text(self) -> str | None:
        """What is to be sent next; None where there is no more."""
        text = await self.outbox.get()
        self._characters -= len(text or "")
        return text

    def refuse(self, why: ValueError, ref: int | None = None) -> None:
        """Says why something that was asked for is not done; `ref` is the question's."""
        self.send({"type": "error", **told(why), "ref": ref})

    def analyse(self, board: Board, lanes: Lanes, values: thinking.Values, message: Analyse) -> None:
        """Begins to send the values of a position's moves, in place of what was asked for before."""
        self.stop_analysis()
        node = board.cursor if message.node is None else message.node
        if not 0 <= node < len(board.nodes):
            raise Fault("web.no-node", node=node)
        position = board.nodes[node].position

        def work(stop: Interruption) -> Iterator[thinking.Hints]:
            return thinking.hints(position, message.seconds, stop, message.level, values)

        def tell(found: thinking.Hints) -> None:
            self.send(_hints(found, node, message.ref, position.turn))

        def done(error: BaseException | None) -> None:
            if error is not None:
                log.error("analysis failed", exc_info=error)
                self.refuse(Fault("web.analysis-failed"), message.ref)

        self._analysis = lanes.start("slow", self.visitor, work, tell, done)

    def stop_analysis(self) -> None:
        if self._analysis is not None:
            self._analysis.cancel()
            self._analysis = None


def _hints(found: thinking.Hints, node: int, ref: int | None, turn: Color) -> Hints:
    sign = 1 if turn is Color.BLACK else -1
    best = next((BestValue(black=sign * hint.score, exact=hint.exact) for hint in found.hints), None)
    return Hints(
        type="hints",
        node=node,
        ref=ref,
        unit="discs",
        done=found.done,
        depth=found.depth,
        selectivity=found.selectivity,
        value=best,
        hints=[
            Hint(
                move=square_name(one.move),
                score=one.score,
                exact=one.exact,
                depth=one.depth,
                selectivity=one.selectivity,
                book=one.book,
                pv=names(one.pv),
            )
            for one in found.hints
        ],
    )
