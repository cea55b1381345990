"""Times of bots' moves in a sample of games, by wall clock and processor."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from db.records.budget import move_limit_ms
from db.records.games import GameRow, Thought


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


def move_times(games: Sequence[GameRow], budget: Mapping[str, int]) -> list[MoveTimes]:
    """Return the move times of each bot in some games, by the bots' names.

    Args:
        games: games with their thoughts.
        budget: the division's budget; under a work budget no move is late.

    """
    thoughts: defaultdict[str, list[Thought]] = defaultdict(list)
    for game in games:
        for at, thought in enumerate(game.thoughts):
            thoughts[(game.first, game.second)[(game.opening_plies + at) % 2]].append(thought)
    return [
        _summary(name, own, move_limit_ms(budget, name)) for name, own in sorted(thoughts.items())
    ]


def _summary(name: str, thoughts: Sequence[Thought], limit_ms: float | None) -> MoveTimes:
    times = np.array([thought.time_us for thought in thoughts]) / 1000
    shares = (0.01, 0.25, 0.5, 0.75, 0.99)
    low, quarter, median, more, high = np.quantile(times, shares, method="higher").tolist()
    clocks = [(one.time_us, one.cpu_us) for one in thoughts if one.cpu_us is not None]
    wall_ms, cpu_ms = (np.mean(clocks, axis=0) / 1000).tolist() if clocks else (None, None)
    late = 0 if limit_ms is None else int((times > limit_ms).sum())
    return MoveTimes(name, len(times), low, quarter, median, more, high, late, wall_ms, cpu_ms)
