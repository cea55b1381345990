"""Games that fit conditions, page by page, in a bounded time however many are stored."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

from db.records.games import GameQuery, GameSummary
from db.store import Store
from ladder.results.overview.game_table import GameTable

STRETCH = 20_000
"""Games that are looked at in one read; the next reads look at twice as many each."""
LONGEST_S = 0.05
"""After so long no further stretch is begun."""


@dataclass(frozen=True, slots=True)
class Found:
    """A page of games, newest first."""

    games: Sequence[GameSummary]
    next: int | None
    """The id below which the next page goes on; None: there is nothing more."""
    is_cut: bool = False
    """Whether the search was stopped before the page was full: older games may fit, too."""


def search(
    store: Store,
    query: GameQuery,
    limit: int,
    table: GameTable | None = None,
    *,
    longest_s: float = LONGEST_S,
) -> Found:
    """The newest games that fit, at most `limit` of them.

    Args:
        store: the open database.
        query: the conditions.
        limit: games of a page.
        table: of the latest games; where it is not read yet, or None, and for older games than it
            has, stored games are looked through.
        longest_s: for so long.

    Raises:
        UnknownRow: the query names a bot or a run that is not there.

    """
    found: list[GameSummary] = []
    older = query
    if table is not None and table.catch_up(store):
        games, down_to = table.newest(store, query, limit + 1)
        if len(games) > limit or not down_to:
            return _page(games, limit)
        found = list(games)
        high = down_to + 1
        older = replace(query, before=high if query.before is None else min(query.before, high))
    if query.forfeit:  # few, and found by their index
        return _page([*found, *store.games.newest(older, limit + 1 - len(found))], limit)
    return _look_through(store, older, limit, found, longest_s)


def _look_through(
    store: Store, query: GameQuery, limit: int, found: list[GameSummary], longest_s: float
) -> Found:
    """Add stored games to those that were found, in stretches from the newest on."""
    begun = time.monotonic()
    top = store.games.last_id(query.run_id) + 1
    high = top if query.before is None else min(query.before, top)
    stretch = STRETCH
    while True:
        low = max(high - stretch, 0)
        part = replace(query, before=high, down_to=low)
        found += store.games.newest(part, limit + 1 - len(found))
        if len(found) > limit or low <= 1:
            return _page(found, limit)
        if time.monotonic() - begun > longest_s:
            return Found(found, low, is_cut=True)
        high, stretch = low, 2 * stretch


def _page(games: Sequence[GameSummary], limit: int) -> Found:
    if len(games) <= limit:
        return Found(games, None)
    return Found(games[:limit], games[limit - 1].id)
