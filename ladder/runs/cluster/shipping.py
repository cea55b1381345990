"""Bots that were sent to another machine, where their specifications are resolved again.

The machine resolves the same specification in its own copy of the same files, and compares the
content hash. Nothing else has to be compared: the hash covers files, options, interpreters and
programs.
"""

from pathlib import Path

import msgspec

from bots.errors import BotsError
from db.records.launch import Launch, Limits, Start
from db.records.pairs import Entrant
from ladder.errors import UsageError
from ladder.harness_version import harness_version
from ladder.match.specs.fingerprint import describe_changes
from ladder.match.specs.relocated import resolve_relocated
from ladder.match.specs.spec import ResolvedBot, resolve_own_player
from ladder.match.specs.start_command import fill_placeholders, make_start

ELSEWHERE = Start(argv=(), folder="")
"""A placeholder for the start of a bot, which the other machine fills in."""


class ShippedBot(msgspec.Struct, frozen=True):
    """A registered bot as it is sent to another machine."""

    revision: int
    """The key of its revision in the coordinator's database."""
    name: str
    spec: str
    launch: Launch
    """The stored launch, with folders of the coordinator's machine."""
    content_hash: str
    files: dict[str, str]
    """Files and programs with their hashes, as in `ladder.match.specs.spec.ResolvedBot`."""
    archive: str
    """The name of the archive of its files; empty for a built-in player."""


class RunManifest(msgspec.Struct, frozen=True):
    """Everything that a machine needs for the pairs of a run, except the archives."""

    bots: tuple[ShippedBot, ...]
    limits: Limits
    sandbox: tuple[str, ...]
    pin: bool
    """Whether each slot claims a CPU of its own if one is free."""
    adjudicated: tuple[str, ...] = ()
    """The board classes whose games are adjudicated."""


def start_here(bot: ShippedBot, archives: Path) -> Start:
    """Return the start of a bot that was sent to this machine.

    Args:
        bot: The bot.
        archives: The folder of the unpacked archives.

    Raises:
        UsageError: the bot cannot play here.

    """
    try:
        resolved = _resolve_here(bot, archives / bot.archive)
    except (BotsError, UsageError) as error:
        raise UsageError(f"{bot.name}: {error}") from error
    if resolved.content_hash != bot.content_hash:
        names = describe_changes(bot.files, resolved.files)
        if is_own_launch(bot.launch):
            version = harness_version()["ladder"]
            raise UsageError(
                f"{bot.name}: its sources in ladder {version} differ there ({names}): install the "
                "sources that the coordinator has"
            )
        raise UsageError(f"{bot.name}: its files or programs differ there ({names})")
    return make_start(resolved.launch, resolved.states)


def with_start(entrant: Entrant, start: Start) -> Entrant:
    """Return a side of a pair with another start, in which its values are filled in."""
    argv = tuple(fill_placeholders(word, dict(entrant.values)) for word in start.argv)
    return msgspec.structs.replace(entrant, start=msgspec.structs.replace(start, argv=argv))


def is_own_launch(launch: Launch) -> bool:
    """Return whether a launch is that of a built-in player, whose sources are not sent."""
    return launch.player is not None and launch.origin is None


def _resolve_here(bot: ShippedBot, folder: Path) -> ResolvedBot:
    if is_own_launch(bot.launch):
        return resolve_own_player(bot.launch)
    return resolve_relocated(bot.spec, bot.launch, bot.files, folder)
