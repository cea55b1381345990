"""Parameters of addresses and bodies of requests as records; unknown ones are refused."""

from dataclasses import fields
from datetime import UTC
from typing import Annotated, TypeVar

import msgspec
from msgspec import Meta
from starlette.requests import Request

from ladder.errors import Refused
from ladder.moments import parse_since
from ladder.results.conditions import BotResult, GameFilter, Mover

LARGEST_KEY = (1 << 63) - 1
MAX_NAMES = 20
Text = Annotated[str, Meta(max_length=200, pattern=r"^[^\x00-\x1f\x7f]*$")]
Key = Annotated[int, Meta(ge=0, le=LARGEST_KEY)]
Plies = Annotated[int, Meta(ge=0, le=144)]
Record = TypeVar("Record", bound=msgspec.Struct)


class Nothing(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """No parameters."""


class InDivision(Nothing, frozen=True, kw_only=True):
    """The parameters of pages of a division."""

    division: Text | None = None


class OfBots(InDivision, frozen=True, kw_only=True):
    """The parameters of comparisons."""

    bots: Text = ""
    one: Text = ""
    other: Text = ""

    @property
    def names(self) -> list[str]:
        """The names of the bots to compare. Raises Refused."""
        given = self.bots.split(",") if self.bots else [self.one, self.other]
        names = [name.strip() for name in given if name or self.bots]
        if len(names) > MAX_NAMES or not all(names):
            raise Refused(f"bots must be up to {MAX_NAMES} names, separated by commas")
        return names


class OfGames(InDivision, frozen=True, kw_only=True):
    """The conditions on games, and the page of their list."""

    bot: Text | None = None
    opponent: Text | None = None
    result: BotResult | None = None
    side: Mover | None = None
    ending: Text | None = None
    board: Text | None = None
    shortest: Plies | None = None
    longest: Plies | None = None
    run: Key | None = None
    since: Text | None = None
    upsets: bool = False
    before: Key | None = None
    limit: Annotated[int, Meta(ge=1, le=1000)] = 100

    @property
    def filter(self) -> GameFilter:
        """The conditions. A time without a zone is in UTC, as on pages.

        Raises:
            UsageError: a time is not valid, or no game can match the conditions.

        """
        given = {name: getattr(self, name) for name in CONDITIONS}
        since = None if self.since is None else parse_since(self.since, zone=UTC)
        return GameFilter(**{**given, "since": since})


CONDITIONS = tuple(field.name for field in fields(GameFilter))
"""The parameters that are conditions on games."""


def read_query(request: Request, kind: type[Record]) -> Record:
    """Return the query of a request; empty values count as missing, as forms send them.

    Raises:
        Refused: a parameter is unknown or not valid.

    """
    given = {name: value for name, value in request.query_params.items() if value.strip()}
    try:
        return msgspec.convert(given, kind, strict=False)
    except msgspec.ValidationError as error:
        raise Refused(f"the address is not valid: {error}") from error


async def read_body(request: Request, kind: type[Record]) -> Record:
    """Return the body of a request. Raises Refused."""
    try:
        return msgspec.json.decode(await request.body(), type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise Refused(f"the body of the request is not valid: {error}") from error
