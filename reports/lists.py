"""The lists of games, of runs, and of jobs in the queue."""

from collections.abc import Callable, Sequence
from typing import Any

from rich.console import Console

from db.records.games import GameRow
from db.records.queue import JobRow
from engine.result import Result
from ladder.names import counted
from ladder.results.pages import RunPace
from ladder.runs.history import PastRun
from reports.layout.fields import LOST, STRONG, VERDICTS, Field, Table, moment_field, plain_values
from reports.layout.format import capped, iso_time, moment, values_of
from reports.layout.links import bot_link, game_link, run_link
from reports.layout.terminal import fit
from reports.replay import adjudication_document

SCORES = {Result.WIN: "1-0", Result.LOSS: "0-1", Result.DRAW: "1/2"}
"""Results as written on score sheets: points of the first mover, then of the second."""
REASON = 100
"""Most characters of the reason of a forfeit in a table."""
IN_PLAY = ("running", "playing")
"""States that are emphasized."""


def print_list(console: Console, table: Table, *, empty: str, last: str = "") -> None:
    """Print a line for each record and a last line, or only a sentence without records."""
    if not table.rows:
        console.print(empty)
        return
    for fitted in fit(table, console.width):
        console.print(fitted.grid())
    if last:
        console.print(last, style="dim")


def games_document(games: Sequence[GameRow]) -> dict[str, Any]:
    """Return the document of `ladder games --json`."""
    return {"games": Table(GAMES, games).documents()}


def page_document(games: Sequence[GameRow], next_id: int | None) -> dict[str, Any]:
    """Return a page of ``/api/games``; `next_id` is the ``before=`` of the next page."""
    return {**games_document(games), "next": next_id}


def print_games(console: Console, games: Sequence[GameRow]) -> None:
    """Print a line for each game, and the command that shows one."""
    last = f"`ladder replay {games[0].id}` shows a game" if games else ""
    print_list(console, Table(GAMES, games), empty="no game matches", last=last)


def _reason(game: GameRow) -> str:
    """Return why a game was forfeited; empty for other games."""
    return game.detail if game.termination.is_forfeit else ""


GAMES = (
    Field(
        "game",
        "game",
        value=lambda game: game.id,
        form="d",
        link=lambda game, _: game_link(game.id),
    ),
    Field(
        "first",
        "first",
        emphasis=lambda game, _: STRONG if game.first == game.winner else "",
        link=lambda game, _: bot_link(game.first),
    ),
    Field(
        "second",
        "second",
        emphasis=lambda game, _: STRONG if game.second == game.winner else "",
        link=lambda game, _: bot_link(game.second),
    ),
    Field(
        "result",
        "result",
        text=lambda game, _: SCORES[game.result],
        page_text=lambda game, _: "draw" if game.winner is None else f"{game.winner} won",
    ),
    Field(
        "termination",
        "by",
        text=lambda game, _: game.termination.noun,
        verdict=lambda game, _: LOST if game.termination.is_forfeit else "",
        level=1,
    ),
    Field("plies", "plies", form="d", level=2),
    Field("board", "board", level=3),
    Field("adjudicated", value=lambda game: adjudication_document(game.plies, game.proof)),
    Field(
        "run",
        "run",
        value=lambda game: game.run_id,
        form="d",
        link=lambda game, _: run_link(game.run_id),
        level=4,
    ),
    moment_field("started", lambda game: game.started_at, level=5, key="started_at"),
    Field("ended_at", value=lambda game: iso_time(game.started_at + game.duration_us / 1e6)),
    Field(
        "reason",
        "reason",
        value=_reason,
        text=lambda game, _: capped(_reason(game).partition("\n")[0], REASON),
        shown=lambda games, _: any(map(_reason, games)),
        is_prose=True,
        level=2,
    ),
)
"""The columns of lists of games."""


def runs_document(runs: Sequence[PastRun]) -> dict[str, Any]:
    """Return the document of `ladder runs --json`."""
    return {"runs": Table(RUNS, runs).documents()}


def now_document(runs: Sequence[RunPace]) -> dict[str, Any]:
    """Return the document of ``/api/runs``: that of `ladder runs --json` with games per hour."""
    rows = [{**plain_values(RUNS, each.run), "games_an_hour": each.games_an_hour} for each in runs]
    return {"runs": rows}


def print_runs(console: Console, runs: Sequence[PastRun]) -> None:
    """Print a line for each run."""
    empty = "there are no runs yet: start one with `ladder run`"
    print_list(console, Table(RUNS, runs), empty=empty)


