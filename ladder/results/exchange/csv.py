"""Games as comma-separated values: a header line, then one line per game."""

import csv
import io
from collections.abc import Iterable, Iterator
from itertools import chain

from db.records.exchange import GameLine
from ladder.results.exchange.fields import FIELDS, MORE_FIELDS, format_fields, parse_game
from ladder.results.exchange.numbered_game import ImportRefused, NumberedGame
from ladder.visible import visible

ID = "id"
"""The column of the games' numbers, which an import ignores."""


def read_csv(name: str, lines: Iterable[str]) -> Iterator[NumberedGame]:
    """Yield the games of CSV lines with all columns of `FIELDS`, in any order.

    Raises:
        ImportRefused: the header or a line does not come from an export.

    """
    reader = csv.DictReader(lines, strict=True)
    try:
        header = reader.fieldnames or ()
        missing = [column for column in FIELDS if column not in header]
        if missing:
            raise ImportRefused(name, 1, f"the columns {', '.join(missing)} are missing")
        for row in reader:
            number = reader.line_num
            if None in row or None in row.values():
                raise ImportRefused(
                    name, number, "the number of values differs from the number of columns"
                )
            yield NumberedGame(number, parse_game(name, number, row))
    except csv.Error as error:
        raise ImportRefused(name, reader.line_num, f"it is not valid CSV: {error}") from error


def write_csv(lines: Iterable[GameLine]) -> Iterator[str]:
    """Yield the header and a line per game, with the games' numbers if they are exported."""
    output = io.StringIO()
    writer = csv.writer(output, lineterminator="\n")
    rest = iter(lines)
    first = next(rest, None)
    ids = first is not None and first.timing.id != 0
    header = (*FIELDS, *MORE_FIELDS)
    writer.writerow([*header, ID] if ids else header)
    for line in () if first is None else chain((first,), rest):
        number = [str(line.timing.id)] if ids else []
        writer.writerow([*map(visible, format_fields(line).values()), *number])
        yield output.getvalue()
        output.seek(0)
        output.truncate()
    yield output.getvalue()
