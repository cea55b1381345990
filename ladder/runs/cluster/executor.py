"""The executor that plays the pairs of a run on the workers of a Dask cluster.

Each pair is one Dask task that takes one `tasks.RESOURCE` of a worker; Dask chooses the worker and
moves the pairs of lost ones. A key is never used twice, because Dask would share its result. What
is not finished when the scheduler is lost is submitted again.
"""

import asyncio
import contextlib
import hashlib
import logging
import pickle
import threading
import time
import uuid
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import CancelledError, Future
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

import msgspec
from distributed import Client, KilledWorker

from db.records.bots import BotRow
from db.records.pairs import Entrant, PairPlan, PairRecord
from db.records.runs import RunRow
from db.store import Store
from engine.board import BoardClass
from ladder.errors import InvalidRun, LadderError, UsageError
from ladder.match.process.failures import to_one_line
from ladder.match.process.worker_pool import WorkerDied
from ladder.runs.cluster.bot_bundle import BotBundle, pack_bots
from ladder.runs.cluster.endpoint import CONNECT_S, Endpoint
from ladder.runs.cluster.shipping import ELSEWHERE, with_start
from ladder.runs.cluster.tasks import RESOURCE, Refusal, own_versions, play
from ladder.runs.executor import MachineEvent, NoHost, PairExecutor
from ladder.runs.settings import Settings

PREFIX = "ladder-pair-"
"""The beginning of the keys of pairs."""
POLL_S = 1.0
"""Seconds between two polls of the workers, and between two attempts to reach a scheduler."""
ALONE_S = 2.0
"""Seconds without any worker after which this is reported."""
UNREADY_S = 10.0
"""Seconds without any result after which the preparation of the workers is reported."""
HOSTLESS_S = 20.0
"""Seconds for which a pair waits for a worker that hosts both of its bots."""
MOST_HOSTLESS = 256
"""Most pairs without a host that do not count against the capacity, so that workers have work
while these pairs wait."""
MOST_REASONS = 3
"""Most reasons named in one sentence."""
MOST_KILLED = 2
"""Tasks of one pair that may end in KilledWorker, each after the death of several workers."""
END_S = 5.0
"""Most seconds for closing the connection."""

Task = Callable[[Mapping[str, str], str, bytes, bytes], PairRecord | Refusal]
"""A function such as `tasks.play`."""
_Future = Future[PairRecord]
_Result = tuple[_Future, PairRecord | BaseException]


