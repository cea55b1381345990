"""The CPUs that pairs are played on: a worker and its bots stay on one that no other worker uses.

A question and its answer then never wake another processor, which costs more than all the rest of
a null game (measured: 50 us a ply against 11), and a bot with many threads gets no more of the
machine than its opponent.

A claim is the name of a socket in the kernel's own space of names ("abstract", unix(7)): one
place for the whole machine, whoever asks and whatever its TMPDIR. The kernel gives the name to one
process and takes it back at that process's end. There is no file to own, to leave behind or to be
cleaned up. Containers with a network of their own have a space of their own, too.
"""

import os
import socket

PREFIX = "connect4-ladder"
"""The beginning of the names of all ladders on a machine."""

_claims: list[socket.socket] = []
"""This process's claims, held until its end."""


def claim_cpu(prefix: str = PREFIX) -> int | None:
    """Pin this process to a CPU that no other worker on this machine has claimed.

    Whatever it starts inherits that. The claim ends with the process.

    Returns:
        The CPU; None, and nothing is pinned, when all that the process may use are taken.

    """
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
    """The CPUs, among those that this process may use, on which somebody plays pairs now.

    The kernel lists all sockets with their names; where it does not, the answer is empty.
    """
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
    """How many CPUs this process may use."""
    return len(os.sched_getaffinity(0))


def be_idle() -> None:
    """From now on this process runs only where no other wants to: it disturbs no game.

    Where the system does not allow it, as little as a niceness of 19 lets it.
    """
    try:
        os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    except OSError:
        os.nice(19)
