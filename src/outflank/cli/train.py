"""`outflank train`: fits the engine's pattern weights to games."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from outflank.formats.table import GameTable


def train(
    games: Annotated[list[str], typer.Argument(metavar="GAMES…", help="WTHOR or log-book files, folders, or .npz.")],
    out: Annotated[Path, typer.Option(help="The weights file to write.")],
    iterations: Annotated[int, typer.Option(min=1, max=1000, help="Steps of conjugate gradients a stage.")] = 15,
) -> None:
    """Fit the evaluation of standard Othello to the results of games; print the held-out error of each stage.

    Example: outflank train wthor/ logbook.gam.gz --out othello.npz
    """
    from outflank import __version__
    from outflank.board.variant import OTHELLO
    from outflank.learning.fitting import Fit
    from outflank.learning.positions import Positions

    tables = [table for path in games for table in _tables(path)]
    positions = Positions.joined([Positions.of(table) for table in tables])
    if not len(positions):
        raise ValueError("there is no finished game to learn from")
    print(f"{sum(map(len, tables)):,} games, {len(positions):,} positions")
    fit = Fit(positions, OTHELLO, iterations)
    errors = []
    for stage in fit.stages():
        print(
            f"{stage.discs:>3} discs  {stage.positions:>9,} positions  mean error {stage.mean_error:5.2f}"
            f"  root mean square {stage.root_mean_square:5.2f}  of {stage.spread:5.2f}  {stage.seconds:6.1f} s",
            flush=True,
        )
        errors.append({"discs": stage.discs, "positions": stage.positions, "rmse": round(stage.root_mean_square, 3)})
    provenance = {
        "sources": [Path(path).name for path in games],
        "games": sum(map(len, tables)),
        "iterations": iterations,
        "version": __version__,
        "held_out": errors,
    }
    fit.weights(provenance).save(out)
    print(f"written to {out}")


def _tables(path: str) -> "list[GameTable]":
    import numpy as np

    from outflank.formats.files import game_files, load
    from outflank.formats.table import GameTable

    if path.endswith(".npz"):
        try:
            with np.load(path) as file:
                moves = file["moves"]
        except FileNotFoundError:
            raise ValueError(f"there is no file {path}") from None
        except Exception:
            raise ValueError(
                f"{path} is no file of games: it needs an array `moves`, a row of squares a game"
            ) from None
        if moves.ndim != 2 or moves.dtype != np.uint8:
            raise ValueError(f"{path}: `moves` is a table of bytes, a1 = 0 and 255 for none, not {moves.dtype}")
        return [GameTable(moves)]
    tables = []
    for name in game_files(path):
        found = load(name, check=False)
        tables.append(found.games if isinstance(found.games, GameTable) else GameTable.of(found.games, "training"))
    return tables
