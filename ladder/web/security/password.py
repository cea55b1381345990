"""The password of a server, compared in constant time."""

import base64
import binascii
import hashlib
import hmac
from pathlib import Path

from ladder.errors import UsageError

SHORTEST = 8
LONGEST = 1024


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


class BasicAuth:
    """Checks passwords in constant time."""

    def __init__(self, password: str) -> None:
        """Set the right password."""
        self._digest = _digest(password)

    def is_right(self, authorization: str) -> bool:
        """Return whether a header has the right password, in constant time.

        Hashes of equal length are compared; the user name is ignored.
        """
        return hmac.compare_digest(_digest(password_in(authorization)), self._digest)


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
