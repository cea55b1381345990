"""The password of a server that other machines reach: compared in constant time, tried slowly."""

import asyncio
import base64
import binascii
import hashlib
import hmac
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from pathlib import Path

from ladder.errors import UsageError
from ladder.web.errors import Busy, Unauthorized

SHORTEST = 8
LONGEST = 1024
DELAYS_S = (0.5, 1.0, 2.0, 4.0)
"""Seconds that the first, second... failed try in a row costs; all later ones cost the last."""
WAITING = 200
"""Tries that may wait for their turn."""
WAITING_OF_AN_ADDRESS = 10
KNOWN = 1000
"""Browsers that are remembered."""


def read_password(file: Path) -> str:
    """Return the first line of a file.

    Raises:
        UsageError: the file cannot be read, others may read it, or the line is too short or long.

    """
    try:
        with file.open(encoding="utf-8") as stream:
            line = stream.readline(LONGEST + 2).rstrip("\r\n")
        mode = file.stat().st_mode
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is no text"
        raise UsageError(f"--password-file {file} cannot be read: {reason}") from error
    if not SHORTEST <= len(line) <= LONGEST:
        raise UsageError(
            f"--password-file {file}: the password is the first line, of {SHORTEST} to {LONGEST} "
            f"characters; it has {len(line)}"
        )
    if mode & 0o077:
        raise UsageError(
            f"--password-file {file} can be read by other users: `chmod 600 {file}` first"
        )
    return line


class _Tries:
    """The tries from one address that wait for their turn."""

    def __init__(self) -> None:
        self.turn = asyncio.Lock()
        self.waiting = 0


class BasicAuth:
    """Checks passwords one after the other; each failed one makes the next try wait longer.

    Addresses take turns: who guesses from one address delays the others by one try, not by all of
    them. A browser that gave the right password is known by its cookie from then on and waits for
    nobody.
    """

    def __init__(
        self, password: str, *, pause: Callable[[float], Awaitable[object]] = asyncio.sleep
    ) -> None:
        """Nothing is asked for yet.

        Args:
            password: the right one.
            pause: waits for so many seconds after a failed try.

        """
        self._digest = _digest(password)
        self._pause = pause
        self._turn = asyncio.Lock()
        self._tries: dict[str, _Tries] = {}
        """By address, while any of them waits."""
        self._waiting = 0
        self._failed = 0
        self._known: OrderedDict[str, None] = OrderedDict()

    def knows(self, browser: str | None) -> bool:
        """Return whether this browser has given the password."""
        return browser is not None and browser in self._known

    def remember(self, browser: str) -> None:
        """Know a browser by its cookie."""
        self._known[browser] = None
        while len(self._known) > KNOWN:
            self._known.popitem(last=False)

    async def check(self, authorization: str | None, address: str) -> None:
        """Check the header of a request, with any user name.

        Args:
            authorization: the header, or None if the request has none.
            address: where the request comes from.

        Raises:
            Unauthorized: there is no password, or a wrong one.
            Busy: too many tries wait.

        """
        if authorization is None:
            raise Unauthorized("this server asks for its password")
        tries = self._tries.setdefault(address, _Tries())
        if self._waiting >= WAITING or tries.waiting >= WAITING_OF_AN_ADDRESS:
            raise Busy("too many tries at the password at once: try again in a moment")
        self._waiting += 1
        tries.waiting += 1
        try:
            # One try of each address at most is in the queue that all share.
            async with tries.turn, self._turn:
                if self.is_right(authorization):
                    self._failed = 0
                    return
                await self._pause(DELAYS_S[min(self._failed, len(DELAYS_S) - 1)])
                self._failed += 1
        finally:
            self._waiting -= 1
            tries.waiting -= 1
            if not tries.waiting:
                self._tries.pop(address, None)
        raise Unauthorized("the password is wrong")

    def is_right(self, authorization: str) -> bool:
        """Return whether a header holds the password, in a time that does not depend on its words.

        Hashes of equal length are compared to their end; the user name is ignored.
        """
        return hmac.compare_digest(_digest(_password_in(authorization)), self._digest)


def _password_in(authorization: str) -> str:
    kind, _, coded = authorization.partition(" ")
    if kind.lower() != "basic":
        return ""
    try:
        text = base64.b64decode(coded.strip(), validate=True).decode("utf-8")
    except (binascii.Error, UnicodeDecodeError, ValueError):
        return ""
    return text.partition(":")[2]


def _digest(password: str) -> bytes:
    return hashlib.sha256(password.encode("utf-8", "surrogatepass")).digest()
