"""The `outflank` program: the list of commands, and the one place where errors become one line.

Only the command that is named is loaded, and the rooms that it needs when it runs, so that `--help` answers at once.
"""

import os
import platform
import sys
import warnings
from collections.abc import Collection
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer

from outflank import __version__
from outflank.cli import stopping

COMMANDS = (
    "serve play move solve analyze explain show agents heuristics check match tournament report learn train findings"
    " convert openings prove verify gtp nboard analysis perft warmup"
)
"""As help lists them. Each is a function of its name in the module of its name; `nboard` is in that of `gtp`."""
GROUPS = ("bench", "games", "data", "book")
"""Each has commands of its own."""
LENIENT = ("learn", "show", "explain", "solve", "analyze")
"""A board text begins with -, which must not look like an option; and `learn` leaves its options to the method."""
ALL = (*COMMANDS.split(), *GROUPS)
HELP = ("-h", "--help")


def _show_version(wanted: bool) -> None:
    if wanted:
        print(f"outflank {__version__}, Python {platform.python_version()}, {platform.platform()}")
        raise typer.Exit


def about(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """The Othello laboratory: standard Othello and Reversed Reversi, every board from 4x4 to 8x8."""


def program(names: Collection[str] = ALL) -> typer.Typer:
    """The program with some of its commands: to load them all takes longer than most of them do."""
    app = typer.Typer(
        name="outflank",
        no_args_is_help=True,
        add_completion=False,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": list(HELP)},
    )
    app.callback()(about)
    for name in names:
        found = getattr(import_module(f"outflank.cli.{'gtp' if name == 'nboard' else name}"), name)
        if name in GROUPS:
            app.add_typer(found, name=name)
        else:
            app.command(context_settings={"ignore_unknown_options": name in LENIENT})(found)
    return app


def __getattr__(name: str) -> Any:
    """`app` is the whole program."""
    if name != "app":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return program()


USAGE, INTERRUPTED = 2, 130
LONGEST_WORD = 300
"""Of what we say: somebody may have given us a whole file for a name."""

# Typer carries its own copy of click, whose error class it does not export.
CommandLineError: Any = next(kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "ClickException")


def main() -> None:
    """Runs a command. Bad input ends in one line on standard error and exit code 2, never in a traceback."""
    stopping.listen()
    warnings.showwarning = _show_warning
    _be_somewhere_at_home()
    try:
        _run()
    except typer.Exit as leaving:
        sys.exit(leaving.exit_code)
    except CommandLineError as error:
        if type(error).__name__ == "NoArgsIsHelpError":
            print(error.format_message())
            sys.exit(USAGE)
        sys.exit(_say(_usage(error)))
    except BrokenPipeError:
        # The reader of our output has gone (`outflank … | head`): no error, and no second one at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except KeyboardInterrupt:
        _stopped()
    except MemoryError as error:
        sys.exit(_say(f"there is not enough memory: {str(error) or 'all of it is taken'}"))
    except Exception as error:
        if stopping.was_swallowed():
            _stopped()
        if not isinstance(error, ValueError | OSError):
            raise
        sys.exit(_say(_described(error)))
    sys.exit()


def _be_somewhere_at_home() -> None:
    """In a container there may be neither a HOME nor an entry for its user: `~` is the root then, as elsewhere."""
    try:
        Path.home()
    except RuntimeError:
        os.environ["HOME"] = "/"


def _run() -> None:
    """What `typer.Typer` does when it is called, without its own answers to Ctrl-C and to a reader that has gone."""
    words = sys.argv[1:]
    command = typer.main.get_command(program(words[:1] if words and words[0] in ALL else ALL))
    if words and words[-1] in HELP and (text := _help(command, words[:-1])):
        print(text)
        return
    with command.make_context("outflank", words) as context:
        command.invoke(context)


def _help(command: Any, path: list[str]) -> str:
    """The help of a command by the words that lead to it; nothing where they do not. To have it from the parser would
    load Pydantic, which takes as long again."""
    context = typer.Context(command, info_name="outflank", **command.context_settings)
    for name in path:
        command = getattr(command, "commands", {}).get(name)
        if command is None:
            return ""
        context = typer.Context(command, parent=context, info_name=name, **command.context_settings)
    return str(command.get_help(context))


def _usage(error: Any) -> str:
    """What is wrong with a command line; where a word is missing, also which words the command wants."""
    said, context = str(error.format_message()), error.ctx
    if type(error).__name__ != "MissingParameter" or context is None:
        return said
    usage = context.command.collect_usage_pieces(context)
    wanted = [word.replace("{", "").replace("}", "") for word in usage if word != "[OPTIONS]"]
    return f"{said.rstrip('.')}: write {' '.join([context.command_path, *wanted])} (--help explains)"


def _described(error: Exception) -> str:
    if not isinstance(error, OSError) or (error.errno is None and error.filename is None):
        return str(error)
    where = "standard output" if error.filename is None else os.fsdecode(error.filename)
    return f"{where}: {(error.strerror or str(error)).lower()}"


def _stopped() -> NoReturn:
    sys.stderr.write("\nstopped\n")
    sys.exit(INTERRUPTED)


def _show_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    """One clean line, such as the one on a heuristic that cannot be compiled."""
    _say(f"warning: {message}")


def _say(message: str) -> int:
    line = " ".join(word if len(word) <= LONGEST_WORD else f"{word[:LONGEST_WORD]}…" for word in message.split())
    sys.stderr.write(f"outflank: {line}\n")
    return USAGE
