"""Errors as a person should see them: one sentence and an exit code, never a traceback."""

import contextlib
import os
import sys
import traceback

import typer

from ladder.cli.output import print_error
from ladder.errors import ExitCode, LadderError


def is_foreseen(error: BaseException) -> bool:
    """Return whether an error has a sentence of its own, and is neither a defect nor damage."""
    from bots.errors import BotsError
    from db.errors import DatabaseError
    from engine.errors import EngineError

    known = (LadderError, EngineError, BotsError, DatabaseError, BrokenPipeError, typer.Exit)
    return isinstance(error, (*known, typer.Abort)) or hasattr(error, "format_message")


def explain(error: Exception) -> int:
    """Print what went wrong on stderr and return the exit code.

    An error that nobody foresaw is ours: its traceback is shown only with LADDER_DEBUG set.
    """
    code, sentence = _judge(error)
    if sentence:
        with contextlib.suppress(LadderError, BrokenPipeError):  # the exit code is all that is left
            print_error(f"ladder: {sentence}")
    _drop_unwritten()
    return code


def _drop_unwritten() -> None:
    """Send to nowhere what the standard streams could not write: it would fail again at the end."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (LadderError, OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _judge(error: Exception) -> tuple[int, str]:
    from bots.errors import BotsError
    from db.errors import DatabaseError
    from engine.errors import EngineError

    if isinstance(error, typer.Exit):
        return error.exit_code, ""
    if isinstance(error, typer.Abort):  # Typer's word for the end of the input at a question
        return ExitCode.STOPPED, "stopped"
    if isinstance(error, LadderError):
        return error.exit_code, str(error)
    if isinstance(error, EngineError | BotsError | DatabaseError):
        return ExitCode.USAGE, str(error)
    show = getattr(error, "format_message", None)
    if show is not None:  # bad words on the command line, found by Typer
        usage = getattr(getattr(error, "ctx", None), "command_path", "ladder")
        return int(getattr(error, "exit_code", ExitCode.USAGE)), f"{show()} (see `{usage} --help`)"
    if isinstance(error, BrokenPipeError):
        # The reader of our output went away, as `| head` does; nothing is wrong.
        return ExitCode.DONE, ""
    if os.environ.get("LADDER_DEBUG"):
        print_error("".join(traceback.format_exception(error)))
    place = traceback.extract_tb(error.__traceback__)[-1]
    return ExitCode.INTERNAL, (
        f"internal error at {place.filename}:{place.lineno}: {type(error).__name__}: {error}; "
        "set LADDER_DEBUG=1 for the details, and please report it"
    )
