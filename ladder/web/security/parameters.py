"""The parameters of an address, each read by its rule; whatever is left over is refused."""

from collections.abc import Sequence
from enum import StrEnum
from typing import TypeVar

from starlette.requests import Request

from ladder.visible import visible
from ladder.web.errors import Refused

LARGEST_KEY = (1 << 63) - 1
TEXT_LIMIT = 200
SHOWN = 60
Choice = TypeVar("Choice", bound=StrEnum)


class Parameters:
    """The query of a request. Empty values count as not given, as forms send them."""

    def __init__(self, request: Request) -> None:
        self._given: dict[str, str] = {}
        for name, value in request.query_params.multi_items():
            if name in self._given:
                raise Refused(f"{_shown(name)} is given twice")
            self._given[name] = value
        self._given.pop("seen", None)  # of the streams: the state of the page that asks
        self._asked: set[str] = set()

    def text(self, name: str) -> str | None:
        """Return a printable text of at most 200 characters; None: not given."""
        self._asked.add(name)
        value = self._given.get(name, "").strip()
        if not value:
            return None
        if len(value) > TEXT_LIMIT or not value.isprintable():
            raise Refused(f"{name} is a text of at most {TEXT_LIMIT} printable characters")
        return value

    def number(self, name: str, *, low: int = 0, high: int = LARGEST_KEY) -> int | None:
        """Return a whole number; None: not given."""
        value = self.text(name)
        if value is None:
            return None
        if not (value.isascii() and value.isdecimal() and len(value) < 20):
            raise Refused(f"{name} is a whole number, got {_shown(value)}")
        if not low <= int(value) <= high:
            raise Refused(f"{name} is {low} to {high}, got {value}")
        return int(value)

    def choice(self, name: str, kind: type[Choice]) -> Choice | None:
        """Return a word of an enumeration; None: not given."""
        value = self.text(name)
        if value is None:
            return None
        try:
            return kind(value)
        except ValueError:
            words = ", ".join(member.value for member in kind)
            raise Refused(f"{name} is one of {words}, got {_shown(value)}") from None

    def flag(self, name: str) -> bool:
        """Return whether a condition is switched on by ``1``; not given or ``0``: it is not."""
        value = self.text(name)
        if value not in (None, "0", "1"):
            raise Refused(f"{name} is 1 or 0, got {_shown(str(value))}")
        return value == "1"

    def given(self, names: Sequence[str]) -> dict[str, str]:
        """Return the values of these parameters as the address carries them, without empty ones."""
        return {name: value for name in names if (value := self.text(name)) is not None}

    def names(self, name: str, *, most: int = 20) -> Sequence[str]:
        """Words between commas; none: not given."""
        value = self.text(name)
        words = [] if value is None else [word.strip() for word in value.split(",")]
        if len(words) > most or not all(words):
            raise Refused(f"{name} is up to {most} names between commas")
        return words

    def check(self) -> None:
        """Refuse what nobody has asked for: a misspelt condition would be left out in silence."""
        unknown = sorted(set(self._given) - self._asked)
        if unknown:
            known = ", ".join(sorted(self._asked)) or "none"
            raise Refused(f"there is no parameter {_shown(unknown[0])} here; there are {known}")


def _shown(text: str) -> str:
    return repr(visible(text if len(text) <= SHOWN else text[:SHOWN] + "..."))
