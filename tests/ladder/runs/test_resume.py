"""Resume: whatever interrupts the sessions of a stream, its games are those of an undisturbed run.

The sessions run in forks of this process, so that a kill ends them as SIGKILL would, without any
`finally`. `tests/end_to_end/runs/test_kills.py` kills real workers and bots besides.
"""

import contextlib
import os
import tempfile
from concurrent.futures import Future
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)

from db.records.pairs import PairPlan, PairRecord, PlayedPair
from db.records.runs import RunStatus
from engine.board_class import parse_board_classes
from engine.seeds import SplitMix
from ladder.match.process.worker_pool import WorkerDied
from ladder.runs.decision import Judge
from ladder.runs.live import RunEnding
from ladder.runs.pairings import PAIRINGS, Pairing
from ladder.runs.resume import hashes_of, own_job, resume_or_create
from ladder.runs.settings import ResumePolicy
from tests.end_to_end.traces import faults_of, lines_of, query
from tests.ladder.runs.conftest import FIVE, SETTINGS, Stopper, open_store, play
from tests.support.data.random_games import random_record
from tests.support.instant_workforce import InstantWorkers

STRETCH = 25
WANTED_PAIRS = 15
WANTED = replace(SETTINGS, bots=FIVE, boards=parse_board_classes("4x4,5x5"))
KILLED, STOPPED, DONE = 99, 130, 0


class UnsteadyWorkers(InstantWorkers):
    """Workers that end pairs in a drawn order, die over some, and may end the whole process."""

    capacity = 5

    def __init__(self, draw: SplitMix, kill_after: int | None) -> None:
        super().__init__()
        self._draw, self._left = draw, kill_after
        self._pending: list[tuple[PairPlan, Future[PairRecord]]] = []

    def submit(self, plan: PairPlan) -> "Future[PairRecord]":
        future: Future[PairRecord] = Future()
        self._pending.append((plan, future))
        return future

    def wait(self, timeout_s: float) -> None:
        plan, future = self._pending.pop(self._draw.below(len(self._pending)))
        if self._left == 0:
            os._exit(KILLED)
        self._left = None if self._left is None else self._left - 1
        if self._draw.below(8) == 0:
            future.set_exception(WorkerDied())
        else:
            future.set_result(random_record(plan, SplitMix(plan.pair.seed)))


@cache
def undisturbed(pairing: Pairing, stretches: int) -> dict[tuple[int, int], tuple[Any, ...]]:
    """Return the first games of a stream by pair number and game, played in one go in order."""
    with tempfile.TemporaryDirectory() as folder:
        with open_store(Path(folder)) as store:
            play(store, replace(WANTED, pairing=pairing, games=2 * STRETCH * stretches), Stopper())
        return {line[1:3]: line for line in lines_of(Path(folder))}


class Session(NamedTuple):
    """One start of the command."""

    pairs: int
    """Its target."""
    seed: int
    """Draws the order in which its pairs end, and deaths of workers."""
    stop_after: int | None = None
    kill_after: int | None = None


SESSIONS = st.builds(
    Session,
    pairs=st.integers(1, 12),
    seed=st.integers(0, 1 << 30),
    stop_after=st.none() | st.integers(1, 6),
    kill_after=st.none() | st.integers(0, 6),
)


