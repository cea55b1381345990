"""Running the build command of a bot that was taken from git."""

import contextlib
import os
import shlex
import signal
import subprocess
import tempfile
from pathlib import Path

from ladder.errors import UsageError
from ladder.match.specs.environment import environment_without_secrets
from ladder.signals import wait_child

BUILD_S = 1800.0
"""How long a build may take."""
SHOWN_LINES = 20
"""Last lines shown of a build that failed."""


def words_of(command: str) -> list[str]:
    """The words of a build command, as a shell reads them.

    Raises:
        UsageError: there are none, or a quotation mark is not closed.

    """
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise UsageError(f"--build {command!r} cannot be read: {error}") from error
    if not words:
        raise UsageError("--build names no command: write one such as --build 'make -s'")
    return words


def run_build(command: str, folder: Path, *, timeout_s: float = BUILD_S) -> None:
    """Run a command to its end, with all that it started.

    Args:
        command: words as a shell reads them; no shell runs, so `sh -c '...'` for more.
        folder: where it runs.
        timeout_s: seconds that it may take.

    Raises:
        UsageError: it could not be started, failed or took too long; with its last lines.

    """
    words = words_of(command)
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
                f"--build: {words[0]!r} cannot be started in the bot's folder: {error.strerror}"
                + (remedy if "/" not in words[0] else "")
            ) from error
        try:
            code = wait_child(process, timeout_s)
            ended = f"failed with exit code {code}"
        except subprocess.TimeoutExpired:
            code, ended = -1, f"took longer than {timeout_s:.0f} s"
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        if code != 0:
            raise UsageError(f"--build: `{command}` {ended}; {_last_lines(output.fileno())}")


def _last_lines(file: int) -> str:
    size = os.fstat(file).st_size
    tail = os.pread(file, 16384, max(0, size - 16384)).decode("utf-8", "replace")
    lines = tail.rstrip().splitlines()[-SHOWN_LINES:]
    return "its last lines:\n" + "\n".join(lines) if lines else "it printed nothing"
