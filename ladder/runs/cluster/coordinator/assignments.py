"""The records of the coordinator: machines, pairs, and assignments of pairs to machines."""

import asyncio
import time
from concurrent.futures import Future
from dataclasses import dataclass, field
from enum import Enum

from db.records.pairs import PairPlan, PairRecord
from ladder.runs.cluster.lending import Offer
from ladder.runs.cluster.machine import MachineFacts
from ladder.runs.cluster.slot import Prepared

QUICK_S = 5.0
"""A machine whose last pair took less time gets a second pair for each slot in advance."""


class State(Enum):
    """The state of a machine in a run."""

    JOINING = "getting ready"
    READY = "ready"
    SILENT = "silent"
    RESERVED = "reserved"
    """The machine lends no slots now; it finishes the pairs in play."""
    REFUSED = "refused"
    """The machine has another version, cannot be prepared, or has left."""
    SET_ASIDE = "set aside"
    """Games stall, are overdue or differ from those of other machines, or the harness fails."""


HOSTING = (State.READY, State.SILENT, State.RESERVED)
"""The states of the machines that take part, or do so again after a reservation."""


@dataclass(eq=False)
class Machine:
    """One Dask worker."""

    address: str
    lent: int
    """Slots that it lends now."""
    offer: Offer | None = None
    """What the machine lends by its latest heartbeat; None for a worker of Dask's own."""
    reason: str = ""
    """Why the machine is refused or set aside."""
    admission: "asyncio.Task[None] | None" = None
    """The task that prepares it."""
    hosts_any: bool = True
    """Whether the machine can host any bot."""
    state: State = State.JOINING
    facts: MachineFacts | None = None
    prepared: Prepared | None = None
    refused: frozenset[int] = frozenset()
    """Revisions of the bots that the machine cannot host."""
    playing: "set[Assignment]" = field(default_factory=set)
    first_seen: float = field(default_factory=time.monotonic)
    """The time at which this process first saw the machine in the scheduler's list."""
    last_heartbeat: float = field(default_factory=time.monotonic)
    scheduler_last_seen: float = 0.0
    """The last heartbeat by the scheduler's clock."""
    last_pair_s: float = 0.0
    """The duration of the last pair in seconds."""
    attempts: list[bool] = field(default_factory=list)
    """The latest attempts at games, true where one stalled."""
    unchecked: int = 0
    """Assignments left before the next one is compared with another machine's games."""
    is_verified: bool = True
    """Whether a pair of the machine was compared, or none can be. Until then it gets one pair at
    a time, and no further one while that pair is being compared."""
    compared_pair: "Pair | None" = None
    """The latest pair that another machine plays, too, for comparison."""
    stored_pairs: int = 0
    """Records of the machine that the runner got."""
    deaths: int = 0
    """Pairs in a row at which the process of a slot was killed."""

    @property
    def name(self) -> str:
        """The machine's own name, or its address before the name is known."""
        if self.facts is not None:
            return self.facts.name
        return self.address if self.offer is None else self.offer.name

    @property
    def slots(self) -> int:
        """Slots that play pairs of the run."""
        return self.lent if self.hosts_any else 0

    @property
    def capacity(self) -> int:
        """The number of further pairs that the machine may get."""
        if self.state is not State.READY or not self.slots:
            return 0
        if not self.is_verified:
            is_waiting = self.compared_pair is not None and self.compared_pair.assignments
            return 0 if is_waiting else 1 - len(self.playing)
        most = self.slots * (2 if 0 < self.last_pair_s < QUICK_S else 1)
        return most - len(self.playing)

    def can_host(self, pair: "Pair") -> bool:
        """Return whether the machine has both bots of a pair."""
        return self.refused.isdisjoint(pair.revisions)


@dataclass(eq=False)
class Assignment:
    """A pair given to one machine."""

    pair: "Pair"
    machine: Machine
    due: float
    """The deadline by the clock of this process."""
    key: str = ""
    """The key of its task on the machine."""
    task: "asyncio.Task[None] | None" = None


@dataclass(eq=False)
class Pair:
    """A pair of the run, from its submission to the end of its last assignment."""

    plan: PairPlan
    future: "Future[PairRecord]"
    assignments: list[Assignment] = field(default_factory=list)
    record: PairRecord | None = None
    """The record that counts: the first one."""
    played_by: Machine | None = None
    """The machine of that record."""
    failed_on: set[str] = field(default_factory=set)
    """Addresses of the machines that stalled, or on which the harness failed."""
    compared: "list[Machine]" = field(default_factory=list)
    """The machines whose games of this pair are compared."""
    needs_replay: bool = False
    """Whether the coordinator plays the pair, too, once a machine has."""
    is_done: bool = False
    """Whether the runner has got its result."""

    @property
    def bots(self) -> frozenset[str]:
        """The names of both bots."""
        return frozenset((self.plan.a.name, self.plan.b.name))

    @property
    def revisions(self) -> frozenset[int]:
        """The revisions of both bots."""
        return frozenset((self.plan.a.revision, self.plan.b.revision))
