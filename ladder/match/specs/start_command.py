"""Start commands: how this machine starts the bot of a stored launch."""

import sys
from collections.abc import Mapping, Sequence

from bots.foreign import script_of
from bots.protocol import Budget
from db.records.launch import FileState, Launch, Start
from db.records.pairs import Entrant
from db.records.restart import Restart
from engine.cache import cache_root
from ladder.match.specs.git_copies import cache_of
from ladder.match.specs.own_sources import own_sources


def builtin_launch(player: str) -> Launch:
    """Return the launch of a player of this installation (``v4``, ``c4ai?weights=file.csv``)."""
    return Launch(command=(), folder="", player=player)


def make_start(launch: Launch, content: Sequence[FileState] = ()) -> Start:
    """Return the start of a bot's process with this installation's interpreter and scripts.

    Args:
        launch: the stored launch.
        content: the files that must not change while the bot plays.

    """
    if launch.player is not None:
        return _player_start(launch, tuple(content))
    command = launch.command
    if launch.host is not None:
        # Our own interpreter needs no packages here, and starts faster without them.
        python = (sys.executable, "-I", "-S") if launch.python is None else (launch.python,)
        command = (*python, script_of(launch.host), *launch.command)
    return Start(
        argv=command,
        folder=launch.folder,
        address_mb=launch.address_mb,
        content=tuple(content),
    )


def make_entrant(
    launch: Launch,
    *,
    revision: int,
    name: str,
    budget: Budget,
    restart: Restart | None = None,
    content: Sequence[FileState] = (),
    values: Mapping[str, str] | None = None,
    kinds: Sequence[str] = (),
) -> Entrant:
    """Return a bot as one side of a pair.

    Args:
        launch: the stored launch.
        revision: key of its revision in the database.
        name: the bot's name.
        budget: the budget of a move.
        restart: when to restart its process; None: as its launch says.
        content: the files that must not change while it plays.
        values: values of the placeholders ``{name}`` in its command, which another machine fills
            in; None if it has no placeholders.
        kinds: the kinds of budget in its hello. Players of the current sources know all of time.

    """
    is_own_player = launch.player is not None and launch.origin is None
    return Entrant(
        revision=revision,
        name=name,
        start=make_start(launch, content),
        budget=budget,
        player=launch.player,
        restart=launch.restart if restart is None else restart,
        values=tuple((values or {}).items()),
        knows_clock=is_own_player or "clock" in kinds,
    )


def placeholder(name: str) -> str:
    """Return the placeholder of a value in a command."""
    return f"{{{name}}}"


def fill_placeholders(text: str, values: Mapping[str, str]) -> str:
    """Return a text with values in place of their placeholders; other braces stay."""
    for name, value in values.items():
        text = text.replace(placeholder(name), value)
    return text


def host_command(module: str, python: str | None = None) -> tuple[str, ...]:
    """Return the command that runs a module of this project, found on PYTHONPATH.

    -P keeps the current folder off the import path, so that a user's own package called `bots` or
    `engine` is not imported instead.
    """
    return (python or sys.executable, "-P", "-m", module)


def _player_start(launch: Launch, content: tuple[FileState, ...]) -> Start:
    """Return the start of a player's host, from our copy of the sources or the launch's own copy.

    PYTHONPATH precedes the installed packages, including this project, so that the copy's packages
    are imported; their dependencies are found among the installed ones. LADDER_CACHE names the
    folder of kernels, because HOME is a scratch folder.
    """
    origin = launch.origin
    if origin is None:
        own = own_sources()
        folder, cache, content = str(own.root), str(cache_root()), own.content
    else:
        folder, cache = launch.folder, str(cache_of(origin))
    return Start(
        argv=host_command("bots.host", launch.python),
        folder=folder,
        environment=(("LADDER_CACHE", cache), ("PYTHONPATH", folder)),
        address_mb=launch.address_mb,
        foreign=origin is not None,
        content=content,
    )
