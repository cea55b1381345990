"""The columns of differences, ratings and counts, the same in every table."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from db.records.record import Wdl
from ladder.stats.difference import Difference
from ladder.stats.own_rating import Rating
from reports.layout.fields import Field
from reports.layout.format import rounded

PLAIN = ("elo", "error95", "low", "high", "los", "verdict")
"""The keys of a difference in CSV; JSON has also the bounds of shutouts."""
BOUNDS = ("elo_at_least", "elo_at_most")


def difference_fields(
    of: Callable[[Any], Difference], *, head: str = "Elo", digits: int = 2, level: int = 4
) -> tuple[Field, ...]:
    """Return the values of a difference, and its columns on a terminal and a page."""

    def value(key: str, row: Any) -> Any:
        return of(row).values(digits=digits)[key]

    def cell(place: int, row: Any, _: object) -> str:
        return of(row).cells()[place]

    return (
        *(Field(key, value=partial(value, key)) for key in PLAIN),
        *(Field(key, value=partial(value, key), csv=()) for key in BOUNDS),
        *(
            Field(head=title, form="d", value=partial(value, key), text=partial(cell, place),
                  level=level + place)
            for place, (title, key) in enumerate(
                ((head, "elo"), ("95 %", "low"), ("chance to be better", "los"))
            )
        ),
    )  # fmt: skip


def rating_fields(of: Callable[[Any], Rating | None], *, digits: int = 1) -> tuple[Field, ...]:
    """Return the values of a bot's own rating, and its two columns."""

    def value(name: str, row: Any) -> Any:
        return rounded(getattr(of(row) or Rating(), name), digits)

    def cell(place: int, row: Any, _: object) -> str:
        return (of(row) or Rating()).cells()[place]

    columns = (("elo", "elo", "Elo", 0), ("error95", "±95", "± 95 %", 2))
    return (
        *(
            Field(key, head, page=page, form=".0f", value=partial(value, key),
                  text=partial(cell, place), level=level)
            for place, (key, head, page, level) in enumerate(columns)
        ),
        Field("low", value=partial(value, "low")),
        Field("high", value=partial(value, "high")),
        Field("elo_at_least", value=partial(value, "at_least"), csv=()),
        Field("elo_at_most", value=partial(value, "at_most"), csv=()),
    )  # fmt: skip


def wdl_fields(
    of: Callable[[Any], Wdl],
    *,
    level: int = 5,
    form: str = ",d",
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
            value=partial(value, place),
            form=form,
            level=level,
            link=lost if key == "losses" else lambda *_: "",
        )
        for place, (key, head) in enumerate(columns)
    )


def measured(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return rows for CSV, whose Elo is empty where the games give only a bound."""
    return [
        {**row, **({"elo": None, "error95": None} if None in (row["low"], row["high"]) else {})}
        for row in rows
    ]
