"""The bots and boards of a stream of pairs, from which a pairing rule chooses."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from db.records.pairs import PlayedPair
from db.store import Store
from engine.board import BoardClass
from engine.seeds import SplitMix
from ladder.pair_seeds import Purpose, derive

Meeting = tuple[str, str]
"""Two bots that may meet."""


class Fixture(NamedTuple):
    """The bots of a pair, and its board class if the rule chooses that, too."""

    a: str
    b: str
    board: BoardClass | None = None


Chooser = Callable[[int], Fixture]
"""Chooses the bots of the pair of a number; raises PairsPending."""


class PairsPending(Exception):
    """Pairs on which a choice depends are not finished."""


ReadResults = Callable[[int, int], Sequence[PlayedPair]]
"""Returns the finished pairs of a stream from a number to below another.

Raises PairsPending if a planned pair below that number is not finished.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Contestants:
    """The bots of a stream and where they may meet."""

    bots: Mapping[str, int]
    """Revisions by name, sorted by name."""
    meetings: tuple[Meeting, ...]
    """Every two bots that may meet."""
    shared: Callable[[str, str], Sequence[BoardClass]]
    """Returns the boards of the run that two bots play."""
    seed: int
    results: ReadResults

    def draw(self, number: int) -> Fixture:
        """Draw two bots that share a board."""
        random = SplitMix(derive(self.seed, number, Purpose.PARTNERS))
        names = tuple(self.bots)
        while True:
            a = random.below(len(names))
            b = random.below(len(names) - 1)
            b += b >= a
            if self.shared(names[a], names[b]):
                return Fixture(names[a], names[b])


def no_results(start: int, stop: int) -> Sequence[PlayedPair]:
    """Return nothing: read the results of a stream without pairs."""
    del start, stop
    return ()


def read_results(store: Store, stream: str, start: int, stop: int) -> Sequence[PlayedPair]:
    """Return the finished pairs of a stored stream, as `ReadResults` does."""
    if store.pairs.planned_numbers(stream, below=stop):
        raise PairsPending
    return store.pairs.of_stream(stream, start=start, stop=stop)
