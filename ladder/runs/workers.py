"""The worker processes of a run: each plays pairs with bot processes that it keeps.

A worker is a new interpreter that imports this module and what that imports: nothing of a database,
which would make its start five times as long.
"""

from concurrent.futures import Future
from multiprocessing.util import Finalize
from typing import TYPE_CHECKING

from db.records.pairs import (
    PairPlan,
    PairRecord,
)
from ladder.match.game.bot_pool import BotPool
from ladder.match.game.broadcast import Broadcaster
from ladder.match.game.referee import play_pair
from ladder.match.process.confinement import Confinement
from ladder.match.process.cpus import claim_cpu
from ladder.match.process.worker_pool import WorkerPool

if TYPE_CHECKING:
    from ladder.runs.executor import MachineEvent

_pool: BotPool | None = None
_broadcast: Broadcaster | None = None


def keep_bots(pin: bool, confinement: Confinement, channel: str | None) -> None:
    """Prepare this process for pairs.

    Args:
        pin: stay on a CPU of its own where one is free.
        confinement: the bounds of every bot.
        channel: where moves are told as they are made; None: nowhere.

    """
    if pin:
        claim_cpu()
    global _pool, _broadcast
    _pool = BotPool(confinement)
    _broadcast = None if channel is None else Broadcaster(channel)
    Finalize(None, _pool.close, exitpriority=10)


def play(plan: PairPlan) -> PairRecord:
    """Play one pair with the bots that this worker keeps."""
    assert _pool is not None, "keep_bots runs first"  # noqa: S101 - the pool's preparation
    return play_pair(plan, _pool, _broadcast)


class Workers(WorkerPool):
    """A pool of processes that play pairs.

    The bots of a worker that is killed are ended by their supervisors.
    """

    def __init__(
        self,
        count: int,
        *,
        pin: bool = True,
        confinement: Confinement,
        channel: str | None = None,
    ) -> None:
        """Nothing is started before the first pair.

        Args:
            count: pairs played at the same time.
            pin: each worker stays on a CPU of its own where one is free.
            confinement: the bounds of every bot.
            channel: of `ladder.match.game.broadcast.channel_name`; None: nobody can listen.

        """
        super().__init__(count, keep_bots, pin, confinement, channel)

    @property
    def slots(self) -> int:
        """Pairs played at the same time."""
        return self.count

    def submit(self, plan: PairPlan) -> "Future[PairRecord]":
        """Play a pair in some worker; `wait` brings its record."""
        return self.call(play, plan)

    def news(self) -> "tuple[MachineEvent, ...]":
        """Nothing: the processes of one machine are always there."""
        return ()
