"""The effect of a run on the rating list of its division."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from db.records.aggregate import PairTableRow
from db.records.runs import DivisionRow, RunRow
from db.store import Store
from ladder.results.standings.division import current_tables
from ladder.results.standings.pool import rate_tables


def rate_without_run(store: Store, division: DivisionRow, run: RunRow) -> Mapping[str, float]:
    """Return list ratings by name from a division's games without those of one run.

    They do not change during the run. All games of the run are read.
    """
    if not run.rated:
        return {}
    tables, _ = current_tables(store, division, since=None)
    pool = rate_tables(_subtract(tables, store.aggregate.of_run(run.id)))
    return {} if pool is None else pool.elo


def _subtract(tables: Sequence[PairTableRow], part: Sequence[PairTableRow]) -> list[PairTableRow]:
    """Return tables minus the pairs of `part`; only their counts of results are then right."""
    taken = {(row.board_class, row.a_revision, row.b_revision): row.counts for row in part}
    left = []
    for row in tables:
        counts = taken.get((row.board_class, row.a_revision, row.b_revision))
        if counts is None:
            left.append(row)
            continue
        rest = tuple(max(all_ - own, 0) for all_, own in zip(row.counts, counts, strict=True))
        if any(rest):
            left.append(replace(row, counts=rest))
    return left
