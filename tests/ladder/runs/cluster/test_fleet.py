"""The fleet with a real scheduler and real workers in this process; only pairs are scripted."""

import asyncio
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AsyncExitStack
from typing import Any, Self

import pytest
from distributed import Scheduler, Worker, get_worker

from bots.protocol import Budget
from db.records.launch import DEFAULT_LIMITS, Start
from db.records.pairs import Entrant, PairPlan, PairRecord
from engine.seeds import SplitMix
from ladder.harness_version import harness_version
from ladder.match.process.worker_pool import WorkerDied
from ladder.runs.cluster.bot_bundle import BotBundle
from ladder.runs.cluster.coordinator.assignments import Pair
from ladder.runs.cluster.coordinator.fleet import Fleet
from ladder.runs.cluster.lending import METRIC, Lending
from ladder.runs.cluster.machine import MachineFacts, MachineTasks, SlotDied
from ladder.runs.cluster.security import SchedulerEndpoint
from ladder.runs.cluster.shipping import RunManifest
from ladder.runs.cluster.slot import Prepared
from ladder.runs.executor import MachineEvent
from tests.support.data.random_games import random_record

START = Start(argv=("true",), folder="/")
SIDES = {
    name: Entrant(number, name, START, Budget(simulations=1))
    for number, name in enumerate(("a", "b"), start=1)
}
Play = Callable[[PairPlan], PairRecord]
plays: dict[str, Play] = {}
"""What each machine does with a pair."""
slow: dict[str, threading.Event] = {}
"""Machines that are not ready before an event."""
already = threading.Event()
already.set()


def by_seed(plan: PairPlan, salt: int = 0) -> PairRecord:
    """Games that depend on the seed alone, as those of sound bots."""
    return random_record(plan, SplitMix(plan.seed + salt), time_us=20, started=time.time())


def describe_machine() -> MachineFacts:
    own = harness_version()["sources"]
    return MachineFacts(str(get_worker().name), "CPU", 1, "Linux", "3.11", "0.1", "0.1.0", own)


def prepare(manifest: RunManifest, sides: tuple[Entrant, ...]) -> Prepared:
    del manifest, sides
    slow.get(str(get_worker().name), already).wait(300)
    return Prepared(100.0, {})


def play(key: str, plan: PairPlan) -> PairRecord:
    del key
    return plays[str(get_worker().name)](plan)


@pytest.fixture(autouse=True)
def no_plays() -> None:
    """Forget what the machines of the last test did."""
    plays.clear()
    slow.clear()


TASKS = MachineTasks(describe_machine=describe_machine, prepare=prepare, play=play)
"""Tasks that play what the test wants."""


class Stage:
    """A scheduler, workers by name, and a fleet that gives them pairs."""

    def __init__(self, **options: Any) -> None:
        self.options = {"compares": True, "poll_s": 0.1, **options}
        self.news: list[MachineEvent] = []
        self.answers: list[tuple[int, str, PairRecord]] = []
        self.workers: dict[str, Worker] = {}
        self.stack = AsyncExitStack()

    async def __aenter__(self) -> Self:
        self.scheduler = await self.stack.enter_async_context(
            Scheduler(host="127.0.0.1", port=0, dashboard=False, dashboard_address="127.0.0.1:0")
        )
        manifest = RunManifest((), limits=DEFAULT_LIMITS, sandbox=(), pin=False)
        self.fleet = Fleet(
            SchedulerEndpoint("127.0.0.1", int(self.scheduler.port)),
            BotBundle(manifest, {}),
            SIDES,
            stream="stream",
            deliver=self.deliver,
            report=self.news.append,
            tasks=TASKS,
            **self.options,
        )
        self.run = asyncio.ensure_future(self.fleet.run())
        return self

    async def __aexit__(self, *error: object) -> None:
        self.fleet.end()
        await self.run
        for ready in slow.values():
            ready.set()  # a worker that closes waits 30 s for what it does
        await self.stack.aclose()

    async def join(self, name: str, does: Play) -> None:
        """Start a machine of one slot and wait until it is ready."""
        await self.start(name, does)
        await self.until(lambda: self.says(f"{name} has joined") or self.says(f"{name} takes no"))

    async def start(self, name: str, does: Play) -> None:
        """Start a machine of one slot."""
        plays[name] = does
        worker = Worker(
            self.scheduler.address, nthreads=1, name=name, memory_limit=0, dashboard=False,
            dashboard_address="127.0.0.1:0", metrics={METRIC: Lending(name, 1)},
        )  # fmt: skip
        self.workers[name] = await self.stack.enter_async_context(worker)

    def deliver(
        self, future: "Future[PairRecord]", facts: MachineFacts | None, result: Any
    ) -> None:
        if isinstance(result, WorkerDied):
            return
        assert isinstance(result, PairRecord), result
        self.answers.append((result.number, "" if facts is None else facts.name, result))
        future.set_result(result)

    def give(self, *numbers: int) -> None:
        """Have pairs of these numbers played."""
        for number in numbers:
            self.fleet.add(Pair(plan_of(number), Future()))

    def says(self, words: str, *, warning: bool | None = None) -> bool:
        return any(
            words in each.sentence and warning in (None, each.is_warning) for each in self.news
        )

    async def until(self, ready: Callable[[], bool]) -> None:
        """Wait for something that must happen; only a test that fails waits long."""
        deadline = time.monotonic() + 300
        while not ready():
            assert time.monotonic() < deadline, self.news
            assert not self.run.done(), self.run
            await asyncio.sleep(0.02)

    async def answered(self, count: int) -> None:
        await self.until(lambda: len(self.answers) >= count)


