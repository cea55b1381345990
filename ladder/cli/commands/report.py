"""`ladder report`: the rating list of a division."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import Annotated

from db.records.runs import DivisionRow
from db.store import Store
from ladder.cli.completion import bot_names
from ladder.cli.database import open_to_read
from ladder.cli.options import DEFAULT_DATABASE, BotName, BotNames, Database, Takes, number, whole
from ladder.cli.output import Format, check_writable, show
from ladder.cli.parsing import parse_names
from ladder.errors import ExitCode, UsageError
from ladder.moments import parse_since
from ladder.results.analysis.division import read_mistakes, read_mistakes_of_bots
from ladder.results.standings.against import compare_with_opponents
from ladder.results.standings.comparison import compare
from ladder.results.standings.division import division_or_latest, standings_of_division
from ladder.results.standings.lineage import find_regressions, line_of
from ladder.results.standings.pool import rating_options
from ladder.results.standings.standings import Standings, select_bots
from ladder.stats.pool.rating import RatingOptions
from reports.layout.terminal import Listing
from reports.report.comparison import against_listing, comparison_listing
from reports.report.mistakes import mistakes_listing
from reports.report.standings import standings_listing
from reports.report.versions import history_listing, regressions_listing


class Mode(StrEnum):
    """A kind of report, by the option that asks for it."""

    LIST = ""
    COMPARE = "--compare"
    AGAINST = "--against"
    MISTAKES = "--mistakes"
    REGRESSIONS = "--regressions"
    HISTORY = "--history"


@dataclass(frozen=True, kw_only=True)
class ReportOptions:
    """The options of the command."""

    names: Annotated[list[str], Takes(autocompletion=bot_names)] | None = None
    compare: bool = False
    against: BotName | None = None
    mistakes: bool = False
    regressions: bool = False
    threshold: Annotated[float, number(0, 4000, with_low=True)] = 0.0
    fail_undecided: bool = False
    history: BotName | None = None
    division: str | None = None
    since: str | None = None
    bots: BotNames | None = None
    retired: bool = False
    anchor: list[str] | None = None
    pairs: bool = False
    format_: Format = Format.TABLE
    json: bool = False
    output: Path | None = None
    html: Path | None = None
    games: Annotated[int, whole(0, 20_000)] = 200
    force: bool = False

    @cached_property
    def mode(self) -> Mode:
        """Return the kind of report.

        Raises:
            UsageError: options contradict each other.

        """
        named = self.names or []
        if named and not self.compare:
            raise UsageError(
                f"a report takes no bot without an option, got {' '.join(named)}: `ladder report "
                "--compare A B` compares bots, and --bots selects those of the list"
            )
        if self.compare and not 1 < len(named) == len(set(named)):
            raise UsageError(
                "--compare needs two or more different bots, such as `ladder report --compare v4 "
                "v3`"
            )
        given = [
            mode
            for mode, is_given in (
                (Mode.COMPARE, self.compare),
                (Mode.AGAINST, self.against is not None),
                (Mode.MISTAKES, self.mistakes),
                (Mode.REGRESSIONS, self.regressions),
                (Mode.HISTORY, self.history is not None),
            )
            if is_given
        ]
        on_page = given == [Mode.COMPARE]
        words = [*given, *(["--html"] if self.html is not None and not on_page else [])]
        if len(words) > 1:
            raise UsageError(f"{' and '.join(words)} contradict each other: give one of them")
        if self.fail_undecided and not self.regressions:
            raise UsageError("--fail-undecided needs --regressions: give both, or neither")
        return given[0] if given else Mode.LIST

    @cached_property
    def rating(self) -> RatingOptions:
        """Return the options of the rating list. Raises UsageError."""
        return rating_options(anchors=self.anchor or ())

    @cached_property
    def patterns(self) -> Sequence[str]:
        """Return names and patterns of the bots to show; empty for all. Raises UsageError."""
        return () if self.bots is None else parse_names(self.bots)

    @cached_property
    def moment(self) -> float | None:
        """Return when the first games that count began, in epoch seconds. Raises UsageError."""
        return None if self.since is None else parse_since(self.since)

    def check(self) -> None:
        """Refuse bad values before the database is opened. Raises UsageError."""
        _ = self.mode, self.rating, self.patterns, self.moment
        check_writable(self.output)
        if self.html is not None:
            from ladder.cli.html_file import check_html  # loads the compiler

            check_html(self.html, force=self.force)


def report(
    *,
    options: ReportOptions,
    db: Database = DEFAULT_DATABASE,
) -> int:
    """Print the rating list, and how far to trust it.

    A division holds the games under the same conditions: boards, openings and time or work per
    move. Ratings are Elo by maximum likelihood with 95 % errors. A bot that won or lost every game
    has a bound, such as "at least 1480".

    Exit codes: 0 done; 2 bad input; 3 with --regressions; 4 with --fail-undecided.

    Arguments:
      A B C...: Registered bots to compare; needs --compare.

    Instead of the rating list:
      --compare: Compare the named bots side by side, with a summary.
      --against NAME: List the opponents of one bot, its score against each, and how many it beats.
      --mistakes: Print the mistakes of each bot that `ladder analyze` has found.
      --regressions: Print the bots that are worse than the bot that they are based on, beyond the
        95 % error; exit code 3 if there is one.
      --threshold ELO: With --regressions: Elo loss that is accepted.
      --fail-undecided: With --regressions: exit code 4 if a bot may be worse and none is for
        certain.
      --history NAME: List the versions that a bot is based on and those that are based on it, with
        rating and change.

    Which games:
      --division NAME: Division to report: its number, its boards, its label or the beginning of
        one. [that of the latest run]
      --retired: Show retired bots too.
      --anchor NAME=ELO: Fixed rating of a bot, once for each; the other ratings follow.

    Database and output:
      --pairs: Add the results of every two bots that met.
      --format: Format of the result.
      --html FILE: Write the rating list, with charts and games, as an HTML page instead: one file
        that needs no network.
      --games N: With --html: most games to replay in the page; forfeits, upsets and short losses
        first.

    Example:
      ladder report --compare v4 v3
    """
    options.check()
    with open_to_read(db) as store:
        division = division_or_latest(store, options.division)
        if options.html is None or options.json or options.output is not None:
            made = REPORTS[options.mode](store, division, options)
            show(made, Format.JSON if options.json else options.format_, options.output)
            if options.html is None:
                return _exit_code(made, options)
        from ladder.cli.html_file import write_division

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
    return ExitCode.DONE


def _exit_code(made: Listing, options: ReportOptions) -> ExitCode:
    """Return the exit code, which reports regressions."""
    if made.document.get("regressions"):
        return ExitCode.REGRESSION
    is_undecided = options.fail_undecided and made.document.get("undecided")
    return ExitCode.INCONCLUSIVE if is_undecided else ExitCode.DONE


def _everyone(
    store: Store, division: DivisionRow, options: ReportOptions, *, with_others: bool = False
) -> Standings:
    return standings_of_division(
        store, division, since=options.moment, options=options.rating, with_others=with_others
    )


def _standings(store: Store, division: DivisionRow, options: ReportOptions) -> Listing:
    everyone = _everyone(store, division, options, with_others=True)
    made = select_bots(everyone, patterns=options.patterns, retired=options.retired)
    wrong = read_mistakes(store, division, since=options.moment)
    return standings_listing(made, wrong, pairs=options.pairs)


def _comparison(store: Store, division: DivisionRow, options: ReportOptions) -> Listing:
    since = options.moment
    made = compare(store, division, options.names or (), since=since, options=options.rating)
    wrong = read_mistakes(store, division, since=since)
    return comparison_listing(made, wrong)


def _against(store: Store, division: DivisionRow, options: ReportOptions) -> Listing:
    made = compare_with_opponents(
        store,
        division,
        options.against or "",
        patterns=options.patterns,
        retired=options.retired,
        since=options.moment,
    )
    return against_listing(made)


def _mistakes(store: Store, division: DivisionRow, options: ReportOptions) -> Listing:
    made = read_mistakes_of_bots(store, division, options.patterns, since=options.moment)
    return mistakes_listing(made)


def _regressions(store: Store, division: DivisionRow, options: ReportOptions) -> Listing:
    made = find_regressions(store, _everyone(store, division, options), options.threshold)
    return regressions_listing(made, options.threshold)


def _history(store: Store, division: DivisionRow, options: ReportOptions) -> Listing:
    standings = _everyone(store, division, options)
    return history_listing(line_of(store, options.history or "", standings))


REPORTS: Mapping[Mode, Callable[[Store, DivisionRow, ReportOptions], Listing]] = {
    Mode.LIST: _standings,
    Mode.COMPARE: _comparison,
    Mode.AGAINST: _against,
    Mode.MISTAKES: _mistakes,
    Mode.REGRESSIONS: _regressions,
    Mode.HISTORY: _history,
}
