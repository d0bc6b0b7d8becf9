"""What the person who starts the server decides. A page can use what is named here, and can name nothing else."""

import os
import sys
from dataclasses import dataclass, field
from ipaddress import ip_address
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
    names: tuple[str, ...] = ()
    """Names under which a public server is called."""
    proxies: tuple[str, ...] = ()
    """Addresses of proxies in front, which are believed when they say for whom they ask."""

    def answers_to(self, name: str) -> bool:
        """Whether a page may call us under this name, or address: it keeps a foreign page from reaching us under a
        name of its own that points here. An address cannot be made to do that."""
        if name in LOOPBACK or name in (self.host, *self.names):
            return True
        return self.public and _is_address(name)


def _is_address(name: str) -> bool:
    try:
        ip_address(name)
    except ValueError:
        return False
    return True


def state_folder() -> Path:
    """The user's folder for what a program keeps between its runs."""
    named = os.environ.get("OUTFLANK_STATE")
    if named:
        return Path(named)
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "outflank"
    return Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state") / "outflank"
