"""`ladder report`: the rating list of a division."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ladder.cli.options import DEFAULT_DATABASE, Database, Format, Json

if TYPE_CHECKING:
    from db.records.runs import DivisionRow
    from db.store import Store
    from ladder.standings.standings import Standings


def report(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[A B C...]", help="The bots of --compare.")
    ] = None,
    compare: Annotated[
        bool, typer.Option("--compare", help="Put the named bots side by side instead.")
    ] = False,
    division: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="Number, label or its beginning. [default: of the latest run]"
        ),
    ] = None,
    since: Annotated[
        str | None,
        typer.Option(metavar="TIME", help="Only games since 2026-11-20, 2026-11-20T18:00 or 12h."),
    ] = None,
    form: Annotated[Format, typer.Option("--format", help="How to write it.")] = Format.TABLE,
    json: Json = False,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE", help="Write to a file.")
    ] = None,
    db: Database = DEFAULT_DATABASE,
) -> int:
    """Print the rating list, the pair table and what to know before trusting them.

    `ladder report --compare A B` says instead who is stronger, and where the difference lies.
    """
    from ladder.cli.database import open_store
    from ladder.cli.output import (
        check_writable,
        print_out,
    )
    from ladder.cli.parsing import parse_since
    from ladder.errors import UsageError
    from ladder.standings.standings import standings_of_division

    if bool(names) != compare:
        raise UsageError("bots are named for --compare, such as `ladder report --compare v4 v3`")
    check_writable(output)
    shape = Format.JSON if json else form
    moment = None if since is None else parse_since(since)
    with open_store(db, create=False) as store:
        row = _division(store, division)
        if names:
            text = _render_comparison(store, row, names, moment, shape)
        else:
            text = _render(standings_of_division(store, row, since=moment), shape)
    if output is not None:
        output.write_text(text, encoding="utf-8")
        return 0
    print_out(text)
    return 0


def _division(store: "Store", text: str | None) -> "DivisionRow":
    from ladder.errors import UsageError

    if text is not None:
        return store.divisions.find(text)
    run = store.runs.latest(kind=None)
    if run is None:
        raise UsageError("this database holds no games yet: play some with `ladder run`")
    ladder = store.runs.latest()
    return store.divisions.find(str((ladder or run).division_id))


def _render_comparison(
    store: "Store", row: "DivisionRow", names: list[str], since: float | None, form: Format
) -> str:
    from ladder.standings.comparison import compare
    from reports import comparison
    from reports.format import to_json

    made = compare(store, row, names, since=since)
    if form is Format.JSON:
        return to_json(comparison.comparison_document(made))
    if form is Format.CSV:
        return comparison.comparison_csv(made)
    if form is Format.MARKDOWN:
        return comparison.comparison_markdown(made)
    return comparison.comparison_text(made)


def _render(standings: "Standings", form: Format) -> str:
    from reports.format import to_json
    from reports.standings import (
        standings_csv,
        standings_document,
        standings_markdown,
    )

    if form is Format.JSON:
        return to_json(standings_document(standings))
    if form is Format.CSV:
        return standings_csv(standings)
    if form is Format.MARKDOWN:
        return standings_markdown(standings)
    from ladder.cli.output import stdout_console
    from reports.standings import print_standings

    console = stdout_console()
    with console.capture() as capture:
        print_standings(console, standings)
    return capture.get()
