"""The jobs of the queue, and the worker that plays them.

Each job is its ordinary command in a child process, which the kernel kills when the worker dies. A
worker holds the lock of each job that it plays, and the lock ends with its process: another worker
then starts the command again, which resumes its run.
"""

import contextlib
import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import IO

from db.records.queue import JobRow, JobStatus
from db.store import Store
from ladder.errors import ExitCode, Stopped
from ladder.own_process import own_command
from ladder.runs.resume import find_dead, runs_of_job
from ladder.signals import current_stop

POLL_S = 0.25
"""Seconds between two looks at the queue."""
STOP_S = 60.0
"""Seconds after which an interrupted command is killed."""
MOST_KILLS = 3
"""Kills of a command without a further game after which its job has failed."""
MOST_RESULT = 1 << 16
"""Most bytes of a result that are stored."""
CHILD = "ladder.cli.queued"
"""The module that a child process runs."""
DECIDED = (ExitCode.DONE, ExitCode.REGRESSION, ExitCode.INCONCLUSIVE)
"""Exit codes of a command that came to a result."""


def list_jobs(store: Store) -> list[JobRow]:
    """Return all jobs, oldest first; one whose worker has died waits again."""
    jobs = store.queue.all()
    playing = [job.id for job in jobs if job.status is JobStatus.PLAYING]
    dead = find_dead(store.job_lock, playing)
    return [replace(job, status=JobStatus.WAITING) if job.id in dead else job for job in jobs]


class PlayedJob:
    """A job whose command runs in a child process."""

    def __init__(self, job: JobRow, slot: int, db: str) -> None:
        """Start the command in the job's folder.

        Args:
            job: The job.
            slot: The place of the job among those of the worker.
            db: The database, as an absolute path or a URL.

        Raises:
            OSError: the folder cannot be entered, or the process cannot be started.

        """
        self.job = job
        self.slot = slot
        self._interrupted_at: float | None = None
        folder = _find_folder(job.folder)
        self._output: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - closed by `end`
        self._errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - closed by `end`
        try:
            self._process = subprocess.Popen(
                [*own_command(CHILD), str(os.getpid()), str(job.id), *job.words],
                stdin=subprocess.DEVNULL,
                stdout=self._output,
                stderr=self._errors,
                cwd=folder,
                env={**os.environ, "LADDER_DB": db},  # no word, which other users could read
                start_new_session=True,  # a Ctrl-C on the terminal is the worker's business
            )
        except OSError:
            self._output.close()
            self._errors.close()
            raise

    def poll(self) -> int | None:
        """Return the exit code of the command, or None while it runs."""
        return self._process.poll()

    def interrupt(self) -> None:
        """Have the command save and end; kill it if it has not ended in time."""
        if self._interrupted_at is None:
            self._interrupted_at = time.monotonic()
            self._process.send_signal(signal.SIGINT)
        elif time.monotonic() > self._interrupted_at + STOP_S:
            self._process.kill()

    def end(self) -> str:
        """Return what the ended command has printed: its result, else why it has none."""
        output, errors = _read(self._output).strip(), _read(self._errors).strip()
        return output or errors.rpartition("ladder: ")[2]


def _find_folder(folder: str) -> str | None:
    """Return a folder, or None if it is missing. Raises OSError if it cannot be seen."""
    try:
        os.stat(folder)
    except (FileNotFoundError, NotADirectoryError):
        return None
    return folder


def _read(file: IO[bytes]) -> str:
    """Return the last part of a file's text, and close it."""
    with file:
        file.seek(max(0, file.seek(0, os.SEEK_END) - MOST_RESULT))
        return file.read().decode(errors="replace").replace("\0", "")


