"""The parameters of a tuning: their ranges, and their scale from 0 to 1 in the search."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from ladder.errors import UsageError

Point = NDArray[np.float64]
"""A point of the search: for each parameter a number from 0 (lowest value) to 1 (highest value),
shape (parameters,)."""
ParameterValues = Mapping[str, float]
"""A value for each parameter by name; integers for integer parameters."""

MAX_BOUND = 1e9
"""Largest absolute value of a bound."""
MOST_PARAMETERS = 30
"""Most parameters: with more, no number of games separates their effects."""
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)
FORM = "NAME=LOW..HIGH or NAME=LOW..START..HIGH, followed by :int, :log or both"


class Kind(StrEnum):
    """The types of parameters."""

    FLOAT = "float"
    INT = "int"


class Scale(StrEnum):
    """The scales on which a parameter is searched in equal steps."""

    LINEAR = "linear"
    LOG = "log"


@dataclass(frozen=True, slots=True)
class Parameter:
    """A numerical parameter of a bot."""

    name: str
    low: float
    high: float
    start: float
    """The value at which the search begins."""
    kind: Kind = Kind.FLOAT
    scale: Scale = Scale.LINEAR

    def unit(self, value: float) -> float:
        """Return the position of a value between the bounds, 0..1."""
        low, high, at = (self._scaled(each) for each in (self.low, self.high, value))
        return (at - low) / (high - low)

    def value(self, unit: float) -> float:
        """Return the value at a position, not rounded."""
        low, high = self._scaled(self.low), self._scaled(self.high)
        at = low + min(max(unit, 0.0), 1.0) * (high - low)
        return math.exp(at) if self.scale is Scale.LOG else at

    def rounded(self, value: float) -> float:
        """Round a value to an integer or six digits, within the bounds."""
        near = float(round(value)) if self.kind is Kind.INT else float(f"{value:.6g}")
        return min(max(near, self.low), self.high)

    def text(self, value: float) -> str:
        """Return a settled value as text for a command or an option."""
        return str(round(value)) if self.kind is Kind.INT else f"{value:.6g}"

    @property
    def least_step(self) -> float:
        """The smallest useful perturbation on the scale of 0 to 1; 0 if any is useful.

        For integers it is the length of 0.5 at the middle of the range.
        """
        if self.kind is Kind.FLOAT:
            return 0.0
        middle = self.value(0.5)
        return abs(self.unit(min(middle + 0.5, self.high)) - self.unit(max(middle, self.low)))

    def __str__(self) -> str:
        marks = "".join(
            f":{mark}"
            for mark, is_set in (("int", self.kind is Kind.INT), ("log", self.scale is Scale.LOG))
            if is_set
        )
        bounds = "..".join(f"{each:.15g}" for each in (self.low, self.start, self.high))
        return f"{self.name}={bounds}{marks}"

    def _scaled(self, value: float) -> float:
        return math.log(value) if self.scale is Scale.LOG else value


@dataclass(frozen=True, slots=True)
class ParameterSpec:
    """A parameter as the user wrote it, perhaps without a start."""

    name: str
    low: float
    high: float
    start: float | None
    """The start; None for the bot's present value or the middle of the range."""
    kind: Kind
    scale: Scale

    def starting_at(self, current: float | None) -> Parameter:
        """Return the parameter, which starts where the user wrote, else at `current`.

        Raises:
            UsageError: the start is outside of the range, or not an integer.

        """
        begin = current if self.start is None else self.start
        if begin is None:
            middle = Parameter(self.name, self.low, self.high, self.low, self.kind, self.scale)
            begin = middle.rounded(middle.value(0.5))
        if not self.low <= begin <= self.high:
            raise parameter_error(
                self.name,
                f"its present value {begin:g} lies outside of {self.low:g} .. {self.high:g}: widen "
                f"the range, or choose a start with {self.name}=LOW..START..HIGH",
            )
        if self.kind is Kind.INT and begin != int(begin):
            raise parameter_error(
                self.name, f"its present value {begin:g} is not an integer: leave :int out"
            )
        return Parameter(self.name, self.low, self.high, begin, self.kind, self.scale)


def read_parameters(texts: Sequence[str]) -> list[ParameterSpec]:
    """Read the parameters in the given order.

    Raises:
        UsageError: there are no parameters or too many, one cannot be read, or two have one name.

    """
    if not texts:
        raise UsageError(f"name a parameter to tune, as {FORM}", option="param")
    if len(texts) > MOST_PARAMETERS:
        raise UsageError(f"at most {MOST_PARAMETERS} can be tuned at once", option="param")
    written = [_read(text) for text in texts]
    names = [each.name for each in written]
    for name in names:
        if names.count(name) > 1:
            raise parameter_error(name, "it is given twice")
    return written


def parameter_error(name: str, problem: str) -> UsageError:
    """Return the error about a parameter."""
    return UsageError(f"{name}: {problem}", option="param")


def _read(text: str) -> ParameterSpec:
    name, equals, rest = text.strip().partition("=")
    bounds, *marks = rest.split(":")
    numbers = bounds.split("..")
    if not equals or not _NAME.fullmatch(name) or len(numbers) not in (2, 3):
        raise UsageError(f"write {FORM}, got {text!r}", option="param")
    for mark in marks:
        if mark not in ("int", "log") or marks.count(mark) > 1:
            raise parameter_error(name, f"write :int or :log after the range, got {mark!r}")
    low, *start, high = (_number(name, word) for word in numbers)
    kind = Kind.INT if "int" in marks else Kind.FLOAT
    scale = Scale.LOG if "log" in marks else Scale.LINEAR
    if low > high:
        raise parameter_error(
            name, f"the lower bound comes first, as in {name}={high:g}..{low:g}, got {bounds}"
        )
    if low == high:
        raise parameter_error(name, f"the range {bounds} has one value: there is nothing to tune")
    if start and not low <= start[0] <= high:
        raise parameter_error(name, f"{start[0]:g} lies outside of {low:g} .. {high:g}")
    if kind is Kind.INT and any(each != int(each) for each in (low, *start, high)):
        raise parameter_error(name, f"with :int the range must have integers, got {bounds}")
    if scale is Scale.LOG and low <= 0:
        raise parameter_error(name, f"with :log the range must begin above 0, got {bounds}")
    return ParameterSpec(name, low, high, start[0] if start else None, kind, scale)


def _number(name: str, word: str) -> float:
    try:
        value = float(word)
    except ValueError:
        raise parameter_error(name, f"{word!r} is not a number: write {FORM}") from None
    if not abs(value) <= MAX_BOUND:
        raise parameter_error(
            name, f"{word} is not a number between -{MAX_BOUND:g} and {MAX_BOUND:g}"
        )
    return value


def start_of(parameters: Sequence[Parameter]) -> Point:
    """Return the point at which a search begins."""
    return np.array([each.unit(each.start) for each in parameters])


def values_at(parameters: Sequence[Parameter], point: Point) -> dict[str, float]:
    """Return the rounded values at a point."""
    return {
        each.name: each.rounded(each.value(float(unit)))
        for each, unit in zip(parameters, point, strict=True)
    }


def point_of(parameters: Sequence[Parameter], values: ParameterValues) -> Point:
    """Return the point of some values."""
    return np.array([each.unit(values[each.name]) for each in parameters])
