"""Times of bots' moves in a sample of games, by wall clock and processor.

A bot that waits for a processor looks slow by wall clock. Its processor time shows its own use, but
it is small for a bot that sleeps, too. So a bot counts as waiting only if the other bots of the
same games had to wait: then other programs used the machine.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from db.records.budget import move_limit_ms
from db.records.games import GameRow
from ladder.results.standings.notes import SharedMachine
from ladder.results.standings.standings import Standings

SHARED = 0.9
"""A smaller ratio of processor time to wall time means that bots waited."""
LEAST_MS = 1.0
"""Shorter mean move times are too short for that ratio."""


@dataclass(frozen=True, slots=True)
class MoveTimes:
    """One bot's milliseconds per move in a sample of games."""

    bot: str
    moves: int
    low: float
    """The 1 % quantile."""
    quarter: float
    median: float
    three_quarters: float
    """The 75 % quantile."""
    high: float
    """The 99 % quantile."""
    late: int
    """Moves over the budget but within the margin; those beyond it are forfeits."""
    wall_ms: float | None
    """Mean wall time of moves with measured processor time; None without any."""
    cpu_ms: float | None
    """Mean processor time of the same moves."""

    @property
    def cpu_share(self) -> float | None:
        """Ratio of processor time to wall time; None if not measured."""
        return self.cpu_ms / self.wall_ms if self.cpu_ms is not None and self.wall_ms else None


@dataclass(slots=True)
class _Sample:
    """One bot's moves in microseconds."""

    times: list[int] = field(default_factory=list)
    measured: int = 0
    cpu_us: int = 0
    wall_us: int = 0


def move_times(games: Sequence[GameRow], budget: Mapping[str, int]) -> list[MoveTimes]:
    """Return the move times of each bot in some games, by the bots' names.

    Args:
        games: games with their thoughts.
        budget: the division's budget; under a work budget no move is late.

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
        _summary(name, sample, move_limit_ms(budget, name))
        for name, sample in sorted(samples.items())
    ]


def _summary(name: str, sample: _Sample, budget_ms: float | None) -> MoveTimes:
    times = sorted(sample.times)
    low, quarter, median, three_quarters, high = (
        times[min(int(share * len(times)), len(times) - 1)] / 1000
        for share in (0.01, 0.25, 0.5, 0.75, 0.99)
    )
    late = 0 if budget_ms is None else sum(time > 1000 * budget_ms for time in times)
    count = 1000 * sample.measured
    return MoveTimes(
        bot=name,
        moves=len(times),
        low=low,
        quarter=quarter,
        median=median,
        three_quarters=three_quarters,
        high=high,
        late=late,
        wall_ms=sample.wall_us / count if count else None,
        cpu_ms=sample.cpu_us / count if count else None,
    )


def has_waited(entry: MoveTimes, times: Sequence[MoveTimes], *, stalled: bool = False) -> bool:
    """Return whether a bot was slow because it waited for a processor.

    Args:
        entry: the bot's times.
        times: the times of all bots in the same games.
        stalled: whether the machine stalled in these games; decides if no other bot was measured.

    """
    others = [other for other in times if other.bot != entry.bot]
    own, rest = _share([entry]), _share(others)
    shared = stalled if rest is None else rest < SHARED
    return own is not None and own < SHARED and shared


def shared_note(times: Sequence[MoveTimes]) -> SharedMachine:
    """Return the note that bots waited on a shared machine."""
    return SharedMachine(_share(times) or 0.0)


def excuse_waiting(standings: Standings, times: Sequence[MoveTimes]) -> Standings:
    """Clear `over_budget` of bots that only waited for a processor, and add a note about it.

    Args:
        standings: the standings.
        times: the bots' times in a sample of the games.

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
    """Return whether a bot's processor time is within its budget."""
    limit_ms = move_limit_ms(budget, entry.bot)
    return limit_ms is not None and entry.cpu_ms is not None and entry.cpu_ms <= limit_ms


def _share(times: Sequence[MoveTimes]) -> float | None:
    """Return the ratio of processor time to wall time; None if not measured."""
    measured = [
        (entry.moves * entry.cpu_ms, entry.moves * entry.wall_ms)
        for entry in times
        if entry.cpu_ms is not None and entry.wall_ms is not None and entry.wall_ms >= LEAST_MS
    ]
    wall = sum(wall for _, wall in measured)
    return sum(cpu for cpu, _ in measured) / wall if wall else None
