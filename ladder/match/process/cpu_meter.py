"""CPU accounting of a bot's questions: which processes computed, and which had to wait."""

from __future__ import annotations

from ladder.match.process.cpu_wait import Snapshot, Stall, add_outside_use, measure_stall, snapshot
from ladder.match.process.outside import OutsideClocks
from ladder.match.process.process_tree import BotHistory, ProcessTree
from ladder.match.process.supervisor_client import SupervisorClient

EXPLAINED_SHARE = 0.8
"""Share of the harness's delay that must have causes outside of the bot."""


class CpuMeter:
    """The clocks of one bot's processes and of what surrounds them.

    Attributes:
        tree: the processor time of the bot's processes.
        stall: the evidence of a missed deadline that was watched, or None.

    """

    def __init__(self, client: SupervisorClient, history: BotHistory, *, foreign: bool) -> None:
        self.tree = ProcessTree(client.popen.pid, history, foreign=foreign, group=client.group)
        self.stall: Stall | None = None
        self._supervisor = client.popen.pid
        self._snapshot: Snapshot | None = None
        self._outside = OutsideClocks()

    def begin(self, *, is_move: bool, watch: bool) -> None:
        """Begin to measure a question.

        Args:
            is_move: whether the question begins the bot's turn.
            watch: whether `record_missed_deadline` can measure a stall; costs some 50 us here.

        """
        if is_move:
            self.tree.begin_turn()
        else:
            self.tree.resume()
        self._snapshot = (
            snapshot(self._supervisor, ended=self.tree.counts_all, outside=self._outside.read())
            if watch
            else None
        )

    def record_missed_deadline(self, late_s: float) -> None:
        """Measure `stall` since a watched question; the bot must still be alive.

        Args:
            late_s: how long after the deadline this is called.

        """
        if self._snapshot is not None:
            self.stall = measure_stall(self._supervisor, self._snapshot, int(late_s * 1e6))

    def add_outside(self) -> None:
        """Add the CPU time of other programs to `stall`; takes milliseconds, also works later."""
        if self.stall is not None and self._snapshot is not None:
            self.stall = add_outside_use(self.stall, self._supervisor, self._snapshot)

    def turn_s(self, *, ended: bool) -> float:
        """Return the processor time of the current turn, or of the last one if it has `ended`."""
        return (self.tree.turn_us if ended else self.tree.turn_so_far_us()) / 1e6

    def excuses_harness(self, late_s: float) -> bool:
        """Return whether causes outside of the bot explain a late poll; True if not measured."""
        stall = self.stall
        if stall is None:
            return True
        delay_us = stall.stopped_us + max(
            stall.stolen_us, min(stall.harness_wait_us, stall.outside_us)
        )
        return delay_us >= EXPLAINED_SHARE * late_s * 1e6
