"""Machines of a cluster, the pairs that they play, and what is known of both."""

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
"""Slots of one machine that are used, whatever number it claims."""
QUICK_S = 5.0
"""A machine whose last pair was shorter has one more pair waiting for each slot."""
SILENT_S = 10.0
"""A machine of which the scheduler has heard nothing for so long gets no more pairs, and those that
it has are played elsewhere, too."""
LEVELS = 33
"""Steps in which the room of machines is compared, from none to two pairs for each slot."""


class State(Enum):
    """The part that a machine takes in a run."""

    JOINING = "joining"
    READY = "ready"
    SILENT = "silent"
    REFUSED = "refused"
    """Another version is there, or it cannot be prepared, or it has left."""
    SET_ASIDE = "set aside"
    """Games stall, do not come back or are not those of the others, or the harness fails there."""


HOSTING = (State.READY, State.SILENT)
"""The states of machines that take part."""


@dataclass(eq=False)
class Machine:
    """One Dask worker."""

    address: str
    slots: int
    state: State = State.JOINING
    facts: MachineFacts | None = None
    prepared: Prepared | None = None
    refused: frozenset[int] = frozenset()
    """Revisions of the bots that it cannot host."""
    playing: "set[Assignment]" = field(default_factory=set)
    seen: float = field(default_factory=time.monotonic)
    """When the scheduler first named it."""
    last_heartbeat: float = field(default_factory=time.monotonic)
    last_seen: float = 0.0
    """By the scheduler's clock."""
    last_s: float = 0.0
    """How long its last pair took."""
    attempts: list[bool] = field(default_factory=list)
    """The last attempts at games; whether each stalled."""
    unchecked: int = 0
    """Pairs that it may still be given before one is compared with another machine's."""
    is_verified: bool = True
    """Whether a pair of it was compared, or none can be. Until then it plays one at a time, and
    none while that one is compared."""
    check: "Pair | None" = None
    """The last pair of it that was given to another machine, too, to be compared."""
    answered: int = 0
    """Number of its records that went to the runner to be stored."""
    deaths: int = 0
    """Pairs in a row at which the process of a slot was killed."""

    @property
    def name(self) -> str:
        """The machine's own name, or its address before it has said one."""
        return self.address if self.facts is None else self.facts.name

    @property
    def room(self) -> int:
        """How many more pairs it may be given."""
        if self.state is not State.READY:
            return 0
        if not self.is_verified:
            is_waiting = self.check is not None and self.check.assignments
            return 0 if is_waiting else 1 - len(self.playing)
        most = 2 * self.slots if 0 < self.last_s < QUICK_S else self.slots
        return most - len(self.playing)

    def can_host(self, pair: "Pair") -> bool:
        """Return whether it has both bots of a pair."""
        return self.refused.isdisjoint(pair.revisions)


@dataclass(eq=False)
class Assignment:
    """One playing of a pair on one machine."""

    pair: "Pair"
    machine: Machine
    due: float
    """When it must have come back, by the clock of this process."""
    task: "asyncio.Task[None] | None" = None


@dataclass(eq=False)
class Pair:
    """A pair of the run, from its coming to the end of the last of its assignments."""

    plan: PairPlan
    future: "Future[PairRecord]"
    assignments: list[Assignment] = field(default_factory=list)
    record: PairRecord | None = None
    by: Machine | None = None
    """The one with the record that counts."""
    failed_on: set[str] = field(default_factory=set)
    """Addresses of machines on which the harness failed at it, or which stalled."""
    compared: "list[Machine]" = field(default_factory=list)
    """Machines whose games of this pair are compared."""
    is_done: bool = False
    """Whether its answer is on its way to the runner."""

    @property
    def bots(self) -> frozenset[str]:
        """The names of its bots."""
        return frozenset((self.plan.a.name, self.plan.b.name))

    @property
    def revisions(self) -> frozenset[int]:
        """The revisions of its bots."""
        return frozenset((self.plan.a.revision, self.plan.b.revision))


@dataclass(frozen=True, slots=True)
class Changes:
    """The machines that are not as they were at the last look."""

    new: list[Machine]
    silent: list[Machine]
    heard: list[Machine]
    """Again, after a silence."""
    left: list[Machine]


