"""How this project's own players are hosted: these sources, or a copy of another revision."""

import sys
from functools import cache

import msgspec

from bots.foreign import script_of
from db.records.bots import (
    BotRow,
)
from db.records.launch import Launch
from engine.cache import ROOT, cache_root
from ladder.specs.git_copies import cache_of


def host_launch(player: str) -> Launch:
    """How to start a built-in player (``v4``, ``c4ai?weights=file.csv``) with this interpreter.

    -P keeps the current folder off the import path: a user's own package called `bots` or
    `engine` must not be imported instead of ours.
    """
    return Launch(command=host_command("bots.host"), folder=str(ROOT), player=player)


def copy_launch(launch: Launch) -> Launch:
    """The same for a player that is hosted from a copy, which is the launch's folder."""
    return msgspec.structs.replace(launch, command=host_command("bots.host", launch.python))


def host_command(module: str, python: str | None = None) -> tuple[str, ...]:
    """The words that run a module of this project, or under `host_environment` of a copy."""
    return (python or sys.executable, "-P", "-m", module)


def host_environment(launch: Launch) -> dict[str, str]:
    """Where a host finds its code and, its HOME being a scratch folder, its kernels.

    PYTHONPATH comes before whatever is installed, this project included, so that a copy's own
    packages are imported; what they need in turn is found among the installed ones.
    """
    cached = _cache_root() if launch.origin is None else str(cache_of(launch.origin))
    return {"LADDER_CACHE": cached, "PYTHONPATH": launch.folder}


@cache
def _cache_root() -> str:
    return str(cache_root())


def launch_of(bot: BotRow) -> Launch:
    """How to start the bot on this machine."""
    return runnable(bot.revision.launch)


def runnable(launch: Launch) -> Launch:
    """A launch as it is stored, with the interpreter and the host's script of this installation."""
    if launch.player is not None:
        return host_launch(launch.player) if launch.origin is None else copy_launch(launch)
    if launch.host is None:
        return launch
    # The ladder's own interpreter needs none of its packages here, and starts faster without.
    python = (sys.executable, "-I", "-S") if launch.python is None else (launch.python,)
    command = (*python, script_of(launch.host), *launch.command)
    return msgspec.structs.replace(launch, command=command, host=None)
