"""Addresses of schedulers, and the certificates under which both ends are known.

A Dask scheduler runs whatever code its clients send, and so does every worker. Without TLS any
process that reaches its port is such a client.
"""

import asyncio
import contextlib
import os
import ssl
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from ladder.addresses import is_loopback
from ladder.errors import UsageError

AUTHORITY, CERTIFICATE, KEY = "ca.pem", "node.pem", "node-key.pem"
"""The files of a private set; every machine of the cluster has the same three."""
PORT = 8786
CONNECT_S = 10.0
"""How long a connection may take."""


class Unreachable(OSError):
    """A scheduler cannot be used from here; the message says why."""


@dataclass(frozen=True, slots=True)
class SchedulerEndpoint:
    """A scheduler's address and the certificates with which it is reached."""

    host: str
    port: int
    certificates: Path | None = None
    """The folder of the private set; None: no encryption."""

    @property
    def protocol(self) -> str:
        """The kind of connection: ``tls`` or ``tcp``."""
        return "tcp" if self.certificates is None else "tls"

    @property
    def address(self) -> str:
        """The address as Dask writes it, such as ``tls://lab1:8786``."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.protocol}://{host}:{self.port}"

    def security(self) -> Any:
        """Dask's own description of the certificates; None without them."""
        if self.certificates is None:
            return None
        from distributed.security import Security

        certificate, key = str(self.certificates / CERTIFICATE), str(self.certificates / KEY)
        return Security(  # type: ignore[no-untyped-call]
            require_encryption=True,
            tls_ca_file=str(self.certificates / AUTHORITY),
            tls_client_cert=certificate,
            tls_client_key=key,
            tls_scheduler_cert=certificate,
            tls_scheduler_key=key,
            tls_worker_cert=certificate,
            tls_worker_key=key,
        )


async def check_scheduler(endpoint: SchedulerEndpoint, patience_s: float = CONNECT_S) -> None:
    """See by a connection of its own that a scheduler answers: Dask does not say why it fails.

    Raises:
        Unreachable: it does not, or its certificates are others than those here.

    """
    folder = endpoint.certificates
    context = None
    try:
        if folder is not None:
            context = endpoint.security().get_connection_args("client")["ssl_context"]
        async with asyncio.timeout(patience_s):
            reader, writer = await asyncio.open_connection(
                endpoint.host, endpoint.port, ssl=context
            )
            try:
                greeting = await reader.read(1)
            finally:
                writer.close()
                with contextlib.suppress(OSError):  # it ends, however it does
                    await writer.wait_closed()
    except ssl.SSLError as error:
        raise Unreachable(_tls_failure(error, folder)) from error
    except TimeoutError as error:
        hint = "" if folder is not None else "; if it uses certificates, give --certificates FOLDER"
        raise Unreachable(f"no answer within {patience_s:g} s{hint}") from error
    except OSError as error:
        number = error.errno or 0
        raise Unreachable(os.strerror(number) if number > 0 else str(error)) from error
    if not greeting:
        raise Unreachable("it closes the connection")


def _tls_failure(error: ssl.SSLError, folder: Path | None) -> str:
    """Return what a failed connection under certificates means, and what to do."""
    why = getattr(error, "verify_message", "") or error.reason or str(error)
    if "expired" in why.lower():
        return (
            f"the certificates have expired ({why}): make new ones with `ladder cluster "
            "certificates` and copy them to each machine"
        )
    if isinstance(error, ssl.SSLCertVerificationError) or "ALERT" in why:
        return (
            f"its certificates are not those in {folder} ({why}): copy the folder of "
            "`ladder cluster start` to this machine"
        )
    return f"it does not use TLS ({why}): start it with --certificates, too"


def parse_endpoint(
    address: str, certificates: Path | None, *, insecure: bool, option: str
) -> SchedulerEndpoint:
    """Read an address, and refuse one that everybody on the network could use.

    Args:
        address: ``HOST:PORT``, ``HOST`` or either behind ``tcp://`` or ``tls://``.
        certificates: the folder of the private set; None: no encryption.
        insecure: whether the user has said that other machines may connect without it.
        option: the words that the address was given under.

    Raises:
        UsageError: it is no address, certificates are missing, or it is open to the network.

    """
    text = address if "://" in address else f"//{address}"
    try:
        parts = urlsplit(text)
        host, port = parts.hostname, parts.port
    except ValueError:
        host, port = None, None
    if not host or parts.scheme not in ("", "tcp", "tls") or parts.path not in ("", "/"):
        raise UsageError(
            f"{option}: {address!r} is no address of a scheduler: write HOST:PORT, tcp://HOST:PORT "
            "or tls://HOST:PORT"
        )
    if certificates is not None:
        _check_set(certificates)
        if parts.scheme == "tcp":
            raise UsageError(f"{option}: {address} says tcp, and --certificates are for tls")
    elif parts.scheme == "tls":
        raise UsageError(f"{option}: {address} needs --certificates FOLDER")
    elif not is_loopback(host) and not insecure:
        raise UsageError(
            f"{option}: whoever reaches {host} could run any program there: make certificates with "
            "`ladder cluster certificates FOLDER`, copy them to each machine and give "
            "--certificates FOLDER; or --insecure in a network that you trust wholly"
        )
    return SchedulerEndpoint(host, PORT if port is None else port, certificates)


def _check_set(folder: Path) -> None:
    for name in (AUTHORITY, CERTIFICATE, KEY):
        if not (folder / name).is_file():
            raise UsageError(
                f"--certificates: there is no {name} in {folder}: `ladder cluster certificates "
                f"{folder}` makes a set"
            )
