"""The connection to a scheduler, restored whenever it is lost, and tasks for its machines."""

import asyncio
import contextlib
import logging
import secrets
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from distributed import Client

from ladder.match.process.failures import to_one_line
from ladder.runs.cluster.security import CONNECT_S, SchedulerEndpoint, check_scheduler
from ladder.runs.cluster.task_key import task_key
from ladder.runs.executor import MachineEvent

PAUSE_S = 1.0
"""Seconds between two attempts to reach a scheduler, and between two polls of its machines."""
ReportEvent = Callable[[MachineEvent], None]
"""Takes an event for the user."""


class SchedulerConnection:
    """A client of the scheduler. Used in one asyncio loop; connects in `maintain`."""

    def __init__(
        self,
        endpoint: SchedulerEndpoint,
        stream: str,
        report: ReportEvent,
    ) -> None:
        """Prepare a connection for a run."""
        self._endpoint = endpoint
        self._address = endpoint.address
        self._security = endpoint.security()
        self._report = report
        self._stream = stream
        self._session = secrets.token_hex(4)
        """The name of this coordinator in the keys of its tasks."""
        self._tasks = 0
        self._client: Any = None
        self._is_ending = asyncio.Event()
        # `maintain` reports a lost connection in one sentence instead of a traceback.
        logging.getLogger("distributed.client").setLevel(logging.CRITICAL)

    @property
    def address(self) -> str:
        """The scheduler's address."""
        return self._address

    @property
    def is_open(self) -> bool:
        """Whether tasks can be sent."""
        return self._client is not None and not self._is_ending.is_set()

    @property
    def is_ending(self) -> bool:
        """Whether `end` was called."""
        return self._is_ending.is_set()

    def end(self) -> None:
        """Make `maintain` return soon."""
        self._is_ending.set()

    async def maintain(self, serve: Callable[[], Awaitable[None]]) -> None:
        """Connect, and reconnect after a loss, until `end`; `serve` runs while connected."""
        reported = False
        while not self.is_ending:
            try:
                await check_scheduler(self._endpoint)
                async with self._connected() as self._client:
                    if reported:
                        again = f"the scheduler at {self._address} answers again"
                        self._report(MachineEvent(again))
                    reported = False
                    await serve()
            except (OSError, TimeoutError) as error:
                if not reported:
                    self._report(MachineEvent(self._unreachable(error), is_warning=True))
                reported = True
            else:
                if not self.is_ending:
                    reported = True
                    lost = f"the connection to the scheduler at {self._address} is lost"
                    self._report(MachineEvent(f"{lost}: reconnecting", is_warning=True))
            finally:
                self._client = None
            await self.pause(PAUSE_S)

    async def pause(self, seconds: float) -> None:
        """Sleep, at most until `end`."""
        with contextlib.suppress(asyncio.TimeoutError):
            await asyncio.wait_for(self._is_ending.wait(), seconds)

    async def workers(self) -> Mapping[str, Mapping[str, Any]] | None:
        """Return the scheduler's description of each worker by address; None if it is busy.

        Raises:
            ConnectionError: the connection is lost.

        """
        if self._client.status != "running":
            raise ConnectionError("the scheduler has gone")
        try:
            identity = await asyncio.wait_for(self._client.scheduler.identity(), CONNECT_S)
        except (TimeoutError, OSError):
            return None  # the client notices by itself when the connection is gone
        found: Mapping[str, Mapping[str, Any]] = identity["workers"]
        return found

    def new_key(self, what: object) -> str:
        """Return a key for a task that plays a pair of this number, or calls such a function."""
        self._tasks += 1
        return task_key(self._stream, what, self._session, self._tasks)

    async def ask(
        self,
        machine: str,
        function: Callable[..., Any],
        *arguments: Any,
        key: str,
        priority: int = 0,
    ) -> Any:
        """Call a function on a machine and return its result.

        Args:
            machine: The address of the machine.
            function: A function of a module that the machine has.
            arguments: The arguments of the function.
            key: The key of the task, from `new_key`.
            priority: Tasks with a higher priority run first on the machine.

        """
        future = self._client.submit(
            function,
            *arguments,
            key=key,
            pure=False,
            workers=[machine],
            priority=priority,
        )
        try:
            # Dask's client fetches the results of several tasks in one request. A caller that is
            # cancelled while it waits would cancel the request for all of them.
            result = asyncio.ensure_future(future.result())
            result.add_done_callback(_retrieve)
            return await asyncio.shield(result)
        finally:
            future.release()

    def _connected(self) -> Any:
        return Client(  # type: ignore[no-untyped-call]
            self._address,
            asynchronous=True,
            security=self._security,
            timeout=CONNECT_S,
            set_as_default=False,
            name="ladder",
        )

    def _unreachable(self, error: Exception) -> str:
        why = to_one_line(str(error)) or type(error).__name__
        return (
            f"the scheduler at {self._address} does not answer ({why}): trying again until it does"
        )


def _retrieve(result: "asyncio.Future[Any]") -> None:
    """Retrieve the error of an abandoned task, for which asyncio would print a traceback."""
    if not result.cancelled():
        result.exception()
