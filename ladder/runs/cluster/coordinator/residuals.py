"""Detection of machines whose results do not fit those of the others.

It applies the test of the report, `ladder.stats.pool.agreement`, to the pairs of this session.
"""

from collections import defaultdict
from dataclasses import dataclass

import numpy as np

from db.records.pairs import PairPlan, PairRecord
from ladder.stats.counts import FloatArray
from ladder.stats.pool.agreement import LargestDeviation, agreement
from ladder.stats.pool.cells import from_named_tables, groups
from ladder.stats.pool.rating import rate_pool

OUTLIER_CHANCE = 1e-6
"""Chance below which a machine is reported; small, because a run tests thousands of times."""
EVERY = 200
"""Pairs between two tests, at least; with more machines, as many as machines, because the cost of
a test grows with them."""
LEAST_MACHINES = 3
"""Fewest machines that are tested: of two, either could be the wrong one."""

_Table = tuple[str, str, str]
"""Board class and the names of both bots in alphabetical order."""


@dataclass(frozen=True, slots=True)
class Outlier:
    """A machine whose results do not fit those of the others."""

    machine: str
    p: float
    """Chance of residuals this large on a sound machine, times the number of machines."""
    largest: LargestDeviation | None

    @property
    def reason(self) -> str:
        """The finding in words."""
        found = f"its results differ from those of the other machines (chance {self.p:.0e}"
        if self.largest is None:
            return f"{found})"
        one = self.largest
        return (
            f"{found}; {one.player} scored {one.points:g} of {one.games:g} points there, "
            f"{one.expected:.0f} expected)"
        )


class Residuals:
    """Pairs of a session by machine and outcome."""

    def __init__(self) -> None:
        self._counts: dict[str, dict[_Table, FloatArray]] = {}
        self._until_test = EVERY

    def add(self, machine: str, plan: PairPlan, record: PairRecord) -> Outlier | None:
        """Count a pair of two games; return an outlier if one is found, which counts no more."""
        first, second = (game.result for game in record.games)
        grid = (first.points2, 2 - second.points2)
        a, b = plan.a.name, plan.b.name
        if a > b:
            a, b, grid = b, a, (2 - grid[1], 2 - grid[0])
        tables = self._counts.setdefault(machine, defaultdict(lambda: np.zeros(9)))
        tables[plan.board_class, a, b][3 * grid[0] + grid[1]] += 1
        self._until_test -= 1
        if self._until_test > 0:
            return None
        self._until_test = max(EVERY, len(self._counts))
        return self._remove_outlier()

    def _remove_outlier(self) -> Outlier | None:
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
        if p * len(known) >= OUTLIER_CHANCE:
            return None
        self._counts.pop(name)
        return Outlier(name, p * len(known), fit.surprise)
