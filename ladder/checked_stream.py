"""Streams of results whose failed writes, such as on a full disk, are a sentence and not a defect.

It imports next to nothing: the entry point puts standard output and standard error into it first.
"""

import codecs
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
    return text.encode("ascii", "replace").decode("ascii"), error.end


codecs.register_error(SUBSTITUTE, _substitute)


class CheckedStream:
    """A text stream that raises UsageError where a write fails; a closed pipe stays what it is."""

    def __init__(self, stream: TextIO, name: str) -> None:
        """`name`: of the stream or its option, as the user knows it."""
        self._stream = stream
        self._name = name

    def write(self, text: str) -> int:
        """Write a text. Raises UsageError."""
        with _named(self._name):
            return self._stream.write(text)

    def writelines(self, texts: Iterable[str]) -> None:
        """Write texts one after the other. Raises UsageError."""
        for text in texts:
            self.write(text)

    def flush(self) -> None:
        """Write what is buffered. Raises UsageError."""
        with _named(self._name):
            self._stream.flush()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def checked_stream(stream: TextIO, name: str) -> TextIO:
    """Return a text stream whose writes are checked: see `CheckedStream`.

    Characters that its encoding lacks are replaced, such as ± by +- on an ASCII terminal.
    """
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(errors=SUBSTITUTE)
    return cast("TextIO", CheckedStream(stream, name))


def open_nowhere() -> TextIO:
    """Return what takes the place of a standard stream that was closed before the start."""
    return open(os.devnull, "w", encoding="utf-8")


@contextmanager
def writing(file: Path, option: str) -> Iterator[TextIO]:
    """Write a new text file; characters that UTF-8 cannot hold are replaced.

    Raises:
        UsageError: it cannot be written; the message names the option and the file.

    """
    name = f"{option} {file}"
    with _named(name):
        stream = file.open("w", encoding="utf-8", errors="replace")
    try:
        checked = checked_stream(stream, name)
        yield checked
        checked.flush()
    finally:
        with _named(name):
            stream.close()


def write_file(file: Path, text: str, option: str) -> None:
    """Write a text file. Raises UsageError: see `writing`."""
    with writing(file, option) as stream:
        stream.write(text)


@contextmanager
def _named(name: str) -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        from ladder.errors import UsageError

        raise UsageError(
            f"{name} cannot be written ({error.strerror}): free some space or write elsewhere"
        ) from error
