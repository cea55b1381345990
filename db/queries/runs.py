"""Runs: series of pairs with fixed settings and seed, each started by one command."""

import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from typing import Any

import msgspec
from sqlalchemy import Connection, delete, insert, select, update

from db.backends.locks import LockKind
from db.columns import insert_row, to_record, to_values
from db.database import Database, Queries
from db.errors import Corrupt, InUse, UnknownRow
from db.models import (
    BOTS,
    GAMES,
    LAST_OUTPUTS,
    PAIRS,
    REVISIONS,
    RUN_BOTS,
    RUNS,
    TUNING_STEPS,
    VERDICTS,
    Bot,
    Game,
    Pair,
    Revision,
    Run,
    RunBot,
    StoredLastOutput,
    StoredVerdict,
    TuningStep,
)
from db.records.run_settings import StoredSettings, settings_of
from db.records.runs import (
    NewRun,
    RunKind,
    RunRow,
    RunStatus,
    TuningStepRow,
    rename_in_verdict,
)

_COLUMNS = [column for column in RUNS.c if column is not Run.result]
"""The columns of a `RunRow`: results are read one by one, as a list of runs needs none."""


class Runs(Queries):
    """The runs of a database."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self._deferred: list[int] | None = None
        """Ended runs to be marked as finished at the end of a `deferring_finish` block."""

    def create(self, new: NewRun) -> RunRow:
        """Store a new run with the status `running`."""
        with self._database.writing(repeatable=False) as connection:
            run_id = insert_run(connection, new, RunStatus.RUNNING, started_at=time.time())
            return find_run(connection, run_id)

    def get(self, run_id: int) -> RunRow:
        """Return the run with this id. Raises UnknownRow."""
        with self._database.reading() as connection:
            return find_run(connection, run_id)

    def find(
        self,
        *,
        stream: str | None = None,
        identity: str | None = None,
        status: RunStatus | None = None,
        kind: RunKind | None = None,
        division_id: int | None = None,
        renamed: Mapping[str, str] | None = None,
        is_renamed: bool = False,
        limit: int | None = None,
    ) -> list[RunRow]:
        """Return the runs that fit, newest first; None means any, `is_renamed` with renamed bots.

        A search by stream or identity finds only the runs whose bots are called now as `renamed`
        says (`RunRow.renamed`; None: as then): these hashes contain the old names, which other
        bots may have now.
        """
        equal = {
            "stream": stream,
            "identity": identity,
            "status": status,
            "kind": kind,
            "division_id": division_id,
        }
        chosen = [Run[name] == value for name, value in equal.items() if value is not None]
        query = select(*_COLUMNS).where(*chosen).order_by(Run.id.desc()).limit(limit)
        with self._database.reading() as connection:
            current = _current_names(connection)
            if is_renamed:
                query = query.where(Run.id.in_(list(current)))
            if stream is not None or identity is not None:
                others = [key for key, names in current.items() if names != (renamed or {})]
                query = query.where(Run.id.not_in(others))
                if renamed:
                    query = query.where(Run.id.in_(list(current)))
            return [_run(row, current) for row in connection.execute(query)]

    def present_names(self) -> dict[str, str]:
        """Return the present names of renamed bots by those under which they began runs."""
        with self._database.reading() as connection:
            return {
                then: now
                for names in _current_names(connection).values()
                for then, now in names.items()
            }

    def latest(self, kind: RunKind | None = RunKind.LADDER) -> RunRow | None:
        """Return the newest run of a kind, or of any kind for None."""
        newest = self.find(kind=kind, limit=1)
        return newest[0] if newest else None

    def set_status(
        self, run_id: int, status: RunStatus, *, target_games: int | None = None
    ) -> None:
        """Set a run's status, and its end unless it is running.

        A run that is open again has no result any more.

        Args:
            run_id: the run.
            status: the new status.
            target_games: new target; None keeps the stored one.

        Raises:
            UnknownRow: there is no such run.

        """
        ended_at = None if status is RunStatus.RUNNING else time.time()
        values: dict[str, Any] = {"status": status, "ended_at": ended_at}
        if status in (RunStatus.RUNNING, RunStatus.INTERRUPTED):
            values["result"] = None
        if target_games is not None:
            values["target_games"] = target_games
        self._change(run_id, **values)

    def finish(self, run_id: int) -> None:
        """Mark a run as finished, now or at the end of a `deferring_finish` block.

        Raises:
            UnknownRow: there is no such run.

        """
        if self._deferred is None:
            self.set_status(run_id, RunStatus.FINISHED)
        else:
            self._deferred.append(run_id)

    def finish_deferred(self) -> None:
        """Mark the runs as finished that have ended so far in a `deferring_finish` block."""
        while self._deferred:
            self.set_status(self._deferred[0], RunStatus.FINISHED)
            del self._deferred[0]

    @contextmanager
    def deferring_finish(self) -> Iterator[None]:
        """Mark runs that end in the block as finished only when it is left without an error.

        The block prints the results. If the command is killed before that, the same command resumes
        the run and prints them; after a finished run, it would start the next one. The end of an
        inner block does nothing.
        """
        if self._deferred is not None:
            yield
            return
        self._deferred = []
        try:
            yield
            self.finish_deferred()
        finally:
            self._deferred = None

    def set_verdict(self, run_id: int, verdict: str) -> None:
        """Set a run's verdict, which names bots as they are called now. Raises UnknownRow."""
        with self._database.writing() as connection:
            names = _names_then(find_run(connection, run_id))
            values = {"verdict": rename_in_verdict(verdict, names)}
            connection.execute(update(RUNS).where(Run.id == run_id).values(**values))

    def result(self, run_id: int) -> dict[str, Any] | None:
        """Return the stored result of a run, with references to bots; None if it has no result."""
        rows = self._rows(select(Run.result).where(Run.id == run_id))
        return rows[0].result if rows else None

    def set_result(self, run_id: int, result: Mapping[str, Any] | None) -> None:
        """Set a run's result, with references to bots. Raises UnknownRow."""
        self._change(run_id, result=result)

    def set_note(self, run_id: int, note: str) -> None:
        """Set the user's note on a run. Raises UnknownRow."""
        self._change(run_id, note=note)

    def change_settings(self, run_id: int, **changes: object) -> None:
        """Change fields of a run's settings, which name bots as they are called now.

        Raises:
            UnknownRow: there is no such run.

        """
        with self._database.writing() as connection:
            run = find_run(connection, run_id)
            changed = msgspec.structs.replace(run.settings, **changes).renamed(_names_then(run))
            connection.execute(update(RUNS).where(Run.id == run_id).values(settings=changed))

    def delete(self, run_id: int) -> int:
        """Delete a run with its games.

        Its pair numbers become free: unless a later run of the stream took higher ones, the next
        run of the stream plays the same pairs.

        Returns:
            Number of deleted games.

        Raises:
            UnknownRow: there is no such run.
            InUse: a process is playing it.

        """
        with self._locked(run_id), self._database.writing(repeatable=False) as connection:
            find_run(connection, run_id)
            pairs = select(Pair.id).where(Pair.run_id == run_id)
            games = select(Game.id).where(Game.pair_id.in_(pairs))
            forfeited = games.where(Game.offender.is_not(None))
            connection.execute(delete(LAST_OUTPUTS).where(StoredLastOutput.game_id.in_(forfeited)))
            connection.execute(delete(VERDICTS).where(StoredVerdict.game_id.in_(games)))
            number = connection.execute(delete(GAMES).where(Game.pair_id.in_(pairs))).rowcount
            for table in (PAIRS, TUNING_STEPS, RUN_BOTS):
                connection.execute(delete(table).where(table.c.run_id == run_id))
            connection.execute(delete(RUNS).where(Run.id == run_id))
            return number

    def _change(self, run_id: int, **values: Any) -> None:
        with self._database.writing() as connection:
            changed = connection.execute(update(RUNS).where(Run.id == run_id).values(**values))
            if changed.rowcount == 0:
                raise _unknown_run(run_id)

    @contextmanager
    def _locked(self, run_id: int) -> Iterator[None]:
        """Hold the run's lock, so that no process resumes it. Raises InUse."""
        with closing(self._database.process_locks(LockKind.RUN)) as lock:
            if not lock.try_acquire(run_id):
                raise InUse(f"run {run_id} is being played by {lock.holder(run_id)}: stop it first")
            try:
                yield
            finally:
                lock.release(run_id)


