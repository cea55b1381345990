"""Pairs: planning the numbers of a stream, storing and reading results.

Both can be repeated after a connection was lost in a commit: a planned batch is found again by its
coordinator, and a stored pair is left as it is.
"""

import math
import secrets
import time
from collections.abc import Callable, Sequence
from typing import Any

from sqlalchemy import (
    BindParameter,
    ColumnElement,
    Connection,
    Integer,
    Row,
    bindparam,
    func,
    insert,
    select,
    update,
)

from db.columns import columns_of, to_record
from db.database import Database, Queries
from db.errors import Exhausted
from db.models import PAIRS, Pair, Run
from db.outcomes import OUTCOME, game_values, insert_games, outcome_of, read_game_ids
from db.queries.runs import find_run
from db.records.exchange import COLUMN_LIMIT
from db.records.games import LastOutput
from db.records.pairs import (
    PairPlan,
    PairRecord,
    PairStatus,
    PlannedPair,
    PlayedPair,
    StoredGames,
)
from engine.position import format_moves, parse_moves
from engine.result import Termination

Played = tuple[PairPlan, PairRecord]
"""A pair and the record of its two games."""
LONGEST_GAP_S = 60.0
"""A longer pause between games, in seconds, does not count as playing time."""
# Built once, as the statements of `db.outcomes`.
_IDS: BindParameter[Any] = bindparam("ids", expanding=True)
_BY_ID = select(PAIRS).where(Pair.id.in_(_IDS))
_FINISH = (
    update(PAIRS)
    .where(Pair.id == bindparam("pair"))
    .values(
        status=PairStatus.FINISHED,
        stalls=Pair.stalls + bindparam("more_stalls", type_=Integer),
        finished_at=bindparam("now"),
        **{name: bindparam(f"new_{name}") for name in OUTCOME},
    )
)


class Pairs(Queries):
    """The planned and finished pairs of a database."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self._coordinator = secrets.randbits(63)
        self._planned_to: dict[str, int] = {}
        """By stream, the last number before the batch that is being planned, or of the last one."""

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
            mine = (Pair.stream == run.stream) & (Pair.coordinator == self._coordinator)
            known = self._planned_to.get(run.stream)
            if known is not None:  # whether the commit of the last attempt was done after all
                batch = _read_planned(connection, mine & (Pair.number > known))
                if batch:
                    self._planned_to[run.stream] = batch[-1].number
                    return batch
            newest = select(func.max(Pair.number)).where(Pair.stream == run.stream)
            last = connection.execute(newest).scalar()
            start = 0 if last is None else last + 1
            if start + count > COLUMN_LIMIT:
                raise Exhausted(
                    f"run {run_id} has used up the pair numbers of its stream ({last} of "
                    f"{COLUMN_LIMIT - 1}): start a new run with another seed"
                )
            rows = []
            for number in range(start, start + count):
                pair = make(number)
                if run.rated and pair.a_revision == pair.b_revision:
                    raise ValueError(f"pair {number}: a pair of a bot with itself cannot be rated")
                rows.append(
                    {
                        "run_id": run_id,
                        "division_id": run.division_id,
                        "rated": run.rated,
                        "stream": run.stream,
                        "number": number,
                        "coordinator": self._coordinator,
                        "a_revision_id": pair.a_revision,
                        "b_revision_id": pair.b_revision,
                        "board": pair.board,
                        "board_class": pair.board_class,
                        "opening": format_moves(pair.opening),
                        "seed": pair.seed,
                        "status": PairStatus.PLANNED,
                        "stalls": 0,
                    }
                )
            self._planned_to[run.stream] = start - 1
            connection.execute(insert(PAIRS), rows)
            batch = _read_planned(connection, mine & (Pair.number >= start))
        self._planned_to[run.stream] = batch[-1].number
        return batch

    def planned(self, run_id: int) -> list[PlannedPair]:
        """Return a run's planned pairs by number."""
        with self._database.reading() as connection:
            return _read_planned(
                connection, (Pair.run_id == run_id) & (Pair.status == PairStatus.PLANNED)
            )

    def reassign(self, run_id: int, from_runs: Sequence[int]) -> int:
        """Move planned pairs of other runs of the stream to this run; return their number."""
        others = [other for other in from_runs if other != run_id]
        if not others:
            return 0
        with self._database.writing() as connection:
            stream = find_run(connection, run_id).stream
            same = select(Run.id).where(Run.id.in_(others), Run.stream == stream)
            result = connection.execute(
                update(PAIRS)
                .where(Pair.run_id.in_(same), Pair.status == PairStatus.PLANNED)
                .values(run_id=run_id)
            )
            return result.rowcount

    def drop(self, pair_ids: Sequence[int]) -> int:
        """Mark planned pairs as dropped; return how many were still planned."""
        if not pair_ids:
            return 0
        with self._database.writing() as connection:
            result = connection.execute(
                update(PAIRS)
                .where(Pair.id.in_(pair_ids), Pair.status == PairStatus.PLANNED)
                .values(status=PairStatus.DROPPED)
            )
            return result.rowcount

    def add_stalls(self, pair_id: int, stalls: int) -> None:
        """Add to the stalls of a planned pair."""
        with self._database.writing() as connection:
            connection.execute(
                update(PAIRS).where(Pair.id == pair_id).values(stalls=Pair.stalls + stalls)
            )

    def finish_all(self, played: Sequence[Played]) -> list[StoredGames]:
        """Store played pairs in one transaction, except those that are no longer planned.

        A pair that is stored already with the same games counts as stored: the connection was lost
        in the commit of an earlier attempt.

        Raises:
            ValueError: a record does not hold its plan's two finished games; nothing is stored.

        """
        for plan, record in played:
            if record.id != plan.pair.id or [game.swapped for game in record.games] != [
                False,
                True,
            ]:
                raise ValueError(
                    f"pair {plan.pair.id}: the record does not hold its two games in order"
                )
            if any(game.termination is Termination.ABORTED for game in record.games):
                raise ValueError(f"pair {plan.pair.id}: an aborted game cannot be stored")
        if not played:
            return []
        with self._database.writing() as connection:
            return _finish(connection, played)

    def of_run(self, run_id: int) -> list[PlayedPair]:
        """Return a run's finished pairs by number."""
        return self._played(Pair.number, Pair.run_id == run_id)

    def of_stream(self, stream: str, *, start: int, stop: int) -> list[PlayedPair]:
        """Return a stream's finished pairs with numbers from `start` to `stop - 1`, by number."""
        number = Pair.number
        return self._played(number, Pair.stream == stream, number >= start, number < stop)

    def planned_numbers(self, stream: str, *, below: int) -> list[int]:
        """Return the numbers below `below` of a stream's pairs that are planned, ascending."""
        query = select(Pair.number).where(
            Pair.stream == stream, Pair.number < below, Pair.status == PairStatus.PLANNED
        )
        return [row.number for row in self._rows(query.order_by(Pair.number))]

    def between(self, division_id: int, revision: int, others: Sequence[int]) -> list[PlayedPair]:
        """Return a division's finished pairs of one revision against others, rated or not.

        Args:
            division_id: the division.
            revision: one side of the pairs.
            others: its opponents' revisions.

        Returns:
            The pairs in the order of planning.

        """
        a, b = Pair.a_revision_id, Pair.b_revision_id
        meets = ((a == revision) & b.in_(others)) | ((b == revision) & a.in_(others))
        return self._played(Pair.id, Pair.division_id == division_id, meets)

    def played_s(self, run_id: int) -> float:
        """Return the seconds with pairs of a run in play, including pauses of up to a minute."""
        query = (
            select(Pair.started_at, Pair.duration_us)
            .where(Pair.run_id == run_id, Pair.started_at.is_not(None))
            .order_by(Pair.started_at)
        )
        played, until = 0.0, -math.inf
        for started, duration_us in self._rows(query):
            ended = started + duration_us / 1e6
            begins = until if started - until <= LONGEST_GAP_S else started
            played += max(ended - begins, 0.0)
            until = max(until, ended)
        return played

    def _played(
        self, order: ColumnElement[int], *conditions: ColumnElement[bool]
    ) -> list[PlayedPair]:
        query = select(PAIRS).where(*conditions, Pair.second_result.is_not(None))
        return [_played_pair(row) for row in self._rows(query.order_by(order))]


