"""Heuristics from a user's file: it runs as a module of its own, and its errors are reported with their line."""

import importlib.util
import linecache
import sys
import traceback
import types
from pathlib import Path

from outflank.errors import Fault
from outflank.heuristics.heuristic import Heuristic, WrittenHeuristic


def from_file(path: Path, name: str = "") -> Heuristic:
    """The heuristic of a name in a file, or the only one there is. A plain function will do too, by its name or as
    the only one in a file without decorated ones."""
    module = run_file(path)
    found = _heuristics_of(module)
    if not name and not found:
        functions = _functions_of(module)
        name = functions[0] if len(functions) == 1 else ""
    if not name:
        if len(found) == 1:
            return next(iter(found.values()))
        if not found:
            raise Fault("heuristic.file-none", path=path)
        raise Fault("heuristic.file-several", path=path, names=" or ".join(f"{path}:{one}" for one in found))
    thing = getattr(module, name, None)
    if isinstance(thing, Heuristic):
        return thing
    if isinstance(thing, types.FunctionType):
        try:
            return WrittenHeuristic(thing)
        except TypeError as error:
            raise Fault("at.file", path=path, why=error) from None
    listed = Fault("heuristic.file-has", names=", ".join(found)) if found else Fault("heuristic.file-has-none")
    raise Fault("heuristic.not-in-file", path=path, name=name, listed=listed)


def _heuristics_of(module: types.ModuleType) -> dict[str, Heuristic]:
    """Those written in the module itself, each under its first name."""
    found: dict[str, Heuristic] = {}
    for name, thing in vars(module).items():
        own = isinstance(thing, WrittenHeuristic) and thing.function.__module__ == module.__name__
        if own and thing not in found.values():
            found[name] = thing
    return found


def _functions_of(module: types.ModuleType) -> list[str]:
    """The plain functions written in the module itself, but for helpers (_name)."""
    return [
        name
        for name, thing in vars(module).items()
        if isinstance(thing, types.FunctionType) and thing.__module__ == module.__name__ and not name.startswith("_")
    ]


def run_file(path: Path) -> types.ModuleType:
    """The file as a module. It may import its neighbours, as a program can."""
    place = path.expanduser()
    if not place.is_file():
        raise Fault("file.missing", path=path)
    place = place.resolve()
    name = f"outflank_user_{place.stem}_{abs(hash(place))}"
    spec = importlib.util.spec_from_file_location(name, place)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    linecache.checkcache(str(place))
    sys.path.insert(0, str(place.parent))
    try:
        spec.loader.exec_module(module)
    except SyntaxError as error:
        wrong = path if error.filename in (None, str(place)) else error.filename
        raise Fault("heuristic.syntax", path=wrong, line=error.lineno, why=error.msg) from None
    except (Exception, SystemExit) as error:
        hint = Fault("heuristic.import-hint") if str(error).startswith("name 'heuristic'") else ""
        raise Fault(
            "heuristic.file-failed",
            path=path,
            line=line_in(place, error),
            kind="TypeError" if isinstance(error, TypeError) else type(error).__name__,
            why=error,
            hint=hint,
        ) from None
    finally:
        sys.path.remove(str(place.parent))
    return module


def line_in(place: Path, error: BaseException) -> str:
    """The last line of the file that was running when the error came."""
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(place)]
    return f":{lines[-1]}" if lines else ""
