"""Interfaces for playing pairs, on this machine or on those of a cluster.

The runner submits pairs to a `PairExecutor`, which resembles those of `concurrent.futures`: the
result of a pair's future is its record, set while the runner calls `wait`. A `Workforce` creates
one executor per run.
"""

from collections.abc import Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import NamedTuple, Protocol

from db.records.pairs import PairPlan, PairRecord
from db.records.runs import RunRow
from db.store import Store
from ladder.runs.lineup import Lineup


class MachineEvent(NamedTuple):
    """A change among the machines of a run, as a sentence for the user."""

    sentence: str
    is_warning: bool = False


class PairExecutor(Protocol):
    """Plays the pairs of one run, some of them at the same time. Not shared between threads."""

    @property
    def slots(self) -> int:
        """Pairs that are played at the same time; changes as machines join and leave."""

    @property
    def capacity(self) -> int:
        """Most pairs that may be submitted and not done: those in play, and enough queued ones
        that no slot idles."""

    def submit(self, plan: PairPlan) -> "Future[PairRecord]":
        """Queue a pair; its future ends with a record or `WorkerDied`.

        The future may be cancelled.
        """

    def wait(self, timeout_s: float) -> None:
        """Collect records; return after the first ones or after the timeout."""

    def events(self) -> Sequence[MachineEvent]:
        """Return the events since the last call, such as machines that left."""

    def close(self) -> None:
        """Shut down; called only when no pair is in play."""

    def kill(self) -> None:
        """Shut down at once and cancel the pairs in play."""


class Workforce(Protocol):
    """The machine or machines on which a command has pairs played."""

    def prepare(self, lineup: Lineup) -> None:
        """Prepare the bots before there is a run, such as by compiling kernels.

        Raises:
            LadderError: a bot cannot be prepared.

        """

    def start(
        self,
        store: Store,
        run: RunRow,
        lineup: Lineup,
        logs: Path,
    ) -> PairExecutor:
        """Return the executor of a run, which the runner closes.

        Args:
            store: The open database.
            run: The stored run.
            lineup: Its settings and bots.
            logs: The folder for the stderr output of bots.

        """
