"""Compilation of players' kernels before any clock runs, each revision by its own sources."""

import os
import signal
import subprocess
from collections.abc import Iterable, Mapping, Sequence

from bots.catalogue import find, parse_player
from bots.golden import DECIDES_OTHERWISE, describe_change, is_checked
from bots.parent_death import die_with_parent
from bots.warm import is_warm
from db.records.launch import Launch, Start
from db.records.pairs import Entrant
from engine.cache import cache_fault
from ladder.errors import LadderError, UsageError
from ladder.match.specs.environment import environment_without_secrets
from ladder.match.specs.own_sources import own_sources
from ladder.match.specs.start_command import make_start
from ladder.signals import current_stop
from ladder.visible import visible_lines

HOST, COMPILER, CHECK = "bots.host", "bots.warm", ("bots.golden", "check")
BLOCK = 65536


def compile_launches(launches: Iterable[Launch]) -> None:
    """Compile the kernels of the built-in players among launches made on this machine.

    Raises:
        UsageError: the cache cannot be written, the compilation of a revision from git failed, or
            a player of the current sources decides otherwise than its golden games.
        LadderError: the compilation of the current sources failed.

    """
    _compile_all((make_start(launch), launch.player) for launch in launches)


def compile_entrants(entrants: Iterable[Entrant]) -> None:
    """Compile the kernels of the built-in players among the sides of pairs.

    Raises:
        UsageError: the cache cannot be written, the compilation of a revision from git failed, or
            a player of the current sources decides otherwise than its golden games.
        LadderError: the compilation of the current sources failed.

    """
    _compile_all((entrant.start, entrant.player) for entrant in entrants)


def _compile_all(players: Iterable[tuple[Start, str | None]]) -> None:
    groups: dict[tuple[str, ...], tuple[Start, list[str]]] = {}
    for start, player in players:
        if player is not None:
            groups.setdefault((*start.argv, start.folder), (start, []))[1].append(player)
    for start, names in groups.values():
        # Stamps spare every command the start of an interpreter. Only the sources of another copy
        # can find theirs.
        is_own = start.folder == str(own_sources().root)
        if not (is_own and is_warm(names)):
            _compile(start, names)
        if is_own and not is_checked(names):
            _check(start, names)


def _check(start: Start, names: Sequence[str]) -> None:
    """Replay the golden games of players of our own sources, once for each edit.

    Raises:
        UsageError: a player decides otherwise.
        LadderError: the games cannot be replayed.

    """
    command = (*start.argv[: start.argv.index(HOST)], *CHECK, *names)
    environment = {**environment_without_secrets(), **dict(start.environment)}
    status = _run(command, folder=start.folder, environment=environment)
    if status == DECIDES_OTHERWISE:
        changed = dict.fromkeys(parse_player(n)[0].name for n in names if not is_checked([n]))
        raise UsageError("; ".join(describe_change(find(name)) for name in changed))
    if status != 0:
        raise LadderError(
            f"replaying golden games of {', '.join(names)} failed, for the reason above"
        )


def _compile(start: Start, names: Sequence[str]) -> None:
    """Compile the players of one copy of the sources; stamps in its cache save repeated work.

    Runs in a process of its own, so that the compilers' memory is freed afterwards.
    """
    if fault := cache_fault():
        raise UsageError(fault)
    command = [COMPILER if word == HOST else word for word in start.argv] + list(names)
    environment = {**environment_without_secrets(), **dict(start.environment)}
    if _run(command, folder=start.folder, environment=environment) == 0:
        return
    if not start.foreign:
        raise LadderError(f"compiling {', '.join(names)} failed, for the reason above")
    raise UsageError(
        f"compiling {', '.join(names)} of {start.folder} failed, for the reason above: its "
        "dependencies are those installed here now; if it needs others, register it again with a "
        "build command and an interpreter of its own"
    )


def _run(
    command: Sequence[str],
    *,
    folder: str,
    environment: Mapping[str, str],
) -> int:
    """Run a compilation that dies with us and ignores Ctrl-C; return its exit status."""
    parent = os.getpid()

    def prepare_child() -> None:
        die_with_parent(parent)
        signal.signal(signal.SIGINT, signal.SIG_IGN)

    # Callers may have threads (`examine_all`), so `prepare_child` must take no locks.
    compilation = subprocess.Popen(
        command,
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        preexec_fn=prepare_child,
    )
    try:
        _show_printable(compilation)
        status = current_stop().wait_child(compilation)
    finally:
        compilation.kill()
        with compilation:  # reaps it and closes the pipe
            pass
    current_stop().check()  # a SIGTERM to the process group has ended the compilation, too
    return status


def _show_printable(compilation: subprocess.Popen[bytes]) -> None:
    """Copy a compilation's standard error to ours until it ends, printable characters only.

    A revision from git may print escape sequences.

    Raises:
        Stopped: the user stops the command.

    """
    assert compilation.stderr is not None  # noqa: S101 - the caller requested a pipe
    source, ended = compilation.stderr.fileno(), os.pidfd_open(compilation.pid)
    try:
        # Not until the end of the pipe: a process that it leaves behind may keep it open.
        while source in current_stop().wait_ready(source, ended):
            block = os.read(source, BLOCK)
            if not block:
                return
            os.write(2, visible_lines(block.decode("utf-8", "replace")).encode("utf-8", "replace"))
    finally:
        os.close(ended)
