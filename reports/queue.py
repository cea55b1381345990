"""The jobs of the queue."""

from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.text import Text

from db.records.queue import JobRow
from reports.layout.cells import Cell
from reports.layout.fields import Field, columns_of, plain_values
from reports.layout.format import day, moment
from reports.layout.table import fit

STYLES = {"playing": "green", "failed": "red"}


def jobs_document(jobs: Sequence[JobRow]) -> dict[str, Any]:
    """Return the document of `ladder queue list --json`."""
    return {"jobs": [job_document(job) for job in jobs]}


def job_document(job: JobRow) -> dict[str, Any]:
    """Return a job for a document."""
    return plain_values(FIELDS, job)


def job_text(job: JobRow) -> str:
    """Return a line about a job that was added or cancelled."""
    return f"job {job.id} is {job.status.value}"


def print_jobs(console: Console, jobs: Sequence[JobRow]) -> None:
    """Print a line for each job."""
    if not jobs:
        console.print("the queue is empty: `ladder queue add` puts a command into it")
        return
    console.print(fit(columns_of(FIELDS, jobs, jobs), console.width).table())


def _status(job: JobRow, _: object) -> Text:
    word = job.status.value
    return Text(word, style=STYLES.get(word, ""))


FIELDS = (
    Field("job", value=lambda job: job.id, head="id", page="id",
          text=lambda job, _: str(job.id), cell=lambda job, _: Cell(str(job.id), job.id)),
    Field("status", value=lambda job: job.status.value, head="status", page="status",
          text=_status, cell=lambda job, _: Cell(job.status.value), is_number=False),
    Field("author", head="author", page="author", is_number=False, level=1),
    Field(head="added", page="added", text=lambda job, _: moment(job.added_at),
          cell=lambda job, _: Cell(day(job.added_at), job.added_at), is_number=False, level=4),
    Field("command", head="command", page="command", is_number=False, is_prose=True),
    Field("exit_code", head="exit code", page="exit code",
          text=lambda job, _: "" if job.exit_code is None else str(job.exit_code), level=1),
    Field(head="result", page="result", text=lambda job, _: job.result.partition("\n")[0],
          cell=lambda job, _: Cell(job.result.partition("\n")[0]), is_number=False,
          is_prose=True, level=2),
    Field("note", head="note", page="note", is_number=False, is_prose=True, level=3,
          shown=lambda jobs: any(job.note for job in jobs)),
)  # fmt: skip
"""The columns of the list of jobs; the view is the jobs."""
