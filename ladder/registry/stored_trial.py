"""The trial of a bot from its packed files: which it uses, which it lacks, and what changes."""

import contextlib
import ctypes
import os
import shlex
import struct
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path

import msgspec

from db.records.archives import UnpackedArchive
from ladder.errors import UsageError
from ladder.match.process.sandbox import Confinement
from ladder.names import listed
from ladder.registry.specs.archive import folder_copy, is_changed, writable_copy
from ladder.registry.specs.archive_diff import diff_files
from ladder.registry.specs.folder_files import COMPILED
from ladder.registry.specs.spec import ResolvedBot
from ladder.registry.trial import TrialResult, TrialTimeout, try_out
from ladder.visible import visible

MOST_NAMED = 8
"""Most files that a message names."""
IN_OPEN, IN_Q_OVERFLOW, IN_ISDIR = 0x20, 0x4000, 0x40000000
MOST_FOLDERS = 200
"""Most subfolders that are watched."""
_HEADER = struct.Struct("iIII")


def try_packed(
    bot: ResolvedBot, confinement: Confinement, *, name: str, spec: str, time_ms: int | None
) -> TrialResult:
    """Try a bot out in a copy of its packed files.

    If it fails, it is tried once in a copy of its whole folder, to find out which files it lacks.

    Args:
        bot: the bot.
        confinement: its confinement.
        name: its name, for its log and for advice.
        spec: its specification, for advice.
        time_ms: time per move, as `ladder.registry.trial.try_out` takes it.

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
            with watched(copy) as watch:
                found = play(inside, ())
            writes = is_changed(packed.manifest, copy)
            return replace(found, writes=writes, opened=watch.opened)
        except UsageError as error:
            failure = UsageError(error.problem.replace(f"{copy}{os.sep}", ""), error.option)
            if launch.origin is not None or isinstance(error, TrialTimeout):
                raise failure from error
    raise _explain(failure, bot, play, f"ladder bots add {name} {shlex.quote(spec)}") from failure


def _explain(
    failure: UsageError, bot: ResolvedBot, play: Callable[..., TrialResult], command: str
) -> UsageError:
    """Return the failure, or an error that names the files which the bot lacks."""
    folder = Path(bot.launch.folder)
    packed = {file.path for file in bot.packed.manifest.files} if bot.packed else set()
    try:
        with folder_copy(folder) as copy, watched(copy) as watch:
            play(msgspec.structs.replace(bot.launch, archive=None, folder=str(copy)), ())
    except UsageError:
        return failure
    found = watch.opened or ()
    opened = [each for each in found if each not in packed and COMPILED not in each]
    others = [each for each in bot.left_out if each not in opened]
    patterns = [shlex.quote(each) for each in opened or others[:1] or ["PATTERN"]]
    used = f": it opened {listed(opened, MOST_NAMED)}" if opened else ""
    beside = f"; beside it also lie {listed(others, MOST_NAMED)}" if others else ""
    files = " ".join(f"--files {pattern}" for pattern in patterns[:MOST_NAMED])
    return UsageError(
        f"the bot plays in its folder, but not from its stored files alone, for it needs files "
        f"beside it{used}{beside}; store them, too: `{command} {files}`"
    )


class Watch:
    """What was opened below a folder, as the kernel reports it (inotify)."""

    opened: tuple[str, ...] | None = None
    """The files relative to the folder, after the block; None if some may be missing."""


@contextlib.contextmanager
def watched(folder: Path) -> Iterator[Watch]:
    """Watch a folder that only one bot's processes use, and report the files that they open."""
    watch = Watch()
    libc = ctypes.CDLL(None, use_errno=True)
    descriptor = libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
    if descriptor < 0:
        yield watch
        return
    with open(descriptor, "rb", buffering=0) as reports:
        places = {
            libc.inotify_add_watch(descriptor, os.fsencode(place), IN_OPEN): place
            for place, _, _ in islice(os.walk(folder), MOST_FOLDERS + 1)
        }
        yield watch
        if -1 in places or len(places) > MOST_FOLDERS:
            return
        opened: dict[str, None] = {}
        while events := reports.read(65536):
            while events:
                number, mask, _, length = _HEADER.unpack_from(events)
                name = os.fsdecode(events[_HEADER.size : _HEADER.size + length].rstrip(b"\0"))
                events = events[_HEADER.size + length :]
                if mask & IN_Q_OVERFLOW:
                    return
                if name and not mask & IN_ISDIR and number in places:
                    opened[os.path.relpath(os.path.join(places[number], name), folder)] = None
        watch.opened = tuple(opened)


def describe_change(
    former: UnpackedArchive | None, packed: UnpackedArchive | None, used: Collection[str]
) -> str:
    """Return a note about what a version changes in its used files, such as ``mybot.py +3 -1``."""
    if former is None or packed is None:
        return ""
    found = diff_files(former, packed)
    shown = [each for each in found if each.path in used or each.after is None] or found
    return listed([visible(each.summary) for each in shown], MOST_NAMED)


def used_files(bot: ResolvedBot, found: TrialResult) -> tuple[str, ...] | None:
    """Return the stored files that count for a bot; None if that is unknown, and all do."""
    return None if bot.launch.origin is not None else opened_files(bot, found)


def opened_files(bot: ResolvedBot, found: TrialResult) -> tuple[str, ...] | None:
    """Return the stored files that a bot has used in its trial; None if that is unknown."""
    if bot.packed is None or found.opened is None:
        return None
    stored = {file.path for file in bot.packed.manifest.files}
    return tuple(sorted(stored & {*bot.named, *found.opened}))


def files_naming_folder(bot: ResolvedBot, used: Iterable[str]) -> tuple[str, ...]:
    """Return the used text files of a bot that name the folder from which it was added."""
    folder = os.fsencode(bot.launch.folder.rstrip("/") + "/")
    if bot.packed is None or folder == b"/":
        return ()
    texts = ((path, (bot.packed.root / path).read_bytes()) for path in used)
    return tuple(path for path, text in texts if b"\0" not in text and folder in text)
