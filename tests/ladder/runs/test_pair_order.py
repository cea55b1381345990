"""The order of a run's pairs: a judge sees them by their numbers, whatever ends first."""

from collections.abc import Sequence

import pytest

from db.records.launch import Start
from db.records.pairs import PairPlan, PlayedPair
from ladder.runs.decision import Judge
from ladder.runs.pair_order import PairOrder, PairSource
from tests.support.data.pairs import pair_of
from tests.support.fakes import pair_plan

MANY = 40
BOT = Start(argv=(), folder="")


class Notes(Judge):
    """A judge that writes down what it sees, and wants no pair of a number in `unwanted`."""

    def __init__(self, *unwanted: int) -> None:
        self.seen: list[int] = []
        self.unwanted = {*unwanted}
        self.is_over = False

    @property
    def decided(self) -> bool:
        return self.is_over

    def take(self, pair: PlayedPair) -> None:
        self.seen.append(pair.number)

    def wants(self, plan: PairPlan) -> bool:
        return plan.pair.number not in self.unwanted


class Numbers(PairSource):
    """Pairs in memory."""

    def __init__(self) -> None:
        self.drawn = 0
        self.dropped: list[int] = []

    def draw(self, wanted: int | None, *, is_idle: bool) -> Sequence[PairPlan]:
        start, self.drawn = self.drawn, self.drawn + (wanted or MANY)
        return [pair_plan(BOT, BOT, number=number) for number in range(start, self.drawn)]

    def drop(self, plans: Sequence[PairPlan]) -> None:
        self.dropped += [plan.pair.number for plan in plans]


def begin(order: PairOrder, count: int) -> list[PairPlan]:
    """Return the next pairs."""
    plans = [order.next(None) for _ in range(count)]
    assert None not in plans
    return [plan for plan in plans if plan]


def finish(order: PairOrder, plan: PairPlan) -> None:
    order.finish(plan, pair_of(plan.pair.number, 0, 1, 8))
    order.settle()


def test_pairs_are_judged_in_the_order_of_their_numbers() -> None:
    """A pair that finished early waits for those of lower numbers, not for higher ones."""
    notes = Notes()
    order = PairOrder(Numbers(), notes)
    plans = begin(order, 5)
    for number, seen in ((2, []), (0, [0]), (4, [0]), (1, [0, 1, 2]), (3, [0, 1, 2, 3, 4])):
        finish(order, plans[number])
        assert notes.seen == seen


@pytest.mark.parametrize("is_wanted_then", [True, False])
def test_the_judge_is_asked_again_about_a_deferred_pair_after_all_before_it(
    is_wanted_then: bool,
) -> None:
    """It is then played next, or dropped; until then an earlier pair may change the answer."""
    notes, source = Notes(1, 2), Numbers()
    order = PairOrder(source, notes)
    first, fourth = begin(order, 2)
    assert (first.pair.number, fourth.pair.number) == (0, 3)
    finish(order, fourth)
    assert (notes.seen, source.dropped) == ([], [])
    if is_wanted_then:
        notes.unwanted.remove(2)
    finish(order, first)
    assert source.dropped == ([1] if is_wanted_then else [1, 2])
    assert notes.seen == ([0] if is_wanted_then else [0, 3])
    assert begin(order, 1)[0].pair.number == (2 if is_wanted_then else 4)


def test_a_pair_that_could_not_be_played_is_next_and_holds_back_later_ones() -> None:
    """Its worker has died; a judge must not learn that from the order of the pairs."""
    notes = Notes()
    order = PairOrder(Numbers(), notes)
    first, second = begin(order, 2)
    order.requeue(first)
    finish(order, second)
    assert notes.seen == []
    assert begin(order, 1) == [first]


def test_no_more_pairs_begin_than_are_missing() -> None:
    """Those in play count; one more begins if the judge waits for a pair that is not played."""
    order = PairOrder(Numbers(), Notes())
    plans = [order.next(4), order.next(4)]
    assert order.next(4) is None
    assert order.next(5) is not None
    first, second = (plan for plan in plans if plan)
    order = PairOrder(Numbers(), Notes())
    first, second = begin(order, 2)
    order.requeue(first)
    finish(order, second)
    assert order.next(0) == first
    assert order.next(0) is None


def test_a_decision_drops_what_no_worker_has_begun() -> None:
    """A pair in play is finished, and the judge still takes it."""
    notes, source = Notes(0), Numbers()
    order = PairOrder(source, notes)
    second, third = begin(order, 2)
    notes.is_over = True
    order.cancel([third])
    assert sorted(source.dropped) == [0, *range(2, MANY)]
    assert order.next(None) is None
    finish(order, second)
    assert notes.seen == [1]
