"""The six weights of c4ai: names, CSV file, and text in a player's options."""

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from bots.errors import SpecError
from bots.options import read_weights_file

PUBLISHED = "published"
"""Option value for the shipped weights, which their authors trained on the standard board."""
PUBLISHED_FILE = Path(__file__).with_name("published.csv")
LIMIT = 1_000_000
"""Largest absolute weight; static values then stay below the value of a won game."""
LARGEST_FILE = 4096
"""Limit in bytes; six numbers need less than a hundred."""


@dataclass(frozen=True, slots=True)
class Options:
    """The options of the player."""

    weights: str = PUBLISHED
    """``published``, a CSV file, or six numbers."""


class Weights(NamedTuple):
    """The weights in the formula of `bots.c4ai.evaluate`."""

    one: int
    """Weight of a group of one stone that can still become four."""
    two: int
    """Weight of a group of two stones that can still become four."""
    atari: int
    """Weight of a cell that wins at the player's next move."""
    win: int
    """Weight of a probable win by threats."""
    draw: int
    """Weight of threats that probably decide nothing."""
    loss: int
    """Weight of a probable loss by threats."""

    def __str__(self) -> str:
        return ",".join(map(str, self))


def parse_weights(text: str, where: str) -> Weights:
    """Parse six whole numbers on one line, separated by commas; blank lines are ignored.

    Args:
        text: content of a file, or an option's value.
        where: name of the text in errors.

    Raises:
        SpecError: the text has another form; the message names the line and the fault.

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
        raise SpecError(f"{where}, line {more[0][0]}: a second line: write all six weights on one")
    return Weights(*values)


def read_weights(path: Path) -> Weights:
    """Read the weights in a CSV file.

    Raises:
        SpecError: the file cannot be read or parsed.

    """
    content = read_weights_file(path, LARGEST_FILE)
    try:
        return parse_weights(content.decode("utf-8-sig"), str(path))
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise SpecError(f"{path}, line {line}: byte {error.start + 1} is not UTF-8 text") from error


def find_weights(text: str, folder: Path | None = None) -> Weights:
    """Return the weights of an option: ``published``, a CSV file, or the six numbers themselves.

    Args:
        text: the option's value.
        folder: base of relative paths, None for the current folder.

    Raises:
        SpecError: the file does not exist or does not contain six weights.

    """
    if text == PUBLISHED:
        return read_weights(PUBLISHED_FILE)
    path = (folder or Path()) / text
    if "," in text and not path.exists():
        return parse_weights(text, f"weights={text}")
    return read_weights(path)


def inline_weights(text: str, folder: Path | None = None) -> str:
    """Return the option's value with the numbers in place of a file.

    A registered player therefore stays the same if the file changes.

    Raises:
        SpecError: the file does not exist or does not contain six weights.

    """
    return str(find_weights(text, folder))


_SHAPE = f"such as {','.join(Weights._fields)}"


def _weight(word: str, where: str) -> int:
    try:
        # Only ASCII digits and a sign: int() would accept 1_000 and digits of any alphabet.
        value = int(word) if word.isascii() and "_" not in word else None
    except ValueError:
        value = None
    if value is None:
        raise SpecError(f"{where}: {word!r} is not a whole number")
    if abs(value) > LIMIT:
        raise SpecError(f"{where}: {word} is outside -{LIMIT} .. {LIMIT}")
    return value
