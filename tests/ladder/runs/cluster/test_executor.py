"""The executor of a cluster: the times that machines get, and a fleet that breaks down."""

import asyncio
import time
from typing import Any

import pytest

from bots.protocol import Budget
from db.records.launch import Start
from db.records.pairs import Entrant, PairPlan
from ladder.runs.cluster.coordinator.assignments import Pair
from ladder.runs.cluster.coordinator.fleet import Fleet
from ladder.runs.cluster.executor import ClusterExecutor, scale_times


def plan_of(first: Budget, second: Budget) -> PairPlan:
    start = Start(argv=(), folder="")
    a, b = Entrant(1, "a", start, first), Entrant(2, "b", start, second)
    return PairPlan(1, 0, a, b, "4x4", "4x4", (), 1)


def test_slower_machines_get_more_time() -> None:
    """Times go by the ratio of speeds; work stays, and so does everything without a reference."""
    plan = plan_of(Budget(time_ms=100), Budget(simulations=500))
    half = scale_times(plan, 400.0, 200.0)
    assert half.a.budget == Budget(time_ms=200)
    assert half.b.budget == Budget(simulations=500)
    assert scale_times(plan, 400.0, 800.0).a.budget == Budget(time_ms=50)
    assert (
        scale_times(plan_of(Budget(time_ms=1), Budget(time_ms=1)), 1.0, 9.0).a.budget.time_ms == 1
    )
    assert scale_times(plan, None, 200.0) == plan
    assert scale_times(plan, 400.0, 0.0) == plan


class BreakingFleet(Fleet):
    """A fleet that plays nothing and breaks down when it is given its second pair."""

    slots = 1
    hostless = 0

    def __init__(self, *_: Any, **__: Any) -> None:
        self._given = asyncio.Queue[Pair]()

    def add(self, pair: Pair) -> None:
        self._given.put_nowait(pair)

    def end(self) -> None:
        pass

    async def run(self) -> None:
        for _ in range(2):
            await self._given.get()
        raise RuntimeError("the fleet broke down")


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_broken_fleet_is_reported_in_spite_of_a_cancelled_pair() -> None:
    """Its error must reach the caller that waits for a pair."""
    loop = asyncio.new_event_loop()
    nothing: Any = None
    executor = ClusterExecutor(
        nothing, nothing, {}, stream="s", compares=False,
        fleet=BreakingFleet, loop=loop,
    )  # fmt: skip
    plan = plan_of(Budget(time_ms=1), Budget(time_ms=1))
    cancelled = executor.submit(plan)
    assert cancelled.cancel()
    waiting = executor.submit(plan)
    deadline = time.monotonic() + 60
    while not waiting.done() and time.monotonic() < deadline:
        executor.wait(0.1)
    executor.close()
    loop.close()
    assert str(waiting.exception(timeout=0)) == "the fleet broke down"
