"""Comparison of stored bots with the files that they were added from."""

import shlex
from collections.abc import Iterable, Mapping
from pathlib import Path

from db.records.bots import BotRow
from db.store import Store
from ladder.errors import UsageError
from ladder.match.specs.archive import is_same_file
from ladder.names import listed

MOST_NAMED = 3


def find_origin_changes(store: Store, bot: BotRow) -> dict[str, str] | None:
    """Return ``changed`` or ``gone`` for each original file that differs from the stored one.

    None if they cannot be compared: it was taken from git, or its folder or all of its
    files are gone.
    """
    launch = bot.revision.launch
    folder = Path(launch.folder)
    if launch.archive is None or launch.origin is not None or not launch.folder:
        return None
    files = store.archives.manifest(launch.archive).files
    there = {file.path for file in files if (folder / file.path).is_file()}
    if not there:
        return None
    return {
        file.path: "changed" if file.path in there else "gone"
        for file in files
        if not is_same_file(file, folder / file.path)
    }


def refuse_stale(store: Store, candidate: BotRow) -> None:
    """Refuse the candidate of a gate whose original files have changed.

    Raises:
        UsageError: they have: a gate must never pass another code than its author means.

    """
    launch, changes = candidate.revision.launch, find_origin_changes(store, candidate)
    if changes:
        raise UsageError(
            f"{candidate.name} is not what its files are now ({_described(changes)}): `ladder gate "
            f"{shlex.quote(candidate.spec)}` tests the files in {launch.folder}, and "
            "`--as-stored` the stored version"
        )


def _described(changes: Mapping[str, str]) -> str:
    return listed([f"{name} {word}" for name, word in changes.items()], MOST_NAMED)


def describe_changed_origins(store: Store, bots: Iterable[BotRow]) -> str:
    """Return a line about the bots whose original files differ from the stored ones, or "".

    Of several versions with one specification and folder only the newest is compared.
    """
    newest: dict[tuple[str, str], BotRow] = {}
    for bot in sorted(bots, key=lambda each: each.revision.created_at):
        if bot.revision.launch.origin is None:
            newest[bot.revision.launch.folder, bot.spec] = bot
    names = [bot.name for bot in newest.values() if find_origin_changes(store, bot)]
    if not names:
        return ""
    shown = listed(names, MOST_NAMED)
    return f"the original files of {shown} have changed: the stored versions play"
