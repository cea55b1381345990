"""The results of a run by machine: does one of them play other games than the rest?

The test is that of the report, `ladder.stats.pool.agreement`, on the pairs of this session alone.
"""

from collections import defaultdict
from dataclasses import dataclass

import numpy as np

from db.records.pairs import PairPlan, PairRecord
from ladder.stats.counts import FloatArray
from ladder.stats.pool.agreement import LargestDeviation, agreement
from ladder.stats.pool.cells import from_named_tables, groups
from ladder.stats.pool.rating import rate_pool

FAR_OUT = 1e-6
"""The chance below which a machine's results are not chance: a run looks at them thousands of
times."""
EVERY = 200
"""Pairs between two looks, or as many as there are machines when those are more: a look takes the
time of all of them."""
LEAST_MACHINES = 3
"""With two machines nobody could say which of them is out."""

_Table = tuple[str, str, str]
"""Board class and both bots by name, the first name of the alphabet first."""


@dataclass(frozen=True, slots=True)
class FarOut:
    """A machine whose results the others' do not explain."""

    machine: str
    p: float
    """Chance of residuals as large as its own in a machine like the others, times the machines."""
    surprise: LargestDeviation | None

    @property
    def why(self) -> str:
        """The finding in words."""
        said = f"its results are not the others' (chance {self.p:.0e} if they were"
        if self.surprise is None:
            return f"{said})"
        one = self.surprise
        return (
            f"{said}; {one.player} has {one.points:g} of {one.games:g} points there, "
            f"{one.expected:.0f} expected)"
        )


class Residuals:
    """Pairs of a session by machine and outcome."""

    def __init__(self) -> None:
        """No pair was played."""
        self._counts: dict[str, dict[_Table, FloatArray]] = {}
        self._until_look = EVERY

    def note(self, machine: str, plan: PairPlan, record: PairRecord) -> FarOut | None:
        """Count a pair; now and then look whether a machine is far out, which counts no more then.

        Args:
            machine: its name.
            plan: of the pair.
            record: of it, with two games.

        """
        first, second = (game.result for game in record.games)
        grid = (first.points2, 2 - second.points2)
        a, b = plan.a.name, plan.b.name
        if a > b:
            a, b, grid = b, a, (2 - grid[1], 2 - grid[0])
        tables = self._counts.setdefault(machine, defaultdict(lambda: np.zeros(9)))
        tables[plan.board_class, a, b][3 * grid[0] + grid[1]] += 1
        self._until_look -= 1
        if self._until_look > 0:
            return None
        self._until_look = max(EVERY, len(self._counts))
        return self._worst()

    def _worst(self) -> FarOut | None:
        if len(self._counts) < LEAST_MACHINES:
            return None
        keys = sorted({key for tables in self._counts.values() for key in tables})
        counts = np.array(
            [[tables.get(key, np.zeros(9)) for key in keys] for tables in self._counts.values()]
        )
        cells = from_named_tables(
            (a, b, board_class, total)
            for (board_class, a, b), total in zip(keys, counts.sum(axis=0), strict=True)
        )
        if len(groups(cells=cells)) > 1:
            return None  # too early: no games connect all bots
        fits = agreement(cells=cells, fit=rate_pool(cells=cells).fit, groups=counts)
        chances = [(fit.p, name, fit) for name, fit in zip(self._counts, fits, strict=True)]
        known = [(p, name, fit) for p, name, fit in chances if p is not None]
        if len(known) < LEAST_MACHINES:
            return None
        p, name, fit = min(known, key=lambda each: each[0])
        if p * len(known) >= FAR_OUT:
            return None
        self._counts.pop(name)
        return FarOut(name, p * len(known), fit.surprise)
