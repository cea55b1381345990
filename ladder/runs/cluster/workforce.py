"""The choice of the workforce: this machine, or the workers of a cluster."""

import sys
from typing import TYPE_CHECKING

from ladder.errors import UsageError

if TYPE_CHECKING:
    from ladder.runs.cluster.endpoint import Endpoint
    from ladder.runs.executor import Workforce


def workforce_of(
    address: str | None, ca_file: str | None, cert: str | None, key: str | None
) -> "Workforce":
    """Return the workers of a scheduler, or this machine without an address.

    Raises:
        UsageError: the address or a file of TLS is not valid, or the extra is not installed.

    """
    from ladder.runs.start import THIS_MACHINE

    if address is None:
        return THIS_MACHINE
    endpoint = endpoint_of(address, ca_file, cert, key, option="cluster")
    from ladder.runs.cluster.executor import Cluster

    return Cluster(endpoint)


def endpoint_of(
    address: str, ca_file: str | None, cert: str | None, key: str | None, *, option: str
) -> "Endpoint":
    """Return the address of a scheduler with the settings of its TLS.

    Args:
        address: The address.
        ca_file: The file of --tls-ca-file; None for Dask's configuration, as for the others.
        cert: The file of --tls-cert.
        key: The file of --tls-key.
        option: The option or argument that holds the address.

    Raises:
        UsageError: the address or a file of TLS is not valid, or the extra is not installed.

    """
    from importlib.util import find_spec

    if find_spec("distributed") is None:
        raise UsageError(
            "playing on other machines needs the extra `cluster`, which is not installed: run "
            f"`{sys.executable} -m pip install -c constraints.txt '.[cluster]'` in a checkout"
        )
    from ladder.runs.cluster.endpoint import parse_endpoint

    return parse_endpoint(address, ca_file, cert, key, option=option)