class Sessions(RuleBasedStateMachine):
    """Sessions of one command on one database, some of them beside each other."""

    def __init__(self) -> None:
        super().__init__()
        self._folder = tempfile.TemporaryDirectory()
        self.place = Path(self._folder.name)
        open_store(self.place).close()

    @initialize(rule=st.sampled_from(sorted(PAIRINGS)))
    def choose(self, rule: str) -> None:
        """Choose how opponents are chosen."""
        self.pairing = Pairing(PAIRINGS[rule], "stupid" if PAIRINGS[rule].takes_bot else None)

    @rule(sessions=st.lists(SESSIONS, min_size=1, max_size=2))
    def start(self, sessions: list[Session]) -> None:
        """Start sessions at the same time, and wait for their ends."""
        forks = [self._fork(each) for each in sessions]
        codes = [os.waitstatus_to_exitcode(os.waitpid(each, 0)[1]) for each in forks]
        assert {*codes} <= {DONE, STOPPED, KILLED}, codes

    def _fork(self, session: Session) -> int:
        if pid := os.fork():
            return pid
        code = 1
        try:
            wanted = replace(WANTED, pairing=self.pairing, games=2 * session.pairs)
            workers = UnsteadyWorkers(SplitMix(session.seed), session.kill_after)
            with open_store(self.place) as store:
                outcome = play(store, wanted, Stopper(session.stop_after), lambda: workers)
            code = STOPPED if outcome.ending is RunEnding.STOPPED else DONE
        finally:
            os._exit(code)

    @invariant()
    def every_game_is_that_of_an_undisturbed_run(self) -> None:
        """No pair is lost, stored twice or played otherwise; none is planned beyond the end."""
        games = {line[1:3]: line for line in lines_of(self.place)}
        numbers = query(self.place, "select number from pairs order by number")
        stretches = -(-len(numbers) // STRETCH)
        assert games.items() <= (undisturbed(self.pairing, stretches) if games else games).items()
        assert faults_of(self.place) == []
        assert numbers == [(number,) for number in range(len(numbers))]

    def teardown(self) -> None:
        """Play what is left; a session may only find that an interrupted run has its games."""
        for _ in range(3 if hasattr(self, "pairing") else 0):
            if self._planned():
                self.start([Session(self._planned(), 1)])
        assert not self._planned()
        self._folder.cleanup()

    def _planned(self) -> int:
        found: int = query(self.place, "select count(*) from pairs where status = 'planned'")[0][0]
        return found


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_sessions_of_one_command_play_one_stream() -> None:
    """Stops, kills, deaths of workers, companions and changed targets change no game."""
    generate_only = settings(
        max_examples=6,
        stateful_step_count=5,
        deadline=None,
        phases=[Phase.generate],  # sessions take long, and a shorter failure would say no more
    )
    run_state_machine_as_test(Sessions, settings=generate_only)


class Choosy(Judge):
    """A judge that counts some pairs, and wants one or not by the results of those before it."""

    def __init__(self) -> None:
        self.seen: list[int] = []
        self.counted: list[int] = []
        self._points = 0

    @property
    def decided(self) -> bool:
        return len(self.counted) == WANTED_PAIRS

    def wants(self, plan: PairPlan) -> bool:
        return self._wants(plan.pair.number)

    def take(self, pair: PlayedPair) -> None:
        self.seen.append(pair.number)
        if self._wants(pair.number) and not self.decided:
            self.counted.append(pair.number)
            self._points += sum(result.points2 for result in pair.results)
        else:
            self.surplus += 2

    def _wants(self, number: int) -> bool:
        return (number + self._points) % 3 > 0


@pytest.mark.slow
def test_a_judge_counts_the_same_pairs_whatever_interrupts_its_run(tmp_path: Path) -> None:
    """It sees pairs in the order of their numbers, and none that it no longer wants counts."""
    wanted = replace(WANTED, games=2 * WANTED_PAIRS)
    undisturbed = Choosy()
    with open_store(tmp_path / "undisturbed") as store:
        play(store, wanted, Stopper(), judge=undisturbed)
    assert undisturbed.decided
    for seed in range(2):
        ending = RunEnding.STOPPED
        draw = SplitMix(seed)
        while ending is RunEnding.STOPPED:
            judge, stopper = Choosy(), Stopper(1 + draw.below(8))
            with open_store(tmp_path / str(seed)) as store:
                ending = play(
                    store, wanted, stopper, partial(UnsteadyWorkers, draw, None), judge=judge
                ).ending
            assert judge.seen == sorted(judge.seen)
        assert judge.counted == undisturbed.counted


def test_a_job_with_new_resumes_only_what_it_has_begun(tmp_path: Path) -> None:
    """A job of the queue is started again after a kill: --new must not begin anew then."""

    def start(job: int | None, end: RunStatus, policy: ResumePolicy = ResumePolicy.NEVER) -> int:
        token = own_job.set(job)
        with open_store(tmp_path) as store, contextlib.closing(store.run_lock()) as lock:
            hashes = hashes_of(store.bots.get(name) for name in FIVE)
            wanted = replace(WANTED, games=2, resume_policy=policy)
            run = resume_or_create(store, lock, wanted, hashes, {})
            assert run is not None
            store.runs.set_status(run.id, end)
        own_job.reset(token)
        return run.id

    killed, finished = RunStatus.RUNNING, RunStatus.FINISHED
    assert [start(None, killed, ResumePolicy.AUTO), start(1, killed), start(2, killed)] == [1, 2, 3]
    assert [start(1, finished), start(1, finished), start(2, killed), start(3, killed)] == [
        *(2, 2, 3, 4)
    ]
    assert start(None, killed) == 5
