"""The parameters of a tuning: their ranges, and the scale of 0 to 1 on which they are searched."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from ladder.errors import UsageError

Point = NDArray[np.float64]
"""A place in the search: for each parameter a number from 0, its lowest value, to 1, its highest.
Shape (parameters,)."""
Setting = Mapping[str, float]
"""A value for each parameter by its name, whole where the parameter is."""

MOST = 1e9
"""Greatest absolute value of a bound."""
MOST_PARAMETERS = 30
"""Beyond this no budget of games tells the parameters apart."""
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)
FORM = "NAME=LOW..HIGH or NAME=LOW..START..HIGH, with :int, :log or both behind it"


class Kind(StrEnum):
    """The values that a parameter takes."""

    FLOAT = "float"
    INT = "int"


class Scale(StrEnum):
    """The scale on which equal steps are equally large."""

    LINEAR = "linear"
    LOG = "log"


@dataclass(frozen=True, slots=True)
class Parameter:
    """One number of a bot."""

    name: str
    low: float
    high: float
    start: float
    """The value at which the search begins."""
    kind: Kind = Kind.FLOAT
    scale: Scale = Scale.LINEAR

    def unit(self, value: float) -> float:
        """The place of a value between the bounds, 0..1."""
        low, high, at = (self._scaled(each) for each in (self.low, self.high, value))
        return (at - low) / (high - low)

    def value(self, unit: float) -> float:
        """The value at a place, not rounded."""
        low, high = self._scaled(self.low), self._scaled(self.high)
        at = low + min(max(unit, 0.0), 1.0) * (high - low)
        return math.exp(at) if self.scale is Scale.LOG else at

    def settled(self, value: float) -> float:
        """The value that a bot is given: within the bounds, whole, or of six digits."""
        near = float(round(value)) if self.kind is Kind.INT else float(f"{value:.6g}")
        return min(max(near, self.low), self.high)

    def text(self, value: float) -> str:
        """A settled value as a command or an option has it."""
        return str(round(value)) if self.kind is Kind.INT else f"{value:.6g}"

    @property
    def least_step(self) -> float:
        """The least distance on the scale of 0 to 1 that tells two values apart; 0: any does.

        Half a whole number at the middle of the range.
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
    """A parameter as the user wrote it."""

    name: str
    low: float
    high: float
    start: float | None
    """None: the bot's present value, or the middle of the range."""
    kind: Kind
    scale: Scale

    def starting_at(self, current: float | None) -> Parameter:
        """The parameter, its search beginning where the user says or else at `current`.

        Raises:
            UsageError: it would begin outside of the range, or between two whole numbers.

        """
        begin = current if self.start is None else self.start
        if begin is None:
            middle = Parameter(self.name, self.low, self.high, self.low, self.kind, self.scale)
            begin = middle.settled(middle.value(0.5))
        if not self.low <= begin <= self.high:
            raise UsageError(
                f"--param {self.name}: its present value {begin:g} lies outside of {self.low:g} .. "
                f"{self.high:g}: widen the range, or say where to begin with "
                f"{self.name}=LOW..START..HIGH"
            )
        if self.kind is Kind.INT and begin != int(begin):
            raise UsageError(
                f"--param {self.name}: its present value {begin:g} is not whole: leave :int out"
            )
        return Parameter(self.name, self.low, self.high, begin, self.kind, self.scale)


def read_parameters(texts: Sequence[str]) -> list[ParameterSpec]:
    """The parameters of all ``--param``, in the order in which they were given.

    Raises:
        UsageError: there is none, or too many, one cannot be read, or two have one name.

    """
    if not texts:
        raise UsageError(f"--param is missing: say what is to be tuned, as {FORM}")
    if len(texts) > MOST_PARAMETERS:
        raise UsageError(f"--param: at most {MOST_PARAMETERS} can be tuned at once")
    written = [_read(text) for text in texts]
    names = [each.name for each in written]
    for name in names:
        if names.count(name) > 1:
            raise UsageError(f"--param {name} is given twice")
    return written


def _read(text: str) -> ParameterSpec:
    name, equals, rest = text.strip().partition("=")
    bounds, *marks = rest.split(":")
    numbers = bounds.split("..")
    if not equals or not _NAME.fullmatch(name) or len(numbers) not in (2, 3):
        raise UsageError(f"--param is {FORM}, got {text!r}")
    for mark in marks:
        if mark not in ("int", "log") or marks.count(mark) > 1:
            raise UsageError(f"--param {name}: behind the range comes :int or :log, got {mark!r}")
    low, *start, high = (_number(name, word) for word in numbers)
    kind = Kind.INT if "int" in marks else Kind.FLOAT
    scale = Scale.LOG if "log" in marks else Scale.LINEAR
    if not low < high:
        raise UsageError(
            f"--param {name}: the range begins below its end, as in {name}={high:g}..{low:g}, got "
            f"{bounds}"
            if low > high
            else f"--param {name}: the range {bounds} holds one value: there is nothing to tune"
        )
    if start and not low <= start[0] <= high:
        raise UsageError(f"--param {name}: {start[0]:g} lies outside of {low:g} .. {high:g}")
    if kind is Kind.INT and any(each != int(each) for each in (low, *start, high)):
        raise UsageError(f"--param {name}: with :int the range is of whole numbers, got {bounds}")
    if scale is Scale.LOG and low <= 0:
        raise UsageError(f"--param {name}: with :log the range begins above 0, got {bounds}")
    return ParameterSpec(name, low, high, start[0] if start else None, kind, scale)


def _number(name: str, word: str) -> float:
    try:
        value = float(word)
    except ValueError:
        raise UsageError(f"--param {name}: {word!r} is not a number; it is {FORM}") from None
    if not abs(value) <= MOST:
        raise UsageError(f"--param {name}: {word} is not a number between -{MOST:g} and {MOST:g}")
    return value


def start_of(parameters: Sequence[Parameter]) -> Point:
    """The place at which a search begins."""
    return np.array([each.unit(each.start) for each in parameters])


def setting_at(parameters: Sequence[Parameter], point: Point) -> dict[str, float]:
    """The values of a place, each settled."""
    return {
        each.name: each.settled(each.value(float(unit)))
        for each, unit in zip(parameters, point, strict=True)
    }


def point_of(parameters: Sequence[Parameter], setting: Setting) -> Point:
    """The place of a setting."""
    return np.array([each.unit(setting[each.name]) for each in parameters])