def run_line(run: PastRun) -> str:
    """Return a run in a few words: number, kind, title, games and start."""
    return (
        f"run {run.row.id} ({run.row.kind.value}: {run.title}; "
        f"{counted(run.games, 'game')}, started {moment(run.row.started_at)})"
    )


def state_of(run: PastRun) -> str:
    """Return the state of a run, with the verdict of an experiment."""
    verdict = _verdict(run)
    state = run.status.value
    return state if verdict in ("", state) else f"{state}: {verdict}"


def _verdict(run: PastRun) -> str:
    return (run.verdict or "").replace("_", " ")


def _games_of(run: PastRun) -> str:
    target = run.row.target_games
    return f"{run.games:,}" if target is None else f"{run.games:,}/{target:,}"


def _state_field(value: Callable[[Any], str], level: int = 0) -> Field:
    """Return the column of states."""
    return Field(
        "status",
        "status",
        value=value,
        verdict=lambda row, _: VERDICTS.get(value(row), ""),
        emphasis=lambda row, _: STRONG if value(row) in IN_PLAY else "",
        level=level,
    )


RUNS = (
    Field(
        "run",
        "run",
        value=lambda run: run.row.id,
        form="d",
        link=lambda run, _: run_link(run.row.id),
    ),
    Field("kind", "kind", value=lambda run: run.row.kind, level=3),
    Field("games", "games", form="d", text=lambda run, _: _games_of(run), level=2),
    _state_field(lambda run: run.status.value, level=1),
    Field(
        "verdict",
        "verdict",
        text=lambda run, _: _verdict(run),
        verdict=lambda run, _: VERDICTS.get(_verdict(run), ""),
        shown=lambda runs, _: any(run.verdict for run in runs),
    ),
    moment_field("started", lambda run: run.row.started_at, level=4, key="started_at"),
    Field("ended_at", value=lambda run: iso_time(run.row.ended_at)),
    Field("title", "title", is_prose=True),
    Field("division"),
    Field("stalled_games", value=lambda run: run.stalls),
    Field("target_games", value=lambda run: run.row.target_games),
    Field("rated", value=lambda run: run.row.rated),
    Field("seed", value=lambda run: run.row.seed),
    Field(
        "paused",
        "paused",
        value=lambda run: [values_of(bot, "name", "games", "reason") for bot in run.row.paused],
        text=lambda run, _: ", ".join(bot.name for bot in run.row.paused),
        level=1,
        shown=lambda runs, _: any(run.row.paused for run in runs),
    ),
    Field(
        "note",
        "note",
        value=lambda run: run.row.note,
        is_prose=True,
        level=1,
        shown=lambda runs, _: any(run.row.note for run in runs),
    ),
    Field("harness", value=lambda run: run.row.settings.harness),
)
"""The columns of lists of runs."""


def jobs_document(jobs: Sequence[JobRow]) -> dict[str, Any]:
    """Return the document of `ladder queue list --json`."""
    return {"jobs": Table(JOBS, jobs).documents()}


def job_document(job: JobRow) -> dict[str, Any]:
    """Return a job for a document."""
    return plain_values(JOBS, job)


def job_text(job: JobRow) -> str:
    """Return a line about a job that was added or cancelled."""
    return f"job {job.id} is {job.status.value}"


def print_jobs(console: Console, jobs: Sequence[JobRow]) -> None:
    """Print a line for each job."""
    empty = "the queue is empty: `ladder queue add` puts a command into it"
    print_list(console, Table(JOBS, jobs), empty=empty)


JOBS = (
    Field("job", "id", value=lambda job: job.id, form="d"),
    _state_field(lambda job: job.status.value),
    Field("author", "author", level=1),
    moment_field("added", lambda job: job.added_at, level=4, key="added_at"),
    Field("started_at", value=lambda job: iso_time(job.started_at)),
    Field("ended_at", value=lambda job: iso_time(job.ended_at)),
    Field("command", "command", is_prose=True),
    Field(
        "exit_code",
        "exit code",
        form="d",
        text=lambda job, _: "" if job.exit_code is None else str(job.exit_code),
        level=1,
    ),
    Field(head="result", text=lambda job, _: job.result.partition("\n")[0], is_prose=True, level=2),
    Field(
        "note", "note", is_prose=True, level=3, shown=lambda jobs, _: any(job.note for job in jobs)
    ),
)
"""The columns of the list of jobs."""
