"""The workforce that a command line names: this machine, or those of a cluster."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from ladder.errors import UsageError

if TYPE_CHECKING:
    from ladder.runs.executor import Workforce


def need_cluster() -> None:
    """Refuse to go on without the libraries of the extra.

    Raises:
        UsageError: they are not installed.

    """
    from importlib.util import find_spec

    if find_spec("distributed") is None or find_spec("cryptography") is None:
        raise UsageError(
            "many machines need the extra `cluster`, which is not installed: in a checkout run "
            f"`{sys.executable} -m pip install -c constraints.txt '.[cluster]'`"
        )


def workforce_of(address: str | None, certificates: str | None, *, insecure: bool) -> "Workforce":
    """The machines of a scheduler, or without an address this one.

    Raises:
        UsageError: the address cannot be used, or the extra is not installed.

    """
    from ladder.runs.start import THIS_MACHINE

    if address is None:
        return THIS_MACHINE
    need_cluster()
    from ladder.runs.cluster.executor import Cluster
    from ladder.runs.cluster.security import parse_endpoint

    folder = None if certificates is None else Path(certificates)
    return Cluster(parse_endpoint(address, folder, insecure=insecure, option="--cluster"))
