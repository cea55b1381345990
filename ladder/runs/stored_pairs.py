"""The pairs of a stored run: planned in the database before they are played.

A killed run resumes with them.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from db.records.pairs import Entrant, PairPlan, PairRecord, PlannedPair, PlayedPair, StoredGames
from db.records.runs import RunRow
from db.store import Store
from ladder.runs.choosers import PairsPending
from ladder.runs.health import RunHealth
from ladder.runs.pair_order import PairSource
from ladder.runs.schedule import Schedule
from ladder.runs.settings import RunSettings

PLAN_BATCH = 64
"""Most pairs that are planned in one transaction."""


@dataclass(frozen=True, kw_only=True)
class StoredPairs(PairSource):
    """Plans the pairs of a schedule."""

    store: Store
    run: RunRow
    schedule: Schedule
    """The stream of pairs, over the names in `entrants`."""
    entrants: Mapping[str, Entrant]
    """Every bot of the run by name."""
    adopt: Callable[[], int] = lambda: 0
    """Takes over the planned pairs of dead runs of the same stream; returns their number."""
    health: RunHealth
    """Knows the paused bots, whose pairs are not played."""

    def planned(self) -> Sequence[PairPlan]:
        """Return the planned pairs of the run that are not played."""
        return self._plans(self.store.pairs.planned(self.run.id))

    def finished(self) -> Sequence[PlayedPair]:
        """Return the finished pairs of the run."""
        return self.store.pairs.of_run(self.run.id)

    def draw(self, wanted: int | None, *, is_idle: bool) -> Sequence[PairPlan]:
        """Plan the next pairs of the stream, at most `PLAN_BATCH` of them."""
        count = PLAN_BATCH if wanted is None else min(PLAN_BATCH, wanted)
        if self.schedule.settings.pairing.rule.needs_results:
            count = 1  # each pair may be the first that depends on unfinished ones
        dropped = 0
        while True:
            choose = self.schedule.pair if dropped < PLAN_BATCH else self._draw_playable
            try:
                plans = self._plans(self.store.pairs.plan(self.run.id, count, choose))
            except PairsPending:
                if is_idle:  # perhaps no process plays what the next pair depends on
                    self.adopt()
                    if adopted := self.planned():
                        return adopted
                raise
            if any(map(self.can_play, plans)):
                return plans
            # All of them need a paused bot; later ones may not. But a rule can choose such pairs
            # for very long, so the next bots are then drawn from those that can play.
            self.health.check_enough()
            self.drop(plans)
            dropped += len(plans)

    def can_play(self, plan: PairPlan) -> bool:
        """Return whether neither bot of a pair is paused."""
        return self.health.can_play(plan)

    def drop(self, plans: Sequence[PairPlan]) -> None:
        """Cancel planned pairs."""
        self.store.pairs.drop([plan.pair.id for plan in plans])

    def finish(self, played: Sequence[tuple[PairPlan, PairRecord]]) -> Sequence[StoredGames]:
        """Store pairs with their games, in one transaction."""
        return self.store.pairs.finish_all(played)

    def give_up(self, plan: PairPlan, record: PairRecord) -> None:
        """Count what disturbed a pair, which stays planned."""
        self.store.pairs.add_stalls(plan.pair.id, record.stalls)

    def _draw_playable(self, number: int) -> PlannedPair:
        """Return a pair of bots that are not paused, whatever the rule would choose."""
        return self.schedule.pair_of_any(
            number, self.schedule.possible_meetings(self.health.playable)
        )

    def _plans(self, pairs: Sequence[PlannedPair]) -> list[PairPlan]:
        sides = {entrant.revision: entrant for entrant in self.entrants.values()}
        return [
            make_plan(pair, sides[pair.a_revision], sides[pair.b_revision], self.schedule.settings)
            for pair in pairs
        ]


def make_plan(pair: PlannedPair, a: Entrant, b: Entrant, settings: RunSettings) -> PairPlan:
    """Return the plan of a pair for a worker."""
    return PairPlan(
        pair,
        a,
        b,
        margin_ms=settings.margin_ms,
        watchdog_s=settings.watchdog_s,
        rules=settings.rules,
    )
