"""The executor that plays the pairs of a run on the machines of a cluster."""

import asyncio
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from pathlib import Path
from queue import Empty, SimpleQueue

import msgspec

from bots.budget import Clock
from bots.protocol import Budget
from db.records.bots import BotRow
from db.records.pairs import Entrant, PairPlan, PairRecord
from db.records.runs import RunRow
from db.store import Store
from engine.board import BoardClass
from ladder.match.process.worker_pool import call_in_subprocess
from ladder.runs.cluster.bot_bundle import BotBundle, pack_bots
from ladder.runs.cluster.coordinator.assignments import Pair
from ladder.runs.cluster.coordinator.fleet import Fleet
from ladder.runs.cluster.coordinator.replay import Replay
from ladder.runs.cluster.security import SchedulerEndpoint
from ladder.runs.cluster.slot import measure_speed
from ladder.runs.executor import MachineEvent, PairExecutor
from ladder.runs.settings import Settings

END_S = 5.0
"""Most seconds for closing the connection."""
MOST_HOSTLESS = 256
"""Most pairs without a host that do not count against the capacity, so that machines have work
while these pairs wait."""
_Result = tuple["Future[PairRecord]", PairRecord | BaseException]


class Cluster:
    """The workforce of a scheduler's machines."""

    def __init__(self, endpoint: SchedulerEndpoint) -> None:
        self._endpoint = endpoint

    def prepare(self, entrants: Mapping[str, Entrant], adjudicated: Sequence[BoardClass]) -> None:
        """Do nothing: each machine compiles the bots and the solver when it joins."""

    def start(
        self,
        store: Store,
        run: RunRow,
        settings: Settings,
        bots: Sequence[BotRow],
        entrants: Mapping[str, Entrant],
        logs: Path,
    ) -> PairExecutor:
        """Pack the bots and connect.

        Raises:
            UsageError: a bot cannot be sent to other machines.
            SpecError: a file or program of a bot is missing.

        """
        confinement = settings.confinement
        compares = not settings.budgets.is_timed
        bundle = pack_bots(
            bots,
            limits=confinement.limits,
            sandbox=confinement.sandbox,
            pin=settings.pin,
            adjudicated=settings.adjudicated_boards,
        )
        return ClusterExecutor(
            self._endpoint,
            bundle,
            entrants,
            stream=run.stream,
            compares=compares,
            replay=Replay(confinement) if compares else None,
            reference=call_in_subprocess(measure_speed) if settings.scale_time else None,
        )


class ClusterExecutor:
    """Plays pairs on the machines of a cluster. Not shared between threads.

    The connection runs in a thread of its own; results reach the runner's thread by a queue.
    """

    def __init__(
        self,
        endpoint: SchedulerEndpoint,
        bot_bundle: BotBundle,
        entrants: Mapping[str, Entrant],
        *,
        stream: str,
        compares: bool,
        reference: float | None = None,
        replay: Replay | None = None,
        fleet: type[Fleet] = Fleet,
        loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        """Connect to a scheduler.

        Args:
            endpoint: The address of the scheduler.
            bot_bundle: The bots of the run.
            entrants: The same bots by name, as sides of pairs.
            stream: The stream of the run.
            compares: Whether a pair that is played twice must have equal games.
            reference: The speed for which time budgets are meant; None if they apply everywhere.
            replay: Repeats pairs on this machine for comparison; None if it repeats none.
            fleet: The class of the fleet.
            loop: The event loop of the fleet; None for a new one.

        """
        self._results: SimpleQueue[_Result] = SimpleQueue()
        self._events: SimpleQueue[MachineEvent] = SimpleQueue()
        self._unsettled: set[Future[PairRecord]] = set()
        self._loop = asyncio.new_event_loop() if loop is None else loop
        self._replay = replay
        self._fleet = fleet(
            endpoint,
            bot_bundle,
            entrants,
            stream=stream,
            compares=compares,
            deliver=lambda future, _, result: self._results.put((future, result)),
            report=self._events.put,
            scale_plan=lambda plan, prepared: scale_times(plan, reference, prepared.speed),
            replay=replay,
        )
        self._thread = threading.Thread(target=self._run_fleet, name="cluster", daemon=True)
        self._thread.start()

    @property
    def slots(self) -> int:
        """Slots of all ready machines; 1 while there are none."""
        return max(1, self._fleet.slots)

    @property
    def capacity(self) -> int:
        """Twice the slots, for pairs in play and in transfer, and the pairs without a host."""
        return 2 * self.slots + min(self._fleet.hostless, MOST_HOSTLESS)

    def submit(self, plan: PairPlan) -> "Future[PairRecord]":
        """Queue a pair for some machine; `wait` collects its record."""
        future: Future[PairRecord] = Future()
        self._unsettled.add(future)
        self._loop.call_soon_threadsafe(self._fleet.add, Pair(plan, future))
        return future

    def wait(self, timeout_s: float) -> None:
        """Collect records; return after the first ones or after the timeout."""
        try:
            self._settle(*self._results.get(timeout=timeout_s))
            while True:
                self._settle(*self._results.get_nowait())
        except Empty:
            return

    def events(self) -> list[MachineEvent]:
        """Return the events since the last call: machines that joined, left or were set aside."""
        found = []
        while not self._events.empty():
            found.append(self._events.get())
        return found

    def close(self) -> None:
        """Disconnect; the machines keep serving others."""
        if self._replay is not None:
            self._replay.end()
        self._loop.call_soon_threadsafe(self._fleet.end)
        self._thread.join(END_S)

    def kill(self) -> None:
        """Disconnect; the machines cancel pairs in play and kill their bots."""
        self.close()

    def _settle(self, future: "Future[PairRecord]", result: PairRecord | BaseException) -> None:
        self._unsettled.discard(future)
        if future.done():  # cancelled, or settled before the fleet failed
            return
        if isinstance(result, BaseException):
            future.set_exception(result)
        else:
            future.set_result(result)

    def _run_fleet(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_until_complete(self._fleet.run())
        except BaseException as error:
            for future in list(self._unsettled):  # else the runner would wait for them for ever
                self._results.put((future, error))
            raise
        finally:
            self._loop.run_until_complete(self._loop.shutdown_asyncgens())


def scale_times(plan: PairPlan, reference: float | None, speed: float) -> PairPlan:
    """Return a plan with the times in which a machine searches as much as the reference.

    Args:
        plan: The plan of the pair.
        reference: The speed for which its times are meant; None to keep them.
        speed: The speed of the machine that plays it.

    """
    if reference is None or speed <= 0:
        return plan
    return msgspec.structs.replace(
        plan, a=_scale_time(plan.a, reference / speed), b=_scale_time(plan.b, reference / speed)
    )


def _scale_time(side: Entrant, ratio: float) -> Entrant:
    return msgspec.structs.replace(side, budget=_scale_budget(side.budget, ratio))


def _scale_budget(budget: Budget, ratio: float) -> Budget:
    """Return a budget with each time scaled; a work budget stays."""

    def scaled(time_ms: int) -> int:
        return max(1, round(time_ms * ratio))

    if budget.clock is not None:
        clock = Clock(scaled(budget.clock.base_ms), round(budget.clock.increment_ms * ratio))
        return Budget(clock=clock)
    if budget.time_ms is None:
        return budget
    overage = budget.overage_ms
    return Budget(
        time_ms=scaled(budget.time_ms), overage_ms=None if overage is None else scaled(overage)
    )
