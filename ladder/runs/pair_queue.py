"""The pairs of a run: which is next, and where a finished one goes.

`PairQueue` plans pairs in the database before they are played, so that a killed run can resume.
"""

import heapq
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from db.records.pairs import (
    Entrant,
    FinishedPair,
    PairPlan,
    PairRecord,
    PlannedPair,
)
from db.records.runs import RunRow
from db.store import Store
from ladder.runs.decision import Judge
from ladder.runs.roster import Roster
from ladder.runs.schedule import (
    PairingKind,
    Schedule,
)
from ladder.runs.settings import Settings
from ladder.runs.uncertain_pairing import (
    Advisor,
    NotYet,
)
from ladder.stats.sequential_elo import rate_pair

PLAN_BATCH = 64
"""Pairs planned at once, at most."""


class PairSource(ABC):
    """The numbered pairs of a run, those that have not begun in a heap."""

    is_blocked = False
    """Whether the next pair depends on pairs that are not finished, perhaps elsewhere."""

    def __init__(self) -> None:
        self._waiting: list[tuple[int, PairPlan]] = []

    def load(self) -> None:
        """Begin with what former sessions have left."""
        self._waiting.clear()

    @abstractmethod
    def next_pair(self, *, wanted: int | None, in_play: int) -> PairPlan | None:
        """Return the next pair to play, or None if there is none now.

        Args:
            wanted: how many pairs the run still lacks, those in play not counted; at least 1, or
                None without a limit.
            in_play: how many pairs the run is playing.

        Raises:
            InvalidRun: no pair that could still be planned is of any use.

        """

    def put_back(self, plan: PairPlan) -> None:
        """Queue a pair that is new, or was not played after all."""
        heapq.heappush(self._waiting, (plan.number, plan))

    def recall(self, playing: Iterable[int]) -> bool:
        """Settle a pair that was put off; return whether another one may be settled now.

        Args:
            playing: numbers of the pairs in play.

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
    def finish(self, played: Sequence[tuple[PairPlan, PairRecord]]) -> Sequence[FinishedPair]:
        """Store finished pairs; return what became of each."""

    @abstractmethod
    def give_up(self, plan: PairPlan, record: PairRecord) -> str:
        """Note a pair without games; return a warning, empty if there is nothing to say."""


@dataclass(kw_only=True)
class PairQueue(PairSource):
    """Plans the pairs of a schedule, and hands them out in the order of their numbers."""

    store: Store
    run: RunRow
    """The run that plans."""
    settings: Settings
    schedule: Schedule
    """The stream of pairs, over the names in `entrants`."""
    entrants: Mapping[str, Entrant]
    """Every bot of the run by name."""
    adopt: Callable[[], int] = lambda: 0
    """Takes over the planned pairs of dead runs of the same stream; how many."""
    roster: Roster
    """Pairs of its paused bots are dropped."""
    judge: Judge
    """Pairs that it does not want now are put off."""

    def __post_init__(self) -> None:
        super().__init__()
        self._names = {entrant.revision: name for name, entrant in self.entrants.items()}
        self._put_off: list[tuple[int, PairPlan]] = []
        """A heap of the pairs that the judge did not want when their turn to be played came."""
        self._unneeded: list[int] = []
        """Keys of planned pairs that can be dropped."""
        self._advisor: Advisor | None = None
        if self.settings.pairing.kind is PairingKind.UNCERTAIN:
            self._advisor = Advisor(
                store=self.store,
                stream=self.run.stream,
                seed=self.run.seed,
                names=self._names,
                derivation=self.settings.derivation,
            )

    def load(self) -> None:
        """Read what the run has planned and not played: of former sessions, or adopted."""
        for row in self.store.pairs.planned(self.run.id):
            self.put_back(self._plan_of(row))

    def next_pair(self, *, wanted: int | None, in_play: int) -> PairPlan | None:
        """Return the next pair to play, or None if there is none now (see `is_blocked`).

        At most `wanted` pairs are planned at once, and at most `PLAN_BATCH`.
        """
        self.is_blocked = False
        while True:
            if not self._waiting:
                self._plan_more(wanted, in_play)
            if not self._waiting:
                return None
            plan = heapq.heappop(self._waiting)[1]
            if not self.roster.can_play(plan):
                self.store.pairs.drop([plan.id])
            elif self.judge.wants(plan):
                return plan
            else:
                heapq.heappush(self._put_off, (plan.number, plan))

    def recall(self, playing: Iterable[int]) -> bool:
        """Settle the first pair that was put off, if no earlier one is unfinished.

        The judge has then taken every pair before it, so that its answer does not depend on which
        games ended first, nor on how often the command was interrupted.
        """
        if self._put_off:
            number, plan = self._put_off[0]
            if number < min(
                chain(playing, (each for each, _ in self._waiting)), default=number + 1
            ):
                heapq.heappop(self._put_off)
                if not self.judge.wants(plan):
                    self._unneeded.append(plan.id)
                    return True
                self.put_back(plan)
        self.store.pairs.drop(self._unneeded)
        self._unneeded.clear()
        return False

    def numbers(self) -> Iterator[int]:
        """Return the numbers of the pairs that have not begun and may still be played."""
        return (number for number, _ in chain(self._waiting, self._put_off))

    def drop(self, others: Iterable[PairPlan] = ()) -> None:
        """Cancel all pairs that have not begun, and some other planned ones."""
        plans = [*(plan for _, plan in chain(self._waiting, self._put_off)), *others]
        self._waiting.clear()
        self._put_off.clear()
        self.store.pairs.drop([plan.id for plan in plans])

    def finish(self, played: Sequence[tuple[PairPlan, PairRecord]]) -> Sequence[FinishedPair]:
        """Store pairs with their games, in one transaction."""
        return self.store.pairs.finish_all(played, rate_pair)

    def give_up(self, plan: PairPlan, record: PairRecord) -> str:
        """Leave a pair planned, for a later session."""
        if record.changed:
            return ""
        self.store.pairs.add_aborts(plan.id, record.aborts)
        return f"pair {plan.number} was given up: {record.abort_reason}"

    def _plan_more(self, wanted: int | None, in_play: int) -> None:
        count = PLAN_BATCH if wanted is None else min(PLAN_BATCH, wanted)
        if self._advisor is not None:
            count = 1  # each pair may be the first of a batch
        while True:
            try:
                pairs = self.store.pairs.plan(self.run.id, count, self._planned_pair)
            except NotYet:
                self._adopt_pending(in_play)
                return
            plans = [self._plan_of(pair) for pair in pairs]
            if any(self.roster.can_play(plan) for plan in plans):
                for plan in plans:
                    self.put_back(plan)
                return
            # All of them need a paused bot. With two bots left, some later batch can be played.
            self.roster.check_enough()
            self.store.pairs.drop([plan.id for plan in plans])

    def _adopt_pending(self, in_play: int) -> None:
        """Adopt the unfinished pairs that the next batch depends on, if no process plays them."""
        self.is_blocked = True
        if not in_play:
            self.adopt()
            self.load()

    def _planned_pair(self, number: int) -> PlannedPair:
        partners = None if self._advisor is None else self._advisor.partners(number)
        return self.schedule.pair(number, partners)

    def _plan_of(self, pair: PlannedPair) -> PairPlan:
        return PairPlan(
            id=pair.id,
            number=pair.number,
            a=self.entrants[self._names[pair.a_revision]],
            b=self.entrants[self._names[pair.b_revision]],
            board=pair.board,
            board_class=pair.board_class,
            opening=pair.opening,
            seed=pair.seed,
            margin_ms=self.settings.margin_ms,
            watchdog_s=self.settings.watchdog_s,
        )
