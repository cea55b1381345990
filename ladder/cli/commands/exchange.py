"""`ladder export` and `ladder import`: stored games as text, and back."""

import itertools
import sys
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path

from db.records.exchange import GameLine
from ladder.cli.database import open_to_fill, open_to_read
from ladder.cli.options import DEFAULT_DATABASE, Database
from ladder.cli.output import check_writable, print_result, write_output
from ladder.errors import UsageError
from ladder.experiments.stored import check_result
from ladder.names import counted
from ladder.results.exchange.formats import WRITERS, GameFormat
from ladder.results.exchange.importing import import_games
from ladder.results.exchange.jsonl import open_games, with_positions, write_archives
from reports.outcomes import import_document, import_text


def export(
    format_: GameFormat = GameFormat.JSONL,
    division: str | None = None,
    ids: bool = False,
    bots: bool = False,
    output: Path | None = None,
    db: Database = DEFAULT_DATABASE,
) -> int:
    """Write the stored games as text.

    Equal games give equal files: the order does not depend on the clock.

    Options:
      --format: jsonl holds everything and can be imported; csv and pgn hold players, moves, results
        and the date. The moves of a csv are columns (0 to 9, a, b) separated by spaces.
      --division NAME: Only games of this division: its number, its label or the beginning of one.
      --ids: Write each game's number in this database too, for `ladder replay`.
      --bots: With jsonl: write the files of all foreign bots too.

    Example:
      ladder export --format pgn -o games.pgn
    """
    if bots and format_ is not GameFormat.JSONL:
        raise UsageError("--bots needs --format jsonl: other formats hold no files")
    check_writable(output)
    with open_to_read(db) as store:
        chosen = None if division is None else store.divisions.find(division).id
        total = itertools.count()
        games = _counting(store.exchange.export_lines(chosen, ids=ids), total)
        lines = WRITERS[format_](
            with_positions(store, games) if format_ is GameFormat.JSONL else games
        )
        pieces = chain(write_archives(store) if bots else (), lines)
        if output is None:
            sys.stdout.writelines(pieces)
        else:
            write_output(output, pieces, "-o", lambda: counted(next(total), "game"))
    return 0


def _counting(games: Iterable[GameLine], total: "itertools.count[int]") -> Iterator[GameLine]:
    """Yield the games, and advance the counter at each."""
    for game in games:
        next(total)
        yield game


def import_(
    file: Path,
    db: Database = DEFAULT_DATABASE,
    json: bool = False,
) -> int:
    """Add exported games, all of them or none.

    Games that the database holds already are skipped. Bots that it does not know are added as
    retired: `ladder bots unretire` lets them play if the file holds their files
    (`ladder export --bots`), else `ladder bots add NAME SPEC --replace` does. A bot whose name
    another content has here is added as NAME@HASH; equal content is one bot. The file is refused
    as a whole if a game breaks the rules or contradicts a stored one, and then nothing is changed.

    Arguments:
      FILE: File in JSON Lines that `ladder export` wrote.

    Example:
      ladder import games.jsonl
    """
    with open_games(file) as games, open_to_fill(db) as store:
        imported = import_games(store, str(file), games, games.archives, check_result=check_result)
    return print_result(imported, import_document, import_text, json=json)
