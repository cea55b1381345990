"""The parameters of a tuning: their ranges, and their scale from 0 to 1 in the search."""

import math
import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from bots.catalogue import Value, option_ranges, option_values, parse_player, with_options
from ladder.errors import UsageError
from ladder.registry.specs.spec import BUILTIN
from ladder.registry.specs.start_command import fill_placeholders, placeholder

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


@dataclass(frozen=True, slots=True)
class Parameter:
    """A numerical parameter of a bot."""

    name: str
    low: float
    high: float
    start: float
    """The value at which the search begins."""
    is_int: bool = False
    is_log: bool = False
    """Whether it is searched in equal factors, not in equal steps."""

    def unit(self, value: float) -> float:
        """Return the position of a value between the bounds, 0..1."""
        low, high, at = (self._scaled(each) for each in (self.low, self.high, value))
        return (at - low) / (high - low)

    def value(self, unit: float) -> float:
        """Return the value at a position, not rounded."""
        low, high = self._scaled(self.low), self._scaled(self.high)
        at = low + min(max(unit, 0.0), 1.0) * (high - low)
        return math.exp(at) if self.is_log else at

    def rounded(self, value: float) -> float:
        """Round a value to an integer or six digits, within the bounds."""
        near = float(round(value)) if self.is_int else float(f"{value:.6g}")
        return min(max(near, self.low), self.high)

    def text(self, value: float) -> str:
        """Return a settled value as text for a command or an option."""
        return str(round(value)) if self.is_int else f"{value:.6g}"

    @property
    def least_step(self) -> float:
        """The smallest useful perturbation on the scale of 0 to 1; 0 if any is useful.

        For integers it is the length of 0.5 at the middle of the range.
        """
        if not self.is_int:
            return 0.0
        middle = self.value(0.5)
        return abs(self.unit(min(middle + 0.5, self.high)) - self.unit(max(middle, self.low)))

    def __str__(self) -> str:
        marks = ":int" * self.is_int + ":log" * self.is_log
        bounds = "..".join(f"{each:.15g}" for each in (self.low, self.start, self.high))
        return f"{self.name}={bounds}{marks}"

    def _scaled(self, value: float) -> float:
        return math.log(value) if self.is_log else value


Present = Callable[[Parameter], float | None]
"""A function that returns the bot's present value of a parameter, None if it is not known; it
raises UsageError if the bot has no such parameter."""


def read_parameters(
    texts: Sequence[str], present: Present = lambda _: None
) -> tuple[Parameter, ...]:
    """Read the parameters in the given order.

    The search begins where the user wrote, else at the present value, else in the middle.

    Raises:
        UsageError: there are no parameters or too many, one cannot be read, two have one name, or a
            present value is outside of its range or not an integer.

    """
    if not texts:
        raise UsageError(f"name a parameter to tune, as {FORM}", option="param")
    if len(texts) > MOST_PARAMETERS:
        raise UsageError(f"at most {MOST_PARAMETERS} can be tuned at once", option="param")
    found: dict[str, Parameter] = {}
    for text in texts:
        each, has_start = _read(text)
        value = present(each)
        if each.name in found:
            raise parameter_error(each.name, "it is given twice")
        if value is not None and not has_start:
            each = _starting_at(each, value)
        found[each.name] = each
    return tuple(found.values())


def _starting_at(each: Parameter, value: float) -> Parameter:
    if not each.low <= value <= each.high:
        raise parameter_error(
            each.name,
            f"its present value {value:g} lies outside of {each.low:g} .. {each.high:g}: widen "
            f"the range, or choose a start with {each.name}=LOW..START..HIGH",
        )
    if each.is_int and value != int(value):
        raise parameter_error(
            each.name, f"its present value {value:g} is not an integer: leave :int out"
        )
    return replace(each, start=value)


def parameter_error(name: str, problem: str) -> UsageError:
    """Return the error about a parameter."""
    return UsageError(f"{name}: {problem}", option="param")


def _read(text: str) -> tuple[Parameter, bool]:
    """Return a parameter, which starts in the middle if the text has no start."""
    name, equals, rest = text.strip().partition("=")
    bounds, *marks = rest.split(":")
    numbers = bounds.split("..")
    if not equals or not _NAME.fullmatch(name) or len(numbers) not in (2, 3):
        raise UsageError(f"write {FORM}, got {text!r}", option="param")
    for mark in marks:
        if mark not in ("int", "log") or marks.count(mark) > 1:
            raise parameter_error(name, f"write :int or :log after the range, got {mark!r}")
    low, *start, high = (_number(name, word) for word in numbers)
    is_int, is_log = "int" in marks, "log" in marks
    if low > high:
        raise parameter_error(
            name, f"the lower bound comes first, as in {name}={high:g}..{low:g}, got {bounds}"
        )
    if low == high:
        raise parameter_error(name, f"the range {bounds} has one value: there is nothing to tune")
    if start and not low <= start[0] <= high:
        raise parameter_error(name, f"{start[0]:g} lies outside of {low:g} .. {high:g}")
    if is_int and any(each != int(each) for each in (low, *start, high)):
        raise parameter_error(name, f"with :int the range must have integers, got {bounds}")
    if is_log and low <= 0:
        raise parameter_error(name, f"with :log the range must begin above 0, got {bounds}")
    found = Parameter(name, low, high, start[0] if start else low, is_int, is_log)
    return (found if start else replace(found, start=found.rounded(found.value(0.5)))), bool(start)


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


