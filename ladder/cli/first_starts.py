"""The warning before a bot is started that this user has not registered."""

import shlex
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING

from ladder.cli.output import print_error
from ladder.signals import current_stop
from ladder.visible import visible

if TYPE_CHECKING:
    from db.records.bots import BotRow

LONGEST = 300
"""Most characters of a command or a folder in the warning; `ladder bots show` prints all."""
READING_S = 3.0
"""Seconds between the warning and the start of the bot, on a terminal."""


def warn_about_unknown(bots: "Iterable[BotRow]") -> None:
    """Warn once about each bot that this user has not registered on this machine.

    On a terminal, leave the user a moment to stop the command. After a stop the bot stays unknown.

    Every command that starts registered bots calls this before it runs anything of theirs, even
    before it asks the interpreter that a database names for its version.

    Args:
        bots: the registered bots that are about to be started.

    Raises:
        Stopped: a stop is requested.

    """
    from ladder.match.registry.known_launches import mark_launch, unknown_bots

    unknown = unknown_bots(bots)
    for bot in unknown:
        print_error(
            f"warning: you have not registered {_shown(bot.name)} on this machine: it runs "
            f"`{_shown(_command(bot))}` in {_shown(bot.revision.launch.folder)}; press Ctrl-C if "
            "you do not trust it (this warning is printed once)"
        )
    if unknown:
        current_stop().pause(READING_S if sys.stderr.isatty() else 0.0)
    for bot in unknown:
        mark_launch(bot.spec, bot.revision.launch)


def _command(bot: "BotRow") -> str:
    """Return the command of a bot, without the part of this installation."""
    launch = bot.revision.launch
    python = () if launch.python is None else (launch.python,)
    return shlex.join((*python, *(launch.command or (bot.spec,))))


def _shown(text: str) -> str:
    return visible(text if len(text) <= LONGEST else f"{text[:LONGEST]} ...")
