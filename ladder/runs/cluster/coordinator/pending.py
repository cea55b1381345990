"""Pairs that wait for a machine, and the choice of the machine for each."""

import heapq
from collections.abc import Iterable, Iterator
from itertools import count

from ladder.runs.cluster.coordinator.assignments import Machine, Pair
from ladder.runs.cluster.coordinator.machines import Machines
from ladder.runs.executor import NoHost

HOSTLESS_S = 20.0
"""Seconds for which a pair waits for a machine that hosts both of its bots."""
MOST_REASONS = 3
"""Most reasons named in one sentence."""


class PendingPairs:
    """Pairs in the order of their numbers."""

    def __init__(self, machines: Machines) -> None:
        self._machines = machines
        self._heap: list[tuple[int, int, Pair]] = []
        """Entries by number; the counter behind it avoids comparing pairs of equal number."""
        self._counter = count()
        self._hostless: list[tuple[int, int, Pair]] = []
        """Entries of pairs that no machine hosts now."""
        self._hostless_since: dict[frozenset[int], float] = {}
        """Start of the wait, by the revisions of two bots that no machine hosts together."""

    def add(self, pair: Pair) -> None:
        """Add a pair."""
        heapq.heappush(self._heap, (pair.plan.number, next(self._counter), pair))

    @property
    def hostless(self) -> int:
        """Number of pairs that no machine hosts now."""
        return len(self._hostless)

    def take(self) -> Iterator[tuple[Pair, Machine]]:
        """Remove and yield the pairs that can be assigned now, each with its machine.

        The caller assigns each pair before it requests the next one.
        """
        skipped = []
        while self._heap and self._machines.has_capacity:
            entry = heapq.heappop(self._heap)
            pair = entry[2]
            if pair.is_done or not (
                pair.future.running() or pair.future.set_running_or_notify_cancel()
            ):
                continue
            machine = self._machines.most_idle(pair)
            if machine is not None:
                yield pair, machine
            elif self._machines.all_refuse(pair.revisions):
                self._hostless.append(entry)
            else:
                skipped.append(entry)
        for entry in skipped:
            heapq.heappush(self._heap, entry)

    def take_hostless(self, now: float) -> list[tuple[Pair, NoHost]]:
        """Remove and return the pairs that no machine could host for too long, with the reasons."""
        if not self._hostless and not self._machines.have_refusals:
            return []
        found = []
        waiting, self._heap, self._hostless = [*self._heap, *self._hostless], [], []
        for entry in waiting:
            pair = entry[2]
            if not self._machines.all_refuse(pair.revisions):
                self._hostless_since.pop(pair.revisions, None)
                self._heap.append(entry)
                continue
            since = self._hostless_since.setdefault(pair.revisions, now)
            if now >= since + HOSTLESS_S and not self._machines.joining:
                found.append((pair, no_host(pair, self._machines)))
            else:
                self._hostless.append(entry)
        heapq.heapify(self._heap)
        return found


def no_host(pair: Pair, machines: Machines) -> NoHost:
    """Return why no machine hosts both bots of a pair; most often none hosts one of them."""
    sides = {side.revision: side.name for side in (pair.plan.a, pair.plan.b)}
    reasons = {
        revision: [
            (each.name, each.prepared.refused[revision])
            for each in machines.hosting
            if each.prepared is not None and revision in each.prepared.refused
        ]
        for revision in sides
    }
    without = [each for each in sides if machines.all_refuse(frozenset((each,)))]
    words = "no machine can host it"
    if not without:  # some machines lack one of the bots, the others the other one
        without = [max(sides, key=lambda each: len(reasons[each]))]
        words = "no machine hosts it together with its opponent"
    return NoHost({sides[each]: f"{words}: {_join_reasons(reasons[each])}" for each in without})


def _join_reasons(reasons: Iterable[tuple[str, str]]) -> str:
    """Return the distinct reasons as text, each with the first machine that gave it."""
    first: dict[str, str] = {}
    for machine, reason in reasons:
        first.setdefault(reason, machine)
    return "; ".join(f"{machine}: {reason}" for reason, machine in [*first.items()][:MOST_REASONS])
