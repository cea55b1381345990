"""Runs: one row for each start of the program that plays games."""

import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from typing import Any

import msgspec
from sqlalchemy import Connection, delete, insert, select, update

from db.connection.database import Database
from db.connection.retry_policy import retried
from db.derived.rebuild import rebuild_within
from db.errors import InUse, UnknownRow
from db.json_column import to_json
from db.models import (
    Bot,
    Game,
    LastOutput,
    Pair,
    PairMachine,
    Revision,
    Run,
    RunBot,
    TuningStep,
    Verdict,
)
from db.records.aggregate import Rate
from db.records.runs import (
    NewRun,
    RunKind,
    RunRow,
    RunStatus,
    bots_in,
    rename_in_settings,
    rename_in_verdict,
)


@retried
class Runs:
    """The runs of a database."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._late: list[int] | None = None
        """Ended runs that are not marked yet, in a block of `finishing_late`."""

    def create(self, new: NewRun) -> RunRow:
        """Store a new run as running."""
        with self._database.writing() as connection:
            run_id = connection.execute(
                insert(Run)
                .values(
                    kind=new.kind.value,
                    rated=new.rated,
                    stream=new.stream,
                    identity=new.identity,
                    settings=to_json(dict(new.settings)),
                    seed=new.seed,
                    division_id=new.division_id,
                    target_games=new.target_games,
                    status=RunStatus.RUNNING.value,
                    started_at=time.time(),
                    note=new.note,
                )
                .returning(Run.id)
            ).scalar_one()
            keep_bots(connection, run_id, new.settings)
            return find_run(connection, run_id)

    def get(self, run_id: int) -> RunRow:
        """A run by id. Raises UnknownRow."""
        with self._database.reading() as connection:
            return find_run(connection, run_id)

    def find(
        self,
        *,
        stream: str | None = None,
        identity: str | None = None,
        status: RunStatus | None = None,
        kind: RunKind | None = None,
        limit: int | None = None,
    ) -> list[RunRow]:
        """The runs that fit, newest first.

        A run of which a bot was renamed is found neither by its stream nor by its identity: they
        are made of the former name, and a bot that has this name now is another one.
        """
        query = select(Run.__table__).order_by(Run.id.desc()).limit(limit)
        if stream is not None:
            query = query.where(Run.stream == stream)
        if identity is not None:
            query = query.where(Run.identity == identity)
        if status is not None:
            query = query.where(Run.status == status.value)
        if kind is not None:
            query = query.where(Run.kind == kind.value)
        with self._database.reading() as connection:
            renamed = _renamed(connection)
            if stream is not None or identity is not None:
                query = query.where(Run.id.not_in(list(renamed)))
            return [_run(row, renamed) for row in connection.execute(query)]

    def latest(self, kind: RunKind | None = RunKind.LADDER) -> RunRow | None:
        """The newest run of the kind (None: of any kind)."""
        newest = self.find(kind=kind, limit=1)
        return newest[0] if newest else None

    def set_status(
        self, run_id: int, status: RunStatus, *, target_games: int | None = None
    ) -> None:
        """Set a run's status; a running one has no end. Raises UnknownRow.

        Args:
            run_id: which.
            status: the new one; the time of the end follows.
            target_games: replaces the stored number of games unless None.

        """
        ended_at = None if status is RunStatus.RUNNING else time.time()
        values: dict[str, Any] = {"status": status.value, "ended_at": ended_at}
        if target_games is not None:
            values["target_games"] = target_games
        self._change(run_id, **values)

    def finish(self, run_id: int) -> None:
        """Mark a run as finished; in a block of `finishing_late` at its end. Raises UnknownRow."""
        if self._late is None:
            self.set_status(run_id, RunStatus.FINISHED)
        else:
            self._late.append(run_id)

    def finish_late(self) -> None:
        """Mark the runs as finished that have ended in a block of `finishing_late` so far."""
        while self._late:
            self.set_status(self._late[0], RunStatus.FINISHED)
            del self._late[0]

    @contextmanager
    def finishing_late(self) -> Iterator[None]:
        """Mark runs that end in the block as finished when it is left without an error.

        For results that are still to be printed: the command that was killed before is resumed by
        the same command, which prints them; after a finished run it would play the next one.
        A block within another one ends with it.
        """
        if self._late is not None:
            yield
            return
        self._late = []
        try:
            yield
            self.finish_late()
        finally:
            self._late = None

    def set_verdict(self, run_id: int, verdict: str) -> None:
        """Keep the decision of a gate. Raises UnknownRow."""
        self._change(run_id, verdict=verdict)

    def set_note(self, run_id: int, note: str) -> None:
        """Replace the user's words about a run. Raises UnknownRow."""
        self._change(run_id, note=note)

    def add_settings(self, run_id: int, settings: Mapping[str, object]) -> None:
        """Add settings to those of a run, or replace them by key. Raises UnknownRow."""
        with self._database.writing() as connection:
            row = connection.execute(select(Run.settings).where(Run.id == run_id)).first()
            if row is None:
                raise UnknownRow(f"there is no run {run_id}")
            kept = msgspec.json.decode(row.settings, type=dict[str, Any])
            changed = to_json({**kept, **settings})
            connection.execute(update(Run).where(Run.id == run_id).values(settings=changed))

    def delete(self, run_id: int, rate: Rate) -> int:
        """Take a run and its games out, and compute what is derived from games anew.

        One transaction. The numbers of its pairs are free again: when no later run of the stream
        took higher ones, the stream's next run plays the same pairs.

        Args:
            run_id: which.
            rate: moves live ratings.

        Returns:
            How many games were deleted.

        Raises:
            UnknownRow: there is no such run.
            InUse: a living process is playing it.

        """
        with self._not_alive(run_id), self._database.writing() as connection:
            run = find_run(connection, run_id)
            pairs = select(Pair.id).where(Pair.run_id == run_id)
            lost = select(Game.id).where(Game.pair_id.in_(pairs), Game.offender.is_not(None))
            connection.execute(delete(LastOutput).where(LastOutput.game_id.in_(lost)))
            ours = select(Game.id).where(Game.pair_id.in_(pairs))
            connection.execute(delete(Verdict).where(Verdict.game_id.in_(ours)))
            games = connection.execute(delete(Game).where(Game.pair_id.in_(pairs))).rowcount
            connection.execute(delete(PairMachine).where(PairMachine.pair_id.in_(pairs)))
            connection.execute(delete(Pair).where(Pair.run_id == run_id))
            connection.execute(delete(TuningStep).where(TuningStep.run_id == run_id))
            connection.execute(delete(RunBot).where(RunBot.run_id == run_id))
            connection.execute(delete(Run).where(Run.id == run_id))
            if games:
                rebuild_within(connection, rate, repair=True, division_id=run.division_id)
            return games

    def _change(self, run_id: int, **values: Any) -> None:
        with self._database.writing() as connection:
            changed = connection.execute(update(Run).where(Run.id == run_id).values(**values))
            if changed.rowcount == 0:
                raise UnknownRow(f"there is no run {run_id}")

    @contextmanager
    def _not_alive(self, run_id: int) -> Iterator[None]:
        """Hold the run's lock, so that nobody resumes it meanwhile. Raises InUse."""
        with closing(self._database.run_lock()) as lock:
            if not lock.try_acquire(run_id):
                raise InUse(f"run {run_id} is being played by {lock.holder(run_id)}: stop it first")
            try:
                yield
            finally:
                lock.release(run_id)


