"""The list of runs, matches and experiments."""

from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.text import Text

from ladder.names import counted
from ladder.results.overview.overview import RunPace
from ladder.runs.history import PastRun
from reports.layout.cells import Cell, number
from reports.layout.fields import Field, columns_of, plain_values
from reports.layout.format import day, moment, values_of
from reports.layout.table import fit

STYLES = {
    "regression": "red",
    "no gain": "red",
    "invalid": "red",
    "running": "green",
    "pass": "green",
}


def runs_document(runs: Sequence[PastRun]) -> dict[str, Any]:
    """Return the document of `ladder runs --json`."""
    return {"runs": [plain_values(FIELDS, run) for run in runs]}


def now_document(runs: Sequence[RunPace]) -> dict[str, Any]:
    """Return the document of ``/api/runs``: that of `ladder runs --json` with games per hour."""
    document = runs_document([entry.run for entry in runs])
    for row, entry in zip(document["runs"], runs, strict=True):
        row["games_an_hour"] = entry.games_an_hour
    return document


def print_runs(console: Console, runs: Sequence[PastRun]) -> None:
    """Print a line for each run."""
    if not runs:
        console.print("there are no runs yet: start one with `ladder run`")
        return
    console.print(fit(columns_of(FIELDS, runs, runs), console.width).table())


def run_line(run: PastRun) -> str:
    """Return a run in a few words: number, kind, title, games and start."""
    return (
        f"run {run.row.id} ({run.row.kind.value}: {run.title}; "
        f"{counted(run.games, 'game')}, started {moment(run.row.started_at)})"
    )


def state_of(run: PastRun) -> str:
    """Return the state of a run, with the verdict of an experiment."""
    if run.has_died:
        return "died"
    verdict = None if run.verdict is None else run.verdict.replace("_", " ")
    state = run.status.value
    return state if verdict in (None, state) else f"{state}: {verdict}"


def _games_cell(run: PastRun, _: object) -> Cell:
    target = run.row.target_games
    return number(run.games) if target is None else Cell(f"{run.games:,} of {target:,}", run.games)


def _games(run: PastRun, _: object) -> str:
    target = run.row.target_games
    return f"{run.games}" if target is None else f"{run.games}/{target}"


def _word(word: str) -> Text:
    return Text(word, style=STYLES.get(word, ""))


FIELDS = (
    Field(
        "run",
        value=lambda run: run.row.id,
        head="run",
        page="run",
        text=lambda run, _: str(run.row.id),
        cell=lambda run, links: links.run_cell(run.row.id),
    ),
    Field(
        "kind",
        value=lambda run: run.row.kind.value,
        head="kind",
        page="kind",
        text=lambda run, _: run.row.kind.value,
        cell=lambda run, _: Cell(run.row.kind.value),
        is_number=False,
        level=3,
    ),
    Field("games", head="games", text=_games, level=2),
    Field(
        "status",
        head="status",
        text=lambda run, _: _word(run.status.value),
        is_number=False,
        level=1,
    ),
    Field(
        "verdict",
        head="verdict",
        text=lambda run, _: _word((run.verdict or "").replace("_", " ")),
        is_number=False,
        shown=lambda runs: any(run.verdict for run in runs),
    ),
    Field(
        head="started",
        text=lambda run, _: moment(run.row.started_at),
        is_number=False,
        level=4,
    ),
    Field("title", head="title", page="title", is_number=False, is_prose=True),
    Field(page="status", cell=lambda run, _: Cell(state_of(run)), is_number=False),
    Field(page="games", cell=_games_cell),
    Field(
        page="started",
        cell=lambda run, _: Cell(day(run.row.started_at), run.row.started_at),
        is_number=False,
    ),
    Field("division"),
    Field("excused"),
    Field("target_games", value=lambda run: run.row.target_games),
    Field("rated", value=lambda run: run.row.rated),
    Field("seed", value=lambda run: run.row.seed),
    Field(
        "paused",
        value=lambda run: [values_of(bot, "name", "games", "reason") for bot in run.row.paused],
        head="paused",
        text=lambda run, _: ", ".join(bot.name for bot in run.row.paused),
        is_number=False,
        level=1,
        shown=lambda runs: any(run.row.paused for run in runs),
    ),
    Field(
        "note",
        value=lambda run: run.row.note,
        head="note",
        text=lambda run, _: run.row.note,
        is_number=False,
        level=1,
        shown=lambda runs: any(run.row.note for run in runs),
    ),
    Field(page="note", cell=lambda run, _: Cell(run.row.note), is_number=False, is_prose=True),
    Field("harness", value=lambda run: run.row.settings.get("harness")),
)
"""The columns of lists of runs. The view is the runs on a terminal, the links on a page."""
