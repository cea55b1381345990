"""Access checks of requests, and security headers of answers.

The server starts programs, and any web page in a browser can send requests to it. So the host name
of a request to a local server must be one that no foreign name server can point at this machine
(DNS rebinding), the request must not come from another site, and a request that changes anything
must carry the token of this server's pages, which no other site can send. A server that other
machines reach requires a password, which a browser sends to no other name. Pages may load only
files of this server.
"""

import base64
import hmac
import ipaddress
import secrets
from dataclasses import dataclass, field
from pathlib import Path

from starlette.authentication import (
    AuthCredentials,
    AuthenticationBackend,
    AuthenticationError,
    SimpleUser,
)
from starlette.datastructures import Headers
from starlette.requests import HTTPConnection

from ladder.errors import Refused, UsageError

SHORTEST, LONGEST = 8, 1024
"""Characters of a password."""
TOKEN_HEADER = "x-ladder-token"  # noqa: S105 - the name of a header
LOOPBACK = ("localhost", "127.0.0.1", "::1", "[::1]")
POLICY = "; ".join(
    [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self' 'unsafe-inline'",  # the charts' library sets styles of elements
        "img-src 'self' data:",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
    ]
)
HEADERS = [
    ("content-security-policy", POLICY),
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "DENY"),
    ("referrer-policy", "same-origin"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
    ("permissions-policy", "camera=(), geolocation=(), microphone=()"),
]
"""The headers of every answer."""


@dataclass(frozen=True, slots=True)
class AccessRules:
    """The rules by which requests are accepted."""

    host: str
    """The address that the server listens at."""
    password: str | None = None
    """The password of every request; None without one."""
    token: str = field(default_factory=lambda: secrets.token_urlsafe(24))
    """The token that requests with changes must carry."""

    @property
    def hosts(self) -> list[str]:
        """The accepted names in the Host header; those of a server with a password are any."""
        return [*LOOPBACK, self.host] if is_loopback(self.host) else ["*"]

    def check(self, method: str, headers: Headers) -> None:
        """Check the origin and the token of a request.

        Raises:
            Refused: the request comes from another site, or has no token.

        """
        for origin in headers.getlist("origin"):
            if origin.partition("://")[2] != headers.get("host"):
                raise Refused("the request comes from another site", 403)
        is_visit = headers.get("sec-fetch-mode") == "navigate" and method == "GET"
        if headers.get("sec-fetch-site") in ("cross-site", "same-site") and not is_visit:
            raise Refused("the request comes from another site", 403)
        if method not in ("GET", "HEAD"):
            given = headers.get(TOKEN_HEADER, "")
            if not secrets.compare_digest(given.encode(), self.token.encode()):
                raise Refused(
                    "the request has no token of this server's pages: reload the page", 403
                )


def read_password(file: Path) -> str:
    """Read a password from the first line of a file.

    Raises:
        UsageError: the file cannot be read, other users can read it, or the password is too short
            or too long.

    """
    try:
        with file.open(encoding="utf-8-sig") as stream:
            line = stream.readline(LONGEST + 2).rstrip("\r\n")
        mode = file.stat().st_mode
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not a text file in UTF-8"
        raise UsageError(f"{file} cannot be read: {reason}", option="password_file") from error
    if not SHORTEST <= len(line) <= LONGEST:
        raise UsageError(
            f"the first line of {file} has {len(line)} characters: a password has {SHORTEST} to "
            f"{LONGEST}",
            option="password_file",
        )
    if mode & 0o077:
        raise UsageError(
            f"{file} can be read by other users: run `chmod 600 {file}`", option="password_file"
        )
    return line


class PasswordBackend(AuthenticationBackend):
    """Requires the password of the server, compared in constant time; any user name will do."""

    def __init__(self, password: str) -> None:
        self._password = password.encode()

    async def authenticate(self, conn: HTTPConnection) -> tuple[AuthCredentials, SimpleUser]:
        """Check the password of a request. Raises AuthenticationError."""
        kind, _, coded = conn.headers.get("authorization", "").partition(" ")
        try:
            given = base64.b64decode(coded.strip(), validate=True).partition(b":")[2]
        except ValueError:
            given = b""
        if not (kind.lower() == "basic" and hmac.compare_digest(given, self._password)):
            raise AuthenticationError(
                "the password is wrong" if kind else "this server requires a password"
            )
        return AuthCredentials(), SimpleUser("visitor")


def is_address(name: str) -> bool:
    """Return whether a host is given as an IP address."""
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def is_loopback(host: str) -> bool:
    """Return whether a host is a loopback address or ``localhost``."""
    return host == "localhost" or (is_address(host) and ipaddress.ip_address(host).is_loopback)
