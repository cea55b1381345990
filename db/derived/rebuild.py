"""Recomputation of the derived tables from the games."""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import (
    Boolean,
    Connection,
    bindparam,
    delete,
    exists,
    func,
    insert,
    select,
    update,
)
from sqlalchemy.orm import aliased

from db.derived.pair_sums import (
    FORFEIT_KEY,
    GAME_COLUMNS,
    TABLE_KEY,
    TABLE_SUMS,
    PairSums,
    TableKey,
    add_sums,
    forfeit_counts,
    sum_pair,
    whole_pairs,
)
from db.derived.store_pair import (
    START_ELO,
    points_of_a,
    update_ratings,
)
from db.models import Base, ForfeitCount, Game, PairTable, Rating
from db.records.aggregate import (
    DerivedDifference,
    Rate,
    RatingRow,
)

_RATING_KEY = ("division_id", "revision_id")
_RATING_VALUES = ("elo", "games")

_Rows = Mapping[Any, tuple[Any, ...]]
"""A table's values by key."""


def rebuild_derived(
    connection: Connection, rate: Rate, *, repair: bool, division_id: int | None = None
) -> list[DerivedDifference]:
    """Recompute marks of repeats, the aggregate and live ratings; return what was wrong.

    Args:
        connection: in a transaction; to repair, it must hold the write lock.
        rate: computes live ratings.
        repair: whether to replace wrong values; otherwise nothing is written.
        division_id: the only division to check; None for all.

    """
    marks = _find_wrong_marks(connection, division_id)
    if repair:
        _correct_marks(connection, marks)
    tables, ratings = _replay(connection, rate, division_id)
    sums = {key: tuple(sums.values) for key, sums in tables.items()}
    forfeits = {key: (games,) for key, games in forfeit_counts(tables).items()}
    live = {key: (row.elo, row.games) for key, row in ratings.items()}
    derived: tuple[tuple[type[Base], tuple[str, ...], tuple[str, ...], _Rows], ...] = (
        (PairTable, TABLE_KEY, TABLE_SUMS, sums),
        (ForfeitCount, FORFEIT_KEY, ("games",), forfeits),
        (Rating, _RATING_KEY, _RATING_VALUES, live),
    )
    wrong = marks
    for model, key, values, computed in derived:
        stored = _read_stored(connection, model, key, values, division_id)
        found = _compare(model.__tablename__, values, stored, computed)
        if found and repair:
            _replace(connection, model, (*key, *values), computed, division_id)
        wrong = wrong + found
    return wrong


def _find_wrong_marks(connection: Connection, division_id: int | None) -> list[DerivedDifference]:
    """Return the games that are wrongly marked, or not marked, as repeats."""
    earlier = aliased(Game)
    is_repeat = exists().where(
        earlier.line_hash == Game.line_hash,
        earlier.division_id == Game.division_id,
        earlier.board == Game.board,
        earlier.moves == Game.moves,
        earlier.id < Game.id,
    )
    # Few lines are stored more than once; the index alone finds them.
    lines = (
        select(Game.line_hash, Game.division_id)
        .group_by(Game.line_hash, Game.division_id)
        .having(func.count() > 1)
        .subquery()
    )
    missing = (
        select(Game.id)
        .join(
            lines,
            (Game.line_hash == lines.c.line_hash) & (Game.division_id == lines.c.division_id),
        )
        .where(Game.repeat.is_(False), is_repeat)
    )
    needless = select(Game.id).where(Game.repeat.is_(True), ~is_repeat)
    found = []
    for query, computed in ((missing, 1.0), (needless, 0.0)):
        if division_id is not None:
            query = query.where(Game.division_id == division_id)
        found += [
            DerivedDifference("games", (game,), "repeat", 1.0 - computed, computed)
            for game in connection.execute(query.order_by(Game.id)).scalars()
        ]
    return found


def _correct_marks(connection: Connection, marks: Sequence[DerivedDifference]) -> None:
    if marks:
        connection.execute(
            update(Game)
            .where(Game.id == bindparam("game_id"))
            .values(repeat=bindparam("mark", type_=Boolean)),
            [{"game_id": wrong.key[0], "mark": bool(wrong.computed)} for wrong in marks],
        )


def _replay(
    connection: Connection, rate: Rate, division_id: int | None
) -> tuple[dict[TableKey, PairSums], dict[tuple[int, int], RatingRow]]:
    query = (
        select(*(Game.__table__.c[name] for name in GAME_COLUMNS))
        .where(Game.rated.is_(True))
        .order_by(Game.id)
        .execution_options(yield_per=500)
    )
    if division_id is not None:
        query = query.where(Game.division_id == division_id)
    tables: dict[TableKey, PairSums] = {}
    ratings: dict[tuple[int, int], RatingRow] = {}
    games = (dict(zip(GAME_COLUMNS, row, strict=True)) for row in connection.execute(query))
    for game0, game1 in whole_pairs(games):
        add_sums(tables, *sum_pair(game0, game1))
        division = game0["division_id"]
        a, b = (
            ratings.get((division, revision)) or RatingRow(division, revision, START_ELO, 0)
            for revision in (game0["first_revision_id"], game0["second_revision_id"])
        )
        for row in update_ratings(a, b, points_of_a((game0, game1)), rate):
            ratings[division, row.revision] = row
    return tables, ratings


def _read_stored(
    connection: Connection,
    model: Any,
    key: Sequence[str],
    values: Sequence[str],
    division_id: int | None,
) -> _Rows:
    query = select(*(model.__table__.c[name] for name in (*key, *values)))
    if division_id is not None:
        query = query.where(model.division_id == division_id)
    rows = connection.execute(query)
    return {tuple(row[: len(key)]): tuple(row[len(key) :]) for row in rows}


def _compare(
    table: str,
    names: Sequence[str],
    stored: _Rows,
    computed: _Rows,
) -> list[DerivedDifference]:
    found = []
    nothing = (None,) * len(names)
    for key in sorted({*stored, *computed}):
        before, after = stored.get(key, nothing), computed.get(key, nothing)
        found += [
            DerivedDifference(table, key, name, old, new)
            for name, old, new in zip(names, before, after, strict=True)
            if old != new
        ]
    return found


def _replace(
    connection: Connection,
    model: Any,
    names: Sequence[str],
    computed: _Rows,
    division_id: int | None,
) -> None:
    former = delete(model)
    if division_id is not None:
        former = former.where(model.division_id == division_id)
    connection.execute(former)
    rows = [dict(zip(names, (*key, *values), strict=True)) for key, values in computed.items()]
    if rows:
        connection.execute(insert(model), rows)
