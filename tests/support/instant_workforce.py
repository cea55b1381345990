"""A workforce whose pairs are played at random in this process, for tests of whole runs."""

from collections.abc import Callable
from concurrent.futures import Future

from db.records.pairs import PairPlan, PairRecord
from engine.seeds import SplitMix
from ladder.cli.main import main
from ladder.runs.executor import MachineEvent, PairExecutor
from tests.support.data.random_games import random_record


class InstantWorkers:
    """A `ladder.runs.executor.PairExecutor` whose pairs are done when they are submitted."""

    slots = 1
    capacity = 2

    def __init__(self, *_: object, **__: object) -> None:
        pass

    def submit(self, plan: PairPlan) -> "Future[PairRecord]":
        future: Future[PairRecord] = Future()
        future.set_result(random_record(plan, SplitMix(plan.pair.seed)))
        return future

    def wait(self, timeout_s: float) -> None:
        pass

    def events(self) -> tuple[MachineEvent, ...]:
        return ()

    def close(self) -> None:
        pass

    def kill(self) -> None:
        pass


class InstantWorkforce:
    """A `ladder.runs.executor.Workforce` without kernels to compile and without processes."""

    def __init__(self, workers: Callable[[], PairExecutor] = InstantWorkers) -> None:
        self._workers = workers

    def prepare(self, lineup: object) -> None:
        """Do nothing."""

    def start(self, *_: object) -> PairExecutor:
        """Return new workers."""
        return self._workers()


def main_with_instant_workers() -> None:
    """Run the command line of a process that plays its pairs itself."""
    main(InstantWorkforce())
