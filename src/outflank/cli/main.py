"""The `outflank` program: the list of commands, and the one place where errors become one line.

Command modules import the rooms they need inside the command, so that `--help` answers at once.
"""

import os
import sys
import warnings
from typing import Any, NoReturn

import typer

from outflank.cli import (
    agents,
    analyze,
    bench,
    check,
    convert,
    explain,
    findings,
    gtp,
    heuristics,
    learn,
    library,
    match,
    move,
    perft,
    play,
    report,
    serve,
    show,
    solve,
    stopping,
    tournament,
    train,
    warmup,
)

app = typer.Typer(
    name="outflank",
    help="The Othello laboratory: standard Othello and Reversed Reversi, every board from 4x4 to 8x8.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for command in (
    serve.serve,
    play.play,
    move.move,
    agents.agents,
    heuristics.heuristics,
    check.check,
    match.match,
    tournament.tournament,
    report.report,
    findings.findings,
    convert.convert,
    train.train,
    gtp.gtp,
    gtp.nboard,
    perft.perft,
    warmup.warmup,
):
    app.command()(command)
# A board text begins with -, which must not look like an option; and `learn` leaves a method's options to the method.
for lenient in (learn.learn, show.show, explain.explain, solve.solve, analyze.analyze):
    app.command(context_settings={"ignore_unknown_options": True})(lenient)
app.add_typer(bench.bench, name="bench")
app.add_typer(library.games, name="games")

OK, NEGATIVE, USAGE, INTERRUPTED = 0, 1, 2, 130

# Typer carries its own copy of click, whose error class it does not export.
CommandLineError: Any = next(kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "ClickException")


def main() -> None:
    """Runs a command. Bad input ends in one line on standard error and exit code 2, never in a traceback."""
    stopping.listen()
    warnings.showwarning = _show_warning
    try:
        code = app(standalone_mode=False)
        if code == INTERRUPTED:  # Typer's own answer to Ctrl-C; older versions raise Abort
            raise KeyboardInterrupt
        sys.exit(code)
    except CommandLineError as error:
        if type(error).__name__ == "NoArgsIsHelpError":
            print(error.format_message())
            sys.exit(USAGE)
        sys.exit(_say(error.format_message()))
    except BrokenPipeError:
        _reader_gone()
    except SystemExit as leaving:
        if isinstance(leaving.__context__, BrokenPipeError):  # Typer's own answer to it
            _reader_gone()
        raise
    except (KeyboardInterrupt, typer.Abort):
        _stopped()
    except MemoryError as error:
        sys.exit(_say(f"there is not enough memory: {str(error) or 'all of it is taken'}"))
    except Exception as error:
        if stopping.was_swallowed():
            _stopped()
        if isinstance(error, OSError) and error.errno and error.filename is None:
            sys.exit(_say(f"standard output: {(error.strerror or str(error)).lower()}"))
        if isinstance(error, OSError) and error.filename is not None:
            sys.exit(_say(f"{os.fsdecode(error.filename)}: {(error.strerror or str(error)).lower()}"))
        if isinstance(error, ValueError | OSError):
            sys.exit(_say(str(error)))
        raise


def _reader_gone() -> NoReturn:
    """The reader of our output has gone (`outflank … | head`): no error, and no second one at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(OK)


def _stopped() -> NoReturn:
    sys.stderr.write("\nstopped\n")
    sys.exit(INTERRUPTED)


def _show_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    """One clean line, such as the one on a heuristic that cannot be compiled."""
    _say(f"warning: {message}")


def _say(message: str) -> int:
    line = " ".join(message.split())
    sys.stderr.write(f"outflank: {line}\n")
    return USAGE
