"""Connections to the server: deadlines for requests, and room for those that send theirs.

The HTTP library waits for the rest of a request for as long as its sender likes. Here a connection
without a whole request has a deadline, and only so many of them are kept, of each address and in
all: the one that has waited longest is closed first, so that a thousand half requests keep nobody
out. What has a whole request is answered and is not counted.
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
"""Descriptors that the server asks for, where the system allows so many."""
LATE = b"the request did not come to its end in time.\n"
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
    """Deadlines in seconds, and numbers of connections without a whole request."""

    head_s: float = 10.0
    """From the connection, or the first byte of a later request, to the end of the headers."""
    body_s: float = 20.0
    """From the end of the headers to the end of the body."""
    answer_s: float = 30.0
    """Without any progress of an answer that its receiver does not read."""
    of_an_address: int = 100
    in_all: int = 400


DEFAULT_CONNECTION_LIMITS = ConnectionLimits()


Member = TypeVar("Member")


class WaitingRoom(Generic[Member]):
    """Members that wait, by address and since when."""

    def __init__(self, *, of_an_address: int, in_all: int) -> None:
        self._of_an_address = of_an_address
        self._in_all = in_all
        self._waiting: dict[str, dict[Member, int]] = {}
        """For each address its members, the one that has waited longest first."""
        self.entered = 0
        """How many have entered so far."""
        self._count = 0

    def enter(self, address: str, member: Member) -> None:
        """Count a member from now on; one that waits already keeps its place."""
        group = self._waiting.setdefault(address, {})
        if member not in group:
            self.entered += 1
            self._count += 1
            group[member] = self.entered

    def leave(self, address: str, member: Member) -> None:
        """Count a member no more."""
        group = self._waiting.get(address, {})
        if group.pop(member, None) is not None:
            self._count -= 1
            if not group:
                del self._waiting[address]

    @property
    def is_full(self) -> bool:
        """Return whether more wait than may."""
        largest = max(map(len, self._waiting.values()), default=0)
        return self._count > self._in_all or largest > self._of_an_address

    def surplus(self, up_to: int) -> list[Member]:
        """Return those to be closed: of each address the oldest, of the largest groups most.

        Args:
            up_to: only of so many as have entered first; the others are too new.

        When 400 may wait and one address has 1000, another 3, then 397 of the first are kept, or
        fewer where the limit of an address says so, and all 3 of the second.
        """
        groups = self._waiting.values()
        share = self._of_an_address
        while share > 1 and sum(min(len(group), share) for group in groups) > self._in_all:
            share -= 1
        found: list[tuple[int, Member]] = []
        kept: list[tuple[int, Member]] = []
        for group in groups:
            members = [(entered, member) for member, entered in group.items()]
            over = max(len(members) - share, 0)
            found += members[:over]
            kept += members[over:]
        kept.sort(key=lambda each: each[0])
        found += kept[: max(len(kept) - self._in_all, 0)]
        return [member for entered, member in found if entered <= up_to]


class Stage(Enum):
    """How far the sender of a connection's next request has come."""

    IDLE = auto()
    """Nothing has come."""
    HEAD = auto()
    BODY = auto()
    WHOLE = auto()
    """The request is being answered."""


class Connections:
    """All connections of a server that have no whole request."""

    def __init__(self, limits: ConnectionLimits) -> None:
        self.limits = limits
        self._room = WaitingRoom[BoundedProtocol](
            of_an_address=limits.of_an_address, in_all=limits.in_all
        )
        self._is_sweeping = False

    def protocol(self, *arguments: Any, **keys: Any) -> "BoundedProtocol":
        """Make the protocol of a new connection, as the HTTP library asks for it."""
        return BoundedProtocol(self, *arguments, **keys)

    def enter(self, address: str, connection: "BoundedProtocol") -> None:
        """Count a connection, and close others when there are too many."""
        self._room.enter(address, connection)
        if not self._is_sweeping and self._room.is_full:
            self._sweep_soon()

    def leave(self, address: str, connection: "BoundedProtocol") -> None:
        """Count a connection no more."""
        self._room.leave(address, connection)

    def _sweep_soon(self) -> None:
        """Close what is too much now, two turns of the loop later: until then it may be read."""
        self._is_sweeping = True
        loop = asyncio.get_running_loop()
        loop.call_soon(loop.call_soon, self._sweep, self._room.entered)

    def _sweep(self, up_to: int) -> None:
        self._is_sweeping = False
        for connection in self._room.surplus(up_to):
            connection.abort()
        if self._room.is_full:
            self._sweep_soon()


class BoundedProtocol(H11Protocol):
    """One connection, with deadlines for what comes and for what is not read."""

    def __init__(self, connections: Connections, *arguments: Any, **keys: Any) -> None:
        super().__init__(*arguments, **keys)
        self._all = connections
        self._address = ""
        self._stage = Stage.WHOLE
        self._deadline: asyncio.TimerHandle | None = None
        self._unread: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for the first request."""
        super().connection_made(transport)
        self._address = address_group(self.client[0] if self.client else "")
        self._look()

    def data_received(self, data: bytes) -> None:
        """Take a part of a request."""
        super().data_received(data)
        self._look()

    def on_response_complete(self) -> None:
        """Wait for the next request."""
        super().on_response_complete()
        self._look()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        self._all.leave(self._address, self)
        for timer in (self._deadline, self._unread):
            if timer is not None:
                timer.cancel()
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        """Give the receiver of an answer some time to read on."""
        super().pause_writing()
        if self._unread is None:
            self._unread = self.loop.call_later(self._all.limits.answer_s, self.abort)

    def resume_writing(self) -> None:
        """Note that the receiver reads."""
        super().resume_writing()
        if self._unread is not None:
            self._unread.cancel()
            self._unread = None

    def abort(self) -> None:
        """Close the connection at once, whatever is still to be sent."""
        self._all.leave(self._address, self)
        self.transport.abort()

    def _look(self) -> None:
        """Set the deadline when the sender has come to another stage."""
        stage = Stage.WHOLE if self.transport.is_closing() else self._stage_now()
        if stage is self._stage:
            return
        self._stage = stage
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None
        if stage is Stage.WHOLE:
            self._all.leave(self._address, self)
            return
        limits = self._all.limits
        seconds = limits.body_s if stage is Stage.BODY else limits.head_s
        self._deadline = self.loop.call_later(seconds, self._be_late)
        self._all.enter(self._address, self)

    def _stage_now(self) -> Stage:
        state = self.conn.their_state
        if state is h11.IDLE:
            return Stage.HEAD if self.conn.trailing_data[0] else Stage.IDLE
        return Stage.BODY if state is h11.SEND_BODY else Stage.WHOLE

    def _be_late(self) -> None:
        """Close a connection whose request did not come in time."""
        if self.transport.is_closing():
            return
        is_answered = self._stage is Stage.BODY and self.cycle.response_started
        if self._stage is not Stage.IDLE and not is_answered:
            self.transport.write(REFUSAL)
        if self.cycle is not None:
            self.cycle.disconnected = True  # ends the wait for the body
            self.cycle.message_event.set()
        self.transport.close()


def address_group(host: str) -> str:
    """Return what counts as one address: for IPv6 the 64 bits of the network."""
    with contextlib.suppress(ValueError):
        address = ipaddress.ip_address(host.partition("%")[0])
        if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped is None:
            return str(ipaddress.ip_network((address, 64), strict=False))
    return host


def raise_open_files() -> None:
    """Allow this process more descriptors: a burst of connections must not use up all of them."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = OPEN_FILES if hard == resource.RLIM_INFINITY else min(OPEN_FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