def _unknown_run(run_id: int) -> UnknownRow:
    return UnknownRow(f"there is no run {run_id}: `ladder runs` lists all runs")


def find_run(connection: Connection, run_id: int) -> RunRow:
    """Return the run with this id. Raises UnknownRow."""
    row = connection.execute(select(*_COLUMNS).where(Run.id == run_id)).first()
    if row is None:
        raise _unknown_run(run_id)
    return _run(row, _current_names(connection, run_id))


def insert_run(connection: Connection, new: NewRun, status: RunStatus, **times: float) -> int:
    """Store a run, with the revisions of the bots in its settings; return its id."""
    run_id = insert_row(connection, RUNS, {**to_values(new), "status": status, **times})
    bots = new.settings.named
    query = (
        select(Revision.id, Bot.name, Revision.content_hash)
        .join(BOTS, Bot.id == Revision.bot_id)
        .where(Bot.name.in_(bots))
    )
    rows = [
        {"run_id": run_id, "name": row.name, "revision_id": row.id}
        for row in connection.execute(query)
        if bots[row.name] == row.content_hash
    ]
    if rows:
        connection.execute(insert(RUN_BOTS), rows)
    return run_id


def _current_names(connection: Connection, run_id: int | None = None) -> dict[int, dict[str, str]]:
    """Return, by run, the current names of renamed bots by their old ones; None for all runs."""
    query = (
        select(RunBot.run_id, RunBot.name, Bot.name.label("now"))
        .join(REVISIONS, Revision.id == RunBot.revision_id)
        .join(BOTS, Bot.id == Revision.bot_id)
        .where(RunBot.name != Bot.name)
    )
    if run_id is not None:
        query = query.where(RunBot.run_id == run_id)
    found: dict[int, dict[str, str]] = {}
    for row in connection.execute(query):
        found.setdefault(row.run_id, {})[row.name] = row.now
    return found


