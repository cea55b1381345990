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
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from db.records.bots import remedy_for
from ladder.errors import UsageError
from ladder.names import CONFIG

SANDBOX = "sandbox"
"""The option that counts for all commands: a bot started without it may do what its user may."""


def read_defaults(command: Any, folder: Path) -> dict[str, Any]:
    """Return the defaults as Click's `default_map`; empty without a file.

    Args:
        command: the group of all commands.
        folder: the folder of the file.

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
    return _for_commands({**shared, **content}, _options_of(command))


def _board_of_all(content: dict[str, Any]) -> dict[str, Any]:
    """Return a default of `board` if the `boards` of all commands are a single one.

    A class such as `thu` gives none, nor does a text that is not valid: its option refuses it.
    """
    from engine.board import parse_board_classes
    from engine.errors import BoardError

    given = content.get("boards")
    text = ",".join(map(str, given)) if isinstance(given, list) else str(given or "")
    try:
        classes = parse_board_classes(text)
    except BoardError:
        return {}
    return {"board": text} if len(classes) == 1 and not classes[0].varies else {}


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


def _options_of(command: Any) -> dict[str, Any]:
    """Return the names of options by command, nested for groups."""
    own = {parameter.name: None for parameter in command.params if not parameter.is_eager}
    if hasattr(command, "commands"):
        return {**own, **{name: _options_of(sub) for name, sub in command.commands.items()}}
    return own


def _for_commands(
    content: dict[str, Any], known: dict[str, Any], inherited: dict[str, Any] | None = None
) -> dict[str, Any]:
    """Return the defaults of each command; a deeper table overrides the one above it."""
    tables = {key: value for key, value in content.items() if isinstance(value, dict)}
    own = _own({key: value for key, value in content.items() if not isinstance(value, dict)})
    for key in tables:
        if not isinstance(known.get(key), dict):
            raise UsageError(f"{CONFIG}: there is no command [{key}]: {_advice(key, known)}")
    for key in own:
        if key not in _names(known):
            raise UsageError(
                f"{CONFIG}: no command has an option {key!r}: {_advice(key, _names(known))}"
            )
    shared = {**(inherited or {}), **own}
    below = {
        command: _for_commands(tables.get(command, {}), options, shared)
        if _is_group(options)
        else _for_command(command, tables.get(command, {}), options, shared)
        for command, options in known.items()
        if options is not None
    }
    return {**{key: value for key, value in shared.items() if key in known}, **below}


def _for_command(
    command: str, table: dict[str, Any], options: dict[str, Any], shared: dict[str, Any]
) -> dict[str, Any]:
    own = _own(table)
    for key in own:
        if key not in options:
            raise UsageError(
                f"{CONFIG}: [{command}] has no option {key!r}: {_advice(key, options)}"
            )
    return {**{key: value for key, value in shared.items() if key in options}, **own}


def _own(table: dict[str, Any]) -> dict[str, Any]:
    """Return the options of a table by their names in Python."""
    return {key.replace("-", "_"): _value(key, value) for key, value in table.items()}


def _value(key: str, value: Any) -> Any:
    """Return a value as on the command line: a list becomes comma-separated words."""
    if isinstance(value, dict):
        raise UsageError(f"{CONFIG}: there is no command [{key}]")
    if not isinstance(value, list):
        return value
    if not value or not all(isinstance(one, str | int | float) for one in value):
        raise UsageError(
            f"{CONFIG}: {key} must be a list of one or more words or numbers, got {value}"
        )
    return ",".join(map(str, value))


def _is_group(options: dict[str, Any]) -> bool:
    return any(isinstance(entry, dict) for entry in options.values())


def _advice(word: str, known: Iterable[str]) -> str:
    """Return advice about an unknown word: similar ones, or where they are listed."""
    return remedy_for(word.replace("-", "_"), known, "`--help` lists them")


def _names(known: dict[str, Any]) -> set[str]:
    """Return the names of all options at or below a level."""
    names: set[str] = set()
    for key, entry in known.items():
        names |= _names(entry) if isinstance(entry, dict) else {key}
    return names
