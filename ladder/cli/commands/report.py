"""`ladder report`: the rating list of a division."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ladder.cli.completion import bot_lists, bot_names
from ladder.cli.options import DEFAULT_DATABASE, Database, Format, Json

if TYPE_CHECKING:
    from ladder.cli.output import Forms
    from ladder.results.analysis.division import DivisionMistakes
    from ladder.results.standings.against import Against
    from ladder.results.standings.comparison import Comparison
    from ladder.results.standings.lineage import Regressions
    from ladder.results.standings.standings import Standings

PANEL_PAGE = "As a page"


def report(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[A B C...]", help="The bots of --compare.", autocompletion=bot_names
        ),
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
    bots: Annotated[
        str | None,
        typer.Option(
            metavar="LIST",
            help="Only these bots, names or patterns: v1,v2 or 'v*'.",
            autocompletion=bot_lists,
        ),
    ] = None,
    against: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="NAME against each of its opponents instead.",
            autocompletion=bot_names,
        ),
    ] = None,
    mistakes: Annotated[
        bool,
        typer.Option("--mistakes", help="What bots got wrong instead, after `ladder analyze`."),
    ] = False,
    pairs: Annotated[bool, typer.Option("--pairs", help="Every two bots that met, too.")] = False,
    retired: Annotated[bool, typer.Option("--retired", help="Retired bots, too.")] = False,
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
            "--regressions",
            help="Print versions that lost against the one they are based on; exit 3 if any did.",
        ),
    ] = False,
    fail_undecided: Annotated[
        bool,
        typer.Option(
            "--fail-undecided", help="With --regressions: exit 4 if a version may have lost."
        ),
    ] = False,
    threshold: Annotated[
        float,
        typer.Option(min=0, max=4000, metavar="ELO", help="How much a step may lose."),
    ] = 0.0,
    db: Database = DEFAULT_DATABASE,
) -> int:
    """Print the rating list of a division and what to know before trusting it.

    `ladder report --compare A B` says instead who is stronger, and where the difference lies.
    `ladder report --against NAME` says which share of its opponents NAME beats.
    `ladder report --html night.html` writes all of it as a page, with every game to replay.
    """
    from ladder.cli.database import open_to_read
    from ladder.cli.division import division_or_latest
    from ladder.cli.html_file import check_html, write_division
    from ladder.cli.output import check_writable, print_error, show
    from ladder.cli.parsing import names_of, parse_since
    from ladder.errors import ExitCode, UsageError
    from ladder.results.analysis.division import mistakes_of_bots, mistakes_of_division
    from ladder.results.standings.against import against_each
    from ladder.results.standings.comparison import compare as compare_bots
    from ladder.results.standings.division import standings_of_division
    from ladder.results.standings.lineage import regressions_of
    from ladder.results.standings.rating_options import rating_options
    from ladder.results.standings.selection import listed

    if bool(names) != compare:
        raise UsageError("bots are named for --compare, such as `ladder report --compare v4 v3`")
    if against is not None and (names or regressions or html is not None):
        raise UsageError("--against prints a list of its own: leave out --compare and the others")
    if regressions and (names or html is not None):
        raise UsageError("--regressions prints a list of its own: leave out --compare and --html")
    if fail_undecided and not regressions:
        raise UsageError("--fail-undecided belongs to --regressions: give both")
    if mistakes and (names or against is not None or regressions or html is not None):
        raise UsageError("--mistakes prints a list of its own: leave out --compare and the others")
    check_writable(output)
    if html is not None:
        check_html(html, force=force)
    shape = Format.JSON if json else form
    moment = None if since is None else parse_since(since)
    options = rating_options(anchors=anchor or ())
    patterns = () if bots is None else names_of(bots)
    with open_to_read(db) as store:
        row = division_or_latest(store, division)
        if html is not None:
            write_division(
                store,
                row,
                html,
                since=moment,
                games=games,
                options=options,
                names=names or (),
                patterns=patterns,
                retired=retired,
            )
            print_error(f"the report is in {html}")
            return ExitCode.DONE
        if regressions:
            found = regressions_of(store, row, since=moment, threshold=threshold, options=options)
            _print_regressions(found, threshold, json=shape is Format.JSON)
            if found.lost:
                return ExitCode.REGRESSION
            is_failed = fail_undecided and bool(found.undecided)
            return ExitCode.INCONCLUSIVE if is_failed else ExitCode.DONE
        if names:
            wrong = mistakes_of_division(store, row, since=moment)
            forms = _comparison_forms(
                compare_bots(store, row, names, since=moment, options=options), wrong
            )
        elif mistakes:
            forms = _mistakes_forms(mistakes_of_bots(store, row, patterns, since=moment))
        elif against is not None:
            forms = _against_forms(
                against_each(store, row, against, patterns=patterns, retired=retired, since=moment)
            )
        else:
            standings = standings_of_division(store, row, since=moment, options=options)
            chosen = listed(standings, patterns=patterns, retired=retired)
            wrong = mistakes_of_division(store, row, since=moment)
            forms = _standings_forms(chosen, wrong, pairs=pairs)
        show(forms, shape, output)
    return ExitCode.DONE


def _print_regressions(found: "Regressions", threshold: float, *, json: bool) -> None:
    from ladder.cli.output import print_out
    from reports.layout.format import to_json
    from reports.report.regressions import regressions_document, regressions_text

    print_out(to_json(regressions_document(found)) if json else regressions_text(found, threshold))


def _comparison_forms(made: "Comparison", wrong: "DivisionMistakes | None") -> "Forms":
    from ladder.cli.output import Forms
    from reports.report import comparison

    return Forms(
        document=lambda: comparison.comparison_document(made, wrong),
        csv=lambda: comparison.comparison_csv(made),
        markdown=lambda: comparison.comparison_markdown(made, wrong),
        table=lambda console: comparison.print_comparison(console, made, wrong),
    )


def _against_forms(made: "Against") -> "Forms":
    from ladder.cli.output import Forms
    from reports.report import against

    return Forms(
        document=lambda: against.against_document(made),
        csv=lambda: against.against_csv(made),
        markdown=lambda: against.against_markdown(made),
        table=lambda console: against.print_against(console, made),
    )


def _mistakes_forms(made: "DivisionMistakes | None") -> "Forms":
    from ladder.cli.output import Forms
    from reports import analyze

    return Forms(
        document=lambda: analyze.mistakes_document(made),
        csv=lambda: analyze.mistakes_csv(made),
        markdown=lambda: analyze.mistakes_markdown(made),
        table=lambda console: analyze.print_mistakes(console, made),
    )


def _standings_forms(
    standings: "Standings", wrong: "DivisionMistakes | None", *, pairs: bool
) -> "Forms":
    from ladder.cli.output import Forms
    from reports.report import standings as reports
    from reports.report.rating_columns import standings_csv

    return Forms(
        document=lambda: reports.standings_document(standings, wrong),
        csv=lambda: standings_csv(standings),
        markdown=lambda: reports.standings_markdown(standings, wrong, pairs=pairs),
        table=lambda console: reports.print_standings(console, standings, wrong, pairs=pairs),
    )
