"""The NBoard protocol, versions 1 and 2: our player as an engine of NBoard and of programs that speak as it does.

Lines both ways, without numbers; the host is kept in step by `ping` and `pong`. What is not understood is ignored, as
the protocol asks; what is wrong with a game or a move is said in a `status` line, which hosts show to people.
"""

import re
import time
from collections.abc import Callable, Sequence

from outflank.board.game import Game
from outflank.board.squares import PASS, Color, parse_square, square_name
from outflank.board.variant import Variant
from outflank.formats import ggf
from outflank.protocols.lines import number, plain
from outflank.protocols.moves import Moves
from outflank.protocols.session import Seat, Session
from outflank.search.driver import Interruption, followed
from outflank.search.limits import Clock, Limit, Report

DEEPEST = 60
ENDS_IN_PASS = re.compile(r"[BW]\s*\[\s*(?:pa|pass)[^\]]*\][^\[\]]*$", re.IGNORECASE)
BARE_MOVE = re.compile(r"[a-h][1-8]|pa", re.IGNORECASE)
MOVE = re.compile(r"(?P<square>[^/\s]+)(?:/(?P<score>[^/]*)(?:/(?P<seconds>.*))?)?")
SHORTEST = 0.05
"""Seconds for a move when the clock has run out: something must be played."""


class NBoardEngine(Session):
    """A session of NBoard."""

    def __init__(self, descriptor: int, write: Callable[[bytes], object], seat: Seat, variant: Variant) -> None:
        super().__init__(descriptor, write, seat, variant)
        self._depth: int | None = None

    def obey(self, line: str) -> bool:
        word, _, argument = line.strip().partition(" ")
        command = COMMANDS.get(word)
        try:
            if command is not None:
                command(self, argument.strip())
            elif BARE_MOVE.fullmatch(word) and not argument:
                self._move(word)  # version 1
        except Exception as error:  # a player from anywhere may fail in any way; the conversation goes on
            self._status(str(error) or type(error).__name__)
        return word != "quit"

    def is_urgent(self, line: str) -> bool:
        return line.split()[:1] == ["ping"]

    def ends_search(self, line: str) -> bool:
        """All that changes what is asked does; `learn` and what is unknown do not."""
        word = (*line.split(), "")[0]
        return (word in COMMANDS and word != "learn") or BARE_MOVE.fullmatch(word) is not None

    def _status(self, text: str) -> None:
        self.say(f"status {plain(text)}\n".replace("status \n", "status\n"))

    # What the host sets

    def _nboard(self, _: str) -> None:
        self.say(f"set myname {self.seat.name}\n")

    def _set(self, argument: str) -> None:
        what, _, value = argument.partition(" ")
        if what == "depth":
            self._depth = max(1, min(int(value), DEEPEST))
        elif what == "game":
            self._set_game(value)
        # `contempt` values draws out of a book, and there is none: nothing to set. Others are of later versions.

    def _set_game(self, text: str) -> None:
        try:
            game = ggf.read(text)[0]
        except ValueError as error:
            raise ValueError(f"the game cannot be read: {error}") from None
        game.goto(game.node)  # a result that was agreed or given up does not keep us from thinking
        if not _is_continued(self.moves.game, game):
            self.seat.new_game()
        said = ENDS_IN_PASS.search(text) is not None
        self.moves = Moves(game, game.node.move == PASS and not said)
        self.prepare(self._limit)

    @property
    def _limit(self) -> Limit:
        """What the next move may take."""
        return Limit(depth=self._depth, clock=_clock(self.moves.game))

    def _move(self, argument: str) -> None:
        found = MOVE.fullmatch(argument)
        if found is None:
            raise ValueError(f"{plain(argument, 20)!r} is not a move")
        node = self.moves.play(parse_square(found["square"]))
        node.score, node.seconds = number(found["score"]), number(found["seconds"])

    # What the host asks

    def _ping(self, argument: str) -> None:
        """A search has ended by now: that it was read is what ended it."""
        self.say(f"pong {plain(argument, 40)}\n")

    def _learn(self, _: str) -> None:
        self.say("learned\n")

    def _go(self, _: str) -> None:
        moves = self.moves
        if moves.pass_is_due or moves.game.is_over:
            self.say("=== PA\n")
            return
        limit = self._limit
        self._status("Thinking")
        said = ""

        def tell(found: Report) -> None:
            """What the search knows so far; what it has said already is not said again."""
            nonlocal said
            line = "" if found.score is None else _search_line(found, moves.game.position.empties)
            self.say(f"{line if line != said else ''}nodestats {found.nodes} {found.seconds:.2f}\n")
            said = line

        def choose(interruption: Interruption) -> Report:
            with followed(lambda found: None if interruption.is_set else tell(found)):
                return self.seat.choose(moves.game, limit)

        report = self.think(choose)
        tell(report)
        score = report.score
        self.say(f"=== {_name(report.move)}/{'' if score is None else f'{score:.2f}'}/{report.seconds:.2f}\n")
        self._status("")

    def _hint(self, argument: str) -> None:
        if self.moves.game.is_over:
            raise ValueError("the game is over")
        count = int(argument) if argument.isdecimal() and len(argument) < 4 else 1
        self._status("Analyzing")
        self.think(lambda interruption: self._advise(max(count, 1), interruption))
        self._status("")

    def _advise(self, count: int, interruption: Interruption) -> None:
        game, passes = self.moves.game, self.moves.pass_is_due
        began = time.perf_counter()

        def show(found: Sequence[Report]) -> None:
            if not interruption.is_set:
                for report in found[:1] if passes else found[:count]:
                    self.say(_search_line(report, game.position.empties, passes))
                nodes = sum(report.nodes for report in found)
                self.say(f"nodestats {nodes} {time.perf_counter() - began:.2f}\n")

        self.seat.ask(game, lambda player: player.hints(game, Limit(depth=self._depth), show))

    def _analyze(self, _: str) -> None:
        """The value of every position of the game, from the last one back, as Black sees it: so NBoard draws them."""
        self._status("Analyzing")
        self.think(self._review)
        self._status("")

    def _review(self, interruption: Interruption) -> None:
        game = self.moves.game
        positions = [game.start, *(node.position for node in game.line)]
        for made, position in reversed(list(enumerate(positions))):
            after = Game(position)
            outcome = after.outcome()
            if outcome is not None:
                score = None if outcome.score is None else float(outcome.score)
            else:
                score = self.seat.choose(after, Limit(depth=self._depth)).score
                if score is not None and after.position.turn is Color.WHITE:
                    score = -score
            if interruption.is_set:
                return
            self.say(f"analysis {made} {score or 0.0:.2f}\n")


