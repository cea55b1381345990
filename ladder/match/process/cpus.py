"""The CPUs that pairs are played on: a worker and its bots stay on one that no other worker uses.

A question and its answer then never wake another processor, which costs more than all the rest of
a null game (measured: 50 us a ply against 11), and a bot with many threads gets no more of the
machine than its opponent.

A claim is the name of a socket in the kernel's own space of names ("abstract", unix(7)): one
place for the whole machine, whoever asks and whatever its TMPDIR. The kernel gives the name to one
process and takes it back at that process's end. There is no file to own, to leave behind or to be
cleaned up.

Containers with a network of their own have a space of their own, too. They claim by locks on bytes
of a file in a folder that all of them mount (`CLAIMS`). Without that folder, a container that
evidently shares its CPUs claims none: two on one CPU would be slower than two that may move.
"""

import fcntl
import os
import socket
import struct

from ladder.errors import UsageError
from ladder.match.process.cgroups import cpu_quota

PREFIX = "connect4-ladder"
"""The beginning of the names of all ladders on a machine."""
CLAIMS = "LADDER_CLAIMS"
"""The variable that names a folder of the machine in which the CPUs are claimed."""
FLOCK = "hhqqi4x"
"""The kernel's `struct flock`: kind, origin, first byte, number of bytes, process."""

_claims: list[socket.socket | int] = []
"""This process's claims, held until its end."""


def claim_cpu(prefix: str = PREFIX) -> int | None:
    """Pin this process to a CPU that no other worker on this machine has claimed.

    Whatever it starts inherits that. The claim ends with the process.

    Returns:
        The CPU; None, and nothing is pinned, when all that the process may use are taken, or when
        others use them whose claims cannot be seen.

    Raises:
        UsageError: the folder of claims cannot be used.

    """
    if not os.environ.get(CLAIMS) and _are_shared():
        return None
    for cpu in sorted(os.sched_getaffinity(0)):
        claim = _claim(cpu, prefix)
        if claim is not None:
            _claims.append(claim)
            os.sched_setaffinity(0, {cpu})
            return cpu
    return None


def claimed_cpus(prefix: str = PREFIX) -> frozenset[int]:
    """The CPUs, among those that this process may use, on which somebody plays pairs now.

    The kernel lists all sockets with their names; where it does not, the answer is empty.
    """
    if os.environ.get(CLAIMS):
        return _locked_cpus()
    sign = f"@{prefix}.cpu."
    try:
        with open("/proc/net/unix", encoding="utf-8", errors="replace") as sockets:
            names = [line.rpartition(" ")[2].strip() for line in sockets]
    except OSError:
        return frozenset()
    numbers = {name.removeprefix(sign) for name in names if name.startswith(sign)}
    claimed = {int(number) for number in numbers if number.isascii() and number.isdigit()}
    return frozenset(claimed & os.sched_getaffinity(0))


def check_claims() -> None:
    """Refuse a folder of claims that cannot be used. Raises UsageError."""
    if os.environ.get(CLAIMS):
        try:
            _locked_cpus()
        except OSError as error:
            raise UsageError(
                f"{CLAIMS}: {os.environ[CLAIMS]} keeps no file locks ({error.strerror}): name a "
                "folder on a disk of this machine"
            ) from error


def allowed_cpus() -> int:
    """Return how many CPUs this process can keep busy: those it may use, within its quota."""
    cpus, quota = len(os.sched_getaffinity(0)), cpu_quota()
    return cpus if quota is None else max(1, min(cpus, int(quota)))


def _are_shared() -> bool:
    """Return whether containers whose claims cannot be seen evidently use the same CPUs.

    A quota leaves a part of these CPUs to others. A pod without one has all CPUs of its node.
    """
    cpus, quota = len(os.sched_getaffinity(0)), cpu_quota()
    is_pod = "KUBERNETES_SERVICE_HOST" in os.environ
    return (quota is not None and quota < cpus) or (is_pod and cpus == os.cpu_count())


def _claim(cpu: int, prefix: str) -> socket.socket | int | None:
    """Return what holds a new claim until it is closed; None if another process has the CPU."""
    if os.environ.get(CLAIMS):
        descriptor = _open_claims()
        try:
            fcntl.fcntl(descriptor, fcntl.F_OFD_SETLK, _lock_of(cpu))
        except (BlockingIOError, PermissionError):  # it is taken
            os.close(descriptor)
            return None
        return descriptor
    claim = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        claim.bind(f"\0{prefix}.cpu.{cpu}")
    except OSError:  # it is taken
        claim.close()
        return None
    return claim


def _locked_cpus() -> frozenset[int]:
    descriptor = _open_claims()
    try:
        kinds = {
            cpu: fcntl.fcntl(descriptor, fcntl.F_OFD_GETLK, _lock_of(cpu))
            for cpu in os.sched_getaffinity(0)
        }
    finally:
        os.close(descriptor)
    return frozenset(
        cpu for cpu, found in kinds.items() if struct.unpack(FLOCK, found)[0] != fcntl.F_UNLCK
    )


def _lock_of(cpu: int) -> bytes:
    return struct.pack(FLOCK, fcntl.F_WRLCK, os.SEEK_SET, cpu, 1, 0)


def _open_claims() -> int:
    """Open the file of claims; each byte of it stands for a CPU."""
    path = os.path.join(os.environ[CLAIMS], "cpus")
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        if os.fstat(descriptor).st_uid == os.geteuid():
            os.fchmod(descriptor, 0o666)  # for other users, whatever the umask
    except OSError as error:
        raise UsageError(
            f"{CLAIMS}: {path} cannot be written ({error.strerror}): name a folder of this "
            "machine that all ladders on it may write"
        ) from error
    return descriptor


def lower_priority() -> None:
    """From now on this process runs only where no other wants to: it disturbs no game.

    Where the system does not allow it, as little as a niceness of 19 lets it.
    """
    try:
        os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    except OSError:
        os.nice(19)
