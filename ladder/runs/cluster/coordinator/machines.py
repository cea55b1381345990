"""The machines of a cluster, their assignments, and the pairs in play."""

import asyncio
import time
from collections import Counter, OrderedDict
from collections.abc import Iterator, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from enum import Enum
from itertools import chain, count
from typing import Any
from urllib.parse import urlsplit

import msgspec

from db.records.pairs import PairPlan, PairRecord
from ladder.runs.cluster.machine import MachineFacts
from ladder.runs.cluster.slot import Prepared

MOST_SLOTS = 1024
"""Most slots of one machine that are used, whatever number it claims."""
QUICK_S = 5.0
"""A machine whose last pair took less time gets a second pair for each slot in advance."""
SILENT_S = 10.0
"""Seconds without a heartbeat after which a machine is silent: it gets no more pairs, and its
assignments are repeated on other machines."""
LEVELS = 33
"""Steps in which the capacities of machines are compared, from none to two pairs for each slot."""


class State(Enum):
    """The state of a machine in a run."""

    JOINING = "joining"
    READY = "ready"
    SILENT = "silent"
    REFUSED = "refused"
    """The machine has another version, cannot be prepared, or has left."""
    SET_ASIDE = "set aside"
    """Games stall, are overdue or differ from those of other machines, or the harness fails."""


HOSTING = (State.READY, State.SILENT)
"""The states of the machines that take part."""


@dataclass(eq=False)
class Machine:
    """One Dask worker."""

    address: str
    slots: int
    state: State = State.JOINING
    facts: MachineFacts | None = None
    prepared: Prepared | None = None
    refused: frozenset[int] = frozenset()
    """Revisions of the bots that the machine cannot host."""
    playing: "set[Assignment]" = field(default_factory=set)
    seen: float = field(default_factory=time.monotonic)
    """The time at which the scheduler first listed the machine."""
    last_heartbeat: float = field(default_factory=time.monotonic)
    last_seen: float = 0.0
    """The last heartbeat by the scheduler's clock."""
    last_s: float = 0.0
    """The duration of the last pair in seconds."""
    attempts: list[bool] = field(default_factory=list)
    """The latest attempts at games, true where one stalled."""
    unchecked: int = 0
    """Assignments left before the next one is compared with another machine's games."""
    is_verified: bool = True
    """Whether a pair of the machine was compared, or none can be. Before, it gets one pair at a
    time, and none while that one is compared."""
    compared_pair: "Pair | None" = None
    """The latest pair that another machine plays, too, for comparison."""
    stored_pairs: int = 0
    """Records of the machine that the runner got."""
    deaths: int = 0
    """Pairs in a row at which the process of a slot was killed."""

    @property
    def name(self) -> str:
        """The machine's own name, or its address before the name is known."""
        return self.address if self.facts is None else self.facts.name

    @property
    def capacity(self) -> int:
        """The number of further pairs that the machine may get."""
        if self.state is not State.READY:
            return 0
        if not self.is_verified:
            is_waiting = self.compared_pair is not None and self.compared_pair.assignments
            return 0 if is_waiting else 1 - len(self.playing)
        most = 2 * self.slots if 0 < self.last_s < QUICK_S else self.slots
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


@dataclass(frozen=True, slots=True)
class Changes:
    """The machines that changed between two updates."""

    new: list[Machine]
    silent: list[Machine]
    recovered: list[Machine]
    """Machines that were silent and sent a heartbeat."""
    left: list[Machine]