def _finish(connection: Connection, played: Sequence[Played]) -> list[StoredGames]:
    """Store planned pairs; return the games of each pair that is stored as it was played."""
    ids = [plan.pair.id for plan, _ in played]
    known = {(row.id, row.number): row for row in connection.execute(_BY_ID, {"ids": ids})}
    is_stored: list[bool] = []
    updates: dict[int, dict[str, Any]] = {}
    games: list[dict[str, Any]] = []
    last_outputs: list[LastOutput | None] = []
    for plan, record in played:
        row = known.get((plan.pair.id, plan.pair.number))
        if row is None or row.status == PairStatus.DROPPED or plan.pair.id in updates:
            is_stored.append(False)
            continue
        own = [{**game_values(row._mapping, game), "pair_id": row.id} for game in record.games]
        outcome = outcome_of(own)
        if row.status == PairStatus.FINISHED:
            is_stored.append(all(row._mapping[name] == outcome[name] for name in OUTCOME))
            continue
        is_stored.append(True)
        games += own
        last_outputs += [game.last_output for game in record.games]
        new = {f"new_{name}": value for name, value in outcome.items()}
        more = {"pair": plan.pair.id, "more_stalls": record.stalls, "now": time.time()}
        updates[plan.pair.id] = {**more, **new}
    if updates:
        connection.execute(_FINISH, list(updates.values()))
        insert_games(connection, games, last_outputs)
    found = read_game_ids(connection, ids)
    return [
        found[plan.pair.id] if stored else None
        for (plan, _), stored in zip(played, is_stored, strict=True)
    ]


def _read_planned(connection: Connection, condition: ColumnElement[bool]) -> list[PlannedPair]:
    query = select(*columns_of(PlannedPair, PAIRS)).where(condition).order_by(Pair.number)
    return [
        to_record(PlannedPair, row, opening=parse_moves(row.opening))
        for row in connection.execute(query)
    ]


def _played_pair(row: Row[Any]) -> PlayedPair:
    return to_record(
        PlayedPair,
        row,
        a_revision=row.a_revision_id,
        b_revision=row.b_revision_id,
        results=(row.first_result, row.second_result),
        terminations=(row.first_termination, row.second_termination),
        setup=(row.board, row.opening, row.seed),
    )
