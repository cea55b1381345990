"""The players' speeds as a table."""

from collections.abc import Sequence

from rich.table import Table

from ladder.bench.search import SearchSpeed
from reports.format import number


def speed_table(speeds: Sequence[SearchSpeed]) -> Table:
    """One row for each player and board."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("bot")
    table.add_column("board")
    table.add_column("a second", justify="right")
    table.add_column("of")
    table.add_column("nodes held", justify="right")
    for speed in speeds:
        table.add_row(
            speed.bot,
            str(speed.board),
            number(speed.per_second, ",.0f"),
            "-" if speed.per_second is None else speed.unit,
            number(speed.tree, ",d"),
        )
    return table
