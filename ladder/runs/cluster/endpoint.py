"""Addresses of Dask schedulers, and the first connection to one."""

import asyncio
import os
import ssl
from dataclasses import dataclass
from http import HTTPStatus
from http.client import HTTPException
from importlib.metadata import version
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

from distributed.core import rpc
from distributed.security import Security

from ladder.errors import UsageError
from ladder.match.process.failures import to_one_line

PORT = 8786
FIRST_S = 15.0
"""Seconds for which the first connection is tried, as on a database server."""
PROBE_S = 2.0
"""Seconds in which what refused a connection must show whether it speaks TLS."""
DASHBOARD_S = 2.0
"""Seconds in which the dashboard must answer."""
SPARE_S = 1.0
"""Further seconds for the answer, so that a failed connection is reported with its cause."""
CHECK = "check --tls-ca-file, --tls-cert and --tls-key"
CONNECT_S = 10.0
"""Seconds for which a connection is tried again."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """The address of a scheduler and the settings for a connection to it."""

    address: str
    """As Dask writes it: ``tls://lab1:8786``."""
    security: Security
    option: str
    """The option or argument that holds the address, for messages."""

    def check(self, patience_s: float = FIRST_S) -> None:
        """Connect once.

        Raises:
            UsageError: no scheduler answers, or one of another version of Dask.

        """
        try:
            theirs = asyncio.run(self._ask_version(patience_s))
        except (OSError, TimeoutError, ValueError) as error:  # ValueError: a server without TLS
            raise self.no_answer(error, patience_s) from error
        ours = version("distributed")
        if theirs != ours:
            raise UsageError(
                f"the scheduler at {self.address} has distributed {theirs}, and this is {ours}: "
                "install one version on all machines",
                option=self.option,
            )

    async def _ask_version(self, patience_s: float) -> str:
        arguments = self.security.get_connection_args("client")  # type: ignore[no-untyped-call]
        async with asyncio.timeout(patience_s + SPARE_S):
            scheduler: Any = rpc(self.address, timeout=patience_s, connection_args=arguments)  # type: ignore[no-untyped-call]
            async with scheduler:
                answer = await scheduler.versions()
        return str(answer["packages"]["distributed"])

    def no_answer(self, error: BaseException, patience_s: float) -> UsageError:
        """Return the error of a failed connection."""
        while error.__cause__ is not None:  # the first cause does not contain Dask's objects
            error = error.__cause__
        has_tls = self.address.startswith("tls:")
        if (is_encrypted := _is_encrypted(self.address)) is not None and is_encrypted != has_tls:
            problem = (
                "has no encryption: write tcp:// and give no certificates, or start it with them"
                if has_tls
                else "is encrypted: give --tls-ca-file, --tls-cert and --tls-key"
            )
        elif isinstance(error, ssl.SSLCertVerificationError):
            problem = f"has a certificate of another authority ({error.verify_message}): {CHECK}"
        elif is_encrypted and isinstance(error, OSError) and not isinstance(error, TimeoutError):
            problem = f"refuses this machine's certificate: {CHECK}"
        else:
            why = to_one_line(str(error)) or "no answer"
            if isinstance(error, OSError) and error.errno:
                why = os.strerror(error.errno) if error.errno > 0 else str(error.strerror)
            return UsageError(
                f"no Dask scheduler answers at {self.address} within {patience_s:g} s ({why}): "
                "start one with `dask scheduler`, or correct the address",
                option=self.option,
            )
        return UsageError(f"the scheduler at {self.address} {problem}", option=self.option)


def _is_encrypted(address: str) -> bool | None:
    """Return whether what answers at an address speaks TLS; None without an answer."""
    parts = urlsplit(address)
    try:
        ssl.get_server_certificate((str(parts.hostname), parts.port or PORT), timeout=PROBE_S)
    except ssl.SSLError as error:
        return "ALERT" in str(error.reason)  # an alert is TLS, too
    except (OSError, ValueError):
        return None
    return True


def parse_endpoint(
    address: str, ca_file: str | None, cert: str | None, key: str | None, *, option: str
) -> Endpoint:
    """Read the address of a scheduler and the files of TLS.

    Args:
        address: ``HOST`` or ``HOST:PORT``, with or without ``tcp://`` or ``tls://``; without, TLS
            is used if its authority is known.
        ca_file: The certificate of the authority; None for that of Dask's configuration.
        cert: This machine's certificate; None for that of Dask's configuration.
        key: Its key; None for that of Dask's configuration.
        option: The option or argument that holds the address.

    Raises:
        UsageError: the address or a file of TLS is not valid.

    """
    try:
        parts = urlsplit(address if "://" in address else f"//{address}")
        host, port = parts.hostname, parts.port
    except ValueError:
        host, port = None, None
    if not host or parts.scheme not in ("", "tcp", "tls") or parts.path not in ("", "/"):
        raise UsageError(
            f"{address!r} is not the address of a scheduler: write HOST:PORT, tcp://HOST:PORT or "
            "tls://HOST:PORT",
            option=option,
        )
    security, context = _security(ca_file, cert, key), None
    try:
        context = security.get_connection_args("client")["ssl_context"]  # type: ignore[no-untyped-call]
    except (OSError, ssl.SSLError) as error:
        raise UsageError(f"the certificates cannot be used ({error}): {CHECK}") from error
    is_named = any(each is not None for each in (ca_file, cert, key))
    if context is None and (is_named or parts.scheme == "tls"):
        raise UsageError(
            f"{address} needs certificates: give --tls-ca-file, --tls-cert and --tls-key, or "
            "set them in the configuration of Dask",
            option=option,
        )
    if is_named and parts.scheme == "tcp":
        raise UsageError(
            f"{address} has no encryption, but certificates are given: write tls://", option=option
        )
    scheme = parts.scheme or ("tcp" if context is None else "tls")
    place = f"[{host}]" if ":" in host else host
    return Endpoint(f"{scheme}://{place}:{PORT if port is None else port}", security, option)


def _security(ca_file: str | None, cert: str | None, key: str | None) -> Security:
    """Return the settings of TLS for a client and for a worker."""
    given: dict[str, Any] = {} if ca_file is None else {"tls_ca_file": ca_file}
    for role in ("client", "worker"):
        given |= {} if cert is None else {f"tls_{role}_cert": cert}
        given |= {} if key is None else {f"tls_{role}_key": key}
    return Security(**given)  # type: ignore[no-untyped-call]


def find_dashboard(client: Any) -> str:
    """Return the address of Dask's dashboard; empty if the scheduler has none.

    A scheduler without a dashboard has a web server all the same, without its pages.
    """
    try:
        link = str(client.dashboard_link)
        urlopen(Request(link, method="HEAD"), timeout=DASHBOARD_S).close()  # noqa: S310 - of Dask
    except HTTPError as error:  # such as a page behind a password
        with error:  # it holds the connection
            return "" if error.code == HTTPStatus.NOT_FOUND else link
    except (KeyError, OSError, ValueError, HTTPException):
        return ""
    return link
