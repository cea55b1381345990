"""The queue of experiments, and the services that play it."""

import time
from collections.abc import Collection
from typing import Any

import msgspec
from sqlalchemy import Connection, case, delete, func, insert, select, update

from db.connection.database import Database
from db.connection.retry_policy import retried
from db.errors import InUse, UnknownRow
from db.json_column import to_json
from db.models import Archive, QueueBot, QueueEntry, QueueService
from db.records.queue import (
    DECIDED_CODES,
    FINAL_STATES,
    EntryRequest,
    EntryRow,
    EntryState,
    NewEntry,
    NewService,
    QueueBotRow,
    ServiceRow,
)

_WAITING, _PLAYING, _PAUSED, _CANCELLED = (
    state.value
    for state in (EntryState.WAITING, EntryState.PLAYING, EntryState.PAUSED, EntryState.CANCELLED)
)
_ENDED = [state.value for state in FINAL_STATES]


@retried
class Queue:
    """The queue of a database.

    Entries change only by single transactions that check their state, so that commands, pages and
    several services can change them at the same time.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    # Entries.

    def add(self, new: NewEntry) -> EntryRow:
        """Store a waiting entry with its bots."""
        with self._database.writing() as connection:
            added = connection.execute(
                insert(QueueEntry)
                .values(
                    command=new.command,
                    arguments=to_json(new.arguments),
                    folder=new.folder,
                    author=new.author,
                    host=new.host,
                    priority=new.priority,
                    place=0,
                    note=new.note,
                    state=_WAITING,
                    submitted_at=time.time(),
                    output="",
                    message="",
                )
                .returning(*QueueEntry.__table__.columns)
            ).one()
            stored = set(
                connection.scalars(select(Archive.digest).where(Archive.digest.in_(new.archives)))
            )
            for digest in new.archives.keys() - stored:
                connection.execute(
                    insert(Archive).values(digest=digest, content=new.archives[digest])
                )
            for bot in new.bots:
                connection.execute(
                    insert(QueueBot).values(
                        entry_id=added.id,
                        name=bot.name,
                        spec=bot.spec,
                        revision_id=bot.revision_id,
                        archive=bot.archive,
                    )
                )
            return read_entry(added)

    def get(self, entry_id: int) -> EntryRow:
        """Return an entry. Raises UnknownRow."""
        with self._database.reading() as connection:
            return _find(connection, entry_id)

    def find(
        self, *, states: Collection[EntryState] | None = None, limit: int | None = None
    ) -> list[EntryRow]:
        """Return the entries in these states, newest first; None means any."""
        query = select(QueueEntry.__table__).order_by(QueueEntry.id.desc()).limit(limit)
        if states is not None:
            query = query.where(QueueEntry.state.in_([state.value for state in states]))
        with self._database.reading() as connection:
            return [read_entry(row) for row in connection.execute(query)]

    def waiting(self) -> list[EntryRow]:
        """Return the waiting entries by priority and place."""
        return sorted(self.find(states=[EntryState.WAITING]), key=lambda entry: entry.order)

    def bots(self, entry_id: int) -> list[QueueBotRow]:
        """Return the bots of an entry that are not built in, by name."""
        query = select(QueueBot.__table__).filter_by(entry_id=entry_id).order_by(QueueBot.name)
        with self._database.reading() as connection:
            return [QueueBotRow(**row._mapping) for row in connection.execute(query)]

    def archive(self, digest: str) -> bytes:
        """Return the content of an archive. Raises UnknownRow."""
        with self._database.reading() as connection:
            content = connection.scalar(select(Archive.content).filter_by(digest=digest))
            if content is None:
                raise UnknownRow(f"there is no archive {digest}: its experiment has ended")
            return content

    # What users ask for. Each raises UnknownRow without such an entry, and InUse if it has ended.

    def cancel(self, entry_id: int) -> EntryRow:
        """Cancel an entry, or ask the service that plays it to do so."""
        with self._database.writing() as connection:
            entry = _find_unfinished(connection, entry_id)
            if entry.state is EntryState.PLAYING:
                return _set(connection, entry_id, request=EntryRequest.CANCEL.value)
            changed = _set(connection, entry_id, state=_CANCELLED, ended_at=time.time())
            _drop_archives(connection)
            return changed

    def pause(self, entry_id: int) -> EntryRow:
        """Let an entry wait until `resume`, or ask the service that plays it to do so.

        Raises InUse if it is being cancelled, too.
        """
        with self._database.writing() as connection:
            entry = _find_uncancelled(connection, entry_id)
            if entry.state is EntryState.PLAYING:
                return _set(connection, entry_id, request=EntryRequest.PAUSE.value)
            return _set(connection, entry_id, state=_PAUSED)

    def resume(self, entry_id: int) -> EntryRow:
        """Let a paused entry wait for its turn again; one that waits or plays is unchanged.

        Raises InUse if it is being cancelled, too.
        """
        with self._database.writing() as connection:
            entry = _find_uncancelled(connection, entry_id)
            if entry.state is EntryState.PAUSED:
                return _set(connection, entry_id, state=_WAITING)
            return _set(connection, entry_id, request=None)

    def put_first(self, entry_id: int) -> EntryRow:
        """Put an entry before all others of its priority."""
        with self._database.writing() as connection:
            _find_unfinished(connection, entry_id)
            first = connection.scalar(select(func.min(QueueEntry.place))) or 0
            return _set(connection, entry_id, place=first - 1)

    def set_priority(self, entry_id: int, priority: int) -> EntryRow:
        """Set the priority of an entry."""
        with self._database.writing() as connection:
            _find_unfinished(connection, entry_id)
            return _set(connection, entry_id, priority=priority)

    # What services do.

    def start_service(self, new: NewService) -> ServiceRow:
        """Store a service, which takes its lock before it claims entries."""
        now = time.time()
        values = {"host": new.host, "pid": new.pid, "cluster": new.cluster, "jobs": new.jobs}
        with self._database.writing() as connection:
            row = connection.execute(
                insert(QueueService)
                .values(**values, started_at=now, seen_at=now)
                .returning(*QueueService.__table__.columns)
            ).one()
            return ServiceRow(**row._mapping)

    def mark_service_seen(self, service_id: int) -> None:
        """Store that a service is alive now."""
        with self._database.writing() as connection:
            connection.execute(
                update(QueueService)
                .where(QueueService.id == service_id)
                .values(seen_at=time.time())
            )

    def services(self) -> list[ServiceRow]:
        """Return all services, newest first; whether one lives, its lock shows."""
        query = select(QueueService.__table__).order_by(QueueService.id.desc())
        with self._database.reading() as connection:
            return [ServiceRow(**row._mapping) for row in connection.execute(query)]

    def played_by(self, service_id: int) -> list[EntryRow]:
        """Return the entries that a service plays."""
        query = (
            select(QueueEntry.__table__)
            .where(QueueEntry.service_id == service_id, QueueEntry.state == _PLAYING)
            .order_by(QueueEntry.id)
        )
        with self._database.reading() as connection:
            return [read_entry(row) for row in connection.execute(query)]

    def claim(self, entry_id: int, service_id: int) -> EntryRow | None:
        """Let a service play a waiting entry; return None if it does not wait any more."""
        with self._database.writing() as connection:
            now = time.time()
            row = connection.execute(
                update(QueueEntry)
                .where(QueueEntry.id == entry_id, QueueEntry.state == _WAITING)
                .values(
                    state=_PLAYING,
                    service_id=service_id,
                    request=None,
                    started_at=func.coalesce(QueueEntry.started_at, now),
                )
                .returning(*QueueEntry.__table__.columns)
            ).first()
            return None if row is None else read_entry(row)

    def release(self, service_ids: Collection[int], entry_id: int | None = None) -> list[EntryRow]:
        """Take entries from services that stop playing them; return them as they are now.

        An entry waits again, unless it was to be cancelled or paused.

        Args:
            service_ids: services that have stopped, died, or give the entry back.
            entry_id: the entry; None for all that these services play.

        """
        asked = QueueEntry.request
        state = case(
            (asked == EntryRequest.CANCEL.value, _CANCELLED),
            (asked == EntryRequest.PAUSE.value, _PAUSED),
            else_=_WAITING,
        )
        ended_at = case((asked == EntryRequest.CANCEL.value, time.time()), else_=None)
        changed = (
            update(QueueEntry)
            .where(QueueEntry.service_id.in_(service_ids), QueueEntry.state == _PLAYING)
            .values(state=state, ended_at=ended_at, request=None)
            .returning(*QueueEntry.__table__.columns)
        )
        if entry_id is not None:
            changed = changed.where(QueueEntry.id == entry_id)
        with self._database.writing() as connection:
            entries = [read_entry(row) for row in connection.execute(changed)]
            if any(entry.state.is_final for entry in entries):
                _drop_archives(connection)
            return entries

    def set_run(self, entry_id: int, run_id: int) -> None:
        """Store the newest run of an entry."""
        with self._database.writing() as connection:
            _set(connection, entry_id, run_id=run_id)

    def finish(
        self, entry_id: int, service_id: int, *, exit_code: int, output: str, message: str
    ) -> EntryRow | None:
        """Store the end of an entry; return None if the service does not play it any more.

        Args:
            entry_id: the entry.
            service_id: the service that played it.
            exit_code: exit code of its command; negative for the signal that killed it.
            output: what the command printed as its result.
            message: why it failed; empty if it did not.

        """
        state = EntryState.DONE if exit_code in DECIDED_CODES else EntryState.FAILED
        with self._database.writing() as connection:
            row = connection.execute(
                update(QueueEntry)
                .where(
                    QueueEntry.id == entry_id,
                    QueueEntry.service_id == service_id,
                    QueueEntry.state == _PLAYING,
                )
                .values(
                    state=state.value,
                    request=None,
                    ended_at=time.time(),
                    exit_code=exit_code,
                    output=output,
                    message=message,
                )
                .returning(*QueueEntry.__table__.columns)
            ).first()
            if row is None:
                return None
            _drop_archives(connection)
            return read_entry(row)


def _find(connection: Connection, entry_id: int) -> EntryRow:
    row = connection.execute(select(QueueEntry.__table__).filter_by(id=entry_id)).first()
    if row is None:
        raise UnknownRow(
            f"there is no experiment {entry_id} in the queue: `ladder queue list` shows them"
        )
    return read_entry(row)


def _find_unfinished(connection: Connection, entry_id: int) -> EntryRow:
    entry = _find(connection, entry_id)
    if entry.state.is_final:
        raise InUse(
            f"experiment {entry_id} is {entry.state.value}: only one that has not ended can be "
            "changed; submit it again"
        )
    return entry


def _find_uncancelled(connection: Connection, entry_id: int) -> EntryRow:
    entry = _find_unfinished(connection, entry_id)
    if entry.request is EntryRequest.CANCEL:
        raise InUse(
            f"experiment {entry_id} is being cancelled: it can be neither paused nor resumed; "
            "submit it again"
        )
    return entry


def _set(connection: Connection, entry_id: int, **values: Any) -> EntryRow:
    changed = update(QueueEntry).where(QueueEntry.id == entry_id).values(**values)
    return read_entry(connection.execute(changed.returning(*QueueEntry.__table__.columns)).one())


def _drop_archives(connection: Connection) -> None:
    """Delete the archives that only ended entries needed."""
    ended = select(QueueEntry.id).where(QueueEntry.state.in_(_ENDED))
    connection.execute(
        update(QueueBot)
        .where(QueueBot.entry_id.in_(ended), QueueBot.archive.is_not(None))
        .values(archive=None)
    )
    needed = select(QueueBot.archive).where(QueueBot.archive.is_not(None))
    connection.execute(delete(Archive).where(Archive.digest.not_in(needed)))


def read_entry(row: Any) -> EntryRow:
    """Return a row as an entry.

    Raises:
        ValueError: another program has written it.

    """
    values = dict(row._mapping)
    return EntryRow(
        **values
        | {
            "arguments": msgspec.json.decode(values["arguments"], type=tuple[str, ...]),
            "state": EntryState(values["state"]),
            "request": None if values["request"] is None else EntryRequest(values["request"]),
        }
    )
