"""Upsets: wins of bots with a low expected score."""

from collections.abc import Mapping

from db.records.runs import DivisionRow
from db.store import Store
from ladder.results.standings.division import current_tables
from ladder.results.standings.pool import rate_tables
from ladder.stats.elo import elo_to_score

EXPECTED = 0.25
"""Greatest expected score, by the rating list, of the winner of an upset."""


def possible_upsets(
    store: Store, division: DivisionRow | None = None
) -> Mapping[int, frozenset[tuple[int, int]]]:
    """Return, by division, the revisions (winner, loser) whose games would be upsets.

    Only rated bots with their current revisions are considered.

    Args:
        store: the open database.
        division: the only division to consider; None for all.

    """
    revisions = {bot.name: bot.revision.id for bot in store.bots.all(include_retired=True)}
    found = {}
    for one in store.divisions.all() if division is None else [division]:
        pool = rate_tables(current_tables(store, one, since=None)[0])
        elo = {} if pool is None else {revisions[name]: elo for name, elo in pool.elo.items()}
        found[one.id] = frozenset(
            (winner, loser)
            for winner in elo
            for loser in elo
            if elo_to_score(elo=elo[winner] - elo[loser]) <= EXPECTED
        )
    return found
