"""Defaults from `ladder.toml` in the current folder.

Keys are option names without dashes in front; a table per command, and whatever stands outside of
every table counts for all commands, as the sandbox does wherever it stands. One board under
``boards`` is also the default of commands that take a single ``--board``::

    db = "overnight.db"

    [run]
    time = "40ms"
    boards = ["thu", "6x7"]
"""

import tomllib
from pathlib import Path
from typing import Any

from ladder.errors import UsageError
from ladder.names import CONFIG

SANDBOX = "sandbox"
"""The option that no command may miss: a bot started without it can do whatever its user can."""


def read_defaults(command: Any, folder: Path) -> dict[str, Any]:
    """The defaults as the command line library wants them; empty without a file.

    Args:
        command: the group of all commands, as the library's context holds it.
        folder: where the file may lie.

    Raises:
        UsageError: the file is not TOML, names an unknown command or option, or holds a value that
            no option takes.

    """
    path = folder / CONFIG
    try:
        with path.open("rb") as file:
            content = tomllib.load(file)
    except FileNotFoundError:
        return {}
    except (OSError, tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise UsageError(f"{CONFIG} cannot be read: {error}") from error
    shared = {**_sandbox_of_all(content), **_board_of_all(content)}
    return _for_commands({**shared, **content}, _options_of(command))


def _board_of_all(content: dict[str, Any]) -> dict[str, Any]:
    """Return the board of a `boards` for all commands, if it is a single one.

    A family such as `thu`, and text that the option itself refuses, give no default.
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
    """The sandbox that stands in the table of some command, for the commands that have none.

    Raises:
        UsageError: several tables have different ones, and nothing says which is meant.

    """
    found = {str(value) for value in _deep_values(content, SANDBOX)}
    if SANDBOX in content or not found:
        return {}
    if len(found) > 1:
        raise UsageError(
            f"{CONFIG}: several tables have different sandboxes: write the one for all commands "
            "outside of every table"
        )
    return {SANDBOX: found.pop()}


def _deep_values(table: dict[str, Any], key: str) -> list[Any]:
    """The values of a key in the tables below."""
    found = []
    for value in table.values():
        if isinstance(value, dict):
            found += [value[key]] if key in value else []
            found += _deep_values(value, key)
    return found


def _options_of(command: Any) -> dict[str, Any]:
    """Option names of every command, nested for groups."""
    own = {parameter.name: None for parameter in command.params if not parameter.is_eager}
    if hasattr(command, "commands"):
        return {**own, **{name: _options_of(sub) for name, sub in command.commands.items()}}
    return own


def _for_commands(
    content: dict[str, Any], known: dict[str, Any], inherited: dict[str, Any] | None = None
) -> dict[str, Any]:
    """Spread a table over the commands below it; what stands deeper wins."""
    tables = {key: value for key, value in content.items() if isinstance(value, dict)}
    own = _own({key: value for key, value in content.items() if not isinstance(value, dict)})
    for key in tables:
        if not isinstance(known.get(key), dict):
            raise UsageError(f"{CONFIG}: there is no command [{key}]")
    for key in own:
        if key not in _names(known):
            raise UsageError(f"{CONFIG}: no command has an option {key!r}")
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
            raise UsageError(f"{CONFIG}: [{command}] has no option {key!r}")
    return {**{key: value for key, value in shared.items() if key in options}, **own}


def _own(table: dict[str, Any]) -> dict[str, Any]:
    """The options of a table by their Python names."""
    return {key.replace("-", "_"): _value(key, value) for key, value in table.items()}


def _value(key: str, value: Any) -> Any:
    """A value as the command line would give it: a list becomes words between commas."""
    if isinstance(value, dict):
        raise UsageError(f"{CONFIG}: there is no command [{key}]")
    if not isinstance(value, list):
        return value
    if not value or not all(isinstance(one, str | int | float) for one in value):
        raise UsageError(
            f"{CONFIG}: {key} is a list of words or numbers, at least one, got {value}"
        )
    return ",".join(map(str, value))


def _is_group(options: dict[str, Any]) -> bool:
    return any(isinstance(entry, dict) for entry in options.values())


def _names(known: dict[str, Any]) -> set[str]:
    """Every option name at or below a level."""
    names: set[str] = set()
    for key, entry in known.items():
        names |= _names(entry) if isinstance(entry, dict) else {key}
    return names
