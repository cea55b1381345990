"""Pairs: planning the numbers of a stream, storing and reading results."""

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
    PairStatus,
    PlannedPair,
    PlayedPair,
    StoreResult,
)
from engine.position import format_moves, parse_moves
from engine.result import Result, Termination


@retried
class Pairs:
    """The planned and finished pairs of a database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @cached_property
    def _statements(self) -> Statements:
        # Compiled at first use: it takes 20 ms, and readers do not need them.
        return Statements(self._database.engine.dialect)

    @cached_property
    def _storer(self) -> PairStorer:
        return PairStorer(self._database, self._statements)

    def plan(
        self, run_id: int, count: int, make: Callable[[int], PlannedPair]
    ) -> list[PlannedPair]:
        """Store planned pairs with the next numbers of a run's stream.

        The write lock keeps two processes from taking the same number.

        Args:
            run_id: the run.
            count: number of pairs.
            make: computes the pair of a number; if it raises, no pair is stored.

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
                    f"run {run_id} has used up the pair numbers of its stream ({last} of "
                    f"{COLUMN_LIMIT - 1}): start a new run with another seed"
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
        """Return a run's planned pairs by number."""
        query = (
            select(Pair.__table__)
            .where(Pair.run_id == run_id, Pair.status == PairStatus.PLANNED.value)
            .order_by(Pair.number)
        )
        with self._database.reading() as connection:
            return [_planned_pair(row) for row in connection.execute(query)]

    def reassign(self, run_id: int, from_runs: Sequence[int]) -> int:
        """Move planned pairs of other runs of the stream to this run; return their number."""
        others = [other for other in from_runs if other != run_id]
        if not others:
            return 0
        with self._database.writing() as connection:
            stream = find_run(connection, run_id).stream
            same = select(Run.id).where(Run.id.in_(others), Run.stream == stream)
            result = connection.execute(
                update(Pair)
                .where(Pair.run_id.in_(same), Pair.status == PairStatus.PLANNED.value)
                .values(run_id=run_id)
            )
            return result.rowcount

    def drop(self, pair_ids: Sequence[int]) -> int:
        """Mark planned pairs as dropped; return how many were still planned."""
        if not pair_ids:
            return 0
        with self._database.writing() as connection:
            result = connection.execute(
                update(Pair)
                .where(Pair.id.in_(pair_ids), Pair.status == PairStatus.PLANNED.value)
                .values(status=PairStatus.DROPPED.value)
            )
            return result.rowcount

    def add_aborts(self, pair_id: int, aborts: int) -> None:
        """Add to the aborts of a planned pair."""
        with self._database.writing() as connection:
            connection.execute(
                update(Pair).where(Pair.id == pair_id).values(aborts=Pair.aborts + aborts)
            )

    def finish_all(self, played: Sequence[Played], rate: Rate) -> list[StoreResult]:
        """Store played pairs in one transaction: games, aggregate and live ratings.

        A pair that is no longer planned is not stored, as its outcome shows.

        Raises:
            ValueError: a record does not hold its plan's two finished games, or a rated pair is of
                a revision with itself; nothing is stored.

        """
        return self._storer.finish(played, rate) if played else []

    def of_run(self, run_id: int) -> list[PlayedPair]:
        """Return a run's finished pairs by number."""
        return self._played(_select_finished().where(Pair.run_id == run_id).order_by(Pair.number))

    def of_stream(self, stream: str, *, start: int, stop: int) -> list[PlayedPair]:
        """Return a stream's finished pairs with numbers from `start` to `stop - 1`, by number."""
        query = _select_finished().where(
            Pair.stream == stream, Pair.number >= start, Pair.number < stop
        )
        return self._played(query.order_by(Pair.number))

    def planned_numbers(self, stream: str, *, below: int) -> list[int]:
        """Return the numbers below `below` of a stream's pairs that are planned, ascending."""
        query = select(Pair.number).where(
            Pair.stream == stream, Pair.number < below, Pair.status == PairStatus.PLANNED.value
        )
        with self._database.reading() as connection:
            return list(connection.execute(query.order_by(Pair.number)).scalars())

    def between(self, division_id: int, revision: int, others: Sequence[int]) -> list[PlayedPair]:
        """Return a division's finished pairs of one revision against others, rated or not.

        Args:
            division_id: the division.
            revision: one side of the pairs.
            others: its opponents' revisions.

        Returns:
            The pairs in the order of planning.

        """
        first = (Pair.a_revision_id == revision) & Pair.b_revision_id.in_(others)
        second = (Pair.b_revision_id == revision) & Pair.a_revision_id.in_(others)
        query = (
            _select_finished()
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
                    setup=(row.board, row.opening, row.seed),
                    moves=(row.moves0, row.moves1),
                    duration_us=row.duration_us,
                )
                for row in connection.execute(query)
            ]


def _planned_pair(row: Any) -> PlannedPair:
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


def _select_finished() -> Select[Any]:
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
