"""Having players' kernels compiled before any clock runs, each revision by its own sources."""

import os
import signal
import subprocess
from collections.abc import Iterable, Mapping, Sequence

from bots.parent_death import die_with_parent
from db.records.launch import Launch, Start
from ladder.errors import LadderError, UsageError
from ladder.signals import check_stop, wait_child
from ladder.specs.start_command import host_command, start_of


def compile_launches(launches: Iterable[Launch]) -> None:
    """Compile what the built-in players among them need.

    Raises:
        UsageError: the compilation of a revision from git failed.
        LadderError: that of the current sources did.

    """
    groups: dict[Start, list[Launch]] = {}
    for launch in launches:
        if launch.player is not None:
            groups.setdefault(start_of(launch), []).append(launch)
    for start, group in groups.items():
        _compile(start, group)


def _compile(start: Start, launches: Sequence[Launch]) -> None:
    """Compile players of one copy; stamps in its cache tell `bots.warm` what has been done.

    In a process of its own: the coordinator stays small, and the compilers' memory is given back.
    """
    origin, python = launches[0].origin, launches[0].python
    names = [launch.player for launch in launches if launch.player is not None]
    command = [*host_command("bots.warm", python), *names]
    environment = {**os.environ, **dict(start.environment)}
    if _run(command, folder=start.folder, environment=environment) == 0:
        return
    if origin is None:
        raise LadderError(
            f"compiling the built-in players failed: run `{' '.join(command)}` to see why"
        )
    raise UsageError(
        f"compiling {', '.join(names)} of {origin.revision} failed, as said above: its "
        "dependencies are those installed here now, unless --build and --python give it others"
    )


def _run(
    command: Sequence[str],
    *,
    folder: str,
    environment: Mapping[str, str],
) -> int:
    """The exit status of a compilation that dies with us, and leaves a Ctrl-C to us."""

    us = os.getpid()

    def leave_signals() -> None:
        die_with_parent(us)
        signal.signal(signal.SIGINT, signal.SIG_IGN)

    # Nothing of ours has threads yet, which a function between fork and exec would disturb.
    compilation = subprocess.Popen(
        command,
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        preexec_fn=leave_signals,
    )
    try:
        status = wait_child(compilation)
    finally:
        compilation.kill()
        compilation.wait()
    check_stop()  # a SIGTERM to the process group has ended the compilation, too
    return status
