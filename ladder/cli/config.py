"""Defaults from `ladder.toml` in the current folder.

Keys are option names without dashes in front; a table per command, and whatever stands outside of
every table counts for all commands::

    db = "overnight.db"

    [run]
    time = "40ms"
    boards = "thu"
"""

import tomllib
from pathlib import Path
from typing import Any

from ladder.errors import UsageError

FILE = "ladder.toml"


def read_defaults(folder: Path | None = None) -> dict[str, Any]:
    """The defaults as the command line library wants them; empty without a file.

    Raises:
        UsageError: the file is not TOML or names an unknown command or option.

    """
    path = (folder or Path.cwd()) / FILE
    try:
        with path.open("rb") as file:
            content = tomllib.load(file)
    except FileNotFoundError:
        return {}
    except (OSError, tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise UsageError(f"{FILE} cannot be read: {error}") from error
    return _for_commands(content, _known())


def _known() -> dict[str, Any]:
    """Option names of every command, nested for groups."""
    import typer.main

    from ladder.cli.app import app

    return _options_of(typer.main.get_command(app))


def _options_of(command: Any) -> dict[str, Any]:
    if hasattr(command, "commands"):
        return {name: _options_of(sub) for name, sub in command.commands.items()}
    return {parameter.name: None for parameter in command.params}


def _for_commands(
    content: dict[str, Any], known: dict[str, Any], inherited: dict[str, Any] | None = None
) -> dict[str, Any]:
    """Spread a table over the commands below it; what stands deeper wins."""
    tables = {key: value for key, value in content.items() if isinstance(value, dict)}
    own = {_name(key): value for key, value in content.items() if not isinstance(value, dict)}
    for key in tables:
        if not isinstance(known.get(key), dict):
            raise UsageError(f"{FILE}: there is no command [{key}]")
    for key in own:
        if key not in _names(known):
            raise UsageError(f"{FILE}: no command has an option {key!r}")
    shared = {**(inherited or {}), **own}
    return {
        command: _for_commands(tables.get(command, {}), options, shared)
        if _is_group(options)
        else _for_command(command, tables.get(command, {}), options, shared)
        for command, options in known.items()
    }


def _for_command(
    command: str, table: dict[str, Any], options: dict[str, Any], shared: dict[str, Any]
) -> dict[str, Any]:
    own = {_name(key): value for key, value in table.items()}
    for key in own:
        if key not in options:
            raise UsageError(f"{FILE}: [{command}] has no option {key!r}")
    return {**{key: value for key, value in shared.items() if key in options}, **own}


def _is_group(options: dict[str, Any]) -> bool:
    return any(isinstance(entry, dict) for entry in options.values())


def _names(known: dict[str, Any]) -> set[str]:
    """Every option name at or below a level."""
    names: set[str] = set()
    for key, entry in known.items():
        names |= _names(entry) if isinstance(entry, dict) else {key}
    return names


def _name(key: str) -> str:
    return key.replace("-", "_")
