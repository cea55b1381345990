"""Searching games page by page, in a limited time."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

from db.records.games import GameQuery, GameSummary
from db.store import Store

STRETCH = 20_000
"""Number of games in the first read; each further read doubles it."""
LONGEST_S = 1.0
"""No read begins after this time; reading a million games takes a fifth of it."""


@dataclass(frozen=True, slots=True)
class Found:
    """A page of found games, newest first."""

    games: Sequence[GameSummary]
    next: int | None
    """The id below which the next page begins; None if there are no more games."""
    is_cut: bool = False
    """Whether the time was over before the page was full: older games may fit, too."""


def search(
    store: Store,
    query: GameQuery,
    limit: int,
    *,
    longest_s: float = LONGEST_S,
    stretch: int = STRETCH,
) -> Found:
    """Return the newest games that fit, at most `limit` of them.

    Args:
        store: the open database.
        query: the conditions.
        limit: number of games on a page.
        longest_s: start no further read after this time.
        stretch: number of games in the first read.

    Raises:
        UnknownRow: the query names an unknown bot or run.

    """
    if query.forfeit:  # few games, which an index finds
        return _page(store.games.newest(query, limit + 1), limit)
    begun = time.monotonic()
    low, top = store.games.id_range(query.run_id)
    high = top + 1 if query.before is None else min(query.before, top + 1)
    found: list[GameSummary] = []
    while True:
        start = max(high - stretch, low)
        part = replace(query, before=high, min_id=start)
        found += store.games.newest(part, limit + 1 - len(found))
        if len(found) > limit or start <= low:
            return _page(found, limit)
        if time.monotonic() - begun > longest_s:
            return Found(found, start, is_cut=True)
        high, stretch = start, 2 * stretch


def _page(games: Sequence[GameSummary], limit: int) -> Found:
    if len(games) <= limit:
        return Found(games, None)
    return Found(games[:limit], games[limit - 1].id)
