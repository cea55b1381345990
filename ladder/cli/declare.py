"""Commands as functions: types and defaults stand in the signature, the help in the docstring.

A docstring ends with sections: `Arguments:` of the first parameters, options under the headings of
the help, and `Example:`. An option begins as it is typed, and may end with its default in words::

    The test:
      --max-drop ELO: Largest acceptable Elo loss. [20, or 0 with --min-gain]

A parameter `all_` is the option `--all`. ``--time none`` and ``--no-rated`` undo a default of
`ladder.toml`. Options without an entry are described by the docstring of `ladder.cli.options`. A
parameter of a dataclass stands for an option of each field.
"""

import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, dataclass, field, fields, is_dataclass
from functools import cache
from typing import Annotated, Any, NamedTuple, Union, get_args, get_origin

import typer

from engine.board_class import SETS
from engine.result import Loser, Termination
from ladder.cli import options

ARGUMENTS, OPTIONS, EXAMPLE = "Arguments", "Options", "Example"
NO_OPTION: Mapping[str, bool] = {"no option": True}
"""Metadata of a field of a class of options that is not an option."""
_SECTION = re.compile(rf"(?m)^({ARGUMENTS}|{EXAMPLE}|.+(?=:\n  --?\w)):\n((?:  .*\n?)+)\n?")
_ENTRY = re.compile(r"(?s)(.*?): (.*?)(?: \[([^\]]*)\])?")


class OptionHelp(NamedTuple):
    """The help of an argument or option."""

    spellings: list[str]
    """Those of an option; empty for an argument."""
    metavar: str | None
    text: str
    default: str | None
    """In words, if the parameter's own does not show it."""
    heading: str


@dataclass(slots=True)
class CommandHelp:
    """The help of a command."""

    text: str
    example: str = ""
    arguments: list[OptionHelp] = field(default_factory=list)
    options: dict[str, OptionHelp] = field(default_factory=dict)


@cache
def _filled_in() -> dict[str, str]:
    """Return what the help derives from tables, by the words that stand for it."""
    sets = SETS.values()
    return {
        "{board sets}": ", ".join(f"{each.name} ({each.help})" for each in sets),
        "{large board sets}": ", ".join(each.name for each in sets if each.is_large),
        "{endings}": ", ".join(each.value for each in Termination if each.loser is not Loser.NONE),
    }


def read_help(docstring: str | None) -> CommandHelp:
    """Return the help that a docstring holds."""
    text = inspect.cleandoc(docstring or "")
    for word, value in _filled_in().items():
        text = text.replace(word, value)
    found = CommandHelp(_SECTION.sub("", text).strip())
    for heading, body in _SECTION.findall(text):
        if heading == EXAMPLE:
            found.example = body.strip()
            continue
        for entry in re.split(r"\n  (?=\S)", body.strip()):
            match = _ENTRY.fullmatch(" ".join(entry.split()))
            assert match is not None, entry  # noqa: S101 - a docstring of this program
            head, text, default = match.groups()
            spellings = re.findall(r"(?:^|, )(--?[a-z][\w/-]*)", head)
            if spellings:
                name = spellings[-1].partition("/")[0].strip("-").replace("-", "_")
                metavar = head.rpartition(spellings[-1])[2].strip() or None
                found.options[name] = OptionHelp(spellings, metavar, text, default, heading)
            else:
                found.arguments.append(OptionHelp([], head, text, default, heading))
    return found


class Declared(NamedTuple):
    """A command as Typer takes it."""

    function: Callable[..., int]
    help: CommandHelp


class _Parameter(NamedTuple):
    name: str
    """In Python."""
    annotation: Any
    default: Any
    owner: str | None
    """The parameter that holds its dataclass."""


