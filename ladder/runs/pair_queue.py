"""The queue of a run: its pairs that are planned and not begun; more are planned when needed.

Everything that a killed run needs to go on is in the database before it is played.
"""

import heapq
from collections.abc import Callable, Iterable, Iterator, Mapping

from db.records.pairs import (
    Entrant,
    PairPlan,
    PlannedPair,
)
from db.records.runs import RunRow
from db.store import Store
from ladder.runs.decision import Decision
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

PLAN_BATCH = 64
"""Pairs planned at once, at most."""


class PairQueue:
    """Hands out a run's pairs in the order of their numbers, and takes back what was not played."""

    def __init__(
        self,
        *,
        store: Store,
        run: RunRow,
        settings: Settings,
        schedule: Schedule,
        entrants: Mapping[str, Entrant],
        adopt: Callable[[], int],
        roster: Roster,
        decision: Decision,
    ) -> None:
        """Nothing is read before `load`.

        Args:
            store: the open database.
            run: the run that plans.
            settings: what was asked for.
            schedule: the stream of pairs, over the names in `entrants`.
            entrants: every bot of the run by name.
            adopt: takes over the planned pairs of dead runs of the same stream; how many.
            roster: pairs of its paused bots are dropped.
            decision: pairs that cannot change it any more are dropped.

        """
        self._store = store
        self._run = run
        self._settings = settings
        self._schedule = schedule
        self._entrants = entrants
        self._names = {entrant.revision: name for name, entrant in entrants.items()}
        self._adopt = adopt
        self._roster = roster
        self._decision = decision
        self._waiting: list[tuple[int, PairPlan]] = []
        """A heap by number: numbers are unique in a stream."""
        self._advisor: Advisor | None = None
        if settings.pairing.kind is PairingKind.UNCERTAIN:
            self._advisor = Advisor(
                store=store,
                stream=run.stream,
                seed=run.seed,
                names=self._names,
                derivation=settings.derivation,
            )
        self.is_blocked = False
        """Whether the next batch depends on pairs that are not finished, perhaps elsewhere."""

    def load(self) -> None:
        """Take up what the run has planned and not played: of former sessions, or adopted."""
        for row in self._store.pairs.planned(self._run.id):
            self.put_back(self._plan_of(row))

    def put_back(self, plan: PairPlan) -> None:
        """A pair was not played after all, or is new."""
        heapq.heappush(self._waiting, (plan.number, plan))

    def take(self, *, wanted: int | None, in_play: int) -> PairPlan | None:
        """The next pair to play; None: there is none now (see `is_blocked`).

        Args:
            wanted: how many pairs the run still lacks, those in play not counted; at least 1, or
                None without a limit. So many are planned at once, at most `PLAN_BATCH`.
            in_play: how many pairs the run is playing.

        Raises:
            InvalidRun: no pair that could still be planned is of any use.

        """
        self.is_blocked = False
        while True:
            if not self._waiting:
                self._plan_more(wanted, in_play)
            if not self._waiting:
                return None
            plan = heapq.heappop(self._waiting)[1]
            if self._is_wanted(plan):
                return plan
            self._store.pairs.drop([plan.id])

    def numbers(self) -> Iterator[int]:
        """The numbers of the pairs that wait here."""
        return (number for number, _ in self._waiting)

    def drop(self, others: Iterable[PairPlan] = ()) -> None:
        """Give up everything that waits here, and some other planned pairs."""
        plans = [*(plan for _, plan in self._waiting), *others]
        self._waiting.clear()
        self._store.pairs.drop([plan.id for plan in plans])

    def _plan_more(self, wanted: int | None, in_play: int) -> None:
        count = PLAN_BATCH if wanted is None else min(PLAN_BATCH, wanted)
        if self._advisor is not None:
            count = 1  # each pair may be the first of a batch
        while True:
            try:
                pairs = self._store.pairs.plan(self._run.id, count, self._planned_pair)
            except NotYet:
                self._ask_for_owed(in_play)
                return
            plans = [self._plan_of(pair) for pair in pairs]
            if any(self._is_wanted(plan) for plan in plans):
                for plan in plans:
                    self.put_back(plan)
                return
            # All of them need a paused bot, or tell the judge nothing new. With two bots left, and
            # the judge undecided, some later batch is worth playing.
            self._roster.check_enough()
            self._store.pairs.drop([plan.id for plan in plans])

    def _is_wanted(self, plan: PairPlan) -> bool:
        """Whether a pair can be played and its result still matters."""
        return self._roster.can_play(plan) and self._decision.needs(plan)

    def _ask_for_owed(self, in_play: int) -> None:
        """The next batch depends on pairs that are not finished, perhaps by nobody any more."""
        self.is_blocked = True
        if not in_play:
            self._adopt()
            self.load()

    def _planned_pair(self, number: int) -> PlannedPair:
        partners = None if self._advisor is None else self._advisor.partners(number)
        return self._schedule.pair(number, partners)

    def _plan_of(self, pair: PlannedPair) -> PairPlan:
        return PairPlan(
            id=pair.id,
            number=pair.number,
            a=self._entrants[self._names[pair.a_revision]],
            b=self._entrants[self._names[pair.b_revision]],
            board=pair.board,
            board_class=pair.board_class,
            opening=pair.opening,
            seed=pair.seed,
            margin_ms=self._settings.margin_ms,
            watchdog_s=self._settings.watchdog_s,
        )
