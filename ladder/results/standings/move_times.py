"""How long the bots' moves took in a sample of games, by the wall clock and by the processor's.

By the wall clock a bot that waits for a processor looks slow; its processor time is what it took
itself. Whether a bot sleeps or waits is decided by the others of the same games: they wait as well
on a machine that other programs share, and do not on one that is free.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from db.records.budget import amount_for
from db.records.games import GameRow
from ladder.results.standings.notes import SharedMachine
from ladder.results.standings.standings import Standings

SHARED = 0.9
"""Processor time over wall time below which bots waited."""
LEAST_MS = 1.0
"""Mean move time from which on that share means something."""


@dataclass(frozen=True, slots=True)
class MoveTimes:
    """One bot's milliseconds a move in a sample of games."""

    bot: str
    moves: int
    low: float
    """1 % of the moves were quicker."""
    quarter: float
    median: float
    three: float
    """Three quarters of the moves were quicker."""
    high: float
    """1 % of the moves were slower."""
    late: int
    """Moves over the budget, within the margin; those beyond it are forfeits."""
    wall_ms: float | None
    """Mean over the moves whose processor time was measured; None: of none it was."""
    cpu_ms: float | None
    """Mean processor time of the same moves."""

    @property
    def cpu_share(self) -> float | None:
        """Processor time over wall time; None where none was measured."""
        return self.cpu_ms / self.wall_ms if self.cpu_ms is not None and self.wall_ms else None


@dataclass(slots=True)
class _Sample:
    """One bot's moves in microseconds."""

    times: list[int] = field(default_factory=list)
    measured: int = 0
    cpu_us: int = 0
    wall_us: int = 0


def move_times(games: Sequence[GameRow], budget: Mapping[str, int]) -> list[MoveTimes]:
    """Quantiles by bot of the moves in these games, in the order of the bots' names.

    Args:
        games: with their thoughts.
        budget: of the division; under one of work no move is late.

    """
    samples: dict[str, _Sample] = {}
    for game in games:
        for at, thought in enumerate(game.thoughts):
            name = (game.first, game.second)[(game.opening_plies + at) % 2]
            sample = samples.setdefault(name, _Sample())
            sample.times.append(thought.time_us)
            if thought.cpu_us is not None:
                sample.measured += 1
                sample.cpu_us += thought.cpu_us
                sample.wall_us += thought.time_us
    return [
        _summary(name, sample, amount_for(budget, "time_ms", name))
        for name, sample in sorted(samples.items())
    ]


def _summary(name: str, sample: _Sample, budget_ms: float | None) -> MoveTimes:
    times = sorted(sample.times)
    low, quarter, median, three, high = (
        times[min(int(share * len(times)), len(times) - 1)] / 1000
        for share in (0.01, 0.25, 0.5, 0.75, 0.99)
    )
    late = 0 if budget_ms is None else sum(time > 1000 * budget_ms for time in times)
    count = 1000 * sample.measured
    return MoveTimes(
        name,
        len(times),
        low,
        quarter,
        median,
        three,
        high,
        late,
        sample.wall_us / count if count else None,
        sample.cpu_us / count if count else None,
    )


def has_waited(entry: MoveTimes, times: Sequence[MoveTimes], *, stalled: bool = False) -> bool:
    """Return whether a bot's time beyond its processor time was waiting, as the others' was.

    Args:
        entry: the bot's.
        times: of all bots in the same games.
        stalled: whether moves were asked again there; it decides where no other bot was measured.

    """
    others = [other for other in times if other.bot != entry.bot]
    own, rest = _share([entry]), _share(others)
    shared = stalled if rest is None else rest < SHARED
    return own is not None and own < SHARED and shared


def shared_note(times: Sequence[MoveTimes]) -> SharedMachine:
    """Return the note on a machine that was shared."""
    return SharedMachine(_share(times) or 0.0)


def excuse_waiting(standings: Standings, times: Sequence[MoveTimes]) -> Standings:
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
        and has_waited(entry, times, stalled=standings.stalled_games > 0)
    }
    if not excused:
        return standings
    bots = [
        replace(bot, over_budget=bot.over_budget and bot.name not in excused)
        for bot in standings.bots
    ]
    return replace(standings, bots=bots, notes=[*standings.notes, shared_note(times)])


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
