"""Weights of the pattern evaluation: their file, and the memory that compiled searches read them from."""

import hashlib
import json
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from outflank.board.variant import Variant
from outflank.errors import Fault
from outflank.formats.disk import write_bytes
from outflank.patterns.network import Network, row_patterns
from outflank.patterns.shapes import PatternSet, pattern_set, require_patterns, table_shape

UNITS_A_DISC = 128
"""Weights are stored in 1/128 of a disc."""
LARGEST = 32_000
SHIPPED, SUMS, NOTHING = "shipped", "sums", "none"
"""What an option `weights` may be beside a file."""
FORMAT = 3
"""2: only what differs from the next stage is stored, and of weights that share a value only one. 3: parities."""


@dataclass(frozen=True)
class Weights:
    """Fitted weights, one row a stage, from the side to move's view; and how they came about.

    A row has the weights of the patterns, then what an even and an odd number of discs add.
    """

    variant: Variant
    table: Any
    provenance: dict[str, Any]
    network: Network | None = None
    """What the patterns add together; most boards have none."""

    @property
    def digest(self) -> str:
        """A short name for the weights' content."""
        more = b"" if self.network is None else self.network.content
        return hashlib.sha256(self.table.tobytes() + more).hexdigest()[:12]

    def save(self, path: Path) -> None:
        """Writes one compressed file; the provenance travels inside."""
        about = {"format": FORMAT, "variant": self.variant.name, **self.provenance}
        tables = {"changes": packed(self.table, self.variant)}
        if self.network is not None:
            rows, canonical = self.network.rows, row_patterns(self.variant).canonical()
            once = np.where((canonical == np.arange(len(canonical)))[:, None], rows, 0)
            tables |= {"rows": np.asfortranarray(once), "layers": self.network.layers}
        write_tables(path, about, **tables)

    @classmethod
    def load(cls, path: Path) -> "Weights":
        """Reads a file that `save` wrote; a ValueError says what is wrong with another one."""
        variant, about, tables = read_tables(path, FORMAT, ("changes",), table_shape, "outflank train")
        return cls(variant, tables[0], about, _network_in(path, variant))


def _network_in(path: Path, variant: Variant) -> Network | None:
    """The network of a file of weights, if it has one."""
    with np.load(path) as file:
        if "rows" not in file.files:
            return None
        rows, layers = file["rows"], file["layers"]
    found = Network(rows, layers)
    if not found.fits(variant, table_shape(variant)[0]):
        raise Fault("patterns.other-shapes", path=path, variant=variant, maker="outflank train")
    return Network(np.ascontiguousarray(rows[row_patterns(variant).canonical()]), layers)


def read_tables(
    path: Path, form: int | str, names: Sequence[str], shape: Callable[[Variant], tuple[int, int]], maker: str
) -> tuple[Variant, dict[str, Any], list[Any]]:
    """Tables of pattern weights that `write_tables` wrote: the game they are for, how they came about, and they
    themselves, a row a stage. A ValueError says what is wrong with a file, and which command makes a good one."""
    try:
        with np.load(path) as file:
            about = json.loads(str(file["about"]))
            if about.pop("format") != form:
                raise ValueError
            variant = Variant.named(about.pop("variant"))
            tables = [file[name] for name in names]
    except FileNotFoundError:
        raise Fault("patterns.no-file", path=path) from None
    except Exception:
        raise Fault("patterns.unreadable", path=path, maker=maker) from None
    patterns = require_patterns(variant)
    if any(table.shape != shape(variant) or table.dtype != np.int16 for table in tables):
        raise Fault("patterns.other-shapes", path=path, variant=variant, maker=maker)
    return variant, about, [unpacked(table, patterns) for table in tables]


def write_tables(path: Path, about: dict[str, Any], **tables: Any) -> None:
    """Writes tables with what is to be known of them, if anything, into one compressed file, whole or not at all."""
    packed = BytesIO()
    if about:
        tables["about"] = np.array(json.dumps(about))
    np.savez_compressed(packed, allow_pickle=False, **tables)
    write_bytes(str(path), packed.getvalue())


def packed(table: Any, variant: Variant) -> Any:
    """Each stage less the one after it, zero where a weight shares another's value: half the size when compressed."""
    changes = table.copy()
    changes[:-1] -= table[1:]
    changes[:, whole_row(require_patterns(variant).canonical(), table) != np.arange(table.shape[1])] = 0
    return np.asfortranarray(changes)  # a weight's stages side by side: a sixth smaller again


