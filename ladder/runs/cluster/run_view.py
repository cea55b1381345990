"""What the coordinator of a run publishes about its machines.

The views lie in the scheduler's metadata, where every client finds those of all runs, whatever
their databases and hosts.
"""

import contextlib
import secrets
import socket
import time
from collections.abc import Callable, Mapping
from getpass import getuser
from typing import Any

import msgspec

METADATA = "ladder-runs"
"""The name of the views in the scheduler's metadata; below it they are found by session."""
PUBLISH_S = 2.0
"""Least seconds between two views of a run."""
LIFE_S = 15.0
"""Seconds after which a view is out of date, where coordinators poll every second."""


class RunLabel(msgspec.Struct, frozen=True):
    """The name of a run for the users of other databases."""

    run: int
    kind: str
    database: str
    coordinator: str
    """The user and host that play it, such as ``ann@lab1``."""


class MachineView(msgspec.Struct, frozen=True):
    """A machine as one run sees it."""

    name: str
    state: str
    """A value of `coordinator.assignments.State`."""
    reason: str = ""
    """Why it is refused or set aside, or why it does not host all bots; empty if it does."""


class RunView(msgspec.Struct, frozen=True):
    """A run and its machines."""

    label: RunLabel
    until: float
    """The time by the scheduler's clock after which the view is out of date."""
    machines: dict[str, MachineView]
    """By the address of their worker."""


def own_label(run: int, kind: str, database: str) -> RunLabel:
    """Return the label of a run that this process coordinates."""
    return RunLabel(run, kind, database, user_and_host())


def user_and_host() -> str:
    """Return the user and host of this process, such as ``ann@lab1``."""
    try:
        user = getuser()
    except (KeyError, OSError):  # the user of a container may have no name
        user = "user"
    return f"{user}@{socket.gethostname()}"


def read_views(views: Mapping[str, Any], now: float) -> dict[str, RunView]:
    """Return the views that are not out of date, by session.

    Args:
        views: The metadata.
        now: The time by the scheduler's clock.

    """
    found = {}
    for session, view in views.items():
        with contextlib.suppress(msgspec.ValidationError):  # of another version of the program
            read = msgspec.convert(view, RunView)
            if read.until > now:
                found[session] = read
    return found


class Publisher:
    """Publishes the view of one run over one connection."""

    def __init__(self, label: RunLabel | None) -> None:
        """Publish nothing without a label."""
        self.session = secrets.token_hex(4)
        """The name of this coordinator in the keys of its tasks."""
        self._label = label
        self._client: Any = None
        """The client to which the clock belongs."""
        self._ahead_s = 0.0
        """Seconds that the scheduler's clock is ahead of this host's."""
        self._due = 0.0

    async def publish(
        self, client: Any, views: Callable[[], dict[str, MachineView]], pause_s: float
    ) -> None:
        """Publish the machines, unless they were published a moment ago.

        Args:
            client: The connected client.
            views: Returns the machines by address.
            pause_s: Seconds until the next call.

        """
        if client is not self._client:
            await self._join(client)
        if self._label is None or time.monotonic() < self._due:
            return
        self._due = time.monotonic() + PUBLISH_S
        until = time.time() + self._ahead_s + LIFE_S * max(1.0, pause_s)
        view = RunView(self._label, until, views())
        await client.scheduler.set_metadata(
            keys=[METADATA, self.session], value=msgspec.to_builtins(view)
        )

    async def withdraw(self, client: Any) -> None:
        """Remove the view."""
        if self._label is not None:
            await client.scheduler.set_metadata(keys=[METADATA, self.session], value=None)

    async def _join(self, client: Any) -> None:
        """Compare the clocks, and remove views that are out of date."""
        self._client = client
        if self._label is None:
            return
        try:
            now = await client.run_on_scheduler(time.time)
        except ValueError:  # a scheduler that is set to run no functions
            self._label = None
            return
        self._ahead_s = now - time.time()
        views = await client.scheduler.get_metadata(keys=[METADATA], default={})
        # A view that another coordinator publishes meanwhile is lost, until it publishes the next.
        await client.scheduler.set_metadata(
            keys=[METADATA], value=msgspec.to_builtins(read_views(views, now))
        )
