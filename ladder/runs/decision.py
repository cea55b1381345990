"""Runs that end by a decision: the interface of judges, and the order in which they get pairs.

Fast games end before slow ones, and a bot may win the fast ones. A decision on pairs in the order
of their completion would be biased by that, so judges get them in the order of their numbers.
"""

import heapq
from collections.abc import Iterable, Mapping

from db.records.pairs import PairPlan, PairRecord, PlayedPair, pair_content
from engine.position import format_moves


class Judge:
    """Decides from the pairs of one run."""

    surplus: int = 0
    """Games of pairs that came when they were no longer wanted; they do not count."""
    needs_all = True
    """Whether the decision needs all bots, so that none can be paused."""

    @property
    def settings(self) -> Mapping[str, object]:
        """The settings stored with the run that are no part of its identity."""
        return {}

    @property
    def keeps_planned(self) -> bool:
        """Whether the run stays open after the decision, with its planned pairs."""
        return False

    @property
    def decided(self) -> bool:
        """Whether the judge has decided; no further pair is begun then."""
        return False

    @property
    def progress(self) -> str:
        """The progress towards the decision, in words."""
        return ""

    @property
    def games_left(self) -> float | None:
        """Estimated games until the decision; None if unknown."""
        return None

    def take(self, pair: PlayedPair) -> None:
        """Take the next pair in the order of numbers.

        Pairs that are no longer wanted are given, too, and must not count: which of them were
        played depends on the number of workers and on interruptions, the decision must not.
        """

    def wants(self, plan: PairPlan) -> bool:
        """Return whether a planned pair could change the decision as things stand now."""
        del plan
        return True


class Endless(Judge):
    """The judge of a run that ends by its settings only."""

    needs_all = False


ENDLESS = Endless()


class ReorderBuffer:
    """The finished pairs that wait for earlier ones before the judge takes them."""

    def __init__(self, judge: Judge) -> None:
        self._judge = judge
        self._waiting: list[tuple[int, PlayedPair]] = []

    def __len__(self) -> int:
        return len(self._waiting)

    def add(self, pair: PlayedPair) -> None:
        """Add a finished pair."""
        heapq.heappush(self._waiting, (pair.number, pair))

    def release(self, unfinished: Iterable[int]) -> None:
        """Give the judge the pairs before the first of the unfinished numbers."""
        if not self._waiting:
            return
        limit = min(unfinished, default=None)
        while self._waiting and (limit is None or self._waiting[0][0] < limit):
            self._judge.take(heapq.heappop(self._waiting)[1])


def played_pair(plan: PairPlan, record: PairRecord) -> PlayedPair:
    """Return the results of a pair from its record."""
    first, second = record.games
    return PlayedPair(
        number=plan.number,
        a_revision=plan.a.revision,
        b_revision=plan.b.revision,
        board_class=plan.board_class,
        results=(first.result, second.result.mirrored),
        terminations=(first.termination, second.termination),
        setup=(plan.board, format_moves(plan.opening), plan.seed),
        content=pair_content(
            plan.board,
            (format_moves(first.moves), format_moves(second.moves)),
            lower_first=plan.a.revision <= plan.b.revision,
        ),
        duration_us=first.duration_us + second.duration_us,
    )