def plan_of(number: int) -> PairPlan:
    a, b = SIDES["a"], SIDES["b"]
    return PairPlan(number + 1, number, a, b, "4x4", "4x4", (), seed=1000 + number)


def on_stage(scene: Callable[[Stage], Any], **options: Any) -> Stage:
    """Play a scene and return the stage with the events and records; `options` are the fleet's.

    In a thread of its own: a browser that another test has left open keeps a loop in this one.
    """

    async def whole() -> Stage:
        async with Stage(**options) as stage:
            await scene(stage)
        return stage

    with ThreadPoolExecutor(1) as thread:
        return thread.submit(lambda: asyncio.run(whole())).result()


@pytest.mark.slow
def test_a_machine_that_joins_is_no_warning() -> None:
    """Machines that join, play and leave are reported, but not as warnings."""

    async def scene(stage: Stage) -> None:
        await stage.join("alpha", by_seed)
        await stage.join("beta", by_seed)
        stage.give(*range(6))
        await stage.answered(6)
        await stage.workers["beta"].close()
        await stage.until(lambda: stage.says("beta has left"))

    stage = on_stage(scene, alone_s=300.0, silent_s=300.0)  # whatever a loaded machine delays
    assert [each.sentence for each in stage.news if each.is_warning] == []
    assert stage.says("beta has joined with 1 slot (CPU, 100 M positions/s): 2 machines, 2 slots")
    assert stage.says("beta has left, and its pairs are played elsewhere: 1 machine")


def test_a_scheduler_without_machines_is_a_warning() -> None:
    """The sentence names the command that starts a machine, and comes once."""

    async def scene(stage: Stage) -> None:
        await stage.until(lambda: stage.says("no machine has joined", warning=True))
        await stage.join("alpha", by_seed)
        await stage.workers["alpha"].close()
        await stage.until(lambda: stage.says("alpha has left"))

    stage = on_stage(scene, alone_s=0.0)
    warnings = [each.sentence for each in stage.news if each.is_warning]
    assert len(warnings) == 1
    assert "start `ladder worker " in warnings[0]


def test_machines_that_get_ready_slowly_are_counted() -> None:
    """Their number is reported while they prepare, and again if the run ends before."""
    slow["late"] = slow["later"] = threading.Event()

    async def scene(stage: Stage) -> None:
        await stage.start("late", by_seed)
        await stage.start("later", by_seed)
        await stage.until(lambda: stage.says("2 machines getting ready", warning=False))

    stage = on_stage(scene, unready_s=0.0)
    assert stage.says("2 machines still getting ready", warning=False)


@pytest.mark.timed
@pytest.mark.slow
def test_a_pair_that_arrives_twice_counts_once() -> None:
    """The pair of a silent machine is played elsewhere; its own late record changes nothing."""
    hurry, came = threading.Event(), threading.Event()

    def slowly(plan: PairPlan) -> PairRecord:
        hurry.wait(300)
        came.set()
        return by_seed(plan)

    async def scene(stage: Stage) -> None:
        await stage.join("alpha", slowly)
        stage.give(0)
        await stage.join("beta", by_seed)
        heartbeat = stage.workers["alpha"].periodic_callbacks["heartbeat"]
        heartbeat.stop()
        await stage.answered(1)
        hurry.set()
        heartbeat.start()
        await stage.until(lambda: came.is_set() and stage.says("alpha answers again"))
        stage.give(1, 2)
        await stage.answered(3)

    stage = on_stage(scene, silent_s=0.5)
    assert stage.says("alpha does not answer", warning=True)
    assert sorted(number for number, _, _ in stage.answers) == [0, 1, 2]
    assert stage.answers[0][1] == "beta"
    assert not stage.says("came out differently")


