"""The pairs of a run that no machine has, and the machine that each of them goes to."""

import heapq
from collections.abc import Iterable, Iterator
from itertools import count

from ladder.runs.cluster.coordinator.machines import Machine, Machines, Pair
from ladder.runs.executor import NoHost

HOSTLESS_S = 20.0
"""How long a pair waits for a machine that hosts both of its bots."""
MOST_REASONS = 3
"""Reasons named in a sentence, at most."""


class PendingPairs:
    """Pairs in the order of their numbers."""

    def __init__(self, machines: Machines) -> None:
        self._machines = machines
        self._heap: list[tuple[int, int, Pair]] = []
        """By number; the second number only keeps pairs from being compared."""
        self._counter = count()
        self._hostless: list[tuple[int, int, Pair]] = []
        """Pairs that no machine hosts, apart from those that some machine will play."""
        self._hostless_since: dict[frozenset[int], float] = {}
        """By the revisions of two bots that no machine hosts together."""

    def add(self, pair: Pair) -> None:
        """Have it wait, perhaps again."""
        heapq.heappush(self._heap, (pair.plan.number, next(self._counter), pair))

    @property
    def hostless(self) -> int:
        """Number of pairs that no machine hosts now."""
        return len(self._hostless)

    def take(self) -> Iterator[tuple[Pair, Machine]]:
        """Take out the pairs that can be given away now, each with its machine.

        The machine must have been given the pair before the next one is asked for.
        """
        kept = []
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
            elif self._machines.refuse(pair.revisions):
                self._hostless.append(entry)
            else:
                kept.append(entry)
        for entry in kept:
            heapq.heappush(self._heap, entry)

    def take_hostless(self, now: float) -> list[tuple[Pair, NoHost]]:
        """Take out the pairs that no machine has been able to host for too long, and say why."""
        found = []
        waiting, self._heap, self._hostless = [*self._heap, *self._hostless], [], []
        for entry in waiting:
            pair = entry[2]
            if not self._machines.refuse(pair.revisions):
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
    """Return why no machine hosts both bots of a pair: mostly, none hosts one of them."""
    sides = {side.revision: side.name for side in (pair.plan.a, pair.plan.b)}
    reasons = {
        revision: [
            (each.name, each.prepared.refused[revision])
            for each in machines.hosting
            if each.prepared is not None and revision in each.prepared.refused
        ]
        for revision in sides
    }
    without = [each for each in sides if machines.refuse(frozenset((each,)))]
    words = "no machine can host it"
    if not without:  # each machine lacks another one of the two
        without = [max(sides, key=lambda each: len(reasons[each]))]
        words = "no machine hosts it together with its opponent"
    return NoHost({sides[each]: f"{words}: {_in_words(reasons[each])}" for each in without})


def _in_words(reasons: Iterable[tuple[str, str]]) -> str:
    """Return reasons in words, each with the first machine that gives it."""
    first: dict[str, str] = {}
    for machine, reason in reasons:
        first.setdefault(reason, machine)
    return "; ".join(f"{machine}: {reason}" for reason, machine in [*first.items()][:MOST_REASONS])
