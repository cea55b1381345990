"""Completions that a shell offers: names of bots, lists of them, and pairings.

A shell waits for the answer and shows no error, so an error means no completions.
"""

import contextlib
import os
from collections.abc import Sequence

import typer


def bot_names(context: typer.Context, incomplete: str) -> list[str]:
    """Return the names of registered bots that begin with a text."""
    return [name for name in _registered(context) if name.startswith(incomplete)]


def bot_lists(context: typer.Context, incomplete: str) -> list[str]:
    """Complete the last name of a comma-separated list of bots."""
    return _last_of_list(incomplete, _registered(context))


def list_columns(incomplete: str) -> list[str]:
    """Complete the last key of a comma-separated list of columns of the rating list."""
    from reports.report.standings import CHOICE

    return _last_of_list(incomplete, CHOICE)


def _last_of_list(incomplete: str, names: Sequence[str]) -> list[str]:
    before, comma, last = incomplete.rpartition(",")
    named = before.split(",")
    return [
        f"{before}{comma}{name}" for name in names if name.startswith(last) and name not in named
    ]


def pairings(context: typer.Context, incomplete: str) -> list[str]:
    """Return the pairings that begin with a text, with those of one bot for each bot."""
    from ladder.runs.pairings import PAIRINGS

    words = [
        word
        for rule in PAIRINGS.values()
        for word in (
            [f"{rule.name}:{name}" for name in _registered(context)]
            if rule.takes_bot
            else [rule.name]
        )
    ]
    return [word for word in words if word.startswith(incomplete)]


def _registered(context: typer.Context) -> Sequence[str]:
    """Return the names in the command's database, or the built-in players if it does not exist."""
    from pathlib import Path

    found: list[str] = []
    with contextlib.suppress(Exception):
        from db.store import Store
        from ladder.cli.database import is_missing

        where = _database(context)
        if is_missing(where):
            from bots.catalogue import VERSIONS

            return [name for name, version in VERSIONS.items() if not version.hidden]
        with Store.open_to_read(str(where if "://" in where else Path(where))) as store:
            found = [bot.name for bot in store.bots.all()]
    return found


def _database(context: typer.Context) -> str:
    """Return the database that the command would use."""
    from pathlib import Path

    from ladder.cli.config import read_defaults

    default = next(each.default for each in context.command.params if each.name == "db")
    given = context.params.get("db") or os.environ.get("LADDER_DB")
    if given and given != default:
        return str(given)
    path = context.command_path.split()[1:]
    defaults = read_defaults(context.find_root().command, Path.cwd(), only=path[0])
    for word in path:
        defaults = defaults.get(word, {})
    return str(defaults.get("db", default))
