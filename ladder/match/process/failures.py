"""The failure of a bot that an answer, or the lack of one, amounts to, with a sentence about it."""

from __future__ import annotations

import signal
from collections.abc import Iterable

from bots.errors import ProtocolError
from bots.protocol import MAX_LINE, ErrorReply, MoveAsk, Reply, Request, decode_reply
from db.records.games import MESSAGE_LIMIT, MESSAGES_KEPT, STDERR_LIMIT, LastOutput
from ladder.errors import (
    BotCrash,
    BotFailure,
    BotIllegalMove,
    BotMemory,
    BotOverCpu,
    BotProtocolError,
)
from ladder.match.process.supervisor_client import SupervisorReport

OVER_LIMIT: dict[str, type[BotFailure]] = {"memory": BotMemory, "cpu": BotOverCpu}
"""The failure that passing a limit is; passing any other is a crash."""
ANSWERED_AT_END = (
    "it answered only when its standard input was closed; read one line at a time, and flush the "
    "output after every line, as print(line, flush=True) in Python and fflush(stdout) in C do"
)
"""What to do about answers that stay in the bot's output buffer."""
ENDED_WITHOUT_ANSWER = "it ended without an answer when its standard input was closed after that"
DEBUG_OUTPUT = "debug output belongs on standard error"
LAST_LINES, LAST_CHARACTERS = 9, 900
"""Lines and characters of the end of a bot's stderr in the sentence about its failure."""


def failure_after_end(
    report: SupervisorReport, request: Request, seen: str, after: str = ""
) -> BotFailure:
    """The failure of a bot that has closed a pipe.

    Args:
        report: all that its supervisor has told.
        request: the question that it was asked.
        seen: the harness's own sight of it, for want of a better cause.
        after: more about the circumstances.

    """
    when = f"when asked for {name_of(request)}{after}"
    if report.failed:
        return BotCrash(report.failed)
    if report.limit:
        failure = OVER_LIMIT.get(report.limit, BotCrash)
        return failure(f"ended by the harness {when}: {report.limit_text}")
    if report.killed is not None:
        return BotCrash(f"killed by {_signal_name(report.killed)} {when}")
    if report.exited is not None:
        return BotCrash(f"exited with status {report.exited} {when}")
    if report.closed:
        return BotCrash(f"its supervisor was killed {when}")
    return BotCrash(f"{seen} {when}")


def wrong_reply_failure(request: Request, reply: Reply) -> BotFailure:
    """The failure of a bot that has answered with another message than the question wants."""
    if type(reply) is ErrorReply and reply.illegal and isinstance(request, MoveAsk):
        return BotIllegalMove(reply.message[:500])
    if type(reply) is ErrorReply:
        return BotCrash(f"gave up at {name_of(request)}: {reply.message[:500]}")
    kind = str(type(reply).__struct_config__.tag)
    return BotProtocolError(f"answered {name_of(request)} with a message of type {kind!r}")


def extra_output_failure(request: Request, data: bytes) -> BotProtocolError:
    """Return the failure of a bot that has written anything but the one line of its answer.

    Args:
        request: the question.
        data: a line that is too long, or several lines, of which the last may be incomplete.

    """
    lines = data.splitlines()
    if len(data.partition(b"\n")[0]) >= MAX_LINE:
        text = f"answered {name_of(request)} with a line over {MAX_LINE // 1024} KiB"
        return BotProtocolError(f"{text}: {excerpt(data)}")
    whole = lines if data.endswith(b"\n") else lines[:-1]
    stray = next((line for line in whole if not is_reply(line)), None)
    if stray is None and not lines[-1].lstrip().startswith(b"{"):
        stray = lines[-1]
    if stray is None:
        text = f"answered {name_of(request)} with more than one message"
        return BotProtocolError(f"{text}: {excerpt(lines[0])}, then {excerpt(lines[1])}")
    where = "before" if stray is lines[0] else "after"
    text = f"wrote {excerpt(stray)} {where} its answer to {name_of(request)}"
    return BotProtocolError(f"{text}; {DEBUG_OUTPUT}")


def unasked_output_failure(request: Request, data: bytes) -> BotProtocolError:
    """Return the failure of a bot that has written although nothing was asked.

    Args:
        request: the question that was to come next.
        data: what it wrote.

    """
    text = f"wrote {excerpt(data)} although nothing was asked, before {name_of(request)}"
    hint = "" if all(map(is_reply, data.splitlines())) else f"; {DEBUG_OUTPUT}"
    return BotProtocolError(text + hint)


def unreadable(request: Request, data: bytes) -> BotProtocolError:
    """Return the failure of a bot whose answer is no message of the protocol."""
    try:
        decode_reply(data)
    except ProtocolError as error:
        hint = "" if data.lstrip().startswith(b"{") else f"; {DEBUG_OUTPUT}"
        return BotProtocolError(f"{error}, as the answer to {name_of(request)}{hint}")
    raise AssertionError("an answer was unreadable once and not again")


def is_reply(line: bytes) -> bool:
    """Return whether a line is an answer of the protocol, to whatever question."""
    try:
        decode_reply(line)
    except ProtocolError:
        return False
    return True


def append_stderr(failure: BotFailure, stderr: str) -> BotFailure:
    """A failure with the end of the bot's stderr behind its sentence; its kind stays."""
    lines = [line for line in stderr.splitlines() if line.strip()]
    lines = [line for line in lines if not line.startswith("--- game ")]  # the log's own
    if not lines:
        return failure
    words = "\n".join(lines[-LAST_LINES:])[-LAST_CHARACTERS:]
    return type(failure)(f"{failure}; its last words on stderr:\n{words}")


def collect_last_output(stderr: str, messages: Iterable[tuple[str, bytes]]) -> LastOutput:
    """The last words of a failing bot and to it, as they are stored.

    Args:
        stderr: the last that it wrote there.
        messages: of the protocol, oldest first, each behind the sign of who sent it.

    """
    lines = [line for line in stderr.splitlines() if not line.startswith("--- game ")]
    return LastOutput(
        "\n".join(lines).strip()[-STDERR_LIMIT:],
        tuple(sign + _shortened(line) for sign, data in messages for line in data.splitlines())[
            -MESSAGES_KEPT:
        ],
    )


def _shortened(line: bytes) -> str:
    text = line[: 4 * MESSAGE_LIMIT].decode("utf-8", "replace")
    if len(text) <= MESSAGE_LIMIT:
        return text
    return f"{text[:MESSAGE_LIMIT]} [... {len(line):,} bytes]"


def to_one_line(detail: str) -> str:
    """The sentence about a failure and the last line of the bot's stderr, such as an exception."""
    first, *more = detail.split("\n")
    return f"{first} {more[-1].strip()}" if more else first


def name_of(request: Request) -> str:
    """The question in words."""
    if isinstance(request, MoveAsk):
        return f"move (ply {request.ply})"
    return str(type(request).__struct_config__.tag)


def excerpt(data: bytes, limit: int = 80) -> str:
    """The beginning of a bot's output, quoted."""
    return repr(data[:limit].decode("utf-8", "replace")) + ("..." if len(data) > limit else "")


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
