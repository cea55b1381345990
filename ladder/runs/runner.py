"""The runner: has pairs played and stores each at its end, until told to stop.

The coordinator is the only writer of its run. A `ladder.runs.pair_queue.PairSource` decides which
pair is next.
"""

import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from itertools import chain

from db.records.pairs import (
    FinishedPair,
    PairOutcome,
    PairPlan,
    PairRecord,
)
from db.records.runs import (
    RunRow,
    RunStatus,
)
from db.store import Store
from ladder.errors import InvalidRun
from ladder.match.process.worker_pool import WorkerDied
from ladder.runs.decision import (
    Decision,
    played_pair,
)
from ladder.runs.executor import NoHost, PairExecutor
from ladder.runs.health import RunHealth
from ladder.runs.pair_queue import PairSource
from ladder.runs.progress import (
    LiveRun,
    RunEnding,
    Watcher,
)
from ladder.runs.scoreboard import count_pair
from ladder.signals import is_stop_wished

TICK_S = 0.2
"""Longest time between two calls of the watcher."""


@dataclass(frozen=True, slots=True)
class RunOutcome:
    """The end of a run: how it stands in the database, and why it ended."""

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
    decision: Decision
    """Takes the run's finished pairs in the order of their numbers, those of former sessions
    included, and ends the run."""
    health: RunHealth
    """Gives the run up."""
    workers: PairExecutor
    """Closed by `play`."""
    live: LiveRun
    """Kept up to date here."""
    watcher: Watcher
    _playing: dict["Future[PairRecord]", PairPlan] = field(default_factory=dict)
    _done: list["Future[PairRecord]"] = field(default_factory=list)
    """Those that workers are done with, or that were cancelled, and that are not collected; filled
    in this thread, by `submit`, `wait` and `cancel`."""

    def __post_init__(self) -> None:
        self.live.playing = self._playing
        self.live.workers = self.workers.slots

    def play(self) -> RunOutcome:
        """Play until the target is reached or a stop is asked for.

        The run's status is stored whatever happens; pairs in play at a stop stay planned.

        Raises:
            InvalidRun: bots fail or the machine stalls so that the run means nothing.

        """
        self.watcher.started(self.live)
        self.store.patience.tell = self._warn
        if self._time_is_up():
            self._warn(f"nothing is left of --hours: run {self.run.id} has been played for longer")
        status = RunStatus.INTERRUPTED
        try:
            self.source.load()
            if self.decision.is_asked:
                for pair in self.store.pairs.of_run(self.run.id):
                    self.decision.add(pair)
            ending = self.live.ending = self._loop()
            if ending is RunEnding.DONE:
                if not self.decision.judge.keeps_planned:  # else a later session resumes it
                    status = RunStatus.FINISHED
                self.decision.consider(())  # a target of fewer games than were begun owes none
        except InvalidRun:
            status = RunStatus.INVALID
            self.decision.consider(())  # what is still in play will never be finished
            raise
        finally:
            if self.live.ending is RunEnding.DONE and not self._playing:
                self.workers.close()
            else:
                self.workers.kill()
            self._report_news()
            if status is RunStatus.FINISHED:
                self.store.runs.finish(self.run.id)
            else:
                self.store.runs.set_status(self.run.id, status)
            self.watcher.ended(self.live)
        run = replace(self.store.runs.get(self.run.id), status=status)
        return RunOutcome(run, ending, self.live)

    def _loop(self) -> RunEnding:
        while True:
            if is_stop_wished():
                return RunEnding.STOPPED
            if self._time_is_up():
                return RunEnding.DONE
            self._consider()
            self.live.progress = self.decision.judge.progress
            self.live.games_left = self.decision.judge.games_left
            if self.decision.judge.decided:
                self._cancel_pending()
            depends = self._hand_out()
            if self._playing:
                self.workers.wait(TICK_S)
                done = [future for future in self._done if future in self._playing]
                self._done.clear()
                self._hand_out(done=len(done))  # no worker idles while the disk is written
                self._collect(done)
                self._update_workers()
            elif depends:
                time.sleep(TICK_S)  # another process plays what the next batch depends on
            else:
                return RunEnding.DONE
            self.watcher.tick(self.live)

    def _consider(self) -> None:
        """Show the judge all pairs before the first unfinished one."""
        while True:
            self.decision.consider(self._unfinished())
            if not self.source.recall(plan.number for plan in self._playing.values()):
                return

    def _update_workers(self) -> None:
        """Note how many pairs can be in play now, and report what happened to the machines."""
        self.live.workers = self.workers.slots
        self._report_news()

    def _report_news(self) -> None:
        for sentence, is_warning in self.workers.news():
            if is_warning:
                self._warn(sentence)
            else:
                self.watcher.told(self.live, sentence)

    def _unfinished(self) -> Iterator[int]:
        """Return the numbers of the pairs that are planned and not finished."""
        return chain(self.source.numbers(), (plan.number for plan in self._playing.values()))

    def _cancel_pending(self) -> None:
        """Cancel pairs that have not started; those in play are finished and stored."""
        cancelled = [future for future in self._playing if future.cancel()]
        plans = [self._playing.pop(future) for future in cancelled]
        if not self.decision.judge.keeps_planned:
            self.source.drop(plans)

    def _hand_out(self, done: int = 0) -> bool:
        """Keep every worker busy and pairs ready behind each, but begin none past the target.

        Return whether there is more to begin that depends on pairs which are not finished.

        Args:
            done: how many of the pairs in play their workers are done with.

        """
        room = self.workers.capacity + done
        while not self.decision.judge.decided and len(self._playing) < room:
            wanted = self._pairs_wanted()
            if wanted is not None and wanted <= 0:
                return False  # what a run without a target has planned beyond it stays planned
            plan = self.source.next_pair(wanted=wanted, in_play=len(self._playing))
            if plan is None:
                return self.source.is_blocked
            plan = self.health.briefed(plan)
            future = self.workers.submit(plan)
            self._playing[future] = plan
            future.add_done_callback(self._done.append)
        return False

    def _pairs_wanted(self) -> int | None:
        """Return how many more pairs to begin; None without a limit."""
        target = self.live.target_games
        if target is None:
            return None
        missing = target + self.decision.judge.surplus - self.live.total_games
        wanted = (missing + 1) // 2 - len(self._playing)
        if not self._playing and self.decision.holds_pairs:
            return max(1, wanted)  # the judge waits for an earlier pair
        return wanted

    def _collect(self, done: Sequence["Future[PairRecord]"]) -> None:
        """Take in the pairs that workers are done with; those that were played share a commit."""
        came: list[tuple[PairPlan, PairRecord]] = []
        hostless: dict[str, str] = {}
        died: list[PairPlan] = []
        for future in sorted(done, key=lambda each: self._playing[each].number):
            plan = self._playing.pop(future)
            try:
                came.append((plan, future.result()))
            except WorkerDied:
                died.append(plan)
                self.source.put_back(plan)
            except NoHost as error:
                hostless |= error.reasons
                self.source.put_back(plan)
        stored = iter(self.source.finish([each for each in came if each[1].games]))
        for plan, record in came:
            self.live.aborted_games += record.aborts
            if record.games:
                self._warn_all(self._count(plan, record, next(stored)))
            else:
                self._warn_all(filter(None, [self.source.give_up(plan, record)]))
            self._warn_all(self.health.observe(plan, record))
        self._warn_all(self.health.note_hostless(hostless, self.live))
        if died:
            self._warn(self.health.note_deaths(died))

    def _count(self, plan: PairPlan, record: PairRecord, finished: FinishedPair) -> Iterator[str]:
        if finished.outcome is not PairOutcome.STORED:
            yield f"pair {plan.number} was not stored: it is {finished.outcome} already"
            return
        yield from count_pair(self.live, plan, record, finished)
        if self.decision.is_asked:
            self.decision.add(played_pair(plan, record))
        self.watcher.pair_finished(self.live, record)

    def _time_is_up(self) -> bool:
        deadline = self.live.deadline
        return deadline is not None and time.monotonic() >= deadline

    def _warn_all(self, sentences: Iterable[str]) -> None:
        for sentence in sentences:
            self._warn(sentence)

    def _warn(self, sentence: str) -> None:
        self.live.warnings.append(sentence)
        self.watcher.warned(self.live, sentence)
