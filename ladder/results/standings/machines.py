"""Agreement of the machines that played a division's pairs. Pure functions."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from db.records.aggregate import PairTableRow
from db.records.machines import MachineTableRow
from ladder.results.standings.notes import MachineDisagrees
from ladder.stats.counts import FloatArray
from ladder.stats.pool.agreement import GroupFit, agreement, worst_chance
from ladder.stats.pool.cells import Cells
from ladder.stats.pool.goodness import DOUBT
from ladder.stats.pool.rating import Pool


@dataclass(frozen=True, slots=True)
class MachineFit:
    """How well one machine's pairs fit the rating list."""

    name: str | None
    """None for coordinators' own machines and imported games."""
    fit: GroupFit

    @property
    def label(self) -> str:
        """The name, or "no cluster" for other pairs."""
        return "no cluster" if self.name is None else self.name


@dataclass(frozen=True, slots=True)
class Agreement:
    """How well all machines of a division fit its rating list."""

    machines: Sequence[MachineFit]
    """Machines, least likely first; those without enough games last."""
    p: float | None
    """Chance of a machine as far off as the first if all agree; None without enough games."""

    @property
    def doubts(self) -> list[MachineDisagrees]:
        """Notes on machines whose games differ from those of the others."""
        known = [(each, each.fit.p) for each in self.machines if each.fit.p is not None]
        return [
            MachineDisagrees(each.label, p * len(known), each.fit.surprise)
            for each, p in known
            if p * len(known) < DOUBT
        ]


def measure_agreement(
    played: Sequence[MachineTableRow], tables: Sequence[PairTableRow], pool: Pool | None
) -> Agreement | None:
    """Compare each machine's pairs with the rating list.

    Args:
        played: pairs by machine.
        tables: the aggregate of the list.
        pool: the list.

    Returns:
        None if fewer than two machines played the list's pairs.

    """
    if pool is None or not played:
        return None
    cells = pool.rating.cells
    counts = _counts(played, tables, cells)
    rest = np.maximum(cells.counts - sum(counts.values()), 0.0)
    groups: dict[str | None, FloatArray] = {
        name: count for name, count in counts.items() if count.sum() > 0
    }
    if rest.sum() > 0:
        groups[None] = rest
    if len(groups) < 2:
        return None
    fits = agreement(cells=cells, fit=pool.rating.fit, groups=np.stack(list(groups.values())))
    machines = [MachineFit(name, fit) for name, fit in zip(groups, fits, strict=True)]
    machines.sort(key=lambda each: 2.0 if each.fit.p is None else each.fit.p)
    return Agreement(machines, worst_chance(fits))


def _counts(
    played: Sequence[MachineTableRow], tables: Sequence[PairTableRow], cells: Cells
) -> dict[str, FloatArray]:
    """Return each machine's pairs by outcome, in the order of the cells, shape (T, 9)."""
    rows = zip(cells.board_class.tolist(), cells.a.tolist(), cells.b.tolist(), strict=True)
    place = {
        (cells.classes[kind], cells.players[a], cells.players[b]): row
        for row, (kind, a, b) in enumerate(rows)
    }
    names = {
        (row.board_class, row.a_revision, row.b_revision): (row.board_class, row.a_name, row.b_name)
        for row in tables
    }
    found: dict[str, FloatArray] = {}
    for line in played:
        table = names.get((line.board_class, line.a_revision, line.b_revision))
        if table in place:  # otherwise of a former revision or an unrated bot
            counts = found.setdefault(line.machine, np.zeros_like(cells.counts))
            counts[place[table]] += line.counts
    return found
