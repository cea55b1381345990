"""Options of a command as stored with its run, and the command line that repeats them."""

import shlex
from collections.abc import Mapping
from enum import Enum
from pathlib import Path
from typing import Any

import typer

from db.records.runs import RunRow
from ladder.runs.resume import options_of

COMMAND = "command"
"""The key of the command's name among its options."""
NOT_STORED = frozenset(
    {"db", "json", "html", "force", "junit", "summary", "save", "serve", "resume", "new", "verbose"}
)
"""Options about files, output and the choice between resuming and starting anew."""


def options_to_store(context: typer.Context) -> dict[str, object]:
    """Return the name and the resolved options of a command, as JSON values."""
    return {name: each for name, each in all_options(context).items() if name not in NOT_STORED}


def all_options(context: typer.Context) -> dict[str, object]:
    """Return the name and all resolved options of a command, as JSON values."""
    given = {name: _plain(value) for name, value in context.params.items()}
    return {COMMAND: context.command_path.partition(" ")[2], **given}


def command_line(options: Mapping[str, Any], context: typer.Context) -> str:
    """Return a command line as `command_words` does, as a shell reads it."""
    return shlex.join(["ladder", *command_words(options, context)])


def command_of(run: RunRow, context: typer.Context) -> str | None:
    """Return the command line that repeats a run, with its seed; None if it is not stored."""
    options = options_of(run)
    try:
        return None if options is None else command_line(options, context)
    except (KeyError, AttributeError):  # an imported run may name a command of another version
        return None


def command_words(options: Mapping[str, Any], context: typer.Context) -> list[str]:
    """Return the words of a command line with the options that differ from their defaults.

    Where `ladder.toml` has another default, the value stands in the command line, too.

    Args:
        options: as `options_to_store` returns them; other keys are ignored.
        context: the context of any command of the program.

    """
    names = str(options[COMMAND]).split()
    command: Any = context.find_root().command
    defaults: Mapping[str, Any] = context.find_root().default_map or {}
    for name in names:
        command, defaults = command.commands[name], defaults.get(name, {})
    words = names
    for parameter in command.params:
        value = options.get(parameter.name)
        is_default = value == _plain(parameter.default) and parameter.name not in defaults
        if value in (None, []) or is_default:
            continue
        if parameter.param_type_name == "argument":
            words += map(_text, value if isinstance(value, list) else [value])
        elif parameter.is_flag:
            words += (parameter.opts if value else parameter.secondary_opts)[:1]
        else:
            for each in value if isinstance(value, list) else [value]:
                words += [parameter.opts[0], _text(each)]
    return words


def _plain(value: object) -> object:
    """Return an option's value as a JSON value."""
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    return value


def _text(value: object) -> str:
    return f"{value:.15g}" if isinstance(value, float) else str(value)
