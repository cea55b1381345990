"""The jobs of the queue as users see them."""

from dataclasses import replace

from db.records.queue import JobRow, JobStatus
from db.store import Store
from ladder.runs.history import find_dead


def list_jobs(store: Store) -> list[JobRow]:
    """Return all jobs, oldest first; one whose worker has died waits again."""
    jobs = store.queue.all()
    playing = [job.id for job in jobs if job.status is JobStatus.PLAYING]
    dead = find_dead(store.job_lock, playing)
    return [replace(job, status=JobStatus.WAITING) if job.id in dead else job for job in jobs]