def _names_then(run: RunRow) -> dict[str, str]:
    """Return the names of renamed bots when the run began by their present ones."""
    return {now: then for then, now in run.renamed.items()}


def _run(row: Any, renamed: Mapping[int, Mapping[str, str]]) -> RunRow:
    names = renamed.get(row.id, {})
    return to_record(
        RunRow,
        row,
        settings=_settings(row).renamed(names),
        verdict=rename_in_verdict(row.verdict, names),
        renamed=names,
    )


def _settings(row: Any) -> StoredSettings:
    try:
        return settings_of(row.kind, row.settings)
    except ValueError as error:
        raise Corrupt(
            f"run {row.id}: {error}; `ladder doctor` lists all faults: restore a copy"
        ) from error


class TuningSteps(Queries):
    """The steps of all tunings of a database."""

    def add(self, run_id: int, step: TuningStepRow) -> None:
        """Store a step of a tuning run, unless it is stored already."""
        with self._database.writing() as connection:
            known = select(TuningStep.step).filter_by(run_id=run_id, step=step.step)
            if connection.execute(known).first() is not None:
                return
            connection.execute(
                insert(TUNING_STEPS).values(
                    **to_values(step), run_id=run_id, finished_at=time.time()
                )
            )

    def of_run(self, run_id: int) -> list[TuningStepRow]:
        """Return a run's steps in their order."""
        query = select(TUNING_STEPS).filter_by(run_id=run_id).order_by(TuningStep.step)
        return [to_record(TuningStepRow, row) for row in self._rows(query)]

    def games_by_run(self) -> dict[int, int]:
        """Return the number of finished games by tuning run."""
        games: dict[int, int] = {}
        for run_id, pentanomial in self._rows(select(TuningStep.run_id, TuningStep.pentanomial)):
            games[run_id] = games.get(run_id, 0) + 2 * sum(pentanomial)
        return games
