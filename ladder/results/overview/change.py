"""Changes of a run to the rating list of its division."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from db.records.aggregate import PairTableRow
from db.records.runs import DivisionRow, RunRow
from db.store import Store
from ladder.results.standings.division import current_tables
from ladder.results.standings.pool import rate_tables


def rate_without_run(store: Store, division: DivisionRow, run: RunRow) -> Mapping[str, float]:
    """The list ratings by name from all games of a division but those of one run.

    They stay the same while the run goes on. Reads all games of the run once.
    """
    tables, _ = current_tables(store, division, since=None)
    if not run.rated:
        return {}
    pool = rate_tables(without(tables, store.aggregate.of_run(run.id)))
    return {} if pool is None else pool.elo


def without(tables: Sequence[PairTableRow], part: Sequence[PairTableRow]) -> list[PairTableRow]:
    """The tables less the pairs that `part` counts; only the counts of results are right then."""
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
