"""Games as comma-separated values: a header line, then one line per game."""

import csv
import io
from collections.abc import Iterable, Iterator
from itertools import chain

from db.records.exchange import GameLine
from ladder.results.exchange.fields import FIELDS, format_fields
from ladder.visible import visible


def write_csv(lines: Iterable[GameLine]) -> Iterator[str]:
    """Yield the header and a line per game, with the games' numbers if they are exported."""
    output = io.StringIO()
    writer = csv.writer(output, lineterminator="\n")
    rest = iter(lines)
    first = next(rest, None)
    ids = first is not None and first.timing.id != 0
    writer.writerow([*FIELDS, "id"] if ids else FIELDS)
    for line in () if first is None else chain((first,), rest):
        number = [str(line.timing.id)] if ids else []
        writer.writerow([*map(visible, format_fields(line).values()), *number])
        yield output.getvalue()
        output.seek(0)
        output.truncate()
    yield output.getvalue()
