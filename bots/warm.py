"""Compiling players before any clock runs: ``python -P -m bots.warm [PLAYER...]``.

Players of one module are compiled one after another in one process; processes for different modules
run side by side, those of the newest players first, which take the longest. They are forks of one
that has loaded the compiler. A stamp per compiled player in the cache folder makes later checks
fast and names the folders of its kernels. Afterwards entries leave that nothing used for a month.
Progress goes to standard error, a line per group.
"""

import hashlib
import os
import sys
import time
import traceback
from collections.abc import Iterable, Sequence
from pathlib import Path

from bots.budget import Budget
from bots.catalogue import VERSIONS, build, parse_player
from bots.errors import BotsError
from bots.old_kernels import remove_unused
from bots.parent_death import die_with_parent
from bots.version import Version
from engine.board import Board
from engine.cache import cache_fault, cache_folder, is_used, write_entry
from engine.kernel_keys import kernel_key

BOARDS = (Board(6, 7), Board(9, 9, (4, 4)))
"""A player compiles all its kernels for these."""


def is_warm(players: Iterable[str]) -> bool:
    """Return whether all these players (names, with or without options) are compiled."""
    return all(is_used(_stamp(parse_player(player)[0])) for player in players)


def warm(players: Iterable[str]) -> bool:
    """Compile the code of players; return False if a compilation failed.

    It forks: this process must have no threads, and no other children.

    Raises:
        UnknownPlayer: no built-in player has one of the names.

    """
    names = dict.fromkeys(parse_player(player)[0].name for player in players)
    groups: dict[str, list[str]] = {}
    for name in names:
        if not is_warm([name]):
            groups.setdefault(VERSIONS[name].factory.partition(":")[0], []).append(name)
    if not groups:
        return True
    if fault := cache_fault():
        print(fault, file=sys.stderr)  # noqa: T201 - this is its output
        return False
    succeeded = _compile_all(groups)
    remove_unused()
    return succeeded


def _compile_all(groups: dict[str, list[str]]) -> bool:
    """Compile groups of players, by their module, and report each."""
    from engine.compiled import njit

    njit(lambda: None)()  # what the compiler loads at its first use takes a second
    waiting, running = [*groups], dict[int, tuple[str, float]]()
    succeeded = True
    while waiting or running:
        if waiting and len(running) < (os.cpu_count() or 1):
            module = waiting.pop()
            running[_fork(groups[module])] = module, time.monotonic()
            continue
        process, status = os.wait()
        module, started = running.pop(process)
        succeeded &= status == 0
        verb = "FAILED to compile" if status else "compiled"
        seconds = time.monotonic() - started
        line = f"{verb} {module} in {seconds:.1f} s: {', '.join(groups[module])}"
        print(line, file=sys.stderr, flush=True)  # noqa: T201 - this is its output
    return succeeded


def _fork(names: Sequence[str]) -> int:
    """Compile players in a fork, and return its process id."""
    parent = os.getpid()
    if process := os.fork():
        return process
    code = 1
    try:
        die_with_parent(parent)
        code = 0 if _compile_here(names) else 1
    except Exception:
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(code)


def _stamp(version: Version) -> Path:
    """Return the file that marks a player as compiled, for what decides on its kernels' types."""
    module = version.factory.partition(":")[0]
    parts = kernel_key(module), version.factory, version.options, version.budgets, BOARDS
    key = hashlib.sha256(repr(parts).encode()).hexdigest()[:16]
    return cache_folder() / "warm" / f"{version.name}-{key}"


def _compile_here(names: Sequence[str]) -> bool:
    from engine.code_cache import CodeCache  # which loads the compiler

    for name in names:
        version = VERSIONS[name]
        kind = "simulations" if "any" in version.budgets else version.budgets[-1]
        budget = Budget.of(kind, 1)
        for board in BOARDS:
            build(name, board=board, side=0, seed=0, budget=budget).choose(())
        if CodeCache.unsaved:
            print(cache_fault() or CodeCache.unsaved[0], file=sys.stderr)  # noqa: T201 - its output
            return False
        # A process has the players of one module, which imports all their kernels.
        folders = {Path(place).name for place in CodeCache.places.values()}
        write_entry(_stamp(version), "\n".join(sorted(folders)))
    return True


def main(arguments: Sequence[str]) -> int:
    """Compile the named players, by default all."""
    try:
        return 0 if warm(arguments or VERSIONS) else 1
    except BotsError as error:
        print(error, file=sys.stderr)  # noqa: T201 - this is its output
        return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
