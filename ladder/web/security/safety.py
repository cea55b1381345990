"""Access checks of requests, and security headers of answers.

The server starts programs, and any web page in a browser can send requests to it. So the host name
of a request must be one that no foreign name server can point at this machine (DNS rebinding), the
request must not come from another site, and a request that changes anything must carry the token of
this server's pages, which no other site can send. Pages may load only files of this server.
"""

import secrets
import socket
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import cookie_parser
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ladder.addresses import is_address, is_loopback
from ladder.web.errors import Forbidden, Refused, TooLarge, Unauthorized
from ladder.web.security.password import BasicAuth

BODY_LIMIT = 16 * 1024
"""Bytes of a request's body."""
HEAD_LIMIT = 12 * 1024
"""Bytes of its headers."""
QUERY_LIMIT = 2048
PATH_LIMIT = 512
TOKEN_HEADER = "x-ladder-token"  # noqa: S105 - the name of a header
COOKIE = "ladder-browser"
COOKIE_LIMIT = 64

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
    """Checks the password of every request; None if there is none."""
    token: str = field(default_factory=lambda: secrets.token_urlsafe(24))
    """The token that requests with changes must carry."""

    def check(self, method: str, path: str, query: bytes, headers: Headers) -> None:
        """Check a request before it is processed.

        Raises:
            Refused: the request is not accepted.

        """
        if len(query) > QUERY_LIMIT or len(path) > PATH_LIMIT:
            raise TooLarge("the address is too long")
        if sum(len(name) + len(value) for name, value in headers.raw) > HEAD_LIMIT:
            raise TooLarge(f"the headers of a request have at most {HEAD_LIMIT} bytes")
        hosts = headers.getlist("host")
        if len(hosts) != 1 or not self.is_ours(hosts[0]):
            raise Forbidden(
                "the request is for another host name than this server's: open the address that "
                "`ladder serve` prints"
            )
        for origin in headers.getlist("origin"):
            if origin.partition("://")[2] != hosts[0]:
                raise Forbidden("the request comes from another site")
        is_visit = headers.get("sec-fetch-mode") == "navigate" and method == "GET"
        if headers.get("sec-fetch-site") in ("cross-site", "same-site") and not is_visit:
            raise Forbidden("the request comes from another site")
        if method not in ("GET", "HEAD"):
            given = headers.get(TOKEN_HEADER, "")
            if not secrets.compare_digest(given.encode(), self.token.encode()):
                raise Forbidden("the request has no token of this server's pages: reload the page")
        authorization = headers.get("authorization")
        if self.password is not None and not self.password.is_right(authorization or ""):
            raise Unauthorized(
                "the password is wrong" if authorization else "this server requires a password"
            )

    def is_ours(self, host: str) -> bool:
        """Return whether a Host header names this server, independently of any name server."""
        name = host_name(host)
        if name is None:
            return False
        if name in ("localhost", self.host.lower(), *LOOPBACK):
            return True
        if is_loopback(self.host):
            return False
        return is_address(name) or name in (socket.gethostname().lower(), socket.getfqdn().lower())


LOOPBACK = ("127.0.0.1", "::1")


def host_name(host: str) -> str | None:
    """Return the name in a Host header without its port, or None if the header is not valid."""
    if host.startswith("["):
        name, closed, rest = host[1:].partition("]")
        port = rest.removeprefix(":")
        if not closed or (rest and not rest.startswith(":")):
            return None
    else:
        name, _, port = host.partition(":")
    if not name or len(name) > 255 or (port and not (port.isascii() and port.isdigit())):
        return None
    return name.lower()


SendRefusal = Callable[[Exception, Scope, Receive, Send], Awaitable[None]]
"""Answers a refused request."""


class SafetyMiddleware:
    """Checks every request, and sets the security headers of every answer."""

    def __init__(self, app: ASGIApp, access: AccessRules, refuse: SendRefusal) -> None:
        self._app = app
        self._access = access
        self._refuse = refuse

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
        if scope["type"] != "http":
            return
        headers = Headers(scope=scope)
        browser = browser_of(headers)
        scope.setdefault("state", {})["browser"] = browser or ""
        new = secrets.token_urlsafe(18) if browser is None else None

        async def answer(message: Message) -> None:
            if message["type"] == "http.response.start":
                out = MutableHeaders(scope=message)
                for name, value in ANSWERS.items():
                    out[name] = value
                if "cache-control" not in out:
                    out["cache-control"] = "no-store"
                if new is not None and out.get("content-type", "").startswith("text/html"):
                    out.append("set-cookie", f"{COOKIE}={new}; Path=/; HttpOnly; SameSite=Strict")
            await send(message)

        try:
            self._access.check(scope["method"], scope["path"], scope["query_string"], headers)
            body = _limited(headers, receive)
            await self._app(scope, body, answer)
        except Refused as refusal:
            await self._refuse(refusal, scope, receive, answer)


def browser_of(headers: Headers) -> str | None:
    """Return the cookie that identifies a browser, or None if it has no valid one."""
    value = cookie_parser(headers.get("cookie", "")).get(COOKIE, "")
    is_valid = 16 <= len(value) <= COOKIE_LIMIT and value.isascii()
    return value if is_valid and value.replace("-", "").replace("_", "").isalnum() else None


def _limited(headers: Headers, receive: Receive) -> Receive:
    """Limit the size of a request's body. Raises TooLarge."""
    length = headers.get("content-length", "0")
    if not length.isdigit() or len(length) > 9 or int(length) > BODY_LIMIT:
        raise TooLarge(f"the body of a request has at most {BODY_LIMIT} bytes")
    received = 0

    async def limited() -> Message:
        nonlocal received
        message = await receive()
        received += len(message.get("body", b""))
        if received > BODY_LIMIT:
            raise TooLarge(f"the body of a request has at most {BODY_LIMIT} bytes")
        return message

    return limited
