"""The modes of `ladder report`: what each makes, and the options that it reads."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import Annotated, NamedTuple

import typer

from db.records.runs import DivisionRow
from db.store import Store
from ladder.cli.completion import bot_names, list_columns
from ladder.cli.config import is_from_config
from ladder.cli.declare import NO_OPTION
from ladder.cli.options import BotName, BotNames, Takes, number, whole
from ladder.cli.output import Format, check_writable
from ladder.cli.parsing import parse_names
from ladder.errors import UsageError
from ladder.moments import parse_since
from ladder.names import select_names
from ladder.registry.specs.targets import split_list
from ladder.results.analysis.division import read_mistakes, read_mistakes_of_bots
from ladder.results.standings.against import compare_with_opponents
from ladder.results.standings.comparison import compare
from ladder.results.standings.division import DivisionGames, read_division, standings_of_division
from ladder.results.standings.lineage import find_regressions, line_of
from ladder.results.standings.pool import rating_options
from ladder.results.standings.standings import select_bots
from ladder.stats.pool.rating import RatingOptions
from reports.layout.terminal import Listing
from reports.report.comparison import against_listing, comparison_listing
from reports.report.mistakes import mistakes_listing
from reports.report.standings import CHOICE, standings_listing
from reports.report.versions import history_listing, regressions_listing


class Mode(StrEnum):
    """A kind of report, by the option that asks for it; of several the first one counts."""

    PAGE = "--html"
    COMPARE = "--compare"
    AGAINST = "--against"
    MISTAKES = "--mistakes"
    REGRESSIONS = "--regressions"
    HISTORY = "--history"
    LIST = ""


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
    columns: Annotated[str, Takes(autocompletion=list_columns)] | None = None
    format_: Format = Format.TABLE
    json: bool = False
    output: Path | None = None
    html: Path | None = None
    games: Annotated[int, whole(0, 20_000)] = 200
    force: bool = False
    context: typer.Context | None = field(default=None, metadata=NO_OPTION)
    """The context of the command; None without a command."""

    @cached_property
    def given(self) -> Mapping[str, str]:
        """Return the names of the options with a value of their own, by spelling."""
        return {
            f"--{each.name.rstrip('_').replace('_', '-')}": each.name
            for each in fields(self)
            if each.metadata != NO_OPTION and getattr(self, each.name) != each.default
        }

    @cached_property
    def typed(self) -> Mapping[str, str]:
        """Return those on the command line: one in `ladder.toml` may wait for another mode."""
        return {
            option: name
            for option, name in self.given.items()
            if not is_from_config(self.context, name.rstrip("_"))
        }

    @cached_property
    def mode(self) -> Mode:
        """Return the kind of report.

        Raises:
            UsageError: an option has no effect with it, or bots are named that it does not compare.

        """
        asked = (one for options in (self.typed, self.given) for one in Mode if one in options)
        mode = next(asked, Mode.LIST)
        names = self.names or []
        if names and not self.compare:
            raise UsageError(
                f"a report takes no bot without an option, got {' '.join(names)}: `ladder report "
                "--compare A B` compares bots, and --bots selects those of the list"
            )
        for option, name in self.typed.items():
            if name not in REPORTS[mode].reads:
                raise UsageError(_refusal(option, name, mode))
        if self.compare and not 1 < len(names) == len(set(names)):
            raise UsageError(
                "--compare needs two or more different bots, such as `ladder report --compare v4 "
                "v3`"
            )
        return mode

    @cached_property
    def form(self) -> Format:
        """Return the format of the output. Raises UsageError."""
        if {"--json", "--format"} <= set(self.typed) and self.format_ is not Format.JSON:
            raise UsageError("--json and --format contradict each other: give one of them")
        form = Format.JSON if self.json and "--format" not in self.typed else self.format_
        if form is Format.CSV and "--pairs" in self.typed:
            raise UsageError(_refusal("--pairs", "", "--format csv"))
        return form

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

    @cached_property
    def keys(self) -> Sequence[str]:
        """Return the keys of the columns to show; empty for the usual ones. Raises UsageError."""
        keys = [] if self.columns is None else list(dict.fromkeys(split_list(self.columns)))
        for key in keys:
            if key not in CHOICE:
                raise UsageError(
                    f"--columns: the rating list has no column {key!r}: choose from "
                    f"{', '.join(CHOICE)}"
                )
        return keys

    def check(self) -> None:
        """Refuse bad values before the database is opened. Raises UsageError."""
        _ = self.mode, self.form, self.rating, self.patterns, self.moment, self.keys
        check_writable(self.output)
        if self.mode is Mode.PAGE and self.html is not None:
            from ladder.cli.html_file import check_html  # loads the compiler

            check_html(self.html, force=self.force)


def _refusal(option: str, name: str, other: str) -> str:
    """Return the sentence about an option that another one, or the list, does not read."""
    if other:
        return f"{option} has no effect with {other}: leave one of them out"
    readers = " or ".join(one for one in Mode if name in REPORTS[one].reads)
    return f"{option} needs {readers}: give both, or neither"


def _games(store: Store, division: DivisionRow, options: ReportOptions) -> DivisionGames:
    return read_division(store, division, since=options.moment)


def _standings(store: Store, division: DivisionRow, options: ReportOptions) -> Listing:
    games = _games(store, division, options)
    everyone = standings_of_division(store, games, options=options.rating)
    made = select_bots(everyone, patterns=_bots(store, options), retired=options.retired)
    wrong = read_mistakes(store, division, since=options.moment)
    return standings_listing(made, wrong, pairs=options.pairs, keys=options.keys)


def _comparison(store: Store, division: DivisionRow, options: ReportOptions) -> Listing:
    games = _games(store, division, options)
    made = compare(store, games, options.names or (), options=options.rating)
    return comparison_listing(made, read_mistakes(store, division, since=options.moment))


def _against(store: Store, division: DivisionRow, options: ReportOptions) -> Listing:
    made = compare_with_opponents(
        _games(store, division, options),
        options.against or "",
        patterns=_bots(store, options),
        retired=options.retired,
    )
    return against_listing(made)


def _mistakes(store: Store, division: DivisionRow, options: ReportOptions) -> Listing:
    made = read_mistakes_of_bots(store, division, _bots(store, options), since=options.moment)
    return mistakes_listing(made)


def _regressions(store: Store, division: DivisionRow, options: ReportOptions) -> Listing:
    games = _games(store, division, options)
    everyone = standings_of_division(store, games, options=options.rating, with_others=False)
    shown = select_bots(everyone, patterns=_bots(store, options), retired=True)
    made = find_regressions(games.bots, shown, options.threshold)
    return regressions_listing(made, options.threshold)


def _history(store: Store, division: DivisionRow, options: ReportOptions) -> Listing:
    games = _games(store, division, options)
    standings = standings_of_division(store, games, options=options.rating, with_others=False)
    return history_listing(line_of(store, options.history or "", standings))


def _page(store: Store, division: DivisionRow, options: ReportOptions) -> Listing | None:
    """Write the page, and return what is to be printed, too."""
    from ladder.cli.html_file import write_division  # loads the compiler

    write_division(
        store,
        _games(store, division, options),
        options.html or Path(),
        games=options.games,
        options=options.rating,
        names=options.names or (),
        patterns=_bots(store, options),
        retired=options.retired,
        keys=options.keys,
    )
    if not (options.json or options.output):
        return None
    return (_comparison if options.compare else _standings)(store, division, options)


def _bots(store: Store, options: ReportOptions) -> Sequence[str]:
    """Return names and patterns of the bots to show; empty for all.

    Raises:
        UnknownBot: one selects no registered bot.

    """
    select_names(options.patterns, (bot.name for bot in store.bots.all(include_retired=True)))
    return options.patterns


class Report(NamedTuple):
    """What a mode makes, and the options that it reads; with another one it is refused."""

    make: Callable[[Store, DivisionRow, ReportOptions], Listing | None]
    reads: frozenset[str]


def _reads(*names: str) -> frozenset[str]:
    return frozenset((*names, "division", "since", "json", "output"))


REPORTS: Mapping[Mode, Report] = {
    Mode.PAGE: Report(
        _page,
        _reads(
            *("html", "games", "force", "compare", "names", "bots", "retired", "anchor", "columns")
        ),
    ),
    Mode.COMPARE: Report(_comparison, _reads("compare", "names", "anchor", "format_")),
    Mode.AGAINST: Report(_against, _reads("against", "bots", "retired", "format_")),
    Mode.MISTAKES: Report(_mistakes, _reads("mistakes", "bots", "format_")),
    Mode.REGRESSIONS: Report(
        _regressions,
        _reads("regressions", "threshold", "fail_undecided", "bots", "anchor", "format_"),
    ),
    Mode.HISTORY: Report(_history, _reads("history", "anchor", "format_")),
    Mode.LIST: Report(
        _standings, _reads("bots", "retired", "anchor", "pairs", "columns", "format_")
    ),
}
