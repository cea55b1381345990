"""Signing in: who sends a request, by a password or by a token of `ladder queue token`.

A password lets its user read. A token has a right and the name of its user. Scripts send it as
``Authorization: Bearer TOKEN``; a browser sends it once, as the password or in a form, and is then
recognized by its cookie. A token is found by its hash at every request, so a deleted one ends at
once.
"""

from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from starlette.requests import Request

from db.records.tokens import Right, TokenRow
from ladder.queue.tokens import hash_token
from ladder.web.errors import Forbidden, Unauthorized
from ladder.web.security.password import BasicAuth, password_in

MAX_BROWSERS = 1000
"""Largest number of remembered browsers."""
BEARER = "bearer "
FindToken = Callable[[str], Awaitable[TokenRow | None]]
"""Returns the token with a hash, or None."""


@dataclass(frozen=True, slots=True)
class Visitor:
    """Who sends a request."""

    token: TokenRow | None = None
    """None for a visitor without a token, who may only read."""
    key: str | None = None
    """What the browser is remembered by: the token's hash, empty for the password; None if the
    visitor gave neither."""

    @property
    def name(self) -> str:
        """The name of the token; empty without one."""
        return "" if self.token is None else self.token.name

    @property
    def badge(self) -> tuple[str, str] | None:
        """The name and the right of the token, by which pages differ; None without one."""
        return None if self.token is None else (self.token.name, self.token.right.value)

    def may(self, right: Right) -> bool:
        """Return whether the visitor has a right."""
        return self.token is not None and self.token.right.includes(right)

    def require(self, right: Right) -> TokenRow:
        """Return the token of a visitor who has a right. Raises Forbidden."""
        if self.token is None:
            raise Forbidden(
                "this needs a token: sign in on the queue's page, or send `Authorization: Bearer "
                f"TOKEN`; `ladder queue token NAME --{right.value}` makes one"
            )
        if not self.may(right):
            raise Forbidden(
                f"the token {self.token.name!r} allows to {self.token.right.value}, and this needs "
                f"the right to {right.value}"
            )
        return self.token


def visitor_of(request: Request) -> Visitor:
    """Return who sent a request."""
    visitor: Visitor = request.state.visitor
    return visitor


class SignIn:
    """Finds out who sends a request."""

    def __init__(self, basic_auth: BasicAuth, find_token: FindToken, *, is_required: bool) -> None:
        """Remember no browser.

        Args:
            basic_auth: checks the password.
            find_token: finds a token in the database.
            is_required: whether reading needs a password or a token, too.

        """
        self._basic_auth = basic_auth
        self._find_token = find_token
        self._is_required = is_required
        self._known: OrderedDict[str, str] = OrderedDict()
        """What each browser is remembered by."""

    async def identify(self, browser: str | None, authorization: str | None) -> Visitor:
        """Return who sends a request.

        Args:
            browser: the cookie of the browser; None without one.
            authorization: the header, or None if it is missing.

        Raises:
            Unauthorized: the password or token is missing or wrong.
            DatabaseError: the tokens cannot be read now.

        """
        if not is_bearer(authorization):
            known = self._known.get(browser or "")
            if known == "":
                return Visitor(key="")
            if known is not None:
                token = await self._find_token(known)
                if token is not None:
                    return Visitor(token, known)
                self.forget(browser)
            if not self._is_required:
                return Visitor()
        if authorization is None:
            raise Unauthorized("this server requires a password or a token")
        return await self.check(authorization)

    async def check(self, authorization: str) -> Visitor:
        """Return who has given a password or a token; errors as `identify`."""
        secret = authorization[len(BEARER) :].strip()
        if not is_bearer(authorization):
            secret = password_in(authorization)
        if secret:
            key = hash_token(secret)
            token = await self._find_token(key)
            if token is not None:
                return Visitor(token, key)
        if not self._basic_auth.is_right(authorization):
            raise Unauthorized("the password or the token is wrong")
        return Visitor(key="")

    def remember(self, browser: str, visitor: Visitor) -> None:
        """Remember what a browser has given, by its cookie."""
        if visitor.key is not None:
            self._known[browser] = visitor.key
            self._known.move_to_end(browser)
            while len(self._known) > MAX_BROWSERS:
                self._known.popitem(last=False)

    def forget(self, browser: str | None) -> None:
        """Sign a browser out."""
        self._known.pop(browser or "", None)


def is_bearer(authorization: str | None) -> bool:
    """Return whether a header has a token, as scripts send it."""
    return authorization is not None and authorization.lower().startswith(BEARER)
