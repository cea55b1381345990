"""A control measurement for late moves: the share of the processor that one busy process gets.

After a bot was late and all its processes have ended, the referee computes for a moment on the same
processor. Whatever keeps the referee from running then cannot be caused by the bot, even if the
processes that do it are invisible (in another PID namespace, for example).
"""

from time import perf_counter_ns
from typing import NamedTuple

GAP_US = 200
"""A longer iteration of the loop means that another process ran meanwhile."""


class ControlMeasurement(NamedTuple):
    """The result of a control measurement."""

    elapsed_us: int
    """Its duration."""
    waited_us: int
    """The part in which the referee did not run."""

    def contended_us(self, elapsed_us: int) -> int:
        """Return how long other processes use the processor in `elapsed_us` at this rate."""
        return elapsed_us * self.waited_us // max(1, self.elapsed_us)


def measure_control(seconds: float) -> ControlMeasurement:
    """Compute for a number of seconds and measure the interruptions."""
    began = last = perf_counter_ns()
    end = began + int(seconds * 1e9)
    gap_ns = GAP_US * 1000
    waited = 0
    while last < end:
        now = perf_counter_ns()
        step = now - last
        if step > gap_ns:
            waited += step
        last = now
    return ControlMeasurement((last - began) // 1000, waited // 1000)
