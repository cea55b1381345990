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
from collections.abc import Collection
from dataclasses import dataclass
from time import clock_gettime_ns, perf_counter_ns

from ladder.match.process.procfs import TICKS_S, descendants, stat_fields, threads_from

OFF_TURN_US, OFF_TURN_SHARE = 1000, 0.01
"""Off-turn use up to which a bot is not marked as pondering: 1 ms plus 1 % of the time off turn,
for what every bot does after an answer, such as freeing a search tree and reading the next line."""
SEARCH_NS = 100_000_000
"""Shortest time between two searches for further processes of a bot."""
CUTIME, CSTIME = 13, 14
"""Indices in the result of `stat_fields`; the index in proc(5) is larger by 3."""
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
        """Process id of its first process; 0 before `begin`."""
        self._mark_ns = 0
        """Processor time at the last change of turn."""
        self._searched_ns = self._turn_ended_ns = 0
        """Times of the last search for further processes and of the end of the last turn."""
        self._stopped = False

    def begin(self, bot: int) -> None:
        """Start to measure at the beginning of a game.

        Args:
            bot: process id of the bot's first process.

        """
        self._bot = bot
        self._lap_us()
        self.turn_us = self.off_turn_us = 0
        self._start_off_turn()

    def begin_turn(self) -> None:
        """Begin the bot's turn, just before it is asked for a move; note whether it pondered."""
        if not self._bot:
            return
        self.off_turn_us = self._lap_us()
        if self.off_turn_us > OFF_TURN_US and self._foreign:
            length_us = (perf_counter_ns() - self._turn_ended_ns) // 1000
            self.history.ponders |= self.off_turn_us > OFF_TURN_US + OFF_TURN_SHARE * length_us
        self.resume()

    def end_turn(self) -> None:
        """End the bot's turn after its answer."""
        if self._bot:
            self.turn_us = self._lap_us()
            self._start_off_turn()

    def _start_off_turn(self) -> None:
        """Begin the time off turn: stop a bot that ponders, and look for further processes."""
        if not self._foreign:
            return
        if self.history.ponders:
            self.stop()
            self._lap_us()
        self._turn_ended_ns = now_ns = perf_counter_ns()
        if not self._all and now_ns - self._searched_ns > SEARCH_NS:
            self._searched_ns = now_ns
            if self.pids() != [self._bot] or _reaped_ns(self._bot):
                self._all = self.history.has_children = True
                self._lap_us()

    def _lap_us(self) -> int:
        """Return the processor time since the last call, in microseconds."""
        used_ns = self.used_by_ns(self.pids()) if self._all else _used_ns(self._bot)
        lap_us = max(0, used_ns - self._mark_ns) // 1000
        self._mark_ns = used_ns
        return lap_us

    def pids(self) -> list[int]:
        """Return the process ids of the bot's processes."""
        return descendants(self._supervisor)

    def threads(self) -> dict[int, list[str]]:
        """Return the folders in /proc of the threads of each of the bot's processes."""
        found = threads_from(self._supervisor)
        del found[self._supervisor]
        return found

    def used_by_ns(self, pids: Collection[int]) -> int:
        """Return the processor time of processes and of the children that have ended before.

        Precise for living processes; in ticks of 10 ms for ended ones. An ended process counts only
        if its parent waited for it.
        """
        return sum(map(_used_ns, pids)) + sum(map(_reaped_ns, [self._supervisor, *pids]))

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


def _used_ns(pid: int) -> int:
    """Return the processor time of a process; 0 if it has ended.

    The id of its clock is the complement of the process id, and 2 ("scheduled time of a process")
    in the last three bits (clock_getcpuclockid(3)): process 5 has clock -46.
    """
    try:
        return clock_gettime_ns((~pid << 3) | 2)
    except OSError:
        return 0


def _reaped_ns(pid: int) -> int:
    """Return the processor time of a process's reaped children, in steps of 10 ms."""
    try:
        ticks = sum(map(int, stat_fields(f"/proc/{pid}")[CUTIME : CSTIME + 1]))
    except OSError:
        return 0
    return ticks * 1_000_000_000 // TICKS_S


def _send(pid: int, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.kill(pid, number)
