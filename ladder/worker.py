"""The worker process: plays the pairs it is given with bot processes that it keeps."""

import signal
from multiprocessing.util import Finalize
from pathlib import Path

from bots.tether import die_with_parent
from db.records import Limits, PairPlan, PairRecord
from ladder.botpool import BotPool
from ladder.pinning import claim_cpu
from ladder.referee import play_pair

_pool: BotPool | None = None


def start_worker(
    coordinator: int, logs: str | None, pin: bool, limits: Limits, sandbox: tuple[str, ...]
) -> None:
    """Prepare this process: die with the coordinator, leave Ctrl-C to it, keep bots.

    Args:
        coordinator: process id of the coordinator.
        logs: folder for the bots' stderr, None to drop it.
        pin: stay on a CPU of its own where one is free.
        limits: what each bot may use.
        sandbox: words before the commands of bots, as `BotPool` takes them.

    """
    die_with_parent(coordinator)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    if pin:
        claim_cpu()
    global _pool
    _pool = BotPool(logs=None if logs is None else Path(logs), limits=limits, sandbox=sandbox)
    Finalize(None, _pool.close, exitpriority=10)


def play(plan: PairPlan) -> PairRecord:
    """Play one pair with the bots that this worker keeps."""
    assert _pool is not None, "start_worker runs first"  # noqa: S101 - the pool's initializer
    return play_pair(plan, _pool)
