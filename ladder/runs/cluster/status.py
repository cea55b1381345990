"""The status of a cluster: its machines, what each plays, and what runs report about them.

The scheduler holds all of it. Its list of workers carries each machine's `Offer`, and every
coordinator publishes a `RunView` there, so runs of several databases and hosts are seen together.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeVar

import msgspec
from distributed import Client

from ladder.errors import UsageError
from ladder.match.process.failures import to_one_line
from ladder.runs.cluster.coordinator.assignments import State
from ladder.runs.cluster.coordinator.machines import SILENT_S
from ladder.runs.cluster.lending import Offer, Reservation, offer_of, reserve_here
from ladder.runs.cluster.run_view import METADATA, RunLabel, RunView, read_views
from ladder.runs.cluster.security import CONNECT_S, SchedulerEndpoint, check_scheduler
from ladder.runs.cluster.task_key import played_pair

T = TypeVar("T")


class PairInPlay(msgspec.Struct, frozen=True):
    """A pair that a machine plays."""

    number: int
    """The number of the pair in the run's stream."""
    run: RunLabel | None
    """None if the run is not known."""


class RunOnMachine(msgspec.Struct, frozen=True):
    """A machine as a run sees it."""

    run: RunLabel
    state: str
    reason: str


class MachineStatus(msgspec.Struct, frozen=True):
    """A machine of the cluster."""

    name: str
    address: str
    state: str
    """``playing``, ``idle``, ``getting ready``, ``refused``, ``set aside``, ``reserved``,
    ``drained``, ``leaving`` or ``silent``."""
    reason: str
    """Why it is refused, set aside or reserved; else empty."""
    slots: int
    """All slots, reserved ones included."""
    lent: int
    """Slots that play pairs now."""
    reservation: Reservation | None
    leaves_at: float | None
    """The time at which it begins to leave, in seconds since the epoch; None: it stays."""
    speed: float | None
    """Speed in the reference search, in million positions a second; None before it is measured."""
    last_seen_s: float
    """Seconds since its last heartbeat."""
    playing: tuple[PairInPlay, ...]
    runs: tuple[RunOnMachine, ...]


class ClusterStatus(msgspec.Struct, frozen=True):
    """The machines of a cluster by name, and the runs that use them."""

    address: str
    machines: tuple[MachineStatus, ...]
    runs: tuple[RunLabel, ...]


def read_status(endpoint: SchedulerEndpoint) -> ClusterStatus:
    """Return the status of a cluster.

    Raises:
        UsageError: no scheduler answers.

    """

    async def read(client: Any) -> ClusterStatus:
        identity, views, now = await asyncio.gather(
            client.scheduler.identity(),
            client.scheduler.get_metadata(keys=[METADATA], default={}),
            client.run_on_scheduler(time.time),
        )
        return build_status(endpoint.address, identity["workers"], read_views(views, now), now)

    return _call(endpoint, read)


def reserve(
    endpoint: SchedulerEndpoint, name: str, reservation: Reservation | None
) -> list[MachineStatus]:
    """Replace the reservation of a machine, and return its new status.

    Several workers of one name change together, so the list may have several entries.

    Args:
        endpoint: The address of the scheduler.
        name: The name or address of the machine.
        reservation: The slots to reserve; None to lend all slots again.

    Raises:
        UsageError: no scheduler answers, no machine has that name, or it does not answer.

    """
    machines = read_status(endpoint).machines
    addresses = [each.address for each in machines if name in (each.name, each.address)]
    if not addresses:
        names = ", ".join(sorted({each.name for each in machines}))
        known = f"its machines are {names}" if names else "it has no machines"
        raise UsageError(f"no machine of {endpoint.address} is named {name}: {known}")

    async def send(client: Any) -> None:
        async with asyncio.timeout(CONNECT_S):
            await client.run(reserve_here, reservation, workers=addresses)

    _call(endpoint, send)
    return [each for each in read_status(endpoint).machines if each.address in addresses]


def _call(endpoint: SchedulerEndpoint, work: Callable[[Any], Awaitable[T]]) -> T:
    """Return what `work` returns for a client of a scheduler. Raises UsageError."""

    async def connected() -> T:
        await check_scheduler(endpoint)
        async with Client(  # type: ignore[no-untyped-call]
            endpoint.address,
            asynchronous=True,
            security=endpoint.security(),
            timeout=CONNECT_S,
            set_as_default=False,
            name="ladder",
        ) as client:
            return await work(client)

    try:
        return asyncio.run(connected())
    except (OSError, TimeoutError) as error:
        why = to_one_line(str(error)) or f"no answer within {CONNECT_S:g} s"
        raise UsageError(
            f"the cluster at {endpoint.address} does not answer: {why}; start it with "
            "`ladder cluster start`, or name the address of another scheduler"
        ) from error


def build_status(
    address: str,
    workers: Mapping[str, Mapping[str, Any]],
    views: Mapping[str, RunView],
    now: float,
) -> ClusterStatus:
    """Return the status of a cluster from what its scheduler holds.

    Args:
        address: The address of the scheduler.
        workers: The scheduler's description of each worker, by address.
        views: The views of the runs, by session.
        now: The time by the scheduler's clock.

    """
    machines = [_machine_status(each, worker, views, now) for each, worker in workers.items()]
    return ClusterStatus(
        address,
        tuple(sorted(machines, key=lambda each: (each.name, each.address))),
        tuple(view.label for view in views.values()),
    )


def _machine_status(
    address: str, worker: Mapping[str, Any], views: Mapping[str, RunView], now: float
) -> MachineStatus:
    seen = {view.label: view.machines.get(address) for view in views.values()}
    runs = tuple(
        RunOnMachine(label, view.state, view.reason)
        for label, view in seen.items()
        if view is not None
    )
    slots = int(worker["nthreads"])
    names = [view.name for view in seen.values() if view is not None]
    offer = offer_of(worker) or Offer(names[0] if names else address, slots, slots)
    labels = {session: view.label for session, view in views.items()}
    played = [each for each in map(played_pair, offer.playing) if each is not None]
    last_seen_s = max(0.0, now - float(worker["last_seen"]))
    state, reason = _state(offer, runs, last_seen_s)
    return MachineStatus(
        name=offer.name,
        address=address,
        state=state,
        reason=reason,
        slots=slots,
        lent=offer.slots,
        reservation=offer.reservation,
        leaves_at=offer.leaves_at,
        speed=round(offer.speed, 1) or None,
        last_seen_s=round(last_seen_s, 1),
        playing=tuple(PairInPlay(each.number, labels.get(each.session)) for each in played),
        runs=runs,
    )


def _state(offer: Offer, runs: tuple[RunOnMachine, ...], last_seen_s: float) -> tuple[str, str]:
    """Return the state of a machine over all runs, and its reason."""
    if last_seen_s > SILENT_S:
        return State.SILENT.value, ""
    if not offer.slots:
        return offer.absence, offer.reason
    if offer.playing:
        return "playing", offer.reason
    if not runs or any(each.state == State.READY.value for each in runs):
        return "idle", offer.reason
    joining = [each for each in runs if each.state == State.JOINING.value]
    first = (joining or runs)[0]
    return first.state, first.reason or offer.reason
