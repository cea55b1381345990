"""The warning before a bot is started that this user has not registered."""

import shlex
from collections.abc import Iterable
from typing import TYPE_CHECKING

from ladder.cli.output import print_error
from ladder.visible import visible

if TYPE_CHECKING:
    from db.records.bots import BotRow

LONGEST = 300
"""Characters of a command or a folder that are shown; `ladder bots show` shows all of them."""


def warn_of_unknown(bots: "Iterable[BotRow]") -> None:
    """Name the bots that this user has not registered, each once for a user and a launch.

    Every command that starts registered bots calls this before it looks at any of them: an
    interpreter that a database names is asked for its version even before the first game.

    Args:
        bots: the registered bots that are about to be started, built-in players among them or not.

    """
    from ladder.match.registry.known_launches import mark_launch, unknown_bots

    for bot in unknown_bots(bots):
        print_error(
            f"warning: {_shown(bot.name)} was not registered by you on this machine: it runs "
            f"`{_shown(_command(bot))}` in {_shown(bot.revision.launch.folder)}; press Ctrl-C if "
            "you do not know it (this is said once)"
        )
        mark_launch(bot.spec, bot.revision.launch)


def _command(bot: "BotRow") -> str:
    """The words that start a bot, without those of this installation."""
    launch = bot.revision.launch
    python = () if launch.python is None else (launch.python,)
    return shlex.join((*python, *(launch.command or (bot.spec,))))


def _shown(text: str) -> str:
    return visible(text if len(text) <= LONGEST else f"{text[:LONGEST]} ...")
