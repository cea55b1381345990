"""Compilation of players' kernels before any clock runs, each revision by its own sources."""

import os
import signal
import subprocess
from collections.abc import Iterable, Sequence

from bots.catalogue import find, parse_player
from bots.golden import DECIDES_OTHERWISE, describe_change, is_checked
from bots.parent_death import die_with_parent
from bots.warm import is_warm
from db.records.launch import Launch, Start
from db.records.pairs import Entrant
from engine.cache import cache_fault
from ladder.errors import LadderError, UsageError
from ladder.registry.specs.start_command import (
    environment_without_secrets,
    make_start,
    own_sources,
)
from ladder.signals import current_stop

HOST, COMPILER, CHECK = "bots.host", "bots.warm", ("bots.golden", "check")


def compile_players(bots: Iterable[Launch | Entrant]) -> None:
    """Compile the kernels of the built-in players among launches or sides of pairs.

    Raises:
        UsageError: the cache cannot be written, the compilation of a revision from git failed, or
            a player of the current sources decides otherwise than its golden games.
        LadderError: the compilation of the current sources failed.

    """
    groups: dict[Start, list[str]] = {}
    for bot in bots:
        if bot.player is not None:
            start = bot.start if isinstance(bot, Entrant) else make_start(bot)
            groups.setdefault(start, []).append(bot.player)
    for start, names in groups.items():
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
    status = _run(start, *CHECK, *names)
    if status == DECIDES_OTHERWISE:
        changed = dict.fromkeys(parse_player(n)[0].name for n in names if not is_checked([n]))
        raise UsageError("; ".join(describe_change(find(name)) for name in changed))
    if status != 0:
        raise LadderError(
            f"replaying golden games of {', '.join(names)} failed, for the reason above"
        )


def _compile(start: Start, names: Sequence[str]) -> None:
    """Compile the players of one copy of the sources; stamps in its cache save repeated work."""
    if fault := cache_fault():
        raise UsageError(fault)
    if _run(start, COMPILER, *names) == 0:
        return
    if not start.foreign:
        raise LadderError(f"compiling {', '.join(names)} failed, for the reason above")
    raise UsageError(
        f"compiling {', '.join(names)} of {start.folder} failed, for the reason above: its "
        "dependencies are those installed here now; if it needs others, register it again with a "
        "build command and an interpreter of its own"
    )


def _run(start: Start, *words: str) -> int:
    """Run a module as a host of the players would run, and return its exit status.

    The memory of compilers is freed with their process, which dies with us and ignores Ctrl-C.
    """
    parent = os.getpid()

    def prepare_child() -> None:  # may take no locks, for callers may have threads (`examine_all`)
        die_with_parent(parent)
        signal.signal(signal.SIGINT, signal.SIG_IGN)

    with subprocess.Popen(
        (*start.argv[: start.argv.index(HOST)], *words),
        cwd=start.folder,
        env={**environment_without_secrets(), **dict(start.environment)},
        stdin=subprocess.DEVNULL,
        preexec_fn=prepare_child,
    ) as process:
        try:
            status = current_stop().wait_child(process)
        finally:
            process.kill()
    current_stop().check()  # a SIGTERM to the process group has ended the compilation, too
    return status
