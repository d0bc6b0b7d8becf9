"""What a module's machine code is made of: the files of the package that it imports, and those that they import.

A compiled function keeps the constants and the functions of other modules as they were when it was compiled, so a
change in any of these files must not meet old machine code. This is asked at every start, before a first kernel is
loaded, and Python's own parser would take half a second for it: imports are found as lines of the text. Where a
docstring shows one, a file too many is watched.
"""

import os
import re
from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import Path

_NAMES = rb"\((?:#[^\n]*|[^)#])*\)|(?:[^\n\\#]|\\\r?\n)+"
IMPORT = re.compile(rb"^[ \t]*(?:from[ \t]+([\w.]+)[ \t]+)?import[ \t]*(" + _NAMES + rb")", re.MULTILINE)
COMMENT = re.compile(rb"#[^\n]*")
FOR_TYPES = re.compile(rb"^if TYPE_CHECKING:\r?\n(?:[ \t]+[^\n]*\n|\r?\n)+", re.MULTILINE)
"""What only a type checker imports."""
ATTRIBUTE = re.compile(rb"\.(\w+)")
WHOLE = ""
"""Stands among the names taken from a module for the module itself."""


class Sources:
    """The modules of a package by their dotted names, as they stand on the disk."""

    def __init__(self, package: Path) -> None:
        self.package = package
        self._texts: dict[str, bytes] = {}
        self._imports: dict[str, dict[str, set[str]]] = {}

    @cached_property
    def files(self) -> dict[str, Path]:
        """Where each module is; a package is its `__init__.py`."""
        found = {}
        for folder, folders, names in os.walk(self.package):
            folders[:] = sorted(name for name in folders if name != "__pycache__")
            parts = (self.package.name, *Path(folder).relative_to(self.package).parts)
            for name in sorted(names):
                if name.endswith(".py"):
                    stem = () if name == "__init__.py" else (name.removesuffix(".py"),)
                    found[".".join(parts + stem)] = Path(folder, name)
        return found

    def text(self, module: str) -> bytes:
        if module not in self._texts:
            self._texts[module] = self.files[module].read_bytes()
        return self._texts[module]

    def imports(self, module: str) -> dict[str, set[str]]:
        """The package's modules that a module imports anywhere in its text, each with the names taken from it."""
        if module not in self._imports:
            found: dict[str, set[str]] = {}
            for base, name in self._import_lines(module):
                # `from package import module` names a module, `from module import name` what is in one.
                whole = f"{base}.{name}".lstrip(".")
                if whole in self.files:
                    found.setdefault(whole, set()).add(WHOLE)
                elif base in self.files:
                    found.setdefault(base, set()).add(name)
            self._imports[module] = found
        return self._imports[module]

    def _import_lines(self, module: str) -> Iterator[tuple[str, str]]:
        """Where each import of a module takes something from, as a dotted name or "", and what it is called there."""
        package = module if self.files[module].name == "__init__.py" else module.rpartition(".")[0]
        for base, names in IMPORT.findall(FOR_TYPES.sub(b"", self.text(module))):
            origin = base.decode()
            if origin.startswith("."):
                climbed = package.split(".")
                dots = len(origin) - len(origin.lstrip("."))
                climbed = climbed[: len(climbed) - dots + 1]
                origin = ".".join([*climbed, *filter(None, [origin[dots:]])])
            for name in COMMENT.sub(b"", names).strip(b"()\\ \t\r\n").replace(b"\\", b" ").split(b","):
                if words := name.split():
                    yield origin, words[0].decode()

    def users(self, module: str, names: Iterable[str]) -> list[str]:
        """The modules that use one of these names of a module."""
        wanted, last = set(names), module.rpartition(".")[2].encode()
        found = []
        for other in self.files:
            if last in self.text(other):  # most have nothing to do with it: to look at all imports would take longer
                used = self.imports(other).get(module, set())
                if WHOLE in used:
                    used = used | {name.decode() for name in ATTRIBUTE.findall(self.text(other))}
                if wanted & used:
                    found.append(other)
        return found

    def reached_from(self, modules: Iterable[str]) -> list[str]:
        """The modules and all that they import, directly or by way of others, in order."""
        reached: set[str] = set()
        waiting = list(modules)
        while waiting:
            module = waiting.pop()
            if module not in reached:
                reached.add(module)
                waiting.extend(self.imports(module))
        return sorted(reached)
