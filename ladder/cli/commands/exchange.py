"""`ladder export` and `ladder import`: stored games as text, and back."""

from pathlib import Path
from typing import Annotated

import typer

from ladder.cli.options import DEFAULT_DATABASE, Database, Json
from ladder.results.exchange.game_format import GameFormat


def export(
    form: Annotated[
        GameFormat,
        typer.Option(
            "--format", help="jsonl is exact; csv and pgn hold no thoughts and no times but a date."
        ),
    ] = GameFormat.JSONL,
    division: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Number, label or its beginning. [default: all]"),
    ] = None,
    ids: Annotated[
        bool,
        typer.Option("--ids", help="With each game's number, as `ladder replay` takes it."),
    ] = False,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE", help="Write to a file.")
    ] = None,
    db: Database = DEFAULT_DATABASE,
) -> int:
    """Write all stored games of bots, in an order that does not depend on the clock."""
    import sys

    from ladder.checked_stream import writing
    from ladder.cli.database import open_to_read
    from ladder.cli.output import (
        check_writable,
        print_error,
    )
    from ladder.results.exchange.files import WRITERS

    check_writable(output)
    with open_to_read(db) as store:
        chosen = None if division is None else store.divisions.find(division).id
        pieces = WRITERS[form](store.exchange.export_lines(chosen, ids=ids))
        if output is None:
            sys.stdout.writelines(pieces)
        else:
            with writing(output, "-o") as file:
                file.writelines(pieces)
        people = store.human_games.count()
    if people:
        games = "1 game of a person is" if people == 1 else f"{people} games of people are"
        print_error(f"{games} not exported: they belong to no pair; `ladder replay` shows them")
    return 0


def import_(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="What `ladder export` wrote; its suffix counts.")
    ],
    form: Annotated[
        GameFormat | None,
        typer.Option("--format", help="[default: by the suffix, else jsonl]", show_default=False),
    ] = None,
    db: Database = DEFAULT_DATABASE,
    json: Json = False,
) -> int:
    """Take in exported games, all of them or none.

    Games that are here already are skipped when they are equal, so that the export of a grown
    database can be added to its beginning. Bots that were unknown here come retired, with their
    games; live ratings are computed anew.
    """
    from ladder.cli.database import open_store
    from ladder.cli.output import print_result
    from ladder.results.exchange.files import format_of, open_games
    from ladder.results.exchange.importing import import_games
    from reports.exchange import import_document, import_text

    with (
        open_games(file, form or format_of(file)) as games,
        open_store(db, create=True, sync=True) as store,
    ):
        imported = import_games(store, str(file), games)
    return print_result(
        imported,
        import_document,
        import_text,
        json=json,
    )
