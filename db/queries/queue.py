"""The queue: command lines that wait to be played."""

import shlex
import time
from collections.abc import Collection, Sequence
from typing import Any

from sqlalchemy import Select, insert, select, update

from db.columns import to_record
from db.database import Queries
from db.errors import InUse, UnknownRow
from db.models import JOBS, Job
from db.records.queue import OPEN_STATUSES, JobRow, JobStatus


class Queue(Queries):
    """The queue of a database.

    A job changes only by single statements that check its status, so that commands and several
    workers can change it at the same time. A worker holds the job's lock while it plays it.
    """

    def add(self, words: Sequence[str], *, folder: str, author: str, note: str = "") -> JobRow:
        """Store a waiting job.

        Args:
            words: the words after ``ladder``, without the database.
            folder: the absolute folder in which it was added, and is played.
            author: who added it.
            note: a note.

        """
        values = {
            "command": shlex.join(words),
            "folder": folder,
            "author": author,
            "note": note,
            "status": JobStatus.WAITING,
            "added_at": time.time(),
            "result": "",
        }
        with self._database.writing(repeatable=False) as connection:
            stored = insert(JOBS).values(values).returning(JOBS)
            return to_record(JobRow, connection.execute(stored).one())

    def get(self, job_id: int) -> JobRow:
        """Return a job. Raises UnknownRow."""
        found = self._find(select(JOBS).filter_by(id=job_id))
        if not found:
            raise UnknownRow(
                f"there is no job {job_id} in the queue: `ladder queue list` shows all"
            )
        return found[0]

    def all(self) -> list[JobRow]:
        """Return all jobs, oldest first."""
        return self._find(select(JOBS).order_by(Job.id))

    def open_jobs(self) -> list[JobRow]:
        """Return the jobs that have not ended, oldest first."""
        is_open = Job.status.in_(OPEN_STATUSES)
        return self._find(select(JOBS).where(is_open).order_by(Job.id))

    def _find(self, query: Select[Any]) -> list[JobRow]:
        return [to_record(JobRow, row) for row in self._rows(query)]

    def start(self, job_id: int) -> JobRow | None:
        """Mark a job as playing; return None if it has ended."""
        return self._change(job_id, OPEN_STATUSES, status=JobStatus.PLAYING, started_at=time.time())

    def put_back(self, job_id: int) -> JobRow | None:
        """Let a playing job wait again; return None if it does not play."""
        waiting = {"status": JobStatus.WAITING, "started_at": None}
        return self._change(job_id, [JobStatus.PLAYING], **waiting)

    def finish(
        self, job_id: int, status: JobStatus, *, exit_code: int, result: str
    ) -> JobRow | None:
        """Store the end of a playing job; return None if it does not play."""
        values = {"status": status, "exit_code": exit_code, "result": result}
        return self._change(job_id, [JobStatus.PLAYING], **values, ended_at=time.time())

    def cancel(self, job_id: int) -> JobRow:
        """Cancel a job; the worker that plays it stops it.

        Raises:
            UnknownRow: there is no such job.
            InUse: it has ended.

        """
        cancelled = {"status": JobStatus.CANCELLED, "ended_at": time.time()}
        changed = self._change(job_id, OPEN_STATUSES, **cancelled)
        if changed is None:
            raise InUse(f"job {job_id} is {self.get(job_id).status.value}: it cannot be cancelled")
        return changed

    def _change(self, job_id: int, former: Collection[JobStatus], **values: Any) -> JobRow | None:
        """Change a job that has one of the statuses; return None if it has another one."""
        changed = (
            update(JOBS)
            .where(Job.id == job_id, Job.status.in_(former))
            .values(values)
            .returning(JOBS)
        )
        with self._database.writing() as connection:
            row = connection.execute(changed).first()
            return None if row is None else to_record(JobRow, row)
