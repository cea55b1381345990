"""The cluster that the page of machines shows, read in a thread at most every two seconds."""

import asyncio
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from ladder.errors import UsageError
from ladder.web.errors import Busy

if TYPE_CHECKING:  # loads the libraries for clusters, which may be missing
    from ladder.runs.cluster.security import SchedulerEndpoint
    from ladder.runs.cluster.status import ClusterStatus

FRESH_S = 2.0
"""Time for which a status is shown again."""


class ClusterReader:
    """Reads the status of a cluster; pages that ask at the same time share one answer."""

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

    def close(self) -> None:
        """Read nothing more."""
        self._thread.shutdown(wait=False, cancel_futures=True)

    async def _ask(self, endpoint: "SchedulerEndpoint") -> "ClusterStatus":
        from ladder.runs.cluster.status import read_status

        return await asyncio.get_running_loop().run_in_executor(self._thread, read_status, endpoint)