def declare(command: Callable[..., int]) -> Declared:
    """Return a command as a function whose signature Typer reads."""
    found = read_help(command.__doc__)
    given = inspect.signature(command).parameters.values()
    classes: dict[str, Any] = {
        each.name: each.annotation for each in given if is_dataclass(each.annotation)
    }
    parameters = [one for each in given for one in _flat(each)]
    known = {**shared_options(), **found.options}
    words = [inspect.Parameter("context", _KEYWORD, annotation=typer.Context)]
    for place, each in enumerate(parameters):
        name = each.name.rstrip("_")
        entry = found.arguments[place] if place < len(found.arguments) else known[name]
        words.append(_as_typer_reads(each, entry))

    def call(context: typer.Context, **values: Any) -> int:
        own: dict[str, dict[str, Any]] = {name: {} for name in classes}
        plain: dict[str, Any] = {}
        for each in parameters:
            target = plain if each.owner is None else own[each.owner]
            target[each.name] = values[each.name.rstrip("_")]
        for name, kind in classes.items():
            if any(each.name == "context" for each in fields(kind)):
                own[name]["context"] = context
            plain[name] = kind(**own[name])
        if any(each.annotation is typer.Context for each in given):
            plain["context"] = context
        return command(**plain)

    call.__signature__ = inspect.Signature(words)  # type: ignore[attr-defined]
    call.__name__ = command.__name__
    return Declared(call, found)


_KEYWORD = inspect.Parameter.KEYWORD_ONLY


@cache
def shared_options() -> dict[str, OptionHelp]:
    """Return the options that several commands share, by their names."""
    return read_help(options.__doc__).options


def _flat(parameter: inspect.Parameter) -> Iterator[_Parameter]:
    """Yield a parameter, or those for the fields of its dataclass."""
    if is_dataclass(parameter.annotation):
        for each in fields(parameter.annotation):
            if each.metadata != NO_OPTION:
                default = inspect.Parameter.empty if each.default is MISSING else each.default
                yield _Parameter(each.name, each.type, default, parameter.name)
    elif parameter.annotation is not typer.Context:
        yield _Parameter(parameter.name, parameter.annotation, parameter.default, None)


def _as_typer_reads(parameter: _Parameter, entry: OptionHelp) -> inspect.Parameter:
    kind, settings = _unwrapped(parameter.annotation)
    shared = {
        "metavar": entry.metavar,
        "help": entry.text,
        "show_default": entry.default or True,
        **settings,
    }
    if entry.spellings:
        heading = None if entry.heading == OPTIONS else entry.heading
        shown = typer.Option(*entry.spellings, rich_help_panel=heading, **shared)
    else:
        shown = typer.Argument(**shared)
    return inspect.Parameter(
        parameter.name.rstrip("_"),
        _KEYWORD,
        default=parameter.default,
        annotation=Annotated[kind, shown],
    )


def _unwrapped(annotation: Any) -> tuple[Any, Mapping[str, Any]]:
    """Return a type without the settings of its option, and these."""
    if get_origin(annotation) is Annotated:
        kind, takes = get_args(annotation)
        return kind, takes.settings
    if get_origin(annotation) is Union:
        parts = [_unwrapped(each) for each in get_args(annotation)]
        settings = next((found for _, found in parts if found), {})
        return Union[tuple(kind for kind, _ in parts)], settings  # noqa: UP007 - made of parts
    return annotation, {}


NO_VALUE = "none"
"""The value of an option that is not given."""


def spelled_off(flag: Any) -> str:
    """Return the word that turns a flag off."""
    spelled: str = (*flag.secondary_opts, f"--no-{flag.opts[0].removeprefix('--')}")[0]
    return spelled


def split_unset(params: list[Any], words: list[str]) -> tuple[list[str], dict[str, object]]:
    """Return the words of a command line without those that undo a default, and what they set.

    Args:
        params: the parameters of the command.
        words: the words after the command's own.

    Returns:
        The other words, and the values by the names of options.

    """
    given = [each for each in params if each.param_type_name == "option" and not each.required]
    empty = {
        spelled: each
        for each in given
        if each.default is None and not each.is_flag
        for spelled in each.opts
    }
    off = {spelled_off(each): each.name for each in given if each.is_flag}
    left: list[str] = []
    undone: dict[str, object] = {}
    rest = iter(words)
    for word in rest:
        if word == "--":
            return [*left, word, *rest], undone
        name, sign, value = word.partition("=")
        if word in off:
            undone[off[word]] = False
        elif name in empty and sign and value == NO_VALUE:
            undone |= _nothing(empty[name])
        elif word == NO_VALUE and left and left[-1] in empty:
            undone |= _nothing(empty[left.pop()])
        else:
            left.append(word)
    return left, undone


def _nothing(option: Any) -> dict[str, object]:
    return {option.name: [] if option.multiple else None}