@dataclass(kw_only=True)
class QueueWorker:
    """Plays the queue of a database, first in first out, until a stop is requested."""

    store: Store
    db: str
    """The database, as an absolute path or a URL."""
    jobs: int
    """Most jobs at a time; they divide the CPUs."""
    report: Callable[[str], None]
    """Takes one line for each event."""
    _playing: list[PlayedJob] = field(default_factory=list)
    _kills: dict[int, tuple[int, int]] = field(default_factory=dict)
    """Kills in a row by job, and the games of the job at the last one."""

    def run(self) -> None:
        """Play until a stop is requested; the jobs in play then wait to be resumed."""
        with contextlib.closing(self.store.job_lock()) as self._locks, current_stop().defer():
            while not current_stop().is_requested():
                self._collect()
                self._start_jobs()
                with contextlib.suppress(Stopped):  # the condition above ends the loop
                    current_stop().pause(POLL_S)
            while self._playing:
                for played in self._playing:
                    played.interrupt()
                time.sleep(POLL_S / 5)
                self._collect()

    def _collect(self) -> None:
        """Store the results of ended commands, and stop those of cancelled jobs."""
        for played in [*self._playing]:
            code = played.poll()
            if code is not None:
                self._playing.remove(played)
                self._finish(played, code)
                self._locks.release(played.job.id)
            elif self.store.queue.get(played.job.id).status is not JobStatus.PLAYING:
                played.interrupt()

    def _finish(self, played: PlayedJob, code: int) -> None:
        job, result = played.job, played.end()
        kills = self._count_kills(job) if code < 0 else 0
        if code == ExitCode.STOPPED or 0 < kills < MOST_KILLS:
            ended = self.store.queue.put_back(job.id)
        else:
            if kills:
                result = f"its command was killed {kills} times in a row by signal {-code}"
            status = JobStatus.DONE if code in DECIDED else JobStatus.FAILED
            ended = self.store.queue.finish(job.id, status, exit_code=code, result=result)
        status = JobStatus.CANCELLED if ended is None else ended.status
        why = f": {result}" if status is JobStatus.FAILED else ""
        self.report(f"job {job.id} is {status.value}, exit code {code}{why}")

    def _count_kills(self, job: JobRow) -> int:
        """Return how often a command was killed without a further game, this time included."""
        games = sum(self.store.games.count(run.id) for run in runs_of_job(self.store, job.id))
        kills, before = self._kills.get(job.id, (0, games))
        self._kills[job.id] = kills + 1 if games == before else 1, games
        return self._kills[job.id][0]

    def _start_jobs(self) -> None:
        """Start the next jobs while there is room."""
        for job in self.store.queue.open_jobs():
            free = set(range(self.jobs)) - {played.slot for played in self._playing}
            if not free:
                return
            if not self._locks.try_acquire(job.id):  # a worker plays it
                continue
            started = self.store.queue.start(job.id)
            if started is None:  # it has ended meanwhile
                self._locks.release(job.id)
                continue
            try:
                self._playing.append(self._start(started, min(free)))
            except OSError as error:
                self._refuse(started, error)
                continue
            self.report(f"job {job.id} starts: {job.command} ({job.author})")

    def _refuse(self, job: JobRow, error: OSError) -> None:
        """Store that a job cannot be started, so that it does not block the queue."""
        result = (
            f"its command cannot be started in {job.folder}: {error.strerror or error}; add it "
            "again in a folder that the worker may enter"
        )
        self.store.queue.finish(job.id, JobStatus.FAILED, exit_code=ExitCode.USAGE, result=result)
        self._locks.release(job.id)
        self.report(f"job {job.id} is {JobStatus.FAILED.value}: {result}")

    def _start(self, job: JobRow, slot: int) -> PlayedJob:
        """Start a job on its part of the CPUs."""
        cpus = sorted(os.sched_getaffinity(0))
        os.sched_setaffinity(0, cpus[slot % len(cpus) :: self.jobs])
        try:
            return PlayedJob(job, slot, self.db)
        finally:
            os.sched_setaffinity(0, cpus)
