"""Own time: the part of an answer's time that the kernel's counters do not explain otherwise.

For each thread the kernel counts how long it was runnable but had no processor. A thread that
sleeps, blocks or hangs does not wait, so only a bot that wanted to run can be excused. The counters
are read again and again while an answer is awaited, and each interval between two readings
explains

    min(length - processor time of the bot,
        delay by the harness + longest wait of a thread of the bot)

The first limit is what the bot's own threads and children cannot claim: they cause each other's
waits, and on a shared processor also those of the harness. Intervals are short once an answer is
late, so waits of different threads that follow each other add up. The harness delays an answer by
its own wait since it last found none, and by any time for which it was stopped. The host of a
virtual machine takes time from any program, so stolen time is not limited.

Example: a bot has 100 ms and a margin of 50 ms, and answers after 785 ms, in which it computed for
125 ms and its thread waited for 658 ms. Its own time is 127 ms, so the answer is in time, and the
bot is charged 127 ms.
"""

from dataclasses import dataclass, field
from time import perf_counter_ns, thread_time_ns
from typing import NamedTuple

from ladder.match.process.counters import (
    NO_TIME,
    Counters,
    ThreadTimes,
    read_counters,
    stolen_in_tick_ns,
    stolen_ns,
)
from ladder.match.process.process_tree import ProcessTree

WAKE_NS = 2_000_000
"""How late a wait may end without a stop: the kernel rounds timeouts up to milliseconds."""


class Delay(NamedTuple):
    """How the time of an answer was spent."""

    elapsed_us: int
    explained_us: int
    """The part that the bot has not caused."""

    @property
    def own_us(self) -> int:
        """The bot's own time."""
        return self.elapsed_us - self.explained_us

    def __str__(self) -> str:
        """Describe how the time was spent."""
        rest = f", and waits for a processor explain {self.explained_us / 1000:.0f} ms"
        return f"its own time is {self.own_us / 1000:.0f} ms" + rest * (self.explained_us >= 1000)


@dataclass(eq=False)
class _Interval:
    """The time between two readings."""

    length_ns: int
    unused_ns: int
    """Its length without the processor time of the bot."""
    harness_ns: int
    waits_ns: dict[str, int] = field(default_factory=dict)
    """By thread, its wait in this interval."""
    open: int = 0
    """Number of threads whose wait in it is not known yet."""

    @property
    def explained_ns(self) -> int:
        """The part that the bot has not caused."""
        waited_ns = max(self.waits_ns.values(), default=0)
        return max(0, min(self.unused_ns, self.harness_ns + waited_ns))


