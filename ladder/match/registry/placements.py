"""The places of bots that play from an archive of their files instead of from their own folder.

The queue plays a bot as it was when its experiment was submitted, whatever has happened since to
its folder, or to the computer on which that lay.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import NamedTuple

from db.records.bots import BotRow
from db.store import Store


class Placement(NamedTuple):
    """The submitted state of a bot."""

    spec: str
    """Its specification."""
    folder: Path
    """The folder of the unpacked archive of its files."""


_current: ContextVar[Mapping[int, Placement]] = ContextVar("placements", default={})  # noqa: B039 - never changed


@contextmanager
def use_placements(placements: Mapping[int, Placement]) -> Iterator[None]:
    """Let the bots of these revisions play from other folders inside the block."""
    token = _current.set(placements)
    try:
        yield
    finally:
        _current.reset(token)


def placement_of(bot: BotRow) -> Placement | None:
    """Return where a bot's files lie, or None if it plays from the folder of its registration."""
    return _current.get().get(bot.revision.id)


def pin_placed(store: Store) -> None:
    """Make the placed revisions the current ones of their bots, for this process only."""
    placements = _current.get()
    if placements:
        store.bots.pin({revision: placed.spec for revision, placed in placements.items()})
