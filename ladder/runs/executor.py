"""Players of the pairs of a run: interfaces behind which one machine and many look alike.

The runner gives pairs to a `PairExecutor`, which is like an executor of `concurrent.futures`: the
future of a pair ends in its record, and whoever waits does the work. A `Workforce` makes one for
each run.
"""

from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import NamedTuple, Protocol

from db.records.bots import BotRow
from db.records.pairs import Entrant, PairPlan, PairRecord
from db.records.runs import RunRow
from db.store import Store
from ladder.runs.settings import Settings


class MachineEvent(NamedTuple):
    """Something that happened to the machines of a run."""

    sentence: str
    is_warning: bool = False
    """Whether somebody should look; else it is told in passing."""


class NoHost(Exception):
    """A pair cannot be played, because no machine hosts one of its bots.

    Attributes:
        reasons: of the machines, by the name of the bot.

    """

    def __init__(self, reasons: Mapping[str, str]) -> None:
        super().__init__("; ".join(reasons.values()))
        self.reasons = reasons


class PairExecutor(Protocol):
    """Plays the pairs of one run, some of them at the same time. Not shared between threads."""

    @property
    def slots(self) -> int:
        """Pairs that are played at the same time; may change while machines come and go."""

    @property
    def capacity(self) -> int:
        """Pairs that may be submitted and not done, those in play among them: so many that nobody
        waits for the next one."""

    def submit(self, plan: PairPlan) -> "Future[PairRecord]":
        """Have a pair played; `wait` brings its record, `WorkerDied` or `NoHost`.

        Cancelling is allowed.
        """

    def wait(self, timeout_s: float) -> None:
        """Take the records that have come; returns at the first ones, or after the timeout."""

    def news(self) -> Sequence[MachineEvent]:
        """Events since the last call for the user, such as machines that left."""

    def close(self) -> None:
        """End in good order, when all that was submitted is done."""

    def kill(self) -> None:
        """End at once, whatever is in play."""


class Workforce(Protocol):
    """The machine or machines on which a command has pairs played."""

    def prepare(self, entrants: Mapping[str, Entrant]) -> None:
        """Do for the bots whatever needs no run yet, such as compiling kernels.

        Raises:
            LadderError: it cannot be done; the message says why.

        """

    def start(
        self,
        store: Store,
        run: RunRow,
        settings: Settings,
        bots: Sequence[BotRow],
        entrants: Mapping[str, Entrant],
        logs: Path,
    ) -> PairExecutor:
        """The executor of a run; the runner closes it.

        Args:
            store: the open database.
            run: as it is stored.
            settings: what was asked for.
            bots: the registered bots of the run.
            entrants: the same bots by name, as sides of pairs that this machine could play.
            logs: the folder for what bots write to stderr.

        """
