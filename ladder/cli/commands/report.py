"""`ladder report`: the rating list of a division."""

import io
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ladder.cli.options import DEFAULT_DATABASE, Database, Format, Json

if TYPE_CHECKING:
    from db.records.runs import DivisionRow
    from db.store import Store
    from ladder.standings.standings import Standings

PANEL_PAGE = "As a page"


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
    html: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write a page with charts and games instead: one file, no network.",
            rich_help_panel=PANEL_PAGE,
        ),
    ] = None,
    games: Annotated[
        int,
        typer.Option(
            min=0, max=20_000, metavar="N", help="Games in the page.", rich_help_panel=PANEL_PAGE
        ),
    ] = 200,
    force: Annotated[
        bool,
        typer.Option(
            "--force", help="Replace a file that is no page of ours.", rich_help_panel=PANEL_PAGE
        ),
    ] = False,
    anchor: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=ELO", help="Fix a bot's rating; may be given several times."),
    ] = None,
    regressions: Annotated[
        bool,
        typer.Option(
            "--regressions", help="Print the lost steps along --based-on; exit 3 if there are any."
        ),
    ] = False,
    threshold: Annotated[
        float,
        typer.Option(min=0, max=4000, metavar="ELO", help="How much a step may lose."),
    ] = 0.0,
    db: Database = DEFAULT_DATABASE,
) -> int:
    """Print the rating list, the pair table and what to know before trusting them.

    `ladder report --compare A B` says instead who is stronger, and where the difference lies.
    `ladder report --html night.html` writes all of it as a page, with every game to replay.
    """
    from ladder.cli.database import open_to_read
    from ladder.cli.html_file import check_html, write_division
    from ladder.cli.output import check_writable, print_error, print_out, stdout_console
    from ladder.cli.parsing import parse_since
    from ladder.errors import ExitCode, UsageError
    from ladder.standings.anchors import read_anchors
    from ladder.standings.standings import standings_of_division
    from reports.standings import print_standings

    if bool(names) != compare:
        raise UsageError("bots are named for --compare, such as `ladder report --compare v4 v3`")
    if regressions and (names or html is not None):
        raise UsageError("--regressions prints a list of its own: leave out --compare and --html")
    check_writable(output)
    if html is not None:
        check_html(html, force=force)
    shape = Format.JSON if json else form
    moment = None if since is None else parse_since(since)
    anchors = read_anchors(anchor or ())
    with open_to_read(db) as store:
        row = _division(store, division)
        if html is not None:
            write_division(
                store, row, html, since=moment, games=games, anchors=anchors, names=names or ()
            )
            print_error(f"the report is in {html}")
            return ExitCode.DONE
        if regressions:
            return _print_regressions(store, row, moment, threshold, json=shape is Format.JSON)
        if names:
            text = _render_comparison(store, row, names, moment, shape)
        else:
            standings = standings_of_division(store, row, since=moment, anchors=anchors)
            if shape is Format.TABLE and output is None:
                print_standings(stdout_console(), standings)
                return 0
            text = _render(standings, shape)
    if output is not None:
        output.write_text(text, encoding="utf-8")
        return 0
    print_out(text)
    return 0


def _print_regressions(
    store: "Store", row: "DivisionRow", since: float | None, threshold: float, *, json: bool
) -> int:
    """The lost steps of a division, for people or scripts."""
    from ladder.cli.output import print_out
    from ladder.errors import ExitCode
    from ladder.standings.lineage import lost_steps
    from reports.format import to_json
    from reports.regressions import regressions_document, regressions_text

    lost = lost_steps(store, row, since=since, threshold=threshold)
    print_out(to_json(regressions_document(lost)) if json else regressions_text(lost, threshold))
    return ExitCode.REGRESSION if lost else ExitCode.DONE


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
    from ladder.cli.console import plain_console
    from reports.standings import print_standings

    file = io.StringIO()
    print_standings(plain_console(file=file), standings)
    return file.getvalue()
