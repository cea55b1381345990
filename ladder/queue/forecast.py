"""When waiting experiments will start and end: the queue played in advance by the service's rules.

It knows nothing of future submissions, and does not interrupt experiments for other authors.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from db.records.queue import EntryRow
from ladder.queue.shares import fair_parts, next_entry


@dataclass(frozen=True, slots=True)
class Forecast:
    """The expected start and end of an experiment, in seconds from now."""

    start_s: float
    """0 for an experiment in play."""
    end_s: float
    """Infinite if an experiment that shares the machines has no known end."""


def forecast(
    playing: Sequence[EntryRow],
    waiting: Sequence[EntryRow],
    work_s: Mapping[int, float],
    *,
    jobs: int,
    slots: float,
) -> dict[int, Forecast]:
    """Return the forecasts of experiments by id, without those whose start is unknown.

    Args:
        playing: the experiments in play.
        waiting: those that wait.
        work_s: the seconds of one slot that each still needs; infinite if unknown.
        jobs: most experiments at a time.
        slots: slots that are used at the same time; positive.

    """
    now, left, in_play, queue = 0.0, dict(work_s), [*playing], [*waiting]
    starts = dict.fromkeys((entry.id for entry in playing), 0.0)
    ends: dict[int, float] = {}
    while True:
        while len(in_play) < jobs and (entry := next_entry(queue, in_play)) is not None:
            queue.remove(entry)
            in_play.append(entry)
            starts[entry.id] = now
        speeds = {each: part * slots for each, part in fair_parts(in_play).items()}
        step = min((left[each] / speeds[each] for each in speeds), default=math.inf)
        if math.isinf(step):
            break
        now += step
        for entry in [*in_play]:
            left[entry.id] -= step * speeds[entry.id]
            if left[entry.id] <= 1e-6:
                in_play.remove(entry)
                ends[entry.id] = now
    return {each: Forecast(start, ends.get(each, math.inf)) for each, start in starts.items()}
