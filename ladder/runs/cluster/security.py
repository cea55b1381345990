"""Addresses of schedulers, and the certificates with which both ends authenticate.

A Dask scheduler, like every worker, runs any code that its clients send. Without TLS every process
that reaches its port is such a client.
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
"""The files of a set of certificates; every machine of the cluster has the same three."""
PORT = 8786
CONNECT_S = 10.0
"""Seconds to wait for a connection."""


class Unreachable(OSError):
    """A scheduler cannot be reached; the message says why."""


@dataclass(frozen=True, slots=True)
class SchedulerEndpoint:
    """The address of a scheduler, and the certificates for it."""

    host: str
    port: int
    certificates: Path | None = None
    """The folder of the certificates; None for no encryption."""

    @property
    def protocol(self) -> str:
        """The protocol: ``tls`` or ``tcp``."""
        return "tcp" if self.certificates is None else "tls"

    @property
    def address(self) -> str:
        """The address as Dask writes it, such as ``tls://lab1:8786``."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.protocol}://{host}:{self.port}"

    def security(self) -> Any:
        """Return the certificates as Dask's `Security`; None without certificates."""
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
    """Check with a separate connection that a scheduler answers, as Dask reports no reasons.

    Raises:
        Unreachable: it does not answer, or has other certificates.

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
                with contextlib.suppress(OSError):  # the check is done, whatever the close reports
                    await writer.wait_closed()
    except ssl.SSLError as error:
        raise Unreachable(_tls_failure(error, folder)) from error
    except TimeoutError as error:
        hint = "" if folder is not None else "; if it uses certificates, name their folder"
        raise Unreachable(f"no answer within {patience_s:g} s{hint}") from error
    except OSError as error:
        number = error.errno or 0
        raise Unreachable(os.strerror(number) if number > 0 else str(error)) from error
    if not greeting:
        raise Unreachable("it closes the connection")


def _tls_failure(error: ssl.SSLError, folder: Path | None) -> str:
    """Return the cause of a failed TLS connection, and what to do."""
    why = getattr(error, "verify_message", "") or error.reason or str(error)
    if "expired" in why.lower():
        return (
            f"the certificates have expired ({why}): make new ones with `ladder cluster "
            "certificates` and copy them to each machine"
        )
    if isinstance(error, ssl.SSLCertVerificationError) or "ALERT" in why:
        return (
            f"its certificates are not those in {folder} ({why}): copy the folder that "
            "`ladder cluster start` uses to this machine"
        )
    return f"it does not use TLS ({why}): start it with certificates, too"


def parse_endpoint(
    address: str, certificates: Path | None, *, insecure: bool, option: str | None
) -> SchedulerEndpoint:
    """Read the address of a scheduler, and refuse one that is open to the network.

    Args:
        address: ``HOST:PORT`` or ``HOST``, with or without ``tcp://`` or ``tls://``.
        certificates: The folder of the certificates; None for no encryption.
        insecure: Whether the user allows other machines to connect without certificates.
        option: The option that holds the address; None for an argument.

    Raises:
        UsageError: the address is invalid, certificates are missing, or the scheduler would be
            open to the network.

    """
    text = address if "://" in address else f"//{address}"
    try:
        parts = urlsplit(text)
        host, port = parts.hostname, parts.port
    except ValueError:
        host, port = None, None
    if not host or parts.scheme not in ("", "tcp", "tls") or parts.path not in ("", "/"):
        raise UsageError(
            f"{address!r} is not the address of a scheduler: write HOST:PORT, tcp://HOST:PORT or "
            "tls://HOST:PORT",
            option=option,
        )
    if certificates is not None:
        _check_set(certificates)
        if parts.scheme == "tcp":
            raise UsageError(
                f"{address} has no encryption, but certificates were given: write tls:// instead",
                option=option,
            )
    elif parts.scheme == "tls":
        raise UsageError(f"{address} needs certificates: name the folder of its set", option=option)
    elif not is_loopback(host) and not insecure:
        raise UsageError(
            f"every machine that reaches {host} could run any program there: make certificates "
            "with `ladder cluster certificates FOLDER`, copy them to each machine and name the "
            "folder; in a network that you trust completely, connect as insecure instead",
            option=option,
        )
    return SchedulerEndpoint(host, PORT if port is None else port, certificates)


def _check_set(folder: Path) -> None:
    for name in (AUTHORITY, CERTIFICATE, KEY):
        if not (folder / name).is_file():
            raise UsageError(
                f"{folder} has no {name}: make a set with `ladder cluster certificates {folder}`",
                option="certificates",
            )
