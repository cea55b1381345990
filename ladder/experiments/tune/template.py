"""A specification with parameters in it: which option or word of a command each value goes to."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from bots.catalogue import parse_player
from bots.option_values import Value, option_values
from ladder.errors import UsageError
from ladder.experiments.tune.parameters import Kind, Parameter, ParameterSpec, Setting
from ladder.match.specs.spec import BUILTIN
from ladder.match.specs.start_command import fill_placeholders, placeholder


@dataclass(frozen=True, slots=True)
class Template:
    """A bot whose numbers can be set."""

    spec: str
    """The words of the user."""
    parameters: tuple[Parameter, ...]

    def texts(self, setting: Setting) -> dict[str, str]:
        """Return the values as a command or an option has them, by name."""
        return {each.name: each.text(setting[each.name]) for each in self.parameters}

    def spec_at(self, setting: Setting) -> str:
        """Return the specification of the bot with these values."""
        texts = self.texts(setting)
        if not self.spec.startswith(BUILTIN):
            return fill_placeholders(self.spec, texts)
        version, given = parse_player(self.spec.removeprefix(BUILTIN))
        return f"{BUILTIN}{version.name}?{urlencode({**given, **texts}, safe=',')}"

    @property
    def original(self) -> str:
        """The specification of the bot as it was before: with every parameter where it starts.

        A built-in player's is the user's own, whose options have values without being named.
        """
        return self.spec if self.spec.startswith(BUILTIN) else self.spec_at(self.start)

    @property
    def start(self) -> Setting:
        """The values at which the search begins."""
        return {each.name: each.start for each in self.parameters}

    @property
    def title(self) -> str:
        """The specification and its parameters in a line."""
        return f"{self.spec}, {' '.join(map(str, self.parameters))}"


def template_of(spec: str, written: Sequence[ParameterSpec]) -> Template:
    """A specification and its parameters, each held against the other.

    Raises:
        UsageError: the bot has no such option, the command names no such place, or the value with
            which the bot plays now lies outside of its range.
        SpecError: the options of a built-in player cannot be read.
        UnknownPlayer: no built-in player has the name.

    """
    if spec.startswith(BUILTIN):
        player = spec.removeprefix(BUILTIN)
        values = option_values(player)
        version, _ = parse_player(player)
        found = [each.starting_at(_current(version.name, each, values)) for each in written]
        return Template(spec, tuple(found))
    for each in written:
        place = placeholder(each.name)
        if place not in spec:
            raise UsageError(
                f"--param {each.name}: the specification says nowhere {place}: write "
                f"it where the value goes, as in 'exec:./mybot --{each.name} {place}'"
            )
    return Template(spec, tuple(each.starting_at(None) for each in written))


def _current(player: str, written: ParameterSpec, values: Mapping[str, Value]) -> float:
    """The value that a player's option has now. Raises UsageError."""
    name = written.name
    numbers = {key: value for key, value in values.items() if not isinstance(value, str)}
    if not numbers:
        raise UsageError(f"--param {name}: {player} has no option that is a number")
    if name not in values:
        raise UsageError(
            f"--param {name}: {player} has no such option: it has {', '.join(numbers)}"
        )
    if name not in numbers:
        raise UsageError(f"--param {name}: this option of {player} is a text, not a number")
    value = numbers[name]
    if isinstance(value, int) and written.kind is not Kind.INT:
        raise UsageError(
            f"--param {name}: this option of {player} is a whole number: write "
            f"{name}={written.low:g}..{written.high:g}:int"
        )
    if written.low < 0:
        raise UsageError(f"--param {name}: no option of a built-in player is below 0")
    return float(value)