class DelayRecord:
    """The delay of one answer, added up from reading to reading.

    A thread that runs and one that waits are in the same state, and the kernel counts a wait when
    it ends. So a runnable thread is taken to wait for all of an interval in which it is not known
    to run, and when the kernel counts the wait, that is corrected from the latest interval back.

    Example: a bot sleeps for 148 ms, waits for 12 ms and runs. After 150 ms its thread is runnable
    and has used nothing: it may have waited all the time, so it is not late yet. After 162 ms it
    has run for 2 ms, and its counted wait has grown by 12 ms. Its own time is 150 ms.
    """

    def __init__(self, before: Counters, elapsed_us: int = 0) -> None:
        """Begin with the reading at the question, or `elapsed_us` after it."""
        self._before = self._last = before
        self._elapsed_ns = 1000 * elapsed_us
        self._used_ns = self._settled_ns = 0
        self._intervals: list[_Interval] = []
        """The last ones, of which the first may still be corrected."""
        self._queued: dict[str, list[tuple[_Interval, int]]] = {}
        """By thread, the intervals of a wait that the kernel has not counted, each with the part
        that it has."""

    def add(
        self, now: Counters, elapsed_us: int, *, overslept_us: int, is_answered: bool = False
    ) -> Delay:
        """Add a reading, and return what is known about the delay so far.

        Args:
            now: the reading.
            elapsed_us: time since the question.
            overslept_us: how much later than intended the harness woke up in this interval. A wait
                for its processor is part of it.
            is_answered: whether the whole answer was found.

        """
        before, self._last = self._last, now
        if before.harness_wait_ns is None or now.harness_wait_ns is None:
            return Delay(elapsed_us, 0)
        harness_ns = now.harness_wait_ns - before.harness_wait_ns
        if not is_answered:
            harness_ns = max(0, 1000 * overslept_us - harness_ns)  # it was stopped
        elif overslept_us:
            harness_ns = 1000 * overslept_us
        # The time of a child that ends is missing until its parent has waited for it.
        used_ns = max(self._used_ns, now.cpu_ns - self._before.cpu_ns)
        length_ns = max(0, 1000 * elapsed_us - self._elapsed_ns)
        interval = _Interval(length_ns, length_ns - (used_ns - self._used_ns), harness_ns)
        self._elapsed_ns, self._used_ns = 1000 * elapsed_us, used_ns
        self._intervals.append(interval)
        for name in self._queued.keys() - now.threads.keys():
            # It has ended, and the kernel's count with it. It did not run in these intervals, but
            # may have slept in a part of the first one; in this one it waited until it ran.
            self._count_wait(name, sum(each.length_ns for each, _ in self._queued[name][1:]))
            interval.waits_ns[name] = length_ns
        for name, times in now.threads.items():
            self._add_thread(interval, name, before.threads.get(name, NO_TIME), times)
        while self._intervals and not self._intervals[0].open:
            self._settled_ns += self._intervals.pop(0).explained_ns
        explained_ns = self._settled_ns + sum(each.explained_ns for each in self._intervals)
        stolen_ns = now.stolen_ns - self._before.stolen_ns
        return Delay(elapsed_us, min(elapsed_us, max(stolen_ns, explained_ns) // 1000))

    def _add_thread(
        self, interval: _Interval, name: str, before: ThreadTimes, now: ThreadTimes
    ) -> None:
        """Add the waits of a thread in an interval."""
        counted_ns, ran_ns = now.wait_ns - before.wait_ns, now.cpu_ns - before.cpu_ns
        if counted_ns or ran_ns or not now.is_runnable:
            counted_ns = self._count_wait(name, counted_ns)
        interval.waits_ns[name] = counted_ns
        if now.is_runnable:
            interval.waits_ns[name] = max(counted_ns, interval.length_ns - ran_ns)
            interval.open += 1
            self._queued.setdefault(name, []).append((interval, counted_ns))

    def _count_wait(self, name: str, counted_ns: int) -> int:
        """Correct a thread's wait by what the kernel has counted of it; return what is left."""
        for interval, known_ns in reversed(self._queued.pop(name, ())):
            more_ns = min(counted_ns, interval.waits_ns[name] - known_ns)
            interval.waits_ns[name] = known_ns + more_ns
            interval.open -= 1
            counted_ns -= more_ns
        return counted_ns


class DelayWatch:
    """Measures what delays the answers of one bot, one question after the other."""

    _record: DelayRecord

    def __init__(self, tree: ProcessTree) -> None:
        """Measure nothing until `begin`."""
        self._tree = tree
        self.is_begun = False

    def begin(self, elapsed_us: int = 0) -> None:
        """Read the counters before a question, or `elapsed_us` after it."""
        self.is_begun = True
        self._record = DelayRecord(read_counters(self._tree, stolen_in_tick_ns()), elapsed_us)

    def measure(self, elapsed_us: int, overslept_us: int, *, is_answered: bool = False) -> Delay:
        """Read the counters again, and return the delay so far (see `DelayRecord.add`)."""
        began_ns, ran_ns = perf_counter_ns(), thread_time_ns()
        now = read_counters(self._tree, stolen_ns(), states=not is_answered)
        if not is_answered:  # the harness may have waited or been stopped while it read
            read_ns = perf_counter_ns() - began_ns
            elapsed_us += read_ns // 1000
            idle_ns = read_ns - (thread_time_ns() - ran_ns)
            if idle_ns > WAKE_NS:
                overslept_us += idle_ns // 1000
        return self._record.add(now, elapsed_us, overslept_us=overslept_us, is_answered=is_answered)
