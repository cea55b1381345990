"""Failures of bots, each with a message for its author, and faults of the machine."""

from __future__ import annotations

import errno
import signal
from collections.abc import Iterable

from bots.errors import ProtocolError
from bots.protocol import MAX_LINE, ErrorReply, MoveAsk, MoveReply, Reply, Request
from db.records.games import MESSAGE_LIMIT, MESSAGES_KEPT, STDERR_LIMIT, LastOutput
from ladder.errors import (
    BotCrash,
    BotFailure,
    BotIllegalMove,
    BotMemory,
    BotProtocolError,
    BotTimeout,
    MachineStalled,
)
from ladder.match.process.lateness import Delay
from ladder.match.process.supervisor_client import EndCause, SupervisorClient

FLUSH = (
    "if it has answered, let it read one line at a time and flush its output after every line, as "
    "print(line, flush=True) in Python and fflush(stdout) in C do"
)
"""Advice for a bot whose answers may stay in its output buffer."""
SIGNALS = {each.value: each.name for each in signal.Signals}
DEBUG_OUTPUT = "print debug output to standard error"
STDERR_FOLLOWS = "; the last lines of its stderr:"
LAST_LINES, LAST_CHARACTERS = 9, 900
"""Lines and characters of the end of a bot's stderr that a failure shows."""
FREE_MACHINE = "stop other programs, play fewer pairs at a time or allow more time per move"
"""Advice about a machine that is too busy or has too little memory."""
REMEDIES = {
    errno.EMFILE: "allow more open files (ulimit -n)",
    errno.ENFILE: "close other programs, or allow the system more open files (fs.file-max)",
    errno.EAGAIN: "allow more processes (ulimit -u)",
    errno.ENOMEM: "free memory, or play fewer pairs at a time",
    errno.ENOSPC: "free disk space",
    errno.EIO: "check the disk",
}
"""What to do about an error of a system call that no bot can be charged for."""
NOT_USABLE = "make this path usable, and run the same command again"


def failure_after_end(
    supervisor: SupervisorClient, request: Request, seen: str, received: bytes
) -> BotFailure:
    """Return the failure of a bot that closed a pipe.

    Args:
        supervisor: its supervisor, which has reported why it ended.
        request: the question that it was asked.
        seen: what the harness noticed, used if the supervisor reported no cause.
        received: the beginning of an answer.

    """
    half = f" after half a line: {excerpt(received)}" if received else ""
    when = f"when asked for {describe_request(request)}{half}"
    detail = supervisor.detail
    match supervisor.cause:
        case EndCause.FAILED:
            return BotCrash(detail)
        case EndCause.MEMORY:
            return BotMemory(f"ended by the harness {when}: {detail}")
        case EndCause.PROCESSES:
            return BotCrash(f"ended by the harness {when}: {detail}")
        case EndCause.KILLED:
            return BotCrash(f"killed by {SIGNALS.get(int(detail), f'signal {detail}')} {when}")
        case EndCause.EXITED:
            return BotCrash(f"exited with status {detail} {when}")
        case None | EndCause.BROKEN:
            return BotCrash(f"{seen} {when}")


def late_failure(request: Request, timeout_s: float, data: bytes, delay: Delay) -> BotTimeout:
    """Return the failure of a bot that missed a deadline by its own fault.

    Args:
        request: the question.
        timeout_s: the limit.
        data: the beginning of an answer.
        delay: how the time was spent.

    """
    text = f"{describe_late(request, timeout_s)}; {delay}"
    if data:
        text += f"; only half a line came: {excerpt(data)}"
    elif not (isinstance(request, MoveAsk) and request.ply > 1):
        text += f"; {FLUSH}"
    return BotTimeout(text)


def describe_late(request: Request, timeout_s: float) -> str:
    """Describe that no answer came in time."""
    return f"no answer to {describe_request(request)} within {_format_limit(timeout_s)}"


def not_read_failure(request: Request, timeout_s: float) -> BotTimeout:
    """Return the failure of a bot that did not read its question."""
    return BotTimeout(
        f"did not read its standard input for {_format_limit(timeout_s)} when asked for "
        f"{describe_request(request)}"
    )


