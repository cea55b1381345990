"""What ends a run leaves the pairs stored that ended at the same time."""

from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import replace

import pytest

from db.records.pairs import PairPlan, PairRecord
from db.store import Store
from engine.seeds import SplitMix
from ladder.errors import InvalidRun, LadderError, MachineStalled
from ladder.match.process.worker_pool import WorkerDied
from ladder.runs.live import NullWatcher
from tests.ladder.runs.conftest import SETTINGS, play
from tests.support.data.random_games import random_record
from tests.support.instant_workforce import InstantWorkers

BATCH = 5
FAULTY = 3


class Batches(InstantWorkers):
    """Workers whose pairs end together, five in one wait, and the fourth ends as it is told."""

    capacity = BATCH

    def __init__(self, end: Callable[["Future[PairRecord]"], None], raised: Exception | None):
        self._end, self._raised = end, raised
        self._playing: list[tuple[PairPlan, Future[PairRecord]]] = []

    def submit(self, plan: PairPlan) -> "Future[PairRecord]":
        future: Future[PairRecord] = Future()
        self._playing.append((plan, future))
        return future

    def wait(self, timeout_s: float) -> None:
        for plan, future in self._playing:
            if plan.pair.number == FAULTY:
                self._end(future)
            else:
                future.set_result(random_record(plan, SplitMix(plan.pair.seed)))
        self._playing.clear()
        if self._raised is not None:
            raise self._raised


def no_games(future: "Future[PairRecord]") -> None:
    future.set_result(PairRecord(FAULTY, FAULTY, (), stalls=4, abort_reason="stalled"))


@pytest.mark.parametrize(
    ("end", "raised", "kind"),
    [
        (lambda future: future.set_exception(InvalidRun("a")), None, InvalidRun),
        (lambda future: future.set_exception(LadderError("a")), None, LadderError),
        (lambda future: future.set_exception(OSError("a")), None, OSError),
        (no_games, None, InvalidRun),
        (lambda future: future.set_exception(WorkerDied()), MachineStalled("a"), MachineStalled),
    ],
)
def test_finished_pairs_of_a_batch_are_stored(
    store: Store,
    end: Callable[["Future[PairRecord]"], None],
    raised: Exception | None,
    kind: type[Exception],
) -> None:
    """Before anything is raised, whatever the failed pair or the wait itself raises."""
    settings = replace(SETTINGS, games=2 * BATCH)
    with pytest.raises(kind):
        play(store, settings, NullWatcher(), lambda: Batches(end, raised))
    run = store.runs.latest()
    assert run is not None
    assert [pair.number for pair in store.pairs.of_run(run.id)] == [0, 1, 2, 4]
