"""The choice of the workforce: this machine, or those of a cluster."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from ladder.errors import UsageError

if TYPE_CHECKING:
    from ladder.runs.cluster.security import SchedulerEndpoint
    from ladder.runs.executor import Workforce


def need_cluster() -> None:
    """Check that the libraries for clusters are installed.

    Raises:
        UsageError: they are not installed.

    """
    from importlib.util import find_spec

    if find_spec("distributed") is None or find_spec("cryptography") is None:
        raise UsageError(
            "playing on other machines needs the extra `cluster`, which is not installed: run "
            f"`{sys.executable} -m pip install -c constraints.txt '.[cluster]'` in a checkout"
        )


def workforce_of(address: str | None, certificates: str | None, *, insecure: bool) -> "Workforce":
    """Return the machines of a scheduler, or this machine without an address.

    Raises:
        UsageError: the address is invalid, or the extra is not installed.

    """
    from ladder.runs.start import THIS_MACHINE

    if address is None:
        return THIS_MACHINE
    endpoint = endpoint_of(address, certificates, insecure=insecure, option="cluster")
    from ladder.runs.cluster.executor import Cluster

    return Cluster(endpoint)


def endpoint_of(
    address: str, certificates: str | None, *, insecure: bool, option: str | None
) -> "SchedulerEndpoint":
    """Return the address of a scheduler, as `parse_endpoint`.

    Raises:
        UsageError: the address is invalid, or the extra is not installed.

    """
    need_cluster()
    from ladder.runs.cluster.security import parse_endpoint

    folder = None if certificates is None else Path(certificates)
    return parse_endpoint(address, folder, insecure=insecure, option=option)
