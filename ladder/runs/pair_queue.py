"""The sources of a run's pairs, which plan them and store finished ones.

`PairQueue` stores pairs as planned before they are played, so that a killed run can resume.
"""

import heapq
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from db.records.pairs import Entrant, PairPlan, PairRecord, PlannedPair, StoredGames
from db.records.runs import RunRow
from db.store import Store
from ladder.runs.choosers import PairsPending
from ladder.runs.decision import Judge
from ladder.runs.health import RunHealth
from ladder.runs.schedule import Schedule
from ladder.runs.settings import RunSettings

PLAN_BATCH = 64
"""Most pairs that are planned in one transaction."""


class PairSource(ABC):
    """The numbered pairs of a run."""

    is_blocked = False
    """Whether the next pair depends on unfinished ones, perhaps of another process."""

    def __init__(self) -> None:
        self._waiting: list[tuple[int, PairPlan]] = []
        """A heap of the pairs that have not begun."""

    @abstractmethod
    def load(self) -> None:
        """Load the pairs that former sessions have left."""

    @abstractmethod
    def next_pair(self, *, wanted: int | None, in_play: int) -> PairPlan | None:
        """Return the next pair to play, or None if no pair is left now.

        Args:
            wanted: The number of missing pairs besides those in play, at least 1; None without a
                target.
            in_play: The number of pairs in play.

        Raises:
            InvalidRun: too few bots can play.

        """

    def requeue(self, plan: PairPlan) -> None:
        """Queue a pair that is new or could not be played."""
        heapq.heappush(self._waiting, (plan.number, plan))

    def settle_deferred(self, playing: Iterable[int]) -> bool:
        """Requeue or drop a deferred pair; return whether to call this again for the next one.

        Args:
            playing: The numbers of the pairs in play.

        """
        del playing
        return False

    def numbers(self) -> Iterator[int]:
        """Return the numbers of the pairs that have not begun and may still be played."""
        return (number for number, _ in self._waiting)

    def drop(self, others: Iterable[PairPlan] = ()) -> None:
        """Cancel all pairs that have not begun, and some other planned ones."""
        del others
        self._waiting.clear()

    @abstractmethod
    def finish(self, played: Sequence[tuple[PairPlan, PairRecord]]) -> Sequence[StoredGames]:
        """Store finished pairs; return the outcome of each."""

    @abstractmethod
    def give_up(self, plan: PairPlan, record: PairRecord) -> None:
        """Leave a pair that ended without games for a later session."""


