"""Registered bots and their revisions."""

import time
from collections.abc import Collection, Mapping
from typing import Any

import msgspec
from sqlalchemy import ColumnElement, Connection, delete, exists, func, select, update

from db.columns import insert_row, to_record, to_values
from db.database import Queries
from db.errors import InUse, NameTaken, UnknownRow
from db.models import BOTS, PAIRS, REVISIONS, RUN_BOTS, Bot, Pair, Revision, RunBot
from db.queries.archives import remove_unused, store_archive
from db.queries.divisions import rename_in_divisions
from db.records.bots import BotRow, NewBot, NewRevision, RevisionRow, remedy_for
from db.records.pairs import PairStatus


class Bots(Queries):
    """The registered bots of a database."""

    def all(self, *, include_retired: bool = False) -> list[BotRow]:
        """Return the bots in the order of registration."""
        chosen = [] if include_retired else [Bot.retired_at.is_(None)]
        with self._database.reading() as connection:
            return _read_bots(connection, *chosen)

    def names_with_games(self) -> set[str]:
        """Return the names of bots in runs with finished games."""
        finished = exists().where(Pair.run_id == RunBot.run_id, Pair.status == PairStatus.FINISHED)
        query = select(Bot.name).distinct().join(REVISIONS).join(RUN_BOTS).where(finished)
        return {row.name for row in self._rows(query)}

    def get(self, name: str) -> BotRow:
        """Return the bot with this name. Raises UnknownRow."""
        with self._database.reading() as connection:
            return _find(connection, name)

    def contents(self) -> dict[int, tuple[str, str]]:
        """Return each revision's bot and content hash, by the revision's id."""
        query = select(Revision.id, Bot.name, Revision.content_hash)
        rows = self._rows(query.join(BOTS, Bot.id == Revision.bot_id))
        return {row.id: (row.name, row.content_hash) for row in rows}

    def add(self, new: NewBot) -> BotRow:
        """Register a bot with its first revision. Raises NameTaken."""
        with self._database.writing(repeatable=False) as connection:
            _refuse_taken(connection, new.name)
            insert_bot(connection, new)
            return _find(connection, new.name)

    def bring_up_to_date(self, new: Collection[NewBot], changed: Mapping[str, NewRevision]) -> None:
        """Register bots, and give changed ones a new current revision, in one transaction.

        Args:
            new: bots to register; those that another process has registered only get the revision.
            changed: new revisions by bot.

        Raises:
            UnknownRow: a changed bot is not registered.

        """
        with self._database.writing() as connection:
            names = set(connection.execute(select(Bot.name)).scalars())
            revisions = dict(changed)
            for each in new:
                if each.name in names:
                    revisions[each.name] = each.revision
                else:
                    insert_bot(connection, each)
            for name, revision in revisions.items():
                _make_current(connection, _find(connection, name).id, revision)

    def replace(self, new: NewBot) -> BotRow:
        """Replace a registered bot's content, and unretire it. Raises UnknownRow.

        The old revision keeps its games; they do not count for the new one.
        """
        with self._database.writing() as connection:
            bot_id = _find(connection, new.name).id
            _update(connection, bot_id, **_bot_values(new), retired_at=None)
            _make_current(connection, bot_id, new.revision)
            return _find(connection, new.name)

    def retire(self, name: str) -> BotRow:
        """Retire a bot, if it is not yet: leave it out of lists and runs. Raises UnknownRow."""
        return self._set_retired(name, time.time())

    def unretire(self, name: str) -> BotRow:
        """Unretire a bot, if it is retired. Raises UnknownRow."""
        return self._set_retired(name, None)

    def _set_retired(self, name: str, moment: float | None) -> BotRow:
        with self._database.writing() as connection:
            bot = _find(connection, name)
            if (bot.retired_at is None) != (moment is None):
                _update(connection, bot.id, retired_at=moment)
            return _find(connection, name)

    def note(self, name: str, text: str) -> BotRow:
        """Store what a bot changes, or a note about it. Raises UnknownRow."""
        with self._database.writing() as connection:
            _update(connection, _find(connection, name).id, change=text)
            return _find(connection, name)

    def rename(self, name: str, new_name: str) -> BotRow:
        """Rename a bot, also in its games, runs and divisions, and in bots based on it.

        A run's identity and the order of its pairs keep the names of its start (`RunRow.renamed`).

        Raises:
            UnknownRow: there is no such bot.
            NameTaken: another bot, perhaps retired, or a division's odds have the new name.

        """
        with self._database.writing(repeatable=False) as connection:
            bot = _find(connection, name)
            if new_name != name:
                _refuse_taken(connection, new_name)
                _update(connection, bot.id, name=new_name)
                connection.execute(
                    update(BOTS).where(Bot.based_on == name).values(based_on=new_name)
                )
                rename_in_divisions(connection, name, new_name)
            return _find(connection, new_name)

    def delete(self, name: str) -> None:
        """Delete a bot without games, with its revisions and dropped pairs.

        Raises:
            UnknownRow: there is no such bot.
            InUse: it has games or planned pairs.

        """
        with self._database.writing(repeatable=False) as connection:
            bot = _find(connection, name)
            revisions = select(Revision.id).where(Revision.bot_id == bot.id)
            pairs = Pair.a_revision_id.in_(revisions) | Pair.b_revision_id.in_(revisions)
            for status, why in _DELETE_BLOCKERS:
                run = connection.execute(
                    select(Pair.run_id).where(pairs, Pair.status == status).limit(1)
                ).scalar()
                if run is not None:
                    raise InUse(why.format(name=name, run=run))
            connection.execute(delete(PAIRS).where(pairs))
            connection.execute(delete(RUN_BOTS).where(RunBot.revision_id.in_(revisions)))
            connection.execute(delete(REVISIONS).where(Revision.bot_id == bot.id))
            connection.execute(delete(BOTS).where(Bot.id == bot.id))
            remove_unused(connection)

    def drop_archives(self, revisions: Collection[int]) -> None:
        """Remove the files of revisions, which then cannot play, unless others use them."""
        with self._database.writing() as connection:
            connection.execute(
                update(REVISIONS).where(Revision.id.in_(revisions)).values(archive=None)
            )
            remove_unused(connection)


