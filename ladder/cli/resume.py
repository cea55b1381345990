"""Options of a command as stored with its run, and the command line that repeats them."""

import shlex
from collections.abc import Mapping
from enum import Enum
from pathlib import Path
from types import MappingProxyType
from typing import Any

import typer

from db.records.runs import RunRow
from engine.board_class import THU
from ladder.cli.config import read_defaults
from ladder.cli.declare import NO_VALUE, spelled_off
from ladder.errors import UsageError
from ladder.runs.resume import options_of

COMMAND = "command"
"""The key of the command's name among its options."""
NOT_STORED = frozenset(
    {"db", "json", "html", "force", "junit", "summary", "save", "serve", "resume", "new", "verbose"}
    | {"based_on", "new_version"}
)
"""Options about files, output, the choice between resuming and starting anew, and what a command
stores before it plays."""
UNGIVEN = {"boards": THU.name}
"""What options mean that are not given, where that is one word."""


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


def command_of(
    run: RunRow, context: typer.Context, changes: Mapping[str, str] = MappingProxyType({})
) -> str | None:
    """Return the command line that repeats a run, with its seed; None if it is not stored.

    Args:
        run: a run of the database that the command of `context` reads.
        context: the context of that command.
        changes: other options, perhaps those of another command.

    """
    options = options_of(run)
    try:
        if options is None:
            return None
        return command_line({**options, **changes, "db": str(context.params["db"])}, context)
    # An imported run may name a command of another version, and ladder.toml may have faults now.
    except (KeyError, AttributeError, UsageError):
        return None


def command_words(options: Mapping[str, Any], context: typer.Context) -> list[str]:
    """Return the words of a command line with the options that differ from their defaults.

    Where the present `ladder.toml` has a default, the value stands in the command line, too.

    Args:
        options: as `options_to_store` returns them; other keys are ignored.
        context: the context of any command of the program.

    """
    names = str(options[COMMAND]).split()
    command: Any = context.find_root().command
    defaults: Mapping[str, Any] = read_defaults(command, Path.cwd(), only=names[0])
    for name in names:
        command, defaults = command.commands[name], defaults.get(name, {})
    words = names
    for parameter in command.params:
        if parameter.name not in options:
            continue
        value, is_set = options[parameter.name], parameter.name in defaults
        is_missing = value in (None, [])
        if not is_set and (is_missing or value == _plain(parameter.default)):
            continue
        if parameter.param_type_name == "argument":
            words += map(_text, value if isinstance(value, list) else [value])
        elif parameter.is_flag:
            words.append(parameter.opts[0] if value else spelled_off(parameter))
        else:
            given = UNGIVEN.get(parameter.name, NO_VALUE) if is_missing else value
            for each in given if isinstance(given, list) else [given]:
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
