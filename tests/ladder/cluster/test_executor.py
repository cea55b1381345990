"""The executor of a cluster: the times that machines get."""

from bots.protocol import Budget
from db.records.launch import Start
from db.records.pairs import Entrant, PairPlan
from ladder.cluster.executor import scaled


def plan_of(first: Budget, second: Budget) -> PairPlan:
    start = Start(argv=(), folder="")
    a, b = Entrant(1, "a", start, first), Entrant(2, "b", start, second)
    return PairPlan(1, 0, a, b, "4x4", "4x4", (), 1)


def test_slower_machines_get_more_time() -> None:
    """Times go by the ratio of speeds; work stays, and so does everything without a reference."""
    plan = plan_of(Budget(time_ms=100), Budget(simulations=500))
    half = scaled(plan, 400.0, 200.0)
    assert half.a.budget == Budget(time_ms=200)
    assert half.b.budget == Budget(simulations=500)
    assert scaled(plan, 400.0, 800.0).a.budget == Budget(time_ms=50)
    assert scaled(plan_of(Budget(time_ms=1), Budget(time_ms=1)), 1.0, 9.0).a.budget.time_ms == 1
    assert scaled(plan, None, 200.0) == plan
    assert scaled(plan, 400.0, 0.0) == plan
