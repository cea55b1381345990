"""The list of runs, matches and experiments."""

from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.text import Text

from ladder.names import counted
from ladder.results.overview.pace import RunPace
from ladder.runs.history import PastRun
from reports.layout.format import moment, values_of
from reports.layout.table import Column, fit

STYLES = {
    "regression": "red",
    "no gain": "red",
    "invalid": "red",
    "running": "green",
    "pass": "green",
}


def runs_document(runs: Sequence[PastRun]) -> dict[str, Any]:
    """Return the document of `ladder runs --json`."""
    return {
        "runs": [
            {
                "run": run.row.id,
                "kind": run.row.kind.value,
                **values_of(run, "status", "verdict", "title", "division", "games", "excused"),
                **values_of(run.row, "target_games", "rated", "seed", "note"),
                "harness": run.row.settings.get("harness"),
                "paused": [values_of(bot, "name", "games", "reason") for bot in run.row.paused],
            }
            for run in runs
        ]
    }


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
    console.print(fit(_columns(runs), console.width).table())


def run_line(run: PastRun) -> str:
    """Return a run in a few words: number, kind, title, games and start."""
    return (
        f"run {run.row.id} ({run.row.kind.value}: {run.title}; "
        f"{counted(run.games, 'game')}, started {moment(run.row.started_at)})"
    )


def _columns(runs: Sequence[PastRun]) -> list[Column]:
    columns = [
        Column("run", [str(run.row.id) for run in runs]),
        Column("kind", [run.row.kind.value for run in runs], number=False, level=3),
        Column("games", [_games(run) for run in runs], level=2),
        Column("status", [_word(run.status.value) for run in runs], number=False, level=1),
    ]
    if any(run.verdict for run in runs):
        verdicts = [_word((run.verdict or "").replace("_", " ")) for run in runs]
        columns.append(Column("verdict", verdicts, number=False))
    columns += [
        Column("started", [moment(run.row.started_at) for run in runs], number=False, level=4),
        Column("title", [run.title for run in runs], number=False),
    ]
    if any(run.row.paused for run in runs):
        names = [", ".join(bot.name for bot in run.row.paused) for run in runs]
        columns.append(Column("paused", names, number=False, level=1))
    if any(run.row.note for run in runs):
        columns.append(Column("note", [run.row.note for run in runs], number=False, level=1))
    return columns


def _games(run: PastRun) -> str:
    target = run.row.target_games
    return f"{run.games}" if target is None else f"{run.games}/{target}"


def _word(word: str) -> Text:
    return Text(word, style=STYLES.get(word, ""))
