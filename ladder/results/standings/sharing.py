"""Whether bots took longer than their budget by themselves, or waited on a shared machine.

By the wall clock a bot that waits for a processor looks slow. Its processor time tells what it took
itself; and a bot that sleeps is told from one that waits by the others of the same games, which
wait as well on a machine that other programs share, and do not on one that is free.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from db.records.budget import amount_for
from ladder.results.standings.move_times import MoveTimes
from ladder.results.standings.standings import Standings

SHARED = 0.9
"""Processor time over wall time below which bots waited."""
LEAST_MS = 1.0
"""Mean move time from which on that share means something."""


def waited(entry: MoveTimes, times: Sequence[MoveTimes]) -> bool:
    """Return whether a bot's time beyond its processor time was waiting, as the others' was.

    Args:
        entry: the bot's.
        times: of all bots in the same games.

    """
    others = [other for other in times if other.bot != entry.bot]
    own, rest = _share([entry]), _share(others)
    return own is not None and rest is not None and own < SHARED and rest < SHARED


def shared_note(times: Sequence[MoveTimes]) -> str:
    """Return a sentence about a machine that was shared."""
    share = _share(times) or 0.0
    return (
        f"the machine was shared: bots computed for {share:.0%} of the time that their moves took "
        "and waited for the rest, so a move time beyond the budget is not the bot's own doing; "
        "lower --concurrency or stop other programs for times that can be compared"
    )


def without_waiting(standings: Standings, times: Sequence[MoveTimes]) -> Standings:
    """Return the standings with no bot blamed for the time that it waited, and a note if any did.

    Args:
        standings: of bots whose mean move time may be beyond their budget.
        times: of the same bots in a sample of their games.

    """
    known = {entry.bot: entry for entry in times}
    excused = {
        bot.name
        for bot in standings.bots
        if bot.over_budget
        and (entry := known.get(bot.name)) is not None
        and _fits(entry, standings.budget)
        and waited(entry, times)
    }
    if not excused:
        return standings
    bots = [
        replace(bot, over_budget=bot.over_budget and bot.name not in excused)
        for bot in standings.bots
    ]
    notes = [*standings.notes, shared_note(times)]
    return replace(standings, bots=bots, notes=notes, is_shared=True)


def _fits(entry: MoveTimes, budget: Mapping[str, int]) -> bool:
    """Return whether a bot keeps to its time by the processor's clock."""
    limit_ms = amount_for(budget, "time_ms", entry.bot)
    return limit_ms is not None and entry.cpu_ms is not None and entry.cpu_ms <= limit_ms


def _share(times: Sequence[MoveTimes]) -> float | None:
    """Return processor time over wall time, or None if it was not measured."""
    measured = [
        (entry.moves * entry.cpu_ms, entry.moves * entry.wall_ms)
        for entry in times
        if entry.cpu_ms is not None and entry.wall_ms is not None and entry.wall_ms >= LEAST_MS
    ]
    wall = sum(wall for _, wall in measured)
    return sum(cpu for cpu, _ in measured) / wall if wall else None
