"""The workforce of a command that the service has started: its slots change while it plays."""

import time
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from pathlib import Path

from db.records.bots import BotRow
from db.records.pairs import Entrant, PairPlan, PairRecord
from db.records.runs import RunRow
from db.store import Store
from engine.board import BoardClass
from ladder.queue.link import Link, ShareMessage, StateMessage
from ladder.runs.executor import MachineEvent, PairExecutor, Share, Workforce
from ladder.runs.settings import Settings
from ladder.signals import current_stop

POLL_S = 0.2
"""Longest time between two looks at the share."""
FIRST_POLL_S = 0.02
"""Seconds between two looks for the first share."""


class SharedWorkforce:
    """A workforce of which a command uses the share that the service gives it."""

    def __init__(self, whole: Workforce, link: Link) -> None:
        """Wrap the machine or machines that the commands share.

        Args:
            whole: The machine or machines.
            link: The connection to the service.

        """
        self._whole = whole
        self._link = link
        self._share: Share | None = None

    def current_share(self) -> Share | None:
        """Return the newest share of the service; None before the first one."""
        for message in self._link.receive(ShareMessage):
            self._share = Share(message.slots, message.machines)
        return self._share

    def wait_for_slots(self) -> int:
        """Wait until the service has a slot, or until a stop is requested; return their number."""
        while True:
            share = self.current_share()
            if share is not None and (share.slots or share.machines is not None):
                return share.slots
            if current_stop().is_requested():
                return 1
            time.sleep(FIRST_POLL_S)

    def report_held(self, slots: int) -> None:
        """Report the slots that the command may be using."""
        self._link.send(StateMessage(held=slots))

    def prepare(self, entrants: Mapping[str, Entrant], adjudicated: Sequence[BoardClass]) -> None:
        """Prepare the bots before there is a run."""
        self._whole.prepare(entrants, adjudicated)

    def start(
        self,
        store: Store,
        run: RunRow,
        settings: Settings,
        bots: Sequence[BotRow],
        entrants: Mapping[str, Entrant],
        logs: Path,
    ) -> PairExecutor:
        """Report the run, and return an executor that follows the share."""
        self._link.send(StateMessage(run=run.id))
        self.wait_for_slots()
        return SharingExecutor(self._whole.start(store, run, settings, bots, entrants, logs), self)


class SharingExecutor:
    """A pair executor that follows the share of its command."""

    def __init__(self, executor: PairExecutor, workforce: SharedWorkforce) -> None:
        self._executor = executor
        self._workforce = workforce
        self._share: Share | None = None
        self._held: int | None = None
        self._follow()

    def _follow(self) -> None:
        """Apply the newest share, and report the slots that are held after each change."""
        share = self._workforce.current_share()
        is_new = share is not self._share
        if share is not None and is_new:
            self._share = share
            self._executor.set_share(share)
        if is_new or self._executor.held_slots != self._held:
            self._held = self._executor.held_slots
            self._workforce.report_held(self._held)

    @property
    def slots(self) -> int:
        """Pairs that are played at the same time."""
        return self._executor.slots

    @property
    def capacity(self) -> int:
        """Most pairs that may be submitted and not done."""
        return self._executor.capacity

    @property
    def held_slots(self) -> int:
        """Slots that this run may be using."""
        return self._executor.held_slots

    def set_share(self, share: Share) -> None:
        """Change the slots that this run may use."""
        self._executor.set_share(share)

    def submit(self, plan: PairPlan) -> "Future[PairRecord]":
        """Queue a pair."""
        return self._executor.submit(plan)

    def wait(self, timeout_s: float) -> None:
        """Follow the share and collect records."""
        self._follow()
        self._executor.wait(min(timeout_s, POLL_S))

    def events(self) -> Sequence[MachineEvent]:
        """Return the events since the last call."""
        return self._executor.events()

    def close(self) -> None:
        """Shut down."""
        self._executor.close()

    def kill(self) -> None:
        """Shut down at once."""
        self._executor.kill()
