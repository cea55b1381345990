"""Having players' kernels compiled before any clock runs, each revision by its own sources."""

import os
import signal
import subprocess
from collections.abc import Iterable, Mapping, Sequence

from bots.parent_death import die_with_parent
from db.records.launch import Launch
from ladder.errors import LadderError, UsageError
from ladder.signals import check_stop, wait_child
from ladder.specs.start_command import host_command, start_of


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
    """Compile players of this installation.

    Raises:
        LadderError: the compilation failed.

    """
    if not names:
        return
    # In a process of its own: the coordinator stays small, and the compilers' memory is given back.
    command = [*host_command("bots.warm"), *names]
    if _run(command) != 0:
        raise LadderError(
            f"compiling the built-in players failed: run `{' '.join(command)}` to see why"
        )


def _compile_copy(launches: Sequence[Launch]) -> None:
    """Compile players of one copy; stamps in its cache tell `bots.warm` what has been done."""
    first = launches[0]
    names = [launch.player for launch in launches if launch.player is not None]
    command = host_command("bots.warm", first.python)
    start = start_of(first)
    environment = {**os.environ, **dict(start.environment)}
    if _run([*command, *names], folder=start.folder, environment=environment) != 0:
        revision = first.origin.revision if first.origin else ""
        raise UsageError(
            f"compiling {', '.join(names)} of {revision} failed, as said above: its dependencies "
            "are those installed here now, unless --build and --python give it others"
        )


def _run(
    command: Sequence[str],
    *,
    folder: str | None = None,
    environment: Mapping[str, str] | None = None,
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
