"""Defaults from `ladder.toml` in the current folder.

Keys are names of options without dashes. A table holds the defaults of one command, and keys before
the first table those of all commands, as does a sandbox in any table. One board under ``boards`` is
also the default of commands that take a single ``--board``::

    db = "overnight.db"

    [run]
    time = "40ms"
    boards = ["thu", "6x7"]
"""

import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from db.records.bots import remedy_for
from engine.board_class import parse_board_classes
from engine.errors import BoardError
from ladder.errors import UsageError
from ladder.names import CONFIG

SANDBOX = "sandbox"
"""The option that counts for all commands: a bot started without it may do what its user may."""


def read_defaults(command: Any, folder: Path, only: str | None = None) -> dict[str, Any]:
    """Return the defaults as Click's `default_map`; empty without a file.

    Args:
        command: the group of all commands.
        folder: the folder of the file.
        only: the command whose table is read; None for all.

    Raises:
        UsageError: the file is not TOML, names an unknown command or option, or holds a value of
            the wrong kind.

    """
    path = folder / CONFIG
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        return {}
    except (OSError, tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        why = "it is not UTF-8 text" if isinstance(error, UnicodeDecodeError) else str(error)
        why = (error.strerror or why) if isinstance(error, OSError) else why
        raise UsageError(f"{CONFIG} cannot be read: {why}; correct it or move it away") from error
    shared = {**_sandbox_of_all(content), **_board_of_all(content)}
    return _defaults_of(command, "", {**shared, **content}, {}, only)


def is_from_config(ctx: Any, name: str) -> bool:
    """Return whether the value of the option of a parameter stands in `ladder.toml`."""
    return ctx is not None and (
        getattr(ctx.get_parameter_source(name), "name", "") == "DEFAULT_MAP"
    )


def _board_of_all(content: dict[str, Any]) -> dict[str, Any]:
    """Return a default of `board` if the `boards` of all commands are a single one.

    A set of boards such as `thu` gives none, nor does a text that is not valid: its option refuses
    it.
    """
    given = content.get("boards")
    text = ",".join(map(str, given)) if isinstance(given, list) else str(given or "")
    try:
        classes = parse_board_classes(text)
    except BoardError:
        return {}
    return {"board": text} if len(classes) == 1 and classes[0].single is not None else {}


def _sandbox_of_all(content: dict[str, Any]) -> dict[str, Any]:
    """Return the sandbox of any command's table as the default of all commands.

    Raises:
        UsageError: several tables have different ones.

    """
    found = {str(value) for value in _deep_values(content, SANDBOX)}
    if SANDBOX in content or not found:
        return {}
    if len(found) > 1:
        raise UsageError(
            f"{CONFIG}: several tables have different sandboxes: write one for all commands before "
            "the first table"
        )
    return {SANDBOX: found.pop()}


def _deep_values(table: dict[str, Any], key: str) -> list[Any]:
    """Return the values of a key in all tables, at any depth."""
    found = []
    for value in table.values():
        if isinstance(value, dict):
            found += [value[key]] if key in value else []
            found += _deep_values(value, key)
    return found


def _options_of(command: Any) -> set[str]:
    """Return the names of a command's own options."""
    return {parameter.name for parameter in command.params if not parameter.is_eager}


def _commands_of(command: Any) -> Mapping[str, Any]:
    """Return the commands of a group by name; empty for a command."""
    return getattr(command, "commands", {})


def _is_option(command: Any, key: str) -> bool:
    """Return whether a command or one below it has an option."""
    return key in _options_of(command) or any(
        _is_option(each, key) for each in _commands_of(command).values()
    )


def _defaults_of(
    command: Any,
    words: str,
    content: Mapping[str, Any],
    inherited: Mapping[str, Any],
    only: str | None = None,
) -> dict[str, Any]:
    """Return the defaults of a command and those below; a deeper table overrides the one above it.

    Args:
        command: the command, or a group of commands.
        words: its name.
        content: its table.
        inherited: the options of the tables above it.
        only: the one command of the group that is loaded; None for all.

    """
    commands = _commands_of(command)
    tables = {key: value for key, value in content.items() if isinstance(value, dict)}
    own = _own({key: value for key, value in content.items() if key not in tables})
    for key in tables:
        if key not in commands:
            raise UsageError(f"{CONFIG}: there is no command [{key}]: {_advice(key, commands)}")
    for key in own:
        first = [commands[only]] if only else []
        if not any(_is_option(each, key) for each in (*first, command)):
            if not commands:
                advice = _advice(key, _options_of(command))
                raise UsageError(f"{CONFIG}: [{words}] has no option {key!r}: {advice}")
            advice = _advice(key, _names(command))
            raise UsageError(f"{CONFIG}: no command has an option {key!r}: {advice}")
    shared = {**inherited, **own}
    below = {
        name: _defaults_of(commands[name], name, tables.get(name, {}), shared)
        for name in ([only] if only else commands)
    }
    found = {
        each.name: _fit(shared[each.name], each)
        for each in command.params
        if not each.is_eager and each.name in shared
    }
    return {**found, **below}


def _own(table: dict[str, Any]) -> dict[str, Any]:
    """Return the options of a table by their names in Python."""
    return {key.replace("-", "_"): _value(key, value) for key, value in table.items()}


def _value(key: str, value: Any) -> Any:
    """Return a value, of which only a list of words or numbers may have parts."""
    if isinstance(value, dict):
        raise UsageError(f"{CONFIG}: there is no command [{key}]")
    if not isinstance(value, list):
        return value
    if not value or not all(isinstance(one, str | int | float) for one in value):
        raise UsageError(
            f"{CONFIG}: {key} must be a list of one or more words or numbers, got {value}"
        )
    return value


def _fit(value: Any, option: Any) -> Any:
    """Return a value as on the command line, where a list is given word by word or with commas."""
    words = [str(each) for each in value] if isinstance(value, list) else value
    if getattr(option, "multiple", False):
        return words if isinstance(words, list) else [words]
    return ",".join(words) if isinstance(words, list) else words


def _advice(word: str, known: Iterable[str]) -> str:
    """Return advice about an unknown word: similar ones, or where they are listed."""
    return remedy_for(word.replace("-", "_"), known, "`--help` lists them")


def _names(command: Any) -> set[str]:
    """Return the names of all options of a command and those below it."""
    return _options_of(command).union(*map(_names, _commands_of(command).values()))
