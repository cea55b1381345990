"""Gates and matches of a division."""

from collections.abc import Sequence

from db.records.runs import RunRow
from reports.html.tables import Cell, Table, columns, number
from reports.html.words import day


def trials_table(runs: Sequence[RunRow]) -> Table:
    """A row per run."""
    return Table(
        columns("#run", "kind", "begun", "status", "note"),
        [
            (
                number(run.id, "d"),
                Cell(run.kind.value),
                Cell(day(run.started_at), run.started_at),
                Cell(run.status.value),
                Cell(run.note),
            )
            for run in runs
        ],
    )
