"""Upsets: games won by a bot that the rating list of their division gave little chance."""

from collections.abc import Mapping

from db.records.runs import DivisionRow
from db.store import Store
from ladder.results.standings.division import current_tables
from ladder.results.standings.pool import rate_tables
from ladder.stats.elo import elo_to_score

EXPECTED = 0.25
"""A winner's expected score, as the list has it, up to which its win is an upset."""


def possible_upsets(
    store: Store, division: DivisionRow | None = None
) -> Mapping[int, frozenset[tuple[int, int]]]:
    """Return the possible upsets: by division, the revisions of winner and loser.

    Former revisions and bots without a rating are not in a list, so they are left out.

    Args:
        store: the open database.
        division: the only one to consider; None: all.

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
