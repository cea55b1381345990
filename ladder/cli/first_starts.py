"""The warning before a bot is started that this user has not registered."""

import shlex
from collections.abc import Iterable
from typing import TYPE_CHECKING

from ladder.cli.output import print_error
from ladder.visible import visible

if TYPE_CHECKING:
    from db.records.bots import BotRow

LONGEST = 300
"""Most characters of a command or a folder in the warning; `ladder bots show` prints all."""


def warn_about_unknown(bots: "Iterable[BotRow]") -> None:
    """Warn once about each bot that this user has not registered on this machine.

    Every command that starts registered bots calls this before it runs anything of theirs, even
    before it asks the interpreter that a database names for its version.

    Args:
        bots: the registered bots that are about to be started.

    """
    from ladder.match.registry.known_launches import mark_launch, unknown_bots

    for bot in unknown_bots(bots):
        print_error(
            f"warning: you have not registered {_shown(bot.name)} on this machine: it runs "
            f"`{_shown(_command(bot))}` in {_shown(bot.revision.launch.folder)}; press Ctrl-C if "
            "you do not trust it (this warning is printed once)"
        )
        mark_launch(bot.spec, bot.revision.launch)


def _command(bot: "BotRow") -> str:
    """Return the command of a bot, without the part of this installation."""
    launch = bot.revision.launch
    python = () if launch.python is None else (launch.python,)
    return shlex.join((*python, *(launch.command or (bot.spec,))))


def _shown(text: str) -> str:
    return visible(text if len(text) <= LONGEST else f"{text[:LONGEST]} ...")
