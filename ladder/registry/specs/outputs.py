"""The files that this command writes, which are never a bot's."""

import os
import stat
from collections.abc import Collection, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path

STANDARD = (1, 2)
"""Descriptors of the standard output and error."""
PROC = Path("/proc")


def is_output(path: Path, outputs: Collection[Path] = ()) -> bool:
    """Return whether this command writes a file.

    It writes some files by options, and those into which its output is redirected or piped, as by
    ``| tee out.log``.
    """
    with suppress(OSError):
        return path.is_file() and any(
            os.path.samestat(path.stat(), each) for each in _open_outputs(outputs)
        )
    return False


def _open_outputs(outputs: Collection[Path]) -> Iterator[os.stat_result]:
    """Yield the state of each file that this command writes and that exists."""
    places: tuple[int | Path, ...] = (*STANDARD, *outputs)
    for each in places:
        with suppress(OSError):
            yield os.stat(each)
    yield from _written_behind(frozenset(_pipes_of(PROC / "self")))


def _pipes_of(process: Path) -> Iterator[str]:
    """Yield the names of the pipes that are a process's standard output and error."""
    for each in STANDARD:
        with suppress(OSError):
            target = os.readlink(process / "fd" / str(each))
            if target.startswith("pipe:"):
                yield target


@cache
def _written_behind(pipes: frozenset[str]) -> list[os.stat_result]:
    """Return the files that programs write whose input is one of these pipes, or comes from it.

    Where the system does not show what they have open, none are found.
    """
    readers: dict[str, list[Path]] = {}
    for process in PROC.glob("[0-9]*") if pipes else ():
        with suppress(OSError):  # it is another user's, or has ended
            readers.setdefault(os.readlink(process / "fd" / "0"), []).append(process)
    found, waiting = [], list(pipes)
    while waiting:
        for process in readers.pop(waiting.pop(), ()):
            waiting += _pipes_of(process)
            with suppress(OSError):
                # The link of a descriptor has the permissions for which the file was opened.
                found += [
                    link.stat()
                    for link in (process / "fd").iterdir()
                    if link.lstat().st_mode & stat.S_IWUSR and link.is_file()
                ]
    return found
