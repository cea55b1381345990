"""The bots of an export in the database that imports it.

A bot of another database is the bot of its name here if it has the content of that, or continues
it. Else its name belongs to another content, and it gets the name with its hash.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import msgspec
from sqlalchemy import Connection, select, update

from db.columns import to_record, to_values
from db.models import BOTS, REVISIONS, Bot, BotArchive, Revision
from db.queries.bots import insert_bot, insert_revision
from db.records.bots import NewBot, NewRevision
from db.records.exchange import BotLine, name_with_hash

Content = tuple[str, str]
"""A bot's name in the file and its content hash."""


@dataclass(slots=True)
class _StoredBot:
    """A bot of this database."""

    id: int
    name: str
    is_imported: bool
    """Whether only imports have added it."""
    revisions: dict[str, int]
    """Keys by content hash, the current one last."""
    number: int
    """The greatest number of a revision."""
    recency: int
    """The least recency of a revision."""

    @property
    def current(self) -> str:
        """Content hash of the current revision."""
        return next(reversed(self.revisions))

    def is_called(self, name: str) -> bool:
        """Return whether a file may call it so: by its name, or without the hash in it."""
        return self.name == name or any(
            self.name == name_with_hash(name, content) for content in self.revisions
        )


class ImportedBots:
    """The bots of one file, with their revisions here."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._bots = _stored_bots(connection)
        self._taken: set[str] = set()
        """Names here of the file's bots so far; two bots of the file are never one."""
        self.revisions: dict[Content, int] = {
            (bot.name, content): revision
            for bot in self._bots.values()
            for content, revision in bot.revisions.items()
        }
        self.names: dict[str, str] = {}
        """Names here of bots that the file calls otherwise."""

    def register(self, lines: Collection[BotLine], latest: Mapping[Content, int]) -> None:
        """Find or add all bots of the file.

        Args:
            lines: the contents of all bots.
            latest: the number of the latest pair of each.

        """
        described: dict[str, list[BotLine]] = {}
        for line in sorted(lines, key=lambda each: latest.get((each.name, each.content_hash), -1)):
            described.setdefault(line.name, []).append(line)
        # First those that have their names here, so that no other one takes their bots.
        for name in sorted(described, key=lambda each: each not in self._bots):
            self._register_bot(described[name])

    def _stored_archive(self, bot: BotLine) -> str | None:
        """Return the archive of a bot if the database holds it."""
        query = select(BotArchive.sha256).filter_by(sha256=bot.launch.archive)
        return self._connection.scalar(query)

    def _register_bot(self, lines: Sequence[BotLine]) -> None:
        """Find or add a bot with all of its revisions in the file, given oldest first.

        A bot that was registered on this machine keeps its current revision, whose sources are
        here. For a bot that only imports have added, the file decides.
        """
        name, head, described = lines[0].name, lines[-1], [bot.content_hash for bot in lines]
        bot = self._find_bot(name, described)
        follows = bot is None or (bot.is_imported and bot.current in described)
        if bot is None:
            here = name if name not in self._bots else name_with_hash(name, head.content_hash)
            # Retired, because its program may be missing here, and no user has asked to run it.
            revision = _new_revision(head, None)
            new = to_record(NewBot, to_values(head), name=here, revision=revision)
            bot = _StoredBot(
                insert_bot(self._connection, new, is_retired=True), here, True, {}, 0, 1
            )
            self._bots[here] = bot
        unknown = [each for each in lines if each.content_hash not in bot.revisions]
        added = {}
        for index, each in enumerate(unknown):
            added[each.content_hash] = insert_revision(
                self._connection,
                bot.id,
                _new_revision(each, self._stored_archive(each)),
                number=bot.number + 1 + index,
                recency=bot.recency - len(unknown) + index,  # below all stored revisions
            )
        known = {**added, **bot.revisions}
        for each in lines:
            without = (Revision.id == known[each.content_hash]) & Revision.archive.is_(None)
            if archive := self._stored_archive(each):
                self._connection.execute(update(REVISIONS).where(without).values(archive=archive))
        if follows and unknown:
            others = [content for content in bot.revisions if content not in described]
            for recency, content in enumerate((*others, *described), start=1):
                self._connection.execute(
                    update(REVISIONS).where(Revision.id == known[content]).values(recency=recency)
                )
        self.revisions |= {(name, content): known[content] for content in described}
        self._taken.add(bot.name)
        if bot.name != name:
            self.names[name] = bot.name

    def _find_bot(self, name: str, described: Sequence[str]) -> _StoredBot | None:
        """Return the bot here that a bot of the file is, or continues.

        Args:
            name: its name in the file.
            described: its contents, the current one last.

        """
        head = described[-1]
        called = [bot for bot in self._bots.values() if bot.is_called(name)]
        same = [bot for bot in self._bots.values() if head in bot.revisions]
        renamed = [bot for bot in same if bot.name not in self._taken]
        continued = [bot for bot in called if bot.is_imported and bot.current in described]
        found = [*(bot for bot in called if bot in same), *renamed, *continued]
        return found[0] if found else None


def _stored_bots(connection: Connection) -> dict[str, _StoredBot]:
    """Return all bots by name."""
    query = (
        select(Revision.id, Revision.content_hash, Revision.number, Revision.recency)
        .add_columns(Revision.bot_id, Bot.name, Bot.created_at, Bot.retired_at)
        .join(BOTS, Bot.id == Revision.bot_id)
        .order_by(Revision.recency)
    )
    found: dict[str, _StoredBot] = {}
    for row in connection.execute(query):
        # `insert_bot` marks an imported bot, never registered here, in this way.
        is_imported = row.retired_at == row.created_at
        new = _StoredBot(row.bot_id, row.name, is_imported, {}, 0, row.recency)
        bot = found.setdefault(row.name, new)
        bot.revisions[row.content_hash] = row.id
        bot.number = max(bot.number, row.number)
    return found


def _new_revision(bot: BotLine, archive: str | None) -> NewRevision:
    """Return a revision with its files, or without them if they are not stored here."""
    launch = msgspec.structs.replace(bot.launch, folder="", archive=archive)
    return to_record(NewRevision, to_values(bot), launch=launch)
