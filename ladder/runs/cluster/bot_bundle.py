"""The bots of a run, packed for other machines."""

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from db.records.bots import BotRow
from db.records.launch import Limits
from engine.board import BoardClass
from ladder.errors import UsageError
from ladder.match.registry.registered import resolve_unchanged
from ladder.match.specs.file_state import hash_file
from ladder.match.specs.git_copies import files_of
from ladder.match.specs.spec import ResolvedBot
from ladder.runs.cluster.archive import name_of, pack
from ladder.runs.cluster.shipping import RunManifest, ShippedBot, is_own_launch


@dataclass(frozen=True, slots=True)
class BotBundle:
    """The bots of a run, ready to be sent."""

    manifest: RunManifest
    archives: dict[str, bytes]
    """The archives by name."""


def pack_bots(
    bots: Iterable[BotRow],
    *,
    limits: Limits,
    sandbox: Sequence[str],
    pin: bool,
    adjudicated: Iterable[BoardClass] = (),
) -> BotBundle:
    """Pack the bots of a run.

    The other arguments are those of `RunManifest`.

    Raises:
        UsageError: a bot has changed since it was registered, or is too large to be sent.
        SpecError: a file or program of a bot is missing.

    """
    archives: dict[str, bytes] = {}
    packed = []
    for bot in bots:
        resolved = resolve_unchanged(bot)
        name = ""
        if not is_own_launch(resolved.launch):
            try:
                archive = pack(_files(resolved))
            except UsageError as error:
                raise UsageError(f"{bot.name} cannot be sent to other machines: {error}") from error
            name = name_of(archive)
            archives[name] = archive
        packed.append(
            ShippedBot(
                revision=bot.revision.id,
                name=bot.name,
                spec=bot.spec,
                launch=bot.revision.launch,
                content_hash=resolved.content_hash,
                files=dict(resolved.files),
                archive=name,
            )
        )
    manifest = RunManifest(
        tuple(packed),
        limits=limits,
        sandbox=tuple(sandbox),
        pin=pin,
        adjudicated=tuple(map(str, adjudicated)),
    )
    return BotBundle(manifest, archives)


def _files(resolved: ResolvedBot) -> dict[str, Path]:
    """Return the files to send: all of a copy from git, else those of the bot in its folder.

    Raises:
        UsageError: a file has changed since its hash was taken.

    """
    launch = resolved.launch
    if launch.origin is not None:
        return files_of(launch.origin)
    folder = Path(launch.folder)
    found = {}
    for name, digest in resolved.files.items():
        path = folder / name
        if Path(name).is_absolute() or not path.is_file():
            continue
        inside = path.resolve()
        if not inside.is_relative_to(folder.resolve()):
            continue  # the machine checks whether it has that file
        if hash_file(path) != digest:
            raise UsageError(f"{name} was changed while it was packed: run the command again")
        found[os.path.normpath(name)] = inside
    return found
