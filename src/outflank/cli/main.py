"""The `outflank` program: the list of commands, and the one place where errors become one line.

Command modules import the rooms they need inside the command, so that `--help` answers at once.
"""

import os
import sys

import typer

from outflank.cli import perft, warmup

app = typer.Typer(
    name="outflank",
    help="The Othello laboratory: standard Othello and Reversed Reversi, every board from 4x4 to 8x8.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for command in (perft.perft, warmup.warmup):
    app.command()(command)

OK, NEGATIVE, USAGE, INTERRUPTED = 0, 1, 2, 130

# Typer carries its own copy of click, whose error class it does not export.
CommandLineError = next(kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "ClickException")


def main() -> None:
    """Runs a command. Bad input ends in one line on standard error and exit code 2, never in a traceback."""
    try:
        sys.exit(app(standalone_mode=False))
    except CommandLineError as error:
        if type(error).__name__ == "NoArgsIsHelpError":
            print(error.format_message())  # type: ignore[attr-defined]
            sys.exit(USAGE)
        sys.exit(_say(error.format_message()))  # type: ignore[attr-defined]
    except (ValueError, OSError) as error:
        if isinstance(error, BrokenPipeError):
            # The reader of our output has gone (`outflank … | head`): no error, and no second one at exit.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            sys.exit(OK)
        sys.exit(_say(str(error)))
    except KeyboardInterrupt:
        sys.stderr.write("\nstopped\n")
        sys.exit(INTERRUPTED)


def _say(message: str) -> int:
    line = " ".join(message.split())
    sys.stderr.write(f"outflank: {line}\n")
    return USAGE
