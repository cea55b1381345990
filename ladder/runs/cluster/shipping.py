"""Bots that were sent to another machine, where their specifications are resolved again.

The machine resolves the same specification in its own copy of the same files, and compares the
content hash. Nothing else has to be compared: the hash covers files, options, interpreters and
programs.
"""

import hashlib
import sys
from pathlib import Path

import msgspec

from bots.errors import BotsError, SpecError
from db.records.launch import Launch, Limits, Start
from db.records.pairs import Entrant
from ladder.errors import UsageError
from ladder.harness_version import harness_version
from ladder.match.specs.fingerprint import (
    describe_changes,
    find_interpreter,
    is_same_program,
    select_programs,
)
from ladder.match.specs.git_copies import complete_copy
from ladder.match.specs.git_spec import resolve_in_copy
from ladder.match.specs.spec import ResolvedBot, read_spec, resolve_own_player
from ladder.match.specs.start_command import fill_placeholders, make_start
from ladder.runs.cluster.archive import FILES

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

    @property
    def key(self) -> str:
        """32 hex digits of the hash of the manifest."""
        return hashlib.sha256(msgspec.msgpack.encode(self)).hexdigest()[:32]


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
    launch = bot.launch
    if is_own_launch(launch):
        return resolve_own_player(launch)
    python, registered = python_here(bot), select_programs(bot.files)
    if launch.origin is not None:
        complete_copy(folder)
        origin = msgspec.structs.replace(launch.origin, place=str(folder))
        return resolve_in_copy(bot.spec, origin, python=python, remote_programs=registered)
    return read_spec(
        bot.spec, folder / FILES, python=python, stored=bot.files, remote_programs=registered
    )


def python_here(bot: ShippedBot) -> str | None:
    """Return the interpreter that hosts a bot on this machine; None if it needs none.

    It is the first of the stored one, this process's own, and python3 on PATH that has the same
    version as the stored one.

    Raises:
        UsageError: no interpreter has that version, and the user did not choose one.

    """
    stored = bot.launch.python
    if stored is None or bot.launch.is_python_chosen is True or bot.launch.player is not None:
        return stored
    wanted = (stored, bot.files[stored])
    others = []
    for word in (stored, sys.executable, "python3"):
        try:
            found = find_interpreter(word, Path())
        except SpecError:
            continue
        if is_same_program(wanted, found):
            return found.path
        others.append(f"{found.path} is {found.version.split()[0]}")
    raise UsageError(
        f"{bot.name} was registered with Python {wanted[1].split()[0]}, and here "
        f"{' and '.join(dict.fromkeys(others))}: start `ladder worker` in an environment with that "
        "version, or register the bot with an interpreter that all machines have (`ladder bots add "
        "NAME SPEC --python PYTHON`)"
    )
