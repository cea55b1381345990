"""The runner: it gives pairs to workers and stores their records until the run ends.

This process is the only writer of its run. `ladder.runs.pair_order.PairOrder` decides which pair is
next.
"""

import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from db.records.pairs import PairPlan, PairRecord, PlayedPair, StoredGames
from db.records.run_settings import PausedStored
from db.records.runs import RunRow, RunStatus
from db.store import Store
from ladder.errors import InvalidRun
from ladder.match.process.worker_pool import WorkerDied
from ladder.runs.choosers import PairsPending
from ladder.runs.decision import Judge
from ladder.runs.executor import PairExecutor
from ladder.runs.health import RunHealth
from ladder.runs.live import LiveRun, RunEnding, RunWatcher, count_pair, refit
from ladder.runs.pair_order import PairOrder, PairSource
from ladder.signals import current_stop

TICK_S = 0.2
"""Longest time between two calls of the watcher."""


@dataclass(frozen=True, slots=True)
class RunOutcome:
    """The end of a run: its stored row, and why it ended."""

    run: RunRow
    ending: RunEnding
    live: LiveRun


@dataclass(kw_only=True)
class Runner:
    """Plays one run to its end. Used once."""

    store: Store
    run: RunRow
    """Stored as running."""
    source: PairSource
    judge: Judge
    """Takes the run's finished pairs in the order of their numbers, those of former sessions
    included, and ends the run."""
    health: RunHealth
    """Ends the run as invalid if its games mean nothing."""
    workers: PairExecutor
    """Closed by `play`."""
    live: LiveRun
    """Updated by `play`, for the watcher."""
    watcher: RunWatcher
    target_games: int | None
    """Number of finished games at which the run ends; None for no such end."""
    deadline: float | None = None
    """Monotonic time at which the run ends; None for no such end."""
    _playing: dict["Future[PairRecord]", PairPlan] = field(default_factory=dict)
    _done: list["Future[PairRecord]"] = field(default_factory=list)
    """Futures that are done or cancelled and not collected yet; filled in this thread, by callbacks
    in `submit`, `wait` and `cancel`."""

    def __post_init__(self) -> None:
        self._order = PairOrder(self.source, self.judge)
        self.live.playing = self._playing
        self.live.workers = self.workers.slots
        self.live.paused = self.health.paused
        self.live.target_games, self.live.deadline = self.target_games, self.deadline

    def play(self) -> RunOutcome:
        """Play until the target, a decision or the deadline is reached, or a stop is requested.

        The status of the run is stored in every case; pairs in play at a stop stay planned.

        Raises:
            InvalidRun: bots fail or the machine stalls too often.

        """
        self.watcher.started(self.live)
        self.store.retry_policy.report = self._warn
        if self._time_is_up():
            self._warn(
                f"no time is left: run {self.run.id} has already been played for longer; ask for "
                "more hours to continue it"
            )
        status = RunStatus.INTERRUPTED
        try:
            self._order.load()
            ending = self.live.ending = self._loop()
            if ending is RunEnding.DONE:
                if not self.judge.keeps_planned:  # else a later session resumes it
                    status = RunStatus.FINISHED
                self._order.settle_all()  # pairs beyond the target hold nothing back
        except InvalidRun:
            status = RunStatus.INVALID
            self._order.settle_all()  # pairs in play will never be finished
            raise
        finally:
            if self.live.ending is RunEnding.DONE and not self._playing:
                self.workers.close()
            else:
                self.workers.kill()
            self._report_events()
            self._store_paused()
            if status is RunStatus.FINISHED:
                self.store.runs.finish(self.run.id)
            else:
                self.store.runs.set_status(self.run.id, status)
            self.watcher.ended(self.live)
        run = replace(self.store.runs.get(self.run.id), status=status)
        return RunOutcome(run, ending, self.live)

    def _store_paused(self) -> None:
        """Store which bots are paused now; a resumed run gives each of them another chance."""
        paused = {
            name: PausedStored(self.live.bots[name].results.games, why)
            for name, why in self.health.paused.items()
        }
        if paused or self.run.paused:
            self.store.runs.change_settings(self.run.id, paused=paused)

    def _loop(self) -> RunEnding:
        while True:
            if current_stop().is_requested():
                return RunEnding.STOPPED
            if self._time_is_up():
                return RunEnding.DONE
            self._order.settle()
            self.live.progress = self.judge.progress
            self.live.games_left = self.judge.games_left
            if self.judge.decided:
                self._cancel_pending()
            is_blocked = self._submit_pairs()
            if self._playing:
                with self._collecting():
                    self.workers.wait(TICK_S)
                self.live.workers = self.workers.slots
                self._report_events()
            elif is_blocked:
                time.sleep(TICK_S)  # another process plays what the next batch depends on
            else:
                return RunEnding.DONE
            refit(self.live)
            self.watcher.tick(self.live)

    def _report_events(self) -> None:
        for sentence, is_warning in self.workers.events():
            if is_warning:
                self._warn(sentence)
            else:
                self.watcher.notified(self.live, sentence)

    def _cancel_pending(self) -> None:
        """Cancel pairs that have not started; those in play are finished and stored."""
        cancelled = [future for future in self._playing if future.cancel()]
        self._order.cancel([self._playing.pop(future) for future in cancelled])

    def _submit_pairs(self, done: int = 0) -> bool:
        """Submit as many pairs as the workers take, but none beyond the target.

        Return whether the next pair depends on unfinished ones.

        Args:
            done: The number of pairs in play that workers have finished.

        """
        capacity = self.workers.capacity + done
        try:
            while len(self._playing) < capacity and (plan := self._order.next(self._missing())):
                future = self.workers.submit(plan)
                self._playing[future] = plan
                future.add_done_callback(self._done.append)
        except PairsPending:
            return True
        return False

    def _missing(self) -> int | None:
        """Return the number of games that are missing to the target; None without one."""
        if self.target_games is None:
            return None
        return self.target_games + self.judge.surplus - self.live.total_games

    @contextmanager
    def _collecting(self) -> Iterator[None]:
        """Collect the pairs that end in a block, before an exception of the block is raised."""
        is_undisturbed = False
        try:
            yield
            is_undisturbed = True
        finally:
            done = [future for future in self._done if future in self._playing]
            self._done.clear()
            try:
                if is_undisturbed:  # no worker idles while the disk is written
                    self._submit_pairs(done=len(done))
            finally:
                self._collect(done)

    def _collect(self, done: Sequence["Future[PairRecord]"]) -> None:
        """Store and count finished pairs, all of them in one commit; requeue those that failed.

        Raises:
            LadderError: a pair cannot be played; the others are stored.

        """
        records: list[tuple[PairPlan, PairRecord]] = []
        died: list[PairPlan] = []
        failures: list[BaseException] = []
        for future in sorted(done, key=lambda each: self._playing[each].pair.number):
            plan = self._playing.pop(future)
            failure = future.exception()
            if failure is None:
                records.append((plan, future.result()))
            elif isinstance(failure, WorkerDied):
                died.append(plan)
                self._order.requeue(plan)
            else:
                self._order.finish(plan, None)
                failures.append(failure)
        stored = iter(self.source.finish([each for each in records if each[1].games]))
        for plan, record in records:
            self.live.stalls += record.stalls
            if record.games:
                self._count(plan, record, next(stored))
            else:
                self.source.give_up(plan, record)
                self._order.finish(plan, None)
        for failure in failures:
            raise failure
        for plan, record in records:
            self._warn_all(self.health.observe(plan, record))
        if died:
            self._warn(self.health.note_deaths(died))

    def _count(self, plan: PairPlan, record: PairRecord, finished: StoredGames) -> None:
        if finished is None:
            self._order.finish(plan, None)
            self._warn(
                f"pair {plan.pair.number} was not stored: another process has finished or dropped "
                "it"
            )
            return
        pair = PlayedPair.of(plan.pair, record)
        self._order.finish(plan, pair)
        self._warn_all(count_pair(self.live, plan, pair, record, finished))
        self.watcher.pair_finished(self.live, record)

    def _time_is_up(self) -> bool:
        return self.deadline is not None and time.monotonic() >= self.deadline

    def _warn_all(self, sentences: Iterable[str]) -> None:
        for sentence in sentences:
            self._warn(sentence)

    def _warn(self, sentence: str) -> None:
        self.live.warnings.append(sentence)
        self.watcher.warned(self.live, sentence)