@dataclass(frozen=True, slots=True)
class Template:
    """A bot with parameters."""

    spec: str
    """The specification as the user wrote it."""
    parameters: tuple[Parameter, ...]

    def texts(self, values: ParameterValues) -> dict[str, str]:
        """Return the values as text for a command or options, by name."""
        return {each.name: each.text(values[each.name]) for each in self.parameters}

    def spec_at(self, values: ParameterValues) -> str:
        """Return the specification of the bot with some values."""
        texts = self.texts(values)
        if not self.spec.startswith(BUILTIN):
            return fill_placeholders(self.spec, texts)
        return BUILTIN + with_options(self.spec.removeprefix(BUILTIN), texts)

    def is_original(self, values: ParameterValues) -> bool:
        """Return whether the bot with some values is the one before the tuning."""
        if not self.spec.startswith(BUILTIN):
            return self.texts(values) == self.texts(self.start)
        old, new = (spec.removeprefix(BUILTIN) for spec in (self.spec, self.spec_at(values)))
        return option_values(old) == option_values(new)

    def command_at(self, command: Sequence[str], texts: Mapping[str, str]) -> tuple[str, ...]:
        """Return the command of the original bot with texts at the places of the parameters."""
        words = shlex.split(self.spec.partition(":")[2])
        marks = self.placeholders.values()
        return tuple(
            fill_placeholders(word, texts) if any(mark in word for mark in marks) else stored
            for word, stored in zip(words, command, strict=True)
        )

    @property
    def placeholders(self) -> dict[str, str]:
        """The placeholders of the parameters by name."""
        return {each.name: placeholder(each.name) for each in self.parameters}

    @property
    def original(self) -> str:
        """The specification of the bot before the tuning, with the start values.

        For a built-in player it is that of the user, because its options have default values.
        """
        return self.spec if self.spec.startswith(BUILTIN) else self.spec_at(self.start)

    @property
    def start(self) -> ParameterValues:
        """The values at which the search begins."""
        return {each.name: each.start for each in self.parameters}

    @property
    def title(self) -> str:
        """The specification and its parameters in a line."""
        return f"{self.spec}, {' '.join(map(str, self.parameters))}"


def template_of(spec: str, texts: Sequence[str]) -> Template:
    """Return a specification with its parameters as written, after checking that they fit.

    Raises:
        UsageError: the bot has no such option, the command has no such placeholder, or the present
            value of an option is outside of its range.
        SpecError: the options of a built-in player cannot be read.
        UnknownPlayer: no built-in player has the name.

    """
    if not spec.startswith(BUILTIN):
        parameters = read_parameters(texts)
        for name in (each.name for each in parameters):
            place = placeholder(name)
            if place not in spec:
                raise parameter_error(
                    name,
                    f"the specification does not contain {place}: write it where the value goes, "
                    f"as in 'exec:./mybot --{name} {place}'",
                )
        return Template(spec, parameters)
    player = spec.removeprefix(BUILTIN)
    for each in read_parameters(texts):
        if placeholder(each.name) in player:
            raise parameter_error(
                each.name,
                "options of built-in players need no placeholder: write "
                f"'{BUILTIN}{player.partition('?')[0]}'",
            )
    values = option_values(player)
    version, _ = parse_player(player)
    return Template(spec, read_parameters(texts, lambda each: _current(version.name, each, values)))


def _current(player: str, written: Parameter, values: Mapping[str, Value]) -> float:
    """Return the present value of a player's option. Raises UsageError."""
    name = written.name
    numbers = {key: value for key, value in values.items() if not isinstance(value, str)}
    if not numbers:
        raise parameter_error(name, f"{player} has no numerical option")
    if name not in values:
        raise parameter_error(
            name, f"{player} has no such option: choose one of {', '.join(numbers)}"
        )
    if name not in numbers:
        raise parameter_error(name, f"this option of {player} is a text, not a number")
    value = numbers[name]
    if isinstance(value, int) and not written.is_int:
        raise parameter_error(
            name,
            f"this option of {player} is an integer: write "
            f"{name}={written.low:g}..{written.high:g}:int",
        )
    low, high = option_ranges(player)[name]
    if written.low < low or written.high > high:
        raise parameter_error(
            name,
            f"this option of {player} is a number from {low:g} to {high:g}: choose a range within "
            "it",
        )
    return float(value)
