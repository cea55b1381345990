"""Specifications with parameters: options of built-in players, or placeholders in a command."""

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bots.catalogue import Value, option_values, parse_player, with_options
from ladder.experiments.tune.parameters import (
    Kind,
    Parameter,
    ParameterSpec,
    ParameterValues,
    parameter_error,
)
from ladder.match.specs.spec import BUILTIN
from ladder.match.specs.start_command import fill_placeholders, placeholder


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


def template_of(spec: str, written: Sequence[ParameterSpec]) -> Template:
    """Return a specification with its parameters, after checking that they fit together.

    Raises:
        UsageError: the bot has no such option, the command has no such placeholder, or the present
            value of an option is outside of its range.
        SpecError: the options of a built-in player cannot be read.
        UnknownPlayer: no built-in player has the name.

    """
    if spec.startswith(BUILTIN):
        player = spec.removeprefix(BUILTIN)
        for each in written:
            if placeholder(each.name) in player:
                raise parameter_error(
                    each.name,
                    "options of built-in players need no placeholder: write "
                    f"'{BUILTIN}{player.partition('?')[0]}'",
                )
        values = option_values(player)
        version, _ = parse_player(player)
        found = [each.starting_at(_current(version.name, each, values)) for each in written]
        return Template(spec, tuple(found))
    for each in written:
        place = placeholder(each.name)
        if place not in spec:
            raise parameter_error(
                each.name,
                f"the specification does not contain {place}: write it where the value goes, as "
                f"in 'exec:./mybot --{each.name} {place}'",
            )
    return Template(spec, tuple(each.starting_at(None) for each in written))


def _current(player: str, written: ParameterSpec, values: Mapping[str, Value]) -> float:
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
    if isinstance(value, int) and written.kind is not Kind.INT:
        raise parameter_error(
            name,
            f"this option of {player} is an integer: write "
            f"{name}={written.low:g}..{written.high:g}:int",
        )
    if written.low < 0:
        raise parameter_error(name, "options of built-in players cannot be below 0")
    return float(value)
