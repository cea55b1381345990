"""Submission: an experiment enters the queue with the content of its bots."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from db.records.bots import BotRow
from db.records.launch import DEFAULT_LIMITS
from db.records.queue import EntryRow, NewEntry, NewQueueBot
from db.store import Store
from ladder.runs.cluster.bot_bundle import pack_bots


@dataclass(frozen=True, slots=True, kw_only=True)
class Submission:
    """An experiment whose command line was checked."""

    command: str
    """Command, such as ``gate`` or ``suite run``."""
    arguments: Sequence[str]
    """The words after the command, without the database."""
    folder: str
    """Folder in which it was submitted."""
    author: str
    host: str
    priority: int
    note: str


def submit(store: Store, submission: Submission, bots: Iterable[BotRow]) -> EntryRow:
    """Store a waiting entry with the files of its bots that are not built in.

    Raises:
        UsageError: a bot has changed since it was registered, or is too large to be sent.
        SpecError: a file or program of a bot is missing.

    """
    bundle = pack_bots(bots, limits=DEFAULT_LIMITS, sandbox=(), pin=False)
    shipped = [
        NewQueueBot(name=bot.name, spec=bot.spec, revision_id=bot.revision, archive=bot.archive)
        for bot in bundle.manifest.bots
        if bot.archive
    ]
    return store.queue.add(
        NewEntry(
            command=submission.command,
            arguments=tuple(submission.arguments),
            folder=submission.folder,
            author=submission.author,
            host=submission.host,
            priority=submission.priority,
            note=submission.note,
            bots=tuple(shipped),
            archives=bundle.archives,
        )
    )
