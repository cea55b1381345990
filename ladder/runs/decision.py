"""Runs that end by a decision: who decides, and in which order it sees the pairs.

Fast games end before slow ones, and a bot may win the fast ones. A decision on pairs in the order
of their completion would be biased by that, so it is made in the order of their numbers.
"""

import heapq
from collections.abc import Iterable, Mapping
from typing import Protocol

from db.records.pairs import (
    PairPlan,
    PairRecord,
    PlayedPair,
)
from engine.position import format_moves


class Judge(Protocol):
    """Decides from the pairs of one run."""

    @property
    def settings(self) -> Mapping[str, object]:
        """The part of the question that is kept in the run's settings; no part of its identity."""

    @property
    def decided(self) -> bool:
        """Whether the run has its answer: no further pair is begun."""

    @property
    def progress(self) -> str:
        """How near the decision is, for whoever watches."""

    @property
    def games_left(self) -> float | None:
        """Games until the decision as far as they can be told; None: they cannot."""

    @property
    def keeps_planned(self) -> bool:
        """Whether pairs that are planned beyond the decision stay so, for a later session."""

    @property
    def surplus(self) -> int:
        """Games of the pairs that were taken although they were not wanted, and do not count."""

    def take(self, pair: PlayedPair) -> None:
        """Take the next pair. One that is not wanted at its turn is given, too, and must not count.

        Which pairs are played ahead of their turn depends on the number of workers and on
        interruptions; the decision must not.
        """

    def wants(self, plan: PairPlan) -> bool:
        """Return whether a planned pair would change anything if its turn came now."""


class Decision:
    """A run's way to its judge: finished pairs wait here for earlier ones to finish."""

    def __init__(self, judge: Judge | None) -> None:
        """Without a judge nothing is ever decided."""
        self._judge = judge
        self._waiting: list[tuple[int, PlayedPair]] = []

    @property
    def is_asked(self) -> bool:
        """Whether the run ends by a decision at all."""
        return self._judge is not None

    @property
    def is_reached(self) -> bool:
        """Whether the run has its answer."""
        return self._judge is not None and self._judge.decided

    @property
    def progress(self) -> str:
        """How near it is, in words."""
        return "" if self._judge is None else self._judge.progress

    @property
    def games_left(self) -> float | None:
        """Games until it, roughly; None: they cannot be told."""
        return None if self._judge is None else self._judge.games_left

    @property
    def keeps_planned(self) -> bool:
        """Whether pairs that are planned beyond it stay so."""
        return self._judge is not None and self._judge.keeps_planned

    @property
    def surplus(self) -> int:
        """Games that were played and do not count, because they were not needed at their turn."""
        return 0 if self._judge is None else self._judge.surplus

    @property
    def holds_pairs(self) -> bool:
        """Whether finished pairs wait for an earlier one."""
        return bool(self._waiting)

    def add(self, pair: PlayedPair) -> None:
        """Note a finished pair."""
        if self._judge is not None:
            heapq.heappush(self._waiting, (pair.number, pair))

    def consider(self, owed: Iterable[int]) -> None:
        """Show the judge the pairs before which none is owed any more; `owed` are numbers."""
        if self._judge is None or not self._waiting:
            return
        limit = min(owed, default=None)
        while self._waiting and (limit is None or self._waiting[0][0] < limit):
            self._judge.take(heapq.heappop(self._waiting)[1])

    def needs(self, plan: PairPlan) -> bool:
        """Whether a planned pair can still change it."""
        return self._judge is None or self._judge.wants(plan)


def played_pair(plan: PairPlan, record: PairRecord) -> PlayedPair:
    """The results of a pair that was played to its end."""
    first, second = record.games
    return PlayedPair(
        number=plan.number,
        a_revision=plan.a.revision,
        b_revision=plan.b.revision,
        board_class=plan.board_class,
        results=(first.result, second.result.mirrored),
        terminations=(first.termination, second.termination),
        draw=(plan.board, format_moves(plan.opening), plan.seed),
        moves=(format_moves(first.moves), format_moves(second.moves)),
        duration_us=first.duration_us + second.duration_us,
    )
