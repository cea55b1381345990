"""The CPU accounting of a bot's questions: who computed, and who was kept from it."""

from __future__ import annotations

from ladder.match.process.cpu_wait import Snapshot, Stall, add_outside_use, measure_stall, snapshot
from ladder.match.process.outside import OutsideClocks
from ladder.match.process.process_tree import BotHistory, ProcessTree
from ladder.match.process.supervisor_client import SupervisorClient

KEPT_SHARE = 0.8
"""Share of the harness's lateness that must be explained by what no bot can cause."""


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
        """Prepare for a question.

        Args:
            is_move: whether the bot's turn begins.
            watch: whether to record what `miss` compares with, which costs some 50 us.

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

    def miss(self, late_s: float) -> None:
        """Record in `stall` what happened since a watched question; the bot must still live."""
        if self._snapshot is not None:
            self.stall = measure_stall(self._supervisor, self._snapshot, int(late_s * 1e6))

    def add_outside(self) -> None:
        """Add the use of other programs to `stall`; takes milliseconds, and the bot may be dead."""
        if self.stall is not None and self._snapshot is not None:
            self.stall = add_outside_use(self.stall, self._supervisor, self._snapshot)

    def turn_s(self, *, ended: bool) -> float:
        """Return the processor time of the present turn, or of the last if it has `ended`."""
        return (self.tree.turn_us if ended else self.tree.turn_so_far_us()) / 1e6

    def excuses_harness(self, late_s: float) -> bool:
        """Return whether the harness polled late through no fault of the bot, if that is known."""
        stall = self.stall
        if stall is None:
            return True
        kept_us = stall.stopped_us + max(stall.stolen_us, min(stall.harness_us, stall.outside_us))
        return kept_us >= KEPT_SHARE * late_s * 1e6
