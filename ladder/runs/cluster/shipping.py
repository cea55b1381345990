"""Bots that were sent to another machine, which unpacks their files and starts them there."""

import msgspec

from bots.errors import BotsError
from db.records.launch import Launch, Limits, Start
from db.records.pairs import Entrant
from ladder.errors import UsageError
from ladder.harness_version import harness_version
from ladder.match.specs.spec import resolve_own_player
from ladder.match.specs.start_command import fill_placeholders, make_start

ELSEWHERE = Start(argv=(), folder="")
"""A placeholder for the start of a bot, which the other machine fills in."""


class ShippedBot(msgspec.Struct, frozen=True):
    """A registered bot as it is sent to another machine."""

    revision: int
    """The key of its revision in the coordinator's database."""
    name: str
    launch: Launch
    content_hash: str

    @property
    def archive(self) -> str:
        """The name of the archive of its files; empty for a built-in player."""
        return self.launch.archive or ""


class RunManifest(msgspec.Struct, frozen=True):
    """Everything that a machine needs for the pairs of a run, except the archives."""

    bots: tuple[ShippedBot, ...]
    limits: Limits
    sandbox: tuple[str, ...]
    pin: bool
    """Whether each slot claims a CPU of its own if one is free."""
    adjudicated: tuple[str, ...] = ()
    """The board classes whose games are adjudicated."""


def start_here(bot: ShippedBot) -> Start:
    """Return the start of a bot whose files are unpacked on this machine.

    Raises:
        UsageError: the bot cannot play here.

    """
    try:
        if bot.launch.is_own and resolve_own_player(bot.launch).content_hash != bot.content_hash:
            version = harness_version()["ladder"]
            raise UsageError(
                f"its sources in ladder {version} differ there: install the sources that the "
                "coordinator has"
            )
        return make_start(bot.launch)
    except (BotsError, UsageError) as error:
        raise UsageError(f"{bot.name}: {error}") from error


def with_start(entrant: Entrant, start: Start) -> Entrant:
    """Return a side of a pair with another start, in which its values are filled in."""
    argv = tuple(fill_placeholders(word, dict(entrant.values)) for word in start.argv)
    return msgspec.structs.replace(entrant, start=msgspec.structs.replace(start, argv=argv))
