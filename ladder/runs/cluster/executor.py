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
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import CancelledError, Future
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

import msgspec
from distributed import Client, KilledWorker

from connect4_ladder_start import call
from db.records.pairs import PairPlan, PairRecord
from db.records.runs import RunRow
from db.store import Store
from ladder.errors import InvalidRun, LadderError, UsageError
from ladder.match.process.worker_pool import WorkerDied
from ladder.names import counted
from ladder.runs.cluster.endpoint import CONNECT_S, Endpoint, find_dashboard
from ladder.runs.cluster.slot import ELSEWHERE, pack_bundle, with_start
from ladder.runs.cluster.tasks import BUNDLES, RESOURCE, Refusal, own_versions, play
from ladder.runs.executor import MachineEvent, PairExecutor
from ladder.runs.lineup import Lineup

PREFIX = "ladder-pair-"
"""The beginning of the keys of pairs."""
POLL_S = 1.0
"""Seconds between two polls of the workers."""
ALONE_S = 2.0
"""Seconds without any worker after which this is reported."""
UNREADY_S = 10.0
"""Seconds without any result after which the preparation of the workers is reported."""
HOSTLESS_S = 20.0
"""Seconds for which a run waits for a worker that can play it, after all have refused."""
MOST_REASONS = 3
"""Most reasons named in one sentence."""
MOST_KILLED = 2
"""Tasks of one pair that may end in KilledWorker, each after the death of several workers."""
FOREVER_S = 1e9
"""Seconds for which a lost connection is tried again."""
END_S = 5.0
"""Most seconds for closing the connection."""

Task = Callable[[Mapping[str, str], str, bytes, bytes], PairRecord | Refusal]
"""A function such as `tasks.play`."""
PLAY: Task = partial(call, play.__module__, play.__name__)
"""`tasks.play` by name. A scheduler imports the functions that it passes on, but neither needs the
modules of this one nor can find them where a user's have their names."""


