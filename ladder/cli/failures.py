"""Errors as users see them: one sentence and an exit code, no traceback."""

import contextlib
import errno
import os
import sys
import traceback

import typer

from bots.errors import BotsError
from db.errors import DatabaseError
from engine.errors import EngineError
from ladder.cli.config import is_from_config
from ladder.cli.output import print_error
from ladder.errors import ExitCode, LadderError
from ladder.names import CONFIG

TWINS = {"--games": "--max-games", "--max-games": "--games"}
"""Options of one command by the name that others have for them."""
FORBIDDEN = frozenset(
    (errno.EROFS, errno.EACCES, errno.EPERM, errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.ENOTDIR)
)
"""What a folder or disk refuses to any program."""
OUT_OF_MEMORY = (os.strerror(errno.ENOMEM), "failed to map segment", "can't start new thread")
"""How the system, the loader of libraries and Python put it."""


def is_expected(error: BaseException) -> bool:
    """Return whether an error has a message for users, and so is no defect and no damage."""
    known = (LadderError, EngineError, BotsError, DatabaseError, BrokenPipeError, typer.Exit)
    return isinstance(error, (*known, typer.Abort)) or hasattr(error, "format_message")


def explain(error: Exception) -> int:
    """Print an error on stderr and return the exit code.

    An unexpected error is a defect; LADDER_DEBUG adds its traceback.
    """
    code, sentence = _describe(error)
    if sentence:
        with contextlib.suppress(LadderError, BrokenPipeError):  # the exit code still reports it
            print_error(f"ladder: {sentence}")
    _drop_unwritten()
    return code


def _drop_unwritten() -> None:
    """Discard what the standard streams could not write, or it would fail again at the exit."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (LadderError, OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _describe(error: Exception) -> tuple[int, str]:
    if isinstance(error, typer.Exit):
        return error.exit_code, ""
    if isinstance(error, typer.Abort):  # the input ended at a question
        return ExitCode.STOPPED, "stopped"
    if isinstance(error, LadderError):
        return error.exit_code, str(error)
    if isinstance(error, EngineError | BotsError | DatabaseError):
        return ExitCode.USAGE, str(error)
    show = getattr(error, "format_message", None)
    if show is not None:  # a bad command line, found by Typer
        twin = TWINS.get(getattr(error, "option_name", ""))
        if twin in (getattr(error, "possibilities", None) or ()):
            error.possibilities = [twin]  # type: ignore[attr-defined]
        usage = getattr(getattr(error, "ctx", None), "command_path", "ladder")
        shown = show().replace(": Value error, ", ": ").rstrip(".")  # of Typer's choices
        parameter = getattr(error, "param", None)
        if parameter is not None and is_from_config(error.ctx, parameter.name or ""):  # type: ignore[attr-defined]
            shown = f"{CONFIG}: {shown}"
        return int(getattr(error, "exit_code", ExitCode.USAGE)), f"{shown} (see `{usage} --help`)"
    if isinstance(error, BrokenPipeError):
        # The reader of the output has closed it, as `| head` does; nothing is wrong.
        return ExitCode.DONE, ""
    if os.environ.get("LADDER_DEBUG"):
        print_error("".join(traceback.format_exception(error)))
    if (sentence := _describe_shortage(error)) is not None:
        return ExitCode.USAGE, sentence
    place = traceback.extract_tb(error.__traceback__)[-1]
    return ExitCode.INTERNAL, (
        f"internal error at {place.filename}:{place.lineno}: {type(error).__name__}: {error}; "
        "please report it, with the traceback that LADDER_DEBUG=1 prints"
    )


def _describe_shortage(error: BaseException) -> str | None:
    """Return a sentence about what the machine lacks or forbids; None if that is not the cause."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, MemoryError) or any(text in str(cause) for text in OUT_OF_MEMORY):
            return (
                "the memory does not suffice: end other programs, or raise the limit that "
                "`ulimit -v` shows"
            )
        if isinstance(cause, OSError) and cause.errno in FORBIDDEN:
            name = "a file" if cause.filename is None else os.fsdecode(cause.filename)
            return (
                f"{name} cannot be used ({cause.strerror}): check the permissions of its folder "
                "and the free disk space"
            )
        cause = cause.__cause__ or cause.__context__
    return None
