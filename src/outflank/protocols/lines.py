"""Lines of text from an untrusted pipe: any bytes, any length, at any pace."""

LONGEST_LINE = 1 << 20
"""Bytes of a line that are kept; a whole game is a hundredth of that."""


class LineBuffer:
    """Bytes in, lines out. What a line has beyond `LONGEST_LINE` is dropped as it comes: no sender can fill memory."""

    def __init__(self) -> None:
        self._begun = bytearray()
        self.overlong = False
        """Whether a line had to be cut."""

    def feed(self, data: bytes) -> list[str]:
        """The lines that these bytes end."""
        *endings, rest = data.split(b"\n")
        lines = []
        for ending in endings:
            self._extend(ending)
            lines.append(self.rest())
        self._extend(rest)
        return lines

    def _extend(self, piece: bytes) -> None:
        room = LONGEST_LINE - len(self._begun)
        self.overlong |= len(piece) > room
        self._begun += piece[:room]

    def rest(self) -> str:
        """The line begun so far, which is then forgotten: the last one where the sender ends without a line break."""
        line = self._begun.decode("utf-8", "replace").removesuffix("\r")
        self._begun.clear()
        return line


def number(text: str | None) -> float | None:
    """A number as a stranger writes it; None for anything else, infinities too."""
    try:
        value = float(text or "")
    except ValueError:
        return None
    return value if abs(value) < float("inf") else None


def plain(text: str, longest: int = 300) -> str:
    """A text that is safe in one line of an answer or an error."""
    line = " ".join("".join(mark if mark.isprintable() else " " for mark in text).split())
    return line if len(line) <= longest else line[:longest] + "…"
