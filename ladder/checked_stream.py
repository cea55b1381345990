"""Output streams that report failed writes, such as on a full disk, as `UsageError`.

This module imports little, because the entry point wraps standard output before anything else.
"""

import codecs
import errno
import io
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO, cast

SUBSTITUTE = "ladder-substitute"
"""The name of the error handler of text encodings."""


def _substitute(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    text = error.object[error.start : error.end].replace("±", "+-")
    # As Python writes to standard error, so that two names of files stay different.
    return text.encode("ascii", "backslashreplace").decode("ascii"), error.end


codecs.register_error(SUBSTITUTE, _substitute)


class CheckedStream:
    """A text stream that raises UsageError if a write fails, except for a closed pipe."""

    def __init__(self, stream: TextIO, name: str) -> None:
        """Wrap a stream; `name` is what the message calls it."""
        self._stream = stream
        self._name = name

    def write(self, text: str) -> int:
        """Write a text. Raises UsageError."""
        with report_failed_writes(self._name):
            return self._stream.write(text)

    def writelines(self, texts: Iterable[str]) -> None:
        """Write texts one after the other. Raises UsageError."""
        for text in texts:
            self.write(text)

    def flush(self) -> None:
        """Write what is buffered. Raises UsageError."""
        with report_failed_writes(self._name):
            self._stream.flush()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def checked_stream(stream: TextIO, name: str) -> TextIO:
    """Return a text stream whose writes are checked.

    Characters that its encoding lacks are replaced, such as ± by +- on an ASCII terminal.
    """
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(errors=SUBSTITUTE)
    return cast("TextIO", CheckedStream(stream, name))


def open_nowhere() -> TextIO:
    """Open a replacement for a standard stream that was closed before the start."""
    return open(os.devnull, "w", encoding="utf-8")


@contextmanager
def open_checked(file: Path, option: str) -> Iterator[TextIO]:
    """Open a new text file for writing; characters that UTF-8 cannot encode are replaced.

    Args:
        file: The file.
        option: The option that names the file, as the user types it, such as ``-o``.

    Raises:
        UsageError: the file cannot be written; the message names the option and the file.

    """
    name = f"{option} {file}"
    with report_failed_writes(name):
        stream = file.open("w", encoding="utf-8", errors="replace")
    try:
        checked = checked_stream(stream, name)
        yield checked
        checked.flush()
    finally:
        with report_failed_writes(name):
            stream.close()


@contextmanager
def report_failed_writes(name: str) -> Iterator[None]:
    """Raise UsageError for an OSError of the block, except for a closed pipe."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        from ladder.errors import UsageError

        first = "check the disk" if error.errno == errno.EIO else "free some space"
        raise UsageError(
            f"{name} cannot be written ({error.strerror}): {first} or write elsewhere"
        ) from error
