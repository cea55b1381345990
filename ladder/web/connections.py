"""Deadlines and limits of connections.

The HTTP library waits for the rest of a request without a limit. Here a connection without a
complete request has a deadline, and the number of such connections is limited per address and in
total. The oldest ones are closed first, so that many incomplete requests do not lock others out.
Connections with a complete request are answered and not counted.
"""

import asyncio
import contextlib
import ipaddress
import resource
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any, Generic, TypeVar

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

OPEN_FILES = 8192
"""Number of file descriptors that the server requests from the system."""
LATE = b"the request was not completed in time.\n"
REFUSAL = b"\r\n".join(
    [
        b"HTTP/1.1 408 Request Timeout",
        b"content-type: text/plain; charset=utf-8",
        b"content-length: %d" % len(LATE),
        b"x-content-type-options: nosniff",
        b"connection: close",
        b"",
        LATE,
    ]
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectionLimits:
    """Deadlines in seconds, and limits on connections without a complete request."""

    head_s: float = 10.0
    """Time for the headers, from the connection or the first byte of a later request."""
    body_s: float = 20.0
    """Time for the body, from the end of the headers."""
    answer_s: float = 30.0
    """Time without progress of an answer that the client does not read."""
    per_address: int = 100
    total: int = 400


DEFAULT_CONNECTION_LIMITS = ConnectionLimits()


Member = TypeVar("Member")


class WaitingList(Generic[Member]):
    """Waiting members by address, in the order of their arrival."""

    def __init__(self, *, per_address: int, total: int) -> None:
        self._per_address = per_address
        self._total = total
        self._waiting: dict[str, dict[Member, int]] = {}
        """Members and their arrival numbers, by address; the oldest first."""
        self.entered = 0
        """Number of members that have entered so far."""
        self._count = 0

    def enter(self, address: str, member: Member) -> None:
        """Add a member; a member that waits already keeps its place."""
        group = self._waiting.setdefault(address, {})
        if member not in group:
            self.entered += 1
            self._count += 1
            group[member] = self.entered

    def leave(self, address: str, member: Member) -> None:
        """Remove a member."""
        group = self._waiting.get(address, {})
        if group.pop(member, None) is not None:
            self._count -= 1
            if not group:
                del self._waiting[address]

    @property
    def is_full(self) -> bool:
        """Whether a limit is exceeded."""
        largest = max(map(len, self._waiting.values()), default=0)
        return self._count > self._total or largest > self._per_address

    def surplus(self, up_to: int) -> list[Member]:
        """Return the members to close: the oldest of the largest groups.

        Args:
            up_to: the largest arrival number to close; later members are too new.

        With a total of 400, an address with 1000 members keeps 397 of them (or the limit per
        address) when another address has 3, which keeps all 3.
        """
        groups = self._waiting.values()
        share = self._per_address
        while share > 1 and sum(min(len(group), share) for group in groups) > self._total:
            share -= 1
        found: list[tuple[int, Member]] = []
        remaining: list[tuple[int, Member]] = []
        for group in groups:
            members = [(entered, member) for member, entered in group.items()]
            over = max(len(members) - share, 0)
            found += members[:over]
            remaining += members[over:]
        remaining.sort(key=lambda each: each[0])
        found += remaining[: max(len(remaining) - self._total, 0)]
        return [member for entered, member in found if entered <= up_to]


class Stage(Enum):
    """The state of a connection's next request."""

    IDLE = auto()
    """Nothing was received."""
    HEAD = auto()
    """The headers are incomplete."""
    BODY = auto()
    """The body is incomplete."""
    COMPLETE = auto()
    """The request is being answered."""


class Connections:
    """The connections of a server that have no complete request."""

    def __init__(self, limits: ConnectionLimits) -> None:
        self.limits = limits
        self._waiting = WaitingList[BoundedProtocol](
            per_address=limits.per_address, total=limits.total
        )
        self._is_sweeping = False

    def protocol(self, *arguments: Any, **keys: Any) -> "BoundedProtocol":
        """Create the protocol of a new connection; the HTTP library calls this."""
        return BoundedProtocol(self, *arguments, **keys)

    def enter(self, address: str, connection: "BoundedProtocol") -> None:
        """Add a connection, and close others if there are too many."""
        self._waiting.enter(address, connection)
        if not self._is_sweeping and self._waiting.is_full:
            self._sweep_soon()

    def leave(self, address: str, connection: "BoundedProtocol") -> None:
        """Remove a connection."""
        self._waiting.leave(address, connection)

    def _sweep_soon(self) -> None:
        """Close surplus connections two loop iterations later, after pending data were read."""
        self._is_sweeping = True
        loop = asyncio.get_running_loop()
        loop.call_soon(loop.call_soon, self._sweep, self._waiting.entered)

    def _sweep(self, up_to: int) -> None:
        self._is_sweeping = False
        for connection in self._waiting.surplus(up_to):
            connection.abort()
        if self._waiting.is_full:
            self._sweep_soon()


class BoundedProtocol(H11Protocol):
    """A connection with deadlines for requests and for unread answers."""

    def __init__(self, connections: Connections, *arguments: Any, **keys: Any) -> None:
        super().__init__(*arguments, **keys)
        self._all = connections
        self._address = ""
        self._stage = Stage.COMPLETE
        self._deadline: asyncio.TimerHandle | None = None
        self._unread: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for the first request."""
        super().connection_made(transport)
        self._address = address_group(self.client[0] if self.client else "")
        self._update_stage()

    def data_received(self, data: bytes) -> None:
        """Receive a part of a request."""
        super().data_received(data)
        self._update_stage()

    def on_response_complete(self) -> None:
        """Wait for the next request."""
        super().on_response_complete()
        self._update_stage()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        self._all.leave(self._address, self)
        for timer in (self._deadline, self._unread):
            if timer is not None:
                timer.cancel()
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        """Start the deadline for a client that does not read."""
        super().pause_writing()
        if self._unread is None:
            self._unread = self.loop.call_later(self._all.limits.answer_s, self.abort)

    def resume_writing(self) -> None:
        """Cancel the deadline: the client reads."""
        super().resume_writing()
        if self._unread is not None:
            self._unread.cancel()
            self._unread = None

    def abort(self) -> None:
        """Close the connection without sending the rest of an answer."""
        self._all.leave(self._address, self)
        self.transport.abort()

    def _update_stage(self) -> None:
        """Set the deadline of a new stage."""
        stage = Stage.COMPLETE if self.transport.is_closing() else self._current_stage()
        if stage is self._stage:
            return
        self._stage = stage
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None
        if stage is Stage.COMPLETE:
            self._all.leave(self._address, self)
            return
        limits = self._all.limits
        seconds = limits.body_s if stage is Stage.BODY else limits.head_s
        self._deadline = self.loop.call_later(seconds, self._time_out)
        self._all.enter(self._address, self)

    def _current_stage(self) -> Stage:
        state = self.conn.their_state
        if state is h11.IDLE:
            return Stage.HEAD if self.conn.trailing_data[0] else Stage.IDLE
        return Stage.BODY if state is h11.SEND_BODY else Stage.COMPLETE

    def _time_out(self) -> None:
        """Close a connection whose request is not complete in time."""
        if self.transport.is_closing():
            return
        is_answered = self._stage is Stage.BODY and self.cycle.response_started
        if self._stage is not Stage.IDLE and not is_answered:
            self.transport.write(REFUSAL)
        if self.cycle is not None:
            self.cycle.disconnected = True  # wakes the handler that waits for the body
            self.cycle.message_event.set()
        self.transport.close()


def address_group(host: str) -> str:
    """Return the address that limits are counted for: of IPv6 the 64-bit network."""
    with contextlib.suppress(ValueError):
        address = ipaddress.ip_address(host.partition("%")[0])
        if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped is None:
            return str(ipaddress.ip_network((address, 64), strict=False))
    return host


def raise_open_files() -> None:
    """Raise this process's limit of file descriptors, for bursts of connections."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = OPEN_FILES if hard == resource.RLIM_INFINITY else min(OPEN_FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
