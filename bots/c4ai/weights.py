"""The six weights: their names, their CSV file, and their text in a player's options."""

from pathlib import Path
from typing import NamedTuple

from bots.errors import SpecError

PUBLISHED = "published"
"""The word for the weights that are shipped, trained by their authors on the standard board."""
PUBLISHED_FILE = Path(__file__).with_name("published.csv")
LIMIT = 1_000_000
"""No weight is larger: a static value then never reaches that of a won game."""
LARGEST_FILE = 4096
"""Bytes; six numbers need less than a hundred."""


class Weights(NamedTuple):
    """The weights of a static value; `bots.c4ai.evaluate` has the formula."""

    one: int
    """Of a group of one stone that can still become four."""
    two: int
    """Of a group of two stones that can still become four."""
    atari: int
    """Of a cell that wins at the next own move."""
    win: int
    """Of threats that probably win."""
    draw: int
    """Of threats that probably decide nothing."""
    loss: int
    """Of threats that probably lose."""

    def __str__(self) -> str:
        return ",".join(map(str, self))


def parse_weights(text: str, where: str) -> Weights:
    """Six whole numbers on one line, separated by commas; blank lines do not count.

    Args:
        text: the content of a file, or of an option.
        where: its name in errors.

    Raises:
        SpecError: the text has another form; the message has the line and the fault.

    """
    lines = [(number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
    if not lines:
        raise SpecError(f"{where} is empty: write six whole numbers on one line, {_SHAPE}")
    (number, line), *more = lines
    values = [_weight(word.strip(), f"{where}, line {number}") for word in line.split(",")]
    if len(values) != len(Weights._fields):
        raise SpecError(
            f"{where}, line {number}: {len(values)} numbers where six are needed, {_SHAPE}"
        )
    if more:
        raise SpecError(f"{where}, line {more[0][0]}: a second line, where one holds all weights")
    return Weights(*values)


def read_weights(path: Path) -> Weights:
    """The weights in a CSV file.

    Raises:
        SpecError: it cannot be read, or `parse_weights` refuses its text.

    """
    try:
        with path.open("rb") as file:
            content = file.read(LARGEST_FILE + 1)
    except OSError as error:
        raise SpecError(f"the weights in {path} cannot be read: {error.strerror}") from error
    if len(content) > LARGEST_FILE:
        raise SpecError(f"{path} holds more than {LARGEST_FILE} bytes, too many for six weights")
    try:
        return parse_weights(content.decode("utf-8-sig"), str(path))
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise SpecError(f"{path}, line {line}: byte {error.start + 1} is no text") from error


def find_weights(text: str, folder: Path | None = None) -> Weights:
    """The weights of an option: ``published``, a CSV file, or the six numbers themselves.

    Args:
        text: the option.
        folder: where a relative path begins; None: in the current folder.

    Raises:
        SpecError: there is no such file, or its content is no six weights.

    """
    if text == PUBLISHED:
        return read_weights(PUBLISHED_FILE)
    path = (folder or Path()) / text
    if "," in text and not path.exists():
        return parse_weights(text, f"weights={text}")
    return read_weights(path)


def written_out(text: str, folder: Path | None = None) -> str:
    """The option with the numbers in place of the file that holds them.

    A registered player so stays the same when the file changes.

    Raises:
        SpecError: there is no such file, or its content is no six weights.

    """
    return str(find_weights(text, folder))


_SHAPE = f"such as {','.join(Weights._fields)}"


def _weight(word: str, where: str) -> int:
    try:
        # Only digits with a sign: int() would take 1_000 and digits of any alphabet, too.
        value = int(word) if word.isascii() and "_" not in word else None
    except ValueError:
        value = None
    if value is None:
        raise SpecError(f"{where}: {word!r} is no whole number")
    if abs(value) > LIMIT:
        raise SpecError(f"{where}: {word} is outside -{LIMIT} .. {LIMIT}")
    return value
