"""The options of players: a frozen dataclass per family, read from a table row or from text."""

from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any, TypeVar

from bots.errors import SpecError

T = TypeVar("T")

LARGEST = 2**31
"""Upper bound of all numeric options."""


def read_options(kind: type[T], given: Mapping[str, Any]) -> T:
    """Build a dataclass from options, converting texts to the types of the fields' defaults.

    Raises:
        SpecError: an option is unknown or cannot be parsed.

    """
    known = {field.name: field.default for field in fields(kind)}  # type: ignore[arg-type]
    values = {}
    for name, value in given.items():
        if name not in known:
            raise SpecError(f"there is no option {name!r}: there are {', '.join(known)}")
        values[name] = _convert(name, value, type(known[name])) if isinstance(value, str) else value
    return kind(**values)


def read_weights_file(path: Path, most: int) -> bytes:
    """Read the bytes of a file of weights.

    Raises:
        SpecError: the file cannot be read, or holds more than `most` bytes.

    """
    try:
        with path.open("rb") as file:
            content = file.read(most + 1)
    except OSError as error:
        raise SpecError(f"the weights in {path} cannot be read: {error.strerror}") from error
    if len(content) > most:
        raise SpecError(f"{path} holds more than {most:,} bytes, too many for weights")
    return content


def refuse_unless(condition: bool, option: str, wanted: str) -> None:
    """Raise SpecError unless a condition of an option holds."""
    if not condition:
        raise SpecError(f"option {option!r} {wanted}")


def _convert(name: str, text: str, kind: type) -> object:
    try:
        if kind is bool:
            return {"yes": True, "no": False, "1": True, "0": False}[text.lower()]
        value = kind(text)
        # No option of any player is negative, and NaN would break a search.
        if isinstance(value, int | float) and not 0 <= value < LARGEST:
            raise ValueError(f"{name} is out of range")
        return value
    except (KeyError, ValueError) as error:
        wanted = "yes or no" if kind is bool else f"a value of type {kind.__name__}"
        if kind in (int, float):
            wanted += f" from 0 to {LARGEST}"
        raise SpecError(f"option {name!r} must be {wanted}, got {text!r}") from error