COMMANDS: dict[str, Callable[[NBoardEngine, str], None]] = {
    "nboard": NBoardEngine._nboard,
    "set": NBoardEngine._set,
    "move": NBoardEngine._move,
    "hint": NBoardEngine._hint,
    "go": NBoardEngine._go,
    "ping": NBoardEngine._ping,
    "learn": NBoardEngine._learn,
    "analyze": NBoardEngine._analyze,
    "quit": lambda *_: None,
}


def _name(square: int) -> str:
    return "PA" if square == PASS else square_name(square).upper()


def _search_line(report: Report, empties: int, after_pass: bool = False) -> str:
    """`search PV EVAL 0 DEPTH`; the one who has to pass sees the value of what comes then with the other sign.

    A search to the end has its selectivity in place of a depth, as hosts know it from others: 100% is a proof.
    """
    score = report.score or 0.0
    line = ("PA" if after_pass else "") + "".join(map(_name, report.pv or (report.move,)))
    to_the_end = report.depth >= empties and report.selectivity is not None and report.selectivity < 100
    depth = "100%" if report.exact else f"{report.selectivity}%" if to_the_end else str(max(report.depth, 1))
    return f"search {line} {-score if after_pass else score:.2f} 0 {depth}\n"


def _clock(game: Game) -> Clock | None:
    """What the side to move has left of the game's time; None where it has no clock."""
    turn = game.position.turn
    allowed = _clock_time(game.tags.get(f"{turn}Clock") or game.tags.get("Clock", ""))
    if not allowed:
        return None
    spent = sum(node.seconds or 0.0 for node in game.line if node.mover is turn)
    return Clock(max(allowed - spent, SHORTEST))


def _clock_time(text: str) -> float | None:
    """Seconds of `15:00`, `1:02:03` or `05:00//02:00`, of which only the first part is the game's time."""
    seconds = 0.0
    for part in text.partition("/")[0].partition(",")[0].split(":"):
        value = number(part)
        if value is None or value < 0:
            return None
        seconds = 60 * seconds + value
    return seconds


def _is_continued(before: Game, after: Game) -> bool:
    """Whether one game is the other with moves added or taken back: a player keeps what it knows then."""
    shorter = min(len(before.moves), len(after.moves))
    return before.start == after.start and before.moves[:shorter] == after.moves[:shorter] and shorter > 0
