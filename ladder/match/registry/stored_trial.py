"""The trial of a bot from its packed files, and the search for files that it lacks."""

import contextlib
import ctypes
import os
import shlex
import struct
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import msgspec

from ladder.errors import UsageError
from ladder.match.process.sandbox import Confinement
from ladder.match.registry.trial import TrialResult, TrialTimeout, try_out
from ladder.match.specs.archive import is_changed, writable_copy
from ladder.match.specs.folder_files import is_environment
from ladder.match.specs.spec import ResolvedBot
from ladder.names import listed

MOST_NAMED = 8
"""Most files that a message names."""
IN_OPEN, IN_ISDIR = 0x20, 0x40000000
MOST_FOLDERS = 200
"""Most subfolders that are watched."""
_HEADER = struct.Struct("iIII")


def try_packed(
    bot: ResolvedBot, confinement: Confinement, *, name: str, spec: str, time_ms: int | None
) -> TrialResult:
    """Try a bot out in a copy of its packed files.

    If it fails, it is tried once in its original folder, to find out which files it lacks.

    Args:
        bot: the bot.
        confinement: its confinement.
        name: its name, for its log and for advice.
        spec: its specification, for advice.
        time_ms: time per move, as `ladder.match.registry.trial.try_out` takes it.

    Raises:
        UsageError: it failed.

    """
    launch, packed = bot.launch, bot.packed
    play = partial(try_out, confinement=confinement, name=name, time_ms=time_ms)
    if packed is None or launch.player is not None:  # a player of this project from git
        return play(launch, bot.budgets)
    with writable_copy(packed) as copy:
        inside = msgspec.structs.replace(launch, archive=None, folder=str(copy))
        try:
            # In the working tree of a bot from git, other programs open files, too.
            watch: contextlib.AbstractContextManager[list[str]] = contextlib.nullcontext([])
            if launch.origin is None:
                watch = watched(Path(launch.folder))
            with watch as opened:
                found = play(inside, ())
            writes = is_changed(packed.manifest, copy)
            return replace(found, writes=writes, read_outside=tuple(opened))
        except UsageError as error:
            failure = UsageError(error.problem.replace(f"{copy}{os.sep}", ""), error.option)
            if launch.origin is not None or isinstance(error, TrialTimeout):
                raise failure from error
    raise _explain(failure, bot, play, f"ladder bots add {name} {shlex.quote(spec)}") from failure


def _explain(
    failure: UsageError, bot: ResolvedBot, play: Callable[..., TrialResult], command: str
) -> UsageError:
    """Return the failure, or an error that names the files which the bot lacks."""
    try:
        with watched(Path(bot.launch.folder)) as found:
            play(msgspec.structs.replace(bot.launch, archive=None), ())
    except UsageError:
        return failure
    packed = {file.path for file in bot.packed.manifest.files} if bot.packed else set()
    opened = [each for each in found if each not in packed and "__pycache__" not in each]
    others = [each for each in bot.left_out if each not in opened]
    patterns = [shlex.quote(each) for each in opened or others[:1] or ["PATTERN"]]
    used = f": it opened {listed(opened, MOST_NAMED)}" if opened else ""
    beside = f"; beside it also lie {listed(others, MOST_NAMED)}" if others else ""
    files = " ".join(f"--files {pattern}" for pattern in patterns[:MOST_NAMED])
    return UsageError(
        f"the bot plays in its folder, but not from its stored files alone, for it needs files "
        f"beside it{used}{beside}; store them, too: `{command} {files}`"
    )


@contextlib.contextmanager
def watched(folder: Path) -> Iterator[list[str]]:
    """Yield a list that names, after the block, the files below a folder that were opened in it.

    The kernel reports them (inotify); the list stays empty where it cannot.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    descriptor = libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
    places: dict[int, str] = {}
    opened: list[str] = []
    if descriptor < 0:
        yield opened
        return
    with open(descriptor, "rb", buffering=0) as reports:
        for place, names, _ in os.walk(folder):
            names[:] = [
                name for name in names if name != ".git" and not is_environment(Path(place, name))
            ]
            if len(places) >= MOST_FOLDERS:
                break
            watch = libc.inotify_add_watch(descriptor, os.fsencode(place), IN_OPEN)
            places[watch] = os.path.relpath(place, folder)
        yield opened
        while events := reports.read(65536):
            while events:
                watch, mask, _, length = _HEADER.unpack_from(events)
                name = os.fsdecode(events[_HEADER.size : _HEADER.size + length].rstrip(b"\0"))
                events = events[_HEADER.size + length :]
                if name and not mask & IN_ISDIR and watch in places:
                    path = os.path.normpath(os.path.join(places[watch], name))
                    if path not in opened:
                        opened.append(path)
