"""Selecting the bots of a rating list to show."""

import fnmatch
from collections.abc import Collection, Sequence
from dataclasses import replace

from ladder.names import select_names
from ladder.results.standings.notes import PartShown, RetiredLeftOut
from ladder.results.standings.standings import PairStanding, Standings

WITH_GAMES = "name a bot of `ladder report`, or choose another division"
"""Advice about a name without rated games."""


def select_bots(
    standings: Standings, *, patterns: Sequence[str] = (), retired: bool = False
) -> Standings:
    """Return the list with the bots that a report shows.

    Retired bots are left out, unless `retired` is set, a pattern selects only retired ones, or all
    bots are retired. The list has ranks of its own; ratings are among all bots.

    Args:
        standings: standings of all bots.
        patterns: names or shell patterns; empty for all bots.
        retired: whether to show retired bots.

    Raises:
        UsageError: a pattern selects no bot of the list.

    """
    left_out = {bot.name for bot in standings.bots if bot.retired}
    for pattern in patterns:
        found = fnmatch.filter([bot.name for bot in standings.bots], pattern)
        if left_out.issuperset(found):
            left_out.difference_update(found)
    if retired or len(left_out) == len(standings.bots):
        left_out = set()
    return show_only(_without(standings, left_out), _selected(standings, patterns, left_out))


def show_only(standings: Standings, names: Collection[str] | None) -> Standings:
    """Return the list with the rows of these bots only, ranked anew; None for all rows."""
    bots = [bot for bot in standings.bots if names is None or bot.name in names]
    if len(bots) == len(standings.bots):
        return standings
    return replace(
        standings,
        bots=[replace(bot, rank=rank) for rank, bot in enumerate(bots, start=1)],
        pairs_table=_pairs_among(standings, {bot.name for bot in bots}),
        notes=[*standings.notes, PartShown(len(bots), standings.ranked)],
    )


def _without(standings: Standings, names: Collection[str]) -> Standings:
    """Return the list without retired bots, with new ranks and a note."""
    if not names:
        return standings
    kept = [bot for bot in standings.bots if bot.name not in names]
    return replace(
        standings,
        ranked=len(kept),
        bots=[replace(bot, rank=rank) for rank, bot in enumerate(kept, start=1)],
        pairs_table=_pairs_among(standings, {bot.name for bot in kept}),
        notes=[*standings.notes, RetiredLeftOut(len(names))],
    )


def _selected(
    standings: Standings, patterns: Sequence[str], left_out: Collection[str]
) -> list[str] | None:
    if not patterns:
        return None
    names = [bot.name for bot in standings.bots if bot.name not in left_out]
    return select_names(patterns, names, f"has no rated games in {standings.label}", WITH_GAMES)


def _pairs_among(standings: Standings, names: Collection[str]) -> list[PairStanding]:
    return [line for line in standings.pairs_table if line.a in names and line.b in names]