@pytest.mark.slow
def test_a_bot_that_plays_otherwise_each_time_is_reported() -> None:
    """Two playings differ under a work budget, and so does a further one: no machine is blamed."""
    salts = iter(range(1, 100))

    async def scene(stage: Stage) -> None:
        for name in ("alpha", "beta"):
            await stage.join(name, lambda plan: by_seed(plan, next(salts)))
        stage.give(0)
        await stage.until(lambda: stage.says("comes out differently each time", warning=True))
        stage.give(1, 2)
        await stage.answered(3)

    stage = on_stage(scene)
    assert stage.says("pair 0 came out differently on", warning=True)
    assert stage.says("a or b is not deterministic", warning=True)
    assert not stage.says("set aside")
    assert sorted(number for number, _, _ in stage.answers) == [0, 1, 2]


@pytest.mark.slow
def test_a_machine_that_plays_other_games_is_set_aside_for_good() -> None:
    """Of three machines one repeats games that no other plays: its pairs go elsewhere."""

    async def scene(stage: Stage) -> None:
        await stage.join("good", by_seed)
        await stage.join("bad", lambda plan: by_seed(plan, 7))
        await stage.join("fine", by_seed)
        stage.give(*range(3))
        await stage.until(lambda: stage.says("bad is set aside", warning=True))
        await stage.answered(3)
        before = len(stage.answers)
        stage.give(*range(3, 9))
        await stage.answered(9)
        assert {name for _, name, _ in stage.answers[before:]} == {"good", "fine"}
        await stage.workers["bad"].close()
        await stage.join("bad", by_seed)
        await stage.until(lambda: stage.says("bad takes no part"))

    stage = on_stage(scene)
    assert not stage.says("good is set aside")
    assert not stage.says("fine is set aside")
    assert stage.says("bad takes no part: it was set aside before", warning=True)


def test_two_machines_cannot_show_which_is_wrong() -> None:
    """Both repeat their own games: the contradiction is reported and no machine is set aside."""

    async def scene(stage: Stage) -> None:
        await stage.join("one", by_seed)
        await stage.join("other", lambda plan: by_seed(plan, 7))
        stage.give(0)
        await stage.until(lambda: stage.says("a third machine would decide", warning=True))

    stage = on_stage(scene)
    assert not stage.says("set aside")
    assert len(stage.answers) == 1


@pytest.mark.slow
def test_the_coordinator_finds_which_of_two_machines_is_wrong() -> None:
    """It must play the contested pair itself, and the machine that repeats other games goes."""

    async def scene(stage: Stage) -> None:
        await stage.join("good", by_seed)
        await stage.join("bad", lambda plan: by_seed(plan, 7))
        stage.give(0)
        await stage.until(lambda: stage.says("bad is set aside", warning=True))
        stage.give(*range(1, 6))
        await stage.answered(6)
        assert {name for _, name, _ in stage.answers[1:]} == {"good"}

    stage = on_stage(scene, replay=by_seed)
    assert not stage.says("good is set aside")


@pytest.mark.slow
def test_a_single_machine_that_plays_other_games_is_found_out() -> None:
    """However long the coordinator takes, it plays one pair until that one was compared."""
    repeated = threading.Event()

    def repeats(plan: PairPlan) -> PairRecord:
        if plan.number:
            repeated.set()
        return by_seed(plan, 7)

    def slowly(plan: PairPlan) -> PairRecord:
        repeated.wait(1.0)  # it would be given the next pair by then
        return by_seed(plan)

    async def scene(stage: Stage) -> None:
        await stage.join("bad", repeats)
        stage.give(*range(4))
        await stage.until(lambda: stage.says("bad is set aside", warning=True))
        await stage.join("good", by_seed)
        await stage.answered(4)

    stage = on_stage(scene, replay=slowly)
    assert [number for number, name, _ in stage.answers if name == "bad"] == [0]
    assert not repeated.is_set()
    assert not stage.says("good is set aside")


