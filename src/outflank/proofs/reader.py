"""What a certificate knows beside its value: the bounds of every position in its two trees, and a line of best play.

It trusts the certificate; `checker` does not. Black is the first player, as in every start.
"""

from functools import lru_cache
from threading import Lock

from outflank.board.position import Position
from outflank.board.squares import PASS, Color
from outflank.board.variant import Variant
from outflank.proofs.certificate import Certificate, shipped
from outflank.proofs.plain import PlainSolver
from outflank.proofs.tree import Level, Written, canonical_of, place_in, start_of, walk

_reading = Lock()


class Reader:
    """A certificate, laid out to be asked about positions."""

    def __init__(self, certificate: Certificate) -> None:
        self._certificate = certificate
        self._trees = [_levels(certificate, mover_claims) for mover_claims in (True, False)]

    def bounds(self, position: Position) -> tuple[int, int]:
        """What the side to move gets at least and at most, as far as the trees go."""
        if position.must_pass:
            lower, upper = self.bounds(position.play(PASS))
            return -upper, -lower
        most, by_first = position.variant.square_count, position.turn is Color.BLACK
        value = self._certificate.value if by_first else -self._certificate.value
        own, other = (0, 1) if by_first else (1, 0)
        return (
            value if self._row(own, position, True) is not None or value == -most else -most,
            value if self._row(other, position, False) is not None or value == most else most,
        )

    def move(self, position: Position) -> int | None:
        """The side to move's answer in its own tree."""
        tree = 0 if position.turn is Color.BLACK else 1
        row = self._row(tree, position, True)
        if row is None:
            return None
        level = self._trees[tree][position.empties]
        if not len(level.moves):
            return None  # a leaf
        own, opp = map(int, level.ours[row])
        after = canonical_of(Position(own, opp, variant=position.variant).play(int(level.moves[row])))
        return next(move for move in position.legal_moves if canonical_of(position.play(move)) == after)

    def line(self, position: Position | None = None) -> list[int]:
        """A line of best play from the start, or from another position whose value is known: each side follows its own
        tree, and below the leaves the first move that keeps the value."""
        here = position or Position.start(self._certificate.variant)
        by_first = here.turn is Color.BLACK
        value = self._certificate.value if by_first else -self._certificate.value
        solver = PlainSolver(here.variant)
        line: list[int] = []
        while not here.is_over:
            move: int | None = PASS
            if here.legal_moves:
                move = self.move(here)
            if move is None:
                after = [(each, here.play(each)) for each in here.legal_moves]
                # Where a side loses all whatever it does it has no tree, and any move will do.
                hopeless = value == -here.variant.square_count
                move = next(each for each, next_ in after if hopeless or not solver.above(next_.own, next_.opp, -value))
            line.append(move)
            here, value = here.play(move), -value
        return line

    def _row(self, tree: int, position: Position, ours: bool) -> int | None:
        level = self._trees[tree].get(position.empties)
        if level is None:
            return None
        row = place_in(level.ours if ours else level.theirs, *canonical_of(position))
        return None if row < 0 else row


def _levels(certificate: Certificate, mover_claims: bool) -> dict[int, Level]:
    """The levels of one tree by their empty squares; none where there is nothing to prove."""
    moves = certificate.moves[0 if mover_claims else 1]
    top = start_of(Position.start(certificate.variant), mover_claims)
    if not moves:
        return {}
    return {level.empties: level for level in walk(certificate.variant, top, certificate.leaves, Written(moves))}


def reader_for(variant: Variant) -> Reader | None:
    """What is shipped about a game; None where it is not solved. The largest takes ten seconds and 540 MB, of
    which 170 stay.

    Whoever asks meanwhile waits: a server's threads would all read the same, each slowing the others.
    """
    with _reading:
        return _reader_for(variant)


@lru_cache(maxsize=4)
def _reader_for(variant: Variant) -> Reader | None:
    file = shipped().get(variant.name)
    return None if file is None else Reader(Certificate.load(str(file)))
