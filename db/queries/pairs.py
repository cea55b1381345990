"""Pairs: who takes which numbers of a stream, and the results of those that were played."""

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

from sqlalchemy import Select, func, select, update

from db.connection.database import Database
from db.connection.retry_policy import retried
from db.derived.statements import Statements
from db.derived.store_pair import PairStorer, Played
from db.errors import Exhausted
from db.models import Game, Pair, Run
from db.queries.runs import find_run
from db.records.aggregate import Rate
from db.records.exchange import COLUMN_LIMIT
from db.records.pairs import (
    FinishedPair,
    PairStatus,
    PlannedPair,
    PlayedPair,
)
from engine.position import format_moves, parse_moves
from engine.result import Result, Termination


@retried
class Pairs:
    """The pairs of a database, planned and finished."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @cached_property
    def _statements(self) -> Statements:
        # Preparing them takes 20 ms that a reader need not pay.
        return Statements(self._database.engine.dialect)

    @cached_property
    def _storer(self) -> PairStorer:
        return PairStorer(self._database, self._statements)

    def plan(
        self, run_id: int, count: int, make: Callable[[int], PlannedPair]
    ) -> list[PlannedPair]:
        """Take the next numbers of the run's stream and store what `make` gives for each.

        Numbers are taken under the write lock, so no two processes take the same. When `make`
        raises, none is taken.

        Raises:
            UnknownRow: there is no such run.
            Exhausted: the stream has too few numbers left.
            ValueError: a rated run would pair a bot with itself.

        """
        if count < 1:
            return []
        with self._database.writing() as connection:
            run = find_run(connection, run_id)
            last = connection.execute(
                select(func.max(Pair.number)).where(Pair.stream == run.stream)
            ).scalar()
            start = 0 if last is None else last + 1
            if start + count > COLUMN_LIMIT:
                raise Exhausted(
                    f"no pair numbers are left in the stream of run {run_id}, which has number "
                    f"{last} of at most {COLUMN_LIMIT - 1}: start another stream with another "
                    "--seed and --new"
                )
            pairs, rows = [], []
            for number in range(start, start + count):
                pair = make(number)
                if run.rated and pair.a_revision == pair.b_revision:
                    raise ValueError(f"pair {number}: a pair of a bot with itself cannot be rated")
                pairs.append(pair)
                rows.append(
                    {
                        "run_id": run_id,
                        "stream": run.stream,
                        "number": number,
                        "a_revision_id": pair.a_revision,
                        "b_revision_id": pair.b_revision,
                        "board": pair.board,
                        "board_class": pair.board_class,
                        "opening": format_moves(pair.opening),
                        "seed": pair.seed,
                        "status": PairStatus.PLANNED.value,
                        "aborts": 0,
                    }
                )
            self._statements.insert_pair.run_many(connection, rows)
            stored = self._statements.planned_since.run(
                connection, {"stream": run.stream, "start": start}
            )
            return [
                pair._replace(number=start + place, id=key)
                for place, (pair, (key,)) in enumerate(zip(pairs, stored, strict=True))
            ]

    def planned(self, run_id: int) -> list[PlannedPair]:
        """The run's planned pairs in the order of their numbers."""
        query = (
            select(Pair.__table__)
            .where(Pair.run_id == run_id, Pair.status == PairStatus.PLANNED.value)
            .order_by(Pair.number)
        )
        with self._database.reading() as connection:
            return [_pair(row) for row in connection.execute(query)]

    def reassign(self, run_id: int, from_runs: Sequence[int]) -> int:
        """Move the planned pairs of other runs of the same stream to this run; how many."""
        others = [other for other in from_runs if other != run_id]
        if not others:
            return 0
        with self._database.writing() as connection:
            stream = find_run(connection, run_id).stream
            same = select(Run.id).where(Run.id.in_(others), Run.stream == stream)
            moved = connection.execute(
                update(Pair)
                .where(Pair.run_id.in_(same), Pair.status == PairStatus.PLANNED.value)
                .values(run_id=run_id)
            )
            return moved.rowcount

    def drop(self, pair_ids: Sequence[int]) -> int:
        """Give up planned pairs; how many were still planned."""
        if not pair_ids:
            return 0
        with self._database.writing() as connection:
            dropped = connection.execute(
                update(Pair)
                .where(Pair.id.in_(pair_ids), Pair.status == PairStatus.PLANNED.value)
                .values(status=PairStatus.DROPPED.value)
            )
            return dropped.rowcount

    def add_aborts(self, pair_id: int, aborts: int) -> None:
        """Add to how often a planned pair was abandoned."""
        with self._database.writing() as connection:
            connection.execute(
                update(Pair).where(Pair.id == pair_id).values(aborts=Pair.aborts + aborts)
            )

    def finish_all(self, played: Sequence[Played], rate: Rate) -> list[FinishedPair]:
        """Store played pairs in one transaction: games, aggregate and live ratings.

        Nothing is stored of a pair that is no longer planned; its outcome says so.

        Raises:
            ValueError: a record does not hold the two finished games of its plan, or a pair of a
                revision with itself is to be rated; no pair is stored.

        """
        return self._storer.finish(played, rate) if played else []

    def of_run(self, run_id: int) -> list[PlayedPair]:
        """The finished pairs of a run in the order of their numbers."""
        return self._played(_finished().where(Pair.run_id == run_id).order_by(Pair.number))

    def of_stream(self, stream: str, *, start: int, stop: int) -> list[PlayedPair]:
        """The finished pairs of a stream with numbers start .. stop-1, in that order."""
        query = _finished().where(Pair.stream == stream, Pair.number >= start, Pair.number < stop)
        return self._played(query.order_by(Pair.number))

    def unfinished_numbers(self, stream: str, *, below: int) -> list[int]:
        """The numbers of a stream's pairs before `below` that are planned and not finished."""
        query = select(Pair.number).where(
            Pair.stream == stream, Pair.number < below, Pair.status == PairStatus.PLANNED.value
        )
        with self._database.reading() as connection:
            return list(connection.execute(query.order_by(Pair.number)).scalars())

    def between(self, division_id: int, hero: int, others: Sequence[int]) -> list[PlayedPair]:
        """The finished pairs of one revision against others, in the order of planning.

        Of all runs of the division, rated or not.
        """
        first = (Pair.a_revision_id == hero) & Pair.b_revision_id.in_(others)
        second = (Pair.b_revision_id == hero) & Pair.a_revision_id.in_(others)
        query = (
            _finished()
            .join(Run, Run.id == Pair.run_id)
            .where(Run.division_id == division_id, first | second)
            .order_by(Pair.id)
        )
        return self._played(query)

    def _played(self, query: Select[Any]) -> list[PlayedPair]:
        with self._database.reading() as connection:
            return [
                PlayedPair(
                    number=row.number,
                    a_revision=row.a_revision_id,
                    b_revision=row.b_revision_id,
                    board_class=row.board_class,
                    results=(Result(row.result0), Result(row.result1).mirrored),
                    terminations=(Termination(row.termination0), Termination(row.termination1)),
                    draw=(row.board, row.opening, row.seed),
                    moves=(row.moves0, row.moves1),
                    duration_us=row.duration_us,
                )
                for row in connection.execute(query)
            ]


def _pair(row: Any) -> PlannedPair:
    return PlannedPair(
        a_revision=row.a_revision_id,
        b_revision=row.b_revision_id,
        board=row.board,
        board_class=row.board_class,
        opening=parse_moves(row.opening),
        seed=row.seed,
        number=row.number,
        id=row.id,
    )


def _finished() -> Select[Any]:
    one, two = Game.__table__.alias("one"), Game.__table__.alias("two")
    return (
        select(
            Pair.number,
            Pair.a_revision_id,
            Pair.b_revision_id,
            Pair.board_class,
            Pair.board,
            Pair.opening,
            Pair.seed,
            one.c.result.label("result0"),
            one.c.termination.label("termination0"),
            one.c.moves.label("moves0"),
            two.c.result.label("result1"),
            two.c.termination.label("termination1"),
            two.c.moves.label("moves1"),
            (one.c.duration_us + two.c.duration_us).label("duration_us"),
        )
        .join(one, (one.c.pair_id == Pair.id) & (one.c.game == 0))
        .join(two, (two.c.pair_id == Pair.id) & (two.c.game == 1))
        .where(Pair.status == PairStatus.FINISHED.value)
    )
