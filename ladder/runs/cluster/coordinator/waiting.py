"""The pairs of a run that no machine has, and the machine that each of them goes to."""

import heapq
import time
from collections.abc import Iterable, Iterator
from itertools import count

from ladder.errors import UsageError
from ladder.runs.cluster.coordinator.machines import Machine, Machines, Pair, State, refusals

REFUSED_S = 20.0
"""How long a pair waits for a machine that does not refuse one of its bots."""


class Waiting:
    """Pairs in the order of their numbers."""

    def __init__(self, machines: Machines) -> None:
        self._machines = machines
        self._heap: list[tuple[int, int, Pair]] = []
        """By number; the second number only keeps pairs from being compared."""
        self._counter = count()

    def add(self, pair: Pair) -> None:
        """Have it wait, perhaps again."""
        heapq.heappush(self._heap, (pair.plan.number, next(self._counter), pair))

    def take(self) -> Iterator[tuple[Pair, Machine]]:
        """Take out the pairs that can be given away now, each with its machine.

        The machine must have been given the pair before the next one is asked for.

        Raises:
            NoMachine: all machines refuse a pair for too long; it is taken out.

        """
        kept = []
        try:
            while self._heap and any(each.room > 0 for each in self._machines.ready):
                entry = heapq.heappop(self._heap)
                pair = entry[2]
                if pair.is_done or not (
                    pair.future.running() or pair.future.set_running_or_notify_cancel()
                ):
                    continue
                machine = best(pair, self._machines)
                if machine is not None:
                    yield pair, machine
                    continue
                self._note_refused(pair)
                kept.append(entry)
        finally:
            for entry in kept:
                heapq.heappush(self._heap, entry)

    def _note_refused(self, pair: Pair) -> None:
        present = [each for each in self._machines if each.state is not State.REFUSED]
        if any(each.prepared is None or each.takes(pair.plan) for each in present):
            pair.unwanted_since = None
            return
        now = time.monotonic()
        if pair.unwanted_since is None:
            pair.unwanted_since = now
        if now >= pair.unwanted_since + REFUSED_S:
            raise NoMachine(pair, present)


class NoMachine(UsageError):
    """All machines refuse a pair."""

    def __init__(self, pair: Pair, machines: Iterable[Machine]) -> None:
        """The sentence holds the reasons of all."""
        reasons = "; ".join(refusals(machines, pair.plan))
        super().__init__(f"no machine can play pair {pair.plan.number}: {reasons}")
        self.pair = pair


def best(pair: Pair, machines: Machines) -> Machine | None:
    """The machine with the most room, for its size, that can play a pair and has not yet."""
    busy = {copy.machine for copy in pair.copies}
    able = [
        machine
        for machine in machines.ready
        if machine.room > 0
        and machine not in busy
        and machine.address not in pair.failed_on
        and machine.takes(pair.plan)
    ]
    return max(able, key=lambda each: each.room / each.slots, default=None)
