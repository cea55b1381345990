"""The parameters of an address, each with its type; unknown parameters are refused."""

from collections.abc import Sequence
from enum import StrEnum
from typing import TypeVar

from starlette.requests import Request

from ladder.visible import visible
from ladder.web.errors import Refused

LARGEST_KEY = (1 << 63) - 1
TEXT_LIMIT = 200
MAX_NAMES = 20
SHOWN = 60
Choice = TypeVar("Choice", bound=StrEnum)


class Parameters:
    """The query of a request; empty values count as missing, as forms send them."""

    def __init__(self, request: Request) -> None:
        self._given: dict[str, str] = {}
        for name, value in request.query_params.multi_items():
            if name in self._given:
                raise Refused(f"{_quote(name)} is given twice")
            self._given[name] = value
        self._given.pop("seen", None)  # the digest of the page that opens a stream
        self._known: set[str] = set()

    def text(self, name: str) -> str | None:
        """Return a printable text of at most 200 characters, or None if it is missing."""
        self._known.add(name)
        value = self._given.get(name, "").strip()
        if not value:
            return None
        if len(value) > TEXT_LIMIT or not value.isprintable():
            raise Refused(f"{name} must be at most {TEXT_LIMIT} printable characters")
        return value

    def number(self, name: str, *, low: int = 0, high: int = LARGEST_KEY) -> int | None:
        """Return a whole number, or None if it is missing."""
        value = self.text(name)
        if value is None:
            return None
        if not (value.isascii() and value.isdecimal() and len(value) < 20):
            raise Refused(f"{name} must be a whole number, got {_quote(value)}")
        if not low <= int(value) <= high:
            raise Refused(f"{name} must be from {low} to {high}, got {value}")
        return int(value)

    def choice(self, name: str, kind: type[Choice]) -> Choice | None:
        """Return a member of an enumeration, or None if it is missing."""
        value = self.text(name)
        if value is None:
            return None
        try:
            return kind(value)
        except ValueError:
            words = ", ".join(member.value for member in kind)
            raise Refused(f"{name} must be one of {words}, got {_quote(value)}") from None

    def flag(self, name: str) -> bool:
        """Return whether a parameter is ``1``, and neither ``0`` nor missing."""
        value = self.text(name)
        if value not in (None, "0", "1"):
            raise Refused(f"{name} must be 1 or 0, got {_quote(str(value))}")
        return value == "1"

    def given(self, names: Sequence[str]) -> dict[str, str]:
        """Return the texts of these parameters by name, without missing ones."""
        return {name: value for name in names if (value := self.text(name)) is not None}

    def names(self, name: str) -> Sequence[str]:
        """Return comma-separated names; empty if the parameter is missing."""
        value = self.text(name)
        words = [] if value is None else [word.strip() for word in value.split(",")]
        if len(words) > MAX_NAMES or not all(words):
            raise Refused(f"{name} must be up to {MAX_NAMES} names, separated by commas")
        return words

    def check(self) -> None:
        """Refuse unknown parameters, as a misspelt condition must not be ignored."""
        unknown = sorted(set(self._given) - self._known)
        if unknown:
            known = ", ".join(sorted(self._known)) or "none"
            raise Refused(f"unknown parameter {_quote(unknown[0])}: this page has {known}")


def _quote(text: str) -> str:
    return repr(visible(text if len(text) <= SHOWN else text[:SHOWN] + "..."))