class Cluster:
    """The workforce of a scheduler's workers."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint

    def prepare(self, lineup: Lineup) -> None:
        """Check that the scheduler answers; each worker compiles what it plays.

        Raises:
            UsageError: it does not answer.

        """
        self._endpoint.check()

    def start(
        self,
        store: Store,
        run: RunRow,
        lineup: Lineup,
        logs: Path,
    ) -> PairExecutor:
        """Pack the bots, connect, and store the address of Dask's dashboard if there is one.

        Raises:
            UsageError: the scheduler does not answer.

        """
        executor = ClusterExecutor(
            self._endpoint, pack_bundle(lineup.settings, lineup.bots, lineup.sides.values())
        )
        if executor.dashboard:
            store.runs.change_settings(run.id, dashboard=executor.dashboard)
        return executor


@dataclass(eq=False)
class _Pair:
    """A pair from its submission to its result."""

    plan: PairPlan
    future: Future[PairRecord] = field(default_factory=Future)
    playing: Future[PairRecord | Refusal] | None = None
    """The answer to its latest Dask task."""
    hosts: Sequence[str] | None = None
    """The addresses of the only workers that may play the task; None for all."""
    killed: int = 0
    """Tasks that ended in KilledWorker."""


class ClusterExecutor:
    """Plays pairs on the workers of a cluster. Not shared between threads.

    Dask's client has a thread of its own, in which `_play` and `_watch` run. Everything else runs
    in the runner's thread.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        bundle: bytes,
        *,
        task: Task = PLAY,
        hostless_s: float = HOSTLESS_S,
    ) -> None:
        """Connect to a scheduler.

        Args:
            endpoint: The scheduler.
            bundle: The packed bots of the run.
            task: Plays a pair on a worker.
            hostless_s: Seconds for which a run waits for a worker that can play it.

        Raises:
            UsageError: the scheduler does not answer.

        """
        # A lost connection is reported in one sentence instead of a traceback. Dask has its own
        # levels, and logs one as information where it was just being written to.
        logging.getLogger("distributed").setLevel(logging.ERROR)
        logging.getLogger("distributed.client").setLevel(logging.CRITICAL)
        self._address = endpoint.address
        self._client = _connect(endpoint)
        self._bundle, self._task, self._hostless_s = bundle, task, hostless_s
        self._key = hashlib.sha256(bundle).hexdigest()
        self._sent: Any = None
        """The Dask task whose result is the bundle. Unlike scattered data it is computed again
        when the worker that holds it dies."""
        self._session = uuid.uuid4().hex
        self._attempts = count()
        self._pairs: dict[Future[PairRecord], _Pair] = {}
        """The unfinished pairs."""
        self._waiting: list[_Pair] = []
        """Pairs to be submitted at the next poll."""
        self._answers: SimpleQueue[_Pair] = SimpleQueue()
        self._events: list[MachineEvent] = []
        self._workers: dict[str, int] = {}
        """The slots of each worker by address."""
        self._refused: dict[str, str] = {}
        """By address, why workers take no part."""
        self._hosted_at = time.monotonic()
        """When there was a worker that may play this run, or none at all."""
        self._slots = 0
        self._is_lost = False
        self._has_warned = False
        """Whether it was reported that there is no worker."""
        self._has_played = False
        """Whether a result has come, or its delay was reported."""
        self.dashboard = find_dashboard(self._client)
        if self.dashboard:
            self._report(f"the cluster's dashboard is {self.dashboard}")
        self._since = self._polled_at = time.monotonic()
        self._watching: Future[None] = self._run(self._watch())

    @property
    def slots(self) -> int:
        """Slots of all workers; 1 without a worker."""
        return max(1, self._slots)

    @property
    def capacity(self) -> int:
        """Twice the slots, for pairs in play and in transfer."""
        return 2 * self.slots

    def submit(self, plan: PairPlan) -> Future[PairRecord]:
        """Queue a pair for some worker; `wait` collects its record."""
        pair = _Pair(plan)
        self._pairs[pair.future] = pair
        pair.future.add_done_callback(self._forget)
        self._send(pair)
        return pair.future

    def wait(self, timeout_s: float) -> None:
        """Collect records; return after the first ones or after the timeout."""
        if time.monotonic() >= self._polled_at + POLL_S:
            self._polled_at = time.monotonic()
            self._poll()
        with contextlib.suppress(Empty):
            self._settle(self._answers.get(timeout=timeout_s))
            for _ in range(self._answers.qsize()):
                self._settle(self._answers.get_nowait())

    def events(self) -> list[MachineEvent]:
        """Return the events since the last call, such as workers that joined or left."""
        found, self._events = self._events, []
        return found

    def close(self) -> None:
        """Disconnect; the workers keep serving others."""
        self._watching.cancel()
        for pair in self._pairs.values():
            if pair.playing is not None:
                pair.playing.cancel()
        with contextlib.suppress(OSError, TimeoutError):  # the scheduler is lost
            self._client.close(END_S)

    def kill(self) -> None:
        """Disconnect; Dask cancels the pairs in play, and the workers kill their bots."""
        self.close()

    def _run(self, coroutine: Any) -> Any:
        """Start a coroutine in the client's thread and return its future."""
        return asyncio.run_coroutine_threadsafe(coroutine, self._client.loop.asyncio_loop)

    def _send(self, pair: _Pair) -> None:
        """Submit a pair, or have it wait for a worker that can play it."""
        usable = [each for each in self._workers if each not in self._refused]
        if self._refused and not usable:
            self._waiting.append(pair)
            return
        pair.hosts = usable if self._refused else None
        pair.playing = self._run(self._play(pair.plan, pair.hosts))
        pair.playing.add_done_callback(lambda _: self._answers.put(pair))

    async def _play(self, plan: PairPlan, hosts: Sequence[str] | None) -> PairRecord | Refusal:
        """Submit a pair as a new task and return its result; a task without a caller ends."""
        if self._sent is None or self._sent.cancelled():
            key = f"{BUNDLES}{self._key}"
            self._sent = self._client.submit(bytes, self._bundle, key=key, pure=False)
        elsewhere = msgspec.structs.replace(
            plan, a=with_start(plan.a, ELSEWHERE), b=with_start(plan.b, ELSEWHERE)
        )
        task = self._client.submit(
            self._task,
            own_versions(),
            self._key,
            self._sent,
            pickle.dumps(elsewhere),
            key=f"{PREFIX}{self._session}-{plan.pair.number}-{next(self._attempts)}",
            resources={RESOURCE: 1},
            workers=hosts,
            pure=False,
        )
        try:
            answer: PairRecord | Refusal = await task
            return answer
        finally:
            task.release()

    def _settle(self, pair: _Pair) -> None:
        """Take the answer to a pair; without a result, submit the pair again."""
        if pair.future not in self._pairs or pair.playing is None:  # cancelled
            return
        try:
            answer = pair.playing.result()
        except WorkerDied as error:
            pair.future.set_exception(error)
        except KilledWorker:
            pair.killed += 1
            if pair.killed < MOST_KILLED:
                self._send(pair)
            else:
                plan = pair.plan
                pair.future.set_exception(
                    InvalidRun(
                        f"workers die whenever they play pair {plan.pair.number}, {plan.a.name} "
                        f"against {plan.b.name}: the bots may use up the memory of the machines; "
                        "limit it by --memory, or leave them out"
                    )
                )
        except (CancelledError, OSError):  # withdrawn, or the scheduler is lost
            self._waiting.append(pair)
        except Exception as error:
            failure = LadderError(f"a worker of the cluster cannot play pairs: {error!r}")
            failure.__cause__ = error
            pair.future.set_exception(failure)
        else:
            self._has_played = True
            if isinstance(answer, Refusal):
                if answer.worker not in self._refused:
                    self._refused[answer.worker] = f"{answer.host}: {answer.reason}"
                    worker = f"{answer.host} ({answer.worker})"
                    sentence = f"the worker {worker} takes no part: {answer.reason}"
                    self._report(sentence, is_warning=True)
                self._waiting.append(pair)
            else:
                pair.future.set_result(answer)

    def _forget(self, future: Future[PairRecord]) -> None:
        pair = self._pairs.pop(future)
        if pair.playing is not None:
            pair.playing.cancel()  # a worker that plays it kills its bots

    async def _watch(self) -> None:
        """Poll the workers."""
        while True:
            with contextlib.suppress(OSError, TimeoutError):  # the client's status shows a loss
                async with asyncio.timeout(CONNECT_S):
                    found = await self._client.scheduler.identity(n_workers=-1)
                self._workers = {
                    address: int(each["resources"][RESOURCE])
                    for address, each in found["workers"].items()
                    if each["status"] == "running" and RESOURCE in each["resources"]
                }
            await asyncio.sleep(POLL_S)

    def _poll(self) -> None:
        """Report changes of the cluster, and submit the pairs that wait."""
        if self._watching.done():
            self._watching.result()  # raises why it ended
        if (self._client.status != "running") != self._is_lost:
            self._is_lost = not self._is_lost
            how = "does not answer: trying again" if self._is_lost else "answers again"
            self._report(f"the scheduler at {self._address} {how}", is_warning=self._is_lost)
        workers = self._workers
        self._refused = {key: each for key, each in self._refused.items() if key in workers}
        self._count_slots()
        self._explain_silence()
        self._check_hosts()
        waiting, self._waiting = self._waiting, []
        for pair in [*self._pairs.values()]:
            if pair in waiting:
                self._send(pair)
            elif pair.playing and pair.hosts and not workers.keys() & set(pair.hosts):
                pair.playing.cancel()  # it would wait for these workers for ever

    def _count_slots(self) -> None:
        """Update the number of slots, and report a change."""
        usable = [each for key, each in self._workers.items() if key not in self._refused]
        if sum(usable) != self._slots:
            self._slots = sum(usable)
            workers, slots = counted(len(usable), "worker"), counted(self._slots, "slot")
            self._report(f"the cluster has {workers} with {slots}")

    def _explain_silence(self) -> None:
        """Report once each why no result comes: no worker, or workers that get ready."""
        waited_s = time.monotonic() - self._since
        if self._has_played:
            return
        if not self._workers and not self._has_warned and waited_s > ALONE_S:
            self._has_warned = True
            self._report(
                f"no worker has joined {self._address} yet: start `ladder worker {self._address}` "
                "on some machines",
                is_warning=True,
            )
        elif self._workers and waited_s > UNREADY_S:
            self._has_played = True
            self._report("the workers are getting ready: compiling players and trying bots")

    def _check_hosts(self) -> None:
        """Raise UsageError if no worker has been able to play this run for a while."""
        now = time.monotonic()
        if not self._workers or self._workers.keys() - self._refused.keys():
            self._hosted_at = now
        elif now > self._hosted_at + self._hostless_s:
            reasons = [*dict.fromkeys(self._refused.values())][:MOST_REASONS]
            raise UsageError(f"no worker can play this run: {'; '.join(reasons)}")

    def _report(self, sentence: str, *, is_warning: bool = False) -> None:
        self._events.append(MachineEvent(sentence, is_warning))


def _connect(endpoint: Endpoint) -> Any:
    """Return a client that connects again whenever the connection is lost.

    Raises:
        UsageError: the scheduler does not answer.

    """
    try:
        client: Any = Client(  # type: ignore[no-untyped-call]
            endpoint.address,
            security=endpoint.security,
            timeout=CONNECT_S,
            set_as_default=False,
            name="ladder",
        )
    except (OSError, TimeoutError) as error:
        raise endpoint.no_answer(error, CONNECT_S) from error
    client._timeout = FOREVER_S  # else it would give up a lost connection after CONNECT_S
    return client
