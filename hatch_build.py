"""The README as a package index shows it: there, pictures of this repository and links into it would lead nowhere."""

import re
from pathlib import Path

from hatchling.metadata.plugin.interface import MetadataHookInterface

PICTURES = re.compile(r"^\|.*\n\|[-|]+\|\n(?:\|.*!\[.*\n)+\n", re.MULTILINE)
TRANSLATION = re.compile(r"^\[[^\]]*\]\([^)]*\)\n\n", re.MULTILINE)
LINK = re.compile(r"\[([^\]]*)\]\((?!https?:)[^)]*\)")


class ReadmeHook(MetadataHookInterface):
    def update(self, metadata: dict[str, object]) -> None:
        text = Path(self.root, "README.md").read_text(encoding="utf-8")
        text = LINK.sub(r"\1", TRANSLATION.sub("", PICTURES.sub("", text)))
        metadata["readme"] = {"content-type": "text/markdown", "text": text}
