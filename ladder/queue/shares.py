"""Fairness: which experiment starts next, and how many slots each of those in play gets.

An author's weight is that of the heaviest of their experiments in play, so that ten gates of one
author get no more than one gate of another. Each step of priority doubles a weight.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from db.records.queue import EntryRow

MOST_STEPS = 10
"""Steps of priority above or below 0 that count."""


def weight(entry: EntryRow) -> float:
    """Return the weight of an experiment by its priority."""
    return 2.0 ** max(-MOST_STEPS, min(MOST_STEPS, entry.priority))


def fair_parts(playing: Iterable[EntryRow]) -> dict[int, float]:
    """Return the part of all slots that each experiment in play should have, by id."""
    by_author: dict[str, list[EntryRow]] = defaultdict(list)
    for entry in playing:
        by_author[entry.author].append(entry)
    total = sum(max(map(weight, entries)) for entries in by_author.values())
    return {
        entry.id: max(map(weight, entries)) / total * weight(entry) / sum(map(weight, entries))
        for entries in by_author.values()
        for entry in entries
    }


def shares(playing: Sequence[EntryRow], slots: int) -> dict[int, int]:
    """Return the slots of each experiment in play, by id.

    Each gets one slot at least; if there are fewer slots than experiments, the first ones by
    priority and id.
    """
    parts = fair_parts(playing)
    first = sorted(playing, key=lambda entry: (-entry.priority, entry.id))
    given = {entry.id: int(place < slots) for place, entry in enumerate(first)}
    missing = {each: parts[each] * slots - given[each] for each in given}
    of_author: dict[str, float] = defaultdict(float)
    for entry in playing:
        of_author[entry.author] += missing[entry.id]
    for _ in range(slots - len(playing) if playing else 0):
        neediest = max(
            first, key=lambda entry: (of_author[entry.author], missing[entry.id], -entry.id)
        )
        given[neediest.id] += 1
        missing[neediest.id] -= 1
        of_author[neediest.author] -= 1
    return given


def next_entry(waiting: Iterable[EntryRow], playing: Iterable[EntryRow]) -> EntryRow | None:
    """Return the experiment that should start next, or None if none waits.

    It is one of the author whose experiments in play weigh least in proportion to it; among these,
    the first by priority, place and id.
    """
    load: dict[str, float] = defaultdict(float)
    for entry in playing:
        load[entry.author] += weight(entry)
    return min(
        waiting, key=lambda entry: (load[entry.author] / weight(entry), entry.order), default=None
    )


def entry_to_stop(
    waiting: Iterable[EntryRow], playing: Iterable[EntryRow], own: Iterable[EntryRow]
) -> EntryRow | None:
    """Return the experiment that should make room for an author who plays none, or None.

    It is the last one of an author who plays several, the author of the most first. It waits again
    and is resumed later.

    Args:
        waiting: the experiments that wait.
        playing: all experiments in play.
        own: those in play that can be stopped.

    """
    numbers: dict[str, int] = defaultdict(int)
    for entry in playing:
        numbers[entry.author] += 1
    if all(numbers[entry.author] for entry in waiting):
        return None
    several = [entry for entry in own if numbers[entry.author] > 1]
    return max(several, key=lambda entry: (numbers[entry.author], entry.order), default=None)


def divide_machines(
    given: Mapping[int, int], machines: Mapping[str, int], turn: int
) -> dict[int, dict[str, int]]:
    """Return the slots of each machine that each experiment gets, by id.

    Each experiment gets slots of as many machines as possible. As a bot may not run on all
    machines, `turn` moves the experiments on.

    Args:
        given: the slots of each experiment; together no more than those of the machines.
        machines: the slots of each machine.
        turn: a number that grows by one from time to time.

    """
    slots = [address for address in sorted(machines) for _ in range(machines[address])]
    divided: dict[int, dict[str, int]] = {each: defaultdict(int) for each in given}
    if not slots:
        return divided
    shift = turn % len(slots)
    left = dict(given)
    for place, address in enumerate([*slots[shift:], *slots[:shift]], start=1):
        # The experiment that is furthest behind an even spread of its slots over all places.
        due = {each: given[each] * place / len(slots) - given[each] + left[each] for each in left}
        each = max(due, key=lambda one: (left[one] > 0, due[one], -one), default=None)
        if each is not None and left[each]:
            divided[each][address] += 1
            left[each] -= 1
    return divided
