"""Having players' kernels compiled before any clock runs, each revision by its own sources."""

import os
import signal
import subprocess
from collections.abc import Iterable, Mapping, Sequence

from bots.parent_death import die_with_parent
from bots.warm import is_warm
from db.records.launch import Launch, Start
from db.records.pairs import Entrant
from engine.cache import is_shared
from ladder.errors import LadderError, UsageError
from ladder.match.specs.environment import environment_without_secrets
from ladder.match.specs.own_sources import own_sources
from ladder.match.specs.start_command import make_start
from ladder.signals import check_stop, wait_child, wait_ready
from ladder.visible import visible_lines

HOST, COMPILER = "bots.host", "bots.warm"
BLOCK = 65536


def compile_launches(launches: Iterable[Launch]) -> None:
    """Compile what the built-in players among launches need, which were made on this machine.

    Raises:
        UsageError: the compilation of a revision from git failed.
        LadderError: that of the current sources did.

    """
    _compile_all((make_start(launch), launch.player) for launch in launches)


def compile_entrants(entrants: Iterable[Entrant]) -> None:
    """Compile what the built-in players among the sides of pairs need.

    Raises:
        UsageError: the compilation of a revision from git failed.
        LadderError: that of the current sources did.

    """
    _compile_all((entrant.start, entrant.player) for entrant in entrants)


def _compile_all(players: Iterable[tuple[Start, str | None]]) -> None:
    groups: dict[tuple[str, ...], tuple[Start, list[str]]] = {}
    for start, player in players:
        if player is not None:
            groups.setdefault((*start.argv, start.folder), (start, []))[1].append(player)
    for start, names in groups.values():
        if not _is_compiled(start, names):
            _compile(start, names)


def _is_compiled(start: Start, names: Sequence[str]) -> bool:
    """Whether these are players of our own sources and their stamps lie in the cache.

    Looking there ourselves spares every command the start of an interpreter. Other copies have
    stamps of their own, which only their own sources find.
    """
    return start.folder == str(own_sources().root) and is_shared() and is_warm(names)


def _compile(start: Start, names: Sequence[str]) -> None:
    """Compile players of one copy; stamps in its cache tell `bots.warm` what has been done.

    In a process of its own: the coordinator stays small, and the compilers' memory is given back.
    """
    command = [COMPILER if word == HOST else word for word in start.argv] + list(names)
    environment = {**environment_without_secrets(), **dict(start.environment)}
    if _run(command, folder=start.folder, environment=environment) == 0:
        return
    if not start.foreign:
        raise LadderError(
            f"compiling the built-in players failed: run `{' '.join(command)}` to see why"
        )
    raise UsageError(
        f"compiling {', '.join(names)} of {start.folder} failed, as said above: its "
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
        stderr=subprocess.PIPE,
        preexec_fn=leave_signals,
    )
    try:
        _show_printable(compilation)
        status = wait_child(compilation)
    finally:
        compilation.kill()
        with compilation:  # waits for it, and closes the pipe
            pass
    check_stop()  # a SIGTERM to the process group has ended the compilation, too
    return status


def _show_printable(compilation: subprocess.Popen[bytes]) -> None:
    """Pass a compilation's standard error on to ours until it ends, printable characters only.

    A revision from git says what its authors like.

    Raises:
        Stopped: the user wants the command to end.

    """
    assert compilation.stderr is not None  # noqa: S101 - its caller asked for a pipe
    source, ended = compilation.stderr.fileno(), os.pidfd_open(compilation.pid)
    try:
        # A process that it leaves behind may hold the pipe open for ever.
        while source in wait_ready(source, ended):
            block = os.read(source, BLOCK)
            if not block:
                return
            os.write(2, visible_lines(block.decode("utf-8", "replace")).encode("utf-8", "replace"))
    finally:
        os.close(ended)
