"""What the person who starts the server decides. A page can use what is named here, and can name nothing else."""

import os
import sys
from dataclasses import dataclass, field
from pathlib import Path

LOOPBACK = ("127.0.0.1", "localhost", "::1")


@dataclass(frozen=True)
class Settings:
    """How a server runs."""

    host: str = "127.0.0.1"
    port: int = 8400
    public: bool = False
    state: Path = field(default_factory=lambda: state_folder())
    """Where games are kept."""
    agents: dict[str, str] = field(default_factory=dict)
    """Players added by name: what a page calls them, and the spec."""
    heuristics: dict[str, str] = field(default_factory=dict)
    """Heuristics added by name: what a page calls them, and `FILE:NAME`."""
    stores: tuple[Path, ...] = ()
    """Stores whose tournaments may be opened."""
    library: Path | None = None
    """The library of games that the page asks."""

    @property
    def hosts(self) -> frozenset[str] | None:
        """The names under which a page may call us; None where any name will do.

        On loopback this is what keeps a foreign page from reaching us under a name of its own that points here.
        """
        return None if self.public else frozenset({*LOOPBACK, self.host})


def state_folder() -> Path:
    """The user's folder for what a program keeps between its runs."""
    named = os.environ.get("OUTFLANK_STATE")
    if named:
        return Path(named)
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "outflank"
    return Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state") / "outflank"
