"""`ladder report`: the rating list of a division."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ladder.cli.completion import bot_lists, bot_names
from ladder.cli.options import DEFAULT_DATABASE, Database, Format, Json
from ladder.cli.output import Forms, check_writable, print_error, show
from ladder.cli.parsing import names_of, parse_since
from ladder.cli.run_options import takes_options
from ladder.errors import ExitCode, UsageError

if TYPE_CHECKING:
    from db.records.runs import DivisionRow
    from db.store import Store
    from ladder.stats.pool.rating import RatingOptions

PANEL_PAGE = "As a page"


class Mode(StrEnum):
    """What is reported, by the option that asks for it."""

    LIST = ""
    COMPARE = "--compare"
    AGAINST = "--against"
    MISTAKES = "--mistakes"
    REGRESSIONS = "--regressions"


@dataclass(frozen=True, kw_only=True)
class ReportOptions:
    """The options of the command."""

    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[A B C...]", help="The bots of --compare.", autocompletion=bot_names
        ),
    ] = None
    compare: Annotated[
        bool, typer.Option("--compare", help="Put the named bots side by side instead.")
    ] = False
    division: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="Number, label or its beginning. [default: of the latest run]"
        ),
    ] = None
    since: Annotated[
        str | None,
        typer.Option(metavar="TIME", help="Only games since 2026-11-20, 2026-11-20T18:00 or 12h."),
    ] = None
    bots: Annotated[
        str | None,
        typer.Option(
            metavar="LIST",
            help="Only these bots, names or patterns: v1,v2 or 'v*'.",
            autocompletion=bot_lists,
        ),
    ] = None
    against: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="NAME against each of its opponents instead.",
            autocompletion=bot_names,
        ),
    ] = None
    mistakes: Annotated[
        bool,
        typer.Option("--mistakes", help="What bots got wrong instead, after `ladder analyze`."),
    ] = False
    pairs: Annotated[bool, typer.Option("--pairs", help="Every two bots that met, too.")] = False
    retired: Annotated[bool, typer.Option("--retired", help="Retired bots, too.")] = False
    form: Annotated[Format, typer.Option("--format", help="How to write it.")] = Format.TABLE
    json: Json = False
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE", help="Write to a file.")
    ] = None
    html: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write a page with charts and games instead: one file, no network.",
            rich_help_panel=PANEL_PAGE,
        ),
    ] = None
    games: Annotated[
        int,
        typer.Option(
            min=0, max=20_000, metavar="N", help="Games in the page.", rich_help_panel=PANEL_PAGE
        ),
    ] = 200
    force: Annotated[
        bool,
        typer.Option(
            "--force",
            help="Let --html replace a file that ladder did not write.",
            rich_help_panel=PANEL_PAGE,
        ),
    ] = False
    anchor: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=ELO", help="Fix a bot's rating; may be given several times."),
    ] = None
    regressions: Annotated[
        bool,
        typer.Option(
            "--regressions",
            help="Print versions that lost against the one they are based on; exit 3 if any did.",
        ),
    ] = False
    fail_undecided: Annotated[
        bool,
        typer.Option(
            "--fail-undecided", help="With --regressions: exit 4 if a version may have lost."
        ),
    ] = False
    threshold: Annotated[
        float,
        typer.Option(min=0, max=4000, metavar="ELO", help="How much a step may lose."),
    ] = 0.0

    @cached_property
    def mode(self) -> Mode:
        """What is asked for.

        Raises:
            UsageError: options contradict each other.

        """
        named = self.names or []
        if (self.compare or named) and not (self.compare and 1 < len(named) == len(set(named))):
            raise UsageError(
                "--compare takes two or more different bots, such as `ladder report --compare v4 "
                "v3`"
            )
        given = [
            mode
            for mode, is_given in (
                (Mode.COMPARE, self.compare),
                (Mode.AGAINST, self.against is not None),
                (Mode.MISTAKES, self.mistakes),
                (Mode.REGRESSIONS, self.regressions),
            )
            if is_given
        ]
        on_page = given == [Mode.COMPARE]
        words = [*given, *(["--html"] if self.html is not None and not on_page else [])]
        if len(words) > 1:
            raise UsageError(f"{' and '.join(words)} contradict each other: give one of them")
        if self.fail_undecided and not self.regressions:
            raise UsageError("--fail-undecided belongs to --regressions: give both")
        return given[0] if given else Mode.LIST

    @cached_property
    def rating(self) -> "RatingOptions":
        """The options of the rating list. Raises UsageError."""
        from ladder.results.standings.rating_options import rating_options

        return rating_options(anchors=self.anchor or ())

    @cached_property
    def patterns(self) -> Sequence[str]:
        """The bots to show; none: all. Raises UsageError."""
        return () if self.bots is None else names_of(self.bots)

    @cached_property
    def moment(self) -> float | None:
        """The start of the earliest game that counts, epoch seconds. Raises UsageError."""
        return None if self.since is None else parse_since(self.since)

    def check(self) -> None:
        """Refuse words that cannot be used, before the database is opened. Raises UsageError."""
        from ladder.cli.html_file import check_html

        _ = self.mode, self.rating, self.patterns, self.moment
        check_writable(self.output)
        if self.html is not None:
            check_html(self.html, force=self.force)


@takes_options
def report(*, options: ReportOptions, db: Database = DEFAULT_DATABASE) -> int:
    """Print the rating list of a division and what to know before trusting it.

    `ladder report --compare A B` says instead who is stronger, and where the difference lies.
    `ladder report --against NAME` says which share of its opponents NAME beats.
    `ladder report --html night.html` writes all of it as a page, with every game to replay.
    """
    from ladder.cli.database import open_to_read
    from ladder.cli.html_file import write_division
    from ladder.results.standings.division import division_or_latest

    options.check()
    with open_to_read(db) as store:
        division = division_or_latest(store, options.division)
        if options.html is None:
            forms = FORMS[options.mode](store, division, options)
            show(forms, Format.JSON if options.json else options.form, options.output)
            return forms.code
        write_division(
            store,
            division,
            options.html,
            since=options.moment,
            games=options.games,
            options=options.rating,
            names=options.names or (),
            patterns=options.patterns,
            retired=options.retired,
        )
        print_error(f"the report is in {options.html}")
    return ExitCode.DONE


def _standings(store: "Store", division: "DivisionRow", options: ReportOptions) -> Forms:
    from ladder.results.analysis.division import read_mistakes
    from ladder.results.standings.division import standings_of_division
    from ladder.results.standings.selection import select_bots
    from reports.report import rating_columns, standings

    everyone = standings_of_division(store, division, since=options.moment, options=options.rating)
    made = select_bots(everyone, patterns=options.patterns, retired=options.retired)
    wrong = read_mistakes(store, division, since=options.moment)
    pairs = options.pairs
    return Forms(
        document=lambda: standings.standings_document(made, wrong),
        csv=lambda: rating_columns.standings_csv(made),
        markdown=lambda: standings.standings_markdown(made, wrong, pairs=pairs),
        table=lambda console: standings.print_standings(console, made, wrong, pairs=pairs),
    )


def _comparison(store: "Store", division: "DivisionRow", options: ReportOptions) -> Forms:
    from ladder.results.analysis.division import read_mistakes
    from ladder.results.standings.comparison import compare
    from reports.report import comparison

    since = options.moment
    made = compare(store, division, options.names or (), since=since, options=options.rating)
    wrong = read_mistakes(store, division, since=since)
    return Forms(
        document=lambda: comparison.comparison_document(made, wrong),
        csv=lambda: comparison.comparison_csv(made),
        markdown=lambda: comparison.comparison_markdown(made, wrong),
        table=lambda console: comparison.print_comparison(console, made, wrong),
    )


def _against(store: "Store", division: "DivisionRow", options: ReportOptions) -> Forms:
    from ladder.results.standings.against import compare_with_opponents
    from reports.report import against

    made = compare_with_opponents(
        store,
        division,
        options.against or "",
        patterns=options.patterns,
        retired=options.retired,
        since=options.moment,
    )
    return Forms(
        document=lambda: against.against_document(made),
        csv=lambda: against.against_csv(made),
        markdown=lambda: against.against_markdown(made),
        table=lambda console: against.print_against(console, made),
    )


def _mistakes(store: "Store", division: "DivisionRow", options: ReportOptions) -> Forms:
    from ladder.results.analysis.division import read_mistakes_of_bots
    from reports import analyze

    made = read_mistakes_of_bots(store, division, options.patterns, since=options.moment)
    return Forms(
        document=lambda: analyze.mistakes_document(made),
        csv=lambda: analyze.mistakes_csv(made),
        markdown=lambda: analyze.mistakes_markdown(made),
        table=lambda console: analyze.print_mistakes(console, made),
    )


def _regressions(store: "Store", division: "DivisionRow", options: ReportOptions) -> Forms:
    from ladder.results.standings.lineage import find_regressions
    from reports.report import regressions

    threshold, since = options.threshold, options.moment
    made = find_regressions(
        store, division, since=since, threshold=threshold, options=options.rating
    )
    text = regressions.regressions_text(made, threshold)
    is_undecided = options.fail_undecided and bool(made.undecided)
    return Forms(
        document=lambda: regressions.regressions_document(made),
        csv=lambda: regressions.regressions_csv(made),
        markdown=lambda: text,
        table=lambda console: console.print(text, soft_wrap=True),
        code=ExitCode.REGRESSION
        if made.lost
        else ExitCode.INCONCLUSIVE
        if is_undecided
        else ExitCode.DONE,
    )


FORMS: Mapping[Mode, Callable[["Store", "DivisionRow", ReportOptions], Forms]] = {
    Mode.LIST: _standings,
    Mode.COMPARE: _comparison,
    Mode.AGAINST: _against,
    Mode.MISTAKES: _mistakes,
    Mode.REGRESSIONS: _regressions,
}
