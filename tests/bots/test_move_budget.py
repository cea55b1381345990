"""How a search spends the budget of a move."""

import time

import pytest

from bots.move_budget import FIRST_NODES, FIRST_SIMULATIONS, LEAST_NODES, NodeBudget, spend
from bots.protocol import Budget


class Counted:
    """A search that only counts simulations; each moves its clock by a fixed cost in seconds."""

    def __init__(self, cost: float = 0.0, ends_after: float = float("inf")) -> None:
        self.chunks: list[int] = []
        self.time = 100.0
        self._cost = cost
        self._ends_after = ends_after

    def advance(self, simulations: int) -> bool:
        self.chunks.append(simulations)
        self.time += simulations * self._cost
        return sum(self.chunks) < self._ends_after

    def now(self) -> float:
        return self.time


@pytest.mark.parametrize(
    ("search", "budget", "started", "chunks"),
    [
        (Counted(), Budget(simulations=777), 0.0, [777]),
        # The time is over before the search begins.
        (Counted(1e-6), Budget(time_ms=1), 90.0, [FIRST_SIMULATIONS]),
        (Counted(1e-6, ends_after=1), Budget(time_ms=5000), 100.0, [FIRST_SIMULATIONS]),
    ],
)
def test_a_search_gets_one_chunk(
    search: Counted, budget: Budget, started: float, chunks: list[int]
) -> None:
    """All simulations at once, one chunk when it is late, no second one when it is solved."""
    spend(search, budget, share=0.9, started=started, now=search.now)
    assert search.chunks == chunks


@pytest.mark.parametrize("cost", [1e-7, 1e-6, 1e-4])
@pytest.mark.parametrize("share", [0.5, 0.9])
def test_the_time_is_used_to_the_intended_share(cost: float, share: float) -> None:
    """The last simulation ends at the share of the budget; chunks take a millisecond."""
    search = Counted(cost)
    spend(search, Budget(time_ms=50), share=share, started=100.0, now=search.now)
    assert share * 0.050 - 2 * cost <= search.time - 100.0 <= share * 0.050 + cost
    assert max(search.chunks) * cost <= max(0.00101, FIRST_SIMULATIONS * cost)


def test_nodes_are_granted_to_the_last_one() -> None:
    """Visited nodes are subtracted from the whole budget and from a part of it."""
    budget = NodeBudget(Budget(nodes=1000), share=0.5, started=0)
    assert (budget.grant(), budget.grant(0.5)) == (1000, 500)
    budget.record(600)
    assert (budget.grant(), budget.grant(0.5)) == (400, 0)
    assert (budget.is_past(0.5), budget.is_past(1.0)) == (True, False)
    budget.record(400)
    assert budget.grant() == 0


def test_a_depth_grants_any_number() -> None:
    """Nothing ends a search to a depth."""
    budget = NodeBudget(Budget(depth=3), share=0.5, started=0)
    budget.record(10**12)
    assert budget.grant(0.1) > 10**12


def test_a_late_search_gets_a_few_nodes() -> None:
    """If the time is over before the search begins, it still gets one chunk."""
    budget = NodeBudget(Budget(time_ms=5), share=0.9, started=time.perf_counter() - 1)
    assert budget.grant() == FIRST_NODES
    budget.record(FIRST_NODES - 1)
    assert budget.grant() == 1
    budget.record(1)
    assert budget.is_past(1.0)


def test_grants_of_time_follow_the_speed() -> None:
    """A grant takes about a millisecond at the speed of the last one, less near the end."""
    now = [100.0]
    budget = NodeBudget(Budget(time_ms=100), share=0.9, started=100.0, now=lambda: now[0])
    for _ in range(20):
        nodes = budget.grant()
        now[0] += nodes / 5_000_000
        budget.record(nodes)
    assert budget.grant() == pytest.approx(5000, rel=0.01)
    now[0] = 100.0 + 0.0898
    assert LEAST_NODES <= budget.grant() == pytest.approx(1000, rel=0.02)
    assert budget.grant(0.5) == 0
    now[0] = 100.1
    assert budget.grant() == 0


def test_a_budget_of_the_other_kind_is_refused() -> None:
    with pytest.raises(ValueError, match="simulations"):
        NodeBudget(Budget(simulations=1), share=1, started=0)
    with pytest.raises(ValueError, match="no budget of depth"):
        spend(Counted(), Budget(depth=1), share=1, started=0)
