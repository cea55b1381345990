"""The bots of a run as they are sent to other machines, which unpack their files and start them."""

import pickle
import zlib
from collections.abc import Iterable, Sequence
from typing import cast

import msgspec

from db.records.archives import Manifest
from db.records.bots import BotRow
from db.records.launch import Launch, Limits, Start
from db.records.pairs import Entrant
from engine.board import BoardClass
from ladder.match.specs.archive import cached_archive, unpack, use
from ladder.match.specs.start_command import fill_placeholders

ELSEWHERE = Start(argv=(), folder="")
"""A placeholder for the start of a bot, which the other machine fills in."""
Archives = dict[str, tuple[Manifest, dict[str, bytes]]]
"""By name, archives with the compressed content of each file by its hash."""


class SentBot(msgspec.Struct, frozen=True):
    """A bot as it is sent to another machine."""

    side: Entrant
    """The bot as a side of pairs, without its start."""
    launch: Launch


class Bundle(msgspec.Struct, frozen=True):
    """Everything that a machine needs for the pairs of a run, except the bots' files."""

    bots: tuple[SentBot, ...]
    limits: Limits
    sandbox: tuple[str, ...]
    pin: bool
    """Whether each slot claims a CPU of its own if one is free."""
    adjudicated: tuple[str, ...]
    """The board classes whose games are adjudicated."""


def pack_bundle(
    bots: Sequence[BotRow],
    sides: Iterable[Entrant],
    *,
    limits: Limits,
    sandbox: tuple[str, ...],
    pin: bool,
    adjudicated: Iterable[BoardClass],
) -> bytes:
    """Pack the bots of a run and their files, which are unpacked on this machine.

    Raises OSError if an archive is missing.
    """
    archives: Archives = {}
    launches = {bot.revision.id: bot.revision.launch for bot in bots}
    for name in {launch.archive for launch in launches.values() if launch.archive}:
        packed = cached_archive(name)
        archives[name] = (
            packed.manifest,
            {
                file.sha256: zlib.compress(b"".join(packed.read_parts(file)), 1)
                for file in packed.manifest.files
            },
        )
    bundle = Bundle(
        tuple(SentBot(with_start(side, ELSEWHERE), launches[side.revision]) for side in sides),
        limits=limits,
        sandbox=sandbox,
        pin=pin,
        adjudicated=tuple(map(str, adjudicated)),
    )
    return pickle.dumps((bundle, archives))


def unpack_bundle(packed: bytes) -> Bundle:
    """Return a bundle, and unpack the files of its bots on this machine.

    Raises:
        UsageError: an archive is damaged, or there is no room for it.

    """
    bundle, archives = cast(tuple[Bundle, Archives], pickle.loads(packed))  # noqa: S301 - of the coordinator
    for manifest, contents in archives.values():
        unpack(manifest, lambda file, of=contents: [zlib.decompress(of[file.sha256])])  # type: ignore[misc]
    return bundle


def lock_archives(bundle: Bundle) -> None:
    """Keep the unpacked files of a bundle until this process ends.

    Raises OSError if an archive is missing.
    """
    for name in {bot.launch.archive for bot in bundle.bots if bot.launch.archive}:
        use(name)


def with_start(side: Entrant, start: Start) -> Entrant:
    """Return a side of a pair with another start, in which its values are filled in."""
    argv = tuple(fill_placeholders(word, dict(side.values)) for word in start.argv)
    return msgspec.structs.replace(side, start=msgspec.structs.replace(start, argv=argv))
