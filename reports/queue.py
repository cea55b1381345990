"""The jobs of the queue."""

from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.text import Text

from db.records.queue import JobRow
from reports.layout.format import moment, values_of
from reports.layout.table import Column, fit

STYLES = {"playing": "green", "failed": "red"}


def jobs_document(jobs: Sequence[JobRow]) -> dict[str, Any]:
    """Return the document of `ladder queue list --json`."""
    return {"jobs": [job_document(job) for job in jobs]}


def job_document(job: JobRow) -> dict[str, Any]:
    """Return a job for a document."""
    return {
        "job": job.id,
        "command": job.command,
        "status": job.status.value,
        **values_of(job, "author", "exit_code", "note"),
    }


def job_text(job: JobRow) -> str:
    """Return a line about a job that was added or cancelled."""
    return f"job {job.id} is {job.status.value}"


def print_jobs(console: Console, jobs: Sequence[JobRow]) -> None:
    """Print a line for each job."""
    if not jobs:
        console.print("the queue is empty: `ladder queue add` puts a command into it")
        return
    console.print(fit(job_columns(jobs), console.width).table())


def job_columns(jobs: Sequence[JobRow]) -> list[Column]:
    """Return the columns of the list of jobs."""
    codes = ["" if job.exit_code is None else str(job.exit_code) for job in jobs]
    words = [job.status.value for job in jobs]
    columns = [
        Column("id", [str(job.id) for job in jobs]),
        Column("status", [Text(word, style=STYLES.get(word, "")) for word in words], number=False),
        Column("author", [job.author for job in jobs], number=False, level=1),
        Column("added", [moment(job.added_at) for job in jobs], number=False, level=4),
        Column("command", [job.command for job in jobs], number=False),
        Column("exit code", codes, level=1),
        Column("result", [job.result.partition("\n")[0] for job in jobs], number=False, level=2),
    ]
    if any(job.note for job in jobs):
        columns.append(Column("note", [job.note for job in jobs], number=False, level=3))
    return columns
