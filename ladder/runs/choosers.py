"""Choosers of the opponents of a stream's pairs.

Some choose by results, batch by batch. A batch depends on the results of earlier batches, all of
which must be finished. So it is the same for any number of workers, order of completion or
interruption.
"""

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from db.records.pairs import PlayedPair
from db.records.record import Record
from db.store import Store
from engine.board_class import BoardClass
from engine.seeds import SplitMix
from ladder.pair_seeds import Purpose, derive
from ladder.stats.pool.cells import from_tables
from ladder.stats.pool.pair_design import BATCH, next_pairs

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
    """Revisions by name, in the order of the schedule."""
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


def choose_in_rounds(field: Contestants, *, is_gate: bool = False) -> Chooser:
    """Return a chooser whose rounds have every meeting once on every board, in a new order.

    A and B swap between rounds. The rounds of a gate are equal: its candidate is always A.
    """

    @lru_cache(maxsize=2)
    def plan_round(number: int) -> Sequence[Fixture]:
        meetings: Sequence[Meeting] = field.meetings
        if not is_gate:
            meetings = SplitMix(derive(field.seed, number, Purpose.ORDER)).shuffled(meetings)
            if number % 2:
                meetings = [(b, a) for a, b in meetings]
        return [Fixture(a, b, board) for a, b in meetings for board in field.shared(a, b)]

    size = len(plan_round(0))

    def choose(number: int) -> Fixture:
        round_number, place = divmod(number, size)
        return plan_round(round_number)[place]

    return choose


Duel = tuple[int, int]
"""Two players, as places in the order of names."""


class ResultsChooser(ABC):
    """Chooses the opponents of one stream of pairs from its results."""

    size: int
    """Pairs of a batch."""
    lag: int
    """Distance in batches: batch b depends on batches 0 .. b - `lag`. With 2, batch b - 1 keeps the
    workers busy meanwhile."""

    def __init__(self, field: Contestants) -> None:
        """Prepare a chooser, which reads results as they are needed."""
        self._field = field
        self._players = tuple(field.bots)
        self._place = {revision: place for place, revision in enumerate(field.bots.values())}
        self._absorbed = 0
        """Number of batches whose results are counted."""
        self._plan = lru_cache(maxsize=self.lag + 1)(self._plan_batch)
        self._clear()

    def __call__(self, number: int) -> Fixture:
        """Return the two bots of a pair.

        Raises:
            PairsPending: earlier pairs that it depends on are not finished.

        """
        batch, place = divmod(number, self.size)
        one, two = (self._players[each] for each in self._plan(batch)[place])
        if not self._field.shared(one, two):
            return self._field.draw(number)
        is_swapped = SplitMix(derive(self._field.seed, number, Purpose.COLOURS)).below(2)
        return Fixture(two, one) if is_swapped else Fixture(one, two)

    def _plan_batch(self, batch: int) -> Sequence[Duel]:
        """Return the players of a batch. Raises PairsPending."""
        batches = max(0, batch - self.lag + 1)
        if batches < self._absorbed:  # another process plays later batches of the stream
            self._absorbed = 0
            self._clear()
        for pair in self._field.results(self._absorbed * self.size, batches * self.size):
            self._count(pair, self._place[pair.a_revision], self._place[pair.b_revision])
        self._absorbed = batches
        return self._choose(batch)

    @abstractmethod
    def _clear(self) -> None:
        """Set the counts to those of no results."""

    @abstractmethod
    def _count(self, pair: PlayedPair, a: int, b: int) -> None:
        """Count the result of a pair of two players."""

    @abstractmethod
    def _choose(self, batch: int) -> Sequence[Duel]:
        """Return the players of a batch, from the counted results."""


class Uncertain(ResultsChooser):
    """Chooses mostly the pairs where the rating list errs most."""

    size = BATCH
    lag = 2

    def _clear(self) -> None:
        self._records: dict[Duel, Record] = {}

    def _count(self, pair: PlayedPair, a: int, b: int) -> None:
        met, record = ((a, b), pair.record) if a < b else ((b, a), pair.record.mirrored)
        self._records[met] = self._records.get(met, Record()) + record

    def _choose(self, batch: int) -> Sequence[Duel]:
        met = sorted(self._records)
        cells = from_tables(
            players=self._players,
            a=[a for a, _ in met],
            b=[b for _, b in met],
            counts=[self._records[each].grid for each in met],
        )
        return next_pairs(cells=cells, seed=self._field.seed, batch=batch)


class Swiss(ResultsChooser):
    """Chooses rounds in which each bot meets one of nearly equal score.

    No two bots meet again before each has met half of the field. Of an odd number of bots one
    pauses in each round, mostly the last one, and none twice within as many rounds.
    """

    lag = 1

    def __init__(self, field: Contestants) -> None:
        """Prepare the rounds of a field."""
        self.size = len(field.bots) // 2
        self._no_rematch = (len(field.bots) - 1) // 2
        """Rounds after a meeting without another one of the same bots."""
        super().__init__(field)

    def _clear(self) -> None:
        self._points = [2] * len(self._players)
        self._pairs = [1] * len(self._players)
        """Points and number of pairs, one drawn pair more than a player has played."""
        self._recent: deque[tuple[int, Duel]] = deque()
        """Recent rounds and who met in them."""

    def _count(self, pair: PlayedPair, a: int, b: int) -> None:
        points = sum(result.points2 for result in pair.results)
        for player, own in ((a, points), (b, 4 - points)):
            self._points[player] += own
            self._pairs[player] += 1
        self._recent.append((pair.number // self.size, (a, b)))

    def _choose(self, batch: int) -> Sequence[Duel]:
        while self._recent and self._recent[0][0] < batch - self._no_rematch:
            self._recent.popleft()
        players = range(len(self._players))
        order = SplitMix(derive(self._field.seed, batch, Purpose.ORDER)).shuffled(players)
        ranked = sorted(order, key=lambda each: -self._points[each] / self._pairs[each])
        excluded = {frozenset(duel) for _, duel in self._recent}
        excluded |= {
            frozenset((a, b))
            for a in players
            for b in players[:a]
            if not self._field.shared(self._players[a], self._players[b])
        }
        if len(players) % 2:
            nobody = len(players)
            for number in {number for number, _ in self._recent}:
                met = {each for known, duel in self._recent if known == number for each in duel}
                excluded |= {frozenset((each, nobody)) for each in players if each not in met}
            ranked.append(nobody)
        return [duel for duel in match_neighbours(ranked, excluded) if max(duel) in players]


def match_neighbours(ranked: Sequence[int], excluded: set[frozenset[int]]) -> list[Duel]:
    """Pair the players of a ranking, an even number, each with one near to it.

    From the first player on, each gets the next one without an excluded duel. Those that are left
    with an excluded one swap opponents with the nearest two where that is possible; it is if each
    player is excluded from fewer than half of the others.
    """
    left = list(ranked)
    duels: list[Duel] = []
    while left:
        one = left.pop(0)
        two = next((each for each in left if frozenset((one, each)) not in excluded), left[0])
        left.remove(two)
        duels.append((one, two))
    for place, (one, two) in enumerate(duels):
        if frozenset((one, two)) not in excluded:
            continue
        for other in sorted(range(len(duels)), key=lambda each: abs(each - place)):
            three, four = duels[other]
            swaps = [((one, three), (two, four)), ((one, four), (two, three))]
            fitting = [
                swap for swap in swaps if excluded.isdisjoint(frozenset(duel) for duel in swap)
            ]
            if other != place and fitting:
                duels[place], duels[other] = fitting[0]
                break
    return duels
