"""A mode in which databases store bots and refuse every other write."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from sqlalchemy import Connection, event

from db.models import BOT_ARCHIVES, BOT_FILES, BOTS, METADATA, REVISIONS

BOT_TABLES = frozenset(table.name for table in (BOTS, REVISIONS, BOT_ARCHIVES, BOT_FILES))
_WRITTEN = re.compile(r'(?i)\b(?:INTO|UPDATE|DELETE\s+FROM|TRUNCATE)\s+"?(\w+)')
_stores_only_bots: ContextVar[bool] = ContextVar("stores_only_bots", default=False)


class RefusedWrite(RuntimeError):
    """A write of something else than bots, which is a defect of the program."""


@contextmanager
def storing_only_bots() -> Iterator[None]:
    """Let all databases of this thread refuse writes in the block, except those of stored bots."""
    token = _stores_only_bots.set(True)
    try:
        yield
    finally:
        _stores_only_bots.reset(token)


@contextmanager
def refusing_other_writes(connection: Connection) -> Iterator[None]:
    """Refuse writes of a transaction that the mode does not allow. Raises RefusedWrite."""
    if not _stores_only_bots.get():
        yield
        return
    event.listen(connection, "before_cursor_execute", _refuse)
    try:
        yield
    finally:
        event.remove(connection, "before_cursor_execute", _refuse)


def _refuse(_connection: Connection, _cursor: Any, statement: str, *_: object) -> None:
    for table in _WRITTEN.findall(statement):
        if table in METADATA.tables and table not in BOT_TABLES:
            raise RefusedWrite(f"a plan may store bots alone, and this one writes {table}")
