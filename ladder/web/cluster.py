"""The cluster that the page of machines shows and changes, in a thread of its own."""

import asyncio
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from ladder.errors import UsageError
from ladder.web.errors import Busy

if TYPE_CHECKING:  # loads the libraries for clusters, which may be missing
    from ladder.runs.cluster.security import SchedulerEndpoint
    from ladder.runs.cluster.status import ClusterStatus, MachineStatus

FRESH_S = 2.0
"""Time for which a status is shown again."""


class ClusterReader:
    """Reads the status of a cluster at most every two seconds, for all pages together."""

    def __init__(self, endpoint: "SchedulerEndpoint | None") -> None:
        """Read nothing.

        Args:
            endpoint: the scheduler; None if the server shows no cluster.

        """
        self._endpoint = endpoint
        self._thread = ThreadPoolExecutor(1, "cluster")
        self._task: asyncio.Task[ClusterStatus] | None = None
        self._asked_at = 0.0

    async def read(self) -> "ClusterStatus | None":
        """Return the status; None without a cluster. Raises Busy if the scheduler is away."""
        endpoint = self._endpoint
        if endpoint is None:
            return None
        if self._task is None or time.monotonic() - self._asked_at > FRESH_S:
            if self._task is None or self._task.done():
                self._task = asyncio.create_task(self._ask(endpoint))
            self._asked_at = time.monotonic()
        try:
            return await asyncio.shield(self._task)
        except UsageError as error:
            raise Busy(str(error)) from error

    async def reserve(
        self, machine: str, user: str, kept: tuple[int | None, float | None] | None
    ) -> "list[MachineStatus] | None":
        """Replace the reservation of a machine, and return its new status; None without a cluster.

        Args:
            machine: its name or address.
            user: who asks for it.
            kept: the slots (None: all) and the end of the reservation in seconds since the epoch
                (None: until it is released); None to lend all slots again.

        Raises:
            Busy: the scheduler is away.
            UsageError: no machine has that name, or it does not answer.

        """
        await self.read()
        if self._endpoint is None:
            return None
        from ladder.runs.cluster.lending import Reservation
        from ladder.runs.cluster.status import reserve

        reservation = None if kept is None else Reservation(user, *kept)
        self._asked_at = 0.0  # what is known is out of date
        return await asyncio.get_running_loop().run_in_executor(
            self._thread, reserve, self._endpoint, machine, reservation
        )

    def close(self) -> None:
        """Read nothing more."""
        self._thread.shutdown(wait=False, cancel_futures=True)

    async def _ask(self, endpoint: "SchedulerEndpoint") -> "ClusterStatus":
        from ladder.runs.cluster.status import read_status

        return await asyncio.get_running_loop().run_in_executor(self._thread, read_status, endpoint)
