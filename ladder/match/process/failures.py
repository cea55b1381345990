"""The failure of a bot that an answer, or the lack of one, amounts to, with a sentence about it."""

from __future__ import annotations

import signal
from collections.abc import Iterable

from bots.protocol import ErrorReply, MoveAsk, Reply, Request
from db.records.games import MESSAGE_LIMIT, MESSAGES_KEPT, STDERR_LIMIT, LastWords
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
LAST_LINES, LAST_CHARACTERS = 9, 900
"""Lines and characters of the end of a bot's stderr in the sentence about its failure."""


def failure_at_end(
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


def wrong_answer(request: Request, reply: Reply) -> BotFailure:
    """The failure of a bot that has answered with another message than the question wants."""
    if type(reply) is ErrorReply and reply.illegal and isinstance(request, MoveAsk):
        return BotIllegalMove(reply.message[:500])
    if type(reply) is ErrorReply:
        return BotCrash(f"gave up at {name_of(request)}: {reply.message[:500]}")
    kind = str(type(reply).__struct_config__.tag)
    return BotProtocolError(f"answered {name_of(request)} with a message of type {kind!r}")


def with_last_words(failure: BotFailure, stderr: str) -> BotFailure:
    """A failure with the end of the bot's stderr behind its sentence; its kind stays."""
    lines = [line for line in stderr.splitlines() if line.strip()]
    lines = [line for line in lines if not line.startswith("--- game ")]  # the log's own
    if not lines:
        return failure
    words = "\n".join(lines[-LAST_LINES:])[-LAST_CHARACTERS:]
    return type(failure)(f"{failure}; its last words on stderr:\n{words}")


def last_words(stderr: str, messages: Iterable[tuple[str, bytes]]) -> LastWords:
    """The last words of a failing bot and to it, as they are stored.

    Args:
        stderr: the last that it wrote there.
        messages: of the protocol, oldest first, each behind the sign of who sent it.

    """
    lines = [line for line in stderr.splitlines() if not line.startswith("--- game ")]
    return LastWords(
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


def in_one_line(detail: str) -> str:
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
