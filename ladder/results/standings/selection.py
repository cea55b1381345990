"""Which bots of a rating list are shown, and what is said about the others."""

from collections.abc import Collection, Sequence
from dataclasses import replace

from ladder.names import matching_names
from ladder.results.standings.notes import PartShown, RetiredLeftOut
from ladder.results.standings.standings import PairStanding, Standings

WITH_GAMES = "`ladder report` lists the bots that have"
"""Advice about a name without rated games, where no similar name has any."""


def select_bots(
    standings: Standings, *, patterns: Sequence[str] = (), retired: bool = False
) -> Standings:
    """The list as a report shows it: retired bots only if asked for, and those that patterns name.

    Ranks count the bots that are not left out as retired, whatever the patterns select. A retired
    bot is asked for by its name, too, and where there are no others.

    Args:
        standings: of all bots.
        patterns: names or shell patterns; none: all bots.
        retired: whether retired bots are asked for.

    Raises:
        UsageError: a pattern selects no bot of the list.

    """
    left_out = {bot.name for bot in standings.bots if bot.retired and bot.name not in patterns}
    if retired or len(left_out) == len(standings.bots):
        left_out = set()
    return show_only(_without(standings, left_out), _selected(standings, patterns, left_out))


def show_only(standings: Standings, names: Collection[str] | None) -> Standings:
    """The rows of these bots alone, with their ranks among all; None: all rows."""
    bots = [bot for bot in standings.bots if names is None or bot.name in names]
    if len(bots) == len(standings.bots):
        return standings
    return replace(
        standings,
        bots=bots,
        pairs_table=_pairs_among(standings, {bot.name for bot in bots}),
        notes=[*standings.notes, PartShown(len(bots), standings.ranked)],
    )


def _without(standings: Standings, names: Collection[str]) -> Standings:
    """The list without retired bots, ranked anew, and a note about them."""
    if not names:
        return standings
    kept = [bot for bot in standings.bots if bot.name not in names]
    return replace(
        standings,
        ranked=len(kept),
        bots=[replace(bot, rank=rank) for rank, bot in enumerate(kept, start=1)],
        pairs_table=_pairs_among(standings, {bot.name for bot in kept}),
        notes=[*standings.notes, RetiredLeftOut(sorted(names))],
    )


def _selected(
    standings: Standings, patterns: Sequence[str], left_out: Collection[str]
) -> set[str] | None:
    if not patterns:
        return None
    names = [bot.name for bot in standings.bots if bot.name not in left_out]
    return matching_names(
        patterns, names, "--bots", f"has no rated games in {standings.label}", WITH_GAMES
    )


def _pairs_among(standings: Standings, names: Collection[str]) -> list[PairStanding]:
    return [line for line in standings.pairs_table if line.a in names and line.b in names]
