"""Writing HTML pages, which replace other programs' files only with --force."""

from collections.abc import Sequence
from pathlib import Path

from db.store import Store
from ladder.cli.output import check_writable, write_output
from ladder.errors import UsageError
from ladder.experiments.gate.session import GateOutcome, games_of_gate
from ladder.experiments.nightly.session import NightOutcome, games_of_night
from ladder.experiments.stored import TRIALS, RunResult, trials_of
from ladder.experiments.tune.session import TuningOutcome
from ladder.results.analysis.division import read_mistakes, read_truth
from ladder.results.standings.comparison import compare
from ladder.results.standings.division import DivisionGames
from ladder.results.standings.report_data import read_report_data
from ladder.stats.pool.rating import RatingOptions
from reports.findings.finding import Finding
from reports.report.standings import unrated_lines

GAMES_SHOWN = 60
"""Most lost games of a candidate in a page."""
HEAD = 4096
"""Characters at the beginning of a file in which a page names its generator."""


def check_html(file: Path | None, *, force: bool) -> None:
    """Refuse a file that the page cannot replace, before any work is done; None is no file.

    Raises:
        UsageError: the folder is missing, or another program's file would be lost.

    """
    if file is None:
        return
    from reports.html.page import is_ours

    check_writable(file, "--html")
    try:
        with file.open(encoding="utf-8", errors="replace") as stream:
            head = stream.read(HEAD)
    except FileNotFoundError:
        return
    except OSError as error:
        raise UsageError(f"--html: {file} cannot be read: {error.strerror}") from error
    if head and not is_ours(head) and not force:
        raise UsageError(
            f"--html: {file} is a file of another program: name another file, or add --force"
        )


def write_division(
    store: Store,
    read: DivisionGames,
    file: Path,
    *,
    games: int,
    options: RatingOptions,
    names: Sequence[str] = (),
    patterns: Sequence[str] = (),
    retired: bool = False,
    keys: Sequence[str] = (),
) -> None:
    """Write the page of a division.

    Args:
        store: the open database.
        read: the games of the division.
        file: the file to write.
        games: most games to embed.
        options: of the rating list.
        names: bots to compare as well.
        patterns: names or patterns of the bots to show; empty for all.
        retired: whether retired bots are shown too.
        keys: those of the columns of the list to show; empty for the usual ones.

    Raises:
        UsageError: the division has no games, or the file cannot be written.

    """
    from reports.html.report import report_page

    division = read.division
    data = read_report_data(
        store,
        read,
        games=games,
        options=options,
        patterns=patterns,
        retired=retired,
    )
    trials = trials_of(store, division)
    if not data.standings.games and not trials:
        where = "; ".join(unrated_lines(data.standings)) or "play some with `ladder run`"
        raise UsageError(f"--html: {division.label} has no rated games: {where}")
    compared = compare(store, read, names, options=options) if names else None
    wrong = read_mistakes(store, division, since=read.since)
    games_shown = [] if wrong is None else [one.game for one in data.games]
    truths = {game.id: read_truth(store, game) for game in games_shown}
    labels = {each.id: each.label for each in store.divisions.all()}
    elsewhere = dict.fromkeys(run.division_id for run in store.runs.find() if run.kind in TRIALS)
    page = report_page(
        data,
        compared=compared,
        trials=trials,
        elsewhere=[] if trials else [labels[each] for each in elsewhere],
        wrong=wrong,
        truths=truths,
        keys=keys,
    )
    write_output(file, [page], "--html", "the report")


def write_finding(
    store: Store | None, finding: Finding, result: RunResult, file: Path | None
) -> None:
    """Write the page of an experiment; some have lost games of the candidate or newest commit.

    Args:
        store: the open database; None for a page without games.
        finding: the finding.
        result: its result.
        file: the file to write; None writes nothing.

    Raises:
        UsageError: the file cannot be written.

    """
    if file is None:
        return
    from reports.html.findings import figures_of, finding_page, folded_figures_of

    gated, shown = result.gated if isinstance(result, TuningOutcome) else result, []
    if store is not None and isinstance(gated, GateOutcome):
        shown = games_of_gate(
            store, gated.conditions, gated.result, GAMES_SHOWN, run_id=gated.run_id
        )
    if store is not None and isinstance(result, NightOutcome):
        shown = games_of_night(store, result, GAMES_SHOWN)
    page = finding_page(finding, figures_of(result), folded_figures_of(result), shown)
    write_output(file, [page], "--html", "the page")