def wrong_reply_failure(request: Request, reply: Reply) -> BotFailure:
    """Return the failure of a bot that answered another question."""
    if type(reply) is ErrorReply and reply.illegal and isinstance(request, MoveAsk):
        return BotIllegalMove(reply.message[:500])
    if type(reply) is ErrorReply:
        return BotCrash(f"gave up at {describe_request(request)}: {reply.message[:500]}")
    if type(reply) is MoveReply and isinstance(request, MoveAsk):
        text = f"answered {describe_request(request)} with the answer to ply {reply.ply}"
        return BotProtocolError(text)
    kind = str(type(reply).__struct_config__.tag)
    return BotProtocolError(f"answered {describe_request(request)} with a message of type {kind!r}")


def extra_output_failure(request: Request, data: bytes) -> BotProtocolError:
    """Return the failure of a bot that wrote more than the one line of its answer.

    Args:
        request: the question.
        data: one line that is too long, or several lines, of which the last may be incomplete.

    """
    is_long = len(data.partition(b"\n")[0]) >= MAX_LINE
    much = f"a line over {MAX_LINE // 1024} KiB" if is_long else "more than one line"
    return BotProtocolError(
        f"answered {describe_request(request)} with {much}: {excerpt(data)}"
        + (f"; {DEBUG_OUTPUT}" * (not is_long))
    )


def unasked_output_failure(request: Request, data: bytes) -> BotProtocolError:
    """Return the failure of a bot that wrote output without being asked.

    Args:
        request: the question that was about to be asked.
        data: the output.

    """
    return BotProtocolError(
        f"wrote {excerpt(data)} although nothing was asked, before {describe_request(request)}; "
        f"{DEBUG_OUTPUT}"
    )


def unreadable_failure(request: Request, data: bytes, error: ProtocolError) -> BotProtocolError:
    """Return the failure of a bot whose answer is not a message of the protocol."""
    hint = "" if data.lstrip().startswith(b"{") else f"; {DEBUG_OUTPUT}"
    return BotProtocolError(f"{error}, as the answer to {describe_request(request)}{hint}")


def append_stderr(failure: BotFailure, stderr: str) -> BotFailure:
    """Return the same kind of failure with the last lines of the bot's stderr in its message."""
    lines = [line for line in stderr.splitlines() if line.strip()][-LAST_LINES:]
    if not lines:
        return failure
    return type(failure)(f"{failure}{STDERR_FOLLOWS}\n{_last_lines(lines, LAST_CHARACTERS)}")


def _last_lines(lines: list[str], limit: int) -> str:
    """Return lines, or the end of them that is not too long."""
    text = "\n".join(lines)
    return text if len(text) <= limit else f"... {text[4 - limit :]}"


def remove_stderr(detail: str) -> str:
    """Return a failure's detail without the lines that `append_stderr` added."""
    return detail.partition(STDERR_FOLLOWS)[0]


def collect_last_output(stderr: str, messages: Iterable[tuple[str, bytes]]) -> LastOutput:
    """Return the last output of a failing bot as it is stored.

    Args:
        stderr: the end of its stderr.
        messages: protocol messages, oldest first, each with the prefix of its sender.

    """
    lines = [prefix + _shorten(line) for prefix, data in messages for line in data.splitlines()]
    text = _last_lines(stderr.strip().splitlines() or [""], STDERR_LIMIT)
    return LastOutput(text, tuple(lines[-MESSAGES_KEPT:]))


def _shorten(line: bytes) -> str:
    text = line[: 4 * MESSAGE_LIMIT].decode("utf-8", "replace")
    if len(text) <= MESSAGE_LIMIT:
        return text
    return f"{text[:MESSAGE_LIMIT]} [... {len(line):,} bytes]"


def to_one_line(detail: str) -> str:
    """Return the first line of a failure's detail and the last one, such as an exception."""
    first, *more = detail.split("\n")
    return f"{first} {more[-1].strip()}" if more else first


def describe_request(request: Request) -> str:
    """Return the name of a question, such as ``move (ply 3)``."""
    if isinstance(request, MoveAsk):
        return f"move (ply {request.ply})"
    return str(type(request).__struct_config__.tag)


def excerpt(data: bytes, limit: int = 80) -> str:
    """Return the beginning of a bot's output in quotes."""
    return repr(data[:limit].decode("utf-8", "replace")) + ("..." if len(data) > limit else "")


def _format_limit(timeout_s: float) -> str:
    return f"{timeout_s:g} s" if timeout_s >= 1 else f"{timeout_s * 1000:.0f} ms"


def machine_fault(what: str, error: OSError) -> MachineStalled:
    """Return the fault of the machine that an error of the operating system is.

    Args:
        what: what could not be done, as a clause.
        error: the error.

    """
    return MachineStalled(f"{what}: {error}; {REMEDIES.get(error.errno or 0, NOT_USABLE)}")
