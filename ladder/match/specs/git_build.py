"""Build commands of bots from git."""

import contextlib
import os
import shlex
import signal
import subprocess
import tempfile
from pathlib import Path

from ladder.errors import UsageError
from ladder.match.specs.environment import environment_without_secrets
from ladder.signals import current_stop

BUILD_S = 1800.0
"""How long a build may take."""
SHOWN_LINES = 20
"""Last lines shown of a failed build."""


def split_build_command(command: str) -> list[str]:
    """Return the words of a build command, split as by a shell.

    Raises:
        UsageError: there are none, or a quotation mark is not closed.

    """
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise UsageError(f"{command!r} cannot be read: {error}", option="build") from error
    if not words:
        raise UsageError("the command is empty: write one such as 'make -s'", option="build")
    return words


def run_build(command: str, folder: Path, *, timeout_s: float = BUILD_S) -> None:
    """Run a build command, and kill the processes that it leaves behind.

    Args:
        command: words as for a shell, but run without one; `sh -c '...'` starts a shell.
        folder: the working directory.
        timeout_s: how long the build may take.

    Raises:
        UsageError: it could not be started, failed or took too long; with its last lines.

    """
    words = split_build_command(command)
    with tempfile.TemporaryFile() as output:
        try:
            process = subprocess.Popen(
                words,
                cwd=folder,
                env=environment_without_secrets(),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        except OSError as error:
            remedy = f"; did you mean ./{words[0]}?" if (folder / words[0]).is_file() else ""
            raise UsageError(
                f"{words[0]!r} cannot be started in the bot's folder: {error.strerror}"
                + (remedy if "/" not in words[0] else ""),
                option="build",
            ) from error
        try:
            code = current_stop().wait_child(process, timeout_s)
            ended = f"failed with exit code {code}"
        except subprocess.TimeoutExpired:
            code, ended = -1, f"took longer than {timeout_s:.0f} s"
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        if code != 0:
            problem = f"`{command}` {ended}; {_last_lines(output.fileno())}"
            raise UsageError(problem, option="build")


def _last_lines(file: int) -> str:
    size = os.fstat(file).st_size
    tail = os.pread(file, 16384, max(0, size - 16384)).decode("utf-8", "replace")
    lines = tail.rstrip().splitlines()[-SHOWN_LINES:]
    return "its last lines:\n" + "\n".join(lines) if lines else "it printed nothing"
