"""An option of a player: its name, what kind of value it takes, and how that value is read and written.

One table of these drives the parser, its error messages and `outflank agents`.
"""

import math
from dataclasses import dataclass
from pathlib import Path

from outflank.errors import Fault, MachineError

Value = bool | int | float | str
Kind = type[bool] | type[int] | type[float] | type[str] | tuple[str, ...]

YES, NO = ("yes", "true", "on", "1"), ("no", "false", "off", "0")
QUOTES = "\"'"


@dataclass(frozen=True)
class Option:
    """`Option("depth", int, 4, "Plies.", least=1)`; a tuple of words as `kind` makes it a choice."""

    name: str
    kind: Kind
    default: Value | None = None
    help: str = ""
    least: float | None = None
    most: float | None = None

    @property
    def wants(self) -> Fault:
        """What a value must be, in words."""
        if isinstance(self.kind, tuple):
            return Fault("wants.choice", names=", ".join(self.kind))
        what = Fault({bool: "wants.bool", int: "wants.int", float: "wants.float", str: "wants.text"}[self.kind])
        if self.least is not None and self.most is not None:
            return Fault("wants.between", what=what, least=self.least, most=self.most)
        if self.least is not None:
            return Fault("wants.at-least", what=what, least=self.least)
        return what if self.most is None else Fault("wants.at-most", what=what, most=self.most)

    def read(self, text: str) -> Value:
        """The value of a text, or a ValueError that says what is wanted."""
        value = self._converted(text)
        if value is None or not self._in_range(value):
            raise Fault("option.value", option=self.name, wanted=self.wants, text=shortened(text))
        return value

    def _converted(self, text: str) -> Value | None:
        if isinstance(self.kind, tuple):
            return text if text in self.kind else None
        if self.kind is str:
            return text
        if self.kind is bool:
            return text.lower() in YES if text.lower() in YES + NO else None
        try:
            # Numbers of nodes are often written 1e6, which `int` would refuse.
            number = int(text) if self.kind is int and text.lstrip("+-").isdigit() else float(text)
        except ValueError:
            return None
        if not math.isfinite(number) or (self.kind is int and number != int(number)):
            return None
        return self.kind(number)

    def _in_range(self, value: Value) -> bool:
        if isinstance(value, str):
            return True
        return (self.least is None or value >= self.least) and (self.most is None or value <= self.most)


def written(value: Value) -> str:
    """A value as a spec shows it; `Option.read` gives the same value back once the quotes are off."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return repr(value).removesuffix(".0")
    return quoted(value) if isinstance(value, str) else str(value)


def quoted(text: str) -> str:
    """The text, in quotes where a spec would otherwise read it differently."""
    if text and text == text.strip() and not any(mark in text for mark in QUOTES + ","):
        return text
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def unquoted(text: str) -> str:
    """The inverse of `quoted`; a text without quotes is itself, backslashes and all."""
    if not text or text[0] not in QUOTES:
        return text
    return text[1:-1].replace("\\\\", "\0").replace(f"\\{text[0]}", text[0]).replace("\0", "\\")


def shortened(text: str, length: int = 40) -> str:
    """A text short enough for an error of one line."""
    return text if len(text) <= length else text[:length] + "..."


def file_and_name(target: str) -> tuple[Path, str]:
    """The file or folder of a target `FILE` or `FILE:NAME`, which must be there, and the name or ""."""
    path, name = Path(target).expanduser(), ""
    if not _is_there(path) and ":" in target:
        before, _, name = target.rpartition(":")
        path = Path(before).expanduser()
    if not _is_there(path):
        raise MachineError("file.missing", path=target)
    return path, name


def _is_there(path: Path) -> bool:
    return path.is_file() or path.is_dir()