def test_the_stored_record_names_its_machine_however_fast_the_coordinator_is() -> None:
    """The coordinator repeats pairs of a single machine, and its record never counts first."""
    replayed = threading.Event()

    def replay(plan: PairPlan) -> PairRecord:
        replayed.set()
        return by_seed(plan)

    def slowly(plan: PairPlan) -> PairRecord:
        replayed.wait(0.5)  # a coordinator that did not wait for this record would be first
        return by_seed(plan)

    async def scene(stage: Stage) -> None:
        await stage.join("alpha", slowly)
        stage.give(*range(3))
        await stage.answered(3)
        await stage.until(replayed.is_set)

    stage = on_stage(scene, replay=replay)
    assert [name for _, name, _ in stage.answers] == ["alpha"] * 3


@pytest.mark.slow
def test_a_machine_that_sends_a_false_record_is_set_aside_for_good() -> None:
    """Nothing of the record may reach the runner, and its pair is played elsewhere."""

    def another_pair(plan: PairPlan) -> PairRecord:
        return by_seed(plan_of(plan.number + 1))

    async def scene(stage: Stage) -> None:
        await stage.join("liar", another_pair)
        stage.give(*range(3))
        await stage.until(lambda: stage.says("liar is set aside", warning=True))
        await stage.join("good", by_seed)
        await stage.answered(3)
        await stage.workers["liar"].close()
        await stage.join("liar", by_seed)
        await stage.until(lambda: stage.says("liar takes no part"))

    stage = on_stage(scene, compares=False)
    assert stage.says("it sent a false record of pair 0: it is the record of pair 1", warning=True)
    assert sorted(number for number, _, _ in stage.answers) == [0, 1, 2]
    assert {name for _, name, _ in stage.answers} == {"good"}


@pytest.mark.slow
def test_a_machine_whose_slots_keep_dying_is_set_aside_while_others_play() -> None:
    """It must not end the run, which gives up after some deaths in a row."""

    def dies(plan: PairPlan) -> PairRecord:
        raise SlotDied(f"pair {plan.number}")

    async def scene(stage: Stage) -> None:
        await stage.join("good", by_seed)
        await stage.join("dying", dies)
        for number in range(300):
            stage.give(number)
            await asyncio.sleep(0.01)
            if stage.says("dying is set aside"):
                return
        await stage.until(lambda: stage.says("dying is set aside"))

    stage = on_stage(scene, compares=False)
    assert stage.says("the processes of its slots were killed 3 times", warning=True)
    assert not stage.says("good is set aside")


@pytest.mark.slow
def test_a_machine_whose_pairs_do_not_come_back_is_set_aside() -> None:
    """A pair that exceeds its time limits is played elsewhere."""
    free = threading.Event()

    def never(plan: PairPlan) -> PairRecord:
        free.wait(300)
        return by_seed(plan)

    async def scene(stage: Stage) -> None:
        await stage.join("stuck", never)
        stage.give(0)
        await stage.join("well", by_seed)
        try:
            await stage.answered(1)
        finally:
            free.set()

    stage = on_stage(scene, compares=False, time_limit=lambda *_: 0.5)
    assert stage.says("stuck is set aside", warning=True)
    assert stage.says("has not sent back pair 0", warning=True)
    assert [name for _, name, _ in stage.answers] == ["well"]


@pytest.mark.slow
def test_a_cancelled_question_harms_no_other() -> None:
    """Questions are given up when a machine is set aside, at any moment; others get answers."""

    async def scene(stage: Stage) -> None:
        await stage.join("alpha", by_seed)
        (address,) = (worker.address for worker in stage.workers.values())

        def ask(number: int) -> "asyncio.Task[Any]":
            asked = stage.fleet._connection.ask(address, play, "", plan_of(number), key=number)
            return asyncio.ensure_future(asked)

        for _ in range(10):
            given_up, kept = [ask(number) for number in range(30)], [ask(30), ask(31)]
            while len(given_up) > 1:
                await asyncio.wait(given_up, return_when=asyncio.FIRST_COMPLETED)
                given_up = [each for each in given_up if not each.done()]
                for each in given_up[:2]:
                    each.cancel()
            records = await asyncio.wait_for(asyncio.gather(*kept), 60)
            assert [record.number for record in records] == [30, 31]

    on_stage(scene)
