"""The connection to a scheduler, made anew whenever it is lost, and tasks for machines by name."""

import asyncio
import contextlib
import logging
import secrets
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from distributed import Client

from ladder.match.process.failures import to_one_line
from ladder.runs.cluster.security import CONNECT_S, SchedulerEndpoint, check_scheduler
from ladder.runs.executor import MachineEvent

PAUSE_S = 1.0
"""Between two attempts to reach a scheduler, and between two looks at its machines."""
Say = Callable[[MachineEvent], None]
"""Takes something for the user."""


class Link:
    """Tasks reach their machines by this. Everything happens in one asyncio loop."""

    def __init__(self, endpoint: SchedulerEndpoint, stream: str, say: Say) -> None:
        """Nothing is connected before `keep`."""
        self._endpoint = endpoint
        self._address = endpoint.address
        self._security = endpoint.security()
        self._say = say
        self._prefix = f"ladder-{stream[:16]}"
        self._session = secrets.token_hex(4)
        self._counted = 0
        self._client: Any = None
        self._is_ending = asyncio.Event()
        # A lost connection is reported by `keep`, in one sentence instead of a traceback.
        logging.getLogger("distributed.client").setLevel(logging.CRITICAL)

    @property
    def address(self) -> str:
        """The scheduler's."""
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
        """Have `keep` return soon."""
        self._is_ending.set()

    async def keep(self, stay: Callable[[], Awaitable[None]]) -> None:
        """Be connected, again and again, until `end`; `stay` lasts as long as a connection."""
        complained = False
        while not self.is_ending:
            try:
                await check_scheduler(self._endpoint)
                async with self._connected() as self._client:
                    if complained:
                        self._say(MachineEvent(f"the scheduler at {self._address} answers again"))
                    complained = False
                    await stay()
            except (OSError, TimeoutError) as error:
                if not complained:
                    self._say(MachineEvent(self._unreachable(error), is_warning=True))
                complained = True
            else:
                if not self.is_ending:
                    complained = True
                    lost = f"the connection to the scheduler at {self._address} is lost"
                    self._say(MachineEvent(lost, is_warning=True))
            finally:
                self._client = None
            await self.pause(PAUSE_S)

    async def pause(self, seconds: float) -> None:
        """Wait so long, or until `end`."""
        with contextlib.suppress(asyncio.TimeoutError):
            await asyncio.wait_for(self._is_ending.wait(), seconds)

    async def workers(self) -> Mapping[str, Mapping[str, Any]] | None:
        """What the scheduler says of its workers, by address; None: it says nothing now.

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

    async def ask(
        self,
        machine: str,
        function: Callable[..., Any],
        *words: Any,
        key: object,
        priority: int = 0,
    ) -> Any:
        """The result of a task on the machine of an address.

        Args:
            machine: its address.
            function: of a module that the machine has.
            words: its arguments.
            key: what the task is about; the stream, this session and a number are added.
            priority: tasks with a higher one go first on the machine.

        """
        self._counted += 1
        future = self._client.submit(
            function,
            *words,
            key=f"{self._prefix}-{key}-{self._session}-{self._counted}",
            pure=False,
            workers=[machine],
            priority=priority,
        )
        try:
            # Dask's client fetches results of several tasks by one question. A caller that is
            # cancelled while waiting for that would cancel it for all, and for later ones.
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
            f"the scheduler at {self._address} does not answer ({why}): tried again until it does"
        )


def _retrieve(result: "asyncio.Future[Any]") -> None:
    """Take in the failure of a task that no caller waits for: asyncio would print a traceback."""
    if not result.cancelled():
        result.exception()
