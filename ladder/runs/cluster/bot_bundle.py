"""The bots of a run, packed for other machines."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from db.records.bots import BotRow
from db.records.launch import Limits
from engine.board import BoardClass
from ladder.match.specs.archive import cached_archive
from ladder.match.specs.spec import resolve_own_player
from ladder.runs.cluster.archive import encode_archive
from ladder.runs.cluster.shipping import RunManifest, ShippedBot


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
    """Pack the bots of a run, whose files are unpacked on this machine.

    The other arguments are those of `RunManifest`.
    """
    archives: dict[str, bytes] = {}
    packed = []
    for bot in bots:
        launch = bot.revision.launch
        if launch.archive is not None and launch.archive not in archives:
            archives[launch.archive] = encode_archive(cached_archive(launch.archive))
        content_hash = bot.revision.content_hash
        if launch.is_own:
            content_hash = resolve_own_player(launch).content_hash
        packed.append(ShippedBot(bot.revision.id, bot.name, launch, content_hash))
    manifest = RunManifest(
        tuple(packed),
        limits=limits,
        sandbox=tuple(sandbox),
        pin=pin,
        adjudicated=tuple(map(str, adjudicated)),
    )
    return BotBundle(manifest, archives)