class CapacityIndex:
    """Machines that may be given pairs, found in the same time however many there are.

    They are kept by the bots that they cannot host, and among those of equal kind by their room.
    """

    def __init__(self) -> None:
        """Start without machines."""
        self._kinds: dict[frozenset[int], list[OrderedDict[Machine, None]]] = {}
        self._levels: dict[Machine, OrderedDict[Machine, None]] = {}

    def __len__(self) -> int:
        return len(self._levels)

    def update(self, machine: Machine, room: int) -> None:
        """Note how many more pairs a machine may be given."""
        former = self._levels.pop(machine, None)
        if former is not None:
            del former[machine]
        if room <= 0:
            return
        if machine.refused not in self._kinds:
            self._kinds[machine.refused] = [OrderedDict() for _ in range(LEVELS)]
        level = self._kinds[machine.refused][room * LEVELS // (2 * machine.slots + 1)]
        level[machine] = None
        self._levels[machine] = level

    def most_idle(self, pair: Pair) -> Machine | None:
        """Return a machine with the most room, for its size, that can play a pair and has not."""
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
    """The machines that the scheduler has."""

    def __init__(self) -> None:
        self._by_address: dict[str, Machine] = {}
        self._hosts: dict[str, str] = {}
        """The host that has a name, from the first time on that it is said."""
        self._by_capacity = CapacityIndex()
        self._names: Counter[str] = Counter()
        """Of those that are ready: workers of one host have one name."""
        self.joining = 0
        """Number of machines that are getting ready."""
        self._hosting: Counter[frozenset[int]] = Counter()
        """Machines that take part, by the bots that they refuse."""
        self.slots = 0
        """Of all machines that are ready; kept as a number for another thread to read."""

    def __iter__(self) -> Iterator[Machine]:
        """All of them, whatever their state."""
        return iter(list(self._by_address.values()))

    def __len__(self) -> int:
        return len(self._by_address)

    @property
    def ready(self) -> list[Machine]:
        """Those that play."""
        return [each for each in self._by_address.values() if each.state is State.READY]

    @property
    def hosting(self) -> list[Machine]:
        """Those that take part, even if they are silent now."""
        return [each for each in self._by_address.values() if each.state in HOSTING]

    @property
    def has_capacity(self) -> bool:
        """Whether some machine may be given a pair."""
        return len(self._by_capacity) > 0

    def set_state(self, machine: Machine, state: State) -> None:
        """Change the state of a machine; nothing else does."""
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
        """Give a machine another name if another host has its name; return whether it did.

        It then has the host of its address behind its name.
        """
        facts = machine.facts
        assert facts is not None  # noqa: S101 - it has said them
        place = urlsplit(machine.address).hostname or machine.address
        further = (f"{facts.name} ({place}, {number})" for number in count(2))
        for name in chain((facts.name, f"{facts.name} ({place})"), further):
            if self._hosts.setdefault(name, facts.host) == facts.host:
                machine.facts = msgspec.structs.replace(facts, name=name)
                break
        return machine.name != facts.name

    def update_capacity(self, machine: Machine) -> None:
        """Take in that a machine may have more room for pairs than before, or less."""
        is_known = self._by_address.get(machine.address) is machine
        self._by_capacity.update(machine, machine.room if is_known else 0)

    def most_idle(self, pair: Pair) -> Machine | None:
        """Return a machine with the most room, for its size, that can play a pair and has not."""
        return self._by_capacity.most_idle(pair)

    def refuse(self, revisions: frozenset[int]) -> bool:
        """Return whether machines take part, each of which refuses one of some bots."""
        kinds = [refused for refused, number in self._hosting.items() if number]
        return bool(kinds) and all(refused & revisions for refused in kinds)

    def forget(self, machine: Machine) -> None:
        """Take out a machine that is gone."""
        self._count(machine, -1)
        self._by_address.pop(machine.address, None)
        self.set_state(machine, State.REFUSED)

    def look(self, workers: Mapping[str, Mapping[str, Any]], now: float) -> Changes:
        """Take in what the scheduler says of its workers.

        Args:
            workers: by address, as the scheduler identifies them.
            now: by the clock of this process, in seconds.

        """
        changes = Changes([], [], [], [])
        for address, told in workers.items():
            machine = self._by_address.get(address)
            if machine is None:
                slots = min(int(told["nthreads"]), MOST_SLOTS)
                machine = self._by_address[address] = Machine(address, slots)
                self._count(machine, 1)
                changes.new.append(machine)
            if told["last_seen"] != machine.last_seen:
                machine.last_seen, machine.last_heartbeat = told["last_seen"], now
                if machine.state is State.SILENT:
                    self.set_state(machine, State.READY)
                    changes.heard.append(machine)
            elif now > machine.last_heartbeat + SILENT_S and machine.state is State.READY:
                self.set_state(machine, State.SILENT)
                changes.silent.append(machine)
        changes.left.extend(each for each in self if each.address not in workers)
        return changes

    def describe(self) -> str:
        """Return the number of machines and slots that are ready, in words."""
        return f"{counted(len(self._names), 'machine')}, {counted(self.slots, 'slot')}"


def counted(number: int, word: str) -> str:
    """A number of things in words."""
    return f"{number} {word}" if number == 1 else f"{number} {word}s"
