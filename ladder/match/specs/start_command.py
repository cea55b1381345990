"""From a stored launch to a process that this machine can start."""

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
    """The launch of a player of this installation (``v4``, ``c4ai?weights=file.csv``)."""
    return Launch(command=(), folder="", player=player)


def make_start(launch: Launch, content: Sequence[FileState] = ()) -> Start:
    """The process of a bot, with the interpreter and the scripts of this installation.

    Args:
        launch: how it is started.
        content: the files that may not change while it plays.

    """
    if launch.player is not None:
        return _player_start(launch, tuple(content))
    command = launch.command
    if launch.host is not None:
        # The ladder's own interpreter needs none of its packages here, and starts faster without.
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
) -> Entrant:
    """Return a bot as one side of a pair.

    Args:
        launch: how it is started.
        revision: key of its revision in the database.
        name: what to call it.
        budget: what it may spend on a move.
        restart: how often its process is renewed; None: as its launch says.
        content: the files that may not change while it plays.
        values: of the places ``{name}`` in its command, which another machine fills in; None if it
            has no such places.

    """
    return Entrant(
        revision=revision,
        name=name,
        start=make_start(launch, content),
        budget=budget,
        player=launch.player,
        restart=launch.restart if restart is None else restart,
        values=tuple((values or {}).items()),
    )


def placeholder(name: str) -> str:
    """Return the place of a value in a command."""
    return f"{{{name}}}"


def fill_placeholders(text: str, values: Mapping[str, str]) -> str:
    """Return a text with a value in every place of its name; all other braces stay."""
    for name, value in values.items():
        text = text.replace(placeholder(name), value)
    return text


def host_command(module: str, python: str | None = None) -> tuple[str, ...]:
    """The words that run a module of this project, found on PYTHONPATH.

    -P keeps the current folder off the import path: a user's own package called `bots` or
    `engine` must not be imported instead of ours.
    """
    return (python or sys.executable, "-P", "-m", module)


def _player_start(launch: Launch, content: tuple[FileState, ...]) -> Start:
    """The host of a player: our copy of these sources, or the copy that the launch names.

    PYTHONPATH comes before whatever is installed, this project included, so that a copy's own
    packages are imported; what they need in turn is found among the installed ones. LADDER_CACHE
    says where kernels are, HOME being a scratch folder.
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
