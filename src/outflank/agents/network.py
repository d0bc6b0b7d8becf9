"""`puct`: tree search with a user's own network, from a Python file. docs/network.md explains its options."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from outflank.agents.mcts import MonteCarloPlayer
from outflank.agents.options import file_and_name
from outflank.errors import Fault
from outflank.heuristics.files import line_in, run_file
from outflank.search.montecarlo.network import Evaluator, NetworkOptions, NetworkSearch

EVALUATE, LOAD = "evaluate", "load"
"""What a file calls its function on arrays, and what makes one from a file of weights."""


class NetworkPlayer(MonteCarloPlayer):
    """A search with an evaluator that follows a game."""

    search: NetworkSearch

    def __init__(self, evaluator: Evaluator, options: NetworkOptions | None = None) -> None:
        self.search = NetworkSearch(evaluator, options)


def puct(file: str, weights: str, **options: Any) -> NetworkPlayer:
    """The player by its options."""
    return NetworkPlayer(evaluator_from(file, weights), NetworkOptions(**options))


def check(target: str) -> None:
    """Asked before a contest: whether the file is there."""
    file_and_name(target)


def evaluator_from(target: str, weights: str = "") -> Evaluator:
    """The evaluator of `FILE` or `FILE:NAME`; with weights, what the file's function makes of them."""
    path, name = file_and_name(target)
    name = name or (LOAD if weights else EVALUATE)
    function = getattr(run_file(path), name, None)
    if not callable(function):
        raise Fault("network.no-function", path=path, name=name)
    if weights:
        place = Path(weights).expanduser()
        if not place.is_file():
            raise Fault("file.missing", path=weights)
        function = _told(function, path)(str(place))
        if not callable(function):
            raise Fault("network.not-loaded", path=path, name=name)
    return _told(function, path)


def _told(function: Callable[..., Any], path: Path) -> Callable[..., Any]:
    """The function, with its errors in one line."""
    place = path.expanduser().resolve()

    def called(*arguments: Any) -> Any:
        try:
            return function(*arguments)
        except Exception as error:
            where = f"{path}{line_in(place, error)}"
            raise Fault("network.failed", where=where, kind=type(error).__name__, why=_one_line(error)) from error

    return called


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())
