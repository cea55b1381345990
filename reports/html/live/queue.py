"""The page of the queue."""

from collections.abc import Sequence

from db.records.queue import JobRow
from reports.html.live.parts import PageParts, fragment
from reports.html.tables import table_of_fields
from reports.queue import FIELDS

SHOWN = 100
"""Number of the newest jobs that are shown."""


def queue_parts(jobs: Sequence[JobRow]) -> PageParts:
    """Return the parts of the page, of all jobs, oldest first."""
    shown = jobs[-SHOWN:]
    table = table_of_fields(FIELDS, shown, shown)
    return PageParts("Queue", {"jobs": fragment("queue_jobs.html.j2", data=table)})
