"""A workforce whose pairs are played at random in this process, for tests of whole runs."""

from collections.abc import Callable

from ladder.runs.executor import PairExecutor
from tests.support.stops import InstantWorkers


class InstantWorkforce:
    """A `ladder.runs.executor.Workforce` without kernels to compile and without processes."""

    def __init__(self, workers: Callable[[], PairExecutor] = InstantWorkers) -> None:
        self._workers = workers

    def prepare(self, entrants: object, adjudicated: object) -> None:
        """Do nothing."""

    def start(self, *_: object) -> PairExecutor:
        """Return new workers."""
        return self._workers()
