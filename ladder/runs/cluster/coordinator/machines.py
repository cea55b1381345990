"""The machines that the scheduler lists, indexed by their capacity."""

from collections import Counter, OrderedDict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain, count
from typing import Any
from urllib.parse import urlsplit

import msgspec

from ladder.runs.cluster.coordinator.assignments import HOSTING, Machine, Pair, State
from ladder.runs.cluster.lending import offer_of

MOST_SLOTS = 1024
"""Most slots of one machine that are used, whatever number it claims."""
SILENT_S = 10.0
"""Seconds without a heartbeat after which a machine is silent: it gets no more pairs, and its
assignments are repeated on other machines."""
LEVELS = 33
"""Steps in which the capacities of machines are compared, from none to two pairs for each slot."""


@dataclass(frozen=True, slots=True)
class Changes:
    """The machines that changed between two updates."""

    new: list[Machine]
    """Machines to be admitted: those that joined, or lend slots for the first time."""
    silent: list[Machine]
    recovered: list[Machine]
    """Machines that were silent and sent a heartbeat."""
    left: list[Machine]
    lending: list[Machine]
    """Machines that lend another number of slots than before."""


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
        """Usable slots of all ready machines; a plain number that other threads may read."""

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
        if machine.state in HOSTING and machine.prepared is not None:
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
        changes = Changes([], [], [], [], [])
        for address, worker in workers.items():
            machine = self._by_address.get(address)
            waits = machine is None or machine.state is State.RESERVED
            if machine is None:
                slots = min(int(worker["nthreads"]), MOST_SLOTS)
                machine = Machine(address, slots)
                self._by_address[address] = machine
                self._count(machine, 1)
            if self._lend(machine, worker):
                changes.lending.append(machine)
            if worker["last_seen"] != machine.scheduler_last_seen:
                machine.scheduler_last_seen, machine.last_heartbeat = worker["last_seen"], now
                if machine.state is State.SILENT:
                    self.set_state(machine, State.READY)
                    changes.recovered.append(machine)
            elif now > machine.last_heartbeat + self._silent_s and (
                machine.state is State.READY
                or (machine.state is State.RESERVED and machine.playing)
            ):
                self.set_state(machine, State.SILENT)
                changes.silent.append(machine)
            if machine.state in (State.JOINING, State.READY) and machine.lent == 0:
                self.set_state(machine, State.RESERVED)
            elif machine.state is State.RESERVED and machine.lent:
                is_prepared = machine.prepared is not None
                self.set_state(machine, State.READY if is_prepared else State.JOINING)
            if waits and machine.state is State.JOINING:
                changes.new.append(machine)
        changes.left.extend(each for each in self if each.address not in workers)
        return changes

    def _lend(self, machine: Machine, worker: Mapping[str, Any]) -> bool:
        """Apply the offer of a machine; return whether it lends another number of slots."""
        machine.offer = offer_of(worker)
        lent = min(int(worker["nthreads"]), MOST_SLOTS)
        if machine.offer is not None:
            lent = min(lent, max(0, machine.offer.slots))
        if lent == machine.lent:
            return False
        self._count(machine, -1)
        machine.lent = lent
        self._count(machine, 1)
        self.update_capacity(machine)
        return True

    def describe(self) -> str:
        """Return the numbers of ready machines and slots as text."""
        return f"{counted(len(self._names), 'machine')}, {counted(self.slots, 'slot')}"


def counted(number: int, word: str) -> str:
    """Return a number of things as text: ``1 slot``, ``2 slots``."""
    return f"{number} {word}" if number == 1 else f"{number} {word}s"
