"""The queue as it is stored."""

import contextlib

import pytest

from db.bots_only import RefusedWrite, storing_only_bots
from db.errors import InUse, UnknownRow
from db.records.queue import JobRow, JobStatus
from db.store import Store
from tests.db.making import add_bots


def add(store: Store, *words: str, note: str = "") -> JobRow:
    return store.queue.add(words, folder="/", author="ann", note=note)


def test_a_job_changes_only_from_the_statuses_that_allow_it(store: Store) -> None:
    """It is played again after a kill, ends once, and is cancelled only before its end."""
    job = add(store, "match", "my bot", "v1", note="why")
    assert (job.command, job.words) == ("match 'my bot' v1", ["match", "my bot", "v1"])
    assert (job.status, job.note, job.exit_code) == (JobStatus.WAITING, "why", None)
    assert store.queue.finish(job.id, JobStatus.DONE, exit_code=0, result="") is None
    assert store.queue.put_back(job.id) is None
    for _ in range(2):
        started = store.queue.start(job.id)
        assert started is not None
        assert started.status is JobStatus.PLAYING
        assert started.started_at is not None
    other = add(store, "analyze")
    assert [each.id for each in store.queue.open_jobs()] == [job.id, other.id]
    ended = store.queue.finish(job.id, JobStatus.DONE, exit_code=3, result="REGRESSION")
    assert ended is not None
    assert (ended.status, ended.exit_code, ended.result) == (JobStatus.DONE, 3, "REGRESSION")
    assert store.queue.start(job.id) is None
    with pytest.raises(InUse, match=f"job {job.id} is done: it cannot be cancelled"):
        store.queue.cancel(job.id)
    assert store.queue.start(other.id) is not None
    assert store.queue.cancel(other.id).status is JobStatus.CANCELLED
    assert store.queue.put_back(other.id) is None
    assert store.queue.open_jobs() == []
    assert [each.status.value for each in store.queue.all()] == ["done", "cancelled"]
    with pytest.raises(UnknownRow, match="there is no job 9"):
        store.queue.cancel(9)


def test_a_job_has_a_lock_of_its_own(store: Store) -> None:
    """The lock of job 1 is not that of run 1, and both can be held."""
    with (
        contextlib.closing(store.run_lock()) as runs,
        contextlib.closing(store.job_lock()) as jobs,
    ):
        assert runs.try_acquire(1)
        assert not jobs.is_alive(1)
        assert jobs.try_acquire(1)
        assert not jobs.try_acquire(1)
        jobs.release(1)
        assert not jobs.is_alive(1)
        assert runs.is_alive(1)


def test_a_plan_stores_bots_alone(store: Store) -> None:
    """In the mode of plans, bots are stored and every other write is refused, also to a job."""
    with storing_only_bots():
        add_bots(store)
        with pytest.raises(RefusedWrite, match="jobs"):
            store.queue.add(["run"], folder="/", author="ann")
        with pytest.raises(RefusedWrite, match=r"verdicts|solved"):
            store.analysis.delete_all()
    assert (len(store.bots.all()) > 0, store.queue.all()) == (True, [])
