"""All processes of one bot: the processor time they use, on its turn and off it, and a stop.

A bot is on its turn from a question to the answer. Off it, it may use next to no processor time:
its opponent thinks then, on the same CPU. A bot that does so all the same is stopped (SIGSTOP)
whenever it has answered, and goes on with its next question.

The bot's supervisor is a child subreaper, so whatever forks twice or leaves its session is still
below it. A bot that is a single process, as nearly all are, costs two readings of one clock a
question, half a microsecond each, and no look at /proc; the supervisor tells when there are more.
Their control group, if they have one, counts also those that ended and were waited for by none.
"""

from __future__ import annotations

import contextlib
import os
import signal
import time
from dataclasses import dataclass
from time import clock_gettime_ns

from ladder.match.process.cgroups import cpu_us
from ladder.match.process.procfs import cpu_clock, descendants, waited_ns

OFF_TURN_US, OFF_TURN_SHARE = 1000, 0.01
"""Processor time of a rest that needs no explanation, in microseconds and as a share of the rest's
length: the way back to reading, a tree that is freed."""
ROUNDS = 100
"""Looks for processes that are not stopped yet; a family that grows in all of them is not held."""


@dataclass
class BotHistory:
    """Observations of a bot's processes, for those that are started after them."""

    ponders: bool = False
    """Whether it has used the processor off its turn: its processes are then stopped there."""
    has_children: bool = False
    """Whether it has had more than one process: all of them are then counted."""


class ProcessTree:
    """The processes below one supervisor.

    Attributes:
        history: what was seen of them, shared with other processes of the same bot.
        turn_us: processor time of the last turn, in microseconds; 0 before `begin`.
        off_turn_us: processor time between the last turn and the one before it; 0 before `begin`.

    """

    __slots__ = (
        "_all",
        "_clock",
        "_foreign",
        "_group",
        "_mark_ns",
        "_stopped",
        "_supervisor",
        "_turn_ended_ns",
        "history",
        "off_turn_us",
        "turn_us",
    )

    def __init__(
        self, supervisor: int, history: BotHistory, *, foreign: bool, group: str = ""
    ) -> None:
        """Nothing is measured before `begin`.

        Args:
            supervisor: process id of the bot's supervisor.
            history: of the bot; what is seen here is added.
            foreign: False for a player of this installation, which has no children and is never
                stopped.
            group: the folder of their control group; empty, or not there, if they have none.

        """
        self.history = history
        self._group = group
        self.turn_us = self.off_turn_us = 0
        self._supervisor = supervisor
        self._foreign = foreign
        self._all = history.has_children
        """Whether all processes are counted, and not the bot's first alone."""
        self._clock: int | None = None
        """The CPU clock of the bot's first process; None before `begin`."""
        self._mark_ns = 0
        """Processor time at the end of the last turn, or at the beginning of this one."""
        self._turn_ended_ns = 0
        """When the rest began (`time.perf_counter_ns`)."""
        self._stopped = False

    def begin(self, bot: int) -> None:
        """A game begins: measure from now on.

        Args:
            bot: process id of the bot's first process.

        """
        self._clock = cpu_clock(bot)
        if self._foreign and not self._all and descendants(self._supervisor, 1) != [bot]:
            self.count_all()
        self.turn_us = self.off_turn_us = 0
        self._mark_ns = self.used_ns()
        self._rest()

    def count_all(self) -> None:
        """There is, or was, more than one process."""
        if not self._all:
            self._all = self.history.has_children = True
            self._mark_ns = self.used_ns()

    @property
    def counts_all(self) -> bool:
        """Whether all processes are counted, and not the bot's first alone."""
        return self._all

    def measure_off_turn(self) -> int:
        """Processor time since the end of the last turn, in microseconds; more than a rest needs is
        remembered in `history`."""
        return 0 if self._clock is None else self._off_turn_until(self.used_ns())

    def _off_turn_until(self, used_ns: int) -> int:
        """Return the processor time off turn up to a reading of the clock, in microseconds."""
        off_turn_us = (used_ns - self._mark_ns) // 1000
        if off_turn_us < 0:
            return 0
        if off_turn_us > OFF_TURN_US and self._foreign:
            length_us = (time.perf_counter_ns() - self._turn_ended_ns) // 1000
            if off_turn_us > OFF_TURN_US + OFF_TURN_SHARE * length_us:
                self.history.ponders = True
        return off_turn_us

    def begin_turn(self) -> None:
        """The bot is about to be asked for a move."""
        clock = self._clock
        if clock is None:
            return
        try:
            used_ns = self._used_by_all_ns() if self._all else clock_gettime_ns(clock)
        except OSError:  # the process has ended
            used_ns = 0
        if used_ns - self._mark_ns < 1000:
            self.off_turn_us = 0
        else:
            self.off_turn_us = off_turn_us = self._off_turn_until(used_ns)
            self._mark_ns += off_turn_us * 1000
        if self._stopped:
            self.resume()

    def end_turn(self) -> None:
        """The bot has answered."""
        clock = self._clock
        if clock is None:
            return
        try:
            used_ns = self._used_by_all_ns() if self._all else clock_gettime_ns(clock)
        except OSError:  # the process has ended
            used_ns = 0
        turn_us = (used_ns - self._mark_ns) // 1000
        self.turn_us = turn_us if turn_us > 0 else 0
        self._mark_ns = used_ns
        if self._foreign:
            self._rest()

    def _rest(self) -> None:
        """Begin the rest: it is another's turn from now on."""
        if self.history.ponders and self._foreign:
            self.stop()
            self._mark_ns = self.used_ns()
        self._turn_ended_ns = time.perf_counter_ns()

    def turn_so_far_us(self) -> int:
        """Processor time since the beginning of the turn, in microseconds.

        That of processes which nobody has noticed yet counts from their start.
        """
        return 0 if self._clock is None else max(0, self._used_by_all_ns() - self._mark_ns) // 1000

    def used_ns(self) -> int:
        """Processor time so far, of ended processes only where somebody waited for them.

        The clocks of living processes are precise; what ended ones have used is told in ticks of
        10 ms.
        """
        if self._all:
            return self._used_by_all_ns()
        if self._clock is None:
            return 0
        try:
            return clock_gettime_ns(self._clock)
        except OSError:  # the process has ended
            return 0

    def _used_by_all_ns(self) -> int:
        if self._group and (used_us := cpu_us(self._group)):
            return used_us * 1000
        pids = descendants(self._supervisor)
        return sum(map(_used_ns, map(cpu_clock, pids))) + waited_ns([self._supervisor, *pids])

    def stop(self) -> None:
        """Let no process run until `resume`, unless it is a player of this installation."""
        if not self._foreign or self._stopped:
            return
        self._stopped = True
        seen: set[int] = set()
        for _ in range(ROUNDS):
            new = set(descendants(self._supervisor)) - seen
            if not new:
                return
            for pid in new:
                _send(pid, signal.SIGSTOP)
            seen |= new

    def resume(self) -> None:
        """Let them run again."""
        if not self._stopped:
            return
        self._stopped = False
        for pid in descendants(self._supervisor):
            _send(pid, signal.SIGCONT)


def _used_ns(clock: int) -> int:
    try:
        return clock_gettime_ns(clock)
    except OSError:  # the process has ended
        return 0


def _send(pid: int, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.kill(pid, number)
