"""Checks of this machine: what it offers, and what may cause trouble."""

import contextlib
import os
import platform
import resource
import shutil
import sqlite3
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum
from importlib.metadata import version
from pathlib import Path

import psutil

from ladder.match.process.cgroups import cached_parent_group
from ladder.match.process.counters import counts_waits
from ladder.match.process.cpus import allowed_cpus
from ladder.match.process.leftovers import find_leftovers
from ladder.match.process.sandbox import PROGRAM, STANDARD, Confinement
from ladder.tools.doctor.sandbox_probe import PROBES, ProbeFailed, probe_sandbox

MIN_DISK_BYTES = 1 << 30
BYTES_PER_BOT = 1 << 30
MIN_OPEN_FILES = 1024
SHOWN = 5
"""Number of faults of one kind that are listed one by one."""


class Level(StrEnum):
    """The severity of a finding."""

    OK = "ok"
    WARNING = "warning"
    FAULT = "fault"


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """One line of the doctor's report."""

    topic: str
    level: Level
    text: str


def examine_machine() -> list[Diagnosis]:
    """Run all checks of the machine; they change nothing, and write only a temporary file."""
    checks: tuple[Callable[[], Diagnosis], ...] = (
        check_cpus, check_load, check_memory, check_clock, check_waits, check_versions, check_cache,
        check_files, check_disk, check_strays,
    )  # fmt: skip
    return [check() for check in checks] + [check_limits(cached_parent_group())]


def check_cpus() -> Diagnosis:
    """Report how many CPUs this process may use."""
    allowed, present = allowed_cpus(), os.cpu_count() or 1
    text = f"{allowed} of {present} CPUs allowed: `ladder run` plays {allowed} pairs at a time"
    return Diagnosis("cpus", Level.OK, text)


def check_load() -> Diagnosis:
    """Check that no other program keeps the machine busy."""
    load = os.getloadavg()[0]
    busy = load > 0.5 * allowed_cpus()
    advice = ": timed games are unfair while this lasts; end other programs first" if busy else ""
    return Diagnosis("load", Level.WARNING if busy else Level.OK, f"load {load:.2f}{advice}")


def check_memory() -> Diagnosis:
    """Check that two bots per CPU fit into memory."""
    free = psutil.virtual_memory().available
    level = Level.WARNING if free < BYTES_PER_BOT * allowed_cpus() * 2 else Level.OK
    return Diagnosis(
        "memory", level, f"{free / 2**30:.1f} GiB available; a bot may use up to 1 GiB"
    )


def check_clock() -> Diagnosis:
    """Check that the monotonic clock is fine enough to time moves."""
    info = time.get_clock_info("perf_counter")
    begun = time.perf_counter_ns()
    for _ in range(1000):
        time.perf_counter_ns()
    cost = (time.perf_counter_ns() - begun) / 1000
    level = Level.OK if info.monotonic and info.resolution <= 1e-6 else Level.WARNING
    return Diagnosis("clock", level, f"{info.implementation}, reading it takes {cost:.0f} ns")


def check_waits() -> Diagnosis:
    """Check that the kernel counts waits for a processor, which excuse late moves."""
    if counts_waits():
        return Diagnosis("late-moves", Level.OK, "the kernel counts what delays a bot")
    text = "this kernel does not count waits (schedstat): no late move can be excused"
    return Diagnosis("late-moves", Level.WARNING, text)


def check_versions() -> Diagnosis:
    """Check the versions of the programs that results depend on."""
    text = (
        f"Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}, "
        f"numba {version('numba')}, numpy {version('numpy')}, ladder {version('connect4-ladder')}"
    )
    old = sys.version_info < (3, 11) or sqlite3.sqlite_version_info < (3, 35)
    return Diagnosis("versions", Level.FAULT if old else Level.OK, text)


def check_cache() -> Diagnosis:
    """Check that compiled kernels can be cached."""
    from engine.cache import cache_fault, cache_root

    if fault := cache_fault():
        return Diagnosis("cache", Level.FAULT, fault)
    root, size = cache_root(), 0
    for folder, _, names in os.walk(root):
        for name in names:
            with contextlib.suppress(FileNotFoundError):  # other commands remove files meanwhile
                size += os.stat(os.path.join(folder, name)).st_size
    return Diagnosis("cache", Level.OK, f"{root} holds {size / 2**20:.0f} MiB of compiled kernels")


def check_files() -> Diagnosis:
    """Check that enough files may be open at once."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    level = Level.OK if soft >= MIN_OPEN_FILES else Level.WARNING
    return Diagnosis("files", level, f"{soft} open files allowed")


def check_disk() -> Diagnosis:
    """Check that the disk has room for a night of games."""
    free = shutil.disk_usage(Path.cwd()).free
    level = Level.OK if free >= MIN_DISK_BYTES else Level.WARNING
    return Diagnosis("disk", level, f"{free / 2**30:.1f} GiB free here; a game takes about 1 kB")


def check_limits(parent: Path | None) -> Diagnosis:
    """Report how the limits of bots are enforced here.

    Args:
        parent: the group in which bots get control groups; None without such a group.

    """
    if parent is not None:
        text = "the kernel enforces memory and processes of a bot (control group)"
        return Diagnosis("bot-limits", Level.OK, text)
    user = "" if os.geteuid() == 0 else "--user "
    text = (
        "the ladder measures memory and processes of a bot up to 50 times a second: this user may "
        "not create control groups (cgroup v2) with the controllers memory and pids here; under "
        f"systemd, start `systemd-run {user}--scope -p Delegate=yes ladder ...` to have the kernel "
        "enforce them"
    )
    return Diagnosis("bot-limits", Level.OK, text)


def check_strays() -> Diagnosis:
    """Look for leftovers of bots whose harness and supervisor were both killed."""
    found = find_leftovers()
    if found:
        text = (
            f"{len(found)} scratch folders are left of bots of former runs, such as {found[0]}: "
            "the next run kills the processes that still use them and removes the folders"
        )
        return Diagnosis("strays", Level.WARNING, text)
    return Diagnosis("strays", Level.OK, "nothing is left of bots of former runs")


def check_sandbox(confinement: Confinement, database: str | None) -> Diagnosis:
    """Try a sandbox by ten probes: that of the command, else the standard one if it is there."""
    if not confinement.sandbox:
        if shutil.which(PROGRAM) is None:
            text = "no bubblewrap (bwrap), so no `--sandbox standard`: see docs/reliability.md"
            return Diagnosis("sandbox", Level.OK, text)
        confinement = replace(confinement, sandbox=(STANDARD,))
    name = f"--sandbox {Path(confinement.sandbox[0]).name}"
    try:
        found = probe_sandbox(confinement, database)
    except (ProbeFailed, OSError) as error:
        return Diagnosis("sandbox", Level.FAULT, f"{name}: bots cannot be started: {error}")
    if found:
        text = f"{name}: a bot can {', '.join(found)}: see docs/reliability.md"
        return Diagnosis("sandbox", Level.FAULT, text)
    text = (
        f"{name}: {PROBES} probes held: a bot has no network, sees no home, database or process of "
        "others, and writes only its scratch folder"
    )
    return Diagnosis("sandbox", Level.OK, text)
