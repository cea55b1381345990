"""The slots that the service divides: those of its own machine, or of a cluster's machines."""

import asyncio
import threading
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from ladder.match.process.cpus import allowed_cpus
from ladder.runs.cluster.security import SchedulerEndpoint

END_S = 5.0
"""Most seconds for closing a connection."""


class Slots(Protocol):
    """The slots that the commands of a service share."""

    @property
    def cluster(self) -> str | None:
        """The address of the cluster's scheduler; None for this machine."""

    @property
    def total(self) -> int:
        """All slots."""

    @property
    def machines(self) -> Mapping[str, int] | None:
        """The slots of each machine of a cluster, by address; None for this machine."""

    @property
    def certificates(self) -> str | None:
        """The absolute folder of the cluster's certificates; None without any."""

    @property
    def insecure(self) -> bool:
        """Whether the connection to the cluster may lack certificates."""

    def close(self) -> None:
        """Release what the object holds."""


class OwnSlots:
    """The CPUs of this machine."""

    cluster = certificates = machines = None
    insecure = False

    def __init__(self) -> None:
        """Count the CPUs that this process may use."""
        self.total = allowed_cpus()

    def close(self) -> None:
        """Do nothing."""


class ClusterSlots:
    """The slots of a cluster's machines, polled in a thread of its own."""

    def __init__(
        self, endpoint: SchedulerEndpoint, report: Callable[[str], None], *, insecure: bool
    ) -> None:
        """Connect to a scheduler.

        Args:
            endpoint: The address of the scheduler.
            report: Takes sentences for the user; called in the other thread.
            insecure: Whether the connection may lack certificates.

        """
        from ladder.runs.cluster.coordinator.connection import SchedulerConnection

        self.cluster = endpoint.address
        self.machines: Mapping[str, int] = {}
        folder = endpoint.certificates
        self.certificates = None if folder is None else str(folder.absolute())
        self.insecure = insecure
        self._loop = asyncio.new_event_loop()
        self._connection = SchedulerConnection(
            endpoint, "queue", lambda event: report(event.sentence)
        )
        self._thread = threading.Thread(target=self._run, name="cluster", daemon=True)
        self._thread.start()

    @property
    def total(self) -> int:
        """The slots of all machines."""
        return sum(self.machines.values())

    def close(self) -> None:
        """Disconnect."""
        self._loop.call_soon_threadsafe(self._connection.end)
        self._thread.join(END_S)

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_until_complete(self._connection.maintain(self._poll))

    async def _poll(self) -> None:
        from ladder.runs.cluster.coordinator.connection import PAUSE_S

        while not self._connection.is_ending:
            try:
                workers = await self._connection.workers()
            except ConnectionError:
                break
            if workers is not None:
                self.machines = {address: _lent(worker) for address, worker in workers.items()}
            await self._connection.pause(PAUSE_S)
        self.machines = {}


def _lent(worker: Mapping[str, Any]) -> int:
    """Return the slots that a machine lends now."""
    from ladder.runs.cluster.lending import offer_of

    offer = offer_of(worker)
    return int(worker["nthreads"]) if offer is None else offer.slots
