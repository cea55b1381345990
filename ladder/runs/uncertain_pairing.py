"""Opponents by uncertainty: each batch of pairs is chosen where the rating list errs most.

Batch b depends on the results of batches 0 to b - 2, all of which must be finished. So it is the
same for any number of workers, order of completion or interruption, and batch b - 1 keeps the
workers busy meanwhile.
"""

from collections.abc import Mapping

import numpy as np

from db.store import Store
from engine.seeds import SplitMix
from ladder.pair_seeds import derive
from ladder.stats.pool.cells import (
    Cells,
    from_tables,
)
from ladder.stats.pool.pair_design import (
    BATCH,
    next_pairs,
)

LAG = 2
"""Distance in batches: batch b depends on batches 0 .. b - LAG."""
_COLOURS = 7
"""The stream of random numbers that draws the first mover of game 0."""


class PairsPending(Exception):
    """Pairs on which a batch depends are not finished."""


class OpponentChooser:
    """Chooses the opponents of one stream of pairs."""

    def __init__(
        self,
        *,
        store: Store,
        stream: str,
        seed: int,
        names: Mapping[int, str],
    ) -> None:
        """Prepare a chooser, which reads results as they are needed.

        Args:
            store: The open database.
            stream: The stream whose results count.
            seed: The seed of the run.
            names: The bots by revision.

        """
        self._store = store
        self._stream = stream
        self._seed = seed
        self._names = names
        self._players = sorted(names.values())
        size = len(self._players)
        self._counts = np.zeros((size, size, 3, 3))
        self._absorbed = 0
        """Number of batches whose results are in the counts."""
        self._batches: dict[int, tuple[tuple[int, int], ...]] = {}

    def partners(self, number: int) -> tuple[str, str]:
        """Return the two bots of a pair.

        Raises:
            PairsPending: earlier pairs that it depends on are not finished.

        """
        batch, place = divmod(number, BATCH)
        one, two = self._plan(batch)[place]
        if SplitMix(derive(self._seed, number, _COLOURS)).below(2):
            one, two = two, one
        return self._players[one], self._players[two]

    def _plan(self, batch: int) -> tuple[tuple[int, int], ...]:
        known = self._batches.get(batch)
        if known is None:
            self._absorb(max(0, batch - LAG + 1))
            known = next_pairs(cells=self._cells(), seed=self._seed, batch=batch)
            self._batches = {
                number: pairs for number, pairs in self._batches.items() if number >= batch - LAG
            }
            self._batches[batch] = known
        return known

    def _absorb(self, batches: int) -> None:
        """Count the results of batches 0 to `batches` - 1.

        Raises:
            PairsPending: some of them are not finished.

        """
        if batches < self._absorbed:
            # Another process plays later batches of the stream: start again from the first one.
            self._counts[:] = 0
            self._absorbed = 0
        if self._store.pairs.planned_numbers(self._stream, below=batches * BATCH):
            raise PairsPending
        played = self._store.pairs.of_stream(
            self._stream, start=self._absorbed * BATCH, stop=batches * BATCH
        )
        index = {name: place for place, name in enumerate(self._players)}
        for pair in played:
            a, b = index[self._names[pair.a_revision]], index[self._names[pair.b_revision]]
            first, second = (result.points2 for result in pair.results)
            if a < b:
                self._counts[a, b, first, second] += 1
            else:
                # The table holds the points of B here: first the game in which B moved first.
                self._counts[b, a, 2 - second, 2 - first] += 1
        self._absorbed = batches

    def _cells(self) -> Cells:
        lows, highs = np.nonzero(self._counts.sum(axis=(2, 3)))
        return from_tables(players=self._players, a=lows, b=highs, counts=self._counts[lows, highs])
