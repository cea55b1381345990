"""Having players' kernels compiled before any clock runs, each revision by its own sources."""

import os
import subprocess
from collections.abc import Iterable, Sequence

from db.records import Launch
from ladder.errors import LadderError, UsageError
from ladder.hosting import host_command, host_environment


def compile_launches(launches: Iterable[Launch]) -> None:
    """Compile what the built-in players among them need.

    Raises:
        UsageError: the compilation of a revision from git failed.
        LadderError: that of the current sources did.

    """
    own: list[str] = []
    copies: dict[tuple[str, str | None], list[Launch]] = {}
    for launch in launches:
        if launch.player is None:
            continue
        if launch.origin is None:
            own.append(launch.player)
        else:
            copies.setdefault((launch.folder, launch.python), []).append(launch)
    compile_names(own)
    for group in copies.values():
        _compile_copy(group)


def compile_names(names: Sequence[str]) -> None:
    """The same, by the names of current built-in players.

    Raises:
        LadderError: the compilation failed.

    """
    if not names:
        return
    # In a process of its own: the coordinator stays small, and the compilers' memory is given back.
    command = [*host_command("bots.warm"), *names]
    if subprocess.run(command, stdin=subprocess.DEVNULL, check=False).returncode != 0:
        raise LadderError(
            f"compiling the built-in players failed: run `{' '.join(command)}` to see why"
        )


def _compile_copy(launches: Sequence[Launch]) -> None:
    """Launches of one copy; stamps in its cache tell `bots.warm` what has been done before."""
    first = launches[0]
    names = [launch.player for launch in launches if launch.player is not None]
    done = subprocess.run(
        [*host_command("bots.warm", first.python), *names],
        cwd=first.folder,
        env={**os.environ, **host_environment(first)},
        stdin=subprocess.DEVNULL,
        check=False,
    )
    if done.returncode != 0:
        revision = first.origin.revision if first.origin else ""
        raise UsageError(
            f"compiling {', '.join(names)} of {revision} failed, as said above: its dependencies "
            "are those installed here now, unless --build and --python give it others"
        )
