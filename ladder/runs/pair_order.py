"""The order of a run's pairs: which is played next, and when the judge takes a finished one.

Fast games end before slow ones, and a bot may win the fast ones. A decision on pairs in the order
of their completion would be biased by that, so the judge gets them in the order of their numbers.
"""

import heapq
from abc import ABC, abstractmethod
from collections.abc import Sequence

from db.records.pairs import PairPlan, PairRecord, PlayedPair, StoredGames
from ladder.runs.decision import ENDLESS, Judge


class PairSource(ABC):
    """Draws the pairs of a run; a source that stores them overrides the rest, too."""

    @abstractmethod
    def draw(self, wanted: int | None, *, is_idle: bool) -> Sequence[PairPlan]:
        """Plan the next pairs, at most those wanted; return none if no pair is left now.

        Args:
            wanted: The number of missing pairs besides those in play, at least 1; None without a
                target.
            is_idle: Whether no pair is in play.

        Raises:
            PairsPending: the next pair depends on unfinished ones, perhaps of another process.
            InvalidRun: too few bots can play.

        """

    def planned(self) -> Sequence[PairPlan]:
        """Return the planned pairs that former sessions have left."""
        return ()

    def finished(self) -> Sequence[PlayedPair]:
        """Return the pairs that former sessions have finished."""
        return ()

    def can_play(self, plan: PairPlan) -> bool:
        """Return whether both bots of a pair still play in this run."""
        del plan
        return True

    def drop(self, plans: Sequence[PairPlan]) -> None:  # noqa: B027 - nothing is stored
        """Cancel planned pairs."""

    def finish(self, played: Sequence[tuple[PairPlan, PairRecord]]) -> Sequence[StoredGames]:
        """Store finished pairs; return the outcome of each."""
        return [()] * len(played)

    def give_up(self, plan: PairPlan, record: PairRecord) -> None:  # noqa: B027
        """Leave a pair that ended without games for a later session."""


class PairOrder:
    """The pairs of a run, each of which is planned or deferred, then in play, then finished."""

    def __init__(self, source: PairSource, judge: Judge) -> None:
        self._source = source
        self._judge = judge
        self._planned: list[tuple[int, PairPlan]] = []
        """A heap of the pairs that have not begun."""
        self._deferred: list[tuple[int, PairPlan]] = []
        """A heap of the pairs that the judge did not want when they were next."""
        self._in_play: set[int] = set()
        """The numbers of the pairs that workers have."""
        self._finished: list[tuple[int, PlayedPair]] = []
        """A heap of the finished pairs that wait for earlier ones before the judge takes them."""

    def load(self) -> None:
        """Load the pairs of former sessions."""
        self._plan(self._source.planned())
        if self._judge is not ENDLESS:
            self._finished = [(pair.number, pair) for pair in self._source.finished()]
            heapq.heapify(self._finished)

    def next(self, missing: int | None) -> PairPlan | None:
        """Return the next pair to play, which is in play from now on; None if none is left now.

        Pairs that an earlier session planned beyond the target stay planned.

        Args:
            missing: The number of games that are missing to the target; None without one.

        Raises:
            PairsPending: it depends on unfinished pairs, perhaps of another process.
            InvalidRun: too few bots can play.

        """
        wanted = None if missing is None else (missing + 1) // 2 - len(self._in_play)
        if wanted is not None and self._finished and not self._in_play:
            wanted = max(1, wanted)  # the judge waits for an earlier pair that is not played yet
        if self._judge.decided or (wanted is not None and wanted <= 0):
            return None
        while True:
            if not self._planned:
                self._plan(self._source.draw(wanted, is_idle=not self._in_play))
            if not self._planned:
                return None
            number, plan = heapq.heappop(self._planned)
            if not self._source.can_play(plan):
                self._source.drop([plan])
            elif self._judge.wants(plan):
                self._in_play.add(number)
                return plan
            else:
                heapq.heappush(self._deferred, (number, plan))

    def requeue(self, plan: PairPlan) -> None:
        """Take back a pair that could not be played: it is next again."""
        self._in_play.remove(plan.pair.number)
        self._plan([plan])

    def finish(self, plan: PairPlan, pair: PlayedPair | None) -> None:
        """Take a pair that is no longer in play, with its results if they are stored."""
        self._in_play.remove(plan.pair.number)
        if pair is not None and self._judge is not ENDLESS:
            heapq.heappush(self._finished, (pair.number, pair))

    def settle(self) -> None:
        """Give the judge all pairs before the first unfinished one, and ask it about deferred ones.

        When it is asked, it has taken every pair before. So its answer depends neither on which
        games ended first nor on interruptions.
        """
        unneeded = []
        while True:
            first = self._first_unfinished()
            while self._finished and (first is None or self._finished[0][0] < first):
                self._judge.take(heapq.heappop(self._finished)[1])
            if not self._deferred or self._deferred[0][0] != first:
                break
            plan = heapq.heappop(self._deferred)[1]
            if self._judge.wants(plan):
                self._plan([plan])
            else:
                unneeded.append(plan)
        self._source.drop(unneeded)

    def settle_all(self) -> None:
        """Give the judge all finished pairs: unfinished ones hold nothing back any more."""
        while self._finished:
            self._judge.take(heapq.heappop(self._finished)[1])

    def cancel(self, withdrawn: Sequence[PairPlan]) -> None:
        """Cancel the pairs that have not begun, since the judge has decided.

        Args:
            withdrawn: The pairs in play that no worker has begun.

        """
        self._in_play.difference_update(plan.pair.number for plan in withdrawn)
        if not self._judge.keeps_planned:
            waiting = [plan for _, plan in (*self._planned, *self._deferred)]
            self._planned.clear()
            self._deferred.clear()
            self._source.drop([*waiting, *withdrawn])

    def _first_unfinished(self) -> int | None:
        heads = (heap[0][0] for heap in (self._planned, self._deferred) if heap)
        return min((*heads, *self._in_play), default=None)

    def _plan(self, plans: Sequence[PairPlan]) -> None:
        for plan in plans:
            heapq.heappush(self._planned, (plan.pair.number, plan))
