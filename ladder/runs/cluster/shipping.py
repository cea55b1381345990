"""Bots that have travelled: resolved anew on the machine where they play.

A machine resolves the same specification in its own copy of the same files. The content hash that
comes out names the same bot or another one, so nothing else has to be compared: files, options,
interpreters and programs from outside are all under the hash.
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
"""The start of a bot that is still to be made on another machine."""


class ShippedBot(msgspec.Struct, frozen=True):
    """A registered bot as it is sent to another machine."""

    revision: int
    """Key of its revision in the coordinator's database."""
    name: str
    spec: str
    launch: Launch
    """The stored one; its folder and its copy are those of the coordinator's machine."""
    content_hash: str
    files: dict[str, str]
    """All ingredients, as `ladder.match.specs.spec.ResolvedBot` names them."""
    archive: str
    """The name of the archive of its files; "" for a player of the ladder itself."""


class RunManifest(msgspec.Struct, frozen=True):
    """Everything that the pairs of one run need on a machine, but the archives themselves."""

    bots: tuple[ShippedBot, ...]
    limits: Limits
    sandbox: tuple[str, ...]
    pin: bool
    """Each pair on one CPU, where one is free."""

    @property
    def key(self) -> str:
        """32 hex digits of its content."""
        return hashlib.sha256(msgspec.msgpack.encode(self)).hexdigest()[:32]


def start_here(bot: ShippedBot, archives: Path) -> Start:
    """The start of a bot that has come to this machine.

    Args:
        bot: the bot.
        archives: the folder of the unpacked archives.

    Raises:
        UsageError: it cannot play here; the message says why.

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
                f"{bot.name}: ladder {version} there has other sources of it ({names}): install "
                "the sources that the coordinator has"
            )
        raise UsageError(f"{bot.name}: it needs files or programs that differ there ({names})")
    return make_start(resolved.launch, resolved.states)


def with_start(entrant: Entrant, start: Start) -> Entrant:
    """Return a side of a pair that is started in another way, its own values filled in."""
    argv = tuple(fill_placeholders(word, dict(entrant.values)) for word in start.argv)
    return msgspec.structs.replace(entrant, start=msgspec.structs.replace(start, argv=argv))


def is_own_launch(launch: Launch) -> bool:
    """Whether a launch is of a player of the ladder itself, whose sources do not travel."""
    return launch.player is not None and launch.origin is None


def _resolve_here(bot: ShippedBot, place: Path) -> ResolvedBot:
    launch = bot.launch
    if is_own_launch(launch):
        return resolve_own_player(launch)
    python, registered = python_here(bot), select_programs(bot.files)
    if launch.origin is not None:
        complete_copy(place)
        origin = msgspec.structs.replace(launch.origin, place=str(place))
        return resolve_in_copy(bot.spec, origin, python=python, registered=registered)
    return read_spec(bot.spec, place / FILES, python=python, known=bot.files, registered=registered)


def python_here(bot: ShippedBot) -> str | None:
    """Return the interpreter that hosts a bot on this machine; None if it needs none.

    It is the stored one where that is here, else this process's own or python3 on PATH, whichever
    has the same version.

    Raises:
        UsageError: none of them has, and the user did not choose one.

    """
    stored = bot.launch.python
    if stored is None or bot.launch.is_python_chosen is True or bot.launch.player is not None:
        return stored
    wanted = (stored, bot.files[stored])
    others = []
    for word in (stored, sys.executable, "python3"):
        try:
            path, found = find_interpreter(word, Path())
        except SpecError:
            continue
        if is_same_program(wanted, (path, found[path])):
            return path
        others.append(f"{path} is {found[path].split()[0]}")
    raise UsageError(
        f"{bot.name} was registered with Python {wanted[1].split()[0]}, and here "
        f"{' and '.join(dict.fromkeys(others))}: start `ladder worker` in an environment with that "
        "version, or register the bot with --python and an interpreter that all machines have"
    )