def unpacked(changes: Any, patterns: PatternSet) -> Any:
    """The weights again; sums of 16-bit numbers wrap round just as the differences did."""
    table = np.cumsum(changes[::-1], axis=0, dtype=np.int16)[::-1]
    return np.ascontiguousarray(table[:, whole_row(patterns.canonical(), table)])


def whole_row(of_patterns: Any, table: Any) -> Any:
    """A permutation of the patterns' weights for all of a row: what follows them stays where it is."""
    return np.concatenate([of_patterns, np.arange(len(of_patterns), table.shape[1])])


@dataclass(frozen=True)
class Evaluation:
    """Weights laid out for the search: for each stage once for Black and once for White to move."""

    patterns: PatternSet
    powers: Any
    offsets: Any
    weights: Any
    spreads: list[float] | None = None
    """How well shallow searches foretell deep ones: see `search.engine.probcut`."""
    rows: Any = None
    """The network's, once for Black and once for White to move; None where there is no network."""
    layers: Any = None

    @property
    def sums_alone(self) -> "Evaluation":
        """The same without its network."""
        return replace(self, rows=None, layers=None)

    @classmethod
    def of(cls, weights: Weights) -> "Evaluation":
        patterns = pattern_set(weights.variant.rows, weights.variant.columns)
        assert patterns is not None
        stages, columns = weights.table.shape
        both = np.empty((stages, 2, columns), np.int16)
        both[:, 0] = weights.table
        both[:, 1] = weights.table[:, whole_row(patterns.colours_exchanged(), weights.table)]
        network, rows = weights.network, None
        if network is not None:
            rows = np.stack([network.rows, network.rows[row_patterns(weights.variant).colours_exchanged()]])
        return cls(
            patterns,
            np.ascontiguousarray(patterns.powers()),
            patterns.offsets().astype(np.uint64),
            both,
            weights.provenance.get("spreads"),
            rows,
            None if network is None else np.ascontiguousarray(network.layers),
        )


def shipped(variant: Variant) -> Weights | None:
    """The weights that come with the package for a board and objective, or None where there are none. A board and the
    same turned over share a file."""
    file = resources.files("outflank.patterns") / "data" / f"{_served(variant).name}.npz"
    if not file.is_file():
        return None
    with resources.as_file(file) as path:
        return replace(Weights.load(path), variant=Variant(variant.rows, variant.columns, variant.objective))


def _served(variant: Variant) -> Variant:
    """The game that stands for all that share weights: any start, and the board turned over."""
    rows, columns = sorted((variant.rows, variant.columns))
    return Variant(rows, columns, variant.objective)


@cache
def shipped_digest() -> str:
    """A short name for all the weights that come with the package: what the engine thinks changes with them."""
    digest = hashlib.sha256()
    for file in sorted((resources.files("outflank.patterns") / "data").iterdir(), key=lambda one: one.name):
        digest.update(file.name.encode() + file.read_bytes())
    return digest.hexdigest()[:12]


_evaluations: dict[Variant, Evaluation | None] = {}
_loading = threading.Lock()


def evaluation_for(variant: Variant) -> Evaluation | None:
    """The evaluation shipped for a board and objective, laid out for the search; None where there is none yet. It is
    loaded once: threads that want it at the same moment wait for the first."""
    if variant not in _evaluations:
        with _loading:
            if variant not in _evaluations:
                weights = shipped(variant)
                _evaluations[variant] = None if weights is None else Evaluation.of(weights)
    return _evaluations[variant]


class Evaluations:
    """The evaluation that an option `weights` names, for whatever game is played: the shipped one, the same without a
    network, none, or that of a file, which is read at once."""

    def __init__(self, name: str = SHIPPED) -> None:
        self._name = name
        self._own = None if name in (SHIPPED, SUMS, NOTHING) else Weights.load(Path(name).expanduser())
        self._laid_out: dict[Variant, Evaluation] = {}

    def fitting(self, variant: Variant) -> Evaluation | None:
        """The evaluation for a game, the same one each time; None without weights, and where none are shipped."""
        if self._name == NOTHING:
            return None
        if self._own is None:
            found = evaluation_for(variant)
            if self._name == SHIPPED or found is None or found.rows is None:
                return found
            return self._laid_out.setdefault(variant, found.sums_alone)
        if _served(variant) != _served(self._own.variant):
            learnt = self._own.variant
            raise Fault("agent.weights-of-variant", player="engine", weights=self._name, learnt=learnt, variant=variant)
        if variant not in self._laid_out:
            self._laid_out[variant] = Evaluation.of(replace(self._own, variant=variant))
        return self._laid_out[variant]
