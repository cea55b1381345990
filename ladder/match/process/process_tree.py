"""All processes of one bot: measure their processor time on and off its turn, stop and resume them.

A bot is on its turn from a question to its answer. Off its turn it may use next to no processor
time, for its opponent thinks then on the same CPU. The processes of a bot that computes all the
same (it "ponders") are stopped (SIGSTOP) after each answer and resumed with the next question.

The bot's supervisor is a child subreaper, so a process that forks twice or leaves its session still
descends from it. Nearly all bots are a single process: measuring them takes two readings of one
clock per question, half a microsecond each, and a search for further processes from time to time.
"""

from __future__ import annotations

import contextlib
import os
import signal
import time
from dataclasses import dataclass
from time import clock_gettime_ns

from ladder.match.process.procfs import cpu_clock_id, descendants, reaped_ns

OFF_TURN_US, OFF_TURN_SHARE = 1000, 0.01
"""Off-turn use up to which a bot is not marked as pondering: 1 ms plus 1 % of the time off turn,
for what every bot does after an answer, such as freeing a search tree and reading the next line."""
SEARCH_NS = 100_000_000
"""Shortest time between two searches for further processes of a bot."""
ROUNDS = 100
"""Maximum number of searches for processes that are still running; a bot that forks in each of
them escapes."""


@dataclass
class BotHistory:
    """Observations of a bot's processes, passed on to the processes started after them."""

    ponders: bool = False
    """Whether it used the processor off its turn; its processes are then stopped off its turn."""
    has_children: bool = False
    """Whether it had more than one process; the time of all of them is then counted."""


class ProcessTree:
    """The processes below one supervisor.

    Attributes:
        history: observations, shared with other processes of the same bot.
        turn_us: processor time of the last turn, in microseconds; 0 before `begin`.
        off_turn_us: processor time between the last turn and the one before it, in microseconds; 0
            before `begin`.

    """

    __slots__ = (
        "_all",
        "_bot",
        "_clock",
        "_foreign",
        "_mark_ns",
        "_searched_ns",
        "_stopped",
        "_supervisor",
        "_turn_ended_ns",
        "history",
        "off_turn_us",
        "turn_us",
    )

    def __init__(self, supervisor: int, history: BotHistory, *, foreign: bool) -> None:
        """Create the tree of a supervisor; `begin` starts the measurement.

        Args:
            supervisor: process id of the bot's supervisor.
            history: the bot's history, which is updated.
            foreign: False for a player of this installation, which has no children and is never
                stopped.

        """
        self.history = history
        self.turn_us = self.off_turn_us = 0
        self._supervisor = supervisor
        self._foreign = foreign
        self._all = history.has_children
        """Whether all processes are counted, not only the first one."""
        self._bot = 0
        """Process id of its first process."""
        self._clock: int | None = None
        """The CPU clock of the bot's first process; None before `begin`."""
        self._mark_ns = 0
        """Processor time at the last change of turn."""
        self._searched_ns = 0
        """The last search for further processes (`time.perf_counter_ns`)."""
        self._turn_ended_ns = 0
        """The end of the last turn (`time.perf_counter_ns`)."""
        self._stopped = False

    def begin(self, bot: int) -> None:
        """Start to measure at the beginning of a game.

        Args:
            bot: process id of the bot's first process.

        """
        self._clock = cpu_clock_id(bot)
        self._bot = bot
        self._search_if_due(time.perf_counter_ns())
        self.turn_us = self.off_turn_us = 0
        self._mark_ns = self.used_ns()
        self._start_off_turn()

    def _search_if_due(self, now_ns: int) -> None:
        """Count all processes from now on if a foreign bot has or had more than one."""
        if self._all or not self._foreign or now_ns - self._searched_ns < SEARCH_NS:
            return
        self._searched_ns = now_ns
        if self.pids() != [self._bot] or reaped_ns([self._bot]):
            self._all = self.history.has_children = True
            self._mark_ns = self.used_ns()

    def begin_turn(self) -> None:
        """Begin the bot's turn, just before it is asked for a move; note whether it pondered."""
        if self._clock is None:
            return
        self.off_turn_us = max(0, self.used_ns() - self._mark_ns) // 1000
        self._mark_ns += self.off_turn_us * 1000
        if self.off_turn_us > OFF_TURN_US and self._foreign:
            length_us = (time.perf_counter_ns() - self._turn_ended_ns) // 1000
            if self.off_turn_us > OFF_TURN_US + OFF_TURN_SHARE * length_us:
                self.history.ponders = True
        if self._stopped:
            self.resume()

    def end_turn(self) -> None:
        """End the bot's turn after its answer."""
        if self._clock is None:
            return
        used_ns = self.used_ns()
        self.turn_us = max(0, used_ns - self._mark_ns) // 1000
        self._mark_ns = used_ns
        if self._foreign:
            self._start_off_turn()
            self._search_if_due(self._turn_ended_ns)

    def _start_off_turn(self) -> None:
        """Begin the time off turn, and stop a bot that ponders."""
        if self.history.ponders and self._foreign:
            self.stop()
            self._mark_ns = self.used_ns()
        self._turn_ended_ns = time.perf_counter_ns()

    def used_ns(self) -> int:
        """Return the processor time so far, in nanoseconds.

        Precise for living processes; in ticks of 10 ms for ended ones. Without a control group an
        ended process counts only if its parent waited for it.
        """
        if self._all:
            return self.used_by_ns(self.pids())
        return 0 if self._clock is None else _used_ns(self._clock)

    def pids(self) -> list[int]:
        """Return the process ids of the bot's processes."""
        return descendants(self._supervisor)

    def used_by_ns(self, pids: list[int]) -> int:
        """Return the processor time of processes and of the children that have ended before."""
        living_ns = sum(_used_ns(cpu_clock_id(pid)) for pid in pids)
        return living_ns + reaped_ns([self._supervisor, *pids])

    def stop(self) -> None:
        """Stop all processes until `resume`, unless the bot is a player of this installation."""
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
        """Let all processes run again."""
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