def find_run(connection: Connection, run_id: int) -> RunRow:
    """A run by id. Raises UnknownRow."""
    row = connection.execute(select(Run.__table__).where(Run.id == run_id)).first()
    if row is None:
        raise UnknownRow(f"there is no run {run_id}")
    return _run(row, _renamed(connection, run_id))


def keep_bots(connection: Connection, run_id: int, settings: Mapping[str, Any]) -> None:
    """Store which revisions a new run's settings mean by the names of bots that they hold."""
    bots = bots_in(settings)
    query = (
        select(Revision.id, Bot.name, Revision.content_hash)
        .join(Bot, Bot.id == Revision.bot_id)
        .where(Bot.name.in_(bots))
    )
    rows = [
        {"run_id": run_id, "name": row.name, "revision_id": row.id}
        for row in connection.execute(query)
        if bots[row.name] == row.content_hash
    ]
    if rows:
        connection.execute(insert(RunBot), rows)


def settings_now(connection: Connection, run_id: int, settings: str) -> dict[str, Any]:
    """Return a run's stored settings under the current names of its bots."""
    kept = msgspec.json.decode(settings, type=dict[str, Any])
    return rename_in_settings(kept, _renamed(connection, run_id).get(run_id, {}))


def _renamed(connection: Connection, run_id: int | None = None) -> dict[int, dict[str, str]]:
    """Return the current names of renamed bots by their former ones, by run; None: of all runs."""
    query = (
        select(RunBot.run_id, RunBot.name, Bot.name.label("now"))
        .join(Revision, Revision.id == RunBot.revision_id)
        .join(Bot, Bot.id == Revision.bot_id)
        .where(RunBot.name != Bot.name)
    )
    if run_id is not None:
        query = query.where(RunBot.run_id == run_id)
    found: dict[int, dict[str, str]] = {}
    for row in connection.execute(query):
        found.setdefault(row.run_id, {})[row.name] = row.now
    return found


def _run(row: Any, renamed: Mapping[int, Mapping[str, str]]) -> RunRow:
    names = renamed.get(row.id, {})
    return RunRow(
        id=row.id,
        kind=RunKind(row.kind),
        rated=bool(row.rated),
        stream=row.stream,
        identity=row.identity,
        settings=rename_in_settings(msgspec.json.decode(row.settings, type=dict[str, Any]), names),
        seed=row.seed,
        division_id=row.division_id,
        target_games=row.target_games,
        status=RunStatus(row.status),
        started_at=row.started_at,
        ended_at=row.ended_at,
        note=row.note,
        verdict=rename_in_verdict(row.verdict, names),
        renamed=names,
    )
