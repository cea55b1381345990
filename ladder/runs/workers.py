"""The worker processes of a run, each of which plays pairs with its own bot processes.

A worker is a new interpreter that imports this module. The module imports no `db.store`, which
would make the start of a worker take five times as long.
"""

from collections.abc import Sequence
from concurrent.futures import Future
from multiprocessing.util import Finalize
from typing import TYPE_CHECKING

from db.records.pairs import PairPlan, PairRecord
from ladder.match.game.bot_pool import BotPool
from ladder.match.game.broadcast import Broadcaster
from ladder.match.game.referee import play_pair
from ladder.match.process.cpus import claim_cpu
from ladder.match.process.sandbox import Confinement
from ladder.match.process.worker_pool import WorkerPool

if TYPE_CHECKING:
    from ladder.runs.executor import MachineEvent

_pool: BotPool | None = None
_broadcast: Broadcaster | None = None


def init_worker(pin: bool, confinement: Confinement, channel: str | None) -> None:
    """Prepare this process for pairs.

    Args:
        pin: Whether to claim a CPU of its own if one is free.
        confinement: The limits and sandbox of every bot.
        channel: The channel to broadcast moves on; None to broadcast none.

    """
    if pin:
        claim_cpu()
    global _pool, _broadcast
    _pool = BotPool(confinement)
    _broadcast = None if channel is None else Broadcaster(channel)
    Finalize(None, _pool.close, exitpriority=10)


def play(plan: PairPlan) -> PairRecord:
    """Play one pair with the bot processes of this worker."""
    assert _pool is not None  # noqa: S101 - `init_worker` runs first
    return play_pair(plan, _pool, _broadcast)


class Workers(WorkerPool):
    """A pool of processes that play pairs.

    If a worker is killed, the supervisors of its bots end them.
    """

    def __init__(
        self,
        count: int,
        *,
        pin: bool = True,
        confinement: Confinement,
        channel: str | None = None,
        events: "Sequence[MachineEvent]" = (),
    ) -> None:
        """Prepare a pool, which starts its processes with the first pairs.

        Args:
            count: Pairs played at the same time.
            pin: Whether each worker claims a CPU of its own if one is free.
            confinement: The limits and sandbox of every bot.
            channel: The channel of `ladder.runs.channel.channel_name` to broadcast moves
                on; None to broadcast none.
            events: What is known of this machine at the start.

        """
        self._events = events
        super().__init__(count, init_worker, pin, confinement, channel)

    @property
    def slots(self) -> int:
        """Pairs played at the same time."""
        return self.count

    def submit(self, plan: PairPlan) -> "Future[PairRecord]":
        """Queue a pair for the next free worker; `wait` collects its record."""
        return self.call(play, plan)

    def events(self) -> "Sequence[MachineEvent]":
        """Return the events of the start once: no machines join or leave."""
        events, self._events = self._events, ()
        return events
