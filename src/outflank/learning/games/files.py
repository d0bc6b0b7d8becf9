"""Games to learn from: in any format that we read, or self-play of our own."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from outflank.board.variant import Variant
from outflank.errors import Fault
from outflank.formats.files import game_files, load
from outflank.formats.table import GameTable
from outflank.learning.games.labelling import with_theory
from outflank.learning.games.scored import ScoredGames


def paths_in(text: str) -> list[str]:
    """Several files or folders in one text, as a search path has them."""
    return [path for path in text.split(os.pathsep) if path]


def games_in(given: Sequence[str], variant: Variant) -> list[tuple[ScoredGames, bool]]:
    """The games of each argument, and whether they are our own self-play, which needs no more labels."""
    found = []
    for path in given:
        files = sorted(map(str, Path(path).glob("games-*.npz"))) if Path(path).is_dir() else []
        for file in files or [path]:
            games, own = _of_file(file, variant)
            if games.variant != variant:
                raise Fault("learning.games-variant", path=file, variant=games.variant, wanted=variant)
            found.append((games, own))
    return found


def _of_file(path: str, variant: Variant) -> tuple[ScoredGames, bool]:
    if path.endswith(".npz"):
        try:
            with np.load(path) as file:
                own = "kinds" in file.files
                moves: Any = None if own else file["moves"]
        except FileNotFoundError:
            raise Fault("file.missing", path=path) from None
        except Exception:
            raise Fault("learning.not-games", path=path) from None
        if own:
            return ScoredGames.load(Path(path)), True
        if moves.ndim != 2 or moves.dtype != np.uint8:
            raise Fault("learning.moves-type", path=path, type=moves.dtype)
        return ScoredGames.unscored(GameTable(moves, variant)), False
    parts = []
    for name in game_files(path):
        found = load(name, variant=variant, check=False)
        table = found.games if isinstance(found.games, GameTable) else GameTable.of(found.games, "training")
        parts.append(with_theory(table))
    if not parts:
        raise Fault("learning.no-games", path=path)
    return ScoredGames.joined(parts), False
