"""Claims of CPUs: a worker and its bots stay on one CPU that no other worker uses.

A question then never wakes another processor, which costs more than everything else in a game
without thinking (measured: 50 us a ply instead of 11), and a bot with many threads gets no more of
the machine than its opponent.

A claim is the name of an abstract socket (unix(7)). Such names exist once per machine, for all
users and whatever their TMPDIR; the kernel gives one to a single process and frees it when that
process ends, so there is no file to own or to clean up.

Containers with a network namespace have names of their own. They claim by locks on bytes of a file
in a folder that all of them mount (`CLAIMS`). Without that folder, a container that evidently
shares its CPUs claims none: two workers on one CPU are slower than two that may move.
"""

import fcntl
import os
import socket
import struct

from ladder.errors import UsageError
from ladder.match.process.cgroups import cpu_quota

PREFIX = "connect4-ladder"
"""Beginning of all socket names of this project."""
CLAIMS = "LADDER_CLAIMS"
"""Environment variable with the folder for claims, on a disk of this machine."""
FLOCK = "hhqqi4x"
"""The kernel's `struct flock`: kind, origin, first byte, number of bytes, process."""

_claims: list[socket.socket | int] = []
"""This process's claims, which end with it."""


def claim_cpu(prefix: str = PREFIX, *, quota: float | None = None) -> int | None:
    """Pin this process and its future children to a CPU that no other worker has claimed.

    Args:
        prefix: beginning of the socket names of claims.
        quota: processors' time that this process may use; None: as its control groups say.

    Returns:
        The CPU; None if all are claimed, or if containers whose claims cannot be seen use them.

    Raises:
        UsageError: the folder for claims cannot be used.

    """
    if not os.environ.get(CLAIMS) and _are_shared(cpu_quota() if quota is None else quota):
        return None
    for cpu in sorted(os.sched_getaffinity(0)):
        claim = _claim(cpu, prefix)
        if claim is not None:
            _claims.append(claim)
            os.sched_setaffinity(0, {cpu})
            return cpu
    return None


def claimed_cpus(prefix: str = PREFIX) -> frozenset[int]:
    """Return the CPUs of this process on which workers play now; empty if that is not visible."""
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
    """Refuse a folder for claims that cannot be used.

    Raises:
        UsageError: it cannot be written, or its file system has no locks.

    """
    if os.environ.get(CLAIMS):
        try:
            _locked_cpus()
        except OSError as error:
            raise UsageError(
                f"{CLAIMS}: files in {os.environ[CLAIMS]} cannot be locked ({error.strerror}): "
                "name a folder on a disk of this machine"
            ) from error


def allowed_cpus() -> int:
    """Return how many CPUs this process can keep busy, considering affinity and quota."""
    cpus, quota = len(os.sched_getaffinity(0)), cpu_quota()
    return cpus if quota is None else max(1, min(cpus, int(quota)))


def _are_shared(quota: float | None) -> bool:
    """Return whether other containers evidently use the CPUs of this one.

    A quota below the number of CPUs leaves time to others; a pod without a quota has all CPUs of
    its node.
    """
    cpus = len(os.sched_getaffinity(0))
    is_pod = "KUBERNETES_SERVICE_HOST" in os.environ
    return (quota is not None and quota < cpus) or (is_pod and cpus == os.cpu_count())


def _claim(cpu: int, prefix: str) -> socket.socket | int | None:
    """Claim a CPU; return the socket or file that holds the claim, or None if it is taken."""
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
    """Open the file of claims, in which byte N stands for CPU N."""
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
