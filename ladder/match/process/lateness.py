"""Late moves: the part of a delay that the kernel's counters explain without the bot.

For each thread the kernel counts how long it was runnable but had no processor. A thread that
sleeps, blocks or hangs does not wait, so only a bot that wanted to run can be excused:

    explained = max(stolen, min(stopped + unread + longest wait of a thread of the bot,
                                elapsed - processor time of the bot))

*Stopped* is the time for which the harness overslept and did not wait for a processor: it or the
whole machine was stopped. *Unread* is its wait for a processor since it last looked and found no
answer; earlier waits delayed nothing. The second limit is what the bot's own threads and children
cannot claim: they cause each other's waits, and on a shared processor also those of the harness.
The host of a virtual machine takes time from any program, so stolen time is not limited.

Example: a bot has 100 ms and a margin of 50 ms, and its answer comes after 170 ms. It may be late
by 5 ms through its own fault (`OWN_SHARE` of the margin), for busy neighbours fill the caches as
well. So it is excused if 65 ms are explained.
"""

from collections.abc import Mapping
from typing import NamedTuple

OWN_SHARE = 0.1
"""Share of the margin that an excused bot may use itself."""


class Counters(NamedTuple):
    """The kernel's counters at one moment, in nanoseconds."""

    cpu_ns: int
    """Processor time of all of the bot's processes, ended children included."""
    waits_ns: Mapping[str, int]
    """How long each thread of the bot has waited for a processor so far."""
    harness_wait_ns: int | None
    """The same of the harness's thread; None if this kernel does not count waits."""
    stolen_ns: int
    """Time that the host of this virtual machine has taken from the harness's processors."""


class Delay(NamedTuple):
    """What the counters show about a move since its question."""

    elapsed_us: int
    used_us: int
    """Processor time of the bot."""
    bot_wait_us: int
    """Longest wait of one of its threads for a processor."""
    harness_us: int
    """Delay by the harness: the time for which it was stopped, or left an answer unread."""
    stolen_us: int

    @property
    def explained_us(self) -> int:
        """The part of the elapsed time that the bot has not caused."""
        unused_us = max(0, self.elapsed_us - self.used_us)
        return max(self.stolen_us, min(unused_us, self.harness_us + self.bot_wait_us))

    def is_excused(self, budget_us: int, margin_us: int) -> bool:
        """Return whether the bot needed hardly more than its budget itself."""
        return self.elapsed_us - self.explained_us <= budget_us + OWN_SHARE * margin_us

    def __str__(self) -> str:
        """Describe how the time of the move was spent."""
        return (
            f"of {self.elapsed_us / 1000:.0f} ms it computed for {self.used_us / 1000:.0f}, and "
            f"{self.explained_us / 1000:.0f} are explained by waiting for a processor"
        )


def measure_delay(
    before: Counters,
    now: Counters,
    *,
    elapsed_us: int,
    overslept_us: int,
    unseen_us: int,
    queued_us: int,
) -> Delay:
    """Return what happened to a move between two readings of the counters.

    Args:
        before: the reading before the question.
        now: a later reading, before the bot is killed.
        elapsed_us: time since the question.
        overslept_us: how much later the harness woke up than it meant to. A wait for its processor
            is part of it.
        unseen_us: time since the harness last found that there was no answer.
        queued_us: how long a thread of the bot may by now have waited for a processor in a wait
            that goes on, which the kernel has not counted.

    """
    if before.harness_wait_ns is None or now.harness_wait_ns is None:
        return Delay(elapsed_us, max(0, now.cpu_ns - before.cpu_ns) // 1000, 0, 0, 0)
    waits = (wait - before.waits_ns.get(thread, 0) for thread, wait in now.waits_ns.items())
    harness_wait_us = (now.harness_wait_ns - before.harness_wait_ns) // 1000
    return Delay(
        elapsed_us,
        used_us=max(0, now.cpu_ns - before.cpu_ns) // 1000,
        bot_wait_us=max(waits, default=0) // 1000 + queued_us,
        harness_us=max(0, overslept_us - harness_wait_us) + min(harness_wait_us, unseen_us),
        stolen_us=(now.stolen_ns - before.stolen_ns) // 1000,
    )
