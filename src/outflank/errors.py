"""What can go wrong. An error is a code with parameters; every language has a text for each code.

The texts are in `messages/`, one file per language. The page gets the code and shows the error in its visitor's
language; elsewhere the text is English. No file is read before the first error is shown.
"""

import functools
from collections.abc import Sequence
from string import Formatter


class Fault(ValueError):  # noqa: N818 (some are never raised: the words and reasons inside another)
    """An error by its code. A parameter may be another error, the reason of this one."""

    def __init__(self, code: str, /, **params: object) -> None:
        super().__init__(code)
        self.code = code
        self.params = {
            name: str(value) if isinstance(value, Exception) and not isinstance(value, Fault) else value
            for name, value in params.items()
        }

    def __str__(self) -> str:
        return messages("en")[self.code].format_map(self.params)

    def shown(self) -> "dict[str, str | Fault]":
        """The parameters as they stand in the English text."""
        form = Formatter()
        shown: dict[str, str | Fault] = {}
        for _, name, how, conversion in form.parse(messages("en")[self.code]):
            if name is not None:
                value = self.params[name]
                converted = form.convert_field(value, conversion)
                shown[name] = value if isinstance(value, Fault) else form.format_field(converted, how or "")
        return shown


class MachineError(Fault, OSError):
    """What the machine refuses: a file, a disk, a process."""


class OverdueError(Fault, TimeoutError):
    """What did not come in time."""


def check_choice(name: str, text: object, choices: Sequence[str]) -> None:
    """Refuses what is none of the choices."""
    if text not in choices:
        raise Fault("choice.unknown", name=name, names=", ".join(choices), text=text)


@functools.cache
def messages(language: str) -> dict[str, str]:
    """Every text of a language by its code, with the names of parameters in braces."""
    import json
    from pathlib import Path

    file = Path(__file__).parent / "messages" / f"{language}.json"
    texts: dict[str, str] = json.loads(file.read_text("utf-8"))
    return texts