@dataclass(kw_only=True)
class PairQueue(PairSource):
    """Plans the pairs of a schedule, and returns them in the order of their numbers."""

    store: Store
    run: RunRow
    schedule: Schedule
    """The stream of pairs, over the names in `entrants`."""
    entrants: Mapping[str, Entrant]
    """Every bot of the run by name."""
    adopt: Callable[[], int] = lambda: 0
    """Takes over the planned pairs of dead runs of the same stream; returns their number."""
    health: RunHealth
    """Knows the paused bots, whose pairs are dropped."""
    judge: Judge
    """Decides which pairs are deferred because they are not wanted now."""

    def __post_init__(self) -> None:
        super().__init__()
        self._sides = {entrant.revision: entrant for entrant in self.entrants.values()}
        self._deferred: list[tuple[int, PairPlan]] = []
        """A heap of the pairs that the judge did not want when they were next."""
        self._unneeded: list[int] = []
        """Keys of planned pairs to be dropped."""

    def load(self) -> None:
        """Load the planned pairs of the run that are not played."""
        for pair in self.store.pairs.planned(self.run.id):
            self.requeue(self._make_plan(pair))

    def next_pair(self, *, wanted: int | None, in_play: int) -> PairPlan | None:
        """Return the next pair to play, or None if no pair is left now (see `is_blocked`).

        At most `wanted` pairs are planned at once, and at most `PLAN_BATCH`.
        """
        self.is_blocked = False
        while True:
            if not self._waiting:
                self._plan_more(wanted, in_play)
            if not self._waiting:
                return None
            plan = heapq.heappop(self._waiting)[1]
            if not self.health.can_play(plan):
                self.store.pairs.drop([plan.id])
            elif self.judge.wants(plan):
                return plan
            else:
                heapq.heappush(self._deferred, (plan.number, plan))

    def settle_deferred(self, playing: Iterable[int]) -> bool:
        """Requeue or drop the first deferred pair if all earlier ones are finished.

        The judge has then taken every pair before it, so its answer depends neither on which games
        ended first nor on interruptions. Return whether to call this again for the next one.
        """
        if self._deferred:
            number, plan = self._deferred[0]
            if number < min(
                chain(playing, (each for each, _ in self._waiting)), default=number + 1
            ):
                heapq.heappop(self._deferred)
                if not self.judge.wants(plan):
                    self._unneeded.append(plan.id)
                    return True
                self.requeue(plan)
        self.store.pairs.drop(self._unneeded)
        self._unneeded.clear()
        return False

    def numbers(self) -> Iterator[int]:
        """Return the numbers of the pairs that have not begun and may still be played."""
        return (number for number, _ in chain(self._waiting, self._deferred))

    def drop(self, others: Iterable[PairPlan] = ()) -> None:
        """Cancel all pairs that have not begun, and some other planned ones."""
        plans = [*(plan for _, plan in chain(self._waiting, self._deferred)), *others]
        self._waiting.clear()
        self._deferred.clear()
        self.store.pairs.drop([plan.id for plan in plans])

    def finish(self, played: Sequence[tuple[PairPlan, PairRecord]]) -> Sequence[StoredGames]:
        """Store pairs with their games, in one transaction."""
        return self.store.pairs.finish_all(played)

    def give_up(self, plan: PairPlan, record: PairRecord) -> None:
        """Count what disturbed a pair, which stays planned."""
        self.store.pairs.add_stalls(plan.id, record.stalls)

    def _plan_more(self, wanted: int | None, in_play: int) -> None:
        count = PLAN_BATCH if wanted is None else min(PLAN_BATCH, wanted)
        if self.schedule.settings.pairing.rule.needs_results:
            count = 1  # each pair may be the first that depends on unfinished ones
        dropped = 0
        while True:
            choose = self.schedule.pair if dropped < PLAN_BATCH else self._draw_playable
            try:
                pairs = self.store.pairs.plan(self.run.id, count, choose)
            except PairsPending:
                self._adopt_pending(in_play)
                return
            plans = [self._make_plan(pair) for pair in pairs]
            if any(self.health.can_play(plan) for plan in plans):
                for plan in plans:
                    self.requeue(plan)
                return
            # All of them need a paused bot; later ones may not. But a rule can choose such pairs
            # for very long, so the next bots are then drawn from those that can play.
            self.health.check_enough()
            self.store.pairs.drop([plan.id for plan in plans])
            dropped += len(plans)

    def _draw_playable(self, number: int) -> PlannedPair:
        """Return a pair of bots that are not paused, whatever the rule would choose."""
        return self.schedule.pair_of_any(
            number, self.schedule.possible_meetings(self.health.playable)
        )

    def _adopt_pending(self, in_play: int) -> None:
        """Adopt the unfinished pairs that the next batch depends on, if no process plays them."""
        self.is_blocked = True
        if not in_play:
            self.adopt()
            self.load()

    def _make_plan(self, pair: PlannedPair) -> PairPlan:
        a, b = self._sides[pair.a_revision], self._sides[pair.b_revision]
        return make_plan(pair, a, b, self.schedule.settings)


def make_plan(pair: PlannedPair, a: Entrant, b: Entrant, settings: RunSettings) -> PairPlan:
    """Return the plan of a pair for a worker."""
    return PairPlan(
        id=pair.id,
        number=pair.number,
        a=a,
        b=b,
        board=pair.board,
        board_class=pair.board_class,
        opening=pair.opening,
        seed=pair.seed,
        margin_ms=settings.margin_ms,
        watchdog_s=settings.watchdog_s,
        rules=settings.rules,
    )