_DELETE_BLOCKERS = (
    (PairStatus.FINISHED, "{name} has stored games (run {run}): retire it instead"),
    (PairStatus.PLANNED, "{name} has pairs to play in run {run}: finish or delete that run first"),
)
"""Statuses of a pair that keep its bots from being deleted, with messages."""


def insert_bot(connection: Connection, new: NewBot, *, is_imported: bool = False) -> int:
    """Store a bot with its revision; return its id.

    An imported bot is stored with `retired_at == created_at`, which marks it as never registered
    here.
    """
    now = time.time()
    times = {"created_at": now, "retired_at": now if is_imported else None}
    bot_id = insert_row(connection, BOTS, {**_bot_values(new), **times})
    _insert_revision(connection, bot_id, new.revision, number=1, recency=1)
    return bot_id


def insert_revision(
    connection: Connection, bot_id: int, new: NewRevision, *, is_current: bool = True
) -> int:
    """Store a further revision of a bot, as its current one or below all others; return its id."""
    ends = func.max(Revision.number), func.min(Revision.recency), func.max(Revision.recency)
    number, low, high = connection.execute(select(*ends).filter_by(bot_id=bot_id)).one()
    recency = high + 1 if is_current else low - 1
    return _insert_revision(connection, bot_id, new, number=number + 1, recency=recency)


def _insert_revision(
    connection: Connection, bot_id: int, new: NewRevision, *, number: int, recency: int
) -> int:
    values = {
        "bot_id": bot_id,
        "number": number,
        "recency": recency,
        "created_at": time.time(),
        **_stored_values(connection, new),
    }
    return insert_row(connection, REVISIONS, values)


def _bot_values(new: NewBot) -> dict[str, Any]:
    values = to_values(new, NewBot)
    del values["revision"]
    return values


def _refuse_taken(connection: Connection, name: str) -> None:
    taken = connection.execute(select(Bot.retired_at).filter_by(name=name)).first()
    if taken is not None:
        state = "registered" if taken.retired_at is None else "retired but keeps its name"
        raise NameTaken(f"a bot called {name!r} is {state}: choose another name")


def _update(connection: Connection, bot_id: int, **values: object) -> None:
    connection.execute(update(BOTS).where(Bot.id == bot_id).values(**values))


def read_bot_names(connection: Connection) -> dict[int, str]:
    """Return each revision's bot name, by the revision's id."""
    rows = connection.execute(select(Revision.id, Bot.name).join(BOTS, Bot.id == Revision.bot_id))
    return {row.id: row.name for row in rows}


def find_revisions(connection: Connection, name: str) -> list[int]:
    """Return the ids of all revisions of a bot. Raises UnknownRow."""
    bot_id = _find(connection, name).id
    rows = connection.execute(select(Revision.id).where(Revision.bot_id == bot_id))
    return list(rows.scalars())


def _read_bots(connection: Connection, *conditions: ColumnElement[bool]) -> list[BotRow]:
    """Return the bots that fit in the order of registration, with their current revisions."""
    bots = connection.execute(select(BOTS).where(*conditions).order_by(Bot.id)).all()
    of_bots = select(REVISIONS).where(Revision.bot_id.in_([bot.id for bot in bots]))
    current = {row.bot_id: row for row in connection.execute(of_bots.order_by(Revision.recency))}
    found = []
    for bot in bots:
        row = current[bot.id]
        launch = msgspec.structs.replace(row.launch, archive=row.archive)
        revision = to_record(RevisionRow, row, launch=launch)
        found.append(to_record(BotRow, bot, revision=revision))
    return found


def _find(connection: Connection, name: str) -> BotRow:
    found = _read_bots(connection, Bot.name == name)
    if not found:
        known = connection.scalars(select(Bot.name))
        raise UnknownRow(f"no registered bot is called {name!r}: {remedy_for(name, known)}")
    return found[0]


def _make_current(connection: Connection, bot_id: int, new: NewRevision) -> None:
    known = connection.execute(
        select(Revision.id, Revision.content_hash, Revision.recency)
        .filter_by(bot_id=bot_id)
        .order_by(Revision.recency.desc())
    ).all()
    same = next((row for row in known if row.content_hash == new.content_hash), None)
    if same is None:
        insert_revision(connection, bot_id, new)
    else:
        recency = known[0].recency + (same is not known[0])
        values = _stored_values(connection, new)
        connection.execute(
            update(REVISIONS).filter_by(id=same.id).values(recency=recency, **values)
        )


def _stored_values(connection: Connection, new: NewRevision) -> dict[str, Any]:
    """Store the files of a revision; return its columns."""
    if new.packed is not None:
        store_archive(connection, new.packed)
    launch, archive = msgspec.structs.replace(new.launch, archive=None), new.launch.archive
    values = {**to_values(new, NewRevision), "launch": launch, "archive": archive}
    del values["packed"]
    return values
