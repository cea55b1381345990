"""Finished pairs as results alone: what sequential decisions read."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Select, select

from db.database import Database
from db.models import Game, Pair, Run
from db.rows import PairStatus, PlayedPair
from engine.result import Result, Termination


def of_run(database: Database, run_id: int) -> list[PlayedPair]:
    """The finished pairs of a run in the order of their numbers."""
    return _pairs(database, _finished().where(Pair.run_id == run_id).order_by(Pair.number))


def of_stream(database: Database, stream: str, start: int, stop: int) -> list[PlayedPair]:
    """The finished pairs of a stream with numbers start .. stop-1, in that order."""
    query = _finished().where(Pair.stream == stream, Pair.number >= start, Pair.number < stop)
    return _pairs(database, query.order_by(Pair.number))


def owed(database: Database, stream: str, below: int) -> list[int]:
    """The numbers of a stream's pairs before `below` that are planned and not finished."""
    query = select(Pair.number).where(
        Pair.stream == stream, Pair.number < below, Pair.status == PairStatus.PLANNED.value
    )
    with database.reading() as connection:
        return list(connection.execute(query.order_by(Pair.number)).scalars())


def between(
    database: Database, division_id: int, hero: int, others: Sequence[int]
) -> list[PlayedPair]:
    """The finished pairs of one revision against others in a division, in the order of planning."""
    first = (Pair.a_revision_id == hero) & Pair.b_revision_id.in_(others)
    second = (Pair.b_revision_id == hero) & Pair.a_revision_id.in_(others)
    query = (
        _finished()
        .join(Run, Run.id == Pair.run_id)
        .where(Run.division_id == division_id, first | second)
        .order_by(Pair.id)
    )
    return _pairs(database, query)


def _finished() -> Select[Any]:
    one, two = Game.__table__.alias("one"), Game.__table__.alias("two")
    return (
        select(
            Pair.number,
            Pair.a_revision_id,
            Pair.b_revision_id,
            Pair.board_class,
            one.c.result.label("result0"),
            one.c.termination.label("termination0"),
            two.c.result.label("result1"),
            two.c.termination.label("termination1"),
        )
        .join(one, (one.c.pair_id == Pair.id) & (one.c.game == 0))
        .join(two, (two.c.pair_id == Pair.id) & (two.c.game == 1))
        .where(Pair.status == PairStatus.FINISHED.value)
    )


def _pairs(database: Database, query: Select[Any]) -> list[PlayedPair]:
    with database.reading() as connection:
        return [
            PlayedPair(
                number=row.number,
                a_revision=row.a_revision_id,
                b_revision=row.b_revision_id,
                board_class=row.board_class,
                results=(Result(row.result0), Result(row.result1).mirrored),
                terminations=(Termination(row.termination0), Termination(row.termination1)),
            )
            for row in connection.execute(query)
        ]
