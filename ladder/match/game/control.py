"""A control for late moves: how much of the processor one busy process gets here and now.

The referee computes for a moment in the place of a bot that was late and has been ended with all
its processes. What keeps the referee from running then is not of the bot's making, also where the
processes that do it cannot be seen one by one.
"""

from time import perf_counter_ns
from typing import NamedTuple

GAP_US = 200
"""A longer step of the loop means that the processor was taken away."""


class Control(NamedTuple):
    """The result of a control."""

    elapsed_us: int
    waited_us: int
    """Of that, without a processor."""
    longest_us: int
    """The longest time without one."""

    def contended_us(self, elapsed_us: int) -> int:
        """Return how long others would have used the processor in so many microseconds."""
        return elapsed_us * self.waited_us // max(1, self.elapsed_us)


def run_control(seconds: float) -> Control:
    """Compute for so long and note when the processor was taken away."""
    began = last = perf_counter_ns()
    end = began + int(seconds * 1e9)
    gap_ns = GAP_US * 1000
    waited = longest = 0
    while last < end:
        now = perf_counter_ns()
        step = now - last
        if step > gap_ns:
            waited += step
            longest = max(longest, step)
        last = now
    return Control((last - began) // 1000, waited // 1000, longest // 1000)
