"""Password check of a server, in constant time; wrong passwords and tokens are rate-limited."""

import asyncio
import base64
import binascii
import hashlib
import hmac
from collections.abc import Awaitable, Callable
from pathlib import Path

from ladder.errors import UsageError
from ladder.web.errors import Busy, Unauthorized

SHORTEST = 8
LONGEST = 1024
DELAYS_S = (0.5, 1.0, 2.0, 4.0)
"""Delays in seconds after the first, second ... failed attempt in a row; the last one repeats."""
MAX_WAITING = 200
"""Largest number of waiting attempts."""
MAX_WAITING_PER_ADDRESS = 10


def read_password(file: Path) -> str:
    """Read a password from the first line of a file.

    Raises:
        UsageError: the file cannot be read, other users can read it, or the password is too short
            or too long.

    """
    try:
        with file.open(encoding="utf-8") as stream:
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


class _Attempts:
    """The waiting attempts from one address."""

    def __init__(self) -> None:
        self.turn = asyncio.Lock()
        self.waiting = 0


class BasicAuth:
    """Checks passwords one after the other, and slower after each failed attempt.

    Addresses take turns, so an attacker at one address delays others by one attempt only.
    """

    def __init__(
        self,
        password: str | None,
        *,
        pause: Callable[[float], Awaitable[object]] = asyncio.sleep,
    ) -> None:
        """Set the check up.

        Args:
            password: the right password; None if every password is wrong.
            pause: waits for a number of seconds after a failed attempt.

        """
        self._digest = None if password is None else _digest(password)
        self._pause = pause
        self._turn = asyncio.Lock()
        self._attempts: dict[str, _Attempts] = {}
        """The waiting attempts by address."""
        self._waiting = 0
        self._failed = 0

    async def check(self, authorization: str, address: str) -> None:
        """Check the header of a request, with any user name.

        Args:
            authorization: the header.
            address: the address of the client.

        Raises:
            Unauthorized: the password is wrong.
            Busy: too many attempts wait.

        """
        attempts = self._attempts.setdefault(address, _Attempts())
        if self._waiting >= MAX_WAITING or attempts.waiting >= MAX_WAITING_PER_ADDRESS:
            raise Busy("too many password attempts at once: try again in a moment")
        self._waiting += 1
        attempts.waiting += 1
        try:
            # At most one attempt of each address waits for the lock that all share.
            async with attempts.turn, self._turn:
                if self.is_right(authorization):
                    self._failed = 0
                    return
                await self._pause(DELAYS_S[min(self._failed, len(DELAYS_S) - 1)])
                self._failed += 1
        finally:
            self._waiting -= 1
            attempts.waiting -= 1
            if not attempts.waiting:
                self._attempts.pop(address, None)
        raise Unauthorized("the password or the token is wrong")

    def is_right(self, authorization: str) -> bool:
        """Return whether a header has the right password, in constant time.

        Hashes of equal length are compared; the user name is ignored.
        """
        given = _digest(password_in(authorization))
        return self._digest is not None and hmac.compare_digest(given, self._digest)


def password_in(authorization: str) -> str:
    """Return the password in a header; empty if it has none."""
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
