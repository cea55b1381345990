"""The pages of the server, except for that of a game against a bot."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any
from urllib.parse import urlencode

from bots.champion import CHAMPION
from db.records.bots import BotRow
from db.records.games import GameRow
from db.records.queue import JobRow
from db.records.runs import DivisionRow, RunKind, RunRow, RunStatus
from ladder.experiments.nightly.session import NightOutcome
from ladder.experiments.stored import StoredRun
from ladder.names import counted
from ladder.registry.specs.archive_diff import FileDiff
from ladder.results.analysis.division import GameTruth
from ladder.results.conditions import ENDINGS, BotResult, Mover
from ladder.results.pages import BotPage, Overview, RunPace
from ladder.results.standings.comparison import Comparison
from ladder.results.standings.report_data import ShownGame
from ladder.results.standings.standings import Standings
from ladder.runs.history import PastRun
from ladder.visible import visible, visible_lines
from reports.bots import git_values
from reports.findings.nightly import COMMITS, nightly_finding, with_bisections
from reports.findings.run import BOTS as BOTS_OF_RUN
from reports.findings.run import finding_of, forfeit_lines, paused_lines
from reports.html.division_figures import history_figure, ratings_figure
from reports.html.findings import figures_of, folded_figures_of
from reports.html.live.site import Page
from reports.html.report import notes_of, verdict, warnings_of
from reports.html.viewer import failures, viewer_game
from reports.layout.fields import Table
from reports.layout.format import as_sentence, day, rough_duration
from reports.layout.links import bot_link, compare_link, division_link, games_link
from reports.lists import GAMES, JOBS, RUNS, state_of
from reports.report.comparison import OPPONENTS, comparison_tables
from reports.report.rating_columns import RatingView
from reports.report.versions import LINE

RUNS_SHOWN = 12
JOBS_SHOWN = 100
"""Number of the newest jobs that are shown."""


def overview_page(data: Overview) -> Page:
    """Return the overview: runs, and the rating list of a division."""
    shown = data.runs[:RUNS_SHOWN]
    values: dict[str, Any] = {
        "running": [_card(entry) for entry in data.runs if entry.is_running],
        "died": [_card(entry) for entry in shown if entry.run.has_died],
        "runs": Table(RUNS, [each.run for each in shown]),
        "older": max(len(data.runs) - RUNS_SHOWN, 0),
    }
    standings, division, figure = data.standings, data.division, None
    if standings is not None and division is not None:
        figure = ratings_figure(RatingView(standings, link=bot_link))
        values |= {
            "verdict": verdict(standings),
            "warnings": warnings_of(standings),
            "notes": notes_of(standings),
            "divisions": [
                (each.label, division_link(each.id), each.id == division.id)
                for each in data.divisions
            ],
            "games": games_link(division=division.id),
        }
    return Page(
        "overview.html.j2",
        "Overview",
        {"divisions": [], **values, "figure": figure},
        [] if figure is None else [figure],
        here="/",
        is_live=True,
    )


def _card(entry: RunPace) -> tuple[PastRun, str, str]:
    """Return a run with its name and its speed in words."""
    return entry.run, _run_name(entry.run.row), _pace_words(entry)


def _run_name(row: RunRow) -> str:
    """Return the name of a run, such as ``ladder run 5`` or ``gate 3``."""
    kind = "ladder run" if row.kind is RunKind.LADDER else row.kind.value
    return f"{kind} {row.id}"


def _pace_words(entry: RunPace) -> str:
    """Return the number of games, the games per hour and the time left."""
    run, target = entry.run, entry.run.row.target_games
    words = [counted(run.games, "game", form=",d")]
    if target is not None:
        words = [f"{run.games:,} of {counted(target, 'game', form=',d')}"]
    if entry.games_an_hour is not None:
        words.append(f"{entry.games_an_hour:,.0f} games/hour")
    if entry.seconds_left is not None:
        words.append(f"{rough_duration(entry.seconds_left)} left")
    return ", ".join(words)


def run_page(
    entry: RunPace, run: StoredRun, standings: Standings | None, command: str | None
) -> Page:
    """Return the page of a run.

    Args:
        entry: the run with its speed.
        run: the same with its bots and its result.
        standings: the rating list of its own games; None for runs without one.
        command: the command line that repeats it; None if it is not stored.

    """
    row, finding = entry.run.row, finding_of(run)
    figures = [] if run.result is None else figures_of(run.result, bot_link)
    folded = [] if run.result is None else folded_figures_of(run.result)
    rating = None if standings is None else ratings_figure(RatingView(standings, link=bot_link))
    is_short = row.target_games is None or entry.run.games < row.target_games
    hint = ""
    if entry.run.status is RunStatus.INTERRUPTED and is_short:
        hint = (
            f"The run was interrupted after {_pace_words(entry)}: the command that started it "
            "resumes it."
        )
    facts = [
        ("State", state_of(entry.run)),
        ("Games", _pace_words(entry)),
        ("Begun", day(row.started_at)),
        ("Ended", "-" if row.ended_at is None else day(row.ended_at)),
        ("Seed", str(row.seed)),
        ("Rated", "yes" if row.rated else "no"),
    ]
    names = [bot.name for bot in run.bots]
    values = {
        "row": row,
        "played": entry.run.title,
        "dashboard": entry.run.status is RunStatus.RUNNING and row.settings.dashboard,
        "division": entry.run.division,
        "facts": facts,
        "bots": Table(BOTS_OF_RUN, run.bots),
        "forfeits": forfeit_lines(run),
        "paused": [as_sentence(line, names) for line in paused_lines(run)],
        "rating": rating,
        "finding": finding,
        "figures": figures,
        "folded": folded,
        "resume_hint": hint,
        "command": command,
    }
    charts = [*([] if rating is None else [rating]), *figures, *folded]
    return Page("run.html.j2", _run_name(row).capitalize(), values, charts, is_live=True)


def commits_page(
    outcome: NightOutcome,
    games: Sequence[ShownGame],
    command_of: Callable[[Mapping[str, str]], str | None],
) -> Page:
    """Return the page of the commits of a bot, with lost games of the newest."""
    finding = replace(with_bisections(nightly_finding(outcome), outcome, command_of), tables=())
    table = Table(COMMITS, outcome.rows, bot_link)
    figures = [replace(each, table=table, is_open=True) for each in figures_of(outcome, bot_link)]
    values = {
        "finding": finding,
        "figures": figures,
        "folded": [],
        "games": Table(GAMES, [each.game for each in games]),
        "run_id": outcome.run_id,
    }
    title = f"Commits of {outcome.night.name}"
    return Page("commits.html.j2", title, values, figures, is_live=True)


def bot_page(data: BotPage, commits: str = "") -> Page:
    """Return the page of a bot, which leads to the commits of `commits` if that is not empty."""
    row, name, standing = data.row, data.row.name, data.standing
    figure = history_figure(data.history, [name])
    revision = row.revision
    facts = [
        ("Specification", row.spec),
        ("Family", row.family),
        ("Revision", f"{revision.number} ({revision.content_hash[:12]})"),
        ("Plays on", ", ".join(revision.budgets)),
    ]
    if not revision.launch.is_own:
        facts.append(("Registered", day(row.created_at)))
    facts += [(key.capitalize(), str(value)) for key, value in (git_values(row) or {}).items()]
    if row.retired_at is not None:
        facts.append(("Retired", day(row.retired_at)))
    if standing is not None:
        if standing.rating.elo is not None:
            facts.append(("Elo", standing.rating.words()))
        facts.append(("Games", f"{standing.games:,}"))
    values = {
        "row": row,
        "commits": commits,
        "successors": data.successors,
        "facts": facts,
        "division": None if data.division is None else data.division.label,
        "figure": figure,
        "line": Table(LINE, data.line),
        "opponents": Table(OPPONENTS, data.opponents, name),
        "forfeits": failures(data.forfeits),
        "games": Table(GAMES, data.games),
    }
    return Page("bot.html.j2", f"Bot {name}", values, [figure], is_live=True)


def diff_page(row: BotRow, found: Sequence[FileDiff] | None) -> Page:
    """Return the page of how a bot's files differ from its parent's; None if that is unknown."""
    files = None
    if found is not None:
        files = [(visible(each.summary), visible_lines("\n".join(each.text))) for each in found]
    return Page("diff.html.j2", f"Changed files of {row.name}", {"row": row, "files": files})


def compare_page(
    chosen: Sequence[str],
    made: Comparison | None = None,
    *,
    groups: Mapping[str, Sequence[str]] | None = None,
    divisions: Sequence[tuple[DivisionRow, bool]] = (),
    problem: str = "",
) -> Page:
    """Return the page of a comparison, with the form for another one.

    Args:
        chosen: the names of the bots to compare.
        made: the comparison; None without one.
        groups: the bots that can be compared, by group.
        divisions: the divisions, each with whether it is the current one.
        problem: why the chosen bots cannot be compared.

    """
    values = {
        "groups": groups or {},
        "chosen": list(chosen),
        "division": next((each.id for each, is_here in divisions if is_here), None),
        "divisions": [
            (each.label, compare_link(list(chosen), each.id), is_here)
            for each, is_here in divisions
        ],
        "problem": problem,
        "sentences": [] if made is None else [each.sentence for each in made.versus],
        "tables": [] if made is None else comparison_tables(made),
    }
    title = "Side by side" if made is None else ", ".join(chosen) + " side by side"
    return Page("compare.html.j2", title, values, here="/compare")


def games_page(
    games: Sequence[GameRow],
    given: Mapping[str, str],
    groups: Mapping[str, Sequence[str]],
    next_id: int | None,
    *,
    before: int | None,
) -> Page:
    """Return the page of games: the form of conditions, and the list of matching games.

    Args:
        games: the games, newest first.
        given: the conditions by parameter.
        groups: all bots, by group.
        next_id: the parameter ``before`` of the next page; None on the last page.
        before: the parameter ``before`` of this page; None on the first page.

    """
    values = {
        "given": given,
        "groups": groups,
        "endings": ENDINGS,
        "results": [each.value for each in BotResult],
        "sides": [each.value for each in Mover],
        "table": Table(GAMES, games),
        "older": f"/games?{urlencode({**given, 'before': next_id})}" if next_id else "",
        "newest": f"/games?{urlencode(given)}" if before is not None else "",
    }
    return Page("games.html.j2", "Games", values, here="/games")


def game_page(
    game: GameRow,
    truth: GameTruth | None,
    *,
    may_analyse: bool = False,
    is_analysed_now: bool = False,
) -> Page:
    """Return the page of a game: links, last output, and the game for the replay viewer.

    Args:
        game: the game with its thoughts.
        truth: the result of its analysis; None if it was not analysed.
        may_analyse: whether visitors may start an analysis.
        is_analysed_now: whether one is running.

    """
    has_more = len(game.moves) > game.opening_plies and (truth is None or truth.is_improvable)
    values = {
        "game": game,
        "started": day(game.started_at),
        "failures": failures([game]),
        "may_analyse": may_analyse and has_more,
        "is_analysed_now": is_analysed_now,
        "champion": CHAMPION,
    }
    title = f"Game {game.id}: {game.first} against {game.second}"
    return Page("game.html.j2", title, values, games=[viewer_game(game, truth=truth)])


def queue_page(jobs: Sequence[JobRow]) -> Page:
    """Return the page of the queue, of its latest jobs, oldest first."""
    values = {"data": Table(JOBS, jobs[-JOBS_SHOWN:])}
    return Page("queue.html.j2", "Queue", values, here="/queue", is_live=True)
