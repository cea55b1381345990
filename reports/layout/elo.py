"""The columns of differences, ratings and counts, the same in every table."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from db.records.record import Wdl
from ladder.stats.difference import Difference
from ladder.stats.own_rating import Rating
from reports.layout.fields import Field, Medium
from reports.layout.format import rounded

POINTS = ("0", "½", "1", "1½", "2")
"""The points of a pair, as heads of columns."""


def difference_fields(
    of: Callable[[Any], Difference],
    *,
    head: str = "Elo",
    digits: int = 2,
    level: int = 4,
    with_verdict: bool = True,
) -> tuple[Field, ...]:
    """Return the values of a difference, and its columns in tables."""

    def value(key: str, row: Any) -> Any:
        return of(row).values(digits=digits)[key]

    def cell(place: int, row: Any, _: object) -> str:
        return of(row).cells()[place]

    def is_measured(row: Any) -> bool:
        return of(row).error95 is not None

    heads = ((head, "elo"), ("95 %", "low"), ("chance to be better", "los"))
    return (
        *_measured(("elo", "error95"), value, is_measured),
        *(Field(key, value=partial(value, key)) for key in ("low", "high", "los")),
        *([Field("verdict", value=partial(value, "verdict"))] if with_verdict else []),
        *_bounds(value),
        *(
            Field(key, title, only=Medium.TABLES, form="d", value=partial(value, key),
                  text=partial(cell, place), level=level + place)
            for place, (title, key) in enumerate(heads)
        ),
    )  # fmt: skip


def rating_fields(of: Callable[[Any], Rating | None], *, digits: int = 1) -> tuple[Field, ...]:
    """Return the values of a bot's own rating, and its two columns."""

    def rating(row: Any) -> Rating:
        return of(row) or Rating()

    def value(key: str, row: Any) -> Any:
        return rounded(getattr(rating(row), key.removeprefix("elo_")), digits)

    def cell(place: int, row: Any, _: object) -> str:
        return rating(row).cells()[place]

    columns = (("elo", "elo", "Elo", 0), ("error95", "±95", "± 95 %", 2))
    return (
        *_measured(("elo", "error95"), value, lambda row: rating(row).is_measured),
        *(Field(key, form=".0f", value=partial(value, key)) for key in ("low", "high")),
        *_bounds(value),
        *(
            Field(key, head, page=page, only=Medium.TABLES, form=".0f",
                  value=partial(value, key), text=partial(cell, place), level=level)
            for place, (key, head, page, level) in enumerate(columns)
        ),
    )  # fmt: skip


def _measured(
    keys: Sequence[str], value: Callable[[str, Any], Any], is_measured: Callable[[Any], bool]
) -> list[Field]:
    """Return values that CSV leaves empty where the games give only a bound."""

    def known(key: str, row: Any) -> Any:
        return value(key, row) if is_measured(row) else None

    return [
        *(Field(key, only=Medium.JSON, value=partial(value, key)) for key in keys),
        *(Field(key, only=Medium.CSV, value=partial(known, key)) for key in keys),
    ]


def _bounds(value: Callable[[str, Any], Any]) -> list[Field]:
    """Return the bounds of shutouts, which CSV has as `low` and `high`."""
    keys = ("elo_at_least", "elo_at_most")
    return [Field(key, only=Medium.JSON, form=".0f", value=partial(value, key)) for key in keys]


def wdl_fields(
    of: Callable[[Any], Wdl],
    *,
    level: int = 5,
    form: str = ",d",
    only: Medium = Medium.TABLES | Medium.DATA,
    lost: Callable[[Any, Any], str] = lambda *_: "",
) -> tuple[Field, ...]:
    """Return the columns of games won, drawn and lost; `lost` returns the address of the latter."""

    def value(place: int, row: Any) -> int:
        return of(row)[place]

    columns = (("wins", "win"), ("draws", "draw"), ("losses", "loss"))
    return tuple(
        Field(
            key,
            head,
            only=only,
            value=partial(value, place),
            form=form,
            level=level,
            link=lost if key == "losses" else lambda *_: "",
        )
        for place, (key, head) in enumerate(columns)
    )


def points_fields(
    of: Callable[[Any], Sequence[int]], *, only: Medium = Medium.TABLES
) -> tuple[Field, ...]:
    """Return a column for each number of points of a pair; in CSV they are ``p0`` to ``p4``."""

    def value(place: int, row: Any) -> int:
        return of(row)[place]

    return tuple(
        Field(f"p{place}", head, only=only, form="d", value=partial(value, place))
        for place, head in enumerate(POINTS)
    )


def pentanomial_fields(of: Callable[[Any], Sequence[int]], *, level: int) -> tuple[Field, ...]:
    """Return the counts of pairs by points: a list in JSON, one column in tables, five in CSV."""
    return (
        Field(
            "pentanomial",
            "pairs by points 0 1/2 1 3/2 2",
            only=Medium.TABLES | Medium.JSON,
            value=lambda row: list(of(row)),
            text=lambda row, _: " ".join(map(str, of(row))),
            level=level,
        ),
        *points_fields(of, only=Medium.CSV),
    )
