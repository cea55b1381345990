"""Claims of CPUs: a worker and its bots stay on one CPU that no other worker uses.

A question then never wakes another processor, which costs more than everything else in a game
without thinking (measured: 50 us a ply instead of 11), and a bot with many threads gets no more of
the machine than its opponent.

A claim is the name of an abstract socket (unix(7)). Such names exist once per machine, for all
users and whatever their TMPDIR; the kernel gives one to a single process and frees it when that
process ends, so there is no file to own or to clean up.

Containers with a network namespace have names of their own. A container that evidently shares its
CPUs with others claims none: two workers on one CPU are slower than two that may move.
"""

import os
import socket
import time

from ladder.match.process.cgroups import cpu_quota
from ladder.match.process.procfs import TICKS_S, read

PREFIX = "connect4-ladder"
"""Beginning of all socket names of this project."""
SAMPLE_S = 0.1
"""How long the load of the machine is measured."""
FREE_SHARE = 0.5
"""Part of the CPUs of timed bots that must be free."""

_claims: list[socket.socket] = []
"""This process's claims, which end with it."""


def claim_cpu(prefix: str = PREFIX, *, quota: float | None = None) -> int | None:
    """Pin this process and its future children to a CPU that no other worker has claimed.

    Args:
        prefix: beginning of the socket names of claims.
        quota: processors' time that this process may use; None: as its control groups say.

    Returns:
        The CPU; None if all are claimed, or if containers whose claims cannot be seen use them.

    """
    if _are_shared(cpu_quota() if quota is None else quota):
        return None
    for cpu in sorted(os.sched_getaffinity(0)):
        claim = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            claim.bind(f"\0{prefix}.cpu.{cpu}")
        except OSError:  # it is taken
            claim.close()
            continue
        _claims.append(claim)
        os.sched_setaffinity(0, {cpu})
        return cpu
    return None


def claimed_cpus(prefix: str = PREFIX) -> frozenset[int]:
    """Return the CPUs of this process on which workers play now; empty if that is not visible."""
    sign = f"@{prefix}.cpu."
    try:
        with open("/proc/net/unix", encoding="utf-8", errors="replace") as sockets:
            names = [line.rpartition(" ")[2].strip() for line in sockets]
    except OSError:
        return frozenset()
    numbers = {name.removeprefix(sign) for name in names if name.startswith(sign)}
    claimed = {int(number) for number in numbers if number.isascii() and number.isdigit()}
    return frozenset(claimed & os.sched_getaffinity(0))


def allowed_cpus() -> int:
    """Return how many CPUs this process can keep busy, considering affinity and quota."""
    cpus, quota = len(os.sched_getaffinity(0)), cpu_quota()
    return cpus if quota is None else max(1, min(cpus, int(quota)))


def busy_cpus(length_s: float = SAMPLE_S) -> float:
    """Return how many of this process's CPUs are busy now, by a sample of some time."""
    before = _idle_ticks()
    time.sleep(length_s)
    idle = (_idle_ticks() - before) / TICKS_S / length_s
    return max(0.0, len(os.sched_getaffinity(0)) - idle)


def crowded_text(concurrency: int) -> str:
    """Return why timed bots would share their CPUs, and what to do; "" if they need not.

    Args:
        concurrency: how many bots are to be on their turn at the same time.

    """
    cpus, taken = allowed_cpus(), len(claimed_cpus())
    free = cpus - taken
    if taken and concurrency > free:
        remedy = f"use --concurrency {free}" if free else "wait until it has ended"
        return (
            f"another run plays on {taken} of the {cpus} CPUs: bots on a shared CPU get less done "
            f"in a move time; {remedy}"
        )
    if not taken and (busy := busy_cpus()) > cpus - FREE_SHARE * min(concurrency, cpus):
        return (
            f"other programs keep {busy:.1f} of the {cpus} CPUs busy: bots get less done in a move "
            "time, and late moves delay the run; stop them, or count work instead of time "
            "(--simulations 1000)"
        )
    return ""


def _idle_ticks() -> int:
    """Return the idle time of this process's CPUs, waits for disks included."""
    cpus = {b"cpu%d" % cpu for cpu in os.sched_getaffinity(0)}
    lines = map(bytes.split, read("/proc/stat").splitlines())
    return sum(int(words[4]) + int(words[5]) for words in lines if words[0] in cpus)


def _are_shared(quota: float | None) -> bool:
    """Return whether other containers evidently use the CPUs of this one.

    A quota below the number of CPUs leaves time to others; a pod without a quota has all CPUs of
    its node.
    """
    cpus = len(os.sched_getaffinity(0))
    is_pod = "KUBERNETES_SERVICE_HOST" in os.environ
    return (quota is not None and quota < cpus) or (is_pod and cpus == os.cpu_count())
