"""Access checks of requests, and security headers of answers.

The server starts programs, and any web page in a browser can send requests to it. So the host name
of a request to a local server must be one that no foreign name server can point at this machine
(DNS rebinding), the request must not come from another site, and a request that changes anything
must carry the token of this server's pages, which no other site can send. A server that other
machines reach requires a password, which a browser sends to no other name. Pages may load only
files of this server.
"""

import secrets
from collections.abc import Callable
from dataclasses import dataclass, field

from starlette.authentication import (
    AuthCredentials,
    AuthenticationBackend,
    AuthenticationError,
    SimpleUser,
)
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import HTTPConnection, Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ladder.addresses import is_loopback
from ladder.web.errors import Forbidden
from ladder.web.security.password import BasicAuth

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
FOREVER = "public, max-age=31536000, immutable"
ANSWERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}


@dataclass(frozen=True, slots=True)
class AccessRules:
    """The rules by which requests are accepted."""

    host: str
    """The address that the server listens at."""
    password: BasicAuth | None = None
    """Checks the password of every request; None without a password."""
    token: str = field(default_factory=lambda: secrets.token_urlsafe(24))
    """The token that requests with changes must carry."""

    @property
    def hosts(self) -> list[str]:
        """The accepted names in the Host header; those of a server with a password are any."""
        return [*LOOPBACK, self.host] if is_loopback(self.host) else ["*"]

    def check(self, method: str, headers: Headers) -> None:
        """Check the origin and the token of a request.

        Raises:
            Forbidden: the request comes from another site, or has no token.

        """
        for origin in headers.getlist("origin"):
            if origin.partition("://")[2] != headers.get("host"):
                raise Forbidden("the request comes from another site")
        is_visit = headers.get("sec-fetch-mode") == "navigate" and method == "GET"
        if headers.get("sec-fetch-site") in ("cross-site", "same-site") and not is_visit:
            raise Forbidden("the request comes from another site")
        if method not in ("GET", "HEAD"):
            given = headers.get(TOKEN_HEADER, "")
            if not secrets.compare_digest(given.encode(), self.token.encode()):
                raise Forbidden("the request has no token of this server's pages: reload the page")


class PasswordBackend(AuthenticationBackend):
    """Requires the password of the server."""

    def __init__(self, password: BasicAuth) -> None:
        self._password = password

    async def authenticate(self, conn: HTTPConnection) -> tuple[AuthCredentials, SimpleUser]:
        """Check the password of a request. Raises AuthenticationError."""
        given = conn.headers.get("authorization", "")
        if not self._password.is_right(given):
            raise AuthenticationError(
                "the password is wrong" if given else "this server requires a password"
            )
        return AuthCredentials(), SimpleUser("visitor")


class OriginMiddleware:
    """Checks the origin and the token of every request."""

    def __init__(
        self, app: ASGIApp, access: AccessRules, refuse: Callable[[Request, Exception], Response]
    ) -> None:
        self._app = app
        self._access = access
        self._refuse = refuse

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        try:
            if scope["type"] == "http":
                self._access.check(scope["method"], Headers(scope=scope))
        except Forbidden as refusal:
            await self._refuse(Request(scope), refusal)(scope, receive, send)
        else:
            await self._app(scope, receive, send)


class HeadersMiddleware:
    """Sets the security headers of every answer."""

    def __init__(self, app: ASGIApp, immutable: str) -> None:
        """Set the application, and the beginning of addresses whose content never changes."""
        self._app = app
        self._immutable = immutable

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""

        async def answer(message: Message) -> None:
            if message["type"] == "http.response.start":
                out = MutableHeaders(scope=message)
                for name, value in ANSWERS.items():
                    out[name] = value
                kept = scope["path"].startswith(self._immutable)
                out.setdefault("cache-control", FOREVER if kept else "no-store")
            await send(message)

        await self._app(scope, receive, answer if scope["type"] == "http" else send)
