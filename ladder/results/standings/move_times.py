"""Times of bots' moves in a sample of games, by wall clock and processor."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from db.records.budget import move_limit_ms
from db.records.games import GameRow


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