class CapacityIndex:
    """Machines with capacity, indexed so that a lookup does not depend on their number.

    They are grouped by the bots that they cannot host, and within a group by their capacity.
    """

    def __init__(self) -> None:
        """Start without machines."""
        self._kinds: dict[frozenset[int], list[OrderedDict[Machine, None]]] = {}
        self._levels: dict[Machine, OrderedDict[Machine, None]] = {}

    def __len__(self) -> int:
        return len(self._levels)

    def update(self, machine: Machine, capacity: int) -> None:
        """Set the number of further pairs that a machine may get."""
        former = self._levels.pop(machine, None)
        if former is not None:
            del former[machine]
        if capacity <= 0:
            return
        if machine.refused not in self._kinds:
            self._kinds[machine.refused] = [OrderedDict() for _ in range(LEVELS)]
        level = self._kinds[machine.refused][capacity * LEVELS // (2 * machine.slots + 1)]
        level[machine] = None
        self._levels[machine] = level

    def most_idle(self, pair: Pair) -> Machine | None:
        """Return the machine with the most capacity per slot for a pair, or None.

        Machines that play the pair, failed at it, or cannot host its bots are left out.
        """
        busy = {assignment.machine for assignment in pair.assignments}
        able = [
            levels for refused, levels in self._kinds.items() if refused.isdisjoint(pair.revisions)
        ]
        for level in range(LEVELS - 1, -1, -1):
            for levels in able:
                for machine in levels[level]:
                    if machine not in busy and machine.address not in pair.failed_on:
                        return machine
        return None


class Machines:
    """The machines that the scheduler lists."""

    def __init__(self, silent_s: float = SILENT_S) -> None:
        self._silent_s = silent_s
        self._by_address: dict[str, Machine] = {}
        self._hosts: dict[str, str] = {}
        """The first host that used a name, by the name."""
        self._by_capacity = CapacityIndex()
        self._names: Counter[str] = Counter()
        """Numbers of ready machines by name; workers of one host share a name."""
        self.joining = 0
        """Number of machines that are being prepared."""
        self._hosting: Counter[frozenset[int]] = Counter()
        """Numbers of machines that take part, by the bots that they refuse."""
        self.slots = 0
        """Slots of all ready machines; a plain number that other threads may read."""

    def __iter__(self) -> Iterator[Machine]:
        """Iterate over all machines, whatever their state."""
        return iter(list(self._by_address.values()))

    def __len__(self) -> int:
        return len(self._by_address)

    @property
    def ready(self) -> list[Machine]:
        """The machines that get pairs."""
        return [each for each in self._by_address.values() if each.state is State.READY]

    @property
    def hosting(self) -> list[Machine]:
        """The machines that take part, silent ones included."""
        return [each for each in self._by_address.values() if each.state in HOSTING]

    @property
    def has_capacity(self) -> bool:
        """Whether any machine may get a pair."""
        return len(self._by_capacity) > 0

    def set_state(self, machine: Machine, state: State) -> None:
        """Change the state of a machine, and the counts that depend on it."""
        self._count(machine, -1)
        machine.state = state
        self._count(machine, 1)
        self.update_capacity(machine)

    def _count(self, machine: Machine, number: int) -> None:
        if self._by_address.get(machine.address) is not machine:
            return
        if machine.state is State.JOINING:
            self.joining += number
        if machine.state is State.READY and machine.slots:
            self.slots += number * machine.slots
            self._names[machine.name] += number
            if not self._names[machine.name]:
                del self._names[machine.name]
        if machine.state in HOSTING:
            self._hosting[machine.refused] += number

    def rename_duplicate(self, machine: Machine) -> bool:
        """Append the address to a machine's name if another host has that name.

        Return whether the name was changed.
        """
        facts = machine.facts
        assert facts is not None  # noqa: S101 - set before
        place = urlsplit(machine.address).hostname or machine.address
        further = (f"{facts.name} ({place}, {number})" for number in count(2))
        for name in chain((facts.name, f"{facts.name} ({place})"), further):
            if self._hosts.setdefault(name, facts.host) == facts.host:
                machine.facts = msgspec.structs.replace(facts, name=name)
                break
        return machine.name != facts.name

    def update_capacity(self, machine: Machine) -> None:
        """Update the index after a change that may affect a machine's capacity."""
        is_known = self._by_address.get(machine.address) is machine
        self._by_capacity.update(machine, machine.capacity if is_known else 0)

    def most_idle(self, pair: Pair) -> Machine | None:
        """Return the machine with the most capacity per slot for a pair, or None."""
        return self._by_capacity.most_idle(pair)

    @property
    def have_refusals(self) -> bool:
        """Whether any machine that takes part refuses a bot."""
        return any(refused and number for refused, number in self._hosting.items())

    def all_refuse(self, revisions: frozenset[int]) -> bool:
        """Return whether every machine that takes part refuses one of some bots."""
        kinds = [refused for refused, number in self._hosting.items() if number]
        return bool(kinds) and all(refused & revisions for refused in kinds)

    def remove(self, machine: Machine) -> None:
        """Remove a machine that has left."""
        self._count(machine, -1)
        self._by_address.pop(machine.address, None)
        self.set_state(machine, State.REFUSED)

    def update(self, workers: Mapping[str, Mapping[str, Any]], now: float) -> Changes:
        """Apply the scheduler's list of workers, and return the changes.

        Args:
            workers: The scheduler's description of each worker by address.
            now: The time by the clock of this process, in seconds.

        """
        changes = Changes([], [], [], [])
        for address, worker in workers.items():
            machine = self._by_address.get(address)
            if machine is None:
                slots = min(int(worker["nthreads"]), MOST_SLOTS)
                machine = self._by_address[address] = Machine(address, slots)
                self._count(machine, 1)
                changes.new.append(machine)
            if worker["last_seen"] != machine.last_seen:
                machine.last_seen, machine.last_heartbeat = worker["last_seen"], now
                if machine.state is State.SILENT:
                    self.set_state(machine, State.READY)
                    changes.recovered.append(machine)
            elif now > machine.last_heartbeat + self._silent_s and machine.state is State.READY:
                self.set_state(machine, State.SILENT)
                changes.silent.append(machine)
        changes.left.extend(each for each in self if each.address not in workers)
        return changes

    def describe(self) -> str:
        """Return the numbers of ready machines and slots as text."""
        return f"{counted(len(self._names), 'machine')}, {counted(self.slots, 'slot')}"


def counted(number: int, word: str) -> str:
    """Return a number of things as text: ``1 slot``, ``2 slots``."""
    return f"{number} {word}" if number == 1 else f"{number} {word}s"
