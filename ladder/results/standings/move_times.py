"""How long the bots' moves took in a sample of games, by the wall clock and by the processor's."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from db.records.budget import amount_for
from db.records.games import GameRow


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
