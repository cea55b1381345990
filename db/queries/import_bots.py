"""The bots of an export in the database that imports it.

A bot of another database is the bot of its name here if it has the content of that, or continues
it. Else its name belongs to another content, and it gets the name with its hash.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

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
    revisions: dict[str, int] = field(default_factory=dict)
    """Keys by content hash, the current one last."""

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
        self._archives = set(connection.scalars(select(BotArchive.sha256)))
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
            self._register_bot(name, described[name])

    def _register_bot(self, name: str, lines: Sequence[BotLine]) -> None:
        """Find or add a bot with all of its revisions in the file, given oldest first.

        A bot that was registered on this machine keeps its current revision, whose sources are
        here. For a bot that only imports have added, the file decides.
        """
        described = {line.content_hash: self._to_revision(line) for line in lines}
        bot = self._find_bot(name, [*described])
        if bot is None:
            head = lines[-1]
            here = name if name not in self._bots else name_with_hash(name, head.content_hash)
            new = to_record(
                NewBot, to_values(head), name=here, revision=described[head.content_hash]
            )
            # Retired, because its program may be missing here, and no user has asked to run it.
            insert_bot(self._connection, new, is_imported=True)
            bot = _stored_bots(self._connection)[here]
        others = [content for content in bot.revisions if content not in described]
        follows = bot.is_imported and bot.current in described and described.keys() - bot.revisions
        for content, revision in reversed(described.items()):
            if content not in bot.revisions:
                bot.revisions[content] = insert_revision(
                    self._connection, bot.id, revision, is_current=False
                )
            elif archive := revision.launch.archive:
                without = (Revision.id == bot.revisions[content]) & Revision.archive.is_(None)
                self._connection.execute(update(REVISIONS).where(without).values(archive=archive))
        if follows:
            for recency, content in enumerate((*others, *described), start=1):
                self._connection.execute(
                    update(REVISIONS)
                    .where(Revision.id == bot.revisions[content])
                    .values(recency=recency)
                )
        self.revisions |= {(name, content): bot.revisions[content] for content in described}
        self._bots = _stored_bots(self._connection)
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

    def _to_revision(self, bot: BotLine) -> NewRevision:
        """Return a revision with its files, or without them if they are not stored here."""
        archive = bot.launch.archive if bot.launch.archive in self._archives else None
        launch = msgspec.structs.replace(bot.launch, folder="", archive=archive)
        return to_record(NewRevision, to_values(bot), launch=launch)


def _stored_bots(connection: Connection) -> dict[str, _StoredBot]:
    """Return all bots by name."""
    query = (
        select(Revision.id, Revision.content_hash, Revision.bot_id)
        .add_columns(Bot.name, Bot.created_at, Bot.retired_at)
        .join(BOTS, Bot.id == Revision.bot_id)
        .order_by(Revision.recency)
    )
    found: dict[str, _StoredBot] = {}
    for row in connection.execute(query):
        # `insert_bot` marks an imported bot, never registered here, in this way.
        new = _StoredBot(row.bot_id, row.name, row.retired_at == row.created_at)
        found.setdefault(row.name, new).revisions[row.content_hash] = row.id
    return found
