"""The machines of a cluster as the executor of a run's pairs."""

import asyncio
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from pathlib import Path
from queue import Empty, SimpleQueue

import msgspec

from bots.protocol import Budget
from db.records.bots import BotRow
from db.records.machines import MachineRow
from db.records.pairs import Entrant, PairPlan, PairRecord
from db.records.runs import RunRow
from db.store import Store
from ladder.match.process.worker_pool import call_in_subprocess
from ladder.runs.cluster.bot_bundle import BotBundle, pack_bots
from ladder.runs.cluster.coordinator.fleet import Fleet
from ladder.runs.cluster.coordinator.machines import Pair
from ladder.runs.cluster.coordinator.replay import Replay
from ladder.runs.cluster.machine import MachineFacts
from ladder.runs.cluster.security import SchedulerEndpoint
from ladder.runs.cluster.slot import measure_speed
from ladder.runs.executor import MachineEvent, PairExecutor
from ladder.runs.settings import TIME, Settings

END_S = 5.0
"""How long the end of the connection may take."""
MOST_HOSTLESS = 256
"""Pairs without a host beside which others are submitted, so that machines have work meanwhile."""
_Arrival = tuple["Future[PairRecord]", MachineFacts | None, PairRecord | BaseException]


class Cluster:
    """The workforce of a command that was given a scheduler's address."""

    def __init__(self, endpoint: SchedulerEndpoint) -> None:
        """Nothing is connected before a run starts."""
        self._endpoint = endpoint

    def prepare(self, entrants: Mapping[str, Entrant]) -> None:
        """Nothing: each machine compiles for itself when it joins."""

    def start(
        self,
        store: Store,
        run: RunRow,
        settings: Settings,
        bots: Sequence[BotRow],
        entrants: Mapping[str, Entrant],
        logs: Path,
    ) -> PairExecutor:
        """Pack the bots, and be connected from now on.

        Raises:
            UsageError: a bot cannot travel.
            SpecError: something that a bot is made of is gone.

        """
        confinement = settings.confinement_in_force
        compares = TIME not in settings.budgets.amounts
        bot_bundle = pack_bots(
            bots, limits=confinement.limits, sandbox=confinement.sandbox, pin=settings.pin
        )
        return ClusterExecutor(
            self._endpoint,
            bot_bundle,
            entrants,
            stream=run.stream,
            compares=compares,
            keep=store.machines.keep,
            replay=Replay(confinement) if compares else None,
            reference=call_in_subprocess(measure_speed) if settings.scale_time else None,
        )


class ClusterExecutor:
    """Plays pairs on the machines of a cluster. Not shared between threads.

    The connection lives in a thread of its own; answers reach the runner's thread by a queue.
    """

    def __init__(
        self,
        endpoint: SchedulerEndpoint,
        bot_bundle: BotBundle,
        entrants: Mapping[str, Entrant],
        *,
        stream: str,
        compares: bool,
        keep: Callable[[MachineRow], int],
        reference: float | None = None,
        replay: Replay | None = None,
    ) -> None:
        """Connect.

        Args:
            endpoint: of the scheduler.
            bot_bundle: the run's bots.
            entrants: the same bots by name, as sides of pairs.
            stream: of the run.
            compares: whether a pair that is played twice must end in equal games.
            keep: stores a machine; its key.
            reference: the speed of the machine for which times are meant; None: of any.
            replay: plays pairs on this machine, to be compared; None: it does not.

        """
        self._arrived: SimpleQueue[_Arrival] = SimpleQueue()
        self._said: SimpleQueue[MachineEvent] = SimpleQueue()
        self._unsettled: set[Future[PairRecord]] = set()
        self._loop = asyncio.new_event_loop()
        self._machines: dict[MachineFacts, int] = {}
        self._keep = keep
        self._replay = replay
        self._fleet = Fleet(
            endpoint,
            bot_bundle,
            entrants,
            stream=stream,
            compares=compares,
            settle=lambda *arrival: self._arrived.put(arrival),
            say=self._said.put,
            adapt=lambda plan, prepared: scaled(plan, reference, prepared.speed),
            replay=replay,
        )
        self._thread = threading.Thread(target=self._live, name="cluster", daemon=True)
        self._thread.start()

    @property
    def slots(self) -> int:
        """Slots of the machines that are ready; 1 while there are none."""
        return max(1, self._fleet.slots)

    @property
    def capacity(self) -> int:
        """Twice the slots, for pairs in play and on their way, and the pairs without a host."""
        return 2 * self.slots + min(self._fleet.hostless, MOST_HOSTLESS)

    def submit(self, plan: PairPlan) -> "Future[PairRecord]":
        """Have a pair played on some machine; `wait` brings its record."""
        future: Future[PairRecord] = Future()
        self._unsettled.add(future)
        self._loop.call_soon_threadsafe(self._fleet.add, Pair(plan, future))
        return future

    def wait(self, timeout_s: float) -> None:
        """Take the records that have come; returns at the first ones, or after the timeout."""
        try:
            self._settle(*self._arrived.get(timeout=timeout_s))
            while True:
                self._settle(*self._arrived.get_nowait())
        except Empty:
            return

    def news(self) -> list[MachineEvent]:
        """Machines that joined, left, fell silent or disagreed."""
        found = []
        while not self._said.empty():
            found.append(self._said.get())
        return found

    def close(self) -> None:
        """End the connection; the machines go on to serve others."""
        if self._replay is not None:
            self._replay.end()
        self._loop.call_soon_threadsafe(self._fleet.end)
        self._thread.join(END_S)

    def kill(self) -> None:
        """Give up what is in play, and end the connection: the machines kill the bots."""
        self.close()

    def _settle(
        self,
        future: "Future[PairRecord]",
        facts: MachineFacts | None,
        answer: PairRecord | BaseException,
    ) -> None:
        self._unsettled.discard(future)
        if future.done():  # cancelled, or settled before the fleet broke down
            return
        if isinstance(answer, BaseException):
            future.set_exception(answer)
        else:
            machine = None if facts is None else self._key_of(facts)
            future.set_result(msgspec.structs.replace(answer, machine=machine))

    def _key_of(self, facts: MachineFacts) -> int:
        """The key of a machine in the database; stored in the runner's thread, which owns it."""
        if facts not in self._machines:
            own = msgspec.structs.asdict(facts)
            del own["harness"], own["host"]
            self._machines[facts] = self._keep(MachineRow(**own))
        return self._machines[facts]

    def _live(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_until_complete(self._fleet.run())
        except BaseException as error:
            for future in list(self._unsettled):  # or the runner would wait for ever
                self._arrived.put((future, None, error))
            raise
        finally:
            self._loop.run_until_complete(self._loop.shutdown_asyncgens())


def scaled(plan: PairPlan, reference: float | None, speed: float) -> PairPlan:
    """A pair with the times that let a machine search as much as the reference does.

    Args:
        plan: of the pair.
        reference: the speed of the machine for which its times are meant; None: they stay.
        speed: of the machine that is to play it.

    """
    if reference is None or speed <= 0:
        return plan
    return msgspec.structs.replace(
        plan, a=_with_time(plan.a, reference / speed), b=_with_time(plan.b, reference / speed)
    )


def _with_time(side: Entrant, ratio: float) -> Entrant:
    time_ms = side.budget.time_ms
    if time_ms is None:
        return side
    return msgspec.structs.replace(side, budget=Budget(time_ms=max(1, round(time_ms * ratio))))
