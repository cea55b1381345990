"""Upsets: games won by a bot that the rating list of their division gave little chance."""

from collections.abc import Mapping

from db.store import Store
from ladder.results.standings.division import standings_of_division
from ladder.stats.elo import elo_to_score

EXPECTED = 0.25
"""A winner's expected score, as the list has it, up to which its win is an upset."""


def possible_upsets(store: Store) -> Mapping[int, frozenset[tuple[int, int]]]:
    """The upsets that are possible: by division, the revisions of winner and loser.

    Former revisions, and bots without a rating, have no place in a list and are left out.
    """
    revisions = {bot.name: bot.revision.id for bot in store.bots.all(include_retired=True)}
    found = {}
    for division in store.divisions.all():
        elo = {
            revisions[bot.name]: bot.elo
            for bot in standings_of_division(store, division).bots
            if bot.elo is not None
        }
        found[division.id] = frozenset(
            (winner, loser)
            for winner in elo
            for loser in elo
            if elo_to_score(elo=elo[winner] - elo[loser]) <= EXPECTED
        )
    return found