class Cluster:
    """The workforce of a scheduler's workers."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._is_checked = False

    def prepare(self, entrants: Mapping[str, Entrant], adjudicated: Sequence[BoardClass]) -> None:
        """Check once that the scheduler answers; each worker compiles what it plays.

        Raises:
            UsageError: it does not answer.

        """
        if not self._is_checked:
            self._endpoint.check()
            self._is_checked = True

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
        bundle = pack_bots(
            bots,
            limits=confinement.limits,
            sandbox=confinement.sandbox,
            pin=settings.pin,
            adjudicated=settings.adjudicated_boards,
        )
        return ClusterExecutor(self._endpoint, bundle, tuple(entrants.values()))


class ClusterExecutor:
    """Plays pairs on the workers of a cluster. Not shared between threads.

    The connection runs in a thread of its own; results reach the runner's thread by a queue.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        bundle: BotBundle,
        sides: Sequence[Entrant],
        *,
        task: Task = play,
        hostless_s: float = HOSTLESS_S,
    ) -> None:
        """Connect to a scheduler.

        Args:
            endpoint: The scheduler.
            bundle: The bots of the run.
            sides: The same bots as sides of pairs.
            task: Plays a pair on a worker.
            hostless_s: Seconds for which a pair waits for a worker that hosts both of its bots.

        """
        self._results: SimpleQueue[_Result] = SimpleQueue()
        self._events: SimpleQueue[MachineEvent] = SimpleQueue()
        self._queued: deque[_Future] = deque()
        """Pairs that can be cancelled, in the order of submission."""
        self._begun: set[_Future] = set()
        self._unsettled: set[_Future] = set()
        self._loop = asyncio.new_event_loop()
        self._submitter = _Submitter(
            endpoint,
            pickle.dumps((bundle, [with_start(side, ELSEWHERE) for side in sides])),
            task,
            deliver=lambda *result: self._results.put(result),
            report=self._events.put,
            hostless_s=hostless_s,
        )
        self._thread = threading.Thread(target=self._run_loop, name="cluster", daemon=True)
        self._thread.start()

    @property
    def slots(self) -> int:
        """Slots of all workers; 1 while there are none."""
        return max(1, self._submitter.slots)

    @property
    def capacity(self) -> int:
        """Twice the slots, for pairs in play and in transfer, and the pairs without a host."""
        return 2 * self.slots + min(self._submitter.hostless, MOST_HOSTLESS)

    def submit(self, plan: PairPlan) -> _Future:
        """Queue a pair for some worker; `wait` collects its record."""
        future = _Future()
        self._unsettled.add(future)
        self._queued.append(future)
        future.add_done_callback(self._forget)
        self._loop.call_soon_threadsafe(self._submitter.add, plan, future)
        self._mark_begun()
        return future

    def wait(self, timeout_s: float) -> None:
        """Collect records; return after the first ones or after the timeout."""
        with contextlib.suppress(Empty):
            self._settle(*self._results.get(timeout=timeout_s))
            while True:
                self._settle(*self._results.get_nowait())
        self._mark_begun()

    def events(self) -> list[MachineEvent]:
        """Return the events since the last call, such as workers that joined or left."""
        found = []
        while not self._events.empty():
            found.append(self._events.get())
        return found

    def close(self) -> None:
        """Disconnect; the workers keep serving others."""
        self._loop.call_soon_threadsafe(self._submitter.end)
        self._thread.join(END_S)

    def kill(self) -> None:
        """Disconnect; Dask cancels the pairs in play, and the workers kill their bots."""
        self.close()

    def _mark_begun(self) -> None:
        """Let as many of the oldest pairs as there are slots not be cancelled any more.

        The scheduler does not report which pairs are in play; most often it is these.
        """
        while self._queued and len(self._begun) < self._submitter.slots:
            future = self._queued.popleft()
            if not future.done() and future.set_running_or_notify_cancel():
                self._begun.add(future)

    def _forget(self, future: _Future) -> None:
        self._unsettled.discard(future)
        self._begun.discard(future)
        if future.cancelled():
            self._loop.call_soon_threadsafe(self._submitter.cancel, future)

    def _settle(self, future: _Future, result: PairRecord | BaseException) -> None:
        if future.done():  # cancelled, or settled before the submitter failed
            return
        if isinstance(result, BaseException):
            future.set_exception(result)
        else:
            future.set_result(result)

    def _run_loop(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_until_complete(self._submitter.run())
        except BaseException as error:
            for future in list(self._unsettled):  # else the runner would wait for them for ever
                self._results.put((future, error))
            raise
        finally:
            self._loop.run_until_complete(self._loop.shutdown_asyncgens())


@dataclass(eq=False)
class _Submitted:
    """A pair from its submission to its result."""

    plan: PairPlan
    packed: bytes
    future: _Future
    task: Any = None
    """Its latest Dask task."""
    hosts: Sequence[str] | None = None
    """The addresses of the only workers that may play the task; None for all."""


class _Submitter:
    """Submits pairs to a scheduler until `end`. Used in one asyncio loop."""

    def __init__(
        self,
        endpoint: Endpoint,
        bots: bytes,
        task: Task,
        *,
        deliver: Callable[[_Future, PairRecord | BaseException], None],
        report: Callable[[MachineEvent], None],
        hostless_s: float,
    ) -> None:
        self._endpoint = endpoint
        self._bots = bots
        self._key = hashlib.sha256(bots).hexdigest()
        self._task = task
        self._deliver = deliver
        self._report = report
        self._hostless_s = hostless_s
        self._session = uuid.uuid4().hex
        self._attempts = count()
        self._pairs: dict[_Future, _Submitted] = {}
        self._playing: set[asyncio.Task[None]] = set()
        self._client: Any = None
        self._bundle: Any = None
        """The Dask task whose result is the bundle. Unlike scattered data it is computed again
        when the worker that holds it dies."""
        self._connected = asyncio.Event()
        self._ending = asyncio.Event()
        self._workers: dict[str, int] = {}
        """The slots of each worker by address."""
        self._refused: dict[str, dict[int | None, str]] = {}
        """By address, the reasons of the bots that a worker does not host; None for all bots."""
        self._has_played = False
        """Whether a result has come, or its delay was reported."""
        self.slots = 0
        """Slots of all workers that play. May be read by another thread."""
        self.hostless = 0
        """Number of pairs that no worker hosts now. May be read by another thread."""
        # A lost connection is reported in one sentence instead of a traceback.
        logging.getLogger("distributed.client").setLevel(logging.CRITICAL)

    def add(self, plan: PairPlan, future: _Future) -> None:
        """Play a pair."""
        elsewhere = msgspec.structs.replace(
            plan, a=with_start(plan.a, ELSEWHERE), b=with_start(plan.b, ELSEWHERE)
        )
        pair = self._pairs[future] = _Submitted(plan, pickle.dumps(elsewhere), future)
        task = asyncio.get_running_loop().create_task(self._play(pair))
        self._playing.add(task)
        task.add_done_callback(self._playing.discard)

    def cancel(self, future: _Future) -> None:
        """Cancel a pair; a worker that plays it kills its bots."""
        pair = self._pairs.pop(future, None)
        if pair is not None:
            self._withdraw(pair)

    def end(self) -> None:
        """Disconnect; `run` returns soon after."""
        self._ending.set()

    async def run(self) -> None:
        """Play pairs until `end`, and connect again whenever the connection is lost."""
        is_lost = False
        address = self._endpoint.address
        while not self._ending.is_set():
            why = "the connection is lost"
            try:
                async with Client(  # type: ignore[no-untyped-call]
                    address,
                    asynchronous=True,
                    security=self._endpoint.security,
                    timeout=CONNECT_S,
                    set_as_default=False,
                    name="ladder",
                ) as client:
                    if is_lost:
                        self._report(MachineEvent(f"the scheduler at {address} answers again"))
                    is_lost = False
                    await self._serve(client)
            except (OSError, TimeoutError) as error:
                why = to_one_line(str(error)) or type(error).__name__
            if not self._ending.is_set() and not is_lost:
                is_lost = True
                self._warn(f"the scheduler at {address} does not answer ({why}): trying again")
            await self._pause(POLL_S)
        for task in self._playing:
            task.cancel()

    async def _serve(self, client: Any) -> None:
        """Poll the workers while the connection lasts."""
        self._bundle = client.submit(bytes, self._bots, key=f"ladder-bots-{self._key}", pure=False)
        self._client = client
        self._connected.set()
        since, is_quiet = time.monotonic(), True
        try:
            while client.status == "running" and not self._ending.is_set():
                with contextlib.suppress(OSError, TimeoutError):  # the status shows a loss
                    found = await asyncio.wait_for(client.scheduler.identity(), CONNECT_S)
                    self._update_workers(found["workers"])
                waited_s = time.monotonic() - since
                if not self._workers and is_quiet and waited_s > ALONE_S:
                    is_quiet = False
                    self._warn(
                        f"no worker has joined {self._endpoint.address} yet: start "
                        f"`ladder worker {self._endpoint.address}` on some machines"
                    )
                if self._workers and not self._has_played and waited_s > UNREADY_S:
                    self._has_played = True
                    text = "the workers are getting ready: compiling players and trying bots"
                    self._report(MachineEvent(text))
                await self._pause(POLL_S)
        finally:
            self._connected.clear()
            self._client = None

    def _update_workers(self, workers: Mapping[str, Mapping[str, Any]]) -> None:
        found = {
            address: int(each["resources"].get(RESOURCE, 0))
            for address, each in workers.items()
            if each["status"] == "running"
        }
        self._workers = {address: slots for address, slots in found.items() if slots}
        for address in self._refused.keys() - workers.keys():
            del self._refused[address]
        self._count_slots()
        for pair in self._pairs.values():
            if pair.hosts and not self._workers.keys() & set(pair.hosts):
                self._withdraw(pair)  # it would wait for these workers for ever

    def _count_slots(self) -> None:
        """Update the number of slots, and report a change."""
        usable = [each for address, each in self._workers.items() if not self._refuses_all(address)]
        if sum(usable) != self.slots:
            self.slots = sum(usable)
            workers = f"{len(usable)} worker{'' if len(usable) == 1 else 's'}"
            slots = f"{self.slots} slot{'' if self.slots == 1 else 's'}"
            self._report(MachineEvent(f"the cluster has {workers} with {slots}"))

    def _refuses_all(self, address: str) -> bool:
        return None in self._refused.get(address, ())

    async def _play(self, pair: _Submitted) -> None:
        """Have a pair played, and deliver its result unless it is cancelled."""
        try:
            result: PairRecord | BaseException | None = await self._find_result(pair)
        except Exception as error:
            result = LadderError(f"a worker of the cluster cannot play pairs: {error!r}")
            result.__cause__ = error
        if self._pairs.pop(pair.future, None) is not None and result is not None:
            self._deliver(pair.future, result)

    async def _find_result(self, pair: _Submitted) -> PairRecord | BaseException | None:
        killed = 0
        hostless_since = None
        while pair.future in self._pairs:
            await self._connected.wait()
            pair.hosts = self._find_hosts(pair.plan)
            if pair.hosts is not None and not pair.hosts:
                hostless_since = hostless_since or time.monotonic()
                if time.monotonic() > hostless_since + self._hostless_s:
                    return self._describe_refusals(pair.plan)
                self.hostless += 1
                await self._pause(POLL_S)
                self.hostless -= 1
                continue
            hostless_since = None
            try:
                answer = await self._submit(pair)
            except WorkerDied as error:
                return error
            except KilledWorker:
                killed += 1
                if killed >= MOST_KILLED:
                    return _killing_pair(pair.plan)
                continue
            except CancelledError:  # withdrawn, or the scheduler is lost
                continue
            except Exception:
                if self._connected.is_set() and self._client.status == "running":
                    raise
                await self._pause(POLL_S)  # the connection is lost
                continue
            self._has_played = True
            if not isinstance(answer, Refusal):
                return answer
            self._note_refusal(answer)
        return None

    async def _submit(self, pair: _Submitted) -> PairRecord | Refusal:
        """Submit a pair as a new task and return its result."""
        task = pair.task = self._client.submit(
            self._task,
            own_versions(),
            self._key,
            self._bundle,
            pair.packed,
            key=f"{PREFIX}{self._session}-{pair.plan.number}-{next(self._attempts)}",
            resources={RESOURCE: 1},
            workers=pair.hosts,
            pure=False,
        )
        try:
            answer: PairRecord | Refusal = await task
            return answer
        finally:
            pair.task = None
            task.release()

    def _withdraw(self, pair: _Submitted) -> None:
        """Cancel the task of a pair, which is submitted again unless the pair is cancelled."""
        if pair.task is not None and self._client is not None:
            cancelling = asyncio.ensure_future(self._client.cancel([pair.task]))
            cancelling.add_done_callback(lambda done: done.cancelled() or done.exception())

    def _find_hosts(self, plan: PairPlan) -> Sequence[str] | None:
        """Return the addresses of the workers that may play a pair; None for all."""
        revisions = {plan.a.revision, plan.b.revision, None}
        refusing = {
            address for address, reasons in self._refused.items() if revisions & reasons.keys()
        }
        return [each for each in self._workers if each not in refusing] if refusing else None

    def _note_refusal(self, answer: Refusal) -> None:
        """Warn of bots that a worker does not host, once for each."""
        known = self._refused.setdefault(answer.worker, {})
        for revision, reason in answer.reasons.items():
            if revision not in known:
                known[revision] = f"{answer.host}: {reason}"
                what = "takes no part" if revision is None else "does not play all bots"
                self._warn(f"the worker {answer.host} ({answer.worker}) {what}: {reason}")
        self._count_slots()

    def _describe_refusals(self, plan: PairPlan) -> BaseException:
        """Return why no worker hosts both bots of a pair; most often none hosts one of them."""
        parts = [each for each in self._workers if not self._refuses_all(each)]
        if not parts:
            found = [reasons[None] for reasons in self._refused.values() if None in reasons]
            return UsageError(f"no worker can play this run: {_join(found)}")
        reasons = {
            side: [
                self._refused[each][side.revision]
                for each in parts
                if side.revision in self._refused.get(each, ())
            ]
            for side in (plan.a, plan.b)
        }
        without = [side for side in reasons if len(reasons[side]) == len(parts)]
        words = "no worker can host it"
        if not without:  # some workers lack one of the bots, the others the other one
            without = [max(reasons, key=lambda side: len(reasons[side]))]
            words = "no worker hosts it together with its opponent"
        return NoHost({side.name: f"{words}: {_join(reasons[side])}" for side in without})

    def _warn(self, sentence: str) -> None:
        self._report(MachineEvent(sentence, is_warning=True))

    async def _pause(self, seconds: float) -> None:
        """Sleep, at most until `end`."""
        with contextlib.suppress(asyncio.TimeoutError):
            await asyncio.wait_for(self._ending.wait(), seconds)


def _join(reasons: Sequence[str]) -> str:
    return "; ".join([*dict.fromkeys(reasons)][:MOST_REASONS])


def _killing_pair(plan: PairPlan) -> InvalidRun:
    return InvalidRun(
        f"workers die whenever they play pair {plan.number}, {plan.a.name} against {plan.b.name}: "
        "the bots may use up the memory of the machines; limit it by --memory, or leave them out"
    )
