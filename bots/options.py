"""The options of players: a frozen dataclass per family, read from a table row or from text."""

from collections.abc import Mapping
from dataclasses import Field, field, fields
from pathlib import Path
from typing import Any, TypeVar

from bots.errors import SpecError

T = TypeVar("T")

Number = TypeVar("Number", int, float)
_RANGE = "range"


def ranged(default: Number, low: float, high: float) -> Number:
    """Return a field of a number from `low` to `high`; without a range it could have any value."""
    number: Number = field(default=default, metadata={_RANGE: (low, high)})
    return number


def ranges_of(kind: type) -> dict[str, tuple[float, float]]:
    """Return the lowest and highest value of each numeric option."""
    return {each.name: each.metadata[_RANGE] for each in fields(kind) if _RANGE in each.metadata}


def read_options(kind: type[T], given: Mapping[str, Any]) -> T:
    """Build a dataclass from options, converting texts to the types of the fields' defaults.

    Raises:
        SpecError: an option is unknown, cannot be parsed or is out of range.

    """
    known: dict[str, Field[Any]] = {each.name: each for each in fields(kind)}  # type: ignore[arg-type]
    values = {}
    for name, value in given.items():
        if name not in known:
            raise SpecError(f"there is no option {name!r}: there are {', '.join(known)}")
        values[name] = _convert(known[name], value)
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


def _convert(option: "Field[Any]", given: Any) -> object:
    """Return the value of an option, from its text or itself. Raises SpecError."""
    kind: Any = type(option.default)
    low, high = option.metadata.get(_RANGE, (None, None))
    try:
        if kind is bool and isinstance(given, str):
            return {"yes": True, "no": False, "1": True, "0": False}[given.lower()]
        value = kind(given) if isinstance(given, str) else given
        if low is not None and not low <= value <= high:  # nor is NaN
            raise ValueError(given)
        return value
    except (KeyError, ValueError, OverflowError) as error:
        wanted = "yes or no" if kind is bool else f"a value of type {kind.__name__}"
        if low is not None:
            wanted += f" from {low} to {high}"
        raise SpecError(f"option {option.name!r} must be {wanted}, got {str(given)!r}") from error
