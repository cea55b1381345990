"""The commands of the queue and their options, as a form shows them.

The command line describes its own commands and reads their words, so that a form has the same
options, defaults and errors.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from ladder.queue.cost import Workload

YES, NO = "yes", "no"


@dataclass(frozen=True, slots=True)
class Field:
    """An argument or an option of a command."""

    name: str
    """Such as ``max-drop``."""
    help: str
    heading: str
    metavar: str
    default: str
    """Its default as text; empty if it has none."""
    choices: tuple[str, ...] = ()
    negative: str = ""
    """The word that switches it off, such as ``--no-pin``."""
    is_argument: bool = False
    is_flag: bool = False
    is_required: bool = False
    is_many: bool = False
    """Whether it may be given several times."""
    is_rare: bool = False
    """Whether it is folded away at first."""
    has_bots: bool = False
    """Whether its values are names of bots."""
    is_list: bool = False
    """Whether one value lists several, separated by commas."""
    names_file: bool = False
    """Whether it names a file or a program of the server's machine."""

    def words(self, values: Sequence[str]) -> Iterator[str]:
        """Yield the words of an option with these values."""
        for value in values:
            if not self.is_flag:
                yield f"--{self.name}={value}"
            elif value == YES:
                yield f"--{self.name}"
            elif self.negative:
                yield self.negative


@dataclass(frozen=True, slots=True)
class FormCommand:
    """A command that may wait in the queue."""

    name: str
    """Such as ``suite run``."""
    summary: str
    """What it does, in a sentence."""
    fields: tuple[Field, ...]

    @property
    def options(self) -> dict[str, Field]:
        """Its options by name."""
        return {each.name: each for each in self.fields if not each.is_argument}


@dataclass(frozen=True, slots=True)
class CostQuestion:
    """What an experiment plays."""

    workloads: tuple[Workload, ...]
    sentence: str = ""
    """What can be said of the cost if there are no workloads."""


class CommandForms(Protocol):
    """The commands of the queue, as the command line describes and reads them."""

    @property
    def commands(self) -> Mapping[str, FormCommand]:
        """The commands by name, with the defaults of this server."""

    def ask_cost(self, words: Sequence[str]) -> CostQuestion:
        """Read a command line without looking at any file. Raises UsageError."""

    def workloads(self, words: Sequence[str]) -> Sequence[Workload]:
        """Return what a command line of the queue plays; nothing if this is unknown."""
