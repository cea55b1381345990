"""Computing the derived tables anew from the games."""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, delete, insert, select

from db.models import Game, PairTable, Rating
from db.queries.pair_sums import (
    GAME_COLUMNS,
    KEY,
    SUMS,
    Key,
    add,
    contribution,
    whole_pairs,
)
from db.queries.store_pair import (
    START_ELO,
    points,
    rated_pair,
)
from db.records.aggregate import (
    Difference,
    Rate,
    RatingRow,
)

_RATING_KEY = ("division_id", "revision_id")
_RATING_VALUES = ("elo", "games")


def rebuild_within(connection: Connection, rate: Rate, *, repair: bool) -> list[Difference]:
    """Compute aggregate and live ratings anew from the rated games; what was wrong before.

    In a transaction that holds the write lock. Without `repair`, and when nothing was wrong,
    nothing is written.
    """
    tables, ratings = _replay(connection, rate)
    computed = {key: tuple(values) for key, values in tables.items()}
    stored = _stored(connection, PairTable, KEY, SUMS)
    found = _compare("pair_tables", SUMS, stored, computed)
    if found and repair:
        _replace(connection, PairTable, (*KEY, *SUMS), computed)
    live = {key: (row.elo, row.games) for key, row in ratings.items()}
    stored = _stored(connection, Rating, _RATING_KEY, _RATING_VALUES)
    moved = _compare("ratings", _RATING_VALUES, stored, live)
    if moved and repair:
        _replace(connection, Rating, (*_RATING_KEY, *_RATING_VALUES), live)
    return found + moved


def _replay(
    connection: Connection, rate: Rate
) -> tuple[dict[Key, list[int]], dict[tuple[int, int], RatingRow]]:
    query = (
        select(*(Game.__table__.c[name] for name in GAME_COLUMNS))
        .where(Game.rated.is_(True))
        .order_by(Game.id)
        .execution_options(yield_per=500)
    )
    tables: dict[Key, list[int]] = {}
    ratings: dict[tuple[int, int], RatingRow] = {}
    games = (dict(zip(GAME_COLUMNS, row, strict=True)) for row in connection.execute(query))
    for game0, game1 in whole_pairs(games):
        key, values = contribution(game0, game1)
        add(tables, key, values)
        division = game0["division_id"]
        a, b = (
            ratings.get((division, revision)) or RatingRow(division, revision, START_ELO, 0)
            for revision in (game0["first_revision_id"], game0["second_revision_id"])
        )
        for row in rated_pair(a, b, points((game0, game1)), rate):
            ratings[division, row.revision] = row
    return tables, ratings


def _stored(
    connection: Connection, model: Any, key: Sequence[str], values: Sequence[str]
) -> dict[tuple[Any, ...], tuple[Any, ...]]:
    columns = [model.__table__.c[name] for name in (*key, *values)]
    rows = connection.execute(select(*columns))
    return {tuple(row[: len(key)]): tuple(row[len(key) :]) for row in rows}


def _compare(
    table: str,
    names: Sequence[str],
    stored: Mapping[tuple[Any, ...], tuple[Any, ...]],
    computed: Mapping[Any, tuple[Any, ...]],
) -> list[Difference]:
    found = []
    nothing = (None,) * len(names)
    for key in sorted({*stored, *computed}):
        before, after = stored.get(key, nothing), computed.get(key, nothing)
        found += [
            Difference(table, key, name, old, new)
            for name, old, new in zip(names, before, after, strict=True)
            if old != new
        ]
    return found


def _replace(
    connection: Connection,
    model: Any,
    names: Sequence[str],
    computed: Mapping[Any, tuple[Any, ...]],
) -> None:
    connection.execute(delete(model))
    rows = [dict(zip(names, (*key, *values), strict=True)) for key, values in computed.items()]
    if rows:
        connection.execute(insert(model), rows)
